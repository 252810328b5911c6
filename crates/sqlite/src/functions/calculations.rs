//! The operators and functions of expressions that SQLite has with another meaning than PostgreSQL.
//!
//! A calculation without a result is an error, as there, and never another number.

use std::borrow::Cow;

use duet_text::arithmetic::{
    NumberOperator, NumberRules, OutOfRange, StoredNumber, absolute, calculate, divide, negate,
    round_float, round_to,
};
use duet_text::effort::Effort;
use duet_text::substring::substring;
use rusqlite::functions::Context;
use rusqlite::types::{Value, ValueRef};

use super::register::{Ended, Register, argument};
use super::shown;

/// What the error of a calculation without a result begins with.
pub(crate) const NOT_COMPUTED: &str = "not computed: ";

pub(super) fn register(to: &Register<'_>) -> rusqlite::Result<()> {
    for (rules, of) in [
        (NumberRules::Whole, "whole"),
        (NumberRules::Decimal, "decimal"),
        (NumberRules::Float, "float"),
    ] {
        for (operator, name) in [
            (NumberOperator::Add, "add"),
            (NumberOperator::Subtract, "subtract"),
            (NumberOperator::Multiply, "multiply"),
        ] {
            to.add(&format!("duet_{name}_{of}"), 2, move |context, effort| {
                of_two(context, effort, |one, other| {
                    calculate(operator, rules, one, other).map(Some)
                })
            })?;
        }
    }
    to.add("duet_divide", 2, |context, effort| of_two(context, effort, divide))?;
    to.add("duet_negate", 1, |context, effort| of_one(context, effort, negate))?;
    to.add("duet_abs", 1, |context, effort| of_one(context, effort, absolute))?;
    to.add("duet_round", 1, |context, effort| {
        of_one(context, effort, |number| Ok(round_to(number, 0)))
    })?;
    to.add("duet_round", 2, |context, effort| match position(context, 1, effort)? {
        Some(places) => of_one(context, effort, |number| Ok(round_to(number, places))),
        None => Ok(Value::Null),
    })?;
    to.add("duet_round_float", 1, |context, effort| {
        of_one(context, effort, |number| Ok(round_float(number)))
    })?;
    register_texts(to)
}

fn register_texts(to: &Register<'_>) -> rusqlite::Result<()> {
    to.add("duet_lower", 1, |context, effort| {
        Ok(text(context, effort)?.map(|text| text.to_lowercase()))
    })?;
    to.add("duet_upper", 1, |context, effort| {
        Ok(text(context, effort)?.map(|text| text.to_uppercase()))
    })?;
    to.add("duet_length", 1, |context, effort| {
        let characters = text(context, effort)?.map(|text| text.chars().count());
        Ok(characters.and_then(|count| i64::try_from(count).ok()))
    })?;
    to.add("duet_substr", 2, |context, effort| {
        let (text, from) = (text(context, effort)?, position(context, 1, effort)?);
        text.zip(from).map(|(text, from)| part(&text, from, None)).transpose()
    })?;
    to.add("duet_substr", 3, |context, effort| {
        let (text, from) = (text(context, effort)?, position(context, 1, effort)?);
        let length = position(context, 2, effort)?;
        let given = text.zip(from).zip(length);
        given.map(|((text, from), length)| part(&text, from, Some(length))).transpose()
    })
}

fn part(text: &str, from: i32, length: Option<i32>) -> Ended<String> {
    let part = substring(text, from, length);
    part.map(str::to_owned).map_err(|_| not_computed("a part of a text has a negative length"))
}

/// A function of a number, NULL of NULL.
fn of_one(
    context: &Context<'_>,
    effort: &Effort<'_>,
    run: impl FnOnce(StoredNumber) -> Result<StoredNumber, OutOfRange>,
) -> Ended<Value> {
    let Some(number) = number(context, 0, effort)? else { return Ok(Value::Null) };
    run(number).map(value_of).map_err(out_of_range)
}

/// A function of two numbers, NULL where one is.
fn of_two(
    context: &Context<'_>,
    effort: &Effort<'_>,
    run: impl FnOnce(StoredNumber, StoredNumber) -> Result<Option<StoredNumber>, OutOfRange>,
) -> Ended<Value> {
    let numbers = number(context, 0, effort)?.zip(number(context, 1, effort)?);
    let Some((one, other)) = numbers else { return Ok(Value::Null) };
    let result = run(one, other).map_err(out_of_range)?;
    Ok(result.map_or(Value::Null, value_of))
}

fn value_of(number: StoredNumber) -> Value {
    match number {
        StoredNumber::Whole(whole) => Value::Integer(whole),
        // SQLite makes NULL of NaN.
        StoredNumber::Real(real) if real.is_nan() => Value::Text("NaN".to_owned()),
        StoredNumber::Real(real) => Value::Real(real),
    }
}

/// A number in the form in which columns of numbers have it.
fn number(context: &Context<'_>, index: usize, effort: &Effort<'_>) -> Ended<Option<StoredNumber>> {
    Ok(Some(match argument(context, index, effort)? {
        ValueRef::Null => return Ok(None),
        ValueRef::Integer(whole) => StoredNumber::Whole(whole),
        ValueRef::Real(real) => StoredNumber::Real(real),
        ValueRef::Text(b"NaN") => StoredNumber::Real(f64::NAN),
        ValueRef::Text(b"Infinity") => StoredNumber::Real(f64::INFINITY),
        ValueRef::Text(b"-Infinity") => StoredNumber::Real(f64::NEG_INFINITY),
        ValueRef::Text(_) | ValueRef::Blob(_) => {
            return Err(not_computed("a stored value is no number"));
        }
    }))
}

/// A position or a number of digits: 32 bits, as PostgreSQL has it.
fn position(context: &Context<'_>, index: usize, effort: &Effort<'_>) -> Ended<Option<i32>> {
    match number(context, index, effort)? {
        None => Ok(None),
        Some(StoredNumber::Whole(whole)) => {
            i32::try_from(whole).map(Some).map_err(|_| out_of_range(OutOfRange))
        }
        Some(StoredNumber::Real(_)) => Err(not_computed("a position is no whole number")),
    }
}

/// The first argument as text; bytes are read as UTF-8.
fn text<'c>(context: &'c Context<'_>, effort: &Effort<'_>) -> Ended<Option<Cow<'c, str>>> {
    Ok(match argument(context, 0, effort)? {
        ValueRef::Blob(bytes) => Some(String::from_utf8_lossy(bytes)),
        value => shown(value),
    })
}

fn out_of_range(_: OutOfRange) -> rusqlite::Error {
    not_computed("a number is out of range")
}

fn not_computed(why: &str) -> rusqlite::Error {
    rusqlite::Error::UserFunctionError(format!("{NOT_COMPUTED}{why}").into())
}
