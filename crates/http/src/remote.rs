//! The other end of a connection: its address, and the bytes that it has not taken yet.

use std::cell::{Cell, RefCell};
use std::net::IpAddr;
use std::sync::Arc;
use std::task::{Context, Waker};

use crate::connection_table::Seat;

/// The other end of a connection.
#[derive(Debug)]
pub(crate) struct Remote {
    /// Its address; `None` for a Unix socket.
    pub(crate) ip: Option<IpAddr>,
    /// The same as text, for the log.
    pub(crate) text: String,
    /// The listener's own authority.
    pub(crate) local: Arc<str>,
    /// Whether the connection is TLS.
    pub(crate) secure: bool,
    /// What of a stream has not been written to the socket yet.
    pub(crate) unwritten: Unwritten,
    /// The connection's place in the table.
    pub(crate) seat: Seat,
}

/// How much of a body hyper holds back. It takes any number of frames while it aggregates
/// flushes, so a body without end must see for itself that they have left.
#[derive(Debug, Default)]
pub(crate) struct Unwritten {
    bytes: Cell<usize>,
    is_left_to_library: Cell<bool>,
    waiting: RefCell<Option<Waker>>,
}

impl Unwritten {
    /// Counts nothing from now on: with HTTP/2, streams wait for their clients in the library.
    pub(crate) fn leave_to_library(&self) {
        self.is_left_to_library.set(true);
    }

    /// So many bytes more are held back.
    pub(crate) fn add(&self, bytes: usize) {
        if self.is_left_to_library.get() {
            return;
        }
        self.bytes.set(self.bytes.get().saturating_add(bytes));
    }

    /// Whether it is no more than this; if not, the caller is woken when all has left.
    pub(crate) fn is_within(&self, most: usize, context: &Context<'_>) -> bool {
        let within = self.bytes.get() <= most;
        if !within {
            *self.waiting.borrow_mut() = Some(context.waker().clone());
        }
        within
    }

    /// All has left.
    pub(crate) fn clear(&self) {
        self.bytes.set(0);
        let waiting = self.waiting.borrow_mut().take();
        if let Some(waiting) = waiting {
            waiting.wake();
        }
    }
}
