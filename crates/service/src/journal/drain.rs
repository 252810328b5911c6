//! The task that writes the rows of a journal to the database.

use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use duet_journal::Position;
use duet_model::{Code, Error, Result};
use duet_store::{Client, RequestClass};
use futures_util::FutureExt;

use super::apply::{AddressedRow, ApplyJob, ApplyOutcome, is_passing};
use super::health::described;
use super::rows::Targets;
use super::statements::mark;
use crate::hosting::context::{RequestContext, WorkerHandle};
use crate::ingest::queued_row::QueuedRow;
use crate::ingest::{IngestJournal, OpenJournal};

/// How long rows wait for others, so that transactions are not too small.
const LINGER: Duration = Duration::from_millis(5);
/// Bytes of records that are read at once.
const BYTES: usize = 1 << 20;
/// Rows of one transaction.
const ROWS: usize = 5_000;
/// The pause before the first retry; it doubles from try to try.
const PAUSE: Duration = Duration::from_millis(50);
/// The longest pause.
const LONGEST: Duration = Duration::from_secs(5);
/// How often a row is tried whose error may be its own, before it becomes a dead letter.
const TRIES: u32 = 6;
/// How often a journal that is not open is looked for.
const LOOK: Duration = Duration::from_secs(2);

impl WorkerHandle {
    /// Writes the rows of the journal to the database, for ever; one task for each application. Without a
    /// journal there is nothing to do.
    pub async fn drain(&self) {
        let Some(ingest) = self.service().ingest().cloned() else { return };
        loop {
            let ended = AssertUnwindSafe(self.drain_opened(&ingest)).catch_unwind().await;
            // A bug must not end the task: rows are waiting.
            let ended = ended.unwrap_or_else(|_| Err(Error::internal("the drain has panicked")));
            if let Err(error) = ended {
                let why = described(&error);
                tracing::error!(code = error.code.as_str(), why, "the journal cannot be drained");
                ingest.trouble(Some(why));
                ingest.set_broken(Some(&error));
            }
            tokio::select! {
                () = ingest.wanted.notified() => {}
                () = tokio::time::sleep(LOOK) => {}
            }
        }
    }

    pub(super) fn draining(&self) -> RequestContext<'_> {
        self.acting(None).for_client(Client::of("journal")).in_class(RequestClass::Batch)
    }

    /// Drains the journal until another owner comes; nothing where there is none.
    async fn drain_opened(&self, ingest: &Arc<IngestJournal>) -> Result<()> {
        let opened = match ingest.opened() {
            Some(opened) => opened,
            // What an earlier run has left is applied without a request.
            None if ingest.is_there() || ingest.breakage().is_some() => {
                match ingest.open(&self.draining()).await? {
                    Some(opened) => opened,
                    None => return Ok(()),
                }
            }
            None => return Ok(()),
        };
        let mut position = Position::after(*ingest.applied.borrow());
        let mut durable = ingest.durable.subscribe();
        let mut given_up = opened.given_up.subscribe();
        let mut is_behind = false;
        while !opened.is_taken_over() {
            let after = position.after;
            tokio::select! {
                // The sender is the journal itself.
                more = durable.wait_for(|durable| *durable > after) => if more.is_err() {
                    return Ok(());
                },
                _ = given_up.wait_for(|given_up| *given_up) => return Ok(()),
            }
            if !is_behind {
                tokio::time::sleep(LINGER).await;
            }
            let records = opened.journal.read(&mut position, BYTES);
            let records = records.map_err(|failure| {
                // Who opens it again finds out what else is wrong.
                ingest.give_up(&opened);
                Error::new(Code::JournalUnavailable, "The journal cannot be read.").cause(failure)
            })?;
            let mut rows = Vec::new();
            for record in &records {
                let more = QueuedRow::all_of(record).ok_or_else(|| {
                    let cause =
                        format!("the record {} holds no rows of this version", record.first);
                    Error::new(Code::JournalUnavailable, "The journal cannot be read.").cause(cause)
                })?;
                rows.extend(more);
            }
            is_behind = rows.len() >= ROWS;
            self.apply(ingest, &opened, rows).await?;
            if let Err(failure) = opened.journal.applied(*ingest.applied.borrow()) {
                tracing::warn!(%failure, "segments of the journal cannot be removed");
            }
        }
        Ok(())
    }

    /// Writes rows, in as many transactions as it takes.
    async fn apply(
        &self,
        ingest: &Arc<IngestJournal>,
        opened: &Arc<OpenJournal>,
        rows: Vec<QueuedRow>,
    ) -> Result<()> {
        let oldest = rows.first().map_or(0, |row| row.origin.accepted_at);
        ingest.counts.oldest.store(oldest, Ordering::Relaxed);
        let mut work: VecDeque<Vec<QueuedRow>> = rows.chunks(ROWS).map(<[_]>::to_vec).collect();
        let (mut tries, mut rejected) = (0_u32, None);
        while let Some(batch) = work.pop_front() {
            let Some(to) = batch.last().map(|row| row.sequence) else { continue };
            let from = *ingest.applied.borrow();
            let refusal = rejected.take();
            match self.try_to_apply(ingest, opened, from, to, &batch, refusal.clone()).await {
                Ok(ApplyOutcome::Done { rejected }) => {
                    tries = 0;
                    ingest.has_applied(to, batch.len() as u64, rejected);
                }
                Ok(ApplyOutcome::NotOurs) => match self.where_it_stands(ingest, opened).await? {
                    None => {
                        ingest.is_taken_over(opened);
                        return Ok(());
                    }
                    // An outcome that was not known is: it was committed.
                    Some(applied) => {
                        ingest.applied.send_replace(applied);
                        let rest = batch.into_iter().filter(|row| row.sequence > applied);
                        work.push_front(rest.collect());
                    }
                },
                Err(Failed { error, at_own_tables: true }) => {
                    ingest.applying.store(from, Ordering::Release);
                    ingest.counts.retries.fetch_add(1, Ordering::Relaxed);
                    tries += 1;
                    self.wait_for_tables(ingest, &error, tries).await;
                    rejected = refusal;
                    work.push_front(batch);
                }
                Err(Failed { error, .. }) => {
                    if is_undone(error.code) {
                        ingest.applying.store(from, Ordering::Release);
                    }
                    tries += 1;
                    ingest.counts.retries.fetch_add(1, Ordering::Relaxed);
                    if refusal.is_some() {
                        // The dead letter itself is refused: only the operator can help.
                        self.wait_to_retry(ingest, &error, tries).await;
                        rejected = refusal;
                        work.push_front(batch);
                        continue;
                    }
                    let may_pass = is_passing(error.code) || tries < TRIES;
                    if batch.len() > 1 && (!may_pass || error.code.is_row_error()) {
                        let (one, other) = batch.split_at(batch.len() / 2);
                        work.push_front(other.to_vec());
                        work.push_front(one.to_vec());
                        continue;
                    }
                    if error.code.is_row_error() || !may_pass {
                        rejected = Some(error);
                        work.push_front(batch);
                        continue;
                    }
                    self.wait_to_retry(ingest, &error, tries).await;
                    work.push_front(batch);
                }
            }
        }
        Ok(())
    }

    /// One transaction; `rejected` is why the only row of the batch becomes a dead letter.
    async fn try_to_apply(
        &self,
        ingest: &Arc<IngestJournal>,
        opened: &OpenJournal,
        from: u64,
        to: u64,
        batch: &[QueuedRow],
        rejected: Option<Error>,
    ) -> Result<ApplyOutcome, Failed> {
        let snapshot = self.snapshot();
        let context = self.draining();
        let dialect = context.service().store().dialect();
        let mut targets = Targets::default();
        let rows = batch.iter().map(|row| AddressedRow {
            target: match &rejected {
                Some(error) => Err(error.clone()),
                None => targets.of(row, &snapshot, dialect),
            },
            row: row.clone(),
        });
        let job = ApplyJob {
            store: context.service().store().clone(),
            journal: opened.id.clone(),
            epoch: opened.epoch,
            from,
            to,
            rows: rows.collect(),
            ingest: Arc::clone(ingest),
            own_tables_refuse: AtomicBool::new(false),
        };
        let job = Arc::new(job);
        context.handle().write(Arc::clone(&job)).await.map_err(|error| {
            let at_own_tables = job.own_tables_refuse.load(Ordering::Acquire);
            Failed { error, at_own_tables }
        })
    }

    /// The last sequence id that is applied; `None` where another owner has come.
    async fn where_it_stands(
        &self,
        ingest: &IngestJournal,
        opened: &OpenJournal,
    ) -> Result<Option<u64>> {
        let mark = mark(&self.draining(), ingest, &opened.id).await?;
        Ok(mark.filter(|(_, epoch, _)| *epoch == opened.epoch).map(|(_, _, applied)| applied))
    }

    /// The journal's own tables are missing or refuse a row: only the operator can help, and the rows wait.
    async fn wait_for_tables(&self, ingest: &IngestJournal, error: &Error, tries: u32) {
        let why = format!("the journal's own tables do not take rows: {}", described(error));
        let code = error.code.as_str();
        tracing::error!(code, why, tries, "rows of the journal wait for `duet journal prepare`");
        ingest.trouble(Some(why));
        tokio::time::sleep(pause(tries)).await;
    }

    async fn wait_to_retry(&self, ingest: &IngestJournal, error: &Error, tries: u32) {
        let why = described(error);
        tracing::warn!(code = error.code.as_str(), why, tries, "rows of the journal wait");
        ingest.trouble(Some(why));
        if error.code == Code::SchemaChanged {
            // Where that fails, the next try finds out.
            drop(self.service().reload_if_changed().await);
        }
        tokio::time::sleep(pause(tries)).await;
    }
}

impl IngestJournal {
    fn has_applied(&self, to: u64, rows: u64, rejected: u64) {
        let counts = &self.counts;
        counts.batches.fetch_add(1, Ordering::Relaxed);
        counts.applied.fetch_add(rows - rejected, Ordering::Relaxed);
        counts.rejected.fetch_add(rejected, Ordering::Relaxed);
        self.trouble(None);
        self.set_broken(None);
        self.applied.send_replace(to);
    }
}

/// Why a batch was not applied.
struct Failed {
    error: Error,
    /// Whether the journal's own tables are missing or refuse a row.
    at_own_tables: bool,
}

/// How long a batch waits that was tried so often.
fn pause(tries: u32) -> Duration {
    PAUSE.saturating_mul(1 << tries.min(10)).min(LONGEST)
}

/// Whether nothing of a transaction that failed so can be committed.
fn is_undone(code: Code) -> bool {
    code.is_row_error()
        || matches!(
            code,
            Code::Overloaded
                | Code::DatabaseLocked
                | Code::DatabaseReadOnly
                | Code::DatabaseDenied
                | Code::SchemaChanged
        )
}
