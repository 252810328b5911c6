//! What the writing thread is at, which says why a write has waited in vain.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use duet_admission::Metrics;
use duet_model::Error;

use crate::connection::ticket::{locked, overloaded, write_held};

/// What the writing thread is at, or was at last before it could not begin a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// It runs writes, or is idle.
    Work = 0,
    /// It waits for a bulk load to end its transaction.
    Turn = 1,
    /// It waits for another program's lock.
    Lock = 2,
}

/// Where the writing thread is, and the counters of its queue.
#[derive(Debug)]
pub(crate) struct Progress {
    phase: AtomicU8,
    metrics: Arc<Metrics>,
}

impl Progress {
    pub(crate) fn new(metrics: &Arc<Metrics>) -> Self {
        Self { phase: AtomicU8::new(Phase::Work as u8), metrics: Arc::clone(metrics) }
    }

    /// Reports the thread's phase.
    pub(crate) fn is_in(&self, phase: Phase) {
        self.phase.store(phase as u8, Ordering::Relaxed);
    }

    /// Whether it waits for another program's lock.
    pub(crate) fn waits_for_lock(&self) -> bool {
        self.phase.load(Ordering::Relaxed) == Phase::Lock as u8
    }

    /// Counts a panic of a write.
    pub(crate) fn panicked(&self) {
        self.metrics.panicked();
    }

    /// Why a write has waited in vain.
    pub(crate) fn in_vain(&self) -> Error {
        match self.phase.load(Ordering::Relaxed) {
            phase if phase == Phase::Turn as u8 => write_held(),
            phase if phase == Phase::Lock as u8 => locked(),
            _ => overloaded(),
        }
    }
}
