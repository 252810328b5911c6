//! The form in which a written value is stored, so that reading it gives the same JSON as on
//! PostgreSQL.
//!
//! | type | stored as |
//! |---|---|
//! | boolean | 0 or 1 |
//! | whole number | a number |
//! | decimal, float | a number, the infinities too; NaN, which SQLite has not, as text, behind all numbers; others that no float holds are refused |
//! | date, time, timestamp, moment | ISO text in its canonical form; years beyond 9999 and before 1 are refused |
//! | UUID | text in lower case |
//! | bytes | bytes |
//! | JSON that is a bare number of which an integer or a float would lose digits | [an element](duet_text::json::binary) |
//! | anything else | text, as it comes |

use std::borrow::Cow;

use duet_document::{Codec, Datum};
use duet_model::{Code, Error, Result, Type, Value, temporal};
use duet_sql::{Parameter, Statement};
use duet_text::json::binary::number_element;
use duet_text::time::moment;
use rusqlite::Statement as Prepared;

use crate::read::run::Bound;

/// Binds the values of a write.
///
/// # Errors
/// Those of SQLite, and inside of them the refusal of a number that it does not hold.
pub(crate) fn bind(
    prepared: &mut Prepared<'_>,
    statement: &Statement,
) -> rusqlite::Result<Result<()>> {
    // A write has no keys that are given later: a part of one would be NULL.
    bind_each(prepared, statement, |_| &Value::Null)
}

/// Binds the values of rows, one after the other.
///
/// # Errors
/// As those of [`bind`].
pub(crate) fn bind_rows<'v>(
    prepared: &mut Prepared<'_>,
    statement: &'v Statement,
    rows: &[&'v [Value]],
) -> rusqlite::Result<Result<()>> {
    let width = rows.first().map_or(1, |row| row.len().max(1));
    let given = |part: usize| rows.get(part / width).and_then(|row| row.get(part % width));
    bind_each(prepared, statement, |part| given(part).unwrap_or(&Value::Null))
}

fn bind_each<'v>(
    prepared: &mut Prepared<'_>,
    statement: &'v Statement,
    part: impl Fn(usize) -> &'v Value,
) -> rusqlite::Result<Result<()>> {
    for (index, parameter) in statement.parameters.iter().enumerate() {
        let (value, ty) = match parameter {
            Parameter::Key { part: at, ty } => (part(*at), ty),
            Parameter::Value { value, ty } => (value, ty),
        };
        if let Some(refused) = refused(value, ty) {
            return Ok(Err(refused));
        }
        let stored = stored(value, ty);
        prepared.raw_bind_parameter(index + 1, Bound { value: &stored, ty })?;
    }
    Ok(Ok(()))
}

/// The refusal of a value that a column would hold as another one, or in the wrong order. Its cause has the value, by which
/// the member is found that it is of.
fn refused(value: &Value, ty: &Type) -> Option<Error> {
    let Value::Text(written) = value else { return None };
    let (message, why) = match ty {
        Type::Decimal { .. } | Type::Float { .. } if is_beyond_floats(written) => {
            (format!("A number of the request is beyond {:?}.", f64::MAX), "no float")
        }
        ty if is_beyond_texts(ty, written) => (
            "A date of the request is not of the years 1 to 9999, whose texts alone SQLite keeps in order."
                .to_owned(),
            "no date of four digits",
        ),
        _ => return None,
    };
    let error = Error::new(Code::ValueOutOfRange, message);
    let error = if why == "no float" { error } else { error.hint(DATES) };
    Some(error.cause(format!("{why}: \"{written}\"")))
}

/// What becomes of the message where a member is named.
const DATES: &str = "SQLite keeps dates and timestamps of the years 1 to 9999, and the infinities.";

/// Whether a date or timestamp is of a year whose texts are not in the order of time.
pub(crate) fn is_beyond_texts(ty: &Type, text: &str) -> bool {
    matches!(ty, Type::Date | Type::Timestamp | Type::TimestampTz)
        && temporal::canonical(ty, text).is_ok_and(|text| !moment::has_four_digits(&text))
}

/// Whether the text of a number is beyond all floats, and not the name of an infinity.
pub(crate) fn is_beyond_floats(text: &str) -> bool {
    !text.ends_with(char::is_alphabetic) && text.parse::<f64>().is_ok_and(f64::is_infinite)
}

fn stored<'a>(value: &'a Value, ty: &Type) -> Cow<'a, Value> {
    let text = |text: String| Cow::Owned(Value::Text(text));
    match (value, ty) {
        (Value::Text(written), Type::Uuid) => text(written.to_ascii_lowercase()),
        (Value::Text(written), ty) if ty.is_temporal() => {
            temporal::canonical(ty, written).map_or(Cow::Borrowed(value), text)
        }
        (Value::Text(written), Type::Json) => match number_that_stays(written.as_bytes()) {
            Some(element) => Cow::Owned(Value::Bytes(element)),
            None => Cow::Borrowed(value),
        },
        _ => Cow::Borrowed(value),
    }
}

/// The element of a bare number of JSON that a column would make another number, or the same one with other digits, of.
pub(crate) fn number_that_stays(json: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(json).ok()?.trim_matches([' ', '\t', '\n', '\r']);
    if !text.starts_with(|char: char| char == '-' || char.is_ascii_digit()) {
        return None;
    }
    let real: f64 = text.parse().ok()?;
    let mut kept = Vec::new();
    match text.parse::<i64>() {
        Ok(whole) => Codec::Json.write(Datum::Int(whole), &mut kept),
        Err(_) => Codec::Json.write(Datum::Real(real), &mut kept),
    }
    // SQLite reads fifteen digits of a text as they are.
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let is_whole = text.parse::<i64>().is_ok();
    let stays = kept == text.as_bytes() && (is_whole || digits <= 15);
    (!stays).then(|| number_element(text))
}

#[cfg(test)]
mod tests {
    use rusqlite::types::ValueRef;

    use super::*;

    /// What a column of a declared type holds after a write, and the JSON of it.
    fn written(declared: &str, ty: &Type, value: Value) -> (String, String) {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        connection.execute_batch(&format!("CREATE TABLE t (a {declared})")).unwrap();
        let parameters = vec![Parameter::Value { value, ty: ty.clone() }];
        let statement = Statement { sql: "INSERT INTO t VALUES (?1)".into(), parameters };
        let mut prepared = connection.prepare(&statement.sql).unwrap();
        bind(&mut prepared, &statement).unwrap().unwrap();
        prepared.raw_execute().unwrap();
        connection
            .query_row("SELECT a, typeof(a) FROM t", [], |row| {
                let cell = match row.get_ref(0)? {
                    ValueRef::Null => Datum::Null,
                    ValueRef::Integer(value) => Datum::Int(value),
                    ValueRef::Real(value) => Datum::Real(value),
                    ValueRef::Text(text) => Datum::Text(text),
                    ValueRef::Blob(bytes) => Datum::Blob(bytes),
                };
                let mut json = Vec::new();
                Codec::of(ty).write(cell, &mut json);
                Ok((row.get(1)?, String::from_utf8(json).unwrap()))
            })
            .unwrap()
    }

    #[test]
    fn numbers_beyond_floats_are_refused() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        connection.execute_batch("CREATE TABLE t (a NUMERIC)").unwrap();
        let digits = format!("-1{}", "0".repeat(400));
        let largest = f64::MAX.to_string();
        for (text, refused) in [
            ("1e400", true),
            (&digits, true),
            ("1e308", false),
            (&largest, false),
            ("1e-400", false),
            ("Infinity", false),
            ("NaN", false),
        ] {
            let value = Value::Text(text.to_owned());
            let parameters = vec![Parameter::Value { value, ty: Type::Decimal { scale: None } }];
            let statement = Statement { sql: "INSERT INTO t VALUES (?1)".into(), parameters };
            let mut prepared = connection.prepare(&statement.sql).unwrap();
            let error = bind(&mut prepared, &statement).unwrap().err();
            let expected = refused.then_some(Code::ValueOutOfRange);
            assert_eq!(error.as_ref().map(|error| error.code), expected, "{text}");
            if let Some(error) = error {
                assert!(error.cause.unwrap().contains(&format!("\"{text}\"")), "{text}");
            }
        }
    }

    #[test]
    fn dates_whose_texts_have_no_order_are_refused() {
        for (ty, text, expected) in [
            (Type::Date, "2022-03-20", false),
            (Type::Date, "infinity", false),
            (Type::TimestampTz, "-infinity", false),
            (Type::Date, "0044-03-15 BC", true),
            (Type::Timestamp, "12022-03-20T00:00:00", true),
            (Type::Time, "24:00:00", false),
            (Type::Text, "0044-03-15 BC", false),
        ] {
            let found = refused(&Value::Text(text.to_owned()), &ty);
            assert_eq!(found.is_some(), expected, "{text}");
        }
    }

    #[test]
    fn forms_of_json() {
        for (json, stored, shown) in [
            ("{\"a\": 1}", "text", "{\"a\":1}"),
            ("12", "integer", "12"),
            ("1.5", "real", "1.5"),
            ("1.50", "blob", "1.50"),
            (" 12345678901234567890 ", "blob", "12345678901234567890"),
            ("-0.1234567890123456789", "blob", "-0.1234567890123456789"),
            ("1e400", "blob", "1e400"),
            ("\"1.50\"", "text", "\"1.50\""),
        ] {
            let expected = (stored.to_owned(), shown.to_owned());
            assert_eq!(
                written("JSON", &Type::Json, Value::Text(json.to_owned())),
                expected,
                "{json}"
            );
        }
    }

    #[test]
    fn forms() {
        let text = |text: &str| Value::Text(text.to_owned());
        let decimal = Type::Decimal { scale: Some(2) };
        let integer = Type::Integer { bits: 64 };
        for (declared, ty, value, stored, json) in [
            ("BOOLEAN", Type::Boolean, Value::Bool(true), "integer", "true"),
            ("INT", integer.clone(), Value::Int(i64::MIN), "integer", "-9223372036854775808"),
            ("NUMERIC(9,2)", decimal.clone(), text("0.5"), "real", "0.50"),
            ("NUMERIC(9,2)", decimal.clone(), text("12"), "integer", "12.00"),
            ("NUMERIC(9,2)", decimal.clone(), text("-0.00"), "integer", "0.00"),
            (
                "NUMERIC(20,2)",
                decimal.clone(),
                text("-9007199254740993.00"),
                "integer",
                "-9007199254740993.00",
            ),
            (
                "NUMERIC(20,2)",
                decimal.clone(),
                text("1234567890123456.78"),
                "real",
                "1234567890123456.8",
            ),
            ("NUMERIC(9,2)", decimal.clone(), text("NaN"), "text", "\"NaN\""),
            (
                "REAL",
                Type::Float { bits: 64 },
                Value::Float(f64::NEG_INFINITY),
                "real",
                "\"-Infinity\"",
            ),
            ("REAL", Type::Float { bits: 64 }, text("Infinity"), "real", "\"Infinity\""),
            ("REAL", Type::Float { bits: 64 }, text("NaN"), "text", "\"NaN\""),
            ("REAL", Type::Float { bits: 64 }, Value::Float(f64::NAN), "text", "\"NaN\""),
            ("NUMERIC", decimal, text("-Infinity"), "real", "\"-Infinity\""),
            ("REAL", Type::Float { bits: 64 }, Value::Float(1.5), "real", "1.5"),
            (
                "TIMESTAMP",
                Type::Timestamp,
                text("2022-03-20 10:00"),
                "text",
                "\"2022-03-20T10:00:00\"",
            ),
            (
                "TIMESTAMPTZ",
                Type::TimestampTz,
                text("2022-03-20T10:00:00+02:00"),
                "text",
                "\"2022-03-20T08:00:00Z\"",
            ),
            ("DATE", Type::Date, text("2022-03-20"), "text", "\"2022-03-20\""),
            ("TIME", Type::Time, text("10:00"), "text", "\"10:00:00\""),
            (
                "UUID",
                Type::Uuid,
                text("6F2C1D1E-5A0B-4C3D-9E8F-0123456789AB"),
                "text",
                "\"6f2c1d1e-5a0b-4c3d-9e8f-0123456789ab\"",
            ),
            ("BLOB", Type::Binary, Value::Bytes(vec![1, 2, 3]), "blob", "\"AQID\""),
            ("TEXT", Type::Text, text("NaN"), "text", "\"NaN\""),
            ("", Type::Dynamic, Value::Int(7), "integer", "7"),
            ("", Type::Dynamic, Value::Float(1.0), "real", "1.0"),
            ("", Type::Dynamic, text("1.0"), "text", "\"1.0\""),
            ("INT", integer, Value::Null, "null", "null"),
        ] {
            let expected = (stored.to_owned(), json.to_owned());
            assert_eq!(written(declared, &ty, value), expected, "{declared}");
        }
    }
}
