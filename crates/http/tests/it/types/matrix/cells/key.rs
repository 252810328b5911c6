//! Keys: an item is found by its link, put there as it was read, and found by `ids`.

use serde_json::{Value, json};

use super::{Asked, NO_MARKER, Subject, Tried};
use crate::support::percent_encode;
use crate::types::matrix::Verdict;
use crate::types::matrix::asked::{JSON, MERGE_PATCH, problem};

/// The path of an item behind the mount, from its links.
pub(super) fn self_link(item: &Value) -> Result<String, String> {
    let links = item["links"].as_array().cloned().unwrap_or_default();
    let own = links.iter().find(|link| link["rel"] == "self");
    let href =
        own.and_then(|link| link["href"].as_str()).ok_or_else(|| format!("no link: {item}"))?;
    Ok(href.split_once("/ords/hr/").map_or(href, |(_, path)| path).to_owned())
}

/// An item as it is sent back.
pub(super) fn without_links(item: &Value) -> Value {
    let mut members = item.as_object().cloned().unwrap_or_default();
    members.remove("links");
    members.remove("_metadata");
    Value::Object(members)
}

/// Follows the link of each item, puts the item there as it is, and asks for it by `ids`.
pub(super) fn items_by_key(
    asked: &mut Asked<'_>,
    resource: &str,
    table: &str,
) -> Result<(), String> {
    let count = format!("SELECT count(*) FROM {table}");
    let rows = asked.numbers(&count);
    for item in asked.items(&format!("{resource}/?limit=500"))? {
        let path = self_link(&item)?;
        let found = asked.get(&path)?;
        if without_links(&found) != without_links(&item) {
            return Err(format!("{path} is {found}, not {item}"));
        }
        for (method, media) in [("PUT", JSON), ("PATCH", MERGE_PATCH)] {
            let body = without_links(&item).to_string();
            let put = asked.send(method, &path, (media, &body));
            if put.status != 200 {
                return Err(format!("{method} {path} {body}: {} {}", put.status, problem(&put)));
            }
        }
        let key = path.rsplit('/').next().unwrap_or_default();
        let found = asked.items(&format!("{resource}/?ids={}", percent_encode(key)))?;
        if found.len() != 1 || without_links(&found[0]) != without_links(&item) {
            return Err(format!("ids={key} gives {found:?}"));
        }
    }
    let now = asked.numbers(&count);
    if now == rows { Ok(()) } else { Err(format!("{now:?} rows, of {rows:?}")) }
}

/// The key of the table, and on PostgreSQL keys of domains and arrays.
pub(super) fn key(asked: &mut Asked<'_>, subject: &Subject) -> Tried {
    for table in subject.key_tables() {
        items_by_key(asked, &table, &table)?;
    }
    Ok(Verdict::Right)
}

/// Pages in the order of the key.
pub(super) fn pages(asked: &mut Asked<'_>, subject: &Subject) -> Tried {
    for table in subject.key_tables() {
        let first = format!("{table}/?after=&limit=2");
        if !subject.row.has_pages() && asked.get_as(&first, JSON).status == 400 {
            return Ok(Verdict::Refused(NO_MARKER));
        }
        let found = asked.paged(&first, "n")?;
        let expected = asked.numbers(&format!("SELECT n FROM {table} ORDER BY v"));
        if found != expected {
            return Err(format!("pages of {table} give {found:?}, the database {expected:?}"));
        }
    }
    Ok(Verdict::Right)
}

pub(super) fn composite(asked: &mut Asked<'_>, subject: &Subject) -> Tried {
    let table = format!("{}_two", subject.name);
    items_by_key(asked, &table, &table)?;
    Ok(Verdict::Right)
}

/// Documents of a collection refer to others by these values, and are found by them.
pub(super) fn reference(asked: &mut Asked<'_>, subject: &Subject) -> Tried {
    for item in super::originals(asked, subject)? {
        let Some(id) = item["v"].as_str() else { continue };
        for (path, body) in [("things", json!({ "id": id })), ("marks", json!({ "thingId": id }))] {
            let made = asked.send("POST", path, (JSON, &body.to_string()));
            if made.status != 201 {
                return Err(format!("{path} {body}: {} {}", made.status, problem(&made)));
            }
        }
        let query = percent_encode(&format!("thing.id == {id}"));
        let found = asked.get(&format!("marks?query={query}"))?;
        if found["marks"][0]["thingId"] != item["v"] {
            return Err(format!("marks of {id}: {found}"));
        }
        let kept = asked.send("DELETE", &format!("things/{id}"), (JSON, ""));
        if kept.status != 409 {
            return Err(format!("{id} is referred to: {} {}", kept.status, problem(&kept)));
        }
    }
    Ok(Verdict::Right)
}
