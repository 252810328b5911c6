//! Whether an application's database is in order, as the last look at it found.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use duet_model::Result;

use super::events::ProcessEvents;
use crate::observe::event::Event;

/// The state of one application's database.
#[derive(Debug)]
pub(crate) struct DatabaseHealth {
    /// Whether the last look found it in order.
    up: AtomicBool,
    /// Why it did not, for the operator.
    reason: Mutex<Option<String>>,
}

impl Default for DatabaseHealth {
    /// In order: an application is opened only over such a database.
    fn default() -> Self {
        Self { up: AtomicBool::new(true), reason: Mutex::default() }
    }
}

impl DatabaseHealth {
    /// Takes the result of the last check of the database; a change is an event.
    pub(crate) fn looked(&self, application: &str, found: Result<()>, events: &ProcessEvents) {
        let up = found.is_ok();
        let reason = found.err().map(|error| match &error.cause {
            Some(cause) => format!("{}: {} ({cause})", error.code.as_str(), error.message),
            None => format!("{}: {}", error.code.as_str(), error.message),
        });
        let mut known = self.reason.lock().unwrap_or_else(PoisonError::into_inner);
        match (&reason, self.up.swap(up, Ordering::Relaxed)) {
            (Some(reason), true) => {
                events.emit(&Event::DatabaseDown(application, reason));
            }
            (None, false) => events.emit(&Event::DatabaseUp(application)),
            _ => {}
        }
        *known = reason;
    }

    /// Whether the last look found the database in order.
    pub(crate) fn is_up(&self) -> bool {
        self.up.load(Ordering::Relaxed)
    }

    /// Why it did not, for the operator.
    pub(crate) fn reason(&self) -> Option<String> {
        self.reason.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
