//! A name means one thing: no two crates that meet call different public types by the same name.

use std::collections::{BTreeMap, BTreeSet};

use super::{MAY_USE, is_part_of_name, product_code, product_files};

#[test]
fn crates_that_meet_share_no_names() {
    let of_crate = |name: &str| -> BTreeSet<String> {
        let files = product_files(name).into_iter().map(|file| product_code(&file));
        files.flat_map(|code| code.lines().filter_map(public_type).collect::<Vec<_>>()).collect()
    };
    let types: BTreeMap<&str, _> =
        MAY_USE.iter().map(|(name, _)| (*name, of_crate(name))).collect();
    let mut found: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (name, may_use) in MAY_USE {
        for other in *may_use {
            for shared in types[name].intersection(&types[other]) {
                found.entry(shared).or_default().extend([*name, other]);
            }
        }
    }
    let checked: usize = types.values().map(BTreeSet::len).sum();
    assert!(checked > 1_000, "only {checked} types are found");
    assert!(found.is_empty(), "rename the more special one of each: {found:#?}");
}

/// The name of the type that a line declares for other crates.
fn public_type(line: &str) -> Option<String> {
    let (kind, rest) = line.trim_start().strip_prefix("pub ")?.split_once(' ')?;
    let is_type = matches!(kind, "struct" | "enum" | "trait" | "type" | "union");
    is_type.then(|| rest.chars().take_while(|char| is_part_of_name(*char)).collect())
}

#[test]
fn public_types_are_found() {
    assert_eq!(public_type("    pub enum Place<'p> {").as_deref(), Some("Place"));
    assert_eq!(public_type("pub(crate) struct Place {"), None);
    assert_eq!(public_type("pub fn place() {"), None);
}
