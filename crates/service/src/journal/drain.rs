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
        let mut progress = Progress::new(&rows);
        while let Some(portion) = progress.work.pop_front() {
            let Some(to) = portion.rows.last().map(|row| row.sequence) else { continue };
            let from = *ingest.applied.borrow();
            let refusal = progress.rejected.take();
            let tried =
                self.try_to_apply(ingest, opened, from, to, &portion.rows, refusal.clone()).await;
            match tried {
                Ok(ApplyOutcome::Done { rejected }) => {
                    progress.has_applied(&portion);
                    ingest.has_applied(to, portion.rows.len() as u64, rejected);
                }
                Ok(ApplyOutcome::NotOurs) => match self.where_it_stands(ingest, opened).await? {
                    None => {
                        ingest.is_taken_over(opened);
                        return Ok(());
                    }
                    // An outcome that was not known is: it was committed.
                    Some(applied) => {
                        ingest.applied.send_replace(applied);
                        let rest = portion.rows.into_iter().filter(|row| row.sequence > applied);
                        progress.work.push_front(Portion { rows: rest.collect(), ..portion });
                    }
                },
                Err(Failed { error, at_own_tables: true }) => {
                    ingest.applying.store(from, Ordering::Release);
                    ingest.counts.retries.fetch_add(1, Ordering::Relaxed);
                    progress.tries += 1;
                    self.wait_for_tables(ingest, &error, progress.tries).await;
                    progress.rejected = refusal;
                    progress.work.push_front(portion);
                }
                Err(Failed { error, .. }) => {
                    if is_undone(error.code) {
                        ingest.applying.store(from, Ordering::Release);
                    }
                    progress.tries += 1;
                    ingest.counts.retries.fetch_add(1, Ordering::Relaxed);
                    let may_be_of_rows = may_be_of_rows(error.code)
                        && self.where_it_stands(ingest, opened).await.is_ok();
                    let failure = Failure { error: &error, may_be_of_rows, refusal };
                    if progress.waits(portion, failure, ingest.options.tries) {
                        self.wait_to_retry(ingest, &error, progress.tries).await;
                    }
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

/// Rows that one transaction writes.
struct Portion {
    rows: Vec<QueuedRow>,
    /// Whether one of them may be what fails: then they are halved at once.
    is_doubted: bool,
}

/// Rows on their way to the database, and what is known of their failures.
struct Progress {
    work: VecDeque<Portion>,
    /// Failures since the last success, for the pause.
    tries: u32,
    /// Failures of the first portion while the database answered otherwise.
    own_failures: u32,
    /// Rows that were given up one after the other: the next one gets half as many tries.
    given_up: u32,
    /// Why the only row of the first portion becomes a dead letter.
    rejected: Option<Error>,
}

/// Why a portion failed.
struct Failure<'f> {
    error: &'f Error,
    /// Whether it is of the moment by its code, and the database answers otherwise.
    may_be_of_rows: bool,
    /// The reason for which its only row was to become a dead letter.
    refusal: Option<Error>,
}

impl Progress {
    fn new(rows: &[QueuedRow]) -> Self {
        let portion = |rows: &[QueuedRow]| Portion { rows: rows.to_vec(), is_doubted: false };
        Self {
            work: rows.chunks(ROWS).map(portion).collect(),
            tries: 0,
            own_failures: 0,
            given_up: 0,
            rejected: None,
        }
    }

    fn has_applied(&mut self, portion: &Portion) {
        (self.tries, self.own_failures) = (0, 0);
        if !portion.is_doubted {
            self.given_up = 0;
        }
    }

    /// Puts a portion that failed back: whole, in halves, or as the row that becomes a dead letter. Whether to wait first.
    /// `most`: how often a row is tried alone.
    fn waits(&mut self, portion: Portion, failure: Failure<'_>, most: u32) -> bool {
        let Failure { error, may_be_of_rows, refusal } = failure;
        self.own_failures = if may_be_of_rows { self.own_failures + 1 } else { 0 };
        if let Some(refusal) = refusal {
            // The dead letter itself is refused. A row that failed by the moment is tried again; else only the operator
            // can help.
            self.rejected = Some(refusal).filter(|refusal| !is_passing(refusal.code));
            self.own_failures = 0;
            self.work.push_front(portion);
            return true;
        }
        let is_alone = portion.rows.len() == 1;
        let enough = match (is_alone, portion.is_doubted) {
            (true, _) => (most >> self.given_up.min(u32::BITS - 1)).max(1),
            (false, true) => 1,
            (false, false) => TRIES,
        };
        let is_given_up = most > 0 && self.own_failures >= enough;
        let may_pass = is_passing(error.code) || self.tries < TRIES;
        if !error.code.is_row_error() && may_pass && !is_given_up {
            self.work.push_front(portion);
            return true;
        }
        self.own_failures = 0;
        if is_alone {
            self.given_up += u32::from(is_given_up);
            self.rejected = Some(error.clone());
            self.work.push_front(portion);
            return false;
        }
        let is_doubted = portion.is_doubted || is_given_up;
        if is_doubted {
            self.tries = 0;
        }
        let (one, other) = portion.rows.split_at(portion.rows.len() / 2);
        for half in [other, one] {
            self.work.push_front(Portion { rows: half.to_vec(), is_doubted });
        }
        false
    }
}

/// Whether an error of the moment may be that of a row all the same: a trigger that takes too long, or raises a serialization
/// failure. What a server says of itself, such as a disk that is full or a standby that takes no writes, all rows wait for,
/// as for a lock.
fn may_be_of_rows(code: Code) -> bool {
    matches!(code, Code::Timeout | Code::WriteConflict)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ingest::queued_row::Origin;

    fn rows(count: u64) -> Vec<QueuedRow> {
        let origin = Arc::new(Origin {
            resource: "/a/t".into(),
            schema: "s".into(),
            table: "t".into(),
            caller: "c".into(),
            accepted_at: 0,
            columns: Vec::new(),
        });
        let row =
            |sequence| QueuedRow { sequence, origin: Arc::clone(&origin), values: Vec::new() };
        (1..=count).map(row).collect()
    }

    /// Tries rows of which some always fail, until nothing is left or that often: the dead letters, and the tries.
    fn drained(count: u64, is_bad: fn(u64) -> bool, answers: bool, most: u32) -> (Vec<u64>, usize) {
        let (mut progress, mut letters, mut tries) = (Progress::new(&rows(count)), Vec::new(), 0);
        let error = Error::new(Code::Timeout, "late");
        while let Some(portion) = progress.work.pop_front()
            && tries < 100_000
        {
            tries += 1;
            let refusal = progress.rejected.take();
            let fails = portion.rows.iter().any(|row| is_bad(row.sequence));
            if fails && (refusal.is_none() || !answers) {
                progress.tries += 1;
                let failure = Failure { error: &error, may_be_of_rows: answers, refusal };
                progress.waits(portion, failure, most);
                continue;
            }
            letters.extend(refusal.map(|_| portion.rows[0].sequence));
            progress.has_applied(&portion);
        }
        (letters, tries)
    }

    #[test]
    fn rows_that_never_get_through_are_given_up_one_by_one() {
        let (letters, tries) = drained(5_000, |row| row == 77, true, 20);
        assert_eq!(letters, [77]);
        // The portion, its halves, the row alone, and its dead letter.
        assert!(tries < TRIES as usize + 2 * 13 + 20 + 2, "{tries}");
        assert_eq!(drained(5_000, |_| false, true, 20), (Vec::new(), 1));
    }

    #[test]
    fn many_of_them_cost_a_few_tries_each() {
        let [few, many] = [500, 1_000].map(|count| {
            let (letters, tries) = drained(count, |_| true, true, 20);
            assert_eq!(letters.len() as u64, count);
            tries
        });
        assert!(many < 2 * few + 50 && few < 4 * 500, "{few} {many}");
    }

    /// Else a standby, a right that is missing for a while, or a full disk would make dead letters of all rows.
    #[test]
    fn what_a_server_says_of_itself_gives_up_no_row() {
        for code in [
            Code::DatabaseUnavailable,
            Code::DatabaseDenied,
            Code::DatabaseReadOnly,
            Code::DatabaseLocked,
            Code::MemoryLimit,
        ] {
            assert!(is_passing(code) && !may_be_of_rows(code), "{code:?}");
        }
    }

    #[test]
    fn nothing_is_given_up_where_the_database_does_not_answer() {
        for (answers, most) in [(false, 20), (true, 0)] {
            let (letters, tries) = drained(10, |row| row == 7, answers, most);
            assert_eq!((letters.len(), tries), (0, 100_000));
        }
    }
}
