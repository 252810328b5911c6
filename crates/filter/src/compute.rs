//! What operators and functions give, by brute force: what databases compute for generated fields is
//! compared with it.
//!
//! Numbers are calculated as decimals, as in the stores.

use duet_model::{Arithmetic, JOINED, PairKind, Point, Value, pair_value};
use duet_text::arithmetic::{self, NumberOperator, NumberRules, StoredNumber};
use duet_text::effort::Effort;
use duet_text::relevance::Relevance;
use duet_text::substring::substring;
use duet_text::{Fold, JsonStep};

/// The result of an operator; `None` for NULL, and without a result.
pub(crate) fn arithmetic(operator: Arithmetic, left: &Value, right: &Value) -> Option<Value> {
    let (one, other) = (number(left)?, number(right)?);
    let whole = |value: &Value| matches!(value, Value::Int(_));
    let rules = match whole(left) && whole(right) {
        true => NumberRules::Whole,
        false => NumberRules::Decimal,
    };
    let operator = match operator {
        Arithmetic::Add => NumberOperator::Add,
        Arithmetic::Subtract => NumberOperator::Subtract,
        Arithmetic::Multiply => NumberOperator::Multiply,
        Arithmetic::Divide => return arithmetic::divide(one, other).ok()?.map(decimal),
        Arithmetic::Concat => return None,
    };
    arithmetic::calculate(operator, rules, one, other).ok().map(decimal)
}

fn number(value: &Value) -> Option<StoredNumber> {
    match value {
        Value::Null => None,
        Value::Int(whole) => Some(StoredNumber::Whole(*whole)),
        other => other.to_string().parse().ok().map(StoredNumber::Real),
    }
}

fn decimal(number: StoredNumber) -> Value {
    match number {
        StoredNumber::Whole(whole) => Value::Int(whole),
        StoredNumber::Real(real) => Value::Text(real.to_string()),
    }
}

/// The text of the only value that steps inside a JSON text lead to.
fn json_value(stored: &str, steps: &[JsonStep]) -> Value {
    let found = crate::json::text_along(stored, steps, &Effort::unlimited());
    found.ok().flatten().map_or(Value::Null, Value::Text)
}

/// What steps inside a JSON text lead to, as a function has it.
fn along(name: &str, stored: &str, steps: &[JsonStep]) -> Value {
    if name == "json_value" {
        return json_value(stored, steps);
    }
    let as_text = name == "json_inside_text";
    let found = crate::json::inside_along(stored, steps, as_text, &Effort::unlimited());
    found.ok().flatten().map_or(Value::Null, Value::Text)
}

/// The result of a function; NULL without a result.
pub(crate) fn function(name: &str, arguments: &[Value]) -> Value {
    let text = |at: usize| arguments.get(at).filter(|it| !it.is_null()).map(Value::to_string);
    let whole = |at: usize| match arguments.get(at) {
        Some(Value::Int(value)) => Some(*value),
        _ => None,
    };
    let of_text = |change: &dyn Fn(&str) -> String| {
        text(0).map_or(Value::Null, |text| Value::Text(change(&text)))
    };
    if let Some(fold) = Fold::named(name) {
        return of_text(&|text| fold.apply(text));
    }
    if let Some(value) = of_two(name, text(0).as_deref(), text(1).as_deref()) {
        return value;
    }
    match name {
        "number" => {
            let number = text(0).filter(|text| crate::json::is_number(text));
            number.map_or(Value::Null, Value::Text)
        }
        "json_value" | "json_inside" | "json_inside_text" => {
            let steps = text(1).and_then(|steps| JsonStep::decode(&steps));
            let found = text(0).zip(steps);
            found.map_or(Value::Null, |(stored, steps)| along(name, &stored, &steps))
        }
        "moment" => {
            let key = text(0).and_then(|text| duet_text::time::moment::instant_key(&text));
            key.map_or(Value::Null, Value::Text)
        }
        "lower" => of_text(&str::to_lowercase),
        "upper" => of_text(&str::to_uppercase),
        "trim" => of_text(&|text| text.trim_matches(' ').to_owned()),
        "length" => text(0).map_or(Value::Null, |text| {
            i64::try_from(text.chars().count()).map_or(Value::Null, Value::Int)
        }),
        "coalesce" => arguments.iter().find(|it| !it.is_null()).cloned().unwrap_or(Value::Null),
        "nullif" => match arguments {
            [a, b] if !a.is_null() && a.to_string() == b.to_string() => Value::Null,
            [a, ..] => a.clone(),
            [] => Value::Null,
        },
        "abs" => {
            let number = arguments.first().and_then(number);
            let absolute = number.and_then(|number| arithmetic::absolute(number).ok());
            absolute.map_or(Value::Null, decimal)
        }
        "round" => {
            let digits = i32::try_from(whole(1).unwrap_or(0)).unwrap_or(0);
            let number = arguments.first().and_then(number);
            number.map_or(Value::Null, |number| decimal(arithmetic::round_to(number, digits)))
        }
        "replace" => match (text(0), text(1), text(2)) {
            (Some(text), Some(from), Some(to)) if !from.is_empty() => {
                Value::Text(text.replace(&from, &to))
            }
            (Some(text), Some(_), Some(_)) => Value::Text(text),
            _ => Value::Null,
        },
        "substr" => match (text(0), whole(1), whole(2)) {
            (Some(text), Some(from), length) if arguments.len() == 2 || length.is_some() => {
                let position = |number: i64| i32::try_from(number).unwrap_or(i32::MAX);
                let part = substring(&text, position(from), length.map(position));
                part.map_or(Value::Null, |part| Value::Text(part.to_owned()))
            }
            _ => Value::Null,
        },
        _ => Value::Null,
    }
}

/// The result of a function that compares two texts, or makes one value of them; `None` for other functions.
fn of_two(name: &str, one: Option<&str>, other: Option<&str>) -> Option<Value> {
    let point = |text: Option<&str>| Point::parse(text?);
    let value = match (name, one, other) {
        ("distance", Some(one), Some(other)) => {
            Value::Float(f64::from(duet_text::trigram::distance(one, other)))
        }
        ("relevance", Some(text), Some(words)) => {
            Value::Float(f64::from(Relevance::new(words).rank(text)))
        }
        ("point_distance", ..) => match (point(one), point(other)) {
            (Some(one), Some(other)) => Value::Float(one.distance(other)),
            _ => Value::Null,
        },
        (JOINED, Some(stored), Some(paths)) => {
            let joined = crate::json::joined(stored, paths, &Effort::unlimited());
            joined.ok().flatten().map_or(Value::Null, Value::Text)
        }
        ("distance" | "relevance" | JOINED, ..) => Value::Null,
        _ => {
            let kind = PairKind::of_function(name)?;
            let value = pair_value(kind, one, other);
            value.map_or(Value::Null, Value::Text)
        }
    };
    Some(value)
}
