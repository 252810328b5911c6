//! Rows as the drivers hand them over: cells packed into one arena per statement.

use duet_model::Result;
use duet_model::memory::{Budget, Lease};

/// So many bytes of rows are not counted in the memory of requests: a set of small rows costs no
/// shared counter.
const UNCOUNTED: usize = 64 << 10;

/// A cell, borrowed from a [`RowSet`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Datum<'a> {
    /// SQL NULL.
    Null,
    /// An integer.
    Int(i64),
    /// A floating-point number.
    Real(f64),
    /// Text in UTF-8.
    Text(&'a [u8]),
    /// Bytes.
    Blob(&'a [u8]),
    /// PostgreSQL's binary form of the column's type.
    Wire(&'a [u8]),
}

impl Datum<'_> {
    /// Whether it is SQL NULL.
    #[inline]
    pub fn is_null(self) -> bool {
        matches!(self, Self::Null)
    }
}

#[derive(Clone, Copy, Debug)]
enum Packed {
    Null,
    Int(i64),
    Real(f64),
    Text(u32, u32),
    Blob(u32, u32),
    Wire(u32, u32),
}

/// The rows of one statement, in two allocations for any number of rows.
#[derive(Clone, Debug, Default)]
pub struct RowSet {
    width: usize,
    cells: Vec<Packed>,
    bytes: Vec<u8>,
    /// The memory of rows above [`UNCOUNTED`].
    lease: Option<Lease>,
}

impl RowSet {
    /// An empty set of rows with this many columns.
    pub fn new(width: usize) -> Self {
        Self { width, ..Self::default() }
    }

    /// The same, with capacity for this many rows.
    pub fn with_capacity(width: usize, rows: usize) -> Self {
        Self {
            width,
            cells: Vec::with_capacity(width * rows),
            bytes: Vec::with_capacity(width * rows * 8),
            lease: None,
        }
    }

    /// How many columns a row has.
    pub fn width(&self) -> usize {
        self.width
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.cells.len().checked_div(self.width).unwrap_or(0)
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// How many bytes the rows take, roughly; for limits.
    pub fn size(&self) -> usize {
        self.bytes.len() + self.cells.len() * Self::CELL_BYTES
    }

    /// Bytes that one more cell takes beside its contents; see [`RowSet::size`].
    pub const CELL_BYTES: usize = size_of::<Packed>();

    /// Up to which [size](RowSet::size) the rows are counted in the memory of requests, or need not
    /// be.
    pub fn covered(&self) -> usize {
        self.lease.as_ref().map_or(UNCOUNTED, Lease::bytes)
    }

    /// Leases the memory of the rows, up to a limit in bytes, until they are dropped.
    ///
    /// # Errors
    /// [`duet_model::Code::MemoryLimit`] where there is too little.
    pub fn cover(&mut self, memory: &Budget, bytes: usize) -> Result<()> {
        self.lease.get_or_insert_with(|| memory.open()).grow_to(bytes.next_multiple_of(UNCOUNTED))
    }

    /// Counts the rows by a lease that was made for some of them beforehand.
    pub fn absorb(&mut self, lease: Lease) {
        match &mut self.lease {
            Some(own) => own.absorb(lease),
            None => self.lease = Some(lease).filter(|lease| lease.bytes() > 0),
        }
    }

    /// The memory of the rows, where they are counted.
    pub(crate) fn lease(&self) -> Option<&Lease> {
        self.lease.as_ref()
    }

    /// As [`RowSet::cover`], beyond the limit too: for rows that must be kept, such as those of a
    /// change that is being committed.
    pub fn cover_kept(&mut self, memory: &Budget, bytes: usize) {
        self.lease.get_or_insert_with(|| memory.open()).claim_to(bytes.next_multiple_of(UNCOUNTED));
    }

    /// Appends the next cell of the current row.
    ///
    /// # Panics
    /// Never in practice: where one statement's bytes exceed 4 GiB; drivers stop long before.
    #[inline]
    pub fn push(&mut self, cell: Datum<'_>) {
        let packed = self.pack(cell);
        self.cells.push(packed);
    }

    /// Puts another cell in the place of one.
    ///
    /// # Panics
    /// As [`RowSet::push`].
    pub fn set(&mut self, row: usize, column: usize, cell: Datum<'_>) {
        let packed = self.pack(cell);
        self.cells[row * self.width + column] = packed;
    }

    #[inline]
    fn pack(&mut self, cell: Datum<'_>) -> Packed {
        match cell {
            Datum::Null => Packed::Null,
            Datum::Int(value) => Packed::Int(value),
            Datum::Real(value) => Packed::Real(value),
            Datum::Text(bytes) => {
                let (start, len) = self.store(bytes);
                Packed::Text(start, len)
            }
            Datum::Blob(bytes) => {
                let (start, len) = self.store(bytes);
                Packed::Blob(start, len)
            }
            Datum::Wire(bytes) => {
                let (start, len) = self.store(bytes);
                Packed::Wire(start, len)
            }
        }
    }

    fn store(&mut self, bytes: &[u8]) -> (u32, u32) {
        let start = u32::try_from(self.bytes.len()).unwrap_or(u32::MAX);
        let len = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        assert!(u64::from(start) + u64::from(len) < u64::from(u32::MAX), "rows exceed 4 GiB");
        self.bytes.extend_from_slice(bytes);
        (start, len)
    }

    /// The cell of a row and column.
    #[inline]
    pub fn get(&self, row: usize, column: usize) -> Datum<'_> {
        self.row(row).get(column)
    }

    /// A row, of which several cells are read.
    #[inline]
    pub fn row(&self, row: usize) -> RowCells<'_> {
        let start = row * self.width;
        RowCells { cells: &self.cells[start..start + self.width], bytes: &self.bytes }
    }

    /// Removes the rows from this one on.
    pub fn truncate(&mut self, rows: usize) {
        self.cells.truncate(rows * self.width);
    }
}

/// The cells of one row of a [`RowSet`].
#[derive(Clone, Copy, Debug)]
pub struct RowCells<'a> {
    cells: &'a [Packed],
    bytes: &'a [u8],
}

impl<'a> RowCells<'a> {
    /// The cell of a column.
    #[inline]
    pub fn get(self, column: usize) -> Datum<'a> {
        let slice = |start: u32, len: u32| &self.bytes[start as usize..][..len as usize];
        match self.cells[column] {
            Packed::Null => Datum::Null,
            Packed::Int(value) => Datum::Int(value),
            Packed::Real(value) => Datum::Real(value),
            Packed::Text(start, len) => Datum::Text(slice(start, len)),
            Packed::Blob(start, len) => Datum::Blob(slice(start, len)),
            Packed::Wire(start, len) => Datum::Wire(slice(start, len)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn row_memory_is_leased_in_steps_and_returned() {
        let memory = Budget::new(4 * UNCOUNTED);
        let mut rows = RowSet::new(1);
        assert_eq!((rows.covered(), memory.usage().used), (UNCOUNTED, 0));
        rows.cover(&memory, UNCOUNTED + 1).unwrap();
        assert_eq!((rows.covered(), memory.usage().used), (2 * UNCOUNTED, 2 * UNCOUNTED));
        assert!(rows.cover(&memory, 4 * UNCOUNTED + 1).is_err());
        rows.absorb(memory.lease(UNCOUNTED).unwrap());
        assert_eq!(rows.covered(), 3 * UNCOUNTED);
        rows.cover_kept(&memory, 5 * UNCOUNTED);
        assert_eq!(memory.usage().used, 5 * UNCOUNTED);
        let copy = rows.clone();
        assert_eq!(memory.usage().used, 10 * UNCOUNTED);
        drop((rows, copy));
        assert_eq!(memory.usage().used, 0);
    }
}
