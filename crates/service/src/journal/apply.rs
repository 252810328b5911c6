//! One batch of rows written to the database, in the transaction that notes it.

use std::sync::Arc;

use duet_db::{Call, Ending, Records, Session, Store, Write};
use duet_model::{Error, Result, RowAction};
use duet_sql::{DeadLetter, add_dead_letter, advance_journal};

use super::rows::{QueuedRow, Target, now};
use super::statements::own;
use crate::write::{About, client_error, named};

/// Rows that are sent at once.
const AT_ONCE: usize = 500;

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
    pub(super) store: Store,
    pub(super) journal: String,
    pub(super) epoch: u64,
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) rows: Vec<AddressedRow>,
}

/// What came of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Applied {
    /// All of it is in the database, but for so many dead letters.
    Done {
        /// Rows that the database has refused.
        rejected: u64,
    },
    /// Nothing: another owner has come, or it was applied before.
    NotOurs,
}

impl Write for ApplyJob {
    type Output = Applied;

    /// Batches of one journal follow each other.
    fn is_large(&self) -> bool {
        self.rows.len() > AT_ONCE
    }

    async fn run<S: Session>(&self, session: &mut S) -> Result<Ending<Applied>> {
        let dialect = self.store.dialect();
        let mark = (self.journal.as_str(), self.epoch);
        let advance = advance_journal(dialect, mark, (self.from, self.to));
        let done = session.run_own(&[own(advance, Vec::new())]).await?;
        if done.first().is_none_or(|done| done.affected != 1) {
            return Ok(Ending::Rollback(Applied::NotOurs));
        }
        let rejected = insert(session, &self.rows).await?;
        let letters: Vec<Call> = (rejected.iter())
            .map(|(at, error)| self.rows[*at].dead_letter(&self.journal, error))
            .map(|letter| own(add_dead_letter(dialect, &letter), Vec::new()))
            .collect();
        for letters in letters.chunks(AT_ONCE) {
            session.run_own(letters).await?;
        }
        Ok(Ending::Commit(Applied::Done { rejected: rejected.len() as u64 }))
    }
}

/// Inserts rows in their order; gives those that the database refuses, with their errors.
pub(super) async fn insert<S: Session>(
    session: &mut S,
    rows: &[AddressedRow],
) -> Result<Vec<(usize, Error)>> {
    let named = session.records() != Records::Nothing;
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
