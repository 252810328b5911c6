//! The other end of a connection: its address, and the bytes that it has not taken yet.

use std::cell::{Cell, RefCell};
use std::net::IpAddr;
use std::sync::Arc;
use std::task::{Context, Waker};

use super::connection_table::Seat;
use super::leased::SMALL;

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
    pub(crate) unwritten: UnwrittenBytes,
    /// The connection's place in the table.
    pub(crate) seat: Seat,
    /// Whether a request of the connection was one of a caller who may come here.
    pub(crate) is_authenticated: Cell<bool>,
    /// The requests of the connection that are open; more than one at a time with HTTP/2 alone.
    pub(crate) open_requests: Cell<usize>,
    /// Who waits to read further requests.
    pub(crate) reader: RefCell<Option<Waker>>,
}

impl Remote {
    /// A request of the connection has authenticated.
    pub(crate) fn has_authenticated(&self) {
        if !self.is_authenticated.replace(true) {
            self.wake_reader();
        }
    }

    /// Has the caller woken when a request has ended, or one has authenticated.
    pub(crate) fn wake_when_ended(&self, context: &Context<'_>) {
        *self.reader.borrow_mut() = Some(context.waker().clone());
    }

    pub(crate) fn wake_reader(&self) {
        let reader = self.reader.take();
        if let Some(reader) = reader {
            reader.wake();
        }
    }

    /// Bytes of a request or response that are never refused: of a connection's only one.
    pub(crate) fn granted(&self) -> usize {
        if self.open_requests.get() > 1 { 0 } else { SMALL }
    }
}

/// How much of a body hyper holds back. It takes any number of frames while it aggregates
/// flushes, so a body without end must see for itself that they have left.
#[derive(Debug, Default)]
pub(crate) struct UnwrittenBytes {
    bytes: Cell<usize>,
    is_left_to_library: Cell<bool>,
    waiting: RefCell<Option<Waker>>,
}

impl UnwrittenBytes {
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
