//! Reading: the value, in each way in which a column has it.

use serde_json::{Value, json};

use super::{Asked, Subject, Tried, id_of, originals, originals_of};
use crate::types::matrix::Verdict;

/// All columns have the same value; those of composites have it inside.
pub(super) fn read(asked: &mut Asked<'_>, subject: &Subject) -> Tried {
    // A row of NULLs is no NULL, although `IS NULL` holds of it.
    let text = if subject.is_postgres() { "v::text" } else { "v" };
    let nulls = asked.numbers(&format!("SELECT id FROM {} WHERE {text} IS NULL", subject.name));
    let items = originals(asked, subject)?;
    for item in &items {
        let value = &item["v"];
        if subject.columns().iter().any(|column| item[*column] != expected(column, value, item)) {
            return Err(format!("columns differ: {item}"));
        }
        if value.is_null() != nulls.contains(&id_of(item)) && !subject.row.is_json() {
            return Err(format!("NULL is something else: {item}"));
        }
    }
    composites(asked, subject, &items)?;
    for place in subject.places().filter(|place| place.relation != subject.name) {
        for (of_place, item) in originals_of(asked, &place.relation)?.iter().zip(&items) {
            // An expression of SQLite has no type: a decimal has its digits alone there.
            if !place.is_untyped && of_place[place.column] != item["v"] {
                return Err(format!("{}: {of_place}, not {item}", place.relation));
            }
        }
    }
    Ok(Verdict::Right)
}

/// What a column has where the first one has a value.
fn expected(column: &str, value: &Value, item: &Value) -> Value {
    let three = |value: &Value| json!([value, null, value]);
    match column {
        "v" | "d" | "w" => value.clone(),
        "c" => item["c"].clone(),
        "cd" => item["c"].clone(),
        "ca" => {
            if item["c"].is_null() {
                Value::Null
            } else {
                three(&item["c"])
            }
        }
        _ if value.is_null() => json!([null, null, null]),
        _ => three(value),
    }
}

/// A composite value is the text that the database writes.
fn composites(asked: &Asked<'_>, subject: &Subject, items: &[Value]) -> Result<(), String> {
    if !subject.columns().contains(&"c") {
        return Ok(());
    }
    let name = &subject.name;
    for item in items {
        let Some(text) = item["c"].as_str() else { return Err(format!("no text: {item}")) };
        let text = text.replace('\'', "''");
        let same = format!(
            "SELECT count(*) FROM {name} WHERE id = {} AND c::text = ('{text}'::{name}_c)::text",
            id_of(item)
        );
        if asked.numbers(&same) != [1] {
            return Err(format!("c is something else: {item}"));
        }
    }
    Ok(())
}
