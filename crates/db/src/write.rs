//! Writes: what a transaction does, written once for both stores.
//!
//! A [`Write`] is run inside a transaction by [`Acting::write`](crate::Acting::write); it reads,
//! decides and changes through its [`Session`]. The store begins and ends the transaction. On
//! PostgreSQL the statements of one call leave in one flush; on SQLite they run on the one thread
//! that writes, together with those of other writes that wait.

use std::sync::Arc;

use duet_document::{Codec, RowSet};
use duet_model::{Error, ReadPlan, Result, Value};
use duet_sql::{Dialect, Statement, lock_statements};

use crate::read::{Answer, KeyedRead, PageRead};

/// A statement of a write. Its parameters are all [`duet_sql::Parameter::Value`].
#[derive(Clone, Debug)]
pub struct Call {
    /// The statement.
    pub statement: Statement,
    /// The codecs of the columns that come back (`RETURNING`); none where nothing does.
    pub codecs: Vec<Codec>,
}

/// What a call did.
#[derive(Clone, Debug)]
pub struct Done {
    /// How many rows were inserted, updated or deleted; what triggers do beside is not counted.
    /// A row that a trigger or row security keeps out is not counted either.
    pub affected: u64,
    /// The rows that came back.
    pub rows: RowSet,
}

/// A read by key inside a write, its rows locked first.
#[derive(Clone, Debug)]
pub struct LockedRead {
    /// The read.
    pub read: Arc<KeyedRead>,
    /// The statements that lock, parents before children; none where the store has no row locks.
    pub locks: Vec<Statement>,
}

impl LockedRead {
    /// Writes the SQL of a plan made by [`ReadPlan::by_keys`].
    pub fn new(plan: ReadPlan, dialect: &dyn Dialect) -> Self {
        let locks = lock_statements(dialect, &plan);
        Self { read: Arc::new(KeyedRead::new(plan, dialect)), locks }
    }
}

/// A transaction under way.
///
/// After an error the transaction does nothing more until it is undone to its last savepoint;
/// every other call answers the same error again, and so does the end where the write asks for
/// [`Ending::Commit`].
#[expect(
    async_fn_in_trait,
    reason = "workers are single-threaded, and SQLite's writes never leave their thread"
)]
pub trait Session {
    /// Locks rows (where the store locks rows), then reads documents by their keys, as they are
    /// once all locks are held. One answer per key, in order.
    ///
    /// # Errors
    /// Whatever the database says, mapped to a code.
    async fn read(&mut self, read: &LockedRead, keys: &[Vec<Value>]) -> Result<Vec<Answer>>;

    /// Reads documents without locking: those that are locked already, after the changes.
    ///
    /// # Errors
    /// Whatever the database says, mapped to a code.
    async fn reread(&mut self, read: &LockedRead, keys: &[Vec<Value>]) -> Result<Vec<Answer>>;

    /// Reads a page without locking. Its count, if it has one, is not asked for.
    ///
    /// # Errors
    /// Whatever the database says, mapped to a code.
    async fn page(&mut self, read: &PageRead) -> Result<Answer>;

    /// Runs statements in order; all are sent at once where the store has round trips.
    ///
    /// # Errors
    /// The first error ends it.
    async fn run(&mut self, calls: &[Call]) -> Result<Vec<Done>>;

    /// Runs statements, then reads documents again: the usual end of a document's write, sent at
    /// once where the store has round trips.
    ///
    /// # Errors
    /// As [`Session::run`] and [`Session::reread`].
    async fn run_and_reread(
        &mut self,
        calls: &[Call],
        read: &LockedRead,
        keys: &[Vec<Value>],
    ) -> Result<(Vec<Done>, Vec<Answer>)> {
        let done = self.run(calls).await?;
        Ok((done, self.reread(read, keys).await?))
    }

    /// Makes a point to which what follows can be undone. Points nest.
    ///
    /// # Errors
    /// Whatever the database says, mapped to a code.
    async fn savepoint(&mut self) -> Result<()>;

    /// Undoes everything since the last savepoint, also what an error has left, and forgets that
    /// savepoint.
    ///
    /// # Errors
    /// The error that is to be undone, where only running the whole write again can help (a
    /// deadlock, a lost connection, a transaction that the database has rolled back by itself).
    async fn rollback_to_savepoint(&mut self) -> Result<()>;

    /// Keeps what was done since the last savepoint, and forgets that savepoint.
    ///
    /// # Errors
    /// Whatever the database says, mapped to a code.
    async fn release_savepoint(&mut self) -> Result<()>;
}

/// A write, run inside a transaction. After a deadlock, a serialization failure, a lost connection
/// or a failed neighbour it is run again from the start, in a new transaction: so it takes `&self`,
/// and what it learns goes into its output.
#[expect(
    async_fn_in_trait,
    reason = "workers are single-threaded, and SQLite's writes never leave their thread"
)]
pub trait Write: Send + Sync + 'static {
    /// What it answers; rows that it keeps are copied, for answers do not leave their thread.
    type Output: Send + 'static;

    /// Does the work. It awaits nothing but its session.
    ///
    /// # Errors
    /// Any error rolls the transaction back.
    async fn run<S: Session>(&self, session: &mut S) -> Result<Ending<Self::Output>>;
}

/// How a transaction ends.
#[derive(Clone, Debug)]
pub enum Ending<T> {
    /// With everything done; the answer is given only after that.
    Commit(T),
    /// With everything undone: the answer of a dry run.
    Rollback(T),
}

/// The error of a write that ends a savepoint which it has not made.
pub(crate) fn no_savepoint() -> Error {
    Error::internal("there is no savepoint to end")
}
