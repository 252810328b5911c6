//! Operands: a JSON value becomes a value of the field's type, or an error that names what the
//! type wants.

use duet_model::key::{ValueError, one_of, parse_text, untyped_number};
use duet_model::shape::Field;
use duet_model::{Code, Comparability, Error, Place, Result, Type, Value};
use duet_text::name::nearest;

use duet_model::temporal;
use duet_text::decimal::{self, Decimal, Integer};
use duet_text::json::{Json, JsonKind};
use duet_text::problem::{did_you_mean, fault, quoted};
use duet_text::time::moment;

/// An operand among the values of its field's type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Operand {
    /// One of them.
    Exactly(Value),
    /// A fraction on an integer field: between this integer and the next.
    JustAbove(i64),
    /// A moment within a day, on a field of dates: after this day's beginning, and before that of the next one.
    WithinDay(String, String),
    /// Less than any integer field can hold.
    TooSmall,
    /// More than any integer field can hold.
    TooLarge,
}

/// Reads the operand of a comparison.
///
/// # Errors
/// [`Code::FilterOperand`] where it cannot be compared with the field.
pub(crate) fn read(field: &Field, json: &Json<'_>) -> Result<Operand> {
    check_comparable(field, json.at)?;
    match &json.kind {
        JsonKind::Text(text) => from_text(field, text, json.at),
        JsonKind::Number(number) => from_number(field, number, json),
        JsonKind::Bool(value) if field.ty == Type::Boolean => {
            Ok(Operand::Exactly(Value::Bool(*value)))
        }
        // SQLite's own `true` is 1, and so is what a write stores.
        JsonKind::Bool(value) if field.ty == Type::Dynamic => {
            Ok(Operand::Exactly(Value::Int(i64::from(*value))))
        }
        JsonKind::Object(_) => match date_text(json)? {
            Some(text) if field.ty.is_temporal() => from_text(field, text, json.at),
            Some(_) => Err(misfit(field, json.at, "does not take a `$date`")),
            None => Err(wrong_kind(field, json)),
        },
        JsonKind::Null | JsonKind::Bool(_) | JsonKind::List(_) => Err(wrong_kind(field, json)),
    }
}

/// Refuses fields whose values have no equality or order that means anything to a client.
pub(crate) fn check_comparable(field: &Field, at: usize) -> Result<()> {
    match (field.ty.comparison(), &field.ty) {
        (Comparability::None, Type::Native(_)) => Err(misfit(
            field,
            at,
            "has no equality in the database; it can only be tested with `$null`, `$notnull` and the operators of text",
        )),
        (Comparability::None, _) => {
            Err(misfit(field, at, "can only be tested with `$null` and `$notnull`"))
        }
        _ => Ok(()),
    }
}

/// Refuses fields whose values can be equal and are in no order.
pub(crate) fn check_ordered(field: &Field, at: usize) -> Result<()> {
    check_comparable(field, at)?;
    match field.ty.comparison() {
        Comparability::Order => Ok(()),
        _ => Err(misfit(
            field,
            at,
            "has no order in the database; it can only be tested for equality",
        )),
    }
}

/// The text of `{"$date": text}`; `None` for any other value.
///
/// # Errors
/// [`Code::FilterOperand`] if `$date` is combined with other members.
pub(crate) fn date_text<'j>(json: &'j Json<'_>) -> Result<Option<&'j str>> {
    let JsonKind::Object(members) = &json.kind else { return Ok(None) };
    let Some(date) = members.iter().find(|member| member.name == "$date") else { return Ok(None) };
    match &date.value.kind {
        JsonKind::Text(text) if members.len() == 1 => Ok(Some(text)),
        _ => {
            let message = "`$date` takes a string and no other operator beside it, as in \
                           {\"$date\":\"2022-03-20T00:00:00Z\"}.";
            Err(fault(Code::FilterOperand, date.at, message))
        }
    }
}

fn from_number(field: &Field, number: &str, json: &Json<'_>) -> Result<Operand> {
    match field.ty {
        Type::Integer { .. } | Type::Decimal { .. } | Type::Float { .. } => {
            from_text(field, number, json.at)
        }
        Type::Boolean if matches!(number, "0" | "1") => from_text(field, number, json.at),
        Type::Dynamic => untyped_number(number).map(Operand::Exactly).ok_or_else(|| {
            misfit(field, json.at, &format!("must be {}", decimal::expected(number)))
        }),
        Type::Native(_) => from_text(field, number, json.at),
        _ => Err(wrong_kind(field, json)),
    }
}

fn from_text(field: &Field, text: &str, at: usize) -> Result<Operand> {
    let must = |expected: &str| misfit(field, at, &format!("must be {expected}"));
    let exact = || Decimal::parse(text).ok_or_else(|| must(decimal::expected(text)));
    let value = match &field.ty {
        Type::Integer { .. } => return exact().map(|decimal| from_decimal(&decimal)),
        Type::Decimal { .. } if matches!(text, "NaN" | "Infinity" | "-Infinity") => {
            Value::Text(text.to_owned())
        }
        Type::Decimal { .. } => Value::Text(exact()?.to_string()),
        Type::Float { bits } => float(*bits, text).map(Value::Text).ok_or_else(|| {
            must(&format!("{}, NaN, Infinity or -Infinity", decimal::float_range(*bits)))
        })?,
        Type::Date if field.style.profile.compares_dates_with_moments() => {
            return day(text).map_err(must);
        }
        ty if ty.is_temporal() => temporal::canonical(ty, text).map(Value::Text).map_err(must)?,
        Type::Interval if !moment::is_duration(text) => {
            return Err(must("an ISO 8601 duration such as P1DT8H"));
        }
        Type::Enum(labels) if !labels.iter().any(|label| label == text) => {
            let near = nearest(text, labels.iter().map(String::as_str)).map(did_you_mean);
            return Err(must(&one_of(labels)).maybe_hint(near));
        }
        ty => parse_text(ty, text).map_err(|problem| match problem {
            ValueError::Nul => fault(Code::NulCharacter, at, "Text cannot contain U+0000."),
            ValueError::Form(expected) => must(&expected),
        })?,
    };
    Ok(Operand::Exactly(value))
}

/// A date or a moment on a field of dates, where a date is its first moment, in UTC.
fn day(text: &str) -> std::result::Result<Operand, &'static str> {
    let problem = match temporal::canonical(&Type::Date, text) {
        Ok(date) => return Ok(Operand::Exactly(Value::Text(date))),
        Err(problem) => problem,
    };
    let mut types = [Type::TimestampTz, Type::Timestamp].iter();
    let moment = types.find_map(|ty| temporal::canonical(ty, text).ok()).ok_or(problem)?;
    let (date, clock) = moment.split_once('T').ok_or(problem)?;
    let (day, _) = moment::read_date(date).filter(|(_, rest)| rest.is_empty()).ok_or(problem)?;
    if clock.trim_end_matches('Z') == "00:00:00" {
        return Ok(Operand::Exactly(Value::Text(date.to_owned())));
    }
    let (year, month, of_month) = moment::civil_from_days(day + 1);
    Ok(Operand::WithinDay(date.to_owned(), format!("{year:04}-{month:02}-{of_month:02}")))
}

fn from_decimal(decimal: &Decimal) -> Operand {
    match decimal.integer() {
        Integer::Exactly(value) => Operand::Exactly(Value::Int(value)),
        Integer::JustAbove(floor) => Operand::JustAbove(floor),
        Integer::TooSmall => Operand::TooSmall,
        Integer::TooLarge => Operand::TooLarge,
    }
}

/// The shortest text of the nearest number of that width, so that `0.1` finds what the database
/// shows as `0.1`.
fn float(bits: u8, text: &str) -> Option<String> {
    if matches!(text, "NaN" | "Infinity" | "-Infinity") {
        return Some(text.to_owned());
    }
    let exact = Decimal::parse(text)?.to_string();
    if bits == 32 {
        let nearest: f32 = exact.parse().ok()?;
        return nearest.is_finite().then(|| format!("{nearest:?}"));
    }
    let nearest: f64 = exact.parse().ok()?;
    nearest.is_finite().then(|| format!("{nearest:?}"))
}

/// The error for an operand that does not fit: `path is TYPE and problem.`
pub(crate) fn misfit(field: &Field, at: usize, problem: &str) -> Error {
    let message = format!("{} is {} and {problem}.", quoted(&field.path), field.ty.name());
    fault(Code::FilterOperand, at, message)
}

/// The error for an operand that does not fit values inside JSON: `path: problem.`
pub(crate) fn misfit_inside(field: &Field, at: usize, problem: &str) -> Error {
    let message = format!("{}: {problem}.", quoted(&field.path));
    Error::new(Code::FilterOperand, message).at(Place::Offset(at))
}

fn wrong_kind(field: &Field, json: &Json<'_>) -> Error {
    let wanted = match &field.ty {
        ty if ty.is_number() => "a number",
        Type::Boolean => "true or false",
        ty if ty.is_temporal() => "a string or a `$date`",
        Type::Dynamic => "a string, a number or a boolean",
        _ => "a string",
    };
    misfit(field, json.at, &format!("is compared with {wanted}, not with {}", json.kind.noun()))
}
