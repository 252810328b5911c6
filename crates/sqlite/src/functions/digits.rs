//! `duet_numeric(value, precision, scale)`: what a column of declared digits holds. SQLite takes every number there;
//! PostgreSQL rounds it, and refuses what has too many digits.

use duet_text::decimal::Decimal;
use duet_text::effort::Effort;
use duet_text::numeric_digits::{NumericDigits, is_infinite};
use rusqlite::functions::Context;
use rusqlite::types::{Value, ValueRef};

use super::register::{Ended, Register, argument};
use super::shown;

/// What the error of a number with too many digits begins with.
pub(crate) const OVERFLOW: &str = "numeric field overflow: ";

pub(super) fn register(to: &Register<'_>) -> rusqlite::Result<()> {
    to.add("duet_numeric", 3, |context, effort| {
        let digits = NumericDigits { precision: context.get(1)?, scale: context.get(2)? };
        held(context, effort, digits)
    })
}

/// NULL, NaN, and texts that are no numbers, which other checks refuse, stay as they are.
fn held(context: &Context<'_>, effort: &Effort<'_>, digits: NumericDigits) -> Ended<Value> {
    let value = argument(context, 0, effort)?;
    let Some(text) = shown(value).filter(|text| text != "NaN") else {
        return Ok(Value::try_from(value)?);
    };
    let overflow = || rusqlite::Error::UserFunctionError(format!("{OVERFLOW}\"{text}\"").into());
    if is_infinite(&text) || matches!(value, ValueRef::Real(real) if real.is_infinite()) {
        return Err(overflow());
    }
    let Some(number) = Decimal::parse(&text) else { return Ok(Value::try_from(value)?) };
    let held = digits.held(number.clone()).ok_or_else(overflow)?;
    if held == number { Ok(Value::try_from(value)?) } else { Ok(Value::Text(held.to_string())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_holds_what_its_digits_allow() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        crate::functions::register(&connection).unwrap();
        connection.execute_batch("CREATE TABLE t (a NUMERIC(5,2))").unwrap();
        let held = |value: Value| {
            let sql = "INSERT INTO t VALUES (duet_numeric(?1, 5, 2)) RETURNING a";
            connection.query_row(sql, [value], |row| row.get::<_, Value>(0))
        };
        let text = |text: &str| Value::Text(text.to_owned());
        for (given, expected) in [
            (Value::Integer(999), Value::Integer(999)),
            (Value::Real(1.005), Value::Real(1.01)),
            (text("0.12499999999999999999"), Value::Real(0.12)),
            (text("7.001"), Value::Integer(7)),
            (text("NaN"), text("NaN")),
            (text("many"), text("many")),
            (Value::Null, Value::Null),
        ] {
            assert_eq!(held(given.clone()).unwrap(), expected, "{given:?}");
        }
        for given in [
            Value::Integer(-1_000),
            Value::Real(999.995),
            Value::Real(f64::INFINITY),
            text("-Infinity"),
            text("1e3"),
        ] {
            let error = crate::connection::failure::error_of(&held(given.clone()).unwrap_err());
            assert_eq!(error.code, duet_model::Code::ValueOutOfRange, "{given:?}");
        }
    }
}
