//! A journal that this process gives up: because its files are not what they were, or because the process ends.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use duet_model::Result;
use duet_sql::advance_head;

use super::statements::{self, mark, own};
use crate::hosting::context::WorkerHandle;
use crate::ingest::{IngestJournal, OpenJournal};

/// How long requests in flight are waited for when the process ends, and the database.
const PATIENCE: Duration = Duration::from_secs(3);
/// Between two looks.
const LOOK: Duration = Duration::from_millis(5);

impl IngestJournal {
    /// Gives the journal up: the next request, or the drain, opens it again, and then finds out what is wrong with
    /// its files. Until then no process takes it for sound.
    pub(super) fn give_up(&self, opened: &Arc<OpenJournal>) {
        let mut current = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if current.as_ref().is_some_and(|current| Arc::ptr_eq(current, opened)) {
            opened.journal.withdraw();
            *current = None;
            opened.given_up.send_replace(true);
            self.wanted.notify_one();
        }
    }
}

impl WorkerHandle {
    /// Closes the journal at the end of the process. Where nothing in it is left to apply, the database notes that:
    /// then nothing is missed where its folder is gone at the next start.
    pub async fn close_journal(&self) {
        let Some(ingest) = self.service().ingest() else { return };
        ingest.is_closing.store(true, Ordering::Release);
        let opened = ingest.opened.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(opened) = opened.filter(|opened| !opened.is_taken_over()) else { return };
        match tokio::time::timeout(PATIENCE, self.close(ingest, opened)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(%error, "the end of the journal is not noted"),
            Err(_) => tracing::warn!("the end of the journal is not noted in time"),
        }
    }

    async fn close(&self, ingest: &IngestJournal, mut opened: Arc<OpenJournal>) -> Result<()> {
        // Requests in flight are still acknowledged.
        let own = loop {
            match Arc::try_unwrap(opened) {
                Ok(own) => break own,
                Err(shared) => opened = shared,
            }
            tokio::time::sleep(LOOK).await;
        };
        let OpenJournal { journal, id, epoch, .. } = own;
        let durable = journal.close();
        let context = self.draining();
        let applied = mark(&context, ingest, &id).await?.map_or(0, |(.., applied)| applied);
        if durable <= applied {
            let head = advance_head(context.dialect(), &id, epoch, applied, true);
            statements::run(&context, own_call(head)).await?;
        }
        Ok(())
    }
}

fn own_call(statement: duet_sql::Statement) -> duet_store::Call {
    own(statement, Vec::new())
}
