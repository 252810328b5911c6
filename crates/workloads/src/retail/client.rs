//! A user's connection to retail's tables.

use std::time::Duration;

use duet_bench::record::TransactionCost;
use duet_bench::workload::Failed;
use duet_client::Moved;
use duet_client::{ConnectOptions, Connection, Failure, Rows, Statement};
use duet_model::Value;

/// A connection. Statements name tables without a schema on both stores.
#[derive(Debug)]
pub struct Client {
    pub(super) connection: Connection,
    is_postgres: bool,
}

impl Client {
    /// Connects. A statement that takes longer than `timeout` is cancelled.
    ///
    /// # Errors
    /// If the database is unreachable.
    pub async fn open(target: &ConnectOptions, timeout: Duration) -> Result<Self, Failed> {
        let mut connection = Connection::open(target, duet_bench::targets::sql::SESSION).await?;
        let is_postgres = matches!(target, ConnectOptions::Postgres(_));
        if is_postgres {
            connection.script("SET search_path = retail").await?;
        }
        connection.limit(timeout).await?;
        Ok(Self { connection, is_postgres })
    }

    /// Prepares a statement.
    ///
    /// # Errors
    /// If the database rejects it.
    pub async fn prepare(&mut self, sql: &str) -> Result<Statement, Failed> {
        Ok(self.connection.prepare(sql).await?)
    }

    /// Runs a query.
    ///
    /// # Errors
    /// The database's error.
    pub async fn query(
        &mut self,
        statement: &Statement,
        values: &[Value],
        work: &mut TransactionCost,
    ) -> Result<Rows, Failure> {
        work.dml.selects += 1;
        self.trip(work);
        self.connection.query(statement, values).await
    }

    /// The plan of a query, one string per line.
    ///
    /// # Errors
    /// The database's error.
    pub async fn explain(&mut self, sql: &str, values: &[Value]) -> Result<Vec<String>, Failed> {
        let explain = if self.is_postgres { "EXPLAIN" } else { "EXPLAIN QUERY PLAN" };
        let rows = self.connection.ask(&format!("{explain}\n{sql}"), values).await?;
        // SQLite has numeric columns before the text.
        let line = |row: Vec<Value>| row.last().map(ToString::to_string);
        Ok(rows.rows.into_iter().filter_map(line).collect())
    }

    /// Bytes of the connection.
    pub(super) fn moved(&self) -> Moved {
        self.connection.moved()
    }

    pub(super) async fn begin(&mut self, work: &mut TransactionCost) -> Result<(), Failure> {
        self.trip(work);
        self.connection.begin().await
    }

    pub(super) async fn execute(
        &mut self,
        statement: &Statement,
        values: &[Value],
        work: &mut TransactionCost,
    ) -> Result<u64, Failure> {
        self.trip(work);
        self.connection.execute(statement, values).await
    }

    pub(super) async fn commit(&mut self, work: &mut TransactionCost) -> Result<(), Failure> {
        self.trip(work);
        work.dml.commits += 1;
        self.connection.commit().await
    }

    pub(super) async fn rollback(&mut self, work: &mut TransactionCost) {
        self.trip(work);
        work.dml.rollbacks += 1;
        // A closed connection has rolled back.
        drop(self.connection.rollback().await);
    }

    fn trip(&self, work: &mut TransactionCost) {
        work.round_trips += u64::from(self.is_postgres);
    }
}
