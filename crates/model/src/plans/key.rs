//! Converts text to typed values: keys in paths, page markers, and operands given as strings.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use duet_text::decimal::Decimal;
use duet_text::error::{Code, Error, Result};
use duet_text::json::{self, Json, JsonKind};
use duet_text::problem::quoted;
use duet_text::time::moment;

use crate::shapes::shape::Shape;
use crate::values::temporal;
use crate::values::types::Type;
use crate::values::value::Value;

/// RFC 4648 §4, with or without padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The key that is an empty text, or no bytes, as a path segment: an empty segment would be the collection's address. A
/// key of two apostrophes is percent-encoded.
pub const EMPTY: &str = "''";

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
    // Keys of stored documents are UUIDs, whatever type their column has.
    let ty = match shape.document() {
        Some(_) => &Type::Uuid,
        None => &shape.root().table.columns[column].ty,
    };
    let text = match (raw, ty) {
        (EMPTY, _) => Cow::Borrowed(""),
        // SQLite stores texts that are not UTF-8, and links lead to their rows too.
        (raw, Type::Text | Type::Char | Type::Dynamic) => match Value::of_text(&bytes_of(raw)?) {
            Value::Text(text) => Cow::Owned(text),
            raw => return Ok(raw),
        },
        (raw, _) => decoded(raw)?,
    };
    // The database's own form of an array is for parameters of services.
    let is_literal = matches!(ty, Type::Array(_)) && text.starts_with('{');
    let parsed = if is_literal { Err(ValueError::form(JSON_ARRAY)) } else { parse_text(ty, &text) };
    parsed.map_err(|problem| match problem {
        ValueError::Nul => nul_error(),
        ValueError::Form(expected) => {
            Error::new(Code::BadKey, format!("The key of {} must be {expected}.", shape.name))
        }
    })
}

fn nul_error() -> Error {
    Error::new(Code::NulCharacter, "Text cannot contain the NUL character (U+0000).")
}

/// Why a text is not a value of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueError {
    /// It contains U+0000.
    Nul,
    /// It has the wrong format; the text names the expected one, as in "must be …".
    Form(Cow<'static, str>),
}

impl ValueError {
    const fn form(expected: &'static str) -> Self {
        Self::Form(Cow::Borrowed(expected))
    }
}

/// How many labels of an enum a message lists.
const LISTED: usize = 12;

/// What a value of an enum must be, as in "must be …": its labels, the first twelve of many.
///
/// ```
/// let labels = ["ok".to_owned(), "sad".to_owned()];
/// assert_eq!(duet_model::key::one_of(&labels), "one of `ok`, `sad`");
/// ```
pub fn one_of(labels: &[String]) -> String {
    let listed: Vec<_> = labels.iter().take(LISTED).map(|label| quoted(label)).collect();
    let more = labels.len().saturating_sub(LISTED);
    let more = if more > 0 { format!(" and {more} others") } else { String::new() };
    format!("one of {}{more}", listed.join(", "))
}

/// Parses a value of a type from its text form.
///
/// # Errors
/// [`ValueError`] says what was expected.
pub fn parse_text(ty: &Type, text: &str) -> Result<Value, ValueError> {
    if let (Type::Integer { .. }, Ok(value)) = (ty, text.parse()) {
        return Ok(Value::Int(value));
    }
    if text.contains('\0') {
        return Err(ValueError::Nul);
    }
    let owned = || Value::Text(text.to_owned());
    let when =
        |fits: bool, expected| if fits { Ok(owned()) } else { Err(ValueError::form(expected)) };
    match ty {
        Type::Integer { .. } => Err(ValueError::form("a whole number of 64 bits")),
        Type::Boolean => match text {
            "true" | "t" | "1" => Ok(Value::Bool(true)),
            "false" | "f" | "0" => Ok(Value::Bool(false)),
            _ => Err(ValueError::form("true or false")),
        },
        Type::Decimal { .. } | Type::Float { .. } if is_special(text) => Ok(owned()),
        Type::Decimal { .. } => match Decimal::parse(text) {
            Some(decimal) => Ok(Value::Text(decimal.to_string())),
            None => Err(ValueError::form("a number, NaN, Infinity or -Infinity")),
        },
        Type::Float { bits } => Value::nearest_float(*bits, text).ok_or(ValueError::form(
            "a number within the range of floats, NaN, Infinity or -Infinity",
        )),
        Type::Uuid => match canonical_uuid(text) {
            Some(uuid) => Ok(Value::Text(uuid)),
            None => Err(ValueError::form("a UUID such as 6f2c1d1e-5a0b-4c3d-9e8f-0123456789ab")),
        },
        ty if ty.is_temporal() => {
            temporal::canonical(ty, text).map(Value::Text).map_err(ValueError::form)
        }
        Type::Interval => when(moment::is_duration(text), "an ISO 8601 duration such as P1DT8H"),
        Type::Enum(labels) => {
            let is_one = labels.iter().any(|label| label == text);
            if is_one { Ok(owned()) } else { Err(ValueError::Form(one_of(labels).into())) }
        }
        Type::Binary => {
            let bytes = BASE64.decode(text).map(Value::Bytes);
            bytes.map_err(|_| ValueError::form("bytes in base64"))
        }
        Type::Formatted(form) => {
            (form.canonical)(text).map(Value::Text).ok_or(ValueError::form(form.expected))
        }
        // A text: which of the values that have it as their key is meant, the database knows.
        Type::Dynamic => Ok(owned()),
        Type::Array(inner) => array(inner, text),
        // Of what the database alone has a form, it says itself what is none.
        _ => Ok(owned()),
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
    if !starts_as_number
        || Decimal::parse(text).is_none()
        || text.contains(".e")
        || text.ends_with('.')
    {
        return None;
    }
    text.parse().map(Value::Int).or_else(|_| text.parse().map(Value::Float)).ok()
}

fn is_special(text: &str) -> bool {
    matches!(text, "NaN" | "Infinity" | "-Infinity")
}

/// Arrays inside each other; PostgreSQL has six dimensions at most.
const DEEPEST_ARRAY: usize = 6;

const JSON_ARRAY: &str = "a JSON array of its type's values, such as [1,2]";

/// An array as documents show it, in JSON, becomes PostgreSQL's literal.
fn array(inner: &Type, text: &str) -> Result<Value, ValueError> {
    if text.starts_with('{') {
        // The database's own form.
        return Ok(Value::Text(text.to_owned()));
    }
    let expected = || ValueError::form(JSON_ARRAY);
    let json = json::read(text, &json::BODY, DEEPEST_ARRAY).map_err(|_| expected())?;
    let mut literal = String::new();
    match &json.kind {
        JsonKind::List(elements) => elements_of(inner, elements, &mut literal)?,
        _ => return Err(expected()),
    }
    Ok(Value::Text(literal))
}

/// What is between the elements of an array in PostgreSQL's text form (`pg_type.typdelim`).
pub fn array_delimiter(inner: &Type) -> char {
    match inner {
        Type::Native(native) if native.cast == "pg_catalog.box" => ';',
        Type::Array(inner) => array_delimiter(inner),
        _ => ',',
    }
}

fn elements_of(inner: &Type, elements: &[Json<'_>], out: &mut String) -> Result<(), ValueError> {
    out.push('{');
    for (index, element) in elements.iter().enumerate() {
        if index > 0 {
            out.push(array_delimiter(inner));
        }
        let value = match &element.kind {
            JsonKind::Null => {
                out.push_str("NULL");
                continue;
            }
            JsonKind::List(deeper) => match inner {
                // An array that is one value, of a domain over arrays.
                Type::Array(inner) => {
                    let mut literal = String::new();
                    elements_of(inner, deeper, &mut literal)?;
                    Value::Text(literal)
                }
                Type::Json => json_text(element),
                _ => {
                    elements_of(inner, deeper, out)?;
                    continue;
                }
            },
            JsonKind::Number(number) => parse_text(inner, number)?,
            JsonKind::Bool(value) => parse_text(inner, if *value { "true" } else { "false" })?,
            JsonKind::Text(text) if !matches!(inner, Type::Json) => parse_text(inner, text)?,
            _ => json_text(element),
        };
        quote_element(&value, out);
    }
    out.push('}');
    Ok(())
}

fn json_text(json: &Json<'_>) -> Value {
    let mut text = String::new();
    json.write(&mut text);
    Value::Text(text)
}

/// Appends an element of PostgreSQL's literal of an array, in quotes.
pub fn quote_element(value: &Value, out: &mut String) {
    out.push('"');
    match value {
        Value::Bytes(_) => {
            out.push_str("\\\\x");
            out.push_str(&value.to_string());
        }
        other => {
            for char in other.to_string().chars() {
                if matches!(char, '"' | '\\') {
                    out.push('\\');
                }
                out.push(char);
            }
        }
    }
    out.push('"');
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
    match bytes_of(raw)? {
        Cow::Borrowed(_) => Ok(Cow::Borrowed(raw)),
        Cow::Owned(bytes) => String::from_utf8(bytes).map(Cow::Owned).map_err(|_| broken()),
    }
}

fn broken() -> Error {
    let message = "A part of the path or query is not valid percent-encoded UTF-8.";
    Error::new(Code::BadRequest, message)
}

/// The bytes that a percent-encoded text stands for.
fn bytes_of(raw: &str) -> Result<Cow<'_, [u8]>> {
    if !raw.as_bytes().contains(&b'%') {
        return Ok(Cow::Borrowed(raw.as_bytes()));
    }
    let mut bytes = Vec::with_capacity(raw.len());
    let mut rest = raw.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || char::from(rest.next()?).to_digit(16);
        let (high, low) = (digit().ok_or_else(broken)?, digit().ok_or_else(broken)?);
        bytes.push(u8::try_from(high * 16 + low).map_err(|_| broken())?);
    }
    Ok(Cow::Owned(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::text_form::TextForm;

    #[test]
    fn parses_numbers() {
        let integer = Type::Integer { bits: 64 };
        assert_eq!(parse_text(&integer, "9007199254740993"), Ok(Value::Int(9_007_199_254_740_993)));
        assert!(parse_text(&integer, "1.5").is_err());
        assert!(parse_text(&integer, "92233720368547758080").is_err());
        let decimal = Type::Decimal { scale: Some(2) };
        for (text, expected) in [
            ("1", "1"),
            ("-1.50", "-1.5"),
            (".5", "0.5"),
            ("1.", "1"),
            ("1E-3", "0.001"),
            ("NaN", "NaN"),
        ] {
            assert_eq!(parse_text(&decimal, text), Ok(Value::Text(expected.into())), "{text}");
        }
        for bad in ["", "-", ".", "1e", "1e1000", "0x10", "1;2", "inf"] {
            assert!(parse_text(&decimal, bad).is_err(), "{bad}");
        }
        let [double, single] = [64, 32].map(|bits| Type::Float { bits });
        assert_eq!(parse_text(&double, "1e300"), Ok(Value::Float(1e300)));
        assert_eq!(parse_text(&single, "0.10"), Ok(Value::Text("0.1".into())));
        assert!(parse_text(&double, "1e400").is_err() && parse_text(&single, "1e39").is_err());
    }

    #[test]
    fn arrays_are_json() {
        let array = |inner| Type::Array(Box::new(inner));
        let literal = |ty: &Type, text| parse_text(ty, text).map(|value| value.to_string());
        let numbers = array(Type::Integer { bits: 32 });
        assert_eq!(literal(&numbers, "[1, null,2]").unwrap(), r#"{"1",NULL,"2"}"#);
        assert_eq!(literal(&numbers, "[[1],[2]]").unwrap(), r#"{{"1"},{"2"}}"#);
        assert_eq!(literal(&numbers, "[]").unwrap(), "{}");
        assert_eq!(literal(&array(Type::Binary), r#"["AP8="]"#).unwrap(), r#"{"\\x00ff"}"#);
        assert_eq!(literal(&array(Type::Text), r#"["a\"\\"]"#).unwrap(), r#"{"a\"\\"}"#);
        for wrong in ["", "1", "[x]", "[\"x\"]", "[1"] {
            assert!(parse_text(&numbers, wrong).is_err(), "{wrong}");
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
    fn dates_and_times_are_canonical() {
        for (ty, text, expected) in [
            (Type::Date, "20220320", "2022-03-20"),
            (Type::Timestamp, "2022-03-20T00:00", "2022-03-20T00:00:00"),
            (Type::TimestampTz, "-infinity", "-infinity"),
            (Type::TimeTz, "24:00:00Z", "24:00:00Z"),
        ] {
            assert_eq!(parse_text(&ty, text), Ok(Value::Text(expected.into())), "{text}");
        }
        for bad in ["2022-13-01", "2023-02-29", "2022-03-20x", "é022-03-20", "today"] {
            assert!(parse_text(&Type::Date, bad).is_err(), "{bad}");
        }
        for offset in ["+99:00", "+16:00", "+20:00", "-16"] {
            assert!(parse_text(&Type::TimeTz, &format!("01:00:00{offset}")).is_err(), "{offset}");
        }
        assert!(parse_text(&Type::Interval, "1 day").is_err());
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
