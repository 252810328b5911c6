//! A test of one field: an operator and its operand become an expression.
//!
//! A test becomes one predicate of the tree wherever it can: a conjunction of two means something
//! else below an array, where each may hold for another element.

use duet_model::shape::Field;
use duet_model::{Code, Compare, Expr, Result, Type, Value};

use crate::limits::Limits;
use crate::operand::{self, Operand, misfit};
use crate::operator_row::Test;
use crate::text_search::liked;
use crate::{json as inside, ranges};
use duet_text::json::{Json, JsonKind};
use duet_text::problem::fault;

/// Makes the expression of a test.
pub(crate) fn test(test: Test, field: &Field, json: &Json<'_>, limits: &Limits) -> Result<Expr> {
    if is_inside(field, test) {
        return match test {
            Test::Compare(operator) => compare(field, operator, json),
            _ => inside::test(test, field, json, limits),
        };
    }
    match test {
        Test::Compare(operator) => compare(field, operator, json),
        Test::Search(search) => {
            let condition = search.condition(field, json, limits)?;
            Ok(if search.negated { not(condition) } else { condition })
        }
        Test::Range(relation) => ranges::condition(field, relation, json),
        Test::HasElement => {
            let mut error =
                misfit(field, json.at, "has no elements that `$contains` could look for");
            error.code = Code::FilterUnsupported;
            Err(error.hint("`$contains` is for arrays inside JSON; to search text, use `$instr`."))
        }
        Test::Size => {
            let mut error =
                misfit(field, json.at, "is no array whose elements `$size` could count");
            error.code = Code::FilterUnsupported;
            Err(error.hint("`$size` is for arrays inside JSON."))
        }
        Test::Between => between(field, json),
        Test::In => one_of(field, json, limits),
        Test::NotIn => one_of(field, json, limits).map(not),
        Test::Null => match json.kind {
            JsonKind::Null | JsonKind::Bool(true) => Ok(is_null(field)),
            _ => Err(fault(Code::FilterOperand, json.at, "`$null` takes null.")),
        },
        Test::NotNull => match json.kind {
            JsonKind::Null | JsonKind::Bool(true) => not_null(field, json.at),
            _ => Err(fault(Code::FilterOperand, json.at, "`$notnull` takes null.")),
        },
        Test::Exists => match json.kind {
            JsonKind::Bool(true) => not_null(field, json.at),
            JsonKind::Bool(false) if field.repeated => not_null(field, json.at).map(not),
            JsonKind::Bool(false) => Ok(is_null(field)),
            _ => Err(fault(Code::FilterOperand, json.at, "`$exists` takes true or false.")),
        },
    }
}

/// Whether a test is of values inside the field. A JSON column itself can be tested for being
/// NULL.
fn is_inside(field: &Field, test: Test) -> bool {
    let of_column = matches!(test, Test::Null | Test::NotNull | Test::Exists);
    let Some(reference) = field.json() else { return false };
    !reference.path.is_empty() || !of_column
}

/// Compares the field with one operand; equality with null is the null test.
pub(crate) fn compare(field: &Field, operator: Compare, json: &Json<'_>) -> Result<Expr> {
    use Compare::{Eq, Gt, Gte, Lt, Lte, Ne};
    let test = if json.is_null() { Test::Null } else { Test::Compare(operator) };
    if is_inside(field, test) {
        return inside::compare(field, operator, json);
    }
    if json.kind == JsonKind::Null {
        return match operator {
            Eq => Ok(is_null(field)),
            Ne => not_null(field, json.at),
            _ => Err(misfit(field, json.at, "cannot be less or greater than null; use `$null`")),
        };
    }
    if !matches!(operator, Eq | Ne) {
        operand::check_ordered(field, json.at)?;
    }
    let with = |operator, value| compared(field, operator, value);
    Ok(match (operand::read(field, json)?, operator) {
        (Operand::Exactly(value), operator) => with(operator, value),
        (Operand::JustAbove(floor), Lt | Lte) => with(Lte, Value::Int(floor)),
        (Operand::JustAbove(floor), Gt | Gte) => with(Gt, Value::Int(floor)),
        (Operand::WithinDay(day, _), Lt | Lte) => with(Lte, Value::Text(day)),
        (Operand::WithinDay(day, _), Gt | Gte) => with(Gt, Value::Text(day)),
        (Operand::WithinDay(..), Eq) => no_integer(field),
        (Operand::WithinDay(..), Ne) => not(no_integer(field)),
        (Operand::JustAbove(_), Eq)
        | (Operand::TooLarge, Eq | Gt | Gte)
        | (Operand::TooSmall, Eq | Lt | Lte) => no_integer(field),
        (Operand::JustAbove(_), Ne)
        | (Operand::TooLarge, Ne | Lt | Lte)
        | (Operand::TooSmall, Ne | Gt | Gte) => every_integer(field),
    })
}

/// False for every integer or date and unknown for NULL, like the comparison that it replaces.
fn no_integer(field: &Field) -> Expr {
    if field.ty == Type::Date {
        let end = |day: &str| Some(Box::new(operand_of(field, Value::Text(day.to_owned()))));
        return Expr::Between(value(field), end("2000-01-02"), end("2000-01-01"));
    }
    let end = |end| Some(Box::new(operand_of(field, Value::Int(end))));
    Expr::Between(value(field), end(1), end(0))
}

/// True for every integer and unknown for NULL.
fn every_integer(field: &Field) -> Expr {
    compared(field, Compare::Gte, Value::Int(i64::MIN))
}

fn between(field: &Field, json: &Json<'_>) -> Result<Expr> {
    let ends = match &json.kind {
        JsonKind::List(ends) => ends.as_slice(),
        _ => &[],
    };
    let [low, high] = ends else {
        let message = "`$between` takes an array of two values; one of them may be null.";
        return Err(fault(Code::FilterOperand, json.at, message));
    };
    if low.kind == JsonKind::Null && high.kind == JsonKind::Null {
        let message = "One end of `$between` may be null, not both.";
        return Err(fault(Code::FilterOperand, json.at, message));
    }
    operand::check_ordered(field, json.at)?;
    let read = |end: &Json<'_>| match end.kind {
        JsonKind::Null => Ok(None),
        _ => operand::read(field, end).map(Some),
    };
    let (low, high) = (read(low)?, read(high)?);
    if low == Some(Operand::TooLarge) || high == Some(Operand::TooSmall) {
        return Ok(no_integer(field));
    }
    let low = low.map(|low| match low {
        Operand::Exactly(value) => value,
        Operand::WithinDay(_, next) => Value::Text(next),
        Operand::JustAbove(floor) => Value::Int(floor.saturating_add(1)),
        Operand::TooSmall | Operand::TooLarge => Value::Int(i64::MIN),
    });
    let high = high.map(|high| match high {
        Operand::Exactly(value) => value,
        Operand::WithinDay(day, _) => Value::Text(day),
        Operand::JustAbove(floor) => Value::Int(floor),
        Operand::TooSmall | Operand::TooLarge => Value::Int(i64::MAX),
    });
    let end = |end: Option<Value>| end.map(|end| Box::new(operand_of(field, end)));
    Ok(Expr::Between(value(field), end(low), end(high)))
}

fn one_of(field: &Field, json: &Json<'_>, limits: &Limits) -> Result<Expr> {
    let JsonKind::List(list) = &json.kind else {
        let message = format!("`$in` and `$nin` take an array, not {}.", json.kind.noun());
        return Err(fault(Code::FilterOperand, json.at, message));
    };
    limits.check_list(list.len(), json.at)?;
    let given: Vec<_> = list.iter().filter(|element| element.kind != JsonKind::Null).collect();
    let has_null = given.len() < list.len();
    if given.is_empty() && has_null {
        return Ok(is_null(field));
    }
    operand::check_comparable(field, json.at)?;
    let mut values = Vec::with_capacity(given.len());
    for element in &given {
        // What no integer can be is left out: it cannot be equal to any.
        if let Operand::Exactly(value) = operand::read(field, element)? {
            values.push(operand_of(field, value));
        }
    }
    let is_any = if values.is_empty() && !given.is_empty() {
        no_integer(field)
    } else {
        Expr::In(value(field), values)
    };
    Ok(if has_null { Expr::Or(vec![is_any, is_null(field)]) } else { is_any })
}

fn not(expr: Expr) -> Expr {
    Expr::Not(Box::new(expr))
}

fn value(field: &Field) -> Box<Expr> {
    Box::new(field.value.clone())
}

fn operand_of(field: &Field, value: Value) -> Expr {
    Expr::operand(value, &field.ty)
}

fn compared(field: &Field, operator: Compare, value: Value) -> Expr {
    Expr::compare(operator, field.value.clone(), operand_of(field, value))
}

fn is_null(field: &Field) -> Expr {
    Expr::IsNull(value(field))
}

/// The field is not NULL; below an array, some element is not, for which `NOT IS NULL` would say
/// that none is. So there it becomes what every value fulfils and NULL does not.
fn not_null(field: &Field, at: usize) -> Result<Expr> {
    if !field.repeated {
        return Ok(not(is_null(field)));
    }
    let pivot = match &field.ty {
        Type::Integer { .. } => return Ok(every_integer(field)),
        Type::Boolean => {
            let both = [false, true].map(|value| operand_of(field, Value::Bool(value)));
            return Ok(Expr::In(value(field), both.into()));
        }
        ty if ty.is_text() => return Ok(liked(field, "%".to_owned(), false)),
        Type::Decimal { .. } | Type::Float { .. } => "0",
        Type::Date => "2000-01-01",
        Type::Time => "00:00:00",
        Type::TimeTz => "00:00:00+00:00",
        Type::Timestamp => "2000-01-01T00:00:00",
        Type::TimestampTz => "2000-01-01T00:00:00Z",
        Type::Interval => "PT0S",
        _ => {
            let problem = "cannot be tested for not being NULL below an array";
            let mut error = misfit(field, at, problem);
            error.code = Code::FilterUnsupported;
            return Err(error);
        }
    };
    let with = |operator| compared(field, operator, Value::Text(pivot.to_owned()));
    Ok(Expr::Or(vec![with(Compare::Lte), with(Compare::Gt)]))
}
