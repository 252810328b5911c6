//! An expression against one document in memory, by brute force.
//!
//! It defines the meaning of a filter, so that answers of databases can be compared with it. It is
//! made to be plainly right, not fast.

use std::cmp::Ordering;

use duet_model::{Arithmetic, ColumnRef, Expr, Type, Value};
use duet_text::like;

use crate::{compute, json, search};
use duet_model::{JsonPredicate, temporal};
use duet_text::decimal::Decimal;
use duet_text::effort::Effort;

/// The values that a column takes in one document.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// The column has one value, which may be NULL.
    One(Value),
    /// The column lies below an array and has a value for each element.
    Each(Vec<Value>),
}

/// A document that can be tested.
pub trait Row {
    /// The values of a column, in the forms of [`Value`].
    fn values(&self, column: ColumnRef) -> Values;

    /// The type of a column.
    fn ty(&self, column: ColumnRef) -> &Type;
}

/// Whether the expression holds; `None` where NULL leaves it unknown.
///
/// Text compares by code point. Below an array a predicate is true if any element makes it true
/// and false otherwise, never unknown: it is an `EXISTS`.
pub fn evaluate(expr: &Expr, row: &dyn Row) -> Option<bool> {
    match expr {
        Expr::And(parts) => all(parts.iter().map(|part| evaluate(part, row))),
        Expr::Or(parts) => any(parts.iter().map(|part| evaluate(part, row))),
        Expr::Not(inner) => evaluate(inner, row).map(|holds| !holds),
        Expr::NotTrue(inner) => Some(evaluate(inner, row) != Some(true)),
        predicate => {
            let field = predicate.first_field().map(|field| row.values(field.column_at(0)));
            match field {
                Some(Values::Each(elements)) => {
                    let of = |element| Element { row, element: Some(element) };
                    let mut elements = 0..elements.len();
                    Some(elements.any(|element| of(element).holds(predicate) == Some(true)))
                }
                _ => Element { row, element: None }.holds(predicate),
            }
        }
    }
}

/// The value of an expression in a document, if no reference crosses an array.
pub fn value(expr: &Expr, row: &dyn Row) -> Value {
    Element { row, element: None }.value(expr)
}

/// One row of a document: the document's own, or that of an element of an array.
#[derive(Clone, Copy)]
struct Element<'r> {
    row: &'r dyn Row,
    element: Option<usize>,
}

impl Element<'_> {
    /// The value of a column in this row.
    fn column(&self, column: ColumnRef) -> Value {
        match (self.row.values(column), self.element) {
            (Values::One(value), _) => value,
            (Values::Each(mut values), Some(element)) if element < values.len() => {
                values.swap_remove(element)
            }
            (Values::Each(_), _) => Value::Null,
        }
    }

    /// The value of an expression; NULL where the stores give no value.
    fn value(&self, expr: &Expr) -> Value {
        match expr {
            Expr::Field(field) => self.column(field.column_at(0)),
            Expr::Extracted(field, ty) => {
                let stored = text(&self.column(field.column_at(0))).unwrap_or_default();
                json::extracted(&stored, &field.path, ty)
            }
            Expr::Literal(value) | Expr::Operand(value, _) => value.clone(),
            Expr::Arithmetic(Arithmetic::Concat, left, right) => {
                match (self.value(left), self.value(right)) {
                    (Value::Null, _) | (_, Value::Null) => Value::Null,
                    (left, right) => Value::Text(format!("{left}{right}")),
                }
            }
            Expr::Arithmetic(operator, left, right) => {
                compute::arithmetic(*operator, &self.value(left), &self.value(right))
                    .unwrap_or(Value::Null)
            }
            Expr::Negate(operand) => {
                let zero = Value::Int(0);
                compute::arithmetic(Arithmetic::Subtract, &zero, &self.value(operand))
                    .unwrap_or(Value::Null)
            }
            Expr::Function(name, arguments) => {
                let arguments: Vec<_> =
                    arguments.iter().map(|argument| self.value(argument)).collect();
                compute::function(name, &arguments)
            }
            // A document has no rows but its own here; what the stores add up is tested on them.
            Expr::Aggregate(..) => Value::Null,
            Expr::Case { branches, otherwise } => {
                let taken =
                    branches.iter().find(|(condition, _)| self.holds(condition) == Some(true));
                let result = taken.map(|(_, result)| result).or(otherwise.as_deref());
                result.map_or(Value::Null, |result| self.value(result))
            }
            condition => self.holds(condition).map_or(Value::Null, Value::Bool),
        }
    }

    /// The type by which a value compares; text where nothing says.
    fn ty(&self, expr: &Expr) -> Option<Type> {
        match expr {
            Expr::Operand(_, ty) | Expr::Extracted(_, ty) => Some(ty.clone()),
            Expr::Field(field) => Some(self.row.ty(field.column_at(0)).clone()),
            Expr::Literal(Value::Int(_) | Value::Float(_)) => Some(Type::Decimal { scale: None }),
            Expr::Literal(_) => None,
            other => other.parts().into_iter().find_map(|part| self.ty(part)),
        }
    }

    fn compare(&self, left: &Expr, right: &Expr) -> Option<Ordering> {
        let of_request = |expr: &Expr| matches!(expr, Expr::Operand(..));
        let (first, second) = if of_request(right) { (right, left) } else { (left, right) };
        let ty = self.ty(first).or_else(|| self.ty(second)).unwrap_or(Type::Text);
        compare(&ty, &self.value(left), &self.value(right))
    }

    /// Whether a condition holds of this row.
    fn holds(&self, expr: &Expr) -> Option<bool> {
        match expr {
            Expr::And(parts) => all(parts.iter().map(|part| self.holds(part))),
            Expr::Or(parts) => any(parts.iter().map(|part| self.holds(part))),
            Expr::Not(inner) => self.holds(inner).map(|holds| !holds),
            Expr::NotTrue(inner) => Some(self.holds(inner) != Some(true)),
            Expr::SameRow(inner) => self.holds(inner),
            Expr::Compare(operator, left, right) => {
                self.compare(left, right).map(|order| operator.holds(order))
            }
            Expr::In(operand, list) => {
                any(list.iter().map(|item| self.compare(operand, item).map(Ordering::is_eq)))
            }
            Expr::Between(operand, low, high) => {
                let is_null = self.value(operand).is_null();
                let end = |end: &Option<Box<Expr>>, beyond| match end {
                    None => (!is_null).then_some(true),
                    Some(end) => self.compare(operand, end).map(|order| order != beyond),
                };
                all([end(low, Ordering::Less), end(high, Ordering::Greater)].into_iter())
            }
            Expr::Like { operand, pattern, ignore_case } => {
                let (text, pattern) = (self.text(operand)?, self.text(pattern)?);
                Some(like::matches(&pattern, &text, *ignore_case))
            }
            Expr::Search(operand, test) => search::holds(test, &self.text(operand)?),
            Expr::IsNull(operand) => Some(self.value(operand).is_null()),
            Expr::Json(field, test) => {
                let predicate = JsonPredicate { path: field.path.clone(), test: test.clone() };
                let stored = text(&self.column(field.column_at(0))).unwrap_or_default();
                json::Matcher::new(predicate).holds(&stored, &Effort::unlimited()).ok()
            }
            // A document is one value here; what holds of its elements is tested on the stores.
            Expr::AnyElement(..) => None,
            value => match self.value(value) {
                Value::Bool(value) => Some(value),
                _ => None,
            },
        }
    }

    fn text(&self, expr: &Expr) -> Option<String> {
        text(&self.value(expr))
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

/// The disjunction in three-valued logic: true if any is, else unknown if any is.
fn any(parts: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    all(parts.map(|part| part.map(|holds| !holds))).map(|holds| !holds)
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
        Type::Formatted(form) => (form.compare)(&a, &b).unwrap_or_else(|| a.cmp(&b)),
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
