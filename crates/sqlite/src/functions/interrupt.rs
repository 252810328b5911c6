//! When the work on a connection is over.
//!
//! SQLite asks between its steps. It does not ask within a function, so the functions of [`crate::functions`] count
//! their own work, over all calls together, and ask too.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use duet_text::effort::{Effort, Interruption, UNITS_PER_QUESTION};
use rusqlite::{Connection, ffi};

/// Whether the work is over.
type IsOver = Box<dyn Fn() -> bool + Send>;

/// What says when the work of one connection is over.
pub(crate) struct Interrupt {
    is_over: Mutex<IsOver>,
    /// The units of work until a function asks.
    left: AtomicUsize,
}

impl std::fmt::Debug for Interrupt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Interrupt").finish_non_exhaustive()
    }
}

impl Default for Interrupt {
    /// Work that is never over.
    fn default() -> Self {
        let is_over: IsOver = Box::new(|| false);
        Self { is_over: Mutex::new(is_over), left: AtomicUsize::new(UNITS_PER_QUESTION) }
    }
}

impl Interrupt {
    /// Has SQLite ask after every so many steps, and the connection's functions while they work.
    pub(crate) fn set(
        self: &Arc<Self>,
        connection: &mut Connection,
        steps: i32,
        is_over: impl Fn() -> bool + Send + 'static,
    ) -> rusqlite::Result<()> {
        *self.is_over.lock().unwrap_or_else(PoisonError::into_inner) = Box::new(is_over);
        let asked = Arc::clone(self);
        connection.progress_handler(steps, Some(move || asked.is_over()))
    }

    fn is_over(&self) -> bool {
        let is_over = self.is_over.lock().unwrap_or_else(PoisonError::into_inner);
        (*is_over)()
    }

    /// Runs a function of the connection.
    pub(crate) fn within<T>(
        &self,
        run: impl FnOnce(&Effort<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        let is_over = || self.is_over();
        let effort = Effort::going_on(&is_over, self.left.load(Ordering::Relaxed));
        let ended = run(&effort);
        self.left.store(effort.left(), Ordering::Relaxed);
        ended
    }
}

/// The error of a function that was stopped: the one that SQLite gives where it stops itself.
pub(crate) fn interrupted(_: Interruption) -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_INTERRUPT), None)
}
