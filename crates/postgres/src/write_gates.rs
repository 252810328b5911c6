//! The gates that writes pass before they wait for a connection.

use std::sync::Arc;

use duet_admission::{Gates, Metrics};

use duet_store::limits::Limits;

/// The gates of the writes of all workers.
#[derive(Debug)]
pub(crate) struct WriteGates {
    /// Writes of the same document.
    pub(super) documents: Gates,
    /// Writes that met a lock, on any table: one at a time, so that contention ends.
    pub(super) met: Gates,
}

impl WriteGates {
    pub(crate) fn new(limits: &Limits, metrics: &Arc<Metrics>) -> Self {
        let gates = || Gates::new(limits.queue_length, Arc::clone(metrics));
        Self { documents: gates(), met: gates() }
    }
}
