//! The manual lists every operator that is offered, and no other.

use std::collections::BTreeSet;

use crate::operators;

#[test]
fn the_manual_lists_every_operator() {
    let page = include_str!("../../../../docs/filters.md");
    let table = page.split("## Operators").nth(1).unwrap().split("\n## ").next().unwrap();
    let first = |row: &str| row.split('|').nth(1).map(str::to_owned);
    let rows = table.lines().filter(|line| line.starts_with("| `$")).filter_map(first);
    let listed: Vec<String> = rows
        .flat_map(|cell| cell.split('`').map(str::to_owned).collect::<Vec<_>>())
        .filter(|part| part.starts_with('$'))
        .collect();
    let known: BTreeSet<&str> = operators().map(|row| row.name).collect();
    assert_eq!(listed.iter().map(String::as_str).collect::<BTreeSet<_>>(), known);
    assert_eq!(listed.len(), known.len(), "each is listed once");
    assert_eq!(operators().count(), known.len(), "each is defined once");
}
