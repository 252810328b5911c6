//! Writing: what is read is sent back, and is stored as before.

use serde_json::{Value, json};

use super::{Asked, Subject, Tried, as_read, differing, id_of, originals, q, with_next};
use crate::types::matrix::asked::{JSON, MERGE_PATCH, problem};

/// New rows, one by one.
pub(super) fn post(asked: &mut Asked<'_>, subject: &Subject) -> Tried {
    for item in originals(asked, subject)? {
        let body = as_read(subject, &item, id_of(&item) + 1000);
        let made = asked.send("POST", &format!("{}/", subject.name), (JSON, &body.to_string()));
        if made.status != 201 {
            return Err(format!("{} {body}: {}", made.status, problem(&made)));
        }
        if as_read(subject, &made.json(), id_of(&body)) != body {
            return Err(format!("{body} is answered {}", problem(&made)));
        }
    }
    differing(asked, subject, &subject.name, 1000)
}

/// New rows, all at once.
fn post_all(asked: &mut Asked<'_>, subject: &Subject, path: &str, shift: i64) -> Tried {
    let items = originals(asked, subject)?;
    let bodies: Vec<Value> =
        items.iter().map(|item| as_read(subject, item, id_of(item) + shift)).collect();
    let made = asked.send("POST", path, (JSON, &Value::from(bodies).to_string()));
    if made.status != 201 && made.status != 200 {
        return Err(format!("{}: {}", made.status, problem(&made)));
    }
    differing(asked, subject, &subject.name, shift)
}

pub(super) fn post_array(asked: &mut Asked<'_>, subject: &Subject) -> Tried {
    post_all(asked, subject, &format!("{}/", subject.name), 2000)
}

pub(super) fn batch(asked: &mut Asked<'_>, subject: &Subject) -> Tried {
    post_all(asked, subject, &format!("{}/_/batch", subject.name), 3000)
}

/// Gives each row of `POST` the values of the next row, and then its own again.
fn there_and_back(
    asked: &mut Asked<'_>,
    subject: &Subject,
    method: &str,
    media: &str,
    body_of: fn(&Subject, &Value, i64) -> Value,
) -> Tried {
    let items = originals(asked, subject)?;
    for (item, next) in with_next(&items) {
        for from in [next, item] {
            let id = id_of(item) + 1000;
            let body = body_of(subject, from, id);
            let path = format!("{}/{id}", subject.name);
            let changed = asked.send(method, &path, (media, &body.to_string()));
            if changed.status != 200 {
                return Err(format!("{} {body}: {}", changed.status, problem(&changed)));
            }
            let shown = changed.json();
            if body.as_object().unwrap().iter().any(|(name, value)| shown[name] != *value) {
                return Err(format!("{body} is answered {shown}"));
            }
        }
    }
    differing(asked, subject, &subject.name, 1000)
}

pub(super) fn put(asked: &mut Asked<'_>, subject: &Subject) -> Tried {
    there_and_back(asked, subject, "PUT", JSON, as_read)
}

pub(super) fn patch(asked: &mut Asked<'_>, subject: &Subject) -> Tried {
    there_and_back(asked, subject, "PATCH", MERGE_PATCH, as_read)
}

/// A patch of one member leaves the others; NULL first, so that no value is merged into another one.
pub(super) fn patch_one(asked: &mut Asked<'_>, subject: &Subject) -> Tried {
    let of_posted =
        format!("{}/?{}", subject.name, q(&json!({ "id": { "$between": [1001, 1999] } })));
    let nothing = json!({ "v": null });
    let patched = asked.send("PATCH", &of_posted, (MERGE_PATCH, &nothing.to_string()));
    if patched.status != 200 {
        return Err(format!("{nothing}: {} {}", patched.status, problem(&patched)));
    }
    there_and_back(asked, subject, "PATCH", MERGE_PATCH, |_, item, _| json!({ "v": item["v"] }))
}

/// Loads what a stream of the table gives into another one.
fn load(asked: &mut Asked<'_>, subject: &Subject, media: &str, target: &str) -> Tried {
    let of_table = format!("{}/?{}", subject.name, q(&json!({ "id": { "$lt": 1000 } })));
    let stream = asked.get_as(&of_table, media);
    if stream.status != 200 {
        return Err(format!("{media}: {} {}", stream.status, problem(&stream)));
    }
    let text = stream.text().to_owned();
    let target = format!("{}_{target}", subject.name);
    let loaded = asked.send("POST", &format!("{target}/batchload"), (media, &text));
    if loaded.status != 200 || !loaded.text().contains("SUCCESS: Processed without errors") {
        return Err(format!("{} {text}: {}", loaded.status, problem(&loaded)));
    }
    differing(asked, subject, &target, 0)
}

pub(super) fn load_csv(asked: &mut Asked<'_>, subject: &Subject) -> Tried {
    load(asked, subject, "text/csv", "csv")
}

pub(super) fn load_lines(asked: &mut Asked<'_>, subject: &Subject) -> Tried {
    load(asked, subject, "application/x-ndjson", "lines")
}
