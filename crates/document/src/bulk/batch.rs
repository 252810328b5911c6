//! Batches: the rows that a store gets together.

use duet_model::Code;

use super::Fault;
use crate::cells::rows::RowSet;

/// The position of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct RowPosition {
    /// Its number among the rows, from 1; a CSV's first line does not count.
    pub row: u64,
    /// The line it begins on, from 1.
    pub line: u64,
}

/// A row that was refused, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedRow {
    /// Its position.
    pub place: RowPosition,
    /// The field that is wrong, by its name as it is served, where it is one.
    pub field: Option<String>,
    /// The permanent code.
    pub code: Code,
    /// What is wrong and what to do. Never holds SQL or the database's words.
    pub message: String,
}

/// Rows that give the same columns.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// The columns, by their position in the table, ascending.
    pub columns: Vec<usize>,
    /// A cell for each of the columns per row.
    pub rows: RowSet,
    /// The position of each row.
    pub places: Vec<RowPosition>,
}

/// What is written together: rows of a table in [`Group`]s, or documents.
///
/// Groups are written in order. Rows that give the same columns are in one group, wherever they
/// appear in the batch; but where rows replace others by their key, a repeated key begins new
/// groups, so that the later row wins.
#[derive(Clone, Debug, Default)]
pub struct Batch<R = Vec<Group>> {
    /// What can be written.
    pub rows: R,
    /// The rows that were refused, in order.
    pub refused: Vec<RefusedRow>,
    /// How many rows were read, those that were refused included.
    pub read: u64,
    /// The last row that was read.
    pub last: RowPosition,
}

impl<R> Batch<R> {
    /// Whether nothing was read.
    pub fn is_empty(&self) -> bool {
        self.read == 0
    }
}

/// Chunks of bytes in, batches out.
pub trait Gather {
    /// What batches hold.
    type Rows: Default;

    /// Takes records off the front of `input` until it has none left or the batch is full; whether
    /// it is full.
    ///
    /// # Errors
    /// If the rest cannot be read. The batch keeps the rows before.
    fn feed(&mut self, input: &mut &[u8]) -> Result<bool, Fault>;

    /// Takes the last record at the end of the input.
    ///
    /// # Errors
    /// Where the text ends before it should.
    fn finish(&mut self) -> Result<(), Fault>;

    /// Bytes of the current record, which are scanned again when it is complete.
    fn pending(&self) -> usize;

    /// The batch so far; the next one is empty.
    fn take(&mut self) -> Batch<Self::Rows>;
}
