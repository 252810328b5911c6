//! How a cell of a column becomes JSON.
//!
//! A codec follows from the column's [`Type`] alone, so a table of the rules is the table of the
//! manual. Where a cell does not have the form of its type (SQLite stores what it is
//! given), it travels as stored: numbers as numbers, text as strings, bytes as base64.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use duet_model::{Attribute, DocumentStyle, Type, Value};
use duet_text::json::binary::number_text;
use duet_text::name;

use super::array_text::{bytes_of_hex, write_array_text};
use super::json::{is_json, write_compact, write_string};
use super::ords_codec::OrdsForm;
use super::rows::Datum;
use super::{numeric, time};

/// The JSON form of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Codec {
    /// `true` or `false`.
    Boolean,
    /// An integer.
    Integer,
    /// An exact number with this many declared decimals.
    Decimal(Option<u8>),
    /// A float of 32 bits.
    Float32,
    /// A float of 64 bits.
    Float64,
    /// A string.
    Text,
    /// Bytes as base64 (RFC 4648 §4).
    Binary,
    /// A UUID.
    Uuid,
    /// A date.
    Date,
    /// A time of day.
    Time,
    /// A time of day with an offset.
    TimeTz,
    /// Date and time.
    Timestamp,
    /// A moment.
    TimestampTz,
    /// An ISO 8601 duration.
    Interval,
    /// Embedded JSON.
    Json,
    /// An array of the inner codec.
    Array(Box<Codec>),
    /// An object of these members.
    Record(Arc<[(String, Codec)]>),
    /// A number, date or timestamp as ORDS or PostgREST writes it.
    Ords(OrdsForm),
}

impl Codec {
    /// The codec of a type.
    pub fn of(ty: &Type) -> Self {
        match ty {
            ty if ty.domain_casts().is_some() => Self::Json,
            Type::Boolean => Self::Boolean,
            Type::Integer { .. } => Self::Integer,
            Type::Decimal { scale } => Self::Decimal(*scale),
            Type::Float { bits: 32 } => Self::Float32,
            Type::Float { .. } => Self::Float64,
            Type::Text
            | Type::Char
            | Type::Enum(_)
            | Type::Formatted(_)
            | Type::Native(_)
            | Type::Pair(_)
            | Type::Dynamic
            | Type::Other => Self::Text,
            Type::Binary => Self::Binary,
            Type::Uuid => Self::Uuid,
            Type::Date => Self::Date,
            Type::Time => Self::Time,
            Type::TimeTz => Self::TimeTz,
            Type::Timestamp => Self::Timestamp,
            Type::TimestampTz => Self::TimestampTz,
            Type::Interval => Self::Interval,
            Type::Json => Self::Json,
            Type::Array(inner) => Self::Array(Box::new(Self::of(inner))),
            Type::Composite(attributes) => Self::record(attributes, Self::of),
        }
    }

    /// The codec of a type in documents of a style. Keys in paths and markers of pages have that of
    /// [`Codec::of`].
    pub fn in_style(ty: &Type, style: DocumentStyle) -> Self {
        match ty {
            Type::Array(inner) => return Self::Array(Box::new(Self::in_style(inner, style))),
            Type::Composite(attributes) => {
                return Self::record(attributes, |ty| Self::in_style(ty, style));
            }
            _ => {}
        }
        OrdsForm::of(ty, style).map_or_else(|| Self::of(ty), Self::Ords)
    }

    fn record(attributes: &[Attribute], codec: impl Fn(&Type) -> Self) -> Self {
        let member = |one: &Attribute| (name::served(&one.name), codec(&one.ty));
        Self::Record(attributes.iter().map(member).collect())
    }

    /// Duet's own form of the values of one of ORDS.
    pub fn native(form: OrdsForm) -> Self {
        match form {
            OrdsForm::Number(scale) => Self::Decimal(scale),
            OrdsForm::Date { .. } => Self::Date,
            OrdsForm::Timestamp => Self::Timestamp,
            OrdsForm::Offset => Self::TimestampTz,
        }
    }

    /// PostgreSQL's binary form of a value of this codec, as a cell. Whole numbers, floats and
    /// text are read eagerly, everything else when it is written.
    pub fn wire_cell<'a>(&self, wire: &'a [u8]) -> Datum<'a> {
        match self {
            Self::Boolean | Self::Integer => match *wire {
                [byte] => Datum::Int(i64::from(byte)),
                [a, b] => Datum::Int(i64::from(i16::from_be_bytes([a, b]))),
                _ => wire
                    .try_into()
                    .map(|bytes| Datum::Int(i64::from(i32::from_be_bytes(bytes))))
                    .or_else(|_| wire.try_into().map(|b| Datum::Int(i64::from_be_bytes(b))))
                    .unwrap_or(Datum::Wire(wire)),
            },
            Self::Float32 | Self::Float64 => wire
                .try_into()
                .map(|bytes| Datum::Real(f64::from(f32::from_be_bytes(bytes))))
                .or_else(|_| wire.try_into().map(|bytes| Datum::Real(f64::from_be_bytes(bytes))))
                .unwrap_or(Datum::Wire(wire)),
            Self::Text => Datum::Text(wire),
            Self::Binary => Datum::Blob(wire),
            _ => Datum::Wire(wire),
        }
    }

    /// A cell as a value for another query.
    pub fn value(&self, cell: Datum<'_>) -> Value {
        match cell {
            Datum::Null => Value::Null,
            Datum::Int(value) => Value::Int(value),
            Datum::Real(value) => Value::Float(value),
            Datum::Text(text) => Value::of_text(text),
            Datum::Blob(bytes) => Value::Bytes(bytes.to_vec()),
            Datum::Wire(_) => {
                let mut json = Vec::new();
                self.write(cell, &mut json);
                let text = String::from_utf8_lossy(&json);
                Value::Text(text.trim_matches('"').to_owned())
            }
        }
    }

    /// Appends the JSON of a cell.
    pub fn write(&self, cell: Datum<'_>, out: &mut Vec<u8>) {
        if let Self::Ords(form) = self {
            let start = out.len();
            Self::native(*form).write(cell, out);
            return form.change(start, out);
        }
        match cell {
            Datum::Null => out.extend_from_slice(b"null"),
            Datum::Int(value) => self.write_int(value, out),
            Datum::Real(value) => self.write_real(value, out),
            Datum::Text(text) => self.write_text(text, out),
            Datum::Blob(bytes) => self.write_blob(bytes, out),
            Datum::Wire(wire) => {
                if !self.write_wire(wire, out) {
                    write_base64(wire, out);
                }
            }
        }
    }

    fn write_int(&self, value: i64, out: &mut Vec<u8>) {
        match (self, value) {
            (Self::Boolean, 0) => out.extend_from_slice(b"false"),
            (Self::Boolean, 1) => out.extend_from_slice(b"true"),
            (Self::Decimal(scale), _) => numeric::write_scaled_int(value, *scale, out),
            _ => numeric::write_integer(value, out),
        }
    }

    fn write_real(&self, value: f64, out: &mut Vec<u8>) {
        match self {
            Self::Decimal(scale) => numeric::write_scaled_float(value, *scale, out),
            #[expect(clippy::cast_possible_truncation, reason = "the driver widened it from f32")]
            Self::Float32 => numeric::write_float32(value as f32, out),
            // Of a column without a type: what is sent back without a point is stored as an integer.
            Self::Text => numeric::write_pointed_float(value, out),
            _ => numeric::write_float(value, out),
        }
    }

    /// Text of a column that promises something else is SQLite's, or of a row that is not stored yet.
    fn write_text(&self, text: &[u8], out: &mut Vec<u8>) {
        let utf8 = std::str::from_utf8(text).unwrap_or_default();
        let written = match self {
            Self::Timestamp => time::write_timestamp_text(utf8, false, out),
            Self::TimestampTz => time::write_timestamp_text(utf8, true, out),
            Self::Date => time::write_long_date_text(utf8, out),
            Self::Time => time::write_time_text(utf8, false, out),
            Self::TimeTz => time::write_time_text(utf8, true, out),
            Self::Interval => time::write_interval_text(utf8, out),
            Self::Json if is_json(text) => {
                write_compact(text, out);
                true
            }
            Self::Decimal(_) if numeric::is_json_number(text) => {
                out.extend_from_slice(text);
                true
            }
            Self::Array(inner) => {
                write_array_text(&|text, out| inner.write_element(text, out), utf8, out)
            }
            Self::Uuid => {
                write_string(&text.to_ascii_lowercase(), out);
                true
            }
            _ => false,
        };
        if !written {
            write_string(text, out);
        }
    }

    /// The text of an element of an array that is not stored yet.
    fn write_element(&self, text: &str, out: &mut Vec<u8>) {
        let hex = || text.strip_prefix("\\x").and_then(bytes_of_hex);
        let bare = match self {
            Self::Integer => text.parse::<i64>().is_ok(),
            Self::Boolean => matches!(text, "true" | "false"),
            _ => false,
        };
        match self {
            _ if bare => out.extend_from_slice(text.as_bytes()),
            Self::Float32 | Self::Float64 => match text.parse() {
                Ok(value) => self.write(Datum::Real(value), out),
                Err(_) => write_string(text.as_bytes(), out),
            },
            Self::Binary => match hex() {
                Some(bytes) => self.write(Datum::Blob(&bytes), out),
                None => write_string(text.as_bytes(), out),
            },
            _ => self.write(Datum::Text(text.as_bytes()), out),
        }
    }

    fn write_blob(&self, bytes: &[u8], out: &mut Vec<u8>) {
        match (self, <[u8; 16]>::try_from(bytes)) {
            (Self::Uuid, Ok(uuid)) => write_uuid(uuid, out),
            (Self::Json, _) => match number_text(bytes) {
                Some(number) => out.extend_from_slice(number.as_bytes()),
                None => write_base64(bytes, out),
            },
            _ => write_base64(bytes, out),
        }
    }

    /// PostgreSQL's binary form; false, with nothing written, if it is not one of this codec.
    fn write_wire(&self, wire: &[u8], out: &mut Vec<u8>) -> bool {
        let at = |from: usize| wire.get(from..);
        let int = |from: usize| {
            at(from).and_then(|rest| rest.first_chunk()).map(|bytes| i32::from_be_bytes(*bytes))
        };
        let long = |from: usize| {
            at(from).and_then(|rest| rest.first_chunk()).map(|bytes| i64::from_be_bytes(*bytes))
        };
        match self {
            Self::Decimal(_) => return numeric::write_numeric(wire, out),
            Self::Timestamp | Self::TimestampTz => {
                let Some(micros) = long(0) else { return false };
                time::write_timestamp(micros, *self == Self::TimestampTz, out);
            }
            Self::Date => {
                let Some(days) = int(0) else { return false };
                time::write_date(days, out);
            }
            Self::Time | Self::TimeTz => {
                let Some(micros) = long(0) else { return false };
                let west = if *self == Self::TimeTz { int(8) } else { None };
                time::write_time(micros, west, out);
            }
            Self::Interval => {
                let (Some(micros), Some(days), Some(months)) = (long(0), int(8), int(12)) else {
                    return false;
                };
                time::write_interval(months, days, micros, out);
            }
            Self::Uuid => {
                let Ok(uuid) = wire.try_into() else { return false };
                write_uuid(uuid, out);
            }
            // `jsonb` is sent with a version byte in front, `json` without.
            Self::Json => write_compact(wire.strip_prefix(&[1]).unwrap_or(wire), out),
            Self::Array(inner) => return write_array(inner, wire, out),
            Self::Record(members) => {
                let start = out.len();
                let written = write_record(members, wire, out).is_some();
                if !written {
                    out.truncate(start);
                }
                return written;
            }
            _ => return false,
        }
        true
    }
}

fn write_base64(bytes: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    let start = out.len();
    // Large bytes are not encoded beside the text first.
    out.resize(start + base64::encoded_len(bytes.len(), true).unwrap_or_default(), b'=');
    let encoded = STANDARD.encode_slice(bytes, &mut out[start..]);
    out.truncate(start + encoded.unwrap_or_default());
    out.push(b'"');
}

fn write_uuid(uuid: [u8; 16], out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    out.push(b'"');
    for (index, byte) in uuid.iter().enumerate() {
        if matches!(index, 4 | 6 | 8 | 10) {
            out.push(b'-');
        }
        out.push(HEX[usize::from(byte >> 4)]);
        out.push(HEX[usize::from(byte & 15)]);
    }
    out.push(b'"');
}

/// Appends PostgreSQL's binary array as nested JSON arrays: dimensions, a flag, the element type,
/// then per dimension its length and lower bound, then the elements with their lengths.
fn write_array(inner: &Codec, wire: &[u8], out: &mut Vec<u8>) -> bool {
    let mut rest = wire;
    let mut next = || -> Option<i32> {
        let (head, tail) = rest.split_first_chunk()?;
        rest = tail;
        Some(i32::from_be_bytes(*head))
    };
    let (Some(dimensions), Some(_flags), Some(_element)) = (next(), next(), next()) else {
        return false;
    };
    let mut lengths = Vec::new();
    for _ in 0..dimensions {
        let (Some(length), Some(_lower)) = (next(), next()) else { return false };
        lengths.push(usize::try_from(length).unwrap_or(0));
    }
    let start = out.len();
    if lengths.is_empty() {
        out.extend_from_slice(b"[]");
        return true;
    }
    let written = write_dimension(inner, &lengths, &mut rest, out).is_some();
    if !written {
        out.truncate(start);
    }
    written
}

/// Appends PostgreSQL's binary record as an object: the number of attributes, then of each its type, its length and its
/// value.
fn write_record(members: &[(String, Codec)], wire: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let (count, mut rest) = wire.split_first_chunk()?;
    if usize::try_from(i32::from_be_bytes(*count)) != Ok(members.len()) {
        return None;
    }
    out.push(b'{');
    for (index, (name, codec)) in members.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write_string(name.as_bytes(), out);
        out.push(b':');
        let (_type, tail) = rest.split_first_chunk::<4>()?;
        let (length, tail) = tail.split_first_chunk()?;
        let Ok(length) = usize::try_from(i32::from_be_bytes(*length)) else {
            rest = tail;
            out.extend_from_slice(b"null");
            continue;
        };
        codec.write(codec.wire_cell(tail.get(..length)?), out);
        rest = &tail[length..];
    }
    out.push(b'}');
    Some(())
}

fn write_dimension(
    inner: &Codec,
    lengths: &[usize],
    rest: &mut &[u8],
    out: &mut Vec<u8>,
) -> Option<()> {
    let (&length, deeper) = lengths.split_first()?;
    out.push(b'[');
    for index in 0..length {
        if index > 0 {
            out.push(b',');
        }
        if !deeper.is_empty() {
            write_dimension(inner, deeper, rest, out)?;
            continue;
        }
        let (head, tail) = rest.split_first_chunk()?;
        let Ok(size) = usize::try_from(i32::from_be_bytes(*head)) else {
            *rest = tail;
            out.extend_from_slice(b"null");
            continue;
        };
        inner.write(inner.wire_cell(tail.get(..size)?), out);
        *rest = &tail[size..];
    }
    out.push(b']');
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(codec: &Codec, cell: Datum<'_>) -> String {
        let mut out = Vec::new();
        codec.write(cell, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn both_stores_write_the_same() {
        let micros = 690_854_400_000_000_i64.to_be_bytes();
        let pairs: [(Codec, Datum<'_>, Datum<'_>, &str); 7] = [
            (Codec::Integer, Datum::Int(7), Codec::Integer.wire_cell(&[0, 0, 0, 7]), "7"),
            (Codec::Boolean, Datum::Int(1), Codec::Boolean.wire_cell(&[1]), "true"),
            (
                Codec::Timestamp,
                Datum::Text(b"2021-11-22 00:00:00"),
                Datum::Wire(&micros),
                "\"2021-11-22T00:00:00\"",
            ),
            (
                Codec::Decimal(Some(2)),
                Datum::Real(0.5),
                Datum::Wire(&[0, 1, 255, 255, 0, 0, 0, 2, 19, 136]),
                "0.50",
            ),
            (Codec::Json, Datum::Blob(b"\x451.50"), Datum::Wire(b"\x011.50"), "1.50"),
            (Codec::Json, Datum::Text(b"{\"a\": 1}"), Datum::Wire(b"\x01{\"a\": 1}"), "{\"a\":1}"),
            (
                Codec::Uuid,
                Datum::Text(b"00112233-4455-6677-8899-AABBCCDDEEFF"),
                Datum::Wire(&[
                    0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xAA, 0xBB, 0xCC,
                    0xDD, 0xEE, 0xFF,
                ]),
                "\"00112233-4455-6677-8899-aabbccddeeff\"",
            ),
        ];
        for (codec, sqlite, postgres, expected) in pairs {
            assert_eq!(json(&codec, sqlite), expected);
            assert_eq!(json(&codec, postgres), expected);
        }
    }

    #[test]
    fn passes_values_that_do_not_fit_unchanged() {
        assert_eq!(json(&Codec::Boolean, Datum::Int(7)), "7");
        assert_eq!(json(&Codec::Integer, Datum::Text(b"many")), "\"many\"");
        assert_eq!(json(&Codec::Timestamp, Datum::Text(b"soon")), "\"soon\"");
        assert_eq!(json(&Codec::Json, Datum::Text(b"{broken")), "\"{broken\"");
        assert_eq!(json(&Codec::Text, Datum::Blob(&[1, 2, 3])), "\"AQID\"");
    }

    #[test]
    fn records() {
        let attribute = |name: &str, ty| Attribute { name: name.to_owned(), ty };
        let inner = Type::Composite(vec![attribute("b", Type::Boolean)].into());
        let attributes = [("X", Type::Integer { bits: 32 }), ("text", Type::Text), ("in", inner)];
        let ty = Type::Composite(attributes.map(|(name, ty)| attribute(name, ty)).into());
        let field = |bytes: &[u8]| {
            let length = i32::try_from(bytes.len()).unwrap();
            [&[0, 0, 0, 1], &length.to_be_bytes()[..], bytes].concat()
        };
        let inner = [&1_i32.to_be_bytes()[..], &field(&[1])].concat();
        let null = [0, 0, 0, 1, 255, 255, 255, 255];
        let count = 3_i32.to_be_bytes();
        let wire = [&count[..], &field(&[0, 0, 0, 7]), &null, &field(&inner)].concat();
        let codec = Codec::of(&ty);
        assert_eq!(json(&codec, Datum::Wire(&wire)), r#"{"x":7,"text":null,"in":{"b":true}}"#);
        for cut in 0..wire.len() {
            let base64 = format!("\"{}\"", STANDARD.encode(&wire[..cut]));
            assert_eq!(json(&codec, Datum::Wire(&wire[..cut])), base64);
        }
    }

    #[test]
    fn arrays() {
        let mut wire = Vec::new();
        for word in [2_i32, 1, 23, 2, 1, 2, 1] {
            wire.extend(word.to_be_bytes());
        }
        for element in [Some(1_i32), None, Some(3), Some(4)] {
            match element {
                Some(value) => {
                    wire.extend(4_i32.to_be_bytes());
                    wire.extend(value.to_be_bytes());
                }
                None => wire.extend((-1_i32).to_be_bytes()),
            }
        }
        let codec = Codec::Array(Box::new(Codec::Integer));
        assert_eq!(json(&codec, Datum::Wire(&wire)), "[[1,null],[3,4]]");
        assert_eq!(json(&codec, Datum::Wire(&[0; 12])), "[]");
        assert_eq!(
            json(&codec, Datum::Wire(&wire[..30])),
            format!("\"{}\"", STANDARD.encode(&wire[..30]))
        );
    }
}
