//! Converts text to typed values: keys in paths, page markers, and operands given as strings.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use crate::error::{Code, Error, Result};
use crate::shape::Shape;
use crate::temporal;
use crate::types::Type;
use crate::value::Value;

/// RFC 4648 §4, with or without padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Parses the key of an item from its percent-encoded path segment. The values of a composite key are
/// separated by commas, in key order, each percent-encoded.
///
/// # Errors
/// [`Code::BadKey`] if the number of values or a value does not fit the shape's key, and
/// [`Code::NulCharacter`] for text with a NUL.
pub fn parse_key(shape: &Shape, segment: &str) -> Result<Vec<Value>> {
    if let [only] = shape.key[..] {
        return Ok(vec![parse_part(shape, only, segment)?]);
    }
    let parts: Vec<&str> = segment.split(',').collect();
    if parts.len() != shape.key.len() {
        let names: Vec<_> = shape.key.iter().map(|&column| column_name(shape, column)).collect();
        return Err(Error::new(
            Code::BadKey,
            format!(
                "The key of {} has {} values, {}, joined by commas; the path has {}.",
                shape.name,
                names.len(),
                names.join(","),
                parts.len()
            ),
        ));
    }
    shape.key.iter().zip(parts).map(|(&column, part)| parse_part(shape, column, part)).collect()
}

fn column_name(shape: &Shape, column: usize) -> &str {
    &shape.root().table.columns[column].name
}

fn parse_part(shape: &Shape, column: usize, raw: &str) -> Result<Value> {
    let text = decoded(raw)?;
    // Keys of stored documents are UUIDs, whatever type their column has.
    let ty = match shape.document() {
        Some(_) => &Type::Uuid,
        None => &shape.root().table.columns[column].ty,
    };
    parse_text(ty, &text).map_err(|problem| match problem {
        Problem::Nul => nul_error(),
        Problem::Form(expected) => {
            Error::new(Code::BadKey, format!("The key of {} must be {expected}.", shape.name))
        }
    })
}

fn nul_error() -> Error {
    Error::new(Code::NulCharacter, "Text cannot contain the NUL character (U+0000).")
}

/// Why a text is not a value of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// It contains U+0000.
    Nul,
    /// It has the wrong format; the text names the expected one, as in "must be …".
    Form(&'static str),
}

/// Parses a value of a type from its text form.
///
/// # Errors
/// [`Problem`] says what was expected.
pub fn parse_text(ty: &Type, text: &str) -> Result<Value, Problem> {
    if let (Type::Integer { .. }, Ok(value)) = (ty, text.parse()) {
        return Ok(Value::Int(value));
    }
    if text.contains('\0') {
        return Err(Problem::Nul);
    }
    let owned = || Value::Text(text.to_owned());
    let when = |fits: bool, expected| if fits { Ok(owned()) } else { Err(Problem::Form(expected)) };
    match ty {
        Type::Integer { .. } => Err(Problem::Form("a whole number of 64 bits")),
        Type::Boolean => match text {
            "true" | "t" | "1" => Ok(Value::Bool(true)),
            "false" | "f" | "0" => Ok(Value::Bool(false)),
            _ => Err(Problem::Form("true or false")),
        },
        Type::Decimal { .. } | Type::Float { .. } => match text {
            "NaN" | "Infinity" | "-Infinity" => Ok(owned()),
            _ => when(is_decimal(text), "a number, NaN, Infinity or -Infinity"),
        },
        Type::Uuid => match canonical_uuid(text) {
            Some(uuid) => Ok(Value::Text(uuid)),
            None => Err(Problem::Form("a UUID such as 6f2c1d1e-5a0b-4c3d-9e8f-0123456789ab")),
        },
        Type::Date => when(temporal::date(text).is_some(), "a date such as 2022-03-20"),
        Type::Time => when(temporal::after_clock(text) == Some(""), "a time such as 01:37:33.584"),
        Type::TimeTz => when(
            temporal::after_clock(text).is_some_and(temporal::is_offset),
            "a time with zone such as 01:37:33+02:00",
        ),
        Type::Timestamp | Type::TimestampTz => when(
            temporal::is_moment(text),
            "a date and time such as 2022-03-20T00:00:00 or 2022-03-20T00:00:00Z",
        ),
        Type::Enum(labels) => {
            when(labels.iter().any(|label| label == text), "one of the type's labels")
        }
        Type::Binary => {
            let bytes = BASE64.decode(text).map(Value::Bytes);
            bytes.map_err(|_| Problem::Form("bytes in base64"))
        }
        Type::Formatted(form) => {
            (form.canonical)(text).map(Value::Text).ok_or(Problem::Form(form.expected))
        }
        // A text: which of the values that have it as their key is meant, the database knows.
        Type::Dynamic | Type::Other => Ok(owned()),
        Type::Text | Type::Char | Type::Interval => Ok(owned()),
        Type::Json | Type::Array(_) | Type::Composite(_) | Type::Pair(_) => Ok(owned()),
    }
}

/// A number in JSON notation as SQLite stores it where a column has no type: a whole number of 64 bits as an integer, any
/// other as the nearest float, which may be an infinity. `None` for any other text.
pub fn untyped_number(text: &str) -> Option<Value> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let starts_as_number = match digits.as_bytes() {
        [b'0'] => true,
        [b'0', next, ..] => matches!(next, b'.' | b'e' | b'E'),
        [first, ..] => first.is_ascii_digit(),
        [] => false,
    };
    if !starts_as_number || !is_decimal(text) || text.contains(".e") || text.ends_with('.') {
        return None;
    }
    text.parse().map(Value::Int).or_else(|_| text.parse().map(Value::Float)).ok()
}

/// Whether the text is a decimal number in JSON or SQL syntax, with at most 1,000 digits and an
/// exponent of at most three digits.
fn is_decimal(text: &str) -> bool {
    let body = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, exponent) = match body.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (body, None),
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent_fits = exponent.is_none_or(|exponent| {
        let exponent = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
        (1..=3).contains(&exponent.len()) && digits(exponent)
    });
    !(whole.is_empty() && fraction.is_empty())
        && digits(whole)
        && digits(fraction)
        && text.len() <= 1_000
        && exponent_fits
}

fn canonical_uuid(text: &str) -> Option<String> {
    let hex: String = text.chars().filter(|&char| char != '-').collect();
    let fits = hex.len() == 32
        && matches!(text.len(), 32 | 36)
        && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
    fits.then(|| {
        let hex = hex.to_lowercase();
        format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
    })
}

/// Decodes `%XX` sequences; the result must be UTF-8.
///
/// # Errors
/// [`Code::BadRequest`] for a broken sequence or bytes that are not UTF-8.
pub fn percent_decode(raw: &str) -> Result<String> {
    decoded(raw).map(Cow::into_owned)
}

fn decoded(raw: &str) -> Result<Cow<'_, str>> {
    if !raw.as_bytes().contains(&b'%') {
        return Ok(Cow::Borrowed(raw));
    }
    let bad = || {
        Error::new(
            Code::BadRequest,
            "A part of the path or query is not valid percent-encoded UTF-8.",
        )
    };
    let mut bytes = Vec::with_capacity(raw.len());
    let mut rest = raw.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || char::from(rest.next()?).to_digit(16);
        let (high, low) = (digit().ok_or_else(bad)?, digit().ok_or_else(bad)?);
        bytes.push(u8::try_from(high * 16 + low).map_err(|_| bad())?);
    }
    String::from_utf8(bytes).map(Cow::Owned).map_err(|_| bad())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text_form::TextForm;

    #[test]
    fn parses_numbers() {
        let integer = Type::Integer { bits: 64 };
        assert_eq!(parse_text(&integer, "9007199254740993"), Ok(Value::Int(9_007_199_254_740_993)));
        assert!(parse_text(&integer, "1.5").is_err());
        assert!(parse_text(&integer, "92233720368547758080").is_err());
        for good in ["1", "-1.50", ".5", "1.", "1e10", "1E-3"] {
            assert!(is_decimal(good), "{good}");
        }
        for bad in ["", "-", ".", "1e", "1e1000", "0x10", "1;2"] {
            assert!(!is_decimal(bad), "{bad}");
        }
    }

    #[test]
    fn parses_bytes_and_untyped_values() {
        assert_eq!(parse_text(&Type::Binary, "AP8="), Ok(Value::Bytes(vec![0, 255])));
        assert_eq!(parse_text(&Type::Binary, "AP8"), Ok(Value::Bytes(vec![0, 255])));
        assert!(parse_text(&Type::Binary, "no base64").is_err());
        for text in ["5", "05", "NaN", "five", ""] {
            for ty in [Type::Dynamic, Type::Other] {
                assert_eq!(parse_text(&ty, text), Ok(Value::Text(text.into())), "{text}");
            }
        }
        for (text, value) in [
            ("-5", Value::Int(-5)),
            ("-0", Value::Int(0)),
            ("0.5", Value::Float(0.5)),
            ("5.0", Value::Float(5.0)),
            ("1e3", Value::Float(1000.0)),
            ("12345678901234567890", Value::Float(12_345_678_901_234_567_890.0)),
            ("1e400", Value::Float(f64::INFINITY)),
        ] {
            assert_eq!(untyped_number(text), Some(value), "{text}");
        }
        for text in ["", "-", "05", "+5", ".5", "5.", "5.e1", "1e", "NaN", "five", " 5"] {
            assert_eq!(untyped_number(text), None, "{text}");
        }
    }

    #[test]
    fn canonicalizes_addresses() {
        let inet = Type::Formatted(TextForm::of("inet").unwrap());
        assert_eq!(parse_text(&inet, "10.0.0.1/32"), Ok(Value::Text("10.0.0.1".into())));
        assert!(parse_text(&inet, "nonsense").is_err());
    }

    #[test]
    fn parses_dates_and_times() {
        for good in
            ["2022-03-20", "2022-03-20T00:00", "2022-03-20 01:02:03.5", "2024-02-29T00:00:00Z"]
        {
            assert!(temporal::is_moment(good), "{good}");
        }
        for bad in [
            "2022-13-01",
            "2023-02-29",
            "2022-3-1",
            "2022-03-20X",
            "2022-03-20T25:00",
            "infinity",
            "é022-03-20",
        ] {
            assert!(!temporal::is_moment(bad), "{bad}");
        }
        assert!(temporal::is_moment("2022-03-20T00:00:00+02:00"));
        for offset in ["+99:00", "+16:00", "+20:00", "-16"] {
            assert!(!temporal::is_moment(&format!("2022-03-20T00:00:00{offset}")), "{offset}");
            assert!(parse_text(&Type::TimeTz, &format!("01:00:00{offset}")).is_err(), "{offset}");
        }
    }

    #[test]
    fn decodes_percent_encoding() {
        assert_eq!(percent_decode("a%2Cb%C3%A9").unwrap(), "a,bé");
        for bad in ["%", "%4", "%zz", "%ff"] {
            assert!(percent_decode(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn canonicalizes_uuids() {
        assert_eq!(
            canonical_uuid("6F2C1D1E5A0B4C3D9E8F0123456789AB").as_deref(),
            Some("6f2c1d1e-5a0b-4c3d-9e8f-0123456789ab")
        );
        assert_eq!(canonical_uuid("6f2c"), None);
    }
}
