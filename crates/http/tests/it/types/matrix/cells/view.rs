//! Duality views: values are members of documents, nested keys and keys of documents.

use serde_json::{Value, json};

use super::key::{items_by_key, without_links};
use super::{Asked, Subject, Tried, as_read, differing, id_of, originals, with_next};
use crate::types::matrix::Verdict;
use crate::types::matrix::asked::{JSON, MERGE_PATCH, problem};

/// All columns as members, and one that is generated from a column; documents are made, replaced and patched.
pub(super) fn member(asked: &mut Asked<'_>, subject: &Subject) -> Tried {
    let view = format!("{}_dv", subject.name);
    if let Some(code) = asked.refused_view(subject)? {
        return Ok(Verdict::Refused(code));
    }
    let items = originals(asked, subject)?;
    for (item, next) in with_next(&items) {
        let path = format!("{view}/{}", id_of(item));
        let document = asked.get(&path)?;
        if as_read(subject, &document, id_of(item)) != as_read(subject, item, id_of(item))
            || document["g"] != item["v"]
        {
            return Err(format!("{path} is {document}, the row {item}"));
        }
        let new = document_of(subject, item, id_of(item) + 5000);
        let other = document_of(subject, next, id_of(item) + 5000);
        let made = format!("{view}/{}", id_of(item) + 5000);
        for (method, path, media, body, status) in [
            ("PUT", &path, JSON, &document, 200),
            ("POST", &format!("{view}/"), JSON, &new, 201),
            ("PUT", &made, JSON, &other, 200),
            ("PATCH", &made, MERGE_PATCH, &new, 200),
        ] {
            let answer = asked.send(method, path, (media, &body.to_string()));
            if answer.status != status {
                return Err(format!(
                    "{method} {path} {body}: {} {}",
                    answer.status,
                    problem(&answer)
                ));
            }
            let shown = answer.json();
            if subject.columns().iter().any(|column| shown[*column] != body[*column]) {
                return Err(format!("{method} {path} {body} is answered {shown}"));
            }
        }
    }
    differing(asked, subject, &subject.name, 5000)
}

/// The document of a row with another id.
fn document_of(subject: &Subject, item: &Value, id: i64) -> Value {
    let mut document = as_read(subject, item, id);
    document.as_object_mut().unwrap().remove("id");
    document["_id"] = id.into();
    document
}

/// The rows of an array are found by their keys: the document is put back as it was read, with other values in each row,
/// without a row, and with it again.
pub(super) fn nested_key(asked: &mut Asked<'_>, subject: &Subject) -> Tried {
    let (path, table) = (format!("{}_nest/1", subject.name), format!("{}_sub", subject.name));
    let document = without_links(&asked.get(&path)?);
    let shown = super::super::asked::numbers(&document["rows"], "n");
    let sorted = asked.numbers(&format!("SELECT n FROM {table} ORDER BY v"));
    if shown != sorted {
        return Err(format!("{path} has the rows {shown:?}, the database {sorted:?}"));
    }
    let rows = document["rows"].as_array().cloned().unwrap_or_default();
    let renumbered =
        rows.iter().map(|row| json!({ "v": row["v"], "n": row["n"].as_i64().unwrap() + 100 }));
    let renumbered: Vec<Value> = renumbered.collect();
    let exact = asked.exact("v");
    let stored =
        |asked: &Asked<'_>| asked.rows(&format!("SELECT {exact}, n FROM {table} ORDER BY 1"));
    let before = stored(asked);
    for (rows, more) in [(&rows[..], 0), (&renumbered[..], 100), (&rows[1..], 0), (&rows[..], 0)] {
        let body = json!({ "_id": 1, "rows": rows });
        let put = asked.send("PUT", &path, (JSON, &body.to_string()));
        if put.status != 200 || put.json()["rows"] != body["rows"] {
            return Err(format!("{path} {body}: {} {}", put.status, problem(&put)));
        }
        let sum: i64 = asked.numbers(&format!("SELECT n FROM {table}")).iter().sum();
        let wanted: i64 = rows.iter().filter_map(|row| row["n"].as_i64()).sum();
        if sum != wanted {
            return Err(format!("{path} {body} (+{more}): the table has {:?}", stored(asked)));
        }
    }
    let after = stored(asked);
    if before == after { Ok(Verdict::Right) } else { Err(format!("{before:?} became {after:?}")) }
}

pub(super) fn root_key(asked: &mut Asked<'_>, subject: &Subject) -> Tried {
    items_by_key(asked, &format!("{}_root", subject.name), &format!("{}_key", subject.name))?;
    Ok(Verdict::Right)
}
