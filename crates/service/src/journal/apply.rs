//! One batch of rows written to the database, in the transaction that notes it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use duet_model::{Code, Error, Relation, Result, RowAction, Value};
use duet_sql::{DeadLetter, Statement, add_dead_letter, advance_head, advance_journal};
use duet_store::{Call, Ending, Records, Session, SharedStore, Write};

use super::rows::{Target, is_counted};
use super::statements::own;
use crate::ingest::IngestJournal;
use crate::ingest::queued_row::{QueuedRow, now};
use crate::resources::violation::{About, named};
use crate::write::client_error;
use crate::write::row::kept_out;

/// Rows that are sent at once.
const AT_ONCE: usize = 500;

/// Rows that one statement inserts, where it pays, and at most.
const FEWEST: usize = 16;
const TOGETHER: usize = 1_000;

/// The statement that inserts many rows of a table.
type AddRows<'a> = (&'a Statement, &'a Arc<Relation>);

/// A row, and where it goes; or why it goes nowhere.
#[derive(Clone, Debug)]
pub(super) struct AddressedRow {
    pub(super) row: QueuedRow,
    pub(super) target: Result<Arc<Target>>,
}

impl AddressedRow {
    /// The error of the database in the words of the resource.
    fn error(&self, error: Error) -> Error {
        let Ok(target) = &self.target else { return error };
        let set = target.columns.iter().copied().zip(self.row.values.iter().map(Some)).collect();
        let about = About { node: 0, pointer: "", action: RowAction::Insert, set };
        let error = named(error, &target.resource.shape, Some(&about));
        client_error(error, &target.resource, true)
    }

    /// The dead letter of the row.
    pub(super) fn dead_letter(&self, journal: &str, error: &Error) -> DeadLetter {
        let (row, origin) = (&self.row, &self.row.origin);
        DeadLetter {
            journal: journal.to_owned(),
            sequence: row.sequence,
            resource: origin.resource.clone(),
            caller: origin.caller.clone(),
            accepted_at: origin.accepted_at,
            rejected_at: now(),
            code: error.code.as_str().to_owned(),
            reason: error.message.clone(),
            content: row.content(),
            entry: row.entry().encode(),
        }
    }
}

/// The rows of a journal behind one sequence id up to another.
pub(super) struct ApplyJob {
    pub(super) store: SharedStore,
    pub(super) journal: String,
    pub(super) epoch: u64,
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) rows: Vec<AddressedRow>,
    /// Learns of the job when rows may get into the database.
    pub(super) ingest: Arc<IngestJournal>,
    /// Whether the last try has failed at the journal's own tables, which says nothing of the rows.
    pub(super) own_tables_refuse: AtomicBool,
}

impl ApplyJob {
    /// Notes that the journal's own tables are missing or refuse a row.
    fn refused(&self, error: Error) -> Error {
        self.own_tables_refuse.store(!is_passing(error.code), Ordering::Release);
        error
    }
}

/// What came of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ApplyOutcome {
    /// All of it is in the database, but for so many dead letters.
    Done {
        /// Rows that the database has refused.
        rejected: u64,
    },
    /// Nothing: another owner has come, or it was applied before.
    NotOurs,
}

#[async_trait(?Send)]
impl Write for ApplyJob {
    type Output = ApplyOutcome;

    /// Batches of one journal follow each other.
    fn is_large(&self) -> bool {
        self.rows.len() > AT_ONCE
    }

    async fn run(&self, session: &mut dyn Session) -> Result<Ending<ApplyOutcome>> {
        let dialect = self.store.dialect();
        // Set behind the wait for locks, so that rows that wait for these are known to be nowhere else.
        self.ingest.applying.fetch_max(self.to, Ordering::AcqRel);
        self.own_tables_refuse.store(false, Ordering::Release);
        let advance = advance_journal(dialect, &self.journal, self.epoch, self.from, self.to);
        // Should the folder be lost, that is what the database knows of it.
        let written = (*self.ingest.durable.borrow()).max(self.to);
        let head = advance_head(dialect, &self.journal, self.epoch, written, false);
        let notes = [own(advance, Vec::new()), own(head, Vec::new())];
        let done = match session.run_own(&notes).await {
            Ok(done) => done,
            Err(error) => return Err(self.refused(error)),
        };
        if done.first().is_none_or(|done| done.affected != 1) {
            return Ok(Ending::Rollback(ApplyOutcome::NotOurs));
        }
        let rejected = insert(session, &self.rows).await?;
        let letters: Vec<Call> = (rejected.iter())
            .map(|(at, error)| self.rows[*at].dead_letter(&self.journal, error))
            .map(|letter| own(add_dead_letter(dialect, &letter), Vec::new()))
            .collect();
        for letters in letters.chunks(AT_ONCE) {
            if let Err(error) = session.run_own(letters).await {
                return Err(self.refused(error));
            }
        }
        Ok(Ending::Commit(ApplyOutcome::Done { rejected: rejected.len() as u64 }))
    }
}

/// Inserts rows in their order; gives those that the database refuses or leaves out, with their errors.
pub(super) async fn insert(
    session: &mut dyn Session,
    rows: &[AddressedRow],
) -> Result<Vec<(usize, Error)>> {
    let mut insertion = Insertion::new(rows, session.records() != Records::Nothing);
    while insertion.at < rows.len() {
        if !insertion.rejects_next() && !insertion.add_alike(session).await? {
            insertion.run_next(session).await?;
        }
    }
    Ok(insertion.rejected)
}

/// Rows on their way into their tables.
struct Insertion<'r> {
    rows: &'r [AddressedRow],
    /// Whether commit events need them.
    named: bool,
    /// The next row.
    at: usize,
    /// Rows behind this one may be written by one statement: it does not say which of them is refused.
    together_from: usize,
    /// How many are sent at once.
    most: usize,
    /// The row that is refused once those in front of it are written.
    refused: Option<(usize, Error)>,
    /// Rows that were left out beside others, in their order. Each is tried again alone: what was found
    /// of the others has been undone with it.
    left_out: VecDeque<usize>,
    rejected: Vec<(usize, Error)>,
}

impl<'r> Insertion<'r> {
    fn new(rows: &'r [AddressedRow], named: bool) -> Self {
        Self {
            rows,
            named,
            at: 0,
            together_from: if named { rows.len() } else { 0 },
            most: AT_ONCE,
            refused: None,
            left_out: VecDeque::new(),
            rejected: Vec::new(),
        }
    }

    /// Rejects the next row, where it is known why.
    fn rejects_next(&mut self) -> bool {
        let row = &self.rows[self.at];
        let error = match &row.target {
            Err(error) => error.clone(),
            Ok(_) => match self.refused.take_if(|(refused, _)| *refused == self.at) {
                Some((_, error)) => row.error(error),
                None => return false,
            },
        };
        self.rejected.push((self.at, error));
        self.at += 1;
        true
    }

    /// Inserts the next rows by one statement, where there is one; whether there was.
    async fn add_alike(&mut self, session: &mut dyn Session) -> Result<bool> {
        if self.at < self.together_from || !session.adds_rows() {
            return Ok(false);
        }
        let Some(((insert, table), values)) = alike(&self.rows[self.at..]) else {
            return Ok(false);
        };
        session.savepoint().await?;
        let added = session.add_rows(insert, table, &values).await;
        let end = self.at + values.len();
        match added {
            Ok(added) if added >= values.len() as u64 || !is_counted(table) => {
                session.release_savepoint().await?;
                self.at = end;
            }
            Err(error) if !error.code.is_row_error() => return Err(error),
            Ok(_) | Err(_) => {
                session.rollback_to_savepoint().await?;
                self.together_from = end;
            }
        }
        Ok(true)
    }

    /// Inserts the next rows by a statement each, all or none of them.
    async fn run_next(&mut self, session: &mut dyn Session) -> Result<()> {
        let is_alone = self.left_out.front() == Some(&self.at);
        if is_alone {
            self.left_out.pop_front();
        }
        let refused = self.refused.as_ref().map(|(row, _)| *row);
        let end = [refused, self.left_out.front().copied()].into_iter().flatten().min();
        let end =
            end.unwrap_or(self.rows.len()).min(self.at + if is_alone { 1 } else { self.most });
        let targets = self.rows[self.at..end].iter();
        let targets = targets.map_while(|row| Some((&row.row.values, row.target.as_ref().ok()?)));
        let targets: Vec<(&Vec<Value>, &Arc<Target>)> = targets.collect();
        let calls = targets.iter().map(|(values, target)| target.call(values, self.named));
        let calls: Vec<Call> = calls.collect();
        session.savepoint().await?;
        match session.run(&calls).await {
            Ok(done) => {
                let each = done.iter().zip(&targets).enumerate();
                let without = each.filter(|(_, (done, (_, target)))| target.has_left_out(done));
                let without: Vec<usize> = without.map(|(call, _)| self.at + call).collect();
                if without.is_empty() {
                    session.release_savepoint().await?;
                    self.at += calls.len();
                    return Ok(());
                }
                session.rollback_to_savepoint().await?;
                match &targets[..] {
                    [(_, target)] => self.refused = Some((self.at, kept_out(&target.resource))),
                    _ => without.into_iter().rev().for_each(|row| self.left_out.push_front(row)),
                }
            }
            Err(error) if error.code.is_row_error() => {
                session.rollback_to_savepoint().await?;
                let call = error.violation.as_ref().and_then(|violation| violation.call);
                match call.filter(|call| *call < calls.len()) {
                    Some(call) => self.refused = Some((self.at + call, error)),
                    None if calls.len() == 1 => self.refused = Some((self.at, error)),
                    None => self.most = calls.len().div_ceil(2),
                }
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

/// The first rows that have one statement, and their values; `None` where they are too few for it.
fn alike(rows: &[AddressedRow]) -> Option<(AddRows<'_>, Vec<&[Value]>)> {
    let target = rows.first()?.target.as_ref().ok()?;
    let many = target.many()?;
    let same = |row: &&AddressedRow| row.target.as_ref().is_ok_and(|it| Arc::ptr_eq(it, target));
    let values: Vec<&[Value]> =
        rows.iter().take(TOGETHER).take_while(same).map(|row| &row.row.values[..]).collect();
    (values.len() >= FEWEST).then_some((many, values))
}

/// Whether an error is about the database or the moment, and not about the rows.
pub(super) fn is_passing(code: Code) -> bool {
    matches!(
        code,
        Code::DatabaseUnavailable
            | Code::Overloaded
            | Code::Timeout
            | Code::DatabaseLocked
            | Code::DatabaseDenied
            | Code::DatabaseReadOnly
            | Code::WriteConflict
            | Code::OutcomeUnknown
            | Code::MemoryLimit
            | Code::DeadlinePassed
            | Code::DeadlineUnknown
    )
}
