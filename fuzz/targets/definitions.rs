//! Any text as a view definition: it must compile or be refused with places inside the text, and what compiles must
//! survive being printed and compiled again.
//!
//! Run with `cargo +nightly fuzz run definitions`, with the sample views of `apps/` as a first corpus.
#![no_main]

use std::sync::{Arc, LazyLock};

use duet_duality::{DefinitionFile, Options, compile, print, render};
use duet_model::catalog::OnDelete;
use duet_model::{Catalog, Column, ForeignKey, Relation, Type};
use libfuzzer_sys::fuzz_target;

static CATALOG: LazyLock<Catalog> = LazyLock::new(|| Catalog {
    relations: vec![
        table(
            "driver",
            &[("driver_id", INTEGER), ("name", Type::Text), ("team_id", INTEGER)],
            true,
        ),
        table("team", &[("team_id", INTEGER), ("name", Type::Text), ("extras", Type::Json)], false),
    ],
    ..Catalog::default()
});

const INTEGER: Type = Type::Integer { bits: 32 };

fn table(name: &str, columns: &[(&str, Type)], linked: bool) -> Arc<Relation> {
    let key = ForeignKey {
        name: "driver_team".to_owned(),
        columns: vec![2],
        references_schema: "main".to_owned(),
        references_table: "team".to_owned(),
        references_columns: vec!["team_id".to_owned()],
        on_delete: OnDelete::Refuse,
    };
    let columns = columns.iter().map(|(name, ty)| Column::new(*name, ty.clone())).collect();
    Arc::new(Relation {
        foreign_keys: linked.then_some(key).into_iter().collect(),
        ..Relation::table("main", name, columns)
    })
}

fuzz_target!(|text: &str| {
    let source = DefinitionFile::new("fuzz.sql", text);
    match compile(&source, &CATALOG, &Options::default()) {
        Ok(views) => {
            for view in views {
                let printed = DefinitionFile::new("printed.sql", print(&view.shape));
                let again = compile(&printed, &CATALOG, &Options::default());
                assert_eq!(again.ok().map(|views| views[0].shape.clone()), Some(view.shape));
            }
        }
        Err(found) => {
            for diagnostic in found {
                assert!(render(&diagnostic, &source).contains('^'));
            }
        }
    }
});
