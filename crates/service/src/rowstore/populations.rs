//! The tasks of an application that bring items into memory, and wait to be run.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

use crate::cache::population::Ticket;
use crate::resources::resource::Resource;

/// The tasks of an application that wait to be run.
#[derive(Debug, Default)]
pub(crate) struct Populations {
    waiting: Mutex<VecDeque<(Arc<Resource>, Ticket)>>,
    arrived: Notify,
}

impl Populations {
    /// Has a resource populated; false where it keeps nothing, or a task is under way.
    pub(crate) fn push(&self, resource: &Arc<Resource>) -> bool {
        let slot = &resource.rowstore;
        let Some(ticket) = slot.population().accept(slot.get().is_some()) else { return false };
        self.lock().push_back((Arc::clone(resource), ticket));
        self.arrived.notify_one();
        true
    }

    /// The next task, once there is one.
    pub(crate) async fn next(&self) -> (Arc<Resource>, Ticket) {
        loop {
            if let Some(next) = self.lock().pop_front() {
                return next;
            }
            self.arrived.notified().await;
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, VecDeque<(Arc<Resource>, Ticket)>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
