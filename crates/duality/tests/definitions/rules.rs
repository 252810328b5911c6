//! Every rule of the language, broken once: the cases of `rules.txt`.
//!
//! A case is a heading with its name and catalog, a definition, a line of dashes and what people
//! see. `UPDATE_CASES=1` writes down what is seen now.

use std::fmt::Write as _;

use duet_duality::{Options, ViewLimits};
use duet_model::Catalog;
use duet_model::catalog::RelationName;

use crate::{catalogs, errors_with};

const CASES: &str = include_str!("rules.txt");
const RULES: &str = include_str!("../../src/rules.rs");

/// Heading, definition, expected text.
fn cases() -> Vec<(&'static str, &'static str, &'static str)> {
    let blocks = CASES.split("\n==== ").skip(1);
    blocks
        .map(|block| {
            let (heading, rest) = block.split_once('\n').expect("a heading");
            let (text, expected) = rest.split_once("\n----\n").expect("a line of dashes");
            (heading, text, expected)
        })
        .collect()
}

fn seen(heading: &str, text: &str) -> String {
    let catalog: Catalog = match heading.rsplit(' ').next() {
        Some("car-racing") => catalogs::car_racing(),
        Some("chinook") => catalogs::chinook(),
        _ => catalogs::oddities(),
    };
    let limits = ViewLimits {
        depth: 8,
        expression_depth: 16,
        tables: 6,
        members: 40,
        ..ViewLimits::default()
    };
    let require_foreign_keys = heading.contains("declared");
    let documents = match heading.contains("documents") {
        true => vec![RelationName { schema: "main".to_owned(), name: "driver".to_owned() }],
        false => Vec::new(),
    };
    let options = Options { require_foreign_keys, limits, documents, default_schema: None };
    errors_with(text, &catalog, &options)
}

#[test]
fn every_rule_has_its_message() {
    let mut all = "Every rule of the view language, broken once.\n".to_owned();
    let mut different = Vec::new();
    for (heading, text, expected) in cases() {
        let now = seen(heading, text);
        if now.trim() != expected.trim() {
            different.push(format!("{heading}\n{now}"));
        }
        let _ = write!(all, "\n==== {heading}\n{text}\n----\n{}\n", now.trim_end());
    }
    if std::env::var_os("UPDATE_CASES").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/definitions/rules.txt");
        std::fs::write(path, all).unwrap();
    } else {
        assert!(different.is_empty(), "{}", different.join("\n"));
    }
}

#[test]
fn every_rule_has_a_case() {
    let rules = RULES.lines().filter_map(|line| line.split_once(" = \"")?.1.strip_suffix("\";"));
    let unbroken: Vec<_> = rules.filter(|rule| !CASES.contains(*rule)).collect();
    assert!(unbroken.is_empty(), "{unbroken:#?}");
}
