//! One batch of rows written to the database, in the transaction that notes it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use duet_model::{Code, Error, Relation, Result, RowAction, Value};
use duet_sql::{DeadLetter, Statement, add_dead_letter, advance_head, advance_journal};
use duet_store::{Call, Ending, Records, Session, SharedStore, Write};

use super::rows::Target;
use super::statements::own;
use crate::ingest::IngestJournal;
use crate::ingest::queued_row::{QueuedRow, now};
use crate::resources::violation::{About, named};
use crate::write::client_error;

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

/// Inserts rows in their order; gives those that the database refuses, with their errors.
pub(super) async fn insert(
    session: &mut dyn Session,
    rows: &[AddressedRow],
) -> Result<Vec<(usize, Error)>> {
    let named = session.records() != Records::Nothing;
    // Rows behind this one may be written by one statement: it does not say which of them is refused.
    let mut together_from = if named { rows.len() } else { 0 };
    let mut rejected = Vec::new();
    let (mut at, mut most) = (0, AT_ONCE);
    // The row that is refused once those in front of it are written.
    let mut refused: Option<(usize, Error)> = None;
    while at < rows.len() {
        if let Err(error) = &rows[at].target {
            rejected.push((at, error.clone()));
            at += 1;
            continue;
        }
        if let Some((_, error)) = refused.take_if(|(row, _)| *row == at) {
            rejected.push((at, rows[at].error(error)));
            at += 1;
            continue;
        }
        if at >= together_from
            && session.adds_rows()
            && let Some(((insert, table), values)) = alike(&rows[at..])
        {
            session.savepoint().await?;
            match session.add_rows(insert, table, &values).await {
                Ok(()) => {
                    session.release_savepoint().await?;
                    at += values.len();
                }
                Err(error) if error.code.is_row_error() => {
                    session.rollback_to_savepoint().await?;
                    together_from = at + values.len();
                }
                Err(error) => return Err(error),
            }
            continue;
        }
        let end = refused.as_ref().map_or(rows.len(), |(row, _)| *row).min(at + most);
        let calls: Vec<Call> = (rows[at..end].iter())
            .map_while(|row| Some(row.target.as_ref().ok()?.call(&row.row.values, named)))
            .collect();
        session.savepoint().await?;
        match session.run(&calls).await {
            Ok(_) => {
                session.release_savepoint().await?;
                at += calls.len();
            }
            Err(error) if error.code.is_row_error() => {
                session.rollback_to_savepoint().await?;
                let call = error.violation.as_ref().and_then(|violation| violation.call);
                match call.filter(|call| *call < calls.len()) {
                    Some(call) => refused = Some((at + call, error)),
                    None if calls.len() == 1 => refused = Some((at, error)),
                    None => most = calls.len().div_ceil(2),
                }
            }
            Err(error) => return Err(error),
        }
    }
    Ok(rejected)
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
