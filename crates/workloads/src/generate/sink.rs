//! Consumers of generated rows: a database, a sum, a hash.

use duet_client::RowBuffer;

use super::moment::Moment;

/// Receives rows, cell by cell.
pub trait RowSink {
    /// A NULL.
    fn null(&mut self);
    /// A whole number.
    fn int(&mut self, value: i64);
    /// Money in cents, for a column of money.
    fn cents(&mut self, value: i64);
    /// A text, from parts that are concatenated.
    fn text(&mut self, parts: &[&str]);
    /// Ends a row.
    fn end_row(&mut self);

    /// A day, counted from 1970-01-01.
    fn date(&mut self, day: i64) {
        self.text(&[Moment::date(day).as_str()]);
    }

    /// A moment, in seconds from 1970-01-01.
    fn second(&mut self, second: i64) {
        self.text(&[Moment::second(second).as_str()]);
    }

    /// A whole number, or NULL.
    fn int_or_null(&mut self, value: Option<i64>) {
        match value {
            Some(value) => self.int(value),
            None => self.null(),
        }
    }
}

impl RowSink for RowBuffer {
    fn null(&mut self) {
        Self::null(self);
    }

    fn int(&mut self, value: i64) {
        Self::int(self, value);
    }

    fn cents(&mut self, value: i64) {
        self.hundredths(value);
    }

    fn text(&mut self, parts: &[&str]) {
        Self::text(self, parts);
    }

    fn end_row(&mut self) {
        Self::end_row(self);
    }
}

/// Sums the numbers of each column, to compare them with a loaded table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sums {
    /// Rows.
    pub rows: u64,
    /// The sum of each column's numbers, money in cents.
    pub columns: Vec<i128>,
    at: usize,
}

impl Sums {
    fn add(&mut self, value: i64) {
        if self.columns.len() <= self.at {
            self.columns.resize(self.at + 1, 0);
        }
        self.columns[self.at] += i128::from(value);
        self.at += 1;
    }

    /// Adds the sums of another slice.
    pub fn merge(&mut self, other: &Self) {
        self.rows += other.rows;
        let width = self.columns.len().max(other.columns.len());
        self.columns.resize(width, 0);
        self.columns.iter_mut().zip(&other.columns).for_each(|(sum, more)| *sum += more);
    }
}

impl RowSink for Sums {
    fn null(&mut self) {
        self.add(0);
    }

    fn int(&mut self, value: i64) {
        self.add(value);
    }

    fn cents(&mut self, value: i64) {
        self.add(value);
    }

    fn text(&mut self, _: &[&str]) {
        self.add(0);
    }

    fn end_row(&mut self) {
        self.rows += 1;
        self.at = 0;
    }
}

/// A hash over rows in any order: the sum of the rows' hashes.
#[derive(Clone, Debug)]
pub struct Digest {
    row: u64,
    sum: u64,
    rows: u64,
}

impl Default for Digest {
    fn default() -> Self {
        Self { row: FNV, sum: 0, rows: 0 }
    }
}

/// The offset basis of 64-bit FNV-1a.
const FNV: u64 = 0xCBF2_9CE4_8422_2325;

impl Digest {
    /// Returns the hash and the number of rows.
    pub fn value(&self) -> (u64, u64) {
        (self.sum, self.rows)
    }

    fn bytes(&mut self, tag: u8, bytes: impl IntoIterator<Item = u8>) {
        for byte in std::iter::once(tag).chain(bytes) {
            self.row = (self.row ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
        }
    }
}

impl RowSink for Digest {
    fn null(&mut self) {
        self.bytes(0, []);
    }

    fn int(&mut self, value: i64) {
        self.bytes(1, value.to_le_bytes());
    }

    fn cents(&mut self, value: i64) {
        self.int(value);
    }

    fn text(&mut self, parts: &[&str]) {
        self.bytes(2, parts.iter().flat_map(|part| part.bytes()));
    }

    fn end_row(&mut self) {
        self.sum = self.sum.wrapping_add(std::mem::replace(&mut self.row, FNV));
        self.rows += 1;
    }
}
