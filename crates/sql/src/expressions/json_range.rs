//! Tests of values inside JSON that an index of `json_extract` can narrow.
//!
//! For a value that satisfies the test, `json_extract` gives something in one of the ranges, the text of
//! an array in which the value is, or NULL where an array is on the way. All three are parts of one
//! index, and the found rows are tested as always.

use crate::parts::affixes::Affixes;
use duet_model::{ColumnRef, Compare, JsonScalar, JsonTest, Shape, Type, Value};

use super::form::in_form;
use crate::parts::spellings;
use crate::writer::Writer;

/// Both ends of a range, which belong to it; `None` is open.
type Range = (Option<Value>, Option<Value>);

/// Integers up to this value are exact as floats.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// How far two readings of one decimal number can be from each other.
const SLACK: f64 = 1e-12;

/// How many values of a list are looked for one by one.
const LISTED: usize = 16;

/// What `json_extract` may give of values that satisfy a test; `None` where that is nearly anything.
pub fn json_ranges(test: &JsonTest) -> Option<Vec<(Option<Value>, Option<Value>)>> {
    match test {
        JsonTest::Compare(Compare::Eq, operand) => {
            Some(vec![between(Some(operand), Some(operand))?])
        }
        JsonTest::Compare(Compare::Gt | Compare::Gte, low) => Some(vec![between(Some(low), None)?]),
        JsonTest::Compare(Compare::Lt | Compare::Lte, high) => {
            Some(vec![between(None, Some(high))?])
        }
        JsonTest::Between(low, high) => Some(vec![between(low.as_ref(), high.as_ref())?]),
        JsonTest::In(operands) if (1..=LISTED).contains(&operands.len()) => {
            operands.iter().map(|operand| between(Some(operand), Some(operand))).collect()
        }
        JsonTest::Like(pattern) => {
            let low = spellings::literal_prefix(pattern);
            let high = spellings::successor(&low).filter(|_| !low.is_empty())?;
            Some(vec![(Some(Value::Text(low)), Some(Value::Text(high)))])
        }
        _ => None,
    }
}

fn between(low: Option<&JsonScalar>, high: Option<&JsonScalar>) -> Option<Range> {
    Some(match (low, high) {
        (Some(JsonScalar::Text(low)), Some(JsonScalar::Text(high))) => {
            (Some(Value::Text(low.clone())), Some(Value::Text(high.clone())))
        }
        (Some(JsonScalar::Text(low)), None) => (Some(Value::Text(low.clone())), None),
        // Every number is before every text.
        (None, Some(JsonScalar::Text(high))) => {
            (Some(Value::Text(String::new())), Some(Value::Text(high.clone())))
        }
        (Some(JsonScalar::Bool(value)), Some(JsonScalar::Bool(_))) => {
            let number = Value::Int(i64::from(*value));
            (Some(number.clone()), Some(number))
        }
        (Some(JsonScalar::Number(low)), Some(JsonScalar::Number(high))) => {
            (Some(end(low, -SLACK)?), Some(end(high, SLACK)?))
        }
        (Some(JsonScalar::Number(low)), None) => {
            (Some(end(low, -SLACK)?), Some(Value::Text(String::new())))
        }
        (None, Some(JsonScalar::Number(high))) => (None, Some(end(high, SLACK)?)),
        _ => return None,
    })
}

/// A number, widened slightly unless it is an exact integer.
fn end(number: &str, slack: f64) -> Option<Value> {
    let number: f64 = number.parse().ok().filter(|number: &f64| number.is_finite())?;
    let is_exact = number.fract() == 0.0 && number.abs() < EXACT;
    let moved = if is_exact { number } else { number + number.abs() * slack };
    moved.is_finite().then_some(Value::Float(moved))
}

/// Writes the condition that narrows a test on a column, with `AND` behind it; nothing where no index
/// of the column helps.
pub(crate) fn narrow(
    writer: &mut Writer<'_>,
    shape: &Shape,
    column: ColumnRef,
    path: &[String],
    test: &JsonTest,
) {
    if !writer.dialect.extracts_json() {
        return;
    }
    let table = &shape.nodes[column.node].table;
    let Some((_, literal)) = table.json_value_of(column.column, path) else { return };
    let Some(ranges) = json_ranges(test) else { return };
    let extract = |writer: &mut Writer<'_>, after: &'static str| {
        in_form(writer, shape, column, Affixes::new("json_extract(", ", "));
        writer.quoted(literal);
        writer.text(")");
        writer.text(after);
    };
    writer.text("(");
    for (low, high) in ranges {
        writer.text("(");
        let given = [(low, " >= "), (high, " <= ")];
        let given = given.into_iter().filter_map(|(end, op)| end.map(|end| (end, op)));
        writer.list(given, " AND ", |writer, (end, op)| {
            extract(writer, op);
            let ty =
                if matches!(end, Value::Text(_)) { Type::Text } else { Type::Float { bits: 64 } };
            writer.bind(end, &ty, "");
        });
        writer.text(") OR ");
    }
    // Arrays are text; the backslash sorts directly after their bracket.
    writer.text("(");
    extract(writer, " >= '[' AND ");
    extract(writer, " < '\\') OR ");
    extract(writer, " IS NULL) AND ");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widens_ranges_of_inexact_numbers() {
        let eq = |number: &str| {
            json_ranges(&JsonTest::Compare(Compare::Eq, JsonScalar::Number(number.to_owned())))
        };
        let exact = Value::Float(12.0);
        assert_eq!(eq("1.2e1"), Some(vec![(Some(exact.clone()), Some(exact))]));
        for number in ["0.1", "-0.1", "9007199254740993", "1e300"] {
            let ranges = eq(number).unwrap();
            let [(Some(Value::Float(low)), Some(Value::Float(high)))] = ranges[..] else {
                panic!()
            };
            let number: f64 = number.parse().unwrap();
            assert!(low < number && number < high);
        }
        assert_eq!(eq("1e999"), None);
    }

    #[test]
    fn prefix_patterns_become_ranges() {
        let like = |pattern: &str| json_ranges(&JsonTest::Like(pattern.to_owned()));
        let text = |text: &str| Some(Value::Text(text.to_owned()));
        assert_eq!(like("ab%"), Some(vec![(text("ab"), text("ac"))]));
        assert_eq!(like("%ab"), None);
        assert_eq!(json_ranges(&JsonTest::Exists), None);
        assert_eq!(json_ranges(&JsonTest::Compare(Compare::Ne, JsonScalar::Bool(true))), None);
    }
}
