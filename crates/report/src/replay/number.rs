//! A published figure: its value, and the digits that it was published with.

use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// A figure of a report.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Number {
    /// Its value.
    pub(super) value: f64,
    text: String,
}

impl fmt::Display for Number {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(&self.text)
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = match Value::deserialize(from)? {
            Value::Number(number) => number.to_string(),
            // With zeros at its end, which a number would lose.
            Value::String(text) => text,
            other => return Err(D::Error::custom(format!("{other} is no figure"))),
        };
        let value = text.parse().map_err(D::Error::custom)?;
        Ok(Self { value, text })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_stay_as_they_were_published() {
        let numbers: Vec<Number> = serde_json::from_str("[111.435388, \"290.30\", 1790]").unwrap();
        let texts: Vec<String> = numbers.iter().map(ToString::to_string).collect();
        assert_eq!(texts, ["111.435388", "290.30", "1790"]);
        assert_eq!(numbers[1].value, 290.3);
        assert!(serde_json::from_str::<Number>("\"many\"").is_err());
    }
}
