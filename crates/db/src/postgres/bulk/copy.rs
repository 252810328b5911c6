//! Rows in the text form of PostgreSQL's `COPY`, and as arrays of texts.

use std::borrow::Cow;
use std::fmt::Write as _;

use bytes::{BufMut, Bytes, BytesMut};
use duet_document::bulk::Group;
use duet_document::{Datum, RowSet};

use crate::copy_text;

/// How many bytes are sent at a time.
const PIECE: usize = 64 << 10;

/// The first of some rows, as many as one piece holds; leaves the others. Empty at their end.
pub(crate) fn piece(group: &Group, rows: &mut &[usize]) -> Bytes {
    let mut out = BytesMut::with_capacity(PIECE + (PIECE >> 2));
    while out.len() < PIECE
        && let Some((&row, others)) = rows.split_first()
    {
        write_row(&group.rows, row, &mut out);
        *rows = others;
    }
    out.freeze()
}

/// A row: cells between tabs, a line feed behind.
fn write_row(rows: &RowSet, row: usize, out: &mut BytesMut) {
    for column in 0..rows.width() {
        if column > 0 {
            out.put_u8(copy_text::BETWEEN);
        }
        match rows.get(row, column) {
            Datum::Null => copy_text::null(out),
            Datum::Int(value) => copy_text::int(value, out),
            // Writing to a buffer cannot fail.
            Datum::Real(value) => {
                let _ = write!(out, "{value}");
            }
            Datum::Text(text) => copy_text::text(text, out),
            Datum::Blob(bytes) | Datum::Wire(bytes) => copy_text::bytes(bytes, out),
        }
    }
    out.put_u8(copy_text::END);
}

/// The texts of a column's cells in some rows; NULL is nothing.
pub(crate) fn texts<'a>(
    set: &'a RowSet,
    column: usize,
    rows: &[usize],
) -> Vec<Option<Cow<'a, str>>> {
    let text = |&row: &usize| match set.get(row, column) {
        Datum::Null => None,
        Datum::Int(value) => Some(Cow::Owned(value.to_string())),
        Datum::Real(value) => Some(Cow::Owned(value.to_string())),
        Datum::Text(text) => Some(String::from_utf8_lossy(text)),
        Datum::Blob(bytes) | Datum::Wire(bytes) => {
            let digits = bytes.iter().flat_map(|byte| copy_text::hex(*byte)).map(char::from);
            Some(Cow::Owned("\\x".chars().chain(digits).collect()))
        }
    };
    rows.iter().map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group() -> Group {
        let mut rows = RowSet::new(3);
        for cell in [Datum::Int(-1), Datum::Text(b"a\tb\\\r\nc"), Datum::Null] {
            rows.push(cell);
        }
        for cell in [Datum::Real(0.5), Datum::Text(b""), Datum::Blob(&[0, 255])] {
            rows.push(cell);
        }
        Group { columns: vec![0, 1, 2], rows, places: Vec::new() }
    }

    #[test]
    fn the_text_form() {
        let mut rows = &[0, 1][..];
        let bytes = piece(&group(), &mut rows);
        assert_eq!(&bytes[..], b"-1\ta\\tb\\\\\\r\\nc\t\\N\n0.5\t\t\\\\x00ff\n");
        assert!(rows.is_empty() && piece(&group(), &mut rows).is_empty());
    }

    #[test]
    fn arrays() {
        let group = group();
        let found: Vec<_> = (0..3).map(|column| texts(&group.rows, column, &[1])).collect();
        assert_eq!(found, [[Some("0.5".into())], [Some("".into())], [Some("\\x00ff".into())]]);
    }
}
