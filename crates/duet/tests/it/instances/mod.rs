//! `duet serve --instances`: several processes that serve together.

mod console_sessions;
mod live;
pub(crate) mod processes;
mod writes;

use std::sync::atomic::{AtomicBool, Ordering};

/// Ends the clients of a trial, also where the trial fails: a scope waits for all of its threads.
struct Ends<'d>(&'d AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
