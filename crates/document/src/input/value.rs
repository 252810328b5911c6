//! Values of a body: a JSON value becomes a value of its column's type.
//!
//! Numbers keep every digit, dates and times become canonical, so that both stores hold what reads
//! the same again.

use duet_model::key::{ValueError, array_delimiter, parse_text, quote_element, untyped_number};
use duet_model::{Column, Type, Value, temporal};
use duet_text::decimal::{self, Decimal, Integer};
use duet_text::json::{Json, JsonKind};
use duet_text::time::moment;

/// Why a value does not fit: the accepted values, as in "must be …".
pub type Expectation = String;

/// Reads a value of a column. Strings are converted to numbers, dates and so on where they have the
/// form of one; `null` is NULL.
///
/// # Errors
/// What was expected, as in "must be …".
pub fn value_of(column: &Column, json: &Json<'_>) -> Result<Value, Expectation> {
    typed_value(&column.ty, json)
}

/// Whether a column takes a value; a text is not copied for that.
///
/// # Errors
/// As [`value_of`].
pub(super) fn fits(column: &Column, json: &Json<'_>) -> Result<(), Expectation> {
    match (&json.kind, &column.ty) {
        (JsonKind::Text(text), Type::Text) if !text.contains('\0') => Ok(()),
        _ => value_of(column, json).map(drop),
    }
}

/// Reads a value of a type.
///
/// # Errors
/// As [`value_of`].
pub fn typed_value(ty: &Type, json: &Json<'_>) -> Result<Value, Expectation> {
    read(ty, json)
}

/// Whether two values of a column are the same to the database.
pub fn same_value(ty: &Type, a: &Json<'_>, b: &Json<'_>) -> bool {
    if a == b {
        return true;
    }
    if matches!(ty, Type::Json) {
        return false;
    }
    match (read(ty, a), read(ty, b)) {
        // A zero and a negative zero are stored as two values.
        (Ok(Value::Float(a)), Ok(Value::Float(b))) => a.to_bits() == b.to_bits(),
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}

/// Reads a value of a type.
pub(crate) fn read(ty: &Type, json: &Json<'_>) -> Result<Value, Expectation> {
    match (&json.kind, ty) {
        (JsonKind::Null, _) => Ok(Value::Null),
        (_, ty) if *ty == Type::Json || is_read_as_json(ty) => {
            let mut text = String::new();
            json.write(&mut text);
            Ok(Value::Text(text))
        }
        (JsonKind::List(elements), Type::Array(inner)) => {
            let mut literal = String::new();
            array_literal(inner, elements, &mut literal)?;
            Ok(Value::Text(literal))
        }
        (JsonKind::Bool(value), Type::Boolean) => Ok(Value::Bool(*value)),
        (JsonKind::Bool(value), Type::Dynamic) => Ok(Value::Int(i64::from(*value))),
        (JsonKind::Number(number), Type::Dynamic) => untyped(number),
        (JsonKind::Bool(value), Type::Other) => Ok(Value::Int(i64::from(*value))),
        (JsonKind::Number(number), ty) if ty.is_number() || *ty == Type::Other => {
            from_text(ty, number)
        }
        (JsonKind::Text(text), Type::Other) => Ok(Value::Text(text.to_string())),
        (JsonKind::Bool(value), ty) if ty.domain_casts().is_some() => {
            Ok(Value::Text(value.to_string()))
        }
        (JsonKind::Number(number), Type::Native(_)) => Ok(Value::Text((*number).to_owned())),
        (JsonKind::Text(text), ty) if !matches!(ty, Type::Array(_)) => from_text(ty, text),
        _ => Err(expected(ty).to_owned()),
    }
}

/// Whether values of a domain are read from JSON by a cast of its own.
fn is_read_as_json(ty: &Type) -> bool {
    ty.domain_casts().is_some_and(|casts| casts.from_json.is_some())
}

/// `invalid_text_representation`.
const INVALID_TEXT: &str = "22P02";
/// `numeric_value_out_of_range`.
const OUT_OF_RANGE: &str = "22003";

/// What a column of the type takes.
pub(super) fn expected(ty: &Type) -> &'static str {
    match ty {
        Type::Boolean => "true or false",
        Type::Integer { .. } => "a whole number",
        Type::Decimal { .. } | Type::Float { .. } => "a number",
        Type::Array(_) => "an array",
        Type::Binary => "bytes in base64",
        Type::Dynamic => "a string, a number or a boolean",
        Type::Other | Type::Native(_) => "a string or a number",
        _ => "a string",
    }
}

/// PostgreSQL's SQLSTATE for a value that a column of the type does not take.
pub(super) fn sqlstate(ty: &Type, json: &Json<'_>) -> &'static str {
    let text: &str = match &json.kind {
        JsonKind::Number(number) => number,
        JsonKind::Text(text) => text,
        _ => return INVALID_TEXT,
    };
    match ty {
        Type::Integer { .. } => match Decimal::parse(text).map(|decimal| decimal.integer()) {
            Some(Integer::Exactly(_) | Integer::TooLarge | Integer::TooSmall) => OUT_OF_RANGE,
            _ => INVALID_TEXT,
        },
        Type::Float { .. } if Decimal::parse(text).is_some() => OUT_OF_RANGE,
        Type::Interval => "22007",
        ty if ty.is_temporal() => {
            if has_form_of_moment(text) {
                "22008"
            } else {
                "22007"
            }
        }
        _ => INVALID_TEXT,
    }
}

/// Whether a text has the parts of a date or time, whatever their values are.
fn has_form_of_moment(text: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let mut parts = text.split(['-', ':']);
    parts.next().is_some_and(is_number)
        && parts.next().is_some_and(is_number)
        && parts.next().is_none_or(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
}

/// Reads a value from its text; not for arrays and JSON.
pub(crate) fn from_text(ty: &Type, text: &str) -> Result<Value, Expectation> {
    match ty {
        Type::Integer { bits } => integer(*bits, text),
        Type::Decimal { .. } if is_special(text) => Ok(Value::Text(text.to_owned())),
        // PostgreSQL rounds, SQLite stores the value unchanged: both must hold the same.
        Type::Decimal { scale } => Decimal::parse(text)
            .map(|decimal| match scale {
                Some(scale) => decimal.rounded(usize::from(*scale)),
                None => decimal,
            })
            .map(|decimal| Value::Text(decimal.to_string()))
            .ok_or_else(|| decimal::expected(text).to_owned()),
        Type::Float { .. } if is_special(text) => Ok(Value::Text(text.to_owned())),
        Type::Float { bits } => {
            Value::nearest_float(*bits, text).ok_or_else(|| match Decimal::parse(text) {
                Some(_) => decimal::float_range(*bits),
                None => decimal::expected(text).to_owned(),
            })
        }
        ty if ty.is_temporal() => {
            temporal::canonical(ty, text).map(Value::Text).map_err(str::to_owned)
        }
        Type::Interval if !moment::is_duration(text) => {
            Err("an ISO 8601 duration such as P1DT8H".to_owned())
        }
        ty => parse_text(ty, text).map_err(|problem| match problem {
            ValueError::Nul => "text without the NUL character".to_owned(),
            ValueError::Form(expected) => expected.into_owned(),
        }),
    }
}

fn is_special(text: &str) -> bool {
    matches!(text, "NaN" | "Infinity" | "-Infinity")
}

/// The longest text of a 64-bit integer; longer ones have zeros in front, and limits of their own.
const LONGEST_INTEGER: usize = 20;

fn integer(bits: u8, text: &str) -> Result<Value, Expectation> {
    let exact = match text.parse() {
        Ok(value) if text.len() <= LONGEST_INTEGER => value,
        _ => match Decimal::parse(text).map(|decimal| decimal.integer()) {
            Some(Integer::Exactly(value)) => value,
            Some(Integer::TooLarge | Integer::TooSmall) => {
                return Err(format!("a whole number of {bits} bits"));
            }
            _ => return Err("a whole number".to_owned()),
        },
    };
    let fits = match bits {
        16 => i16::try_from(exact).is_ok(),
        32 => i32::try_from(exact).is_ok(),
        _ => true,
    };
    if fits { Ok(Value::Int(exact)) } else { Err(format!("a whole number of {bits} bits")) }
}

/// A number of a column without a type, which SQLite stores as it stores the literal.
fn untyped(number: &str) -> Result<Value, Expectation> {
    match untyped_number(number) {
        None => Err(decimal::expected(number).to_owned()),
        Some(Value::Float(value)) if value.is_infinite() => Err(decimal::float_range(64)),
        Some(value) => Ok(value),
    }
}

/// PostgreSQL's text form of an array; inner arrays are further dimensions.
fn array_literal(inner: &Type, elements: &[Json<'_>], out: &mut String) -> Result<(), Expectation> {
    out.push('{');
    for (index, element) in elements.iter().enumerate() {
        if index > 0 {
            out.push(array_delimiter(inner));
        }
        match &element.kind {
            // Further dimensions; but of a domain over arrays each element is an array.
            JsonKind::List(deeper) if !matches!(inner, Type::Json | Type::Array(_)) => {
                array_literal(inner, deeper, out)?;
            }
            JsonKind::Null => out.push_str("NULL"),
            _ => {
                let value = read(inner, element)
                    .map_err(|expected| format!("an array whose elements are each {expected}"))?;
                quote_element(&value, out);
            }
        }
    }
    out.push('}');
    Ok(())
}

#[cfg(test)]
mod tests {
    use duet_text::json::{BODY, read as read_json};

    use super::*;

    fn value(ty: &Type, text: &str) -> Result<Value, Expectation> {
        read(ty, &read_json(text, &BODY, 8).unwrap())
    }

    #[test]
    fn states_of_wrong_values() {
        for (ty, json, expected) in [
            (Type::Integer { bits: 16 }, "99999", "22003"),
            (Type::Integer { bits: 32 }, "\"99999999999999999999999\"", "22003"),
            (Type::Integer { bits: 32 }, "1.5", "22P02"),
            (Type::Integer { bits: 32 }, "\"x\"", "22P02"),
            (Type::Integer { bits: 32 }, "true", "22P02"),
            (Type::Float { bits: 32 }, "1e100", "22003"),
            (Type::Float { bits: 32 }, "\"x\"", "22P02"),
            (Type::Date, "\"x\"", "22007"),
            (Type::Date, "\"2024-02-30\"", "22008"),
            (Type::Timestamp, "\"2024-13-01T00:00:00\"", "22008"),
            (Type::Interval, "\"x\"", "22007"),
            (Type::Uuid, "\"x\"", "22P02"),
        ] {
            let json = read_json(json, &BODY, 8).unwrap();
            assert_eq!(sqlstate(&ty, &json), expected, "{ty:?} {json:?}");
        }
    }

    #[test]
    fn each_type_accepts_its_values() {
        let text = |text: &str| Ok(Value::Text(text.to_owned()));
        let decimal = Type::Decimal { scale: Some(2) };
        for (ty, json, expected) in [
            (&Type::Boolean, "true", Ok(Value::Bool(true))),
            (&Type::Integer { bits: 32 }, "7.0", Ok(Value::Int(7))),
            (
                &Type::Integer { bits: 64 },
                "\"9007199254740993\"",
                Ok(Value::Int(9_007_199_254_740_993)),
            ),
            (&decimal, "12345678901234567890.50", text("12345678901234567890.5")),
            (&decimal, "0.555", text("0.56")),
            (&Type::Float { bits: 64 }, "1e3", Ok(Value::Float(1000.0))),
            (&Type::Float { bits: 32 }, "0.1", text("0.1")),
            (&Type::Float { bits: 32 }, "-0", text("-0.0")),
            (&Type::Decimal { scale: None }, "\"Infinity\"", text("Infinity")),
            (
                &Type::Array(Box::new(Type::Array(Box::new(Type::Integer { bits: 32 })))),
                "[[1,2],null]",
                text(r#"{"{\"1\",\"2\"}",NULL}"#),
            ),
            (&Type::Text, "\"a\\\"b\"", text("a\"b")),
            (&Type::Date, "\"2022-03-20T00:00:00Z\"", text("2022-03-20")),
            (&Type::Timestamp, "\"2022-03-20\"", text("2022-03-20T00:00:00")),
            (
                &Type::Uuid,
                "\"6F2C1D1E5A0B4C3D9E8F0123456789AB\"",
                text("6f2c1d1e-5a0b-4c3d-9e8f-0123456789ab"),
            ),
            (&Type::Binary, "\"AP8=\"", Ok(Value::Bytes(vec![0, 255]))),
            (&Type::Json, "{\"a\": [1.50]}", text("{\"a\":[1.50]}")),
            (
                &Type::Array(Box::new(Type::Text)),
                "[\"a\\\"b\",null,[]]",
                text(r#"{"a\"b",NULL,{}}"#),
            ),
            (&Type::Dynamic, "0.5", Ok(Value::Float(0.5))),
            (&Type::Dynamic, "1.0", Ok(Value::Float(1.0))),
            (&Type::Dynamic, "-0", Ok(Value::Int(0))),
            (&Type::Dynamic, "\"1.0\"", text("1.0")),
            (&Type::Dynamic, "true", Ok(Value::Int(1))),
            (&Type::Text, "null", Ok(Value::Null)),
        ] {
            assert_eq!(value(ty, json), expected, "{json}");
        }
    }

    #[test]
    fn zeros_keep_their_sign() {
        for text in ["-0", "-0.0", "\"-0e5\""] {
            let zero = value(&Type::Float { bits: 64 }, text);
            assert!(matches!(zero, Ok(Value::Float(zero)) if zero.is_sign_negative()), "{text}");
        }
    }

    #[test]
    fn errors_say_what_is_expected() {
        for (ty, json, expected) in [
            (Type::Boolean, "1", "true or false"),
            (Type::Integer { bits: 16 }, "40000", "a whole number of 16 bits"),
            (Type::Integer { bits: 64 }, "1.5", "a whole number"),
            (Type::Integer { bits: 64 }, "92233720368547758080", "a whole number of 64 bits"),
            (Type::Float { bits: 32 }, "1e39", "a number from -3.4028235e38 to 3.4028235e38"),
            (
                Type::Float { bits: 64 },
                "-1e309",
                "a number from -1.7976931348623157e308 to 1.7976931348623157e308",
            ),
            (
                Type::Float { bits: 64 },
                "1e1000",
                "a number of at most 1,000 characters and an exponent of at most three digits",
            ),
            (
                Type::Decimal { scale: None },
                "-1e-1000",
                "a number of at most 1,000 characters and an exponent of at most three digits",
            ),
            (Type::Decimal { scale: None }, "\"1e\"", "a number"),
            (Type::Decimal { scale: None }, "\"inf\"", "a number"),
            (Type::Text, "5", "a string"),
            (Type::Text, "{}", "a string"),
            (
                Type::Date,
                "\"soon\"",
                "a date such as 2022-03-20, without a time other than midnight UTC",
            ),
            (
                Type::Array(Box::new(Type::Integer { bits: 32 })),
                "[\"x\"]",
                "an array whose elements are each a whole number",
            ),
        ] {
            assert_eq!(value(&ty, json), Err(expected.to_owned()), "{json}");
        }
    }

    #[test]
    fn equal_values_have_equal_forms() {
        let same = |ty: &Type, a: &str, b: &str| {
            same_value(ty, &read_json(a, &BODY, 8).unwrap(), &read_json(b, &BODY, 8).unwrap())
        };
        assert!(same(&Type::Decimal { scale: Some(2) }, "0.50", "0.5"));
        assert!(same(&Type::Timestamp, "\"2022-03-20T00:00:00\"", "\"2022-03-20\""));
        assert!(same(&Type::Json, "{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1.0}"));
        assert!(!same(&Type::Json, "{\"a\":1}", "{\"a\":2}"));
        assert!(!same(&Type::Integer { bits: 64 }, "\"many\"", "1"));
        assert!(same(&Type::Integer { bits: 64 }, "\"many\"", "\"many\""));
    }
}
