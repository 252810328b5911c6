//! Rows made ahead of the connection that takes them, on any thread, in the form that its store
//! takes fastest: lines of COPY for PostgreSQL, packed cells for SQLite.

use bytes::{BufMut, Bytes, BytesMut};
use rusqlite::Statement;

use super::{ConnectOptions, Failure, FailureKind};
use crate::copy_text;

const NULL: u8 = 0;
const INT: u8 = 1;
const TEXT: u8 = 2;

/// Rows of one table, for [`CopyIn::rows`](super::CopyIn::rows).
#[derive(Debug)]
pub struct RowBuffer {
    is_copy: bool,
    bytes: BytesMut,
    rows: u64,
    in_row: bool,
}

impl RowBuffer {
    /// An empty one for a database.
    pub fn new(target: &ConnectOptions) -> Self {
        let is_copy = matches!(target, ConnectOptions::Postgres(_));
        Self { is_copy, bytes: BytesMut::new(), rows: 0, in_row: false }
    }

    /// Rows that were ended.
    pub fn len(&self) -> u64 {
        self.rows
    }

    /// Whether no row was ended.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Adds a NULL to the row.
    pub fn null(&mut self) {
        self.cell();
        match self.is_copy {
            true => copy_text::null(&mut self.bytes),
            false => self.bytes.put_u8(NULL),
        }
    }

    /// Adds a whole number to the row.
    pub fn int(&mut self, value: i64) {
        self.cell();
        match self.is_copy {
            true => copy_text::int(value, &mut self.bytes),
            false => {
                self.bytes.put_u8(INT);
                self.bytes.put_i64_le(value);
            }
        }
    }

    /// Adds a number with two decimal places, in hundredths: on PostgreSQL it goes into a
    /// `numeric`, on SQLite it stays a whole number.
    pub fn hundredths(&mut self, value: i64) {
        if !self.is_copy {
            return self.int(value);
        }
        self.cell();
        if value < 0 {
            self.bytes.put_u8(b'-');
        }
        let (whole, rest) = (value.unsigned_abs() / 100, value.unsigned_abs() % 100);
        self.bytes.put_slice(itoa::Buffer::new().format(whole).as_bytes());
        // Both digits are below 10.
        self.bytes.put_slice(&[b'.', b'0' + (rest / 10) as u8, b'0' + (rest % 10) as u8]);
    }

    /// Adds a text to the row: its parts, one after the other.
    pub fn text(&mut self, parts: &[&str]) {
        self.cell();
        if self.is_copy {
            for part in parts {
                copy_text::text(part.as_bytes(), &mut self.bytes);
            }
            return;
        }
        let length: usize = parts.iter().map(|part| part.len()).sum();
        self.bytes.put_u8(TEXT);
        self.bytes.put_u64_le(length as u64);
        for part in parts {
            self.bytes.put_slice(part.as_bytes());
        }
    }

    /// Ends the row.
    pub fn end_row(&mut self) {
        if self.is_copy {
            self.bytes.put_u8(copy_text::END);
        }
        self.rows += 1;
        self.in_row = false;
    }

    fn cell(&mut self) {
        if self.is_copy && self.in_row {
            self.bytes.put_u8(copy_text::BETWEEN);
        }
        self.in_row = true;
    }

    /// The lines so far; the buffer is empty then.
    pub(super) fn take_lines(&mut self) -> Result<Bytes, Failure> {
        if !self.is_copy {
            return Err(foreign());
        }
        let size = self.bytes.len();
        self.rows = 0;
        let lines = self.bytes.split().freeze();
        self.bytes.reserve(size);
        Ok(lines)
    }

    /// Runs a statement once per row, its parameters bound to the cells; the buffer is empty then.
    pub fn run_each(&mut self, statement: &mut Statement<'_>) -> Result<u64, Failure> {
        if self.is_copy {
            return Err(foreign());
        }
        let width = statement.parameter_count();
        let mut cells = Cells(&self.bytes);
        for _ in 0..self.rows {
            for place in 1..=width {
                let bound = match cells.next() {
                    Some(Datum::Int(value)) => statement.raw_bind_parameter(place, value),
                    Some(Datum::Text(text)) => statement.raw_bind_parameter(place, text),
                    Some(Datum::Null) | None => {
                        statement.raw_bind_parameter(place, rusqlite::types::Null)
                    }
                };
                bound.map_err(|error| Failure::sqlite(&error))?;
            }
            statement.raw_execute().map_err(|error| Failure::sqlite(&error))?;
        }
        let rows = std::mem::take(&mut self.rows);
        match cells.0.is_empty() {
            true => self.bytes.clear(),
            false => return Err(Failure::new(FailureKind::Other, "a row has too many cells")),
        }
        Ok(rows)
    }
}

fn foreign() -> Failure {
    Failure::new(FailureKind::Other, "the rows were made for another store")
}

enum Datum<'a> {
    Null,
    Int(i64),
    Text(&'a str),
}

/// Packed cells, from the front.
struct Cells<'a>(&'a [u8]);

impl<'a> Cells<'a> {
    fn next(&mut self) -> Option<Datum<'a>> {
        let (tag, rest) = self.0.split_first()?;
        if *tag == NULL {
            self.0 = rest;
            return Some(Datum::Null);
        }
        let (number, rest) = rest.split_first_chunk::<8>()?;
        if *tag == INT {
            self.0 = rest;
            return Some(Datum::Int(i64::from_le_bytes(*number)));
        }
        let length = usize::try_from(u64::from_le_bytes(*number)).ok()?;
        let (text, rest) = rest.split_at_checked(length)?;
        self.0 = rest;
        std::str::from_utf8(text).ok().map(Datum::Text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(is_copy: bool) -> RowBuffer {
        let mut rows = RowBuffer { is_copy, bytes: BytesMut::new(), rows: 0, in_row: false };
        rows.int(-7);
        rows.hundredths(-5);
        rows.null();
        rows.text(&["a\t", "b"]);
        rows.end_row();
        rows.int(1);
        rows.hundredths(123_456);
        rows.text(&[]);
        rows.null();
        rows.end_row();
        rows
    }

    #[test]
    fn lines_for_copy() {
        let mut rows = filled(true);
        assert_eq!(rows.len(), 2);
        let lines = rows.take_lines().unwrap();
        assert_eq!(&lines[..], b"-7\t-0.05\t\\N\ta\\tb\n1\t1234.56\t\t\\N\n");
        assert!(rows.is_empty());
    }

    #[test]
    fn cells_for_sqlite() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        connection.execute_batch("CREATE TABLE t (a, b, c, d)").unwrap();
        let mut rows = filled(false);
        let mut insert = connection.prepare("INSERT INTO t VALUES (?, ?, ?, ?)").unwrap();
        assert_eq!(rows.run_each(&mut insert).unwrap(), 2);
        assert!(rows.is_empty());
        let sql = "SELECT group_concat(quote(a) || quote(b) || quote(c) || quote(d)) FROM t";
        let found: String = connection.query_row(sql, [], |row| row.get(0)).unwrap();
        assert_eq!(found, "-7-5NULL'a\tb',1123456''NULL");
        assert!(filled(true).run_each(&mut insert).is_err());
        let mut narrow = connection.prepare("INSERT INTO t (a) VALUES (?)").unwrap();
        assert!(filled(false).run_each(&mut narrow).is_err());
    }
}
