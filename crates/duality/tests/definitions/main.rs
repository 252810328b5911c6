//! View definitions from text to shape: the samples, every rule, and texts that mean harm.

mod any_text;
mod car_racing;
mod catalogs;
mod chinook;
mod forms;
mod generated;
mod mysql;
mod oracle;
mod plain_rows;
mod roundtrip;
mod rules;

use duet_duality::{DefinitionFile, Options, compile, render};
use duet_model::{Catalog, Member, MemberKind, Node, Shape};

/// The shape of the only view of a text that must be right.
fn shape(text: &str, catalog: &Catalog) -> Shape {
    let source = DefinitionFile::new("test.sql", text);
    match compile(&source, catalog, &Options::default()) {
        Ok(views) => {
            let [view] = <[_; 1]>::try_from(views).expect("one view");
            assert_eq!(view.name, view.shape.name);
            view.shape
        }
        Err(found) => {
            let texts: Vec<_> = found.iter().map(|found| render(found, &source)).collect();
            panic!("{}", texts.join("\n"));
        }
    }
}

/// Everything that is wrong with a text, as people see it.
fn errors(text: &str, catalog: &Catalog) -> String {
    errors_with(text, catalog, &Options::default())
}

fn errors_with(text: &str, catalog: &Catalog, options: &Options) -> String {
    let source = DefinitionFile::new("test.sql", text);
    let found = compile(&source, catalog, options).expect_err("a mistake");
    let texts: Vec<_> = found.iter().map(|found| render(found, &source)).collect();
    texts.join("\n")
}

fn member<'a>(node: &'a Node, name: &str) -> &'a MemberKind {
    let found = node.members.iter().find(|member: &&Member| member.name == name);
    &found.unwrap_or_else(|| panic!("no member {name}")).kind
}
