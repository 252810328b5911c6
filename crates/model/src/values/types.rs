//! Duet's column types, the same for every store.
//!
//! A store's introspection maps declared types to these; the dialect defines how a column of a type is
//! selected, and the writer how it is printed.

use std::sync::Arc;

use super::pair::Pair;
use super::text_form::TextForm;

/// A part of a composite value: its name and its type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Attribute {
    /// The name in the database.
    pub name: String,
    /// Its type.
    pub ty: Type,
}

/// The type of a column, independent of the store.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// `true` or `false`.
    Boolean,
    /// An integer of 16, 32 or 64 bits.
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
    /// A point in time; printed in UTC with `Z`.
    TimestampTz,
    /// An interval; an ISO 8601 duration such as `P1DT8H` in JSON.
    Interval,
    /// JSON, embedded unchanged.
    Json,
    /// An array of the inner type; a JSON array.
    Array(Box<Type>),
    /// What a function gives that has several attributes; a JSON object. No column has it.
    Composite(Arc<[Attribute]>),
    /// One of a fixed list of labels, in the database's order.
    Enum(Arc<[String]>),
    /// Formatted text, such as a network address, `10.0.0.1`.
    Formatted(&'static TextForm),
    /// What two members of a stored document are together: a range, or a point. It is searched and never shown.
    Pair(Arc<Pair>),
    /// Whatever a value is: a number, text or bytes. SQLite columns without a declared type, and computed columns of its
    /// views, are compared and ordered by the storage class of each value.
    Dynamic,
    /// Another type of PostgreSQL, transferred in its text form and compared by the database.
    Native(Arc<NativeType>),
    /// A type that is not known, transferred in the database's text format.
    Other,
}

/// A type of PostgreSQL without a form of its own here, such as `money`, a range, or one of an extension.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NativeType {
    /// Its name as statements cast to it, quoted and without modifiers.
    pub cast: String,
    /// What the database can do with two of its values.
    pub comparison: Comparability,
    /// The casts by which values of a domain are shown and read in a form of their own.
    pub casts: Option<Arc<DomainCasts>>,
}

/// Casts of a domain, as PostgREST follows them: functions, quoted and with their schemas.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DomainCasts {
    /// From the domain to `json`.
    pub to_json: String,
    /// From `json`: what is written.
    pub from_json: Option<String>,
    /// From `text`: what filters compare with.
    pub from_text: Option<String>,
}

/// How values of a type compare: by the type's default operator classes in PostgreSQL's catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Comparability {
    /// Not at all, as `json`, `xml` and `point`.
    None,
    /// For equality alone, as `xid`.
    Equality,
    /// In an order.
    Order,
}

impl Type {
    /// The casts by which its values are shown and read, where it is a domain that has such.
    pub fn domain_casts(&self) -> Option<&DomainCasts> {
        match self {
            Self::Native(native) => native.casts.as_deref(),
            _ => None,
        }
    }

    /// Whether values of the type are JSON numbers.
    pub fn is_number(&self) -> bool {
        matches!(self, Self::Integer { .. } | Self::Decimal { .. } | Self::Float { .. })
    }

    /// Whether the type is text on which `LIKE` and substring search make sense.
    pub fn is_text(&self) -> bool {
        matches!(
            self,
            Self::Text
                | Self::Char
                | Self::Enum(_)
                | Self::Formatted(_)
                | Self::Dynamic
                | Self::Native(_)
                | Self::Other
                | Self::Uuid
        )
    }

    /// Whether values are XML, or arrays of such.
    pub fn is_xml(&self) -> bool {
        match self {
            Self::Native(native) => native.cast == "pg_catalog.xml",
            Self::Array(inner) => inner.is_xml(),
            _ => false,
        }
    }

    /// Whether values are composite, or arrays of such.
    pub fn has_attributes(&self) -> bool {
        match self {
            Self::Composite(_) => true,
            Self::Array(inner) => inner.has_attributes(),
            _ => false,
        }
    }

    /// Whether values of the type are dates, times or timestamps.
    pub fn is_temporal(&self) -> bool {
        matches!(self, Self::Date | Self::Time | Self::TimeTz | Self::Timestamp | Self::TimestampTz)
    }

    /// Whether equal values always have the same bytes, so that rows can be matched to requested keys
    /// without the database.
    pub fn has_plain_equality(&self) -> bool {
        matches!(
            self,
            Self::Integer { .. } | Self::Boolean | Self::Uuid | Self::Text | Self::Enum(_)
        )
    }

    /// How values of the type compare in requests.
    pub fn comparison(&self) -> Comparability {
        match self {
            Self::Json | Self::Binary | Self::Array(_) | Self::Pair(_) => Comparability::None,
            Self::Native(native) => native.comparison,
            _ => Comparability::Order,
        }
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
            Self::Composite(_) => "OBJECT",
            Self::Enum(_) => "ENUM",
            Self::Pair(pair) => pair.kind.name(),
            Self::Formatted(_) | Self::Native(_) | Self::Dynamic | Self::Other => "OTHER",
        }
    }
}
