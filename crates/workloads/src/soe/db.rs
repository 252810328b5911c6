//! A user's connection: runs statements, counts them, and retries after a conflict.

use std::sync::Arc;
use std::time::Duration;

use duet_bench::workload::{Failed, TransactionContext};
use duet_client::Moved;
use duet_client::{Connection, Failure, FailureKind, Rows, Statement};
use duet_model::Value;
use duet_verdict::outcome::Outcome;

use super::Facts;
use super::checks::{Check, UserChecks};
use super::dialect::SET;
use crate::generate::Engine;

/// A connection with the context of its statements.
pub(super) struct Db {
    connection: Connection,
    pub(super) dialect: Engine,
    pub(super) facts: Arc<Facts>,
    pub(super) checks: UserChecks,
    /// Whether anything was rolled back, or waited for SQLite's file, since the flag was last
    /// cleared.
    retried: bool,
    /// Whether a transaction is open; outside of one, each statement commits.
    inside: bool,
}

impl Db {
    /// Connects.
    pub(super) async fn open(facts: &Arc<Facts>, checks: UserChecks) -> Result<Self, Failed> {
        let target = facts.database.target()?;
        let dialect = Engine::of(&target);
        let mut connection = Connection::open(&target, duet_bench::targets::sql::SESSION).await?;
        let limit = facts.timeout.as_millis().max(1);
        match dialect {
            Engine::Postgres => {
                connection.script(&format!("SET statement_timeout = {limit}")).await?;
            }
            Engine::Sqlite => connection.script(&waiting(Duration::ZERO)).await?,
        }
        Ok(Self {
            connection,
            dialect,
            facts: facts.clone(),
            checks,
            retried: false,
            inside: false,
        })
    }

    /// Prepares a statement; `{s}` is the prefix of table names.
    pub(super) async fn prepare(&mut self, sql: &str) -> Result<Statement, Failed> {
        let sql = self.dialect.statement(SET, sql);
        self.connection.prepare(&sql).await.map_err(|failure| {
            let Failed { outcome, message } = failure.into();
            Failed::new(
                outcome,
                format!("a statement of order entry cannot be prepared: {message}"),
            )
        })
    }

    /// Bytes of the connection.
    pub(super) fn moved(&self) -> Moved {
        self.connection.moved()
    }

    fn trip(&self, context: &mut TransactionContext) {
        context.work.round_trips += u64::from(self.dialect.has_wire());
    }

    /// Reads, without counting a select.
    pub(super) async fn fetch(
        &mut self,
        context: &mut TransactionContext,
        statement: &Statement,
        values: &[Value],
    ) -> Result<Rows, Failed> {
        self.trip(context);
        let rows = self.connection.query(statement, values).await?;
        context.work.implicit += u64::from(!self.inside);
        Ok(rows)
    }

    /// Calls a function that runs a whole transaction; its counts report what it did, including the
    /// commit.
    pub(super) async fn call(
        &mut self,
        context: &mut TransactionContext,
        statement: &Statement,
        values: &[Value],
    ) -> Result<Rows, Failed> {
        self.trip(context);
        Ok(self.connection.query(statement, values).await?)
    }

    /// Reads.
    pub(super) async fn select(
        &mut self,
        context: &mut TransactionContext,
        statement: &Statement,
        values: &[Value],
    ) -> Result<Rows, Failed> {
        context.work.dml.selects += 1;
        self.fetch(context, statement, values).await
    }

    /// Inserts a row.
    pub(super) async fn insert(
        &mut self,
        context: &mut TransactionContext,
        statement: &Statement,
        values: &[Value],
    ) -> Result<(), Failed> {
        context.work.dml.inserts += 1;
        self.change(context, statement, values).await
    }

    /// Updates a row, which must exist.
    pub(super) async fn update(
        &mut self,
        context: &mut TransactionContext,
        statement: &Statement,
        values: &[Value],
    ) -> Result<(), Failed> {
        context.work.dml.updates += 1;
        self.change(context, statement, values).await
    }

    async fn change(
        &mut self,
        context: &mut TransactionContext,
        statement: &Statement,
        values: &[Value],
    ) -> Result<(), Failed> {
        let changed = self.update_any(context, statement, values).await?;
        self.checks.hold(Check::OneRow, changed == 1, || {
            format!("a statement should change a row, not {changed}")
        })
    }

    /// Updates matching rows without counting an update; returns their number.
    pub(super) async fn update_any(
        &mut self,
        context: &mut TransactionContext,
        statement: &Statement,
        values: &[Value],
    ) -> Result<u64, Failed> {
        self.trip(context);
        let changed = self.connection.execute(statement, values).await?;
        context.work.implicit += u64::from(!self.inside);
        Ok(changed)
    }

    /// Begins a read-write transaction.
    pub(super) async fn begin(&mut self, context: &mut TransactionContext) -> Result<(), Failed> {
        self.trip(context);
        self.inside = true;
        self.in_line(async |connection| connection.begin().await).await
    }

    /// Begins a read-only transaction, which does not block writers.
    pub(super) async fn begin_reading(
        &mut self,
        context: &mut TransactionContext,
    ) -> Result<(), Failed> {
        self.trip(context);
        self.inside = true;
        Ok(self.connection.script("BEGIN").await?)
    }

    /// Inserts a row in its own transaction.
    pub(super) async fn insert_alone(
        &mut self,
        context: &mut TransactionContext,
        statement: &Statement,
        values: &[Value],
    ) -> Result<(), Failed> {
        context.work.dml.inserts += 1;
        context.work.dml.commits += 1;
        self.trip(context);
        self.in_line(async |connection| connection.execute(statement, values).await).await?;
        Ok(())
    }

    /// Runs an operation; if SQLite's file is locked, once more with SQLite's busy handler. On
    /// PostgreSQL statements wait for locks by themselves.
    async fn in_line<T>(
        &mut self,
        something: impl AsyncFn(&mut Connection) -> Result<T, Failure>,
    ) -> Result<T, Failed> {
        let is_locked = |failure: &Failure| failure.kind == FailureKind::Serialization;
        match something(&mut self.connection).await {
            Err(failure) if self.dialect == Engine::Sqlite && is_locked(&failure) => {
                self.retried = true;
                self.connection.script(&waiting(self.facts.timeout)).await?;
                let done = something(&mut self.connection).await;
                self.connection.script(&waiting(Duration::ZERO)).await?;
                Ok(done?)
            }
            done => Ok(done?),
        }
    }

    /// Commits.
    pub(super) async fn commit(&mut self, context: &mut TransactionContext) -> Result<(), Failed> {
        self.trip(context);
        self.inside = false;
        context.work.dml.commits += 1;
        Ok(self.connection.commit().await?)
    }

    /// Rolls back.
    pub(super) async fn rollback(&mut self, context: &mut TransactionContext) {
        self.trip(context);
        self.inside = false;
        context.work.dml.rollbacks += 1;
        // The next statement notices a closed connection.
        let _ = self.connection.rollback().await;
    }

    /// Runs an operation that ends with a commit, and retries it after a deadlock or a conflict, up
    /// to [`Facts::retries`] times. A failed attempt counts as a rollback, with its round trips.
    pub(super) async fn repeated<T>(
        &mut self,
        context: &mut TransactionContext,
        unit: impl AsyncFn(&mut Self, &mut TransactionContext) -> Result<T, Failed>,
    ) -> Result<T, Failed> {
        let mut tries = 0;
        loop {
            let before = context.work.dml;
            let failed = match unit(self, context).await {
                Ok(done) => return Ok(done),
                Err(failed) => failed,
            };
            context.work.dml = before;
            let again = matches!(failed.outcome, Outcome::Deadlock | Outcome::Serialization);
            if !again || tries == self.facts.retries {
                return Err(failed);
            }
            self.rollback(context).await;
            self.retried = true;
            tries += 1;
        }
    }

    /// Whether anything was rolled back or waited for since the last call.
    pub(super) fn take_retried(&mut self) -> bool {
        std::mem::take(&mut self.retried)
    }
}

fn waiting(length: Duration) -> String {
    format!("PRAGMA busy_timeout = {}", length.as_millis())
}
