//! The text of documents, and the memory that it takes: that of large rows is counted before it is
//! written, and made at once.

use std::ops::Range;

use duet_model::Result;
use duet_model::memory::Lease;

use crate::cells::codec::Codec;
use crate::cells::json::escaped_length;
use crate::cells::ords_codec::OrdsForm;
use crate::cells::rows::Datum;
use crate::fetched::FetchedRows;
use crate::program::{Links, Program, Step};

/// The text of rows of fewer bytes is not counted before it is written.
const LARGE: usize = 64 << 10;
/// Room for the text of a document of small rows.
const LEAST: usize = 512;
/// Bytes of a document beside its members and addresses: `_metadata`, the names of links, a key.
const BESIDE: usize = 512;
/// Bytes of a number, a date or another value of a fixed size.
const SHORT: usize = 64;

/// A buffer for text.
#[derive(Debug, Default)]
pub struct TextBuffer {
    /// The text.
    pub text: Vec<u8>,
    /// Its memory, where the rows that it is made of are counted too.
    pub lease: Option<Lease>,
}

impl TextBuffer {
    /// A buffer for the documents of some root rows, with links to these addresses; with room for
    /// `least` where the rows are small.
    ///
    /// # Errors
    /// [`duet_model::Code::MemoryLimit`] where there is too little memory for the text of large rows.
    pub fn new(
        program: &Program,
        fetched: &FetchedRows,
        rows: Range<usize>,
        links: Option<&Links<'_>>,
        least: usize,
    ) -> Result<Self> {
        if fetched.size() <= LARGE {
            return Ok(Self { text: Vec::with_capacity(least), lease: None });
        }
        let bytes = program.text_bound(fetched, rows, links).saturating_add(least);
        let lease = fetched.lease().map(|rows| rows.beside(bytes)).transpose()?;
        Ok(Self { text: Vec::with_capacity(bytes), lease })
    }

    /// The same for the answer to a change that may have been committed: it is counted, and never
    /// refused.
    pub fn kept(
        program: &Program,
        fetched: &FetchedRows,
        rows: Range<usize>,
        links: Option<&Links<'_>>,
    ) -> Self {
        if fetched.size() <= LARGE {
            return Self { text: Vec::with_capacity(LEAST), lease: None };
        }
        let bytes = program.text_bound(fetched, rows, links);
        let lease = fetched.lease().map(|rows| rows.claim_beside(bytes));
        Self { text: Vec::with_capacity(bytes), lease }
    }
}

impl Program {
    /// Bytes that the members of a root row take at most, as [`Program::text_bound`].
    pub(crate) fn item_bound(&self, fetched: &FetchedRows, row: usize) -> usize {
        self.steps_bound(fetched, 0..self.steps.len(), 0, row)
    }

    /// Bytes that the text of some root rows takes at most, but for rare forms of values.
    fn text_bound(
        &self,
        fetched: &FetchedRows,
        rows: Range<usize>,
        links: Option<&Links<'_>>,
    ) -> usize {
        let addresses =
            links.map_or(0, |links| 3 * links.collection.len() + links.described_by.len());
        rows.map(|row| self.item_bound(fetched, row) + addresses + BESIDE)
            .fold(0, usize::saturating_add)
    }

    /// The same of steps, for a row of a level.
    fn steps_bound(
        &self,
        fetched: &FetchedRows,
        steps: Range<usize>,
        level: usize,
        row: usize,
    ) -> usize {
        let rows = &fetched.levels[level].rows;
        let (mut at, mut bytes) = (steps.start, 0_usize);
        while at < steps.end {
            let step = match &self.steps[at] {
                Step::Literal { start, end } => end - start,
                Step::Value { column, codec } => value_bound(codec, rows.get(row, *column)),
                Step::Flex { column, .. } | Step::Document { column } => {
                    value_bound(&Codec::Json, rows.get(row, *column))
                }
                Step::Unchecked | Step::Checked | Step::Object { .. } => 2,
                Step::Present { .. } | Step::Begin | Step::Separate => 1,
                Step::Array { level: child, end } => {
                    let elements = at + 1..*end;
                    at = end - 1;
                    let children = fetched.levels[*child].children(row);
                    let element =
                        |row| self.steps_bound(fetched, elements.clone(), *child, row) + 1;
                    children.map(element).fold(2, usize::saturating_add)
                }
            };
            bytes = bytes.saturating_add(step);
            at += 1;
        }
        bytes
    }
}

/// Whether PostgreSQL sends values of a codec as digits in groups.
fn is_decimal(codec: &Codec) -> bool {
    matches!(codec, Codec::Decimal(_) | Codec::Ords(OrdsForm::Number(_)))
}

/// Bytes of a cell as JSON at most.
fn value_bound(codec: &Codec, cell: Datum<'_>) -> usize {
    match cell {
        Datum::Null | Datum::Int(_) | Datum::Real(_) => SHORT,
        Datum::Text(text) if matches!(codec, Codec::Ords(_)) => escaped_length(text) + SHORT,
        Datum::Text(text) => escaped_length(text) + 2,
        Datum::Blob(bytes) => bytes.len().div_ceil(3) * 4 + SHORT,
        // Its digits are in groups of four, of two bytes each.
        Datum::Wire(wire) if is_decimal(codec) => wire.len() * 2 + SHORT,
        Datum::Wire(wire) => escaped_length(wire) + SHORT,
    }
}
