//! The order of values inside JSON: `false`, `true`, numbers by value, strings by code point, then
//! arrays and objects, which are equal. What is missing or `null` has no place among them.
//!
//! Values are encoded as byte keys, so that a store without a suitable order can sort by them.
//! Their first byte is the kind. A number that is not 0 follows as its sign, its power of ten and its
//! digits: 120 is 0.12 · 10³. Those of negative numbers are inverted, with 255 behind them.

use duet_text::effort::{Effort, Interruption};
use duet_text::json::{Json, JsonKind, read_stored};

use crate::json::{DEPTH, member};

const FALSE: u8 = 1;
const TRUE: u8 = 2;
const NUMBER: u8 = 3;
const TEXT: u8 = 4;
const OTHER: u8 = 5;

const NEGATIVE: u8 = 1;
const ZERO: u8 = 2;
const POSITIVE: u8 = 3;

/// The key of the value at these member names of a stored JSON text; `None` for `null`, for what is
/// missing, and for a text that is not JSON. A name leads to a member of an object and nowhere else.
///
/// # Errors
/// [`Interruption`] where the effort is over.
pub fn order_key(
    stored: &str,
    path: &[String],
    effort: &Effort<'_>,
) -> Result<Option<Vec<u8>>, Interruption> {
    let Some(root) = read_stored(stored, DEPTH, effort)? else { return Ok(None) };
    let value = path.iter().try_fold(&root, |value: &Json<'_>, step| member(value, step));
    let Some(value) = value else { return Ok(None) };
    Ok(Some(match &value.kind {
        JsonKind::Null => return Ok(None),
        JsonKind::Bool(false) => vec![FALSE],
        JsonKind::Bool(true) => vec![TRUE],
        JsonKind::Number(number) => of_number(number),
        JsonKind::Text(text) => [&[TEXT], text.as_bytes()].concat(),
        JsonKind::List(_) | JsonKind::Object(_) => vec![OTHER],
    }))
}

fn of_number(number: &str) -> Vec<u8> {
    let (unsigned, is_negative) = match number.strip_prefix('-') {
        Some(rest) => (rest, true),
        None => (number, false),
    };
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let leading = digits.len() - digits.trim_start_matches('0').len();
    let digits = digits.trim_matches('0');
    if digits.is_empty() {
        return vec![NUMBER, ZERO];
    }
    // An exponent beyond these is beyond all digits that can be written.
    let exponent = exponent.parse::<i64>().unwrap_or(match exponent.starts_with('-') {
        true => i64::from(i32::MIN),
        false => i64::from(i32::MAX),
    });
    let place = |length: usize| i64::try_from(length).unwrap_or(i64::MAX);
    let power = exponent.saturating_add(place(whole.len())).saturating_sub(place(leading));
    // Bytes compare without a sign.
    let power = (power.cast_unsigned() ^ (1 << 63)).to_be_bytes();
    let magnitude = power.iter().chain(digits.as_bytes());
    let mut key = vec![NUMBER, if is_negative { NEGATIVE } else { POSITIVE }];
    if is_negative {
        key.extend(magnitude.map(|byte| !byte));
        key.push(u8::MAX);
    } else {
        key.extend(magnitude);
    }
    key
}

#[cfg(test)]
mod tests {
    use duet_text::decimal::Decimal;
    use proptest::prelude::*;

    use super::*;

    fn key(json: &str) -> Option<Vec<u8>> {
        at(json, &[])
    }

    fn at(json: &str, path: &[String]) -> Option<Vec<u8>> {
        order_key(json, path, &Effort::unlimited()).unwrap()
    }

    #[test]
    fn kinds_follow_each_other() {
        let ascending = [
            "false",
            "true",
            "-1e400",
            "-2",
            "-1.5",
            "-1.05",
            "-1",
            "-0.1",
            "0",
            "1e-400",
            "0.05",
            "0.1",
            "0.12",
            "1",
            "9",
            "10",
            "11",
            "1e400",
            "\"\"",
            "\"A\"",
            "\"a\"",
            "\"ab\"",
            "\"é\"",
            "\"\u{ffff}\"",
            "\"\u{10000}\"",
            "[]",
        ];
        for pair in ascending.windows(2) {
            assert!(key(pair[0]) < key(pair[1]), "{pair:?}");
        }
        for equal in [["-0", "0"], ["1.0", "1"], ["100", "1e2"], ["0.010", "1E-2"], ["[1]", "{}"]] {
            assert_eq!(key(equal[0]), key(equal[1]), "{equal:?}");
        }
        assert_eq!((key("null"), key("no JSON")), (None, None));
    }

    #[test]
    fn paths_only_lead_through_objects() {
        let path = ["a".to_owned(), "b".to_owned()];
        assert_eq!(at(r#"{"a":{"b":1,"b":2}}"#, &path), key("2"));
        assert_eq!(at(r#"{"a":[{"b":1}]}"#, &path), None);
        assert_eq!(at(r#"{"a":{}}"#, &path), None);
    }

    proptest! {
        #[test]
        fn numbers_order_by_value(
            a in "-?(0|[1-9][0-9]{0,3})(\\.[0-9]{1,4})?([eE][+-]?[0-9])?",
            b in "-?(0|[1-9][0-9]{0,3})(\\.[0-9]{1,4})?([eE][+-]?[0-9])?",
        ) {
            let decimal = |text: &str| Decimal::parse(text).unwrap();
            prop_assert_eq!(key(&a).cmp(&key(&b)), decimal(&a).cmp(&decimal(&b)), "{} {}", a, b);
        }
    }
}
