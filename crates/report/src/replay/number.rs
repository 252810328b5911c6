//! A published figure: its value, and its published digits.

use std::fmt;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};

/// A figure, published or measured, as printed.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Number {
    /// Its value.
    pub(super) value: f64,
    text: String,
}

impl Number {
    /// A figure with the text that is printed.
    pub(super) fn new(value: f64, text: String) -> Self {
        Self { value, text }
    }

    /// A figure with so many decimals.
    pub(super) fn rounded(value: f64, decimals: usize) -> Self {
        Self { value, text: format!("{value:.decimals$}") }
    }

    /// A figure as it was published.
    fn published(text: &str) -> Option<Self> {
        let value = text.parse().ok().filter(|value: &f64| value.is_finite())?;
        Some(Self { value, text: text.to_owned() })
    }
}

impl fmt::Display for Number {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(&self.text)
    }
}

/// A cell of the published table.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged, expecting = "neither a text nor a list of figures in quotes")]
pub(super) enum Cell {
    /// A label or a figure; empty if the report has none.
    Text(String),
    /// Figures of several runs.
    Runs(Vec<Number>),
}

impl Cell {
    /// The figures of the cell.
    pub(super) fn numbers(&self) -> Option<Vec<Number>> {
        match self {
            Self::Text(text) if text.is_empty() => Some(Vec::new()),
            Self::Text(text) => Some(vec![Number::published(text)?]),
            Self::Runs(numbers) => Some(numbers.clone()),
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    /// From a text: a number would lose trailing zeros.
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Text;
        impl Visitor<'_> for Text {
            type Value = Number;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a figure in quotes, with the digits that were published")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Number, E> {
                Number::published(text)
                    .ok_or_else(|| E::custom(format!("\"{text}\" is not a figure")))
            }
        }
        from.deserialize_str(Text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(text: &str) -> Result<Vec<Cell>, toml::de::Error> {
        #[derive(Deserialize)]
        struct Row {
            row: Vec<Cell>,
        }
        toml::from_str(&format!("row = {text}")).map(|row: Row| row.row)
    }

    #[test]
    fn digits_stay_as_they_were_published() {
        let read = cells("[\"111.435388\", \"290.30\", [\"13.14\", \"1790\"], \"\", \"view\"]");
        let read: Vec<_> = read.unwrap().iter().map(Cell::numbers).collect();
        let texts: Vec<Option<Vec<String>>> = read
            .iter()
            .map(|it| it.as_ref().map(|it| it.iter().map(ToString::to_string).collect()))
            .collect();
        let of = |texts: &[&str]| Some(texts.iter().map(|text| (*text).to_owned()).collect());
        let expected =
            [of(&["111.435388"]), of(&["290.30"]), of(&["13.14", "1790"]), of(&[]), None];
        assert_eq!(texts, expected);
        assert_eq!(read[1].as_ref().unwrap()[0].value, 290.3);
    }

    #[test]
    fn a_number_without_quotes_is_refused() {
        for text in ["[290.30]", "[[1.0]]", "[\"1\", true]", "[[\"many\"]]"] {
            assert!(cells(text).is_err(), "{text}");
        }
    }
}
