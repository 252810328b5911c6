//! Bulk loads under way: as many as a setting allows.

use std::sync::atomic::{AtomicUsize, Ordering};

use duet_model::{Code, Error, Result};

/// How many loads are under way.
#[derive(Debug, Default)]
pub(crate) struct Loads(AtomicUsize);

impl Loads {
    /// Counts one more, until the guard is dropped.
    pub(crate) fn enter(&self, most: usize) -> Result<Running<'_>> {
        let running = Running(&self.0);
        if self.0.fetch_add(1, Ordering::AcqRel) < most {
            return Ok(running);
        }
        let message = format!(
            "{most} bulk loads are under way, which is as many as the server runs at once. \
             Try again when one has ended."
        );
        Err(Error::new(Code::Overloaded, message).retry_after(5))
    }
}

/// A load under way, until dropped.
pub(crate) struct Running<'l>(&'l AtomicUsize);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}
