//! Values passed to the database: keys, filter operands, page markers.

use std::fmt;

use duet_text::decimal::Decimal;

/// A value that is bound as a parameter.
///
/// Decimals, dates, UUIDs and other types with a canonical text form are passed as `Text`; the
/// column's [`crate::Type`] defines how the store parses it.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// SQL NULL.
    Null,
    /// A Boolean.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A floating-point number.
    Float(f64),
    /// Text, or the canonical text form of a decimal, date, UUID and so on.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// Text that is not UTF-8, which SQLite alone stores: its bytes.
    RawText(Vec<u8>),
}

impl Value {
    /// Whether this is NULL.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// A text as a database stores it, which on SQLite may be no UTF-8.
    pub fn of_text(bytes: &[u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::Text(text.to_owned()),
            Err(_) => Self::RawText(bytes.to_vec()),
        }
    }

    /// The float that is nearest to a number, with the sign of a zero; those of 32 bits as their shortest text. `None` for a
    /// text that is no number, and for one beyond the finite floats.
    pub fn nearest_float(bits: u8, text: &str) -> Option<Self> {
        let exact = Decimal::parse(text)?;
        let sign = if text.starts_with('-') && exact.sign() == 0 { "-" } else { "" };
        let exact = format!("{sign}{exact}");
        if bits == 32 {
            let nearest: f32 = exact.parse().ok()?;
            return nearest.is_finite().then(|| Self::Text(format!("{nearest:?}")));
        }
        let nearest: f64 = exact.parse().ok()?;
        nearest.is_finite().then_some(Self::Float(nearest))
    }
}

impl fmt::Display for Value {
    /// The canonical text form; bytes as lower-case hex, NULL as the empty string, U+FFFD for what is no UTF-8.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => Ok(()),
            Self::Bool(value) => value.fmt(f),
            Self::Int(value) => value.fmt(f),
            Self::Float(value) => value.fmt(f),
            Self::Text(value) => f.write_str(value),
            Self::RawText(value) => f.write_str(&String::from_utf8_lossy(value)),
            Self::Bytes(value) => value.iter().try_for_each(|byte| write!(f, "{byte:02x}")),
        }
    }
}
