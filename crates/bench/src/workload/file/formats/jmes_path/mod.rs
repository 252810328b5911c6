//! Expressions of JMESPath. `jmespath` reads them; here they are evaluated over documents that keep the order of their
//! members, as `jmespath-java` does, which JMeter has: its values and keys have that order, and texts are UTF-16.

mod functions;
mod written;

use std::borrow::Cow;
use std::cmp::Ordering;

use jmespath::ast::{Ast, Comparator};
use serde_json::{Map, Value};

pub(in crate::workload::file) use written::text;

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::workload::file) struct JmesPath(Ast);

/// A function got a value of a type that it does not take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct WrongType;

type Found<'v> = Result<Cow<'v, Value>, WrongType>;

impl JmesPath {
    /// Reads an expression.
    ///
    /// # Errors
    /// Why it is not taken, as a phrase.
    pub(in crate::workload::file) fn read(text: &str) -> Result<Self, String> {
        let ast = jmespath::parse(text.trim()).map_err(|error| {
            let why = error.to_string();
            why.lines().next().unwrap_or_default().to_owned()
        })?;
        check(&ast)?;
        Ok(Self(ast))
    }

    /// The value in a JSON text, `null` where there is none; `None` for another text, and where a function does not take
    /// its values. What is behind the first value of a text does not count.
    pub(in crate::workload::file) fn value_in(&self, text: &str) -> Option<Value> {
        let document = document(text)?;
        eval(&self.0, &document).ok().map(Cow::into_owned)
    }

    /// As [`value_in`](Self::value_in), as texts: of an array each element, of `null` nothing.
    pub(in crate::workload::file) fn texts_in(&self, body: &str) -> Option<Vec<String>> {
        Some(match self.value_in(body)? {
            Value::Null => Vec::new(),
            Value::Array(elements) => elements.iter().map(text).collect(),
            other => vec![text(&other)],
        })
    }
}

/// Whether two values are the same, in the form in which they are written; members in any order.
pub(in crate::workload::file) fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len()
                && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let has = |(name, value)| other.get(name).is_some_and(|other| is_same(value, other));
            one.len() == other.len() && one.iter().all(has)
        }
        _ => written::json(one) == written::json(other),
    }
}

/// The first value of a text.
pub(in crate::workload::file) fn document(text: &str) -> Option<Value> {
    serde_json::Deserializer::from_str(text).into_iter().next()?.ok()
}

/// Refuses what cannot be evaluated: functions that there are not, or with another number of values, and objects written
/// in the expression, whose order is lost.
fn check(ast: &Ast) -> Result<(), String> {
    let all = |parts: &[&Ast]| parts.iter().try_for_each(|part| check(part));
    match ast {
        Ast::Function { name, args, .. } => {
            functions::known(name, args)?;
            args.iter().try_for_each(check)
        }
        Ast::Literal { value, .. } => match value.as_object() {
            Some(members) if members.len() > 1 => {
                Err("it has an object of several members".to_owned())
            }
            _ => Ok(()),
        },
        Ast::Slice { step: 0, .. } => Err("a slice has steps of 0".to_owned()),
        Ast::Comparison { lhs, rhs, .. }
        | Ast::Projection { lhs, rhs, .. }
        | Ast::And { lhs, rhs, .. }
        | Ast::Or { lhs, rhs, .. }
        | Ast::Subexpr { lhs, rhs, .. } => all(&[lhs, rhs]),
        Ast::Condition { predicate, then, .. } => all(&[predicate, then]),
        Ast::Flatten { node, .. } | Ast::Not { node, .. } | Ast::ObjectValues { node, .. } => {
            check(node)
        }
        Ast::Expref { ast, .. } => check(ast),
        Ast::MultiList { elements, .. } => elements.iter().try_for_each(check),
        Ast::MultiHash { elements, .. } => elements.iter().try_for_each(|pair| check(&pair.value)),
        Ast::Identity { .. } | Ast::Field { .. } | Ast::Index { .. } | Ast::Slice { .. } => Ok(()),
    }
}

fn eval<'v>(node: &Ast, input: &'v Value) -> Found<'v> {
    let owned = |value: Value| Ok(Cow::Owned(value));
    match node {
        Ast::Identity { .. } => Ok(Cow::Borrowed(input)),
        Ast::Field { name, .. } => Ok(Cow::Borrowed(input.get(name).unwrap_or(&Value::Null))),
        Ast::Index { idx, .. } => Ok(Cow::Borrowed(at(input, *idx).unwrap_or(&Value::Null))),
        // By its text: numbers of the crate keep theirs in a form of their own.
        Ast::Literal { value, .. } => owned(document(&value.to_string()).unwrap_or_default()),
        Ast::Subexpr { lhs, rhs, .. } => match eval(lhs, input)? {
            Cow::Borrowed(value) => eval(rhs, value),
            Cow::Owned(value) => owned(eval(rhs, &value)?.into_owned()),
        },
        Ast::Or { lhs, rhs, .. } => either(eval(lhs, input)?, true, || eval(rhs, input)),
        Ast::And { lhs, rhs, .. } => either(eval(lhs, input)?, false, || eval(rhs, input)),
        Ast::Not { node, .. } => owned(Value::Bool(!is_truthy(&*eval(node, input)?))),
        Ast::Condition { predicate, then, .. } => match is_truthy(&*eval(predicate, input)?) {
            true => eval(then, input),
            false => owned(Value::Null),
        },
        Ast::Comparison { comparator, lhs, rhs, .. } => {
            owned(compared(comparator, &*eval(lhs, input)?, &*eval(rhs, input)?))
        }
        Ast::ObjectValues { node, .. } => match &*eval(node, input)? {
            Value::Object(members) => owned(members.values().cloned().collect()),
            _ => owned(Value::Null),
        },
        Ast::Projection { lhs, rhs, .. } => projected(rhs, &*eval(lhs, input)?),
        Ast::Flatten { node, .. } => owned(flat(&*eval(node, input)?)),
        Ast::MultiList { .. } | Ast::MultiHash { .. } if input.is_null() => owned(Value::Null),
        Ast::MultiList { elements, .. } => {
            let each = elements.iter().map(|one| eval(one, input).map(Cow::into_owned));
            owned(Value::Array(each.collect::<Result<_, _>>()?))
        }
        Ast::MultiHash { elements, .. } => {
            let mut members = Map::new();
            for pair in elements {
                members.insert(pair.key.clone(), eval(&pair.value, input)?.into_owned());
            }
            owned(Value::Object(members))
        }
        Ast::Slice { start, stop, step, .. } => owned(sliced(input, [*start, *stop], *step)),
        Ast::Function { name, args, .. } => owned(functions::call(name, args, input)?),
        // Only functions have references to expressions, and read them themselves.
        Ast::Expref { .. } => Err(WrongType),
    }
}

/// The first value where its truth decides, else the other one.
fn either<'v>(
    first: Cow<'v, Value>,
    decides: bool,
    other: impl FnOnce() -> Found<'v>,
) -> Found<'v> {
    if is_truthy(&first) == decides { Ok(first) } else { other() }
}

fn at(input: &Value, index: i32) -> Option<&Value> {
    let elements = input.as_array()?;
    let index = match usize::try_from(index) {
        Ok(index) => index,
        Err(_) => elements.len().checked_sub(index.unsigned_abs() as usize)?,
    };
    elements.get(index)
}

fn projected(each: &Ast, of: &Value) -> Found<'static> {
    let Value::Array(elements) = of else { return Ok(Cow::Owned(Value::Null)) };
    let mut found = Vec::new();
    for element in elements {
        let value = eval(each, element)?;
        if !value.is_null() {
            found.push(value.into_owned());
        }
    }
    Ok(Cow::Owned(Value::Array(found)))
}

fn flat(value: &Value) -> Value {
    let Value::Array(elements) = value else { return Value::Null };
    let parts = elements.iter().flat_map(|element| match element {
        Value::Array(inner) => inner.clone(),
        other => vec![other.clone()],
    });
    Value::Array(parts.collect())
}

/// The elements of an array, or the values of an object, between two places.
fn sliced(input: &Value, [start, stop]: [Option<i32>; 2], step: i32) -> Value {
    let elements: Vec<&Value> = match input {
        Value::Array(elements) => elements.iter().collect(),
        Value::Object(members) => members.values().collect(),
        _ => Vec::new(),
    };
    let count = i64::try_from(elements.len()).unwrap_or(i64::MAX);
    let (first, last) = if step < 0 { (-1, count - 1) } else { (0, count) };
    let place = |given: Option<i32>, usual: i64| match given.map(i64::from) {
        None => usual,
        Some(given) if given < 0 => (given + count).max(first),
        Some(given) => given.min(last),
    };
    let (begin, end) = match step < 0 {
        true => (place(start, last), place(stop, -1)),
        false => (place(start, 0), place(stop, last)),
    };
    let mut found = Vec::new();
    let mut at = begin;
    while if step < 0 { at > end } else { at < end } {
        found.extend(
            usize::try_from(at).ok().and_then(|at| elements.get(at)).map(|it| (*it).clone()),
        );
        at += i64::from(step);
    }
    Value::Array(found)
}

fn is_truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(value) => *value,
        Value::Number(_) => true,
        Value::String(text) => !text.is_empty(),
        Value::Array(elements) => !elements.is_empty(),
        Value::Object(members) => !members.is_empty(),
    }
}

/// How numbers and texts are ordered; `None` for other values.
fn order(one: &Value, other: &Value) -> Option<Ordering> {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            Some(one.as_f64()?.total_cmp(&other.as_f64()?))
        }
        (Value::String(one), Value::String(other)) => {
            Some(one.encode_utf16().cmp(other.encode_utf16()))
        }
        _ => None,
    }
}

/// Whether two values are equal, numbers by their value.
fn is_equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len()
                && one.iter().zip(other).all(|(one, other)| is_equal(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let has = |(name, value)| other.get(name).is_some_and(|other| is_equal(value, other));
            one.len() == other.len() && one.iter().all(has)
        }
        _ => order(one, other).map_or_else(|| one == other, Ordering::is_eq),
    }
}

fn compared(comparator: &Comparator, one: &Value, other: &Value) -> Value {
    let ordered = |holds: fn(Ordering) -> bool| match (one, other) {
        (Value::Number(_), Value::Number(_)) => {
            order(one, other).map_or(Value::Null, |it| holds(it).into())
        }
        _ => Value::Null,
    };
    match comparator {
        Comparator::Equal => is_equal(one, other).into(),
        Comparator::NotEqual => (!is_equal(one, other)).into(),
        Comparator::LessThan => ordered(Ordering::is_lt),
        Comparator::LessThanEqual => ordered(Ordering::is_le),
        Comparator::GreaterThan => ordered(Ordering::is_gt),
        Comparator::GreaterThanEqual => ordered(Ordering::is_ge),
    }
}

#[cfg(test)]
mod tests;
