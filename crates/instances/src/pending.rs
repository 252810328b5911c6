//! Questions that have been sent, until they are answered.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::sync::oneshot;

/// The open questions of one side.
#[derive(Debug, Default)]
pub(crate) struct PendingQuestions(Mutex<(u64, HashMap<u64, oneshot::Sender<Value>>)>);

impl PendingQuestions {
    /// The number of a new question, and where its answer arrives.
    pub(crate) fn new_question(&self) -> (u64, oneshot::Receiver<Value>) {
        let (sender, receiver) = oneshot::channel();
        let mut open = self.lock();
        open.0 += 1;
        let id = open.0;
        open.1.insert(id, sender);
        (id, receiver)
    }

    /// Hands an answer on; one to no open question is ignored.
    pub(crate) fn answered(&self, id: u64, body: Value) {
        let sender = self.lock().1.remove(&id);
        if let Some(sender) = sender {
            // The caller may have given up.
            let _ = sender.send(body);
        }
    }

    /// The other side is gone: nothing is answered any more.
    pub(crate) fn close(&self) {
        self.lock().1.clear();
    }

    fn lock(&self) -> MutexGuard<'_, (u64, HashMap<u64, oneshot::Sender<Value>>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
