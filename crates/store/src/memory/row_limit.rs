//! The limits of an answer's rows: a number of bytes, and their part of the memory
//! that all requests share. Both are checked while rows arrive, so that a fetch stops at the row
//! that is too much.

use std::sync::Arc;

use duet_document::RowSet;
use duet_model::memory::Budget;
use duet_model::{Code, Error, Result};

use crate::memory::arriving::{Arriving, LEASED_ROW};
use crate::refusal::answer_too_large;

/// So many bytes of rows make a chunk of a stream; fewer where the database is slower than the client.
pub const CHUNK_BYTES: usize = 64 << 10;

/// The limit on the rows of an answer.
#[derive(Clone, Debug)]
pub struct RowLimit {
    bytes: usize,
    memory: Budget,
    /// Whether the rows must be kept whatever they take.
    kept: bool,
    /// The large rows of the connection, which were leased before they arrived.
    arriving: Option<Arc<Arriving>>,
}

impl RowLimit {
    /// So many bytes, counted in this memory.
    pub fn new(bytes: usize, memory: &Budget) -> Self {
        Self { bytes, memory: memory.clone(), kept: false, arriving: None }
    }

    /// The memory that all requests share.
    pub fn memory(&self) -> &Budget {
        &self.memory
    }

    /// The same, with a limit in bytes.
    pub fn at_most(&self, bytes: usize) -> Self {
        Self { bytes: self.bytes.min(bytes), ..self.clone() }
    }

    /// The same for rows of which the large ones arrive here.
    pub fn through(&self, arriving: &Arc<Arriving>) -> Self {
        Self { arriving: Some(Arc::clone(arriving)), ..self.clone() }
    }

    /// For rows that a change returns which is being committed: they are counted, never refused.
    pub fn kept(&self) -> Self {
        Self { bytes: usize::MAX, kept: true, ..self.clone() }
    }

    /// Takes over the lease of a row that was made before it arrived.
    #[inline]
    pub fn take_over(&self, rows: &mut RowSet, bytes: usize) {
        if bytes > LEASED_ROW
            && let Some(arriving) = &self.arriving
        {
            rows.absorb(arriving.take(bytes));
        }
    }

    /// Leases the copy of a row of this size while it is decoded; waits if memory is short.
    #[inline]
    pub async fn copy(&self, bytes: usize) {
        if bytes > LEASED_ROW
            && let Some(arriving) = &self.arriving
        {
            arriving.copy(bytes).await;
        }
    }

    /// The same without waiting, for a connection that its client holds for long.
    #[inline]
    pub fn copy_now(&self, bytes: usize) {
        if bytes > LEASED_ROW
            && let Some(arriving) = &self.arriving
        {
            arriving.copy_now(bytes);
        }
    }

    /// Checks that rows may take this many more bytes. Nothing is leased below 64 KiB.
    ///
    /// # Errors
    /// [`Code::AnswerTooLarge`] above the limit of one answer, [`Code::MemoryLimit`] where all
    /// requests together hold too much.
    #[inline]
    pub fn admit(&self, rows: &mut RowSet, more: usize) -> Result<()> {
        let size = rows.size() + more;
        if size <= self.bytes && size <= rows.covered() {
            return Ok(());
        }
        self.cover(rows, size)
    }

    /// As [`RowLimit::admit`], for rows with this many bytes in other sets of the answer.
    ///
    /// # Errors
    /// As [`RowLimit::admit`].
    pub fn admit_beside(&self, others: usize, rows: &mut RowSet, more: usize) -> Result<()> {
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
    pub fn exceeded(&self) -> Error {
        answer_too_large(self.bytes)
    }
}

/// Whether an error says that rows were more than there was room for, so that the rest of them may
/// still be on its way.
pub fn is_over(error: &Error) -> bool {
    matches!(error.code, Code::AnswerTooLarge | Code::MemoryLimit)
}
