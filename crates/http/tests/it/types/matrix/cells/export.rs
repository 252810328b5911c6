//! Streams: their values are those of pages.

use serde_json::{Value, json};

use super::{Asked, Subject, Tried, originals_of, q};
use crate::types::matrix::Verdict;
use crate::types::matrix::asked::problem;

/// The text of a stream of what was made by SQL.
fn stream(asked: &mut Asked<'_>, relation: &str, media: &str) -> Result<String, String> {
    let filter = q(&json!({ "id": { "$lt": 1000 } }));
    let stream = asked.get_as(&format!("{relation}/?{filter}"), media);
    match stream.status {
        200 => Ok(stream.text().to_owned()),
        status => Err(format!("{relation} as {media}: {status} {}", problem(&stream))),
    }
}

pub(super) fn lines(asked: &mut Asked<'_>, subject: &Subject) -> Tried {
    for relation in subject.relations() {
        let text = stream(asked, &relation, "application/x-ndjson")?;
        let lines: Vec<Value> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let mut items = originals_of(asked, &relation)?;
        items.iter_mut().for_each(|item| drop(item.as_object_mut().unwrap().remove("links")));
        if lines != items {
            return Err(format!("{relation}: {text} is not {items:?}"));
        }
    }
    Ok(Verdict::Right)
}

/// A cell has the text of a string without its quotes, and the JSON of anything else.
pub(super) fn csv(asked: &mut Asked<'_>, subject: &Subject) -> Tried {
    for relation in subject.relations() {
        let text = stream(asked, &relation, "text/csv")?;
        let mut rows = rows_of(&text).into_iter();
        let names = rows.next().unwrap_or_default();
        let items = originals_of(asked, &relation)?;
        let of_item = |item: &Value| {
            let cell = |name: &String| cell(subject, name, &item[name]).map(plain);
            names.iter().flatten().map(cell).collect()
        };
        let expected: Vec<Vec<Option<String>>> = items.iter().map(of_item).collect();
        // A stored null of JSON is one in CSV, and NULL in pages.
        let is_value = |cell: &String| !(subject.row.is_json() && cell == "null");
        let of_row = |row: Vec<Option<String>>| {
            row.into_iter().map(|cell| cell.filter(is_value).map(plain)).collect()
        };
        let found: Vec<Vec<Option<String>>> = rows.map(of_row).collect();
        if found != expected {
            return Err(format!("{relation}: {found:?} is not {expected:?}"));
        }
    }
    Ok(Verdict::Right)
}

/// The library that reads JSON prints other exponents.
fn plain(text: String) -> String {
    text.replace("e+", "e")
}

fn cell(subject: &Subject, name: &str, value: &Value) -> Option<String> {
    let is_expression = name == "e" && !subject.is_postgres();
    let is_json = subject.row.is_json() && matches!(name, "v" | "d" | "e" | "g") && !is_expression;
    match value {
        Value::Null => None,
        Value::String(text) if !is_json => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

/// The cells of CSV (RFC 4180), read without code of ours; an empty one without quotes is nothing.
fn rows_of(text: &str) -> Vec<Vec<Option<String>>> {
    let (mut rows, mut row, mut cell) = (Vec::new(), Vec::new(), None::<String>);
    let mut chars = text.chars().peekable();
    let mut within = false;
    while let Some(char) = chars.next() {
        match char {
            '"' if within && chars.next_if_eq(&'"').is_some() => {
                cell.get_or_insert_default().push('"');
            }
            '"' => {
                within = !within;
                cell.get_or_insert_default();
            }
            ',' if !within => row.push(cell.take()),
            '\r' if !within => {}
            '\n' if !within => {
                row.push(cell.take());
                rows.push(std::mem::take(&mut row));
            }
            char => cell.get_or_insert_default().push(char),
        }
    }
    rows
}
