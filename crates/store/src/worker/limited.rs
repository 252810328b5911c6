//! Writes whose caller has set a limit for the whole request.
//!
//! At the limit the write is abandoned: its future is dropped, which cancels the statement on PostgreSQL.
//! A write checks whether it was abandoned immediately before its commit, so the caller learns that nothing
//! was changed unless the commit was under way.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Instant;

use async_trait::async_trait;
use duet_admission::Deadline;
use duet_document::RowSet;
use duet_model::{Code, Error, Relation, Result, Value};

use crate::read::{Answer, PageRead};
use crate::write::call::{Call, Done};
use crate::write::insert::InsertBatch;
use crate::write::write_times::WriteTimes;
use crate::write::{AnyWrite, Ending, GroupRead, LockedRead, Records, Session, UpdatedRows, Write};

/// The default of [`Limit`].
const OPEN: u8 = 0;
const COMMITTING: u8 = 1;
const GIVEN_UP: u8 = 2;

/// Waits for a read until the caller's limit; dropping the read cancels it.
///
/// # Errors
/// Those of the read, and [`Code::DeadlinePassed`].
pub async fn until<T>(last: Instant, read: impl Future<Output = Result<T>>) -> Result<T> {
    let read = tokio::time::timeout_at(last.into(), read).await;
    read.unwrap_or_else(|_| Err(passed()))
}

/// Waits for a write until the caller's limit.
///
/// # Errors
/// Those of the write; [`Code::DeadlinePassed`] where nothing was changed, and
/// [`Code::DeadlineUnknown`] where the commit was under way.
pub async fn until_committing(
    last: Instant,
    work: &LimitedWrite,
    written: impl Future<Output = Result<()>>,
) -> Result<()> {
    match tokio::time::timeout_at(last.into(), written).await {
        Ok(written) => written,
        Err(_) if work.limit.give_up() => Err(passed()),
        Err(_) => Err(unknown()),
    }
}

/// The error of a request, given its deadline: errors caused by the caller's limit name it.
pub(crate) fn limit_error(deadline: Deadline, error: Error) -> Error {
    if !deadline.is_given_up(Instant::now()) {
        return error;
    }
    let limit_error = match error.code {
        Code::OutcomeUnknown => unknown(),
        Code::Overloaded
        | Code::Timeout
        | Code::DatabaseLocked
        | Code::WriteConflict
        | Code::DatabaseUnavailable => passed(),
        _ => return error,
    };
    match error.cause {
        Some(cause) => limit_error.cause(cause),
        None => limit_error,
    }
}

/// The error of a request whose own limit has passed.
pub(crate) fn passed() -> Error {
    let message = "The request took longer than its own limit, the header Request-Timeout. Nothing was changed.";
    Error::new(Code::DeadlinePassed, message).hint("Allow more time, or ask for less.")
}

fn unknown() -> Error {
    let message = "The request took longer than its own limit, the header Request-Timeout, while its change was being committed. \
                   It is not known whether the change was made.";
    Error::new(Code::DeadlineUnknown, message).hint(
        "Read the document, or repeat a request that has an Idempotency-Key with the same key.",
    )
}

/// A write that may be given up until it commits.
pub struct LimitedWrite {
    work: Arc<AnyWrite>,
    limit: Limit,
}

impl LimitedWrite {
    /// One that is not given up yet.
    pub fn new(work: Arc<AnyWrite>) -> Self {
        Self { work, limit: Limit::default() }
    }
}

/// Whether a write is given up, or its commit may be under way.
#[derive(Debug, Default)]
struct Limit(AtomicU8);

impl Limit {
    /// Gives the write up; `false` where its commit may be under way.
    fn give_up(&self) -> bool {
        self.change(OPEN, GIVEN_UP)
    }

    /// The commit is about to be sent.
    fn begins_commit(&self) -> Result<()> {
        match self.change(OPEN, COMMITTING) || self.0.load(Ordering::Acquire) == COMMITTING {
            true => Ok(()),
            false => Err(passed()),
        }
    }

    fn change(&self, from: u8, to: u8) -> bool {
        self.0.compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }
}

#[async_trait(?Send)]
impl Write for LimitedWrite {
    type Output = ();

    fn touches(&self) -> Option<u64> {
        self.work.touches()
    }

    fn is_large(&self) -> bool {
        self.work.is_large()
    }

    fn shares(&self) -> Option<(&Arc<GroupRead>, &Vec<Value>)> {
        self.work.shares()
    }

    fn times(&self) -> Option<&WriteTimes> {
        self.work.times()
    }

    async fn run(&self, session: &mut dyn Session) -> Result<Ending<()>> {
        // It is run again only where its commit has failed.
        self.limit.change(COMMITTING, OPEN);
        let limit = &self.limit;
        let ending = self.work.run(&mut LimitedSession { session, limit }).await?;
        if let Ending::Commit(()) = ending {
            limit.begins_commit()?;
        }
        Ok(ending)
    }
}

/// A session that may commit with its last statements only where the write was not given up.
struct LimitedSession<'a> {
    session: &'a mut dyn Session,
    limit: &'a Limit,
}

#[async_trait(?Send)]
impl Session for LimitedSession<'_> {
    async fn read(&mut self, read: &LockedRead, keys: &[Vec<Value>]) -> Result<Vec<Answer>> {
        self.session.read(read, keys).await
    }

    async fn reread(&mut self, read: &LockedRead, keys: &[Vec<Value>]) -> Result<Vec<Answer>> {
        self.session.reread(read, keys).await
    }

    async fn page(&mut self, read: &PageRead) -> Result<Answer> {
        self.session.page(read).await
    }

    async fn run(&mut self, calls: &[Call]) -> Result<Vec<Done>> {
        self.session.run(calls).await
    }

    async fn run_own(&mut self, calls: &[Call]) -> Result<Vec<Done>> {
        self.session.run_own(calls).await
    }

    async fn run_own_last(&mut self, calls: &[Call]) -> Result<()> {
        if self.session.may_finish() {
            self.limit.begins_commit()?;
        }
        self.session.run_own_last(calls).await
    }

    async fn run_and_reread(
        &mut self,
        calls: &[Call],
        read: &LockedRead,
        keys: &[Vec<Value>],
    ) -> Result<(Vec<Done>, Vec<Answer>)> {
        self.session.run_and_reread(calls, read, keys).await
    }

    fn takes_rows(&self, insert: &InsertBatch) -> bool {
        self.session.takes_rows(insert)
    }

    async fn insert_rows(
        &mut self,
        insert: &InsertBatch,
        rows: &[&[Value]],
    ) -> Result<Vec<RowSet>> {
        self.session.insert_rows(insert, rows).await
    }

    async fn run_rows(&mut self, insert: &InsertBatch, rows: &[&[Value]]) -> Result<Vec<RowSet>> {
        self.session.run_rows(insert, rows).await
    }

    fn adds_rows(&self) -> bool {
        self.session.adds_rows()
    }

    async fn add_rows(
        &mut self,
        insert: &duet_sql::Statement,
        table: &Arc<Relation>,
        rows: &[&[Value]],
    ) -> Result<u64> {
        self.session.add_rows(insert, table, rows).await
    }

    fn records(&self) -> Records {
        self.session.records()
    }

    fn may_finish(&self) -> bool {
        self.session.may_finish()
    }

    async fn finish(&mut self, updates: &[UpdatedRows]) -> Result<Vec<RowSet>> {
        self.limit.begins_commit()?;
        self.session.finish(updates).await
    }

    async fn savepoint(&mut self) -> Result<()> {
        self.session.savepoint().await
    }

    async fn rollback_to_savepoint(&mut self) -> Result<()> {
        self.session.rollback_to_savepoint().await
    }

    async fn release_savepoint(&mut self) -> Result<()> {
        self.session.release_savepoint().await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_that_was_given_up_never_commits() {
        let write = Limit::default();
        assert!(write.give_up());
        assert_eq!(write.begins_commit().unwrap_err().code, Code::DeadlinePassed);
    }

    #[test]
    fn a_write_that_commits_is_not_given_up() {
        let write = Limit::default();
        write.begins_commit().unwrap();
        assert!(!write.give_up());
        assert!(write.begins_commit().is_ok(), "its last statements have committed it");
    }

    #[test]
    fn only_errors_caused_by_the_limit_name_it() {
        let now = Instant::now();
        let long = std::time::Duration::from_secs(600);
        let open = Deadline::after(now, long).limited(long);
        let over = Deadline::after(now, long).limited(std::time::Duration::ZERO);
        let code = |deadline, code| limit_error(deadline, Error::new(code, "x")).code;
        assert_eq!(code(open, Code::Overloaded), Code::Overloaded);
        assert_eq!(code(over, Code::Overloaded), Code::DeadlinePassed);
        assert_eq!(code(over, Code::OutcomeUnknown), Code::DeadlineUnknown);
        assert_eq!(code(over, Code::UniqueViolation), Code::UniqueViolation);
    }
}
