//! An expression against one document in memory, by brute force.
//!
//! It states what a filter means, so that what databases answer can be held against it. It is
//! made to be plainly right, not fast.

use std::cmp::Ordering;

use duet_model::{Compare, Expr, FieldRef, Type, Value};

use crate::{json, like, regex};
use duet_model::decimal::Decimal;
use duet_model::{address, temporal};

/// The values that a field takes in one document.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// The field has one value, which may be NULL.
    One(Value),
    /// The field lies below an array and has a value for each element.
    Each(Vec<Value>),
}

/// A document that can be tested.
pub trait Row {
    /// The values of a field, in the forms of [`Value`].
    fn values(&self, field: FieldRef) -> Values;

    /// The type of a field.
    fn ty(&self, field: FieldRef) -> &Type;
}

/// Whether the expression holds; `None` where NULL leaves it unknown.
///
/// Text compares by code point. Below an array a predicate is true if any element makes it true
/// and false otherwise, never unknown: it is an `EXISTS`.
pub fn evaluate(expr: &Expr, row: &dyn Row) -> Option<bool> {
    match expr {
        Expr::And(parts) => all(parts.iter().map(|part| evaluate(part, row))),
        Expr::Or(parts) => all(parts.iter().map(|part| evaluate(part, row).map(|holds| !holds)))
            .map(|holds| !holds),
        Expr::Not(inner) => evaluate(inner, row).map(|holds| !holds),
        Expr::Compare(field, operator, operand) => any_element(row, *field, |ty, value| {
            compare(ty, value, operand).map(|order| satisfies(*operator, order))
        }),
        Expr::In(field, operands) => any_element(row, *field, |ty, value| {
            all(operands
                .iter()
                .map(|operand| compare(ty, value, operand).map(|order| order != Ordering::Equal)))
            .map(|holds| !holds)
        }),
        Expr::Between(field, low, high) => any_element(row, *field, |ty, value| {
            let end = |end: &Option<Value>, beyond| match end {
                None if value.is_null() => None,
                None => Some(true),
                Some(end) => compare(ty, value, end).map(|order| order != beyond),
            };
            all([end(low, Ordering::Less), end(high, Ordering::Greater)].into_iter())
        }),
        Expr::Like { field, pattern, ignore_case } => any_element(row, *field, |_, value| {
            text(value).map(|text| like::matches(pattern, &text, *ignore_case))
        }),
        Expr::Contains(field, part) => any_element(row, *field, |_, value| {
            text(value).map(|text| text.contains(part.as_str()))
        }),
        Expr::Regex(field, pattern) => {
            let regex = regex::compile(pattern);
            any_element(row, *field, |_, value| {
                text(value).map(|text| regex.as_ref().is_some_and(|regex| regex.is_match(&text)))
            })
        }
        Expr::IsNull(field) => any_element(row, *field, |_, value| Some(value.is_null())),
        Expr::Json(field, predicate) => any_element(row, *field, |_, value| {
            let matcher = json::Matcher::new(predicate.clone());
            Some(matcher.holds(&text(value).unwrap_or_default()))
        }),
    }
}

/// The conjunction in three-valued logic: false if any is, else unknown if any is.
fn all(parts: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut result = Some(true);
    for part in parts {
        match part {
            Some(false) => return Some(false),
            Some(true) => {}
            None => result = None,
        }
    }
    result
}

fn any_element(
    row: &dyn Row,
    field: FieldRef,
    test: impl Fn(&Type, &Value) -> Option<bool>,
) -> Option<bool> {
    let ty = row.ty(field);
    match row.values(field) {
        Values::One(value) => test(ty, &value),
        Values::Each(values) => Some(values.iter().any(|value| test(ty, value) == Some(true))),
    }
}

pub(crate) fn satisfies(operator: Compare, order: Ordering) -> bool {
    match operator {
        Compare::Eq => order.is_eq(),
        Compare::Ne => order.is_ne(),
        Compare::Lt => order.is_lt(),
        Compare::Lte => order.is_le(),
        Compare::Gt => order.is_gt(),
        Compare::Gte => order.is_ge(),
    }
}

fn text(value: &Value) -> Option<String> {
    (!value.is_null()).then(|| value.to_string())
}

/// Orders two values of a type as databases do; `None` where one is NULL. NaN is equal to itself
/// and greater than every number; the spaces that pad a CHAR do not count.
pub fn compare(ty: &Type, a: &Value, b: &Value) -> Option<Ordering> {
    let (a, b) = (text(a)?, text(b)?);
    Some(match ty {
        Type::Integer { .. } | Type::Decimal { .. } => number_key(&a).cmp(&number_key(&b)),
        Type::Float { bits } => float_key(&a, *bits).total_cmp(&float_key(&b, *bits)),
        Type::Char => a.trim_end_matches(' ').cmp(b.trim_end_matches(' ')),
        Type::Enum(labels) => {
            let place = |text: &str| labels.iter().position(|label| label == text);
            place(&a).cmp(&place(&b))
        }
        ty if ty.is_temporal() => match (temporal::sort_key(ty, &a), temporal::sort_key(ty, &b)) {
            (Some(a), Some(b)) => a.cmp(&b),
            _ => a.cmp(&b),
        },
        Type::Inet => address::compare(&a, &b).unwrap_or_else(|| a.cmp(&b)),
        _ => a.cmp(&b),
    })
}

/// Orders -Infinity, numbers, Infinity, and NaN with everything else.
fn number_key(text: &str) -> (u8, Option<Decimal>) {
    match (text, Decimal::parse(text)) {
        ("-Infinity", _) => (0, None),
        (_, Some(decimal)) => (1, Some(decimal)),
        ("Infinity", _) => (2, None),
        _ => (3, None),
    }
}

fn float_key(text: &str, bits: u8) -> f64 {
    let number: f64 = if bits == 32 {
        text.parse::<f32>().map_or(f64::NAN, f64::from)
    } else {
        text.parse().unwrap_or(f64::NAN)
    };
    // One zero and one NaN, where the total order would have two.
    if number.is_nan() { f64::NAN } else { number + 0.0 }
}
