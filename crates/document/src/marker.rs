//! Keys as segments of paths, and values as `after` markers have them.

use std::borrow::Cow;

use duet_model::Type;
use duet_model::key::parse_text;

use crate::cells::codec::Codec;
use crate::cells::json::is_json;
use crate::cells::rows::Datum;
use crate::cells::time::parse_interval;

pub(crate) const HEX: &[u8; 16] = b"0123456789ABCDEF";

/// Percent-encodes everything but RFC 3986's unreserved characters.
pub(crate) fn percent_encode(text: &[u8], out: &mut Vec<u8>) {
    for &byte in text {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(byte);
        } else {
            out.extend_from_slice(&[
                b'%',
                HEX[usize::from(byte >> 4)],
                HEX[usize::from(byte & 15)],
            ]);
        }
    }
}

/// Appends a cell as a value of a page's `after` marker: its JSON text percent-encoded, `~` for
/// NULL, and a further `~` in front of a text that begins with one.
///
/// What SQLite stores in another form than the type promises goes with its form, because it sorts
/// by it: `~t` in front of text, `~x` of bytes in base64, `~=` of numbers, `~u` of text that is not
/// UTF-8, in base64.
pub fn write_marker(codec: &Codec, cell: Datum<'_>, out: &mut Vec<u8>) {
    let (form, text) = match cell {
        Datum::Null => return out.push(b'~'),
        Datum::Text(text) if std::str::from_utf8(text).is_err() => {
            (&b"~u"[..], Cow::Owned(unquoted(&Codec::Binary, Datum::Blob(text))))
        }
        Datum::Text(text) if *codec == Codec::Text => {
            let escape: &[u8] = if text.starts_with(b"~") { b"~" } else { b"" };
            (escape, Cow::Borrowed(text))
        }
        Datum::Text(text) => match canonical(codec, text) {
            Some(canonical) => (&b""[..], Cow::Owned(canonical)),
            None => (&b"~t"[..], Cow::Borrowed(text)),
        },
        Datum::Blob(_) if *codec != Codec::Binary => {
            (&b"~x"[..], Cow::Owned(unquoted(&Codec::Binary, cell)))
        }
        Datum::Int(_) | Datum::Real(_) if !fits(codec, cell) => {
            (&b"~="[..], Cow::Owned(unquoted(&Codec::Float64, cell)))
        }
        cell => (&b""[..], Cow::Owned(unquoted(codec, cell))),
    };
    out.extend_from_slice(form);
    percent_encode(&text, out);
}

/// Whether a number is a value of the type.
fn fits(codec: &Codec, number: Datum<'_>) -> bool {
    match codec {
        Codec::Boolean => matches!(number, Datum::Int(0 | 1)),
        Codec::Integer => matches!(number, Datum::Int(_)),
        Codec::Decimal(_) | Codec::Float32 | Codec::Float64 => true,
        _ => false,
    }
}

/// The canonical form of a text, if the text represents a value of the type and sorts like the
/// canonical form: always if the type has a separate sort form.
fn canonical(codec: &Codec, text: &[u8]) -> Option<Vec<u8>> {
    let (ty, has_sort_form) = match codec {
        Codec::Date => (Type::Date, false),
        Codec::Time => (Type::Time, false),
        Codec::TimeTz => (Type::TimeTz, true),
        Codec::Timestamp => (Type::Timestamp, true),
        Codec::TimestampTz => (Type::TimestampTz, true),
        Codec::Interval => {
            (Type::Interval, parse_interval(std::str::from_utf8(text).ok()?).is_some())
        }
        Codec::Uuid => (Type::Uuid, false),
        _ => return None,
    };
    let canonical = unquoted(codec, Datum::Text(text));
    let sorts_alike = has_sort_form || canonical == text;
    let fits = parse_text(&ty, std::str::from_utf8(&canonical).ok()?).is_ok();
    (sorts_alike && fits).then_some(canonical)
}

/// The JSON of a cell, without its quotes unless it is a value of JSON.
pub(crate) fn unquoted(codec: &Codec, cell: Datum<'_>) -> Vec<u8> {
    let mut json = Vec::new();
    codec.write(cell, &mut json);
    let is_json_text = match cell {
        Datum::Text(text) => is_json(text),
        cell => matches!(cell, Datum::Wire(_)),
    };
    if *codec == Codec::Json && is_json_text {
        return json;
    }
    match json.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")) {
        Some(inside) => inside.to_vec(),
        None => json,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_preserve_stored_values() {
        let marker = |codec: &Codec, cell: Datum<'_>| {
            let mut out = Vec::new();
            write_marker(codec, cell, &mut out);
            String::from_utf8(out).unwrap()
        };
        let text = |codec, text: &str| marker(&codec, Datum::Text(text.as_bytes()));
        assert_eq!(marker(&Codec::Integer, Datum::Null), "~");
        assert_eq!(marker(&Codec::Integer, Datum::Int(-7)), "-7");
        assert_eq!(text(Codec::Text, "~a,b"), "~~a%2Cb");
        assert_eq!(text(Codec::Timestamp, "2022-03-20 01:02"), "2022-03-20T01%3A02%3A00");
        assert_eq!(text(Codec::Timestamp, "soon"), "~tsoon");
        assert_eq!(text(Codec::Time, "12:00:00"), "12%3A00%3A00");
        assert_eq!(text(Codec::Time, "12:00"), "~t12%3A00");
        assert_eq!(text(Codec::Interval, "P1W"), "P7D");
        assert_eq!(
            text(Codec::Uuid, "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"),
            "~tA0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"
        );
        assert_eq!(text(Codec::Integer, "many"), "~tmany");
        assert_eq!(marker(&Codec::Text, Datum::Int(5)), "~=5");
        assert_eq!(marker(&Codec::Integer, Datum::Real(2.5)), "~=2.5");
        assert_eq!(marker(&Codec::Boolean, Datum::Int(1)), "true");
        assert_eq!(marker(&Codec::Boolean, Datum::Int(7)), "~=7");
        assert_eq!(marker(&Codec::Uuid, Datum::Blob(&[0, 255])), "~xAP8%3D");
        assert_eq!(marker(&Codec::Binary, Datum::Blob(&[0, 255])), "AP8%3D");
    }
}
