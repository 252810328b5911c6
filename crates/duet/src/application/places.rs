//! The positions of a file's keys and values, for mistakes that are only found with a database.

use std::collections::BTreeMap;
use std::ops::Range;

use duet_service::definition::Places;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::problem::SourceText;

/// Records the position of each key and value.
pub(super) fn of(source: &SourceText, root: &DeTable<'_>) -> Places {
    let mut places =
        Places { file: source.name.clone(), text: source.text.clone(), ..Places::default() };
    table(root, &mut Vec::new(), &mut places);
    places
}

fn table(members: &DeTable<'_>, path: &mut Vec<String>, places: &mut Places) {
    for (key, member) in members {
        path.push(key.get_ref().to_string());
        note(&mut places.keys, path, key.span());
        value(member, path, places);
        path.pop();
    }
}

fn value(found: &Spanned<DeValue<'_>>, path: &mut Vec<String>, places: &mut Places) {
    match found.get_ref() {
        DeValue::Table(members) => table(members, path, places),
        DeValue::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                path.push(index.to_string());
                value(item, path, places);
                path.pop();
            }
        }
        _ => {
            note(&mut places.values, path, found.span());
            // A text alone is a list of one.
            path.push("0".to_owned());
            note(&mut places.values, path, found.span());
            path.pop();
        }
    }
}

fn note(places: &mut BTreeMap<Vec<String>, Range<usize>>, path: &[String], span: Range<usize>) {
    places.insert(path.to_vec(), span);
}
