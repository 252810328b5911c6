//! Any two texts as the stored and the wanted document: they are taken apart and compared, or refused with a place
//! inside the text.
//!
//! Run with `cargo +nightly fuzz run writes`. The texts are separated by a line that holds `=`.
//!
//! Checked: no panic; refusals have a position; every operation has a place in the wanted document; what an insert
//! generates is used behind it; a merge patch of itself changes nothing in kind.
#![no_main]

use std::sync::{Arc, LazyLock};

use duet_document::{Purpose, patched, row_tree};
use duet_duality::write::{Change, FoundRows, lookups, plan};
use duet_duality::{DefinitionFile, Options, compile};
use duet_model::catalog::{OnDelete, UniqueKey};
use duet_model::{
    Catalog, Column, Error, ForeignKey, Operand, Place, Relation, RowAction, Shape, Type, WritePlan,
};
use duet_text::json::{BODY, Json, JsonKind, STORED, read};
use libfuzzer_sys::fuzz_target;

const INTEGER: Type = Type::Integer { bits: 32 };

const VIEW: &str = "view a_dv as a @insert @update @delete {
  _id: { id day } g: { s n @nocheck @noupdate } @nest
  k @insert @update { id name f @unnest { f: id fn: name } }
  o @object @insert @update @delete { v }
  b @insert @update @delete [ { id u v c @insert @update [ { id v k @unnest { kid: id kname: name } } ] x @flex } ]
  t @generated(sql: \"n + 1\") h: v @hidden
}";

static SHAPE: LazyLock<Shape> = LazyLock::new(|| {
    let source = DefinitionFile::new("fuzz.graphql", VIEW);
    let views = compile(&source, &catalog(), &Options::default());
    views.unwrap_or_else(|found| panic!("{found:?}")).remove(0).shape
});

fn catalog() -> Catalog {
    let ab = [("id", INTEGER), ("day", Type::Date)];
    let link = |columns: &[usize], table: &str, to: &[&str]| ForeignKey {
        name: format!("to_{table}"),
        columns: columns.to_vec(),
        references_schema: "main".to_owned(),
        references_table: table.to_owned(),
        references_columns: to.iter().map(|&name| name.to_owned()).collect(),
        on_delete: OnDelete::Refuse,
    };
    let a = [&ab[..], &[("s", Type::Text), ("n", INTEGER), ("v", Type::Text), ("k_id", INTEGER)]]
        .concat();
    let b = [
        ("id", INTEGER),
        ("a_id", INTEGER),
        ("a_day", Type::Date),
        ("u", Type::Text),
        ("v", Type::Decimal { scale: Some(2) }),
        ("x", Type::Json),
    ];
    let c = [("id", INTEGER), ("b_id", INTEGER), ("v", Type::TimestampTz), ("k_id", INTEGER)];
    let k = [("id", INTEGER), ("name", Type::Text), ("f_id", INTEGER)];
    Catalog {
        relations: vec![
            table("a", &a, &[0, 1], &[], vec![link(&[5], "k", &["id"])]),
            table("b", &b, &[0], &[1, 2, 3], vec![link(&[1, 2], "a", &["id", "day"])]),
            table("c", &c, &[0], &[], vec![link(&[1], "b", &["id"]), link(&[3], "k", &["id"])]),
            table("f", &k[..2], &[0], &[1], Vec::new()),
            table("k", &k, &[0], &[1], vec![link(&[2], "f", &["id"])]),
            table(
                "o",
                &[&ab[..], &[("v", Type::Text)]].concat(),
                &[0, 1],
                &[],
                vec![link(&[0, 1], "a", &["id", "day"])],
            ),
        ],
        ..Catalog::default()
    }
}

fn table(
    name: &str,
    columns: &[(&str, Type)],
    key: &[usize],
    unique: &[usize],
    links: Vec<ForeignKey>,
) -> Arc<Relation> {
    let mut columns: Vec<Column> =
        columns.iter().map(|(name, ty)| Column::new(*name, ty.clone())).collect();
    key.iter().for_each(|&column| columns[column].not_null = true);
    let unique = UniqueKey { name: "u".to_owned(), columns: unique.to_vec(), is_declared: false };
    Arc::new(Relation {
        primary_key: key.to_vec(),
        unique_keys: Some(unique).filter(|key| !key.columns.is_empty()).into_iter().collect(),
        foreign_keys: links,
        ..Relation::table("main", name, columns)
    })
}

fuzz_target!(|text: &str| {
    let (stored, wanted) = text.split_once("\n=\n").unwrap_or(("{}", text));
    let Ok(before) = read(stored, &STORED, 64) else { return };
    let body = match read(wanted, &BODY, 64) {
        Ok(body) => body,
        Err(error) => return has_place(&error, wanted),
    };
    if matches!(body.kind, JsonKind::Object(_)) && matches!(before.kind, JsonKind::Object(_)) {
        let _ = patched(&SHAPE, before.clone(), body.clone());
    }
    if let Ok(new) = row_tree(&SHAPE, body.clone(), Purpose::Create) {
        let found = lookups(&SHAPE, None, &new);
        let planned = plan(&SHAPE, Change::Create(&new), &FoundRows::default());
        check(planned.map_err(|error| (error, found.is_err())), &body, wanted);
    }
    let Ok(old) = row_tree(&SHAPE, before, Purpose::Stored) else { return };
    let new = match row_tree(&SHAPE, body.clone(), Purpose::Replace) {
        Ok(new) => new,
        Err(error) => return has_place(&error, wanted),
    };
    let mut known = FoundRows::default();
    for lookup in lookups(&SHAPE, Some(&old), &new).unwrap_or_default() {
        // Some of them are found, as rows that have nothing but their key.
        if lookup.key.len() % 2 == 1 {
            let row = duet_model::RowTree {
                node: lookup.node,
                pointer: String::new(),
                fields: Vec::new(),
                children: Vec::new(),
            };
            known.insert(&lookup, row);
        }
    }
    let change = Change::Replace { stored: &old, wanted: &new, patched: false };
    let planned = plan(&SHAPE, change, &known);
    check(planned.map_err(|error| (error, false)), &body, wanted);
});

fn check(planned: Result<WritePlan, (Error, bool)>, body: &Json<'_>, text: &str) {
    let plan = match planned {
        Ok(plan) => plan,
        Err((error, _)) => return has_place(&error, text),
    };
    for (at, operation) in plan.operations.iter().enumerate() {
        assert!(is_there(body, &operation.pointer), "{}", operation.pointer);
        assert!(
            operation.action != RowAction::Update
                || !operation.set.is_empty()
                || operation.refused.is_some()
        );
        for (_, operand) in operation.set.iter().chain(&operation.key) {
            if let Operand::Generated { operation, .. } = operand {
                assert!(*operation < at && plan.operations[*operation].action == RowAction::Insert);
            }
        }
    }
}

fn has_place(error: &Error, text: &str) {
    match &error.place {
        Some(Place::Offset(at) | Place::BodyOffset(at)) => assert!(*at <= text.len()),
        Some(Place::Pointer(pointer)) => assert!(pointer.is_empty() || pointer.starts_with('/')),
        other => panic!("{error} at {other:?}"),
    }
}

fn is_there(json: &Json<'_>, pointer: &str) -> bool {
    let mut at = json;
    for part in pointer.split('/').skip(1) {
        let name = part.replace("~1", "/").replace("~0", "~");
        let next = match &at.kind {
            JsonKind::List(elements) => name.parse().ok().and_then(|index: usize| elements.get(index)),
            _ => at.get(&name),
        };
        match next {
            Some(next) => at = next,
            None => return false,
        }
    }
    true
}
