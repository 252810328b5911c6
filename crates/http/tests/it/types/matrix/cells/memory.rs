//! Items from memory are those of the database, and go when a write changes them.

use serde_json::{Value, json};

use super::key::{self_link, without_links};
use super::{Asked, Subject, Tried, id_of, originals};
use crate::types::matrix::Verdict;
use crate::types::matrix::asked::{MERGE_PATCH, problem};

/// How often an item is read until it comes from memory. What an earlier cell loaded through a connection of its own may
/// drop it once more.
const READS: usize = 20;

/// Reads an item of a list until it comes from memory.
fn read_from_memory(asked: &mut Asked<'_>, path: &str, item: &Value) -> Result<(), String> {
    let (mut found, mut from) = asked.cached(path)?;
    for _ in 1..READS {
        if from == "hit" {
            break;
        }
        (found, from) = asked.cached(path)?;
    }
    match without_links(&found) == without_links(item) && from == "hit" {
        true => Ok(()),
        false => Err(format!("{path} is {found} by {from}, not {item}")),
    }
}

pub(super) fn item(asked: &mut Asked<'_>, subject: &Subject) -> Tried {
    for item in originals(asked, subject)? {
        read_from_memory(asked, &format!("{}/{}", subject.name, id_of(&item)), &item)?;
    }
    Ok(Verdict::Right)
}

/// The value is the key in memory; a change of the row drops the item.
pub(super) fn key(asked: &mut Asked<'_>, subject: &Subject) -> Tried {
    for item in asked.items(&format!("{}_key/?limit=500", subject.name))? {
        let path = self_link(&item)?;
        read_from_memory(asked, &path, &item)?;
        let n = item["n"].as_i64().unwrap_or_default();
        for n in [n + 100, n] {
            let body = json!({ "n": n }).to_string();
            let patched = asked.send("PATCH", &path, (MERGE_PATCH, &body));
            if patched.status != 200 {
                return Err(format!("{path}: {} {}", patched.status, problem(&patched)));
            }
            let (found, from) = asked.cached(&path)?;
            if found["n"] != n || from != "miss" {
                return Err(format!("{path} is {found} by {from} after {body}"));
            }
        }
    }
    Ok(Verdict::Right)
}
