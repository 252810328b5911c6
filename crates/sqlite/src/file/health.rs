//! What is known of a file's health, from requests and from health checks.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use duet_model::Error;

use crate::connection::failure::{DAMAGED, FULL};

/// What is known of the file's health.
#[derive(Debug, Default)]
pub(crate) struct Health {
    /// The file cannot be written, as of the start or the last probe.
    pub(crate) read_only: AtomicBool,
    /// A request has met a damaged page.
    pub(crate) damaged: AtomicBool,
    /// A write has found no room.
    pub(crate) full: AtomicBool,
    /// The table that is looked at next.
    pub(crate) next_table: AtomicUsize,
    /// Until when a closer look, which found nothing, is enough.
    pub(crate) sound: Mutex<Option<Instant>>,
}

impl Health {
    /// Records what the error of a request shows about the file.
    pub(crate) fn note(&self, error: &Error) {
        if error.message == DAMAGED {
            self.damaged.store(true, Ordering::Relaxed);
        } else if error.message == FULL {
            self.full.store(true, Ordering::Relaxed);
        }
    }
}
