//! Arguments and results of functions, parameters and rows of services.

use serde_json::{Value, json};

use super::{Asked, Subject, Tried, id_of, originals};
use crate::support::percent_encode;
use crate::types::matrix::Verdict;
use crate::types::matrix::asked::{JSON, numbers, problem};

/// A function that returns what it is given.
pub(super) fn function(asked: &mut Asked<'_>, subject: &Subject) -> Tried {
    for item in originals(asked, subject)? {
        let body = json!({ "given": item["v"] }).to_string();
        let called = asked.send("POST", &format!("{}_f", subject.name), (JSON, &body));
        if called.status != 200 {
            return Err(format!("{body}: {} {}", called.status, problem(&called)));
        }
        if subject.row.is_composite() {
            same_attributes(asked, subject, &item, &called.json())?;
        } else if !is_same(&called.json()["~ret"], &item["v"]) {
            return Err(format!("{body} returns {}", called.text()));
        }
    }
    Ok(Verdict::Right)
}

/// Arguments and results have no scale: 0.00 is 0 there.
fn is_same(returned: &Value, given: &Value) -> bool {
    match (returned.as_f64(), given.as_f64()) {
        (Some(returned), Some(given)) => returned.to_bits() == given.to_bits(),
        _ => returned == given,
    }
}

/// A row is an object with a member for each of its attributes.
fn same_attributes(
    asked: &Asked<'_>,
    subject: &Subject,
    item: &Value,
    returned: &Value,
) -> Result<(), String> {
    let row = format!(
        "SELECT coalesce(row_to_json(v)::text, '{{}}') FROM {} WHERE id = {}",
        subject.name,
        id_of(item)
    );
    let expected: Value = serde_json::from_str(&asked.rows(&row)[0][0]).unwrap();
    let members = expected.as_object().unwrap();
    match members.iter().all(|(name, value)| returned[name] == *value) {
        true => Ok(()),
        false => Err(format!("{item} returns {returned}, not {expected}")),
    }
}

/// A service that gives the rows whose value is the parameter, by a query and by a body.
pub(super) fn service(asked: &mut Asked<'_>, subject: &Subject) -> Tried {
    for item in originals(asked, subject)? {
        let wanted = asked.numbers(&subject.same_rows(id_of(&item)));
        let value = &item["v"];
        let text = match value {
            Value::String(text) if !subject.row.is_json() => text.clone(),
            other => other.to_string(),
        };
        let given = if value.is_null() {
            String::new()
        } else {
            format!("?given={}", percent_encode(&text))
        };
        let by_query = asked.get(&format!("{}_s{given}", subject.name))?["items"].clone();
        let body = json!({ "given": value }).to_string();
        let answer = asked.send("POST", &format!("{}_p", subject.name), (JSON, &body));
        if answer.status != 200 {
            return Err(format!("{body}: {} {}", answer.status, problem(&answer)));
        }
        for rows in [&by_query, &answer.json()["items"]] {
            let shown = rows.as_array().into_iter().flatten();
            let others: Vec<&Value> = shown.filter(|row| row["v"] != *value).collect();
            if numbers(rows, "id") != wanted || !others.is_empty() {
                return Err(format!("{text} gives {rows}, the database {wanted:?}"));
            }
        }
    }
    Ok(Verdict::Right)
}
