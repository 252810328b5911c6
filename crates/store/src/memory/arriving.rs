//! The memory of large rows that a driver buffers: leased when the length of a row has arrived and before its bytes
//! have, and handed on to the rows of the answer when the row is decoded.
//!
//! Decoding copies the row, and the driver's buffer stays until the next row uses it or its connection is closed. The
//! copy is counted too, but refuses nothing: where no memory is free for it, one connection after the other copies.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use duet_model::memory::{Budget, Lease};
use duet_model::{Code, Error, Result};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::refusal::answer_too_large;

/// Rows above this size are leased before they arrive; a driver buffers few smaller ones. The driver of PostgreSQL asks about those alone.
pub const LEASED_ROW: usize = 256 << 10;

/// The buffer of a connection that has carried so large a row is not kept.
const KEPT_BUFFER: usize = 4 << 20;

/// How long a row waits at most to be copied: until another connection is closed.
const TURN: Duration = Duration::from_secs(1);

/// The permit to copy a row beyond the limit on memory, which the connections of a database share.
#[derive(Clone, Debug)]
pub struct Copies(Arc<Semaphore>);

impl Default for Copies {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(1)))
    }
}

/// The large rows on their way through one connection, and when its last statement was complete.
#[derive(Debug)]
pub struct Arriving {
    /// The most that one answer may hold.
    most: usize,
    rows: Mutex<Rows>,
    copies: Copies,
    /// Whether no request uses the connection: what arrives is for one that has left.
    idle: AtomicBool,
    /// Whether the driver keeps a buffer that a very large row has needed.
    has_large_buffer: AtomicBool,
    /// Whether a request has left before its rows had arrived.
    abandoned: AtomicBool,
    /// Whether a row was refused, with which the connection has ended.
    refused: AtomicBool,
    begun: Instant,
    /// When the server last said that a statement was complete, in nanoseconds since then.
    completed: AtomicU64,
}

#[derive(Debug)]
struct Rows {
    /// Rows that are not decoded yet.
    lease: Lease,
    /// The buffer of a row that was copied.
    copied: Lease,
    /// Held while it is beyond the limit.
    turn: Option<OwnedSemaphorePermit>,
    /// Whether they must be kept whatever they take.
    kept: bool,
}

impl Arriving {
    /// For a connection with this limit of answers, counted in this memory.
    pub fn new(memory: &Budget, most: usize, copies: &Copies) -> Self {
        let (idle, has_large_buffer, abandoned, refused) = Default::default();
        let (lease, copied) = (memory.open(), memory.open());
        let rows = Mutex::new(Rows { lease, copied, turn: None, kept: false });
        let (copies, begun, completed) = (copies.clone(), Instant::now(), AtomicU64::new(0));
        Self { most, rows, copies, idle, has_large_buffer, abandoned, refused, begun, completed }
    }

    /// The server says that a statement is complete.
    pub fn completed(&self) {
        let nanoseconds = u64::try_from(self.begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.completed.store(nanoseconds, Ordering::Relaxed);
    }

    /// When it last said so, if that was after this moment.
    pub fn completed_after(&self, moment: Instant) -> Option<Instant> {
        let at = self.begun + Duration::from_nanos(self.completed.load(Ordering::Relaxed));
        Some(at).filter(|at| *at > moment)
    }

    /// Leases the memory of a row before it is buffered.
    ///
    /// # Errors
    /// [`Code::AnswerTooLarge`] where no answer may hold it, [`Code::MemoryLimit`] where too little is free or no
    /// request uses the connection: its memory would be held until one does. The connection ends then.
    pub fn admit(&self, bytes: usize) -> Result<()> {
        let admitted = self.lease(bytes);
        match &admitted {
            Ok(()) if bytes > KEPT_BUFFER => self.has_large_buffer.store(true, Ordering::Relaxed),
            Ok(()) => {}
            Err(_) => self.refused.store(true, Ordering::Relaxed),
        }
        admitted
    }

    fn lease(&self, bytes: usize) -> Result<()> {
        let mut rows = self.rows();
        // The row takes the place of one that was copied.
        let left = rows.copied.bytes().saturating_sub(bytes);
        rows.copied.shrink_to(left);
        if rows.kept {
            let all = rows.lease.bytes().saturating_add(bytes);
            rows.lease.claim_to(all);
            return Ok(());
        }
        if bytes > self.most {
            return Err(answer_too_large(self.most));
        }
        if self.idle.load(Ordering::Relaxed) {
            return Err(no_request());
        }
        rows.lease.grow_by(bytes)
    }

    /// Leases the copy of a row, which is made next. Waits for a permit if no memory is free.
    pub async fn copy(&self, bytes: usize) {
        if self.copy_if_free(bytes) {
            return;
        }
        let turn = tokio::time::timeout(TURN, Arc::clone(&self.copies.0).acquire_owned()).await;
        let mut rows = self.rows();
        rows.turn = turn.ok().and_then(Result::ok);
        rows.copied.claim_to(bytes);
    }

    /// The same without waiting.
    pub fn copy_now(&self, bytes: usize) {
        self.rows().copied.claim_to(bytes);
    }

    /// False where the copy must wait.
    fn copy_if_free(&self, bytes: usize) -> bool {
        let mut rows = self.rows();
        if rows.copied.grow_if_free(bytes) {
            return true;
        }
        let may = rows.kept || rows.turn.is_some();
        if may {
            rows.copied.claim_to(bytes);
        }
        may
    }

    /// Hands on the memory of a row that has arrived.
    pub fn take(&self, bytes: usize) -> Lease {
        self.rows().lease.split_off(bytes)
    }

    /// Whether rows are counted and never refused from now on.
    pub fn keep(&self, kept: bool) {
        self.rows().kept = kept;
    }

    /// A request begins to use the connection.
    pub fn begin(&self) {
        self.idle.store(false, Ordering::Relaxed);
    }

    /// No request uses the connection any more: all rows were decoded or are dropped.
    pub fn settle(&self) {
        if !self.idle.swap(true, Ordering::Relaxed) {
            let mut rows = self.rows();
            rows.lease.shrink_to(0);
            rows.copied.shrink_to(0);
            (rows.turn, rows.kept) = (None, false);
        }
    }

    /// A request leaves before its rows have arrived.
    pub fn abandon(&self) {
        self.abandoned.store(true, Ordering::Relaxed);
    }

    /// Whether the connection should serve no further request: its buffer would stay large, or it holds rows that
    /// no request takes.
    pub fn is_burdened(&self) -> bool {
        self.has_large_buffer.load(Ordering::Relaxed)
            || self.abandoned.load(Ordering::Relaxed) && self.rows().lease.bytes() > 0
    }

    /// Whether a row was refused, with which the connection has ended.
    pub fn has_refused(&self) -> bool {
        self.refused.load(Ordering::Relaxed)
    }

    fn rows(&self) -> MutexGuard<'_, Rows> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The error of a row whose request has left: no request gets it.
fn no_request() -> Error {
    Error::new(Code::MemoryLimit, "The request of this row has left.")
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    const ROW: usize = LEASED_ROW + 1;

    #[test]
    fn a_row_is_counted_once() {
        let memory = Budget::new(3 * ROW);
        let arriving = Arriving::new(&memory, 3 * ROW, &Copies::default());
        arriving.begin();
        arriving.admit(ROW).unwrap();
        arriving.admit(ROW).unwrap();
        assert_eq!(memory.usage().used, 2 * ROW);
        let taken = arriving.take(ROW);
        assert_eq!((taken.bytes(), memory.usage().used), (ROW, 2 * ROW));
        arriving.admit(ROW).unwrap();
        let error = arriving.admit(ROW).unwrap_err();
        assert_eq!((error.code, arriving.has_refused()), (Code::MemoryLimit, true));
        arriving.settle();
        assert_eq!(memory.usage().used, ROW, "what was taken stays");
        assert_eq!(arriving.take(ROW).bytes(), 0, "nothing is left to take");
        drop(taken);
        assert_eq!((memory.usage().used, memory.usage().peak), (0, 3 * ROW));
    }

    /// Of two connections with a row each, where memory is free for one copy.
    #[tokio::test]
    async fn copies_beyond_the_limit_take_turns() {
        let memory = Budget::new(3 * ROW);
        let copies = Copies::default();
        let [first, second, third] = [(); 3].map(|()| Arriving::new(&memory, 3 * ROW, &copies));
        for arriving in [&first, &second] {
            arriving.begin();
            arriving.admit(ROW).unwrap();
        }
        first.copy(ROW).await;
        assert_eq!(memory.usage().used, 3 * ROW);
        second.copy(ROW).await;
        assert_eq!(memory.usage().used, 4 * ROW, "counted beyond the limit");
        assert_eq!(memory.usage().refused, 0);
        let row = second.take(ROW);
        let error = second.admit(ROW).unwrap_err();
        assert_eq!(error.code, Code::MemoryLimit, "what is counted leaves no room for others");
        // The permit is free when the second connection is.
        let waiting = third.copy(ROW);
        let mut waiting = std::pin::pin!(waiting);
        assert!(waiting.as_mut().now_or_never().is_none());
        second.settle();
        assert!(waiting.as_mut().now_or_never().is_some());
        first.settle();
        third.settle();
        drop(row);
        assert_eq!(memory.usage().used, 0);
    }

    #[test]
    fn the_next_row_takes_the_place_of_one_that_was_copied() {
        let memory = Budget::new(3 * ROW);
        let arriving = Arriving::new(&memory, 3 * ROW, &Copies::default());
        let mut taken = Vec::new();
        for count in 1..=2 {
            arriving.admit(ROW).unwrap();
            assert_eq!(memory.usage().used, count * ROW);
            arriving.copy_now(ROW);
            taken.push(arriving.take(ROW));
            assert_eq!(memory.usage().used, (count + 1) * ROW);
        }
        drop(arriving);
        assert_eq!(memory.usage().used, 2 * ROW);
    }

    #[test]
    fn a_row_above_the_limit_of_answers_is_refused_without_a_lease() {
        let memory = Budget::unlimited();
        let arriving = Arriving::new(&memory, ROW, &Copies::default());
        assert_eq!(arriving.admit(ROW + 1).unwrap_err().code, Code::AnswerTooLarge);
        assert_eq!((memory.usage().peak, arriving.has_refused()), (0, true));
    }

    #[test]
    fn rows_that_must_be_kept_are_counted_and_never_refused() {
        let memory = Budget::new(ROW);
        let arriving = Arriving::new(&memory, ROW, &Copies::default());
        arriving.begin();
        arriving.keep(true);
        arriving.admit(2 * ROW).unwrap();
        assert_eq!(memory.usage().used, 2 * ROW);
        arriving.settle();
        assert_eq!(memory.usage().used, 0);
        arriving.begin();
        assert!(arriving.admit(2 * ROW).is_err());
    }

    #[test]
    fn rows_for_a_request_that_has_left_are_refused() {
        let memory = Budget::new(3 * ROW);
        let arriving = Arriving::new(&memory, 3 * ROW, &Copies::default());
        arriving.begin();
        arriving.abandon();
        arriving.settle();
        assert!(!arriving.is_burdened(), "none has arrived");
        arriving.admit(ROW).unwrap_err();
        assert!(memory.usage().peak == 0 && arriving.has_refused());
    }

    #[test]
    fn rows_for_one_that_has_left_beside_another_are_a_burden() {
        let arriving = Arriving::new(&Budget::new(3 * ROW), 3 * ROW, &Copies::default());
        arriving.begin();
        arriving.abandon();
        arriving.admit(ROW).unwrap();
        assert!(arriving.is_burdened());
    }

    #[test]
    fn a_very_large_row_leaves_a_large_buffer() {
        let arriving = Arriving::new(&Budget::unlimited(), usize::MAX, &Copies::default());
        arriving.admit(KEPT_BUFFER).unwrap();
        assert!(!arriving.is_burdened());
        arriving.admit(KEPT_BUFFER + 1).unwrap();
        assert!(arriving.is_burdened());
    }
}
