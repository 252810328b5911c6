//! The turns that writes take before they wait for a connection.

use std::sync::Arc;

use duet_admission::{Gates, Metrics};

use crate::limits::Limits;

/// The turns that the writes of all workers take.
#[derive(Debug)]
pub(crate) struct WriteGates {
    /// Writes of the same document.
    pub(super) documents: Gates,
    /// Writes that met others, whatever they write: one at a time, so that crowds come to an end.
    pub(super) met: Gates,
}

impl WriteGates {
    pub(crate) fn new(limits: &Limits, metrics: &Arc<Metrics>) -> Self {
        let gates = || Gates::new(limits.queue_length, Arc::clone(metrics));
        Self { documents: gates(), met: gates() }
    }
}
