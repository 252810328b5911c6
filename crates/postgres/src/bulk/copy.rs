//! Rows in the text form of PostgreSQL's `COPY`, and as arrays of texts.

use std::borrow::Cow;
use std::fmt::Write as _;

use bytes::{BufMut, Bytes, BytesMut};
use duet_document::bulk::Group;
use duet_document::{Datum, RowSet};

use duet_client::copy_text;

/// How many bytes are sent at a time.
const PIECE: usize = 64 << 10;

/// Rows in pieces of about [`PIECE`] bytes. A larger row is cut too: however large it is, the event loop that writes it is
/// held for one piece at a time.
pub(crate) struct Pieces<'g> {
    rows: &'g RowSet,
    /// Rows that are left; the first is being written.
    left: &'g [usize],
    column: usize,
    /// Bytes of the current cell that are written.
    offset: usize,
}

impl<'g> Pieces<'g> {
    /// The pieces of some rows of a group.
    pub(crate) fn new(group: &'g Group, rows: &'g [usize]) -> Self {
        Self::of_rows(&group.rows, rows)
    }

    /// The pieces of some rows.
    pub(crate) fn of_rows(all: &'g RowSet, rows: &'g [usize]) -> Self {
        Self { rows: all, left: rows, column: 0, offset: 0 }
    }

    /// Writes the current cell, or the next part of it; whether that was the last.
    fn write_cell(&mut self, row: usize, out: &mut BytesMut) -> bool {
        if self.offset == 0 && self.column > 0 {
            out.put_u8(copy_text::BETWEEN);
        }
        let begun = self.offset;
        let part = |bytes: &[u8]| begun..(begun + PIECE).min(bytes.len());
        let (end, length) = match self.rows.get(row, self.column) {
            Datum::Null => {
                copy_text::null(out);
                return true;
            }
            Datum::Int(value) => {
                copy_text::int(value, out);
                return true;
            }
            Datum::Real(value) => {
                // Writing to a buffer cannot fail.
                let _ = write!(out, "{value}");
                return true;
            }
            Datum::Text(text) => {
                copy_text::text(&text[part(text)], out);
                (part(text).end, text.len())
            }
            Datum::Blob(bytes) | Datum::Wire(bytes) if begun == 0 => {
                copy_text::bytes(&bytes[part(bytes)], out);
                (part(bytes).end, bytes.len())
            }
            Datum::Blob(bytes) | Datum::Wire(bytes) => {
                copy_text::digits(&bytes[part(bytes)], out);
                (part(bytes).end, bytes.len())
            }
        };
        self.offset = end;
        end == length
    }
}

impl Iterator for Pieces<'_> {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        let mut out = BytesMut::with_capacity(PIECE + (PIECE >> 2));
        while out.len() < PIECE
            && let Some((&row, others)) = self.left.split_first()
        {
            if self.column == self.rows.width() {
                out.put_u8(copy_text::END);
                (self.left, self.column) = (others, 0);
            } else if self.write_cell(row, &mut out) {
                (self.column, self.offset) = (self.column + 1, 0);
            }
        }
        (!out.is_empty()).then(|| out.freeze())
    }
}

/// The texts of a column's cells in some rows; NULL is nothing.
pub(crate) fn texts<'a>(
    set: &'a RowSet,
    column: usize,
    rows: &[usize],
) -> Vec<Option<Cow<'a, str>>> {
    rows.iter().map(|&row| text(set.get(row, column))).collect()
}

/// The text of a cell; NULL is nothing.
pub(crate) fn text(cell: Datum<'_>) -> Option<Cow<'_, str>> {
    match cell {
        Datum::Null => None,
        Datum::Int(value) => Some(Cow::Owned(value.to_string())),
        Datum::Real(value) => Some(Cow::Owned(value.to_string())),
        Datum::Text(text) => Some(String::from_utf8_lossy(text)),
        Datum::Blob(bytes) | Datum::Wire(bytes) => {
            let digits = bytes.iter().flat_map(|byte| copy_text::hex(*byte)).map(char::from);
            Some(Cow::Owned("\\x".chars().chain(digits).collect()))
        }
    }
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
        let group = group();
        let mut pieces = Pieces::new(&group, &[0, 1]);
        let bytes = pieces.next().unwrap();
        assert_eq!(&bytes[..], b"-1\ta\\tb\\\\\\r\\nc\t\\N\n0.5\t\t\\\\x00ff\n");
        assert_eq!(pieces.next(), None);
    }

    #[test]
    fn large_cells_are_cut() {
        let mut rows = RowSet::new(3);
        let (text, blob) = ("a\tb".repeat(PIECE), vec![171; 3 * PIECE]);
        for cell in [Datum::Text(text.as_bytes()), Datum::Blob(&blob), Datum::Text(b"")] {
            rows.push(cell);
        }
        let group = Group { columns: vec![0, 1, 2], rows, places: Vec::new() };
        let pieces: Vec<Bytes> = Pieces::new(&group, &[0]).collect();
        assert!(pieces.len() > 6 && pieces.iter().all(|piece| piece.len() <= 3 * PIECE));
        let whole = format!("{}\t\\\\x{}\t\n", "a\\tb".repeat(PIECE), "ab".repeat(3 * PIECE));
        assert!(pieces.concat() == whole.as_bytes());
    }

    #[test]
    fn arrays() {
        let group = group();
        let found: Vec<_> = (0..3).map(|column| texts(&group.rows, column, &[1])).collect();
        assert_eq!(found, [[Some("0.5".into())], [Some("".into())], [Some("\\x00ff".into())]]);
    }
}
