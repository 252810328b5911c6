//! Comparing: filters, orders and groups select and sort as the database does.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Asked, FILTER_OPERAND, Subject, Tried, UNSUPPORTED, id_of, originals_of};
use crate::support::percent_encode;
use crate::types::matrix::Verdict;
use crate::types::matrix::asked::{numbers, q};
use crate::types::matrix::subject::Place;
use crate::types::matrix::types::Compares;

/// The ids of the rows of which an operator holds for the value of each row, by the database.
type Holds = BTreeMap<(String, i64), Vec<i64>>;

/// An operator of `q`, the condition of SQL that it is on the values `x` and `y`, and what they must compare by.
type Operator = (&'static str, &'static str, Compares);

const EQUAL: [Operator; 3] = [
    ("$eq", "x = y", Compares::Equality),
    // Not every type with an equality has `<>`.
    ("$ne", "NOT (x = y)", Compares::Equality),
    ("$in", "x = y", Compares::Equality),
];

const LESS: [Operator; 5] = [
    ("$lt", "x < y", Compares::Order),
    ("$lte", "x <= y", Compares::Order),
    ("$gt", "x > y", Compares::Order),
    ("$gte", "x >= y", Compares::Order),
    ("$between", "x = y", Compares::Order),
];

fn by_oracle(asked: &Asked<'_>, place: &Place, conditions: &[&str]) -> Holds {
    let Place { relation, column, .. } = place;
    let of_condition = |condition: &&str| {
        let on =
            condition.replace('x', &format!("a.{column}")).replace('y', &format!("b.{column}"));
        format!(
            "SELECT '{condition}', b.id, a.id FROM {relation} b, {relation} a
              WHERE a.id < 1000 AND b.id < 1000 AND {on}"
        )
    };
    let queries: Vec<String> = conditions.iter().map(of_condition).collect();
    let mut found = Holds::new();
    if queries.is_empty() {
        return found;
    }
    for row in asked.rows(&format!("{} ORDER BY 1, 2, 3", queries.join(" UNION "))) {
        let key = (row[0].clone(), row[1].parse().unwrap());
        found.entry(key).or_default().push(row[2].parse().unwrap());
    }
    found
}

/// The items whose values can be sent as operands.
fn operands(asked: &mut Asked<'_>, place: &Place) -> Result<Vec<Value>, String> {
    let mut items = originals_of(asked, &place.relation)?;
    if place.is_untyped {
        // Bytes and infinities are shown as texts, and a text is compared as that.
        let Place { relation, column, .. } = place;
        let shown_so = asked.numbers(&format!(
            "SELECT id FROM {relation} WHERE typeof({column}) = 'blob' OR typeof({column}) = 'real' AND abs({column}) = 9e999"
        ));
        items.retain(|item| !shown_so.contains(&id_of(item)));
    }
    items.retain(|item| !item[place.column].is_null());
    Ok(items)
}

/// Compares what filters select with what the database does.
fn filters(asked: &mut Asked<'_>, subject: &Subject, operators: &[Operator]) -> Tried {
    let mut verdict = Verdict::Right;
    for place in subject.places() {
        let compares = if place.is_untyped { Compares::Order } else { subject.row.filtered() };
        let taken = operators.iter().filter(|operator| operator.2 <= compares);
        let conditions: Vec<&str> = taken.map(|operator| operator.1).collect();
        let expected = by_oracle(asked, &place, &conditions);
        let items = operands(asked, &place)?;
        // In other places than the table's own column the same plans are made.
        let few = if place.is_first { operators.len() } else { 1 };
        for (operator, condition, needed) in &operators[..few] {
            for item in &items {
                let filter = filter(&place, operator, &item[place.column]);
                match asked.selected(&place.relation, &q(&filter))? {
                    Err(code) if *needed > compares => verdict = Verdict::Refused(known(&code)),
                    Err(code) => return Err(format!("{filter} is refused: {code}")),
                    Ok(_) if *needed > compares => return Err(format!("{filter} is not refused")),
                    Ok(found) => {
                        let wanted = held(&expected, condition, id_of(item));
                        if found != wanted {
                            return Err(format!(
                                "{}: {filter} selects {found:?}, the database {wanted:?}",
                                place.relation
                            ));
                        }
                    }
                }
            }
        }
    }
    Ok(verdict)
}

fn filter(place: &Place, operator: &str, value: &Value) -> Value {
    let operand = match operator {
        "$in" => json!([value]),
        "$between" => json!([value, value]),
        _ => value.clone(),
    };
    json!({ "id": { "$lt": 1000 }, (place.column): { (operator): operand }, "$orderby": { "id": 1 } })
}

fn held(expected: &Holds, condition: &str, id: i64) -> Vec<i64> {
    expected.get(&(condition.to_owned(), id)).cloned().unwrap_or_default()
}

/// The code as the table has it.
fn known(code: &str) -> &'static str {
    [FILTER_OPERAND, UNSUPPORTED].into_iter().find(|known| *known == code).unwrap_or("another code")
}

pub(super) fn equal(asked: &mut Asked<'_>, subject: &Subject) -> Tried {
    filters(asked, subject, &EQUAL)
}

pub(super) fn less(asked: &mut Asked<'_>, subject: &Subject) -> Tried {
    filters(asked, subject, &LESS)
}

/// Pages by the marker in both directions.
pub(super) fn order(asked: &mut Asked<'_>, subject: &Subject) -> Tried {
    let mut verdict = Verdict::Right;
    for place in subject.places() {
        let Place { relation, column, .. } = &place;
        let is_refused = !place.is_untyped && subject.row.compares < Compares::Order;
        for direction in ["ASC", "DESC"] {
            let filter = json!({ "id": { "$lt": 1000 }, "$orderby": { (*column): direction } });
            match asked.selected(relation, &q(&filter))? {
                Err(code) if is_refused => {
                    verdict = Verdict::Refused(known(&code));
                    continue;
                }
                Err(code) => return Err(format!("{relation}: {filter} is refused: {code}")),
                Ok(_) if is_refused => return Err(format!("{filter} is not refused")),
                Ok(_) => {}
            }
            let first = format!("{relation}/?after=&limit=2&{}", q(&filter));
            let found = asked.paged(&first, "id")?;
            let expected = asked.numbers(&format!(
                "SELECT id FROM {relation} WHERE id < 1000 ORDER BY {column} {direction} NULLS LAST, id"
            ));
            if found != expected {
                return Err(format!(
                    "{relation}: {filter} gives {found:?}, the database {expected:?}"
                ));
            }
        }
    }
    Ok(verdict)
}

/// The term of CQL that is a text, with nothing masked.
fn term(text: &str) -> String {
    let mut term = String::from("\"");
    for char in text.chars() {
        if matches!(char, '"' | '\\' | '*' | '?' | '^') {
            term.push('\\');
        }
        term.push(char);
    }
    term.push('"');
    term
}

/// `==`; texts compare exactly by `/respectCase/respectAccents`, and without it as the database compares them in lower
/// case.
pub(super) fn cql(asked: &mut Asked<'_>, subject: &Subject) -> Tried {
    let mut refused = None;
    for place in subject.places().filter(|place| !place.is_untyped) {
        let relations: &[(&str, &str)] = match subject.row.is_text() {
            true => &[("==/respectCase/respectAccents", "x = y"), ("==", "lower(x) = lower(y)")],
            false => &[("==", "x = y")],
        };
        let can_compare = subject.row.filtered() >= Compares::Equality;
        for (relation, condition) in relations {
            let compared: &[&str] = if can_compare { &[*condition] } else { &[] };
            let expected = by_oracle(asked, &place, compared);
            for item in operands(asked, &place)? {
                let text = match &item[place.column] {
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                };
                let query =
                    format!("id < 1000 and {} {relation} {} sortBy id", place.column, term(&text));
                match asked
                    .selected(&place.relation, &format!("query={}", percent_encode(&query)))?
                {
                    Err(code) => refused = Some(known(&code)),
                    Ok(found) => {
                        let wanted = held(&expected, condition, id_of(&item));
                        if found != wanted {
                            return Err(format!(
                                "{query} selects {found:?}, the database {wanted:?}"
                            ));
                        }
                    }
                }
            }
        }
    }
    Ok(refused.map_or(Verdict::Right, Verdict::Refused))
}

/// A group for each value, with the number of its rows.
pub(super) fn group(asked: &mut Asked<'_>, subject: &Subject) -> Tried {
    let mut refused = None;
    for place in subject.places() {
        let Place { relation, column, .. } = &place;
        let by = json!({ "by": { "it": column }, "n": { "$count": "*" } });
        let filter = json!({ "id": { "$lt": 1000 }, "$group": by });
        let response = match asked.list(relation, &q(&filter))? {
            Err(code) => {
                refused = Some(known(&code));
                continue;
            }
            Ok(groups) => groups,
        };
        let grouped = asked.rows(&format!(
            "SELECT id, count(*) OVER (PARTITION BY {column}) FROM {relation} WHERE id < 1000 ORDER BY id"
        ));
        let mut sizes = numbers(&response, "n");
        let items = originals_of(asked, relation)?;
        for group in response.as_array().into_iter().flatten() {
            let of_value = items.iter().find(|item| item[*column] == group["it"]);
            let Some(item) = of_value else { return Err(format!("no row has the key of {group}")) };
            let wanted = grouped.iter().find(|row| row[0] == id_of(item).to_string());
            if wanted.map(|row| row[1].clone()) != Some(group["n"].to_string()) {
                return Err(format!("{relation}: {group}, the database {grouped:?}"));
            }
        }
        let all = i64::try_from(grouped.len()).unwrap();
        if sizes.drain(..).sum::<i64>() != all {
            return Err(format!("{relation}: {response} has not {all} rows"));
        }
    }
    Ok(refused.map_or(Verdict::Right, Verdict::Refused))
}
