//! One of the instances that shall run: the process that does, and what follows it.

use std::time::Instant;

use crate::backoff::Backoff;
use crate::process::Process;

/// An instance that shall run.
#[derive(Debug)]
pub(crate) struct Seat {
    /// Its number, from 1.
    pub(crate) number: usize,
    /// The process; none while it waits to be started again.
    pub(crate) current: Option<Process>,
    /// The process that replaces it once it is ready.
    pub(crate) next: Option<Process>,
    pub(crate) backoff: Backoff,
    /// How often a process of it has ended that should not.
    pub(crate) restarts: u64,
    /// When a process is started, where none runs.
    pub(crate) start_at: Option<Instant>,
}

impl Seat {
    /// A seat whose process is started at once.
    pub(crate) fn new(number: usize, now: Instant) -> Self {
        let backoff = Backoff::default();
        Self { number, current: None, next: None, backoff, restarts: 0, start_at: Some(now) }
    }

    /// Whether a process of it answers requests.
    pub(crate) fn is_ready(&self) -> bool {
        self.current.as_ref().is_some_and(|process| process.ready.is_some())
    }

    /// The processes of it.
    pub(crate) fn processes(&self) -> impl Iterator<Item = &Process> {
        self.current.iter().chain(&self.next)
    }
}
