//! Writes: the work of a transaction, the same code for both stores.
//!
//! A [`Write`] is run inside a transaction by [`RoleHandle::write`](crate::RoleHandle::write); it reads,
//! decides and changes through its [`Session`]. The store begins and ends the transaction. On
//! PostgreSQL the statements of one call leave in one flush; on SQLite they run on the one thread
//! that writes, together with those of other writes that wait.
//!
//! Sessions and writes are called as trait objects, so that the code of a write is compiled once, and not
//! for each store, wrapper and output. A transaction costs far more than a virtual call and a boxed future.

pub mod call;
pub mod insert;
pub mod insert_one;
pub mod row_write;
pub mod write_times;

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use duet_document::{Codec, Datum, RowSet};
use duet_model::catalog::TableRef;
use duet_model::commit::RowChange;
use duet_model::{Error, LevelColumn, ReadPlan, Relation, Result, Value};
use duet_sql::{
    Dialect, Statement, group_level_statements, lock_statements, locked_level_statements,
    update_rows_statement,
};

use crate::commits::Action;
use crate::read::{self, Answer, KeyedRead, PageRead};
use crate::write::call::{Call, Done};
use crate::write::insert::InsertBatch;
use crate::write::write_times::WriteTimes;

/// A read by key inside a write, its rows locked first.
#[derive(Clone, Debug)]
pub struct LockedRead {
    /// The read.
    pub read: Arc<KeyedRead>,
    /// The statements that lock, parents before children; none where the store has no row locks.
    pub locks: Vec<Statement>,
    /// Whether these are for a single key, and run for one key after the other.
    pub locks_each: bool,
    /// Statements that both lock and read, one for each level, if that sees the same rows.
    pub levels: Option<Vec<Statement>>,
    /// The same for a single key, each part of which is a value.
    pub one: Option<Vec<Statement>>,
    /// For documents that may be written in one transaction with others.
    pub group: Option<Arc<GroupRead>>,
}

/// A read of several documents, each for a write of its own, that waits for no lock.
#[derive(Debug)]
pub struct GroupRead {
    /// The read.
    pub read: Arc<KeyedRead>,
    /// The statements that lock and read, one for each level: the first leaves out documents that others
    /// have locked, the next fail where others have locked a row.
    pub levels: Vec<Statement>,
}

impl LockedRead {
    /// Writes the SQL of a plan made by [`ReadPlan::by_keys`].
    pub fn new(plan: ReadPlan, dialect: &dyn Dialect) -> Self {
        Self::of(Arc::new(KeyedRead::new(plan, dialect)), dialect)
    }

    /// Writes the SQL of the locks for a read.
    pub fn of(read: Arc<KeyedRead>, dialect: &dyn Dialect) -> Self {
        let locks = lock_statements(dialect, &read.plan);
        let levels = locked_level_statements(dialect, &read.plan, false);
        let one = locked_level_statements(dialect, &read.plan, true);
        let group = group_level_statements(dialect, &read.plan);
        let group = group.map(|levels| Arc::new(GroupRead { read: Arc::clone(&read), levels }));
        let locks_each = read.plan.shape.is_distributed();
        Self { read, locks, locks_each, levels, one, group }
    }
}

/// The update of rows of one node, in the same columns, that gives them back; compiled.
#[derive(Debug)]
pub struct RowsUpdate {
    /// The level of the read that shows the rows.
    pub level: usize,
    statement: Statement,
    codecs: Vec<Codec>,
}

impl RowsUpdate {
    /// Writes the SQL for the rows of the node that heads a level, found by the columns `key`, which
    /// get values in the columns `set`. `None` where the dialect or the level has no such statement.
    pub fn new(
        plan: &ReadPlan,
        level: usize,
        key: &[usize],
        set: &[usize],
        dialect: &dyn Dialect,
    ) -> Option<Self> {
        let statement = update_rows_statement(dialect, plan, level, key, set)?;
        let columns = plan.levels[level].columns.iter();
        // The level's columns, the position of the row, a number, the snapshot.
        let more = [LevelColumn::Ordinal, LevelColumn::Ordinal, LevelColumn::AsOf];
        let codecs = columns.chain(&more).map(|column| read::codec(plan, column)).collect();
        Some(Self { level, statement, codecs })
    }

    /// The statement; its parameters are parts of the rows.
    pub fn statement(&self) -> &Statement {
        &self.statement
    }

    /// The codecs of the returned columns.
    pub fn codecs(&self) -> &[Codec] {
        &self.codecs
    }

    /// The returned column that is the position of the row.
    pub fn ordinal(&self) -> usize {
        self.codecs.len() - 3
    }

    /// Which of the rows that were given a returned one is.
    pub fn given(&self, rows: &RowSet, row: usize) -> Option<usize> {
        match rows.get(row, self.ordinal()) {
            Datum::Int(ordinal) => usize::try_from(ordinal - 1).ok(),
            _ => None,
        }
    }

    /// The snapshot that a returned row comes from.
    pub fn as_of<'r>(&self, rows: &'r RowSet, row: usize) -> Datum<'r> {
        rows.get(row, self.codecs.len() - 1)
    }
}

/// Rows for an update: for each the values of its key's columns, then those that it gets.
#[derive(Clone, Debug)]
pub struct UpdatedRows {
    /// The update.
    pub update: Arc<RowsUpdate>,
    /// The rows; at least one, and none twice.
    pub rows: Vec<Vec<Value>>,
    /// Their table.
    pub table: TableRef,
    /// What is done to them.
    pub action: Action,
    /// The rows as commit events report them; empty if [`Session::records`] needs no rows.
    pub changes: Vec<RowChange>,
}

/// What commit events need of the rows that a write changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Records {
    /// Nothing: [`RowWrite::known`](crate::RowWrite::known) and [`UpdatedRows::changes`] are left out.
    Nothing,
    /// What is known without reading more: the caller's role of the database may not be allowed to.
    Known,
    /// The values of all linking columns, before and after.
    Links,
}

/// A transaction under way.
///
/// After an error the transaction does nothing more until it is undone to its last savepoint;
/// every other call returns the same error again, and so does the end if the write requests
/// [`Ending::Commit`].
///
/// Its futures stay on their thread: workers are single-threaded, and SQLite's writes never leave theirs.
#[async_trait(?Send)]
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

    /// Reads a page without locking, and without its count.
    ///
    /// # Errors
    /// Whatever the database says, mapped to a code.
    async fn page(&mut self, read: &PageRead) -> Result<Answer>;

    /// Runs statements in order; they are sent in one flush if the store has round trips.
    ///
    /// # Errors
    /// The first error ends it.
    async fn run(&mut self, calls: &[Call]) -> Result<Vec<Done>>;

    /// Runs statements on a table of Duet's own, as Duet's own user also where the caller has a role of
    /// the database.
    ///
    /// # Errors
    /// As [`Session::run`].
    async fn run_own(&mut self, calls: &[Call]) -> Result<Vec<Done>> {
        self.run(calls).await
    }

    /// Runs the last statements of a write, as [`Session::run_own`] does, and commits in the same flush where the
    /// store gains by it. The write then ends with [`Ending::Commit`] and does nothing more. If a statement fails, the
    /// transaction is rolled back; the write may be run again without this.
    ///
    /// # Errors
    /// As [`Session::run`].
    async fn run_own_last(&mut self, calls: &[Call]) -> Result<()> {
        self.run_own(calls).await.map(drop)
    }

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

    /// Whether [`Session::insert_rows`] may insert rows of this kind. Not where the store has no such
    /// statement, and not where it was tried before.
    fn takes_rows(&self, _insert: &InsertBatch) -> bool {
        false
    }

    /// Inserts rows by one statement; returns for each, in their order, the row that
    /// [`InsertBatch::answer`] takes. If it fails, the whole write is rolled back and run again without
    /// this: the statements of single rows find the faulty row.
    ///
    /// # Errors
    /// Whatever the database says, mapped to a code.
    async fn insert_rows(
        &mut self,
        _insert: &InsertBatch,
        rows: &[&[Value]],
    ) -> Result<Vec<RowSet>> {
        Err(Error::internal(format!("{} rows cannot be inserted at once here", rows.len())))
    }

    /// Inserts rows as [`Session::run`] does the calls of each, with the same errors, by fewer statements where the
    /// store gains by it; returns for each, in their order, the row that [`InsertBatch::answer`] takes.
    ///
    /// # Errors
    /// As [`Session::run`]: that of the first row that is refused says which it is.
    async fn run_rows(&mut self, insert: &InsertBatch, rows: &[&[Value]]) -> Result<Vec<RowSet>> {
        let records = self.records() != Records::Nothing;
        let calls: Vec<Call> = rows.iter().map(|row| insert.call(row.to_vec(), records)).collect();
        Ok(self.run(&calls).await?.into_iter().map(|done| done.rows).collect())
    }

    /// Whether [`Session::add_rows`] may insert rows. Not where the store has no such statement, and not where each
    /// statement waits for locks by itself.
    fn adds_rows(&self) -> bool {
        false
    }

    /// Inserts rows of a table by one statement of [`insert_rows`](duet_sql::insert_rows), and returns how many the
    /// database has inserted, and nothing of them: only where commit events need none ([`Records::Nothing`]).
    ///
    /// # Errors
    /// Whatever the database says, mapped to a code; it does not say which row is faulty.
    async fn add_rows(
        &mut self,
        _insert: &Statement,
        _table: &Arc<Relation>,
        rows: &[&[Value]],
    ) -> Result<u64> {
        Err(Error::internal(format!("{} rows cannot be added at once here", rows.len())))
    }

    /// What commit events need of the rows that change.
    fn records(&self) -> Records;

    /// Whether [`Session::finish`] may end this write. Not where the store gains nothing by it, and
    /// not where it was tried before: then the write does one thing after the other, so that an error
    /// names its place.
    fn may_finish(&self) -> bool {
        false
    }

    /// Updates rows that this transaction has locked, and commits, in one flush: the end of a write
    /// about which nothing is left to decide. Gives back what each update returns. After it the write
    /// does nothing more, and cannot fail. If one of the rows is missing, or something else is
    /// wrong, the transaction is rolled back, and the write is run again without this.
    ///
    /// # Errors
    /// Whatever the database says, mapped to a code.
    async fn finish(&mut self, updates: &[UpdatedRows]) -> Result<Vec<RowSet>> {
        Err(Error::internal(format!("{} updates cannot be finished here", updates.len())))
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
    /// The error, if only running the whole write again can help (a
    /// deadlock, a lost connection, a transaction that the database has rolled back).
    async fn rollback_to_savepoint(&mut self) -> Result<()>;

    /// Keeps the changes since the last savepoint, and releases it.
    ///
    /// # Errors
    /// Whatever the database says, mapped to a code.
    async fn release_savepoint(&mut self) -> Result<()>;
}

/// A write, run inside a transaction. After a deadlock, a serialization failure, a lost connection
/// or a failed neighbour it is run again from the start, in a new transaction: so it takes `&self`,
/// and its findings go into its output.
#[async_trait(?Send)]
pub trait Write: Send + Sync + 'static {
    /// What it answers; rows that it keeps are copied, for answers do not leave their thread.
    type Output: Send + 'static;

    /// The written document, as a hash: writes of the same one run one at a time. `None` if only
    /// the write itself finds out.
    fn touches(&self) -> Option<u64> {
        None
    }

    /// Whether it may lock many rows, or take long. Such writes never hold all connections, and none
    /// waits long for a lock while it holds others.
    fn is_large(&self) -> bool {
        false
    }

    /// The read that it begins with and the key of its document, where it may share a transaction with
    /// writes of other documents. It does so if it then ends with [`Session::finish`], or changes nothing;
    /// where it wants something else, it is run again in a transaction of its own.
    fn shares(&self) -> Option<(&Arc<GroupRead>, &Vec<Value>)> {
        None
    }

    /// Where the moments between its steps are noted, if they are reported.
    fn times(&self) -> Option<&WriteTimes> {
        None
    }

    /// Does the work. It awaits nothing but its session.
    ///
    /// # Errors
    /// Any error rolls the transaction back.
    async fn run(&self, session: &mut dyn Session) -> Result<Ending<Self::Output>>;
}

/// How a transaction ends.
#[derive(Clone, Debug)]
pub enum Ending<T> {
    /// Commit; the answer follows it.
    Commit(T),
    /// With everything undone: it has found out that nothing is to be done, or was asked for a plan.
    Rollback(T),
    /// As a commit, constraints and triggers that wait for it included; then everything is undone.
    DryRun(T),
}

impl<T> Ending<T> {
    /// The same ending with another answer.
    pub fn map<U>(self, answer: impl FnOnce(T) -> U) -> Ending<U> {
        match self {
            Self::Commit(outcome) => Ending::Commit(answer(outcome)),
            Self::Rollback(outcome) => Ending::Rollback(answer(outcome)),
            Self::DryRun(outcome) => Ending::DryRun(answer(outcome)),
        }
    }
}

/// Any write, whose output is kept by [`KeptOutput`]: what runs writes need not know its type.
pub type AnyWrite = dyn Write<Output = ()>;

/// A write that keeps the output of its last run until its caller takes it.
pub struct KeptOutput<W: Write> {
    work: Arc<W>,
    output: Mutex<Option<W::Output>>,
}

impl<W: Write> KeptOutput<W> {
    /// Around a write.
    pub fn new(work: Arc<W>) -> Arc<Self> {
        Arc::new(Self { work, output: Mutex::default() })
    }

    /// Takes the output of a write that has ended.
    ///
    /// # Errors
    /// If it has not run.
    pub fn take(&self) -> Result<W::Output> {
        let output = self.output.lock().unwrap_or_else(PoisonError::into_inner).take();
        output.ok_or_else(|| Error::internal("a write has no answer"))
    }
}

#[async_trait(?Send)]
impl<W: Write> Write for KeptOutput<W> {
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
        let (output, ending) = match self.work.run(session).await? {
            Ending::Commit(output) => (output, Ending::Commit(())),
            Ending::Rollback(output) => (output, Ending::Rollback(())),
            Ending::DryRun(output) => (output, Ending::DryRun(())),
        };
        *self.output.lock().unwrap_or_else(PoisonError::into_inner) = Some(output);
        Ok(ending)
    }
}

/// The error of a write that ends a savepoint which it has not made.
pub fn no_savepoint() -> Error {
    Error::internal("there is no savepoint to end")
}
