//! Plain connections: one caller, one statement after the other, nothing batched, nothing cached.
//!
//! The bench measures databases through them, and its generators fill them. What `serve` does with
//! a database goes through [`Store`](duet_store::Store) instead. What the store of PostgreSQL shares with them is here
//! too: settings and connectors, the meaning of errors, and the format of `COPY`.

mod citus;
pub mod confinement;
pub mod connect;
mod copy;
pub mod copy_text;
mod failure;
mod postgres;
pub mod provision;
mod rows;
mod sqlite;
pub mod sqlstate;
pub mod wire;

use std::path::PathBuf;
use std::time::Duration;

use duet_model::{Result, Value};
use duet_store::PlainTarget;
use futures_util::future::LocalBoxFuture;

pub use copy::CopyIn;
pub use duet_store::files::Synchronous;
pub use failure::{Failure, FailureKind};
pub use rows::RowBuffer;
pub use wire::{Meter, Metered, Moved};

/// A database to connect to.
#[derive(Clone, Debug)]
pub enum ConnectOptions {
    /// PostgreSQL.
    Postgres(connect::PostgresConnector),
    /// A SQLite file; it is made where it is absent.
    Sqlite {
        /// The file.
        path: PathBuf,
        /// `PRAGMA synchronous` of the connections that write.
        synchronous: Synchronous,
    },
}

impl ConnectOptions {
    /// How a database is connected to that a store names. Environment variables such as `PGPASSWORD` apply.
    ///
    /// # Errors
    /// `Setting` if the connection string is wrong, or a file that it names cannot be used.
    pub fn of(target: PlainTarget) -> Result<Self> {
        Ok(match target {
            PlainTarget::Libpq(text) => {
                let settings = connect::Settings::from_url(&text, &|name| std::env::var(name).ok());
                Self::Postgres(settings?.connector()?)
            }
            PlainTarget::File(path) => Self::Sqlite { path, synchronous: Synchronous::Normal },
        })
    }

    /// Whether this process may connect to it.
    fn allowed(&self) -> std::result::Result<(), String> {
        match self {
            Self::Postgres(connector) => connector.allowed(),
            Self::Sqlite { path, .. } => {
                confinement::allows_own_database(&path.display().to_string())
            }
        }
    }

    /// The store's name as users know it.
    pub fn store(&self) -> &'static str {
        match self {
            Self::Postgres(_) => "postgres",
            Self::Sqlite { .. } => "sqlite",
        }
    }

    /// Whether a statement blocks the calling thread: its users need a thread each.
    pub fn is_blocking(&self) -> bool {
        matches!(self, Self::Sqlite { .. })
    }
}

/// A prepared statement, of the connection that prepared it.
#[derive(Clone, Debug)]
pub struct Statement(Prepared);

#[derive(Clone, Debug)]
enum Prepared {
    Postgres(tokio_postgres::Statement),
    Sqlite(String),
}

/// The rows that a statement gave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows; values that no other form fits are text.
    pub rows: Vec<Vec<Value>>,
}

impl Rows {
    /// The value at a place of the first row, if there is a row.
    pub fn first(&self, column: usize) -> Option<&Value> {
        self.rows.first().and_then(|row| row.get(column))
    }

    /// The whole number at a place of the first row.
    pub fn first_int(&self, column: usize) -> Option<i64> {
        match self.first(column) {
            Some(Value::Int(value)) => Some(*value),
            Some(Value::Text(text)) => text.parse().ok(),
            _ => None,
        }
    }
}

/// A connection. On SQLite every call holds the thread until it is done, although it is `async`.
#[derive(Debug)]
pub struct Connection(Driver);

#[derive(Debug)]
enum Driver {
    Postgres(postgres::Connection),
    Sqlite(sqlite::Connection),
}

impl Connection {
    /// Connects. PostgreSQL's connections write, and call themselves `name`.
    ///
    /// # Errors
    /// [`FailureKind::Connection`] where the database cannot be reached or opened, or a [`confinement`] forbids it.
    pub fn open<'a>(
        target: &'a ConnectOptions,
        name: &'a str,
    ) -> LocalBoxFuture<'a, Result<Self, Failure>> {
        // Boxed here, so that callers hold neither its code nor its state.
        Box::pin(async move {
            target.allowed().map_err(|why| Failure::new(FailureKind::Connection, why))?;
            Ok(Self(match target {
                ConnectOptions::Postgres(connector) => {
                    Driver::Postgres(postgres::Connection::open(connector, name).await?)
                }
                ConnectOptions::Sqlite { path, synchronous } => {
                    Driver::Sqlite(sqlite::Connection::open(path, *synchronous)?)
                }
            }))
        })
    }

    /// The store's name as users know it.
    pub fn store(&self) -> &'static str {
        match &self.0 {
            Driver::Postgres(_) => "postgres",
            Driver::Sqlite(_) => "sqlite",
        }
    }

    /// What went over its wire until now. SQLite has none.
    pub fn moved(&self) -> Moved {
        match &self.0 {
            Driver::Postgres(connection) => connection.moved(),
            Driver::Sqlite(_) => Moved::default(),
        }
    }

    /// Ends every later statement that takes longer than `length`, with [`FailureKind::Timeout`]. On
    /// SQLite that a statement waits for locks is limited separately.
    ///
    /// # Errors
    /// Where the database refuses the limit, or is gone.
    pub async fn limit(&mut self, length: Duration) -> Result<(), Failure> {
        match &mut self.0 {
            Driver::Postgres(connection) => {
                // 0 would mean no limit.
                let millis = length.as_millis().clamp(1, i32::MAX as u128);
                connection.script(&format!("SET statement_timeout = {millis}")).await
            }
            Driver::Sqlite(connection) => connection.limit(length),
        }
    }

    /// Prepares a statement; its parameters are `$1`, `$2` and so on, on SQLite `?1`, `?2` too.
    ///
    /// # Errors
    /// Where the database does not understand it, or is gone.
    pub async fn prepare(&mut self, sql: &str) -> Result<Statement, Failure> {
        Ok(Statement(match &mut self.0 {
            Driver::Postgres(connection) => Prepared::Postgres(connection.prepare(sql).await?),
            Driver::Sqlite(connection) => Prepared::Sqlite(connection.prepare(sql)?),
        }))
    }

    /// Runs a statement and takes all its rows.
    ///
    /// # Errors
    /// What the database said; see [`FailureKind`].
    pub async fn query(
        &mut self,
        statement: &Statement,
        values: &[Value],
    ) -> Result<Rows, Failure> {
        match (&mut self.0, &statement.0) {
            (Driver::Postgres(connection), Prepared::Postgres(statement)) => {
                connection.query(statement, values).await
            }
            (Driver::Sqlite(connection), Prepared::Sqlite(sql)) => connection.query(sql, values),
            _ => Err(Failure::foreign_statement()),
        }
    }

    /// Runs a statement for its effect; the number of rows that it changed.
    ///
    /// # Errors
    /// As [`Connection::query`].
    pub async fn execute(
        &mut self,
        statement: &Statement,
        values: &[Value],
    ) -> Result<u64, Failure> {
        match (&mut self.0, &statement.0) {
            (Driver::Postgres(connection), Prepared::Postgres(statement)) => {
                connection.execute(statement, values).await
            }
            (Driver::Sqlite(connection), Prepared::Sqlite(sql)) => connection.execute(sql, values),
            _ => Err(Failure::foreign_statement()),
        }
    }

    /// Prepares, runs and forgets a statement: for what runs once.
    ///
    /// # Errors
    /// As [`Connection::query`].
    pub async fn ask(&mut self, sql: &str, values: &[Value]) -> Result<Rows, Failure> {
        let statement = self.prepare(sql).await?;
        self.query(&statement, values).await
    }

    /// Runs statements without parameters, one after the other: `BEGIN`, DDL, scripts.
    ///
    /// # Errors
    /// As [`Connection::query`]; the statements after the one that failed did not run.
    pub async fn script(&mut self, sql: &str) -> Result<(), Failure> {
        match &mut self.0 {
            Driver::Postgres(connection) => connection.script(sql).await,
            Driver::Sqlite(connection) => connection.script(sql),
        }
    }

    /// Begins a transaction that will write.
    ///
    /// # Errors
    /// As [`Connection::query`].
    pub async fn begin(&mut self) -> Result<(), Failure> {
        let statement = match &self.0 {
            Driver::Postgres(_) => "BEGIN",
            // A deferred one could not be upgraded without a chance of SQLITE_BUSY in its middle.
            Driver::Sqlite(_) => "BEGIN IMMEDIATE",
        };
        self.script(statement).await
    }

    /// Commits.
    ///
    /// # Errors
    /// As [`Connection::query`]; it is unknown whether the transaction was committed.
    pub async fn commit(&mut self) -> Result<(), Failure> {
        self.script("COMMIT").await
    }

    /// Rolls back; quietly where there is no transaction.
    ///
    /// # Errors
    /// [`FailureKind::Connection`] where the connection is gone.
    pub async fn rollback(&mut self) -> Result<(), Failure> {
        match &mut self.0 {
            Driver::Postgres(connection) => connection.script("ROLLBACK").await,
            Driver::Sqlite(connection) => connection.rollback(),
        }
    }

    /// Closes, and waits until that is done; uncommitted changes are rolled back.
    pub async fn close(self) {
        if let Driver::Postgres(connection) = self.0 {
            connection.close().await;
        }
    }

    /// Begins to fill a table, all columns given, in a transaction of the caller's or in its own.
    /// The connection is busy until [`CopyIn::finish`].
    ///
    /// # Errors
    /// As [`Connection::query`].
    pub async fn copy_in<'a>(
        &'a mut self,
        table: &str,
        columns: &[&str],
    ) -> Result<CopyIn<'a>, Failure> {
        match &mut self.0 {
            Driver::Postgres(connection) => CopyIn::postgres(connection, table, columns).await,
            Driver::Sqlite(connection) => CopyIn::sqlite(connection, table, columns),
        }
    }
}
