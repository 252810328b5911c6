//! Numbers, dates and timestamps as ORDS writes them, and moments as PostgREST does: numbers without trailing zeros, dates with a
//! time, and `Z` where documents are those of tables.
//!
//! Each is Duet's own form with a change at its end, so that what a store holds in another form than
//! its type promises passes unchanged here too.

use duet_model::profiles::DateForm;
use duet_model::{DocumentStyle, Type};

/// A form of ORDS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrdsForm {
    /// An exact number with this many declared decimals, without zeros at its end.
    Number(Option<u8>),
    /// A date with the time of midnight.
    Date {
        /// Whether `Z` follows.
        utc: bool,
    },
    /// A timestamp with `Z`.
    Timestamp,
    /// A moment with `+00:00`, as PostgreSQL's JSON has it.
    Offset,
}

impl OrdsForm {
    /// The form of a type in documents of a style, where it is not Duet's own.
    pub(crate) fn of(ty: &Type, style: DocumentStyle) -> Option<Self> {
        match ty {
            Type::Decimal { scale } => {
                style.profile.trims_decimals().then_some(Self::Number(*scale))
            }
            Type::Date => match style.dates() {
                DateForm::Day => None,
                DateForm::Midnight => Some(Self::Date { utc: false }),
                DateForm::MidnightUtc => Some(Self::Date { utc: true }),
            },
            Type::Timestamp => style.timestamps_in_utc().then_some(Self::Timestamp),
            Type::TimestampTz => style.profile.writes_offsets().then_some(Self::Offset),
            _ => None,
        }
    }

    /// Changes the JSON of a value that was written in Duet's own form, from `start` to the end.
    pub(crate) fn change(self, start: usize, out: &mut Vec<u8>) {
        match self {
            Self::Number(_) => {
                let kept = without_zeros(&out[start..]).len();
                out.truncate(start + kept);
            }
            Self::Date { utc } => {
                let is_part = |byte: &u8| byte.is_ascii_digit() || *byte == b'-';
                if inside(&out[start..]).is_some_and(|text| text.iter().all(is_part)) {
                    out.pop();
                    out.extend_from_slice(if utc { b"T00:00:00Z\"" } else { b"T00:00:00\"" });
                }
            }
            Self::Offset => {
                let text = inside(&out[start..]).and_then(|text| text.strip_suffix(b"Z"));
                if text.is_some_and(is_timestamp) {
                    out.truncate(out.len() - 2);
                    out.extend_from_slice(b"+00:00\"");
                }
            }
            Self::Timestamp => {
                if inside(&out[start..]).is_some_and(is_timestamp) {
                    out.pop();
                    out.extend_from_slice(b"Z\"");
                }
            }
        }
    }
}

/// Whether a text has the form of a timestamp without zone, as Duet writes it.
fn is_timestamp(text: &[u8]) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_digit() || b"-+:.T".contains(byte);
    text.contains(&b'T') && text.iter().all(is_part) && text.last().is_some_and(u8::is_ascii_digit)
}

/// The inside of a JSON string that is not empty.
fn inside(json: &[u8]) -> Option<&[u8]> {
    let text = json.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    (!text.is_empty()).then_some(text)
}

/// A JSON number without the zeros at the end of its decimals; other JSON as it is.
fn without_zeros(json: &[u8]) -> &[u8] {
    let is_part = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'-');
    if !json.contains(&b'.') || !json.iter().all(is_part) {
        return json;
    }
    let zeros = json.iter().rev().take_while(|byte| **byte == b'0').count();
    let kept = &json[..json.len() - zeros];
    kept.strip_suffix(b".").unwrap_or(kept)
}

#[cfg(test)]
mod tests {
    use duet_model::ProfileRef;

    use super::*;
    use crate::cells::codec::Codec;
    use crate::cells::rows::Datum;

    fn ords() -> DocumentStyle {
        DocumentStyle::of_tables(ProfileRef::named("ords").unwrap())
    }

    fn written(ty: &Type, style: DocumentStyle, cell: Datum<'_>) -> String {
        let mut out = b"[".to_vec();
        Codec::in_style(ty, style).write(cell, &mut out);
        String::from_utf8(out.split_off(1)).unwrap()
    }

    #[test]
    fn forms() {
        let decimal = Type::Decimal { scale: Some(2) };
        let (table, view) = (ords(), DocumentStyle { of_view: true, ..ords() });
        let text = |text: &'static str| Datum::Text(text.as_bytes());
        for (ty, style, cell, expected) in [
            (&decimal, table, Datum::Real(800.0), "800"),
            (&decimal, table, Datum::Real(0.5), "0.5"),
            (&decimal, view, Datum::Int(100), "100"),
            (&decimal, table, text("many.00"), "\"many.00\""),
            (&decimal, DocumentStyle::default(), Datum::Real(800.0), "800.00"),
            (&Type::Date, table, text("2022-03-20"), "\"2022-03-20T00:00:00Z\""),
            (&Type::Date, view, text("2022-03-20"), "\"2022-03-20T00:00:00\""),
            (&Type::Date, table, text("soon"), "\"soon\""),
            (&Type::Date, table, text(""), "\"\""),
            (&Type::Date, table, Datum::Null, "null"),
            (&Type::Timestamp, table, text("2022-03-20 01:02:03"), "\"2022-03-20T01:02:03Z\""),
            (&Type::Timestamp, view, text("2022-03-20 01:02:03"), "\"2022-03-20T01:02:03\""),
            (&Type::Timestamp, table, text("To be seen 1"), "\"To be seen 1\""),
        ] {
            assert_eq!(written(ty, style, cell), expected, "{ty:?} {style:?}");
        }
    }

    #[test]
    fn moments_with_an_offset() {
        let style = DocumentStyle::of_tables(ProfileRef::named("postgrest").unwrap());
        let text = |text: &'static str| Datum::Text(text.as_bytes());
        for (cell, expected) in [
            (text("2022-03-20 01:02:03Z"), "\"2022-03-20T01:02:03+00:00\""),
            (text("soon Z"), "\"soon Z\""),
            (Datum::Null, "null"),
        ] {
            assert_eq!(written(&Type::TimestampTz, style, cell), expected);
        }
    }

    #[test]
    fn elements_of_arrays() {
        let array = Type::Array(Box::new(Type::Decimal { scale: None }));
        let written = written(&array, ords(), Datum::Text(br#"{"1.50","2.00"}"#));
        assert_eq!(written, "[1.5,2]");
    }

    #[test]
    fn binary_forms_of_postgres() {
        let date = 8_114_i32.to_be_bytes();
        let codec = Codec::in_style(&Type::Date, ords());
        let mut out = Vec::new();
        codec.write(codec.wire_cell(&date), &mut out);
        assert_eq!(out, b"\"2022-03-20T00:00:00Z\"");
        let number = [0, 1, 0, 0, 0, 0, 0, 2, 3, 32];
        let codec = Codec::in_style(&Type::Decimal { scale: Some(2) }, ords());
        let mut out = Vec::new();
        codec.write(codec.wire_cell(&number), &mut out);
        assert_eq!(out, b"800");
    }
}
