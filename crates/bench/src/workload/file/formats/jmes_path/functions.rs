//! The functions of JMESPath.

use std::cmp::Ordering;

use jmespath::ast::Ast;
use serde_json::{Map, Number, Value};

use super::{WrongType, eval, order, written};

/// How many values a function takes.
#[derive(Clone, Copy)]
enum Takes {
    Exactly(usize),
    OneOrMore,
}

use Takes::{Exactly, OneOrMore};

/// All functions.
const FUNCTIONS: [(&str, Takes); 26] = [
    ("abs", Exactly(1)),
    ("avg", Exactly(1)),
    ("ceil", Exactly(1)),
    ("contains", Exactly(2)),
    ("ends_with", Exactly(2)),
    ("floor", Exactly(1)),
    ("join", Exactly(2)),
    ("keys", Exactly(1)),
    ("length", Exactly(1)),
    ("map", Exactly(2)),
    ("max", Exactly(1)),
    ("max_by", Exactly(2)),
    ("merge", OneOrMore),
    ("min", Exactly(1)),
    ("min_by", Exactly(2)),
    ("not_null", OneOrMore),
    ("reverse", Exactly(1)),
    ("sort", Exactly(1)),
    ("sort_by", Exactly(2)),
    ("starts_with", Exactly(2)),
    ("sum", Exactly(1)),
    ("to_array", Exactly(1)),
    ("to_number", Exactly(1)),
    ("to_string", Exactly(1)),
    ("type", Exactly(1)),
    ("values", Exactly(1)),
];

/// # Errors
/// For a function that there is not, and for another number of values.
pub(super) fn known(name: &str, args: &[Ast]) -> Result<(), String> {
    let Some((_, takes)) = FUNCTIONS.iter().find(|(known, _)| *known == name) else {
        return Err(format!("there is no function {name}"));
    };
    let fits = match takes {
        Exactly(count) => args.len() == *count,
        OneOrMore => !args.is_empty(),
    };
    let reference = match name {
        "map" => Some(0),
        "max_by" | "min_by" | "sort_by" => Some(1),
        _ => None,
    };
    let is_reference =
        |(at, arg): (usize, &Ast)| matches!(arg, Ast::Expref { .. }) == (Some(at) == reference);
    match fits && args.iter().enumerate().all(is_reference) {
        true => Ok(()),
        false => Err(format!("{name} takes other values")),
    }
}

/// Calls a function.
///
/// # Errors
/// Where it does not take its values.
pub(super) fn call(name: &str, args: &[Ast], input: &Value) -> Result<Value, WrongType> {
    match (name, args) {
        ("map", [Ast::Expref { ast, .. }, of]) => {
            let of = eval(of, input)?;
            let each =
                array(&of)?.iter().map(|one| eval(ast, one).map(std::borrow::Cow::into_owned));
            return Ok(Value::Array(each.collect::<Result<_, _>>()?));
        }
        (_, [of, Ast::Expref { ast, .. }]) => return by(name, array(&*eval(of, input)?)?, ast),
        _ => {}
    }
    let mut values = Vec::with_capacity(args.len());
    for arg in args {
        values.push(eval(arg, input)?.into_owned());
    }
    match &values[..] {
        [one] => of_one(name, one),
        [one, other] if !matches!(name, "merge" | "not_null") => of_two(name, one, other),
        _ => of_many(name, values),
    }
}

fn of_one(name: &str, value: &Value) -> Result<Value, WrongType> {
    Ok(match name {
        "abs" => double(number(value)?.abs()),
        "ceil" => double(number(value)?.ceil()),
        "floor" => double(number(value)?.floor()),
        "sum" => double(numbers(value)?.iter().sum()),
        "avg" => {
            let all = numbers(value)?;
            let count = all.len() as f64;
            if all.is_empty() { Value::Null } else { double(all.iter().sum::<f64>() / count) }
        }
        "max" => best(ordered(value)?, Ordering::Greater),
        "min" => best(ordered(value)?, Ordering::Less),
        "sort" => {
            let mut all = ordered(value)?.to_vec();
            all.sort_by(|one, other| order(one, other).unwrap_or(Ordering::Equal));
            Value::Array(all)
        }
        "length" => match value {
            Value::String(text) => text.encode_utf16().count().into(),
            Value::Array(elements) => elements.len().into(),
            Value::Object(members) => members.len().into(),
            _ => return Err(WrongType),
        },
        "keys" => object(value)?.keys().cloned().collect(),
        "values" => object(value)?.values().cloned().collect(),
        "reverse" => match value {
            Value::String(text) => text.chars().rev().collect::<String>().into(),
            other => Value::Array(array(other)?.iter().rev().cloned().collect()),
        },
        "to_array" => match value {
            Value::Array(_) => value.clone(),
            other => Value::Array(vec![other.clone()]),
        },
        "to_number" => to_number(value),
        "to_string" => Value::String(written::text(value)),
        "type" => kind(value).into(),
        _ => return of_many(name, vec![value.clone()]),
    })
}

fn of_two(name: &str, one: &Value, other: &Value) -> Result<Value, WrongType> {
    Ok(match name {
        "contains" => match one {
            Value::Array(elements) => elements.contains(other).into(),
            Value::String(text) => text.contains(&written::text(other)).into(),
            _ => return Err(WrongType),
        },
        "starts_with" => text(one)?.starts_with(text(other)?).into(),
        "ends_with" => text(one)?.ends_with(text(other)?).into(),
        "join" => {
            let parts: Result<Vec<&str>, _> = array(other)?.iter().map(text).collect();
            parts?.join(text(one)?).into()
        }
        _ => return Err(WrongType),
    })
}

fn of_many(name: &str, values: Vec<Value>) -> Result<Value, WrongType> {
    if name == "not_null" {
        return Ok(values.into_iter().find(|value| !value.is_null()).unwrap_or_default());
    }
    let mut all = Map::new();
    for value in &values {
        all.extend(object(value)?.iter().map(|(name, value)| (name.clone(), value.clone())));
    }
    Ok(Value::Object(all))
}

/// `max_by`, `min_by` and `sort_by`, of objects.
fn by(name: &str, elements: &[Value], key: &Ast) -> Result<Value, WrongType> {
    let mut keyed = Vec::with_capacity(elements.len());
    for element in elements {
        object(element)?;
        keyed.push((element, eval(key, element)?.into_owned()));
    }
    let is_alike = |value: &Value| {
        let first = keyed.first().map(|(_, first)| kind(first));
        matches!(value, Value::Number(_) | Value::String(_)) && first == Some(kind(value))
    };
    if !keyed.iter().all(|(_, value)| is_alike(value)) {
        return Err(WrongType);
    }
    let compare = |one: &Value, other: &Value| order(one, other).unwrap_or(Ordering::Equal);
    if name == "sort_by" {
        keyed.sort_by(|(_, one), (_, other)| compare(one, other));
        return Ok(keyed.into_iter().map(|(element, _)| element.clone()).collect());
    }
    let wanted = if name == "max_by" { Ordering::Greater } else { Ordering::Less };
    let is_better = |best: &Value, next: &Value| compare(next, best) == wanted;
    let best =
        keyed.iter().reduce(|best, next| if is_better(&best.1, &next.1) { next } else { best });
    Ok(best.map_or(Value::Null, |(element, _)| (*element).clone()))
}

fn best(values: &[Value], wanted: Ordering) -> Value {
    let better = |best, next| if order(next, best) == Some(wanted) { next } else { best };
    values.iter().reduce(better).cloned().unwrap_or_default()
}

fn to_number(value: &Value) -> Value {
    let text = match value {
        Value::Number(_) => return value.clone(),
        Value::String(text) => text.trim(),
        _ => return Value::Null,
    };
    let text = text.strip_suffix(['d', 'D', 'f', 'F']).unwrap_or(text);
    let is_plain = text.chars().all(|char| char.is_ascii_digit() || "+-.eE".contains(char));
    match text.parse::<f64>() {
        Ok(number) if is_plain && number.fract() == 0.0 && number.abs() < 9e18 => {
            (number as i64).into()
        }
        Ok(number) if is_plain => double(number),
        _ => Value::Null,
    }
}

/// A double, which has a point.
fn double(value: f64) -> Value {
    let text = written::double(value);
    serde_json::from_str::<Number>(&text).map_or(Value::Null, Value::Number)
}

fn number(value: &Value) -> Result<f64, WrongType> {
    match value {
        Value::Number(number) => number.as_f64().ok_or(WrongType),
        _ => Err(WrongType),
    }
}

fn numbers(value: &Value) -> Result<Vec<f64>, WrongType> {
    array(value)?.iter().map(number).collect()
}

/// An array of numbers, or of texts.
fn ordered(value: &Value) -> Result<&[Value], WrongType> {
    let all = array(value)?;
    let is_alike = |one: &Value| {
        matches!(one, Value::Number(_) | Value::String(_))
            && all.first().map(kind) == Some(kind(one))
    };
    if all.iter().all(is_alike) { Ok(all) } else { Err(WrongType) }
}

fn array(value: &Value) -> Result<&[Value], WrongType> {
    value.as_array().map(Vec::as_slice).ok_or(WrongType)
}

fn object(value: &Value) -> Result<&Map<String, Value>, WrongType> {
    value.as_object().ok_or(WrongType)
}

fn text(value: &Value) -> Result<&str, WrongType> {
    value.as_str().ok_or(WrongType)
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
