//! Whether a caller still waits for a job of a thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use duet_model::{Code, Error};

/// Where a job is: waiting, running, or cancelled.
#[derive(Debug, Default)]
pub(crate) struct Ticket(AtomicU8);

impl Ticket {
    const WAITING: u8 = 0;
    pub(crate) const RUNNING: u8 = 1;
    pub(crate) const GIVEN_UP: u8 = 2;

    /// From waiting on to another state; false where it does not wait any more.
    pub(crate) fn leave_queue(&self, to: u8) -> bool {
        let both = Ordering::AcqRel;
        self.0.compare_exchange(Self::WAITING, to, both, Ordering::Acquire).is_ok()
    }

    pub(crate) fn is_given_up(&self) -> bool {
        self.0.load(Ordering::Acquire) == Self::GIVEN_UP
    }
}

/// Abandons a job when its caller disconnects.
pub(crate) struct CancelOnDrop(pub(crate) Arc<Ticket>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.0.store(Ticket::GIVEN_UP, Ordering::Release);
    }
}

/// The error where a bulk load or another write of this process holds the file for too long.
pub(crate) fn write_held() -> Error {
    let message = "Another write of this server, such as a bulk load in one transaction, keeps \
                   the database file locked. Try again in a moment.";
    Error::new(Code::Overloaded, message).retry_after(5)
}

/// The error where another program holds the file for too long; in the journal mode `delete`, where readers and writers
/// wait for each other, also another request.
pub(crate) fn locked() -> Error {
    let message = "Another program keeps the database file locked, or, where the file is not in WAL mode, another \
                   request. Try again in a moment, and end that program's transaction if it stays so.";
    Error::new(Code::DatabaseLocked, message).retry_after(5)
}

/// The error of a queue that is full, or too slow.
pub(crate) fn overloaded() -> Error {
    let message = "Too many requests wait for the database. Try again in a moment.";
    Error::new(Code::Overloaded, message).retry_after(1)
}
