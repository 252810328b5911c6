//! A transaction on the thread that writes: every call completes without waiting.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use duet_document::RowSet;
use duet_model::{Code, Error, Result, Value};
use duet_sql::{Statement, TOGETHER};
use duet_store::commits::{Action, Changes};
use duet_store::read::{Answer, PageRead};
use duet_store::write::call::{Call, Done};
use duet_store::write::insert::InsertBatch;
use duet_store::write::{LockedRead, Records, Session, no_savepoint};
use rusqlite::Connection;

use crate::connection::failure::{broken_reference, error_of, error_on};
use crate::connection::late_sync::Syncing;
use crate::file::File;
use crate::file::checkpoint::Checkpointer;
use crate::file::foreign::Watch;
use crate::file::version::{Version, has_broken_references};
use crate::read::run::{self, Statements};
use crate::write::progress::Progress;
use crate::write::stored;

/// The writing connection with what belongs to it.
pub(crate) struct Connected<'c> {
    pub(crate) file: Arc<File>,
    pub(crate) progress: &'c Progress,
    pub(crate) checkpointer: &'c Checkpointer,
    pub(crate) connection: &'c Connection,
    pub(crate) syncing: &'c Syncing,
    pub(crate) deadline: &'c Stopwatch,
    pub(crate) statements: Statements<'c>,
    pub(crate) version: Version,
    pub(crate) watch: Watch<'c>,
}

/// When the write under way must end.
#[derive(Debug)]
pub(crate) struct Stopwatch {
    base: Instant,
    /// Microseconds after the base; the greatest number for never.
    at: AtomicU64,
}

impl Stopwatch {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self { base: Instant::now(), at: AtomicU64::new(u64::MAX) })
    }

    /// It must end after so long.
    pub(crate) fn begin(&self, time: Duration) {
        let at = self.base.elapsed().saturating_add(time).as_micros();
        self.at.store(u64::try_from(at).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    pub(crate) fn end(&self) {
        self.at.store(u64::MAX, Ordering::Relaxed);
    }

    pub(crate) fn is_over(&self) -> bool {
        let at = self.at.load(Ordering::Relaxed);
        at != u64::MAX && self.base.elapsed().as_micros() > u128::from(at)
    }
}

/// One write's hold on the connection.
pub(crate) struct Writing<'w, 'c> {
    connected: &'w mut Connected<'c>,
    /// What has stopped it.
    failed: Option<Error>,
    savepoints: usize,
    /// Rows changed so far.
    rows: u64,
    /// What has changed so far.
    changes: Changes,
}

impl<'w, 'c> Writing<'w, 'c> {
    pub(crate) fn new(connected: &'w mut Connected<'c>) -> Self {
        let changes = connected.file.commits().begin();
        Self { connected, failed: None, savepoints: 0, rows: 0, changes }
    }

    /// What has stopped it, and has not been undone.
    pub(crate) fn failure(&mut self) -> Option<Error> {
        self.failed.take()
    }

    /// Refuses what a commit would refuse.
    ///
    /// # Errors
    /// As those of the commit.
    pub(crate) fn check_references(&self) -> Result<()> {
        match has_broken_references(self.connected.connection) {
            true => Err(broken_reference()),
            false => Ok(()),
        }
    }

    /// How many rows it has changed.
    pub(crate) fn rows(&self) -> u64 {
        self.rows
    }

    /// What it has changed.
    pub(crate) fn into_changes(self) -> Changes {
        self.changes
    }

    /// Does something, unless an error has stopped the write; remembers an error.
    fn unless_failed<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let result = work(self);
        if let Err(error) = &result {
            self.failed = Some(error.clone());
        }
        result
    }

    fn execute(&self, sql: &str) -> Result<()> {
        let run = || self.connected.connection.prepare_cached(sql)?.raw_execute();
        run().map(drop).map_err(|error| error_on(self.connected.connection, &error))
    }

    /// The counter of changes, which moves where this write has changed something: what it reads
    /// is newer than anything that others have seen.
    fn as_of(connected: &Connected<'_>, rows: u64) -> u64 {
        let seen = connected.version.as_of(&connected.file, connected.connection);
        if rows > 0 { connected.file.changes(true) } else { seen }
    }

    fn documents(&mut self, read: &LockedRead, keys: &[Vec<Value>]) -> Result<Vec<Answer>> {
        let file = Arc::clone(&self.connected.file);
        let limit = file.rows();
        let (connection, rows) = (self.connected.connection, self.rows);
        let mut size = 0;
        let mut answers = Vec::with_capacity(keys.len());
        for key in keys {
            let as_of = Self::as_of(self.connected, rows);
            let mut fetch = || {
                let prepared = self.connected.statements.of(connection, &read.read)?;
                run::by_key(prepared, &read.read, key, limit, || as_of)
            };
            let fetched = fetch().map_err(|error| error_of(&error))??;
            size += fetched.size();
            if size > file.limits().answer_bytes {
                return Err(limit.exceeded());
            }
            let row = (!fetched.roots().is_empty()).then_some(0);
            answers.push(Answer { fetched: Rc::new(fetched), row });
        }
        Ok(answers)
    }

    fn call(&mut self, call: &Call) -> Result<Done> {
        let links = call.links().map(|links| self.statement(&links.statement, links.codecs.len()));
        let links = links.transpose()?.map(|(links, _)| links.rows);
        let (done, changes) = self.statement(&call.statement, call.codecs.len())?;
        self.rows += if changes { done.affected } else { 0 };
        call.note(&done, links.as_ref(), &mut self.changes);
        Ok(done)
    }

    /// Inserts as many rows as a statement takes together; where one of them is refused or left out, each by itself, so
    /// that its error says which.
    fn insert_together(
        &mut self,
        insert: &InsertBatch,
        rows: &[&[Value]],
        first: usize,
    ) -> Result<Vec<RowSet>> {
        if let Some(statement) = insert.together.as_ref().filter(|_| rows.len() == TOGETHER)
            && let Some(sets) = self.many(statement, rows, insert.codecs.len())?
        {
            let count = rows.len() as u64;
            self.rows += count;
            self.changes.rows(insert.table(), Action::Insert, count, || {
                let each = rows.iter().zip(&sets);
                Some(each.filter_map(|(row, set)| insert.change(row, set)).collect())
            });
            return Ok(sets);
        }
        let records = self.records() != Records::Nothing;
        let each = rows.iter().enumerate().map(|(at, row)| {
            let done = self.call(&insert.call(row.to_vec(), records));
            done.map(|done| done.rows).map_err(|error| error.of_call(first + at))
        });
        each.collect()
    }

    /// Runs an insert of several rows in a savepoint of its own, as a conflict clause of the table may keep a part of
    /// them. `None` where not all of them were inserted: then none is.
    fn many(
        &self,
        statement: &Statement,
        rows: &[&[Value]],
        width: usize,
    ) -> Result<Option<Vec<RowSet>>> {
        self.execute("SAVEPOINT duet_rows")?;
        let inserted = self.returned(statement, rows, width);
        let all = inserted.as_ref().is_ok_and(|sets| sets.len() == rows.len());
        let is_undone = self.connected.connection.is_autocommit();
        match inserted {
            Ok(sets) if all => self.execute("RELEASE duet_rows").map(|()| Some(sets)),
            Err(error) if is_undone || !error.code.is_row_error() => Err(error),
            _ => {
                self.execute("ROLLBACK TO duet_rows")?;
                self.execute("RELEASE duet_rows").map(|()| None)
            }
        }
    }

    /// The rows that an insert of several returns, which SQLite gives in their order.
    fn returned(
        &self,
        statement: &Statement,
        rows: &[&[Value]],
        width: usize,
    ) -> Result<Vec<RowSet>> {
        let limit = self.connected.file.rows();
        let connection = self.connected.connection;
        let run = || -> rusqlite::Result<Result<Vec<RowSet>>> {
            let mut prepared = connection.prepare_cached(&statement.sql)?;
            if let Err(refused) = stored::bind_rows(&mut prepared, statement, rows)? {
                return Ok(Err(refused));
            }
            let mut sets = Vec::with_capacity(rows.len());
            let mut returned = prepared.raw_query();
            while let Some(row) = returned.next()? {
                let mut set = RowSet::new(width);
                if let Err(error) = run::push_row(row, limit, &mut set)? {
                    return Ok(Err(error));
                }
                sets.push(set);
            }
            Ok(Ok(sets))
        };
        run().map_err(|error| error_on(connection, &error))?
    }

    /// Runs a statement whose rows have this many columns; its result, and whether it may change rows.
    fn statement(&self, statement: &Statement, width: usize) -> Result<(Done, bool)> {
        let limit = self.connected.file.rows();
        let connection = self.connected.connection;
        let run = || -> rusqlite::Result<Result<(Done, bool)>> {
            let mut prepared = connection.prepare_cached(&statement.sql)?;
            if let Err(refused) = stored::bind(&mut prepared, statement)? {
                return Ok(Err(refused));
            }
            let changes = !prepared.readonly();
            if prepared.column_count() < width {
                return Ok(Err(Error::internal("a statement gives fewer columns than are read")));
            }
            let mut set = RowSet::new(width);
            let mut count = 0_u64;
            let mut rows = prepared.raw_query();
            while let Some(row) = rows.next()? {
                count += 1;
                if let Err(error) = run::push_row(row, limit, &mut set)? {
                    return Ok(Err(error));
                }
            }
            drop(rows);
            let affected = if changes { connection.changes() } else { count };
            Ok(Ok((Done { affected, rows: set }, changes)))
        };
        run().map_err(|error| error_on(connection, &error))?
    }
}

#[async_trait(?Send)]
impl Session for Writing<'_, '_> {
    async fn read(&mut self, read: &LockedRead, keys: &[Vec<Value>]) -> Result<Vec<Answer>> {
        // The whole file is locked.
        self.unless_failed(|it| it.documents(read, keys))
    }

    async fn reread(&mut self, read: &LockedRead, keys: &[Vec<Value>]) -> Result<Vec<Answer>> {
        self.unless_failed(|it| it.documents(read, keys))
    }

    async fn page(&mut self, read: &PageRead) -> Result<Answer> {
        self.unless_failed(|it| {
            let connected = &it.connected;
            let limit = connected.file.rows();
            let as_of = || Self::as_of(connected, it.rows);
            let fetched = run::page_rows(connected.connection, read, limit, as_of);
            let fetched = fetched.map_err(|error| error_of(&error))??;
            Ok(Answer { fetched: Rc::new(fetched), row: None })
        })
    }

    async fn run(&mut self, calls: &[Call]) -> Result<Vec<Done>> {
        self.unless_failed(|it| {
            let each = calls.iter().enumerate();
            each.map(|(at, call)| it.call(call).map_err(|error| error.of_call(at))).collect()
        })
    }

    async fn run_rows(&mut self, insert: &InsertBatch, rows: &[&[Value]]) -> Result<Vec<RowSet>> {
        self.unless_failed(|it| {
            let mut sets = Vec::with_capacity(rows.len());
            for part in rows.chunks(TOGETHER) {
                let first = sets.len();
                sets.extend(it.insert_together(insert, part, first)?);
            }
            Ok(sets)
        })
    }

    fn records(&self) -> Records {
        if self.changes.needs_rows() { Records::Links } else { Records::Nothing }
    }

    async fn savepoint(&mut self) -> Result<()> {
        self.unless_failed(|it| {
            it.execute("SAVEPOINT duet_part")?;
            it.changes.savepoint();
            it.savepoints += 1;
            Ok(())
        })
    }

    async fn rollback_to_savepoint(&mut self) -> Result<()> {
        let failed = self.failed.take();
        if let Some(error) = failed {
            // The transaction is gone, or no time is left to do anything else in it.
            if self.connected.connection.is_autocommit() || error.code == Code::Timeout {
                self.failed = Some(error.clone());
                return Err(error);
            }
        }
        self.unless_failed(|it| {
            it.savepoints = it.savepoints.checked_sub(1).ok_or_else(no_savepoint)?;
            it.execute("ROLLBACK TO duet_part")?;
            it.changes.roll_back();
            it.execute("RELEASE duet_part")
        })
    }

    async fn release_savepoint(&mut self) -> Result<()> {
        self.unless_failed(|it| {
            it.savepoints = it.savepoints.checked_sub(1).ok_or_else(no_savepoint)?;
            it.changes.release();
            it.execute("RELEASE duet_part")
        })
    }
}
