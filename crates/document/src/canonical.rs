//! The canonical text of a stored document: that of PostgreSQL's `jsonb`, without its blanks.
//!
//! Members are ordered by the length of their names, then by their bytes; of two with one name the last
//! one counts. Numbers have the digits of `numeric`: no exponent, zeros at the end kept. So a document
//! has the same bytes and the same etag on every store.

use std::fmt;

use duet_text::json::{Json, JsonKind, JsonMember};

use crate::cells::json::write_string;

/// The most digits before and after the point that `numeric` has (PostgreSQL, table 8.2).
const DIGITS: (usize, usize) = (131_072, 16_383);

/// Why a document cannot be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unstorable {
    /// The JSON pointer of the value.
    pub pointer: String,
    /// What is wrong with it, as a sentence.
    pub message: &'static str,
}

impl fmt::Display for Unstorable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message)
    }
}

/// Appends the canonical text of a value.
///
/// ```
/// use duet_text::json::{BODY, read};
///
/// let body = read(r#"{"name": "A", "id": 1.50e1, "id": 15.0}"#, &duet_text::json::STORED, 8)?;
/// let mut text = Vec::new();
/// duet_document::write_canonical(&body, &mut text).unwrap();
/// assert_eq!(text, br#"{"id":15.0,"name":"A"}"#);
/// # Ok::<_, duet_model::Error>(())
/// ```
///
/// # Errors
/// For the character U+0000, which no store keeps, and numbers with more digits than `numeric` has.
pub fn write_canonical(json: &Json<'_>, out: &mut Vec<u8>) -> Result<(), Unstorable> {
    write(json, out).map_err(|Wrong { steps, message }| {
        let steps = steps.into_iter().rev();
        let pointer = steps
            .fold(String::new(), |pointer, step| duet_model::row_tree::pointer(&pointer, &step));
        Unstorable { pointer, message }
    })
}

/// What is wrong, and where: the innermost step first.
struct Wrong {
    steps: Vec<String>,
    message: &'static str,
}

fn write(json: &Json<'_>, out: &mut Vec<u8>) -> Result<(), Wrong> {
    match &json.kind {
        JsonKind::Null => out.extend_from_slice(b"null"),
        JsonKind::Bool(value) => out.extend_from_slice(if *value { b"true" } else { b"false" }),
        JsonKind::Number(number) => write_number(number, out)?,
        JsonKind::Text(text) => write_text(text, out)?,
        JsonKind::List(elements) => {
            out.push(b'[');
            for (index, element) in elements.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write(element, out).map_err(|wrong| wrong.below(&index.to_string()))?;
            }
            out.push(b']');
        }
        JsonKind::Object(members) => write_object(members, out)?,
    }
    Ok(())
}

impl Wrong {
    fn new(message: &'static str) -> Self {
        Self { steps: Vec::new(), message }
    }

    fn below(mut self, step: &str) -> Self {
        self.steps.push(step.to_owned());
        self
    }
}

fn write_object(members: &[JsonMember<'_>], out: &mut Vec<u8>) -> Result<(), Wrong> {
    let mut sorted: Vec<&JsonMember<'_>> = members.iter().collect();
    sorted.sort_by(|a, b| a.name.len().cmp(&b.name.len()).then_with(|| a.name.cmp(&b.name)));
    out.push(b'{');
    let mut first = true;
    for (at, member) in sorted.iter().enumerate() {
        if sorted.get(at + 1).is_some_and(|next| next.name == member.name) {
            continue;
        }
        if !std::mem::replace(&mut first, false) {
            out.push(b',');
        }
        write_text(&member.name, out).map_err(|wrong| wrong.below(&member.name))?;
        out.push(b':');
        write(&member.value, out).map_err(|wrong| wrong.below(&member.name))?;
    }
    out.push(b'}');
    Ok(())
}

fn write_text(text: &str, out: &mut Vec<u8>) -> Result<(), Wrong> {
    if text.contains('\0') {
        return Err(Wrong::new("Text cannot contain the NUL character (U+0000)."));
    }
    write_string(text.as_bytes(), out);
    Ok(())
}

/// A JSON number with the digits of `numeric`: the scale is that of the digits that are written, less the
/// exponent.
fn write_number(number: &str, out: &mut Vec<u8>) -> Result<(), Wrong> {
    let too_long = || Wrong::new("The number has more digits than can be stored.");
    let (sign, unsigned) = match number.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", number),
    };
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let exponent: i64 = exponent.parse().map_err(|_| too_long())?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = [whole, fraction].concat();
    // Where the point is, counted from the first digit.
    let length = |text: &str| i64::try_from(text.len()).unwrap_or(i64::MAX);
    let point = length(whole).saturating_add(exponent);
    let scale = length(fraction).saturating_sub(exponent).max(0);
    let scale = usize::try_from(scale).map_err(|_| too_long())?;
    let is_zero = digits.bytes().all(|digit| digit == b'0');
    if scale > DIGITS.1 || (!is_zero && point > i64::try_from(DIGITS.0).unwrap_or(i64::MAX)) {
        return Err(too_long());
    }
    let point = if is_zero { point.min(length(whole)) } else { point };
    let split = usize::try_from(point.max(0)).unwrap_or(0);
    let mut before: String = digits.chars().take(split).collect();
    before.extend(std::iter::repeat_n('0', split.saturating_sub(digits.len())));
    let before = before.trim_start_matches('0');
    let mut after = String::new();
    if point < 0 {
        after.extend(std::iter::repeat_n('0', usize::try_from(-point).unwrap_or(0)));
    }
    after.extend(digits.chars().skip(split));
    after.truncate(scale);
    let sign = if is_zero { "" } else { sign };
    out.extend_from_slice(sign.as_bytes());
    out.extend_from_slice(if before.is_empty() { b"0" } else { before.as_bytes() });
    if scale > 0 {
        out.push(b'.');
        out.extend_from_slice(after.as_bytes());
        out.extend(std::iter::repeat_n(b'0', scale - after.len()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use duet_text::json::{STORED, read};

    use super::*;

    fn canonical(text: &str) -> Result<String, Unstorable> {
        let mut out = Vec::new();
        write_canonical(&read(text, &STORED, 64).unwrap(), &mut out)?;
        Ok(String::from_utf8(out).unwrap())
    }

    /// What `SELECT x::jsonb` gives, without its blanks.
    #[test]
    fn texts_are_those_of_jsonb() {
        for (given, expected) in [
            (r#"{"bb":1,"a":2,"c":3,"aa":4}"#, r#"{"a":2,"c":3,"aa":4,"bb":1}"#),
            (r#"{"a":1,"b":2,"a":3}"#, r#"{"a":3,"b":2}"#),
            (r#"{"é":1,"zz":2,"z":3}"#, r#"{"z":3,"zz":2,"é":1}"#),
            (" [ 1 , {} , [ ] ] ", "[1,{},[]]"),
            (r#""\u00e9\/\u001f\b\"\\""#, "\"é/\\u001f\\b\\\"\\\\\""),
            ("1.50", "1.50"),
            ("-0", "0"),
            ("-0.00", "0.00"),
            ("1e3", "1000"),
            ("1.5e1", "15"),
            ("1.50E+1", "15.0"),
            ("12E-5", "0.00012"),
            ("0.010e2", "1.0"),
            ("100e-2", "1.00"),
            ("0e-3", "0.000"),
            ("0e999999", "0"),
            ("12345678901234567890.123", "12345678901234567890.123"),
        ] {
            assert_eq!(canonical(given).as_deref(), Ok(expected), "{given}");
        }
    }

    #[test]
    fn errors_have_a_place() {
        // The parser refuses the character; a default of a schema may have it.
        let text = Json::new(JsonKind::Text("x\0".into()));
        let member = |name: &'static str, value| JsonMember { at: 0, name: name.into(), value };
        let inner = Json::new(JsonKind::Object(vec![member("b/c", text)]));
        let list = Json::new(JsonKind::List(vec![Json::new(JsonKind::Null), inner]));
        let document = Json::new(JsonKind::Object(vec![member("a", list)]));
        let wrong = write_canonical(&document, &mut Vec::new()).unwrap_err();
        assert_eq!(wrong.pointer, "/a/1/b~1c");
        assert!(wrong.message.contains("U+0000"));
        for long in ["1e131073", "1e-16384", "1e99999999999999999999"] {
            assert!(canonical(long).is_err(), "{long}");
        }
    }
}
