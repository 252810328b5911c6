//! What the rows of an answer may take: so many bytes of their own, and their part of the memory
//! that all requests share. Both are asked for while rows arrive, so that a fetch stops at the row
//! that is too much.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use duet_document::RowSet;
use duet_model::memory::Budget;
use duet_model::{Code, Error, Result};

/// So many bytes of rows make a chunk of a stream; fewer where the database is slower than the client.
pub(crate) const CHUNK_BYTES: usize = 64 << 10;

/// The limit on the rows of an answer.
#[derive(Clone, Debug)]
pub(crate) struct RowLimit {
    bytes: usize,
    memory: Budget,
    /// Whether the rows must be kept whatever they take.
    kept: bool,
    /// Set where a row of more than [`LARGE_ROW`] is met.
    large_row: Option<Arc<AtomicBool>>,
}

/// The buffer of a connection that has carried so large a row is not kept.
pub(crate) const LARGE_ROW: usize = 4 << 20;

impl RowLimit {
    /// So many bytes, counted in this memory.
    pub(crate) fn new(bytes: usize, memory: &Budget) -> Self {
        Self { bytes, memory: memory.clone(), kept: false, large_row: None }
    }

    /// The memory that all requests share.
    pub(crate) fn memory(&self) -> &Budget {
        &self.memory
    }

    /// The same, and no more than so many bytes.
    pub(crate) fn at_most(&self, bytes: usize) -> Self {
        Self { bytes: self.bytes.min(bytes), ..self.clone() }
    }

    /// The same; that a large row was met is noted here.
    pub(crate) fn noting(&self, large_row: &Arc<AtomicBool>) -> Self {
        Self { large_row: Some(Arc::clone(large_row)), ..self.clone() }
    }

    /// For rows that a change returns which is being committed: they are counted, never refused.
    pub(crate) fn kept(&self) -> Self {
        Self { bytes: usize::MAX, kept: true, ..self.clone() }
    }

    /// Makes sure that rows may take so many bytes more. Nothing is shared below 64 KiB.
    ///
    /// # Errors
    /// [`Code::AnswerTooLarge`] above the limit of one answer, [`Code::MemoryLimit`] where all
    /// requests together hold too much.
    #[inline]
    pub(crate) fn admit(&self, rows: &mut RowSet, more: usize) -> Result<()> {
        let size = rows.size() + more;
        if size <= self.bytes && size <= rows.covered() {
            return Ok(());
        }
        if let Some(met) = self.large_row.as_ref().filter(|_| more > LARGE_ROW) {
            met.store(true, Ordering::Relaxed);
        }
        self.cover(rows, size)
    }

    /// As [`RowLimit::admit`], for rows of which so many bytes are in other sets of the answer.
    ///
    /// # Errors
    /// As [`RowLimit::admit`].
    pub(crate) fn admit_beside(&self, others: usize, rows: &mut RowSet, more: usize) -> Result<()> {
        match others.saturating_add(rows.size()).saturating_add(more) > self.bytes {
            true => Err(self.exceeded()),
            false => self.admit(rows, more),
        }
    }

    #[cold]
    fn cover(&self, rows: &mut RowSet, size: usize) -> Result<()> {
        if size > self.bytes {
            return Err(self.exceeded());
        }
        if self.kept {
            rows.cover_kept(&self.memory, size);
            return Ok(());
        }
        rows.cover(&self.memory, size)
    }

    /// The error for an answer above the limit.
    pub(crate) fn exceeded(&self) -> Error {
        Error::new(
            Code::AnswerTooLarge,
            format!(
                "The answer would hold more than {} MiB. Ask for fewer items with `limit`, or fewer members with `fields`.",
                self.bytes >> 20
            ),
        )
    }
}

/// Whether an error says that rows were more than there was room for, so that the rest of them may
/// still be on its way.
pub(crate) fn is_over(error: &Error) -> bool {
    matches!(error.code, Code::AnswerTooLarge | Code::MemoryLimit)
}
