//! Numbers in columns of SQLite without a type, as CSV shows them: fields have no types, so a text is a number where the
//! number is shown by this text, and any other text would lose its spelling.

use duet_model::Value;
use duet_model::key::untyped_number;

use super::codec::Codec;
use super::rows::Datum;

/// The number that is shown as this text; `None` where none is.
pub(crate) fn shown_number(text: &str) -> Option<Value> {
    let number = untyped_number(text)?;
    let cell = match number {
        Value::Int(value) => Datum::Int(value),
        Value::Float(value) => Datum::Real(value),
        _ => return None,
    };
    let mut shown = Vec::new();
    Codec::Text.write(cell, &mut shown);
    (shown == text.as_bytes()).then_some(number)
}

/// Whether a stored text is that of a number.
pub(crate) fn is_shown_number(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok_and(|text| shown_number(text).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_what_is_shown_so() {
        for text in ["0", "-7", "1.5", "1.0", "-0.0", "1e300", "5e-324"] {
            assert!(is_shown_number(text.as_bytes()), "{text}");
        }
        for text in ["", "007", "1.50", "1e3", "+1", "-0", "NaN", "Infinity", "x", " 1"] {
            assert!(!is_shown_number(text.as_bytes()), "{text}");
        }
    }
}
