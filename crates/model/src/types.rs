//! Column types as Duet understands them, the same for every store.
//!
//! A store's introspection maps what the database declares to one of these; the dialect then says
//! how a column of the type is selected, and the writer how it is printed.

use std::sync::Arc;

use crate::text_form::TextForm;

/// What a column holds, independent of the store.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// `true` or `false`.
    Boolean,
    /// A whole number of 16, 32 or 64 bits.
    Integer {
        /// Width: 16, 32 or 64.
        bits: u8,
    },
    /// An exact number of any length; `scale` is the declared number of decimals, if any.
    Decimal {
        /// Declared digits after the point; `None` where the declaration has none.
        scale: Option<u8>,
    },
    /// A binary floating-point number of 32 or 64 bits.
    Float {
        /// Width: 32 or 64.
        bits: u8,
    },
    /// Text of any length.
    Text,
    /// Text padded with spaces to its declared length; the padding is kept.
    Char,
    /// Bytes; base64 in JSON.
    Binary,
    /// A UUID; lower-case text with hyphens in JSON.
    Uuid,
    /// A calendar date, `2022-03-20`.
    Date,
    /// A time of day without zone, `01:37:33.584`.
    Time,
    /// A time of day with an offset from UTC.
    TimeTz,
    /// Date and time without zone, `2022-03-20T00:00:00`.
    Timestamp,
    /// A moment; printed in UTC with `Z`.
    TimestampTz,
    /// A span; an ISO 8601 duration such as `P1DT8H` in JSON.
    Interval,
    /// JSON, embedded as it is.
    Json,
    /// An array of the inner type; a JSON array.
    Array(Box<Type>),
    /// One of a fixed list of labels, in the database's order.
    Enum(Arc<[String]>),
    /// Text in a form of its own, such as a network address, `10.0.0.1`.
    Formatted(&'static TextForm),
    /// Anything else: it travels as the database's own text form.
    Other,
}

impl Type {
    /// Whether values of the type are JSON numbers.
    pub fn is_number(&self) -> bool {
        matches!(self, Self::Integer { .. } | Self::Decimal { .. } | Self::Float { .. })
    }

    /// Whether the type is text on which `LIKE` and substring search make sense.
    pub fn is_text(&self) -> bool {
        matches!(
            self,
            Self::Text | Self::Char | Self::Enum(_) | Self::Formatted(_) | Self::Other | Self::Uuid
        )
    }

    /// Whether values of the type are dates, times or moments.
    pub fn is_temporal(&self) -> bool {
        matches!(self, Self::Date | Self::Time | Self::TimeTz | Self::Timestamp | Self::TimestampTz)
    }

    /// Whether two equal values always have the same bytes, so that rows can be matched to the
    /// keys that were asked for without asking the database again.
    pub fn has_plain_equality(&self) -> bool {
        matches!(
            self,
            Self::Integer { .. } | Self::Boolean | Self::Uuid | Self::Text | Self::Enum(_)
        )
    }

    /// The name used in the metadata catalog and in error messages.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Boolean => "BOOLEAN",
            Self::Integer { .. } => "INTEGER",
            Self::Decimal { .. } => "NUMBER",
            Self::Float { .. } => "FLOAT",
            Self::Text => "VARCHAR",
            Self::Char => "CHAR",
            Self::Binary => "BINARY",
            Self::Uuid => "UUID",
            Self::Date => "DATE",
            Self::Time => "TIME",
            Self::TimeTz => "TIME WITH TIME ZONE",
            Self::Timestamp => "TIMESTAMP",
            Self::TimestampTz => "TIMESTAMP WITH TIME ZONE",
            Self::Interval => "INTERVAL",
            Self::Json => "JSON",
            Self::Array(_) => "ARRAY",
            Self::Enum(_) => "ENUM",
            Self::Formatted(_) | Self::Other => "OTHER",
        }
    }
}
