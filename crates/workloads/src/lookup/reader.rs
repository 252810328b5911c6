//! A connection that reads values by key and checks each of them.

use std::io::Write as _;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

use duet_bench::record::TransactionCost;
use duet_bench::targets::http::{HttpConnection, Response, Url};
use duet_bench::workload::{Checker, Done, Failed, Success};
use duet_client::Moved;
use duet_client::{ConnectOptions, Statement};
use duet_model::Value;
use duet_service::Service;
use duet_verdict::outcome::Outcome;

use super::checks::{FOUND, MEMORY, VALUE};
use super::endpoint::Endpoint;
use super::process_reader::{Addresses, ProcessReader, failed};
use super::{TABLES, served, value_of};
use crate::generate::Engine;

/// A connection.
pub(super) enum Reader {
    Sql { connection: Box<duet_client::Connection>, store: Engine, is_loop: bool },
    Http(Box<HttpReader>),
    Process(Box<ProcessReader>),
}

/// A connection to a service, and the constant parts of its requests.
pub(super) struct HttpReader {
    connection: HttpConnection,
    /// The base path of the tables, without a trailing slash.
    mount: String,
    /// Header fields of every request, with the empty line.
    fields: String,
    request: Vec<u8>,
    needle: Vec<u8>,
}

/// A prepared read of one table.
pub(super) enum Ready {
    /// Prepared by the database.
    Prepared(Statement),
    /// A function that reads a range of keys and counts those with the right value.
    Loop(Statement),
    /// The path of its items, with a trailing slash.
    Below {
        path: String,
        /// Whether to fail if an item does not come from memory.
        from_memory: bool,
    },
    /// Its addresses in this process.
    Process(Addresses),
}

impl Reader {
    /// Connects. Responses that take longer than `timeout` fail.
    pub(super) async fn open(endpoint: &Endpoint, timeout: Duration) -> Result<Self, Failed> {
        if let Endpoint::Http { mount, authorization } = endpoint {
            let url: Url = mount
                .parse()
                .map_err(|message: String| Failed::new(Outcome::Connection, message))?;
            let asking = HttpReader::open(&url, authorization.as_deref(), timeout).await?;
            return Ok(Self::Http(Box::new(asking)));
        }
        if let Endpoint::Process(database) = endpoint {
            return Ok(Self::of(served::open(database).await.map_err(|error| failed(&error))?));
        }
        let Some(target) = endpoint.target()? else {
            return Err(Failed::new(Outcome::Other, "there is no database to connect to"));
        };
        let mut connection =
            duet_client::Connection::open(&target, duet_bench::targets::sql::SESSION).await?;
        let millis = timeout.as_millis();
        let is_loop = matches!(endpoint, Endpoint::Loop(_));
        let mut script = match target {
            ConnectOptions::Postgres(_) => format!("SET statement_timeout = {millis}"),
            ConnectOptions::Sqlite { .. } => format!("PRAGMA busy_timeout = {millis}"),
        };
        if is_loop {
            TABLES.iter().for_each(|table| script.push_str(&looping(table)));
        }
        connection.script(&script).await?;
        Ok(Self::Sql { connection: Box::new(connection), store: Engine::of(&target), is_loop })
    }

    /// A reader for Duet in this process.
    pub(super) fn of(service: Arc<Service>) -> Self {
        Self::Process(Box::new(ProcessReader::new(service)))
    }

    /// Whether the database loops over the keys by itself.
    pub(super) fn is_loop(&self) -> bool {
        matches!(self, Self::Sql { is_loop: true, .. })
    }

    /// The database's connection, if it is one.
    pub(super) fn connection(&mut self) -> Option<&mut duet_client::Connection> {
        match self {
            Self::Sql { connection, .. } => Some(connection),
            Self::Http(_) | Self::Process(_) => None,
        }
    }

    /// Bytes of the database's connection; requests count theirs themselves.
    pub(super) fn moved(&self) -> Moved {
        match self {
            Self::Sql { connection, .. } => connection.moved(),
            Self::Http(_) | Self::Process(_) => Moved::default(),
        }
    }

    /// Prepares reads of a table. With `from_memory`, items of a service that do not come from
    /// memory fail.
    pub(super) async fn prepare(
        &mut self,
        table: &str,
        from_memory: bool,
    ) -> Result<Ready, Failed> {
        Ok(match self {
            Self::Sql { connection, is_loop: true, .. } => {
                let call = format!("SELECT pg_temp.read_{table}($1, $2)");
                Ready::Loop(connection.prepare(&call).await?)
            }
            Self::Sql { connection, store, .. } => {
                let table = store.name("lookup", table);
                let sql = include_str!("read.sql").replace("{table}", &table);
                Ready::Prepared(connection.prepare(&sql).await?)
            }
            Self::Http(asking) => {
                Ready::Below { path: format!("{}/{table}/", asking.mount), from_memory }
            }
            Self::Process(_) => Ready::Process(Addresses::of(table, from_memory)),
        })
    }

    /// Reads the values of these keys and checks each.
    ///
    /// # Errors
    /// The first failure, with its key; for a loop inside the database with the first key.
    pub(super) async fn read_all(
        &mut self,
        ready: &Ready,
        keys: RangeInclusive<u64>,
        work: &mut TransactionCost,
        checks: Checker<'_>,
    ) -> Result<(), (u64, Failed)> {
        if let (Self::Sql { connection, .. }, Ready::Loop(statement)) = (&mut *self, ready) {
            let first = *keys.start();
            let read = read_in_database(connection, statement, keys, work, checks).await;
            return read.map_err(|failed| (first, failed));
        }
        for key in keys {
            self.read(ready, key, work, checks).await.map_err(|failed| (key, failed))?;
        }
        Ok(())
    }

    /// Reads a key's value, as text, and checks it.
    async fn read(
        &mut self,
        ready: &Ready,
        key: u64,
        work: &mut TransactionCost,
        checks: Checker<'_>,
    ) -> Done {
        match (self, ready) {
            (Self::Sql { connection, store, .. }, Ready::Prepared(statement)) => {
                let number = i64::try_from(key).unwrap_or(i64::MAX);
                let rows = connection.query(statement, &[Value::Int(number)]).await?;
                work.dml.selects += 1;
                work.round_trips += u64::from(*store == Engine::Postgres);
                work.implicit += 1;
                let found = rows.first(0);
                checks.hold(FOUND, found.is_some())?;
                let is_right = matches!(found, Some(Value::Text(text)) if *text == value_of(key));
                checks.hold(VALUE, is_right)?;
                Ok(Success::Ok)
            }
            (Self::Http(asking), Ready::Below { path, from_memory }) => {
                asking.read(path, *from_memory, key, work, checks).await
            }
            (Self::Process(reader), Ready::Process(addresses)) => {
                reader.read(addresses, key, work, checks).await
            }
            _ => Err(Failed::new(Outcome::Other, "another connection prepared this read")),
        }
    }

    /// Closes the connection, and waits for its end.
    pub(super) async fn close(self) {
        match self {
            Self::Sql { connection, .. } => connection.close().await,
            Self::Http(_) => {}
            Self::Process(reader) => reader.close(),
        }
    }
}

/// A function that reads a table's keys, by a statement that PL/pgSQL prepares once per session. It
/// is dropped with the session.
fn looping(table: &str) -> String {
    format!("; {}", include_str!("loop.sql").replace("{table}", table))
}

async fn read_in_database(
    connection: &mut duet_client::Connection,
    statement: &Statement,
    keys: RangeInclusive<u64>,
    work: &mut TransactionCost,
    checks: Checker<'_>,
) -> Result<(), Failed> {
    let ends = [*keys.start(), *keys.end()];
    let many = ends[1].saturating_sub(ends[0]) + 1;
    let ends = ends.map(|key| Value::Int(i64::try_from(key).unwrap_or(i64::MAX)));
    let rows = connection.query(statement, &ends).await?;
    work.dml.selects += many;
    work.round_trips += 1;
    work.implicit += 1;
    checks.hold(VALUE, rows.first_int(0).and_then(|right| u64::try_from(right).ok()) == Some(many))
}

impl HttpReader {
    async fn open(
        url: &Url,
        authorization: Option<&str>,
        timeout: Duration,
    ) -> Result<Self, Failed> {
        let authorization =
            authorization.map_or(String::new(), |value| format!("Authorization: {value}\r\n"));
        Ok(Self {
            connection: HttpConnection::open(url, timeout).await?,
            mount: url.path.trim_end_matches('/').to_owned(),
            fields: format!("Host: {}\r\n{authorization}\r\n", url.host),
            request: Vec::new(),
            needle: Vec::new(),
        })
    }

    async fn read(
        &mut self,
        path: &str, from_memory: bool,
        key: u64,
        work: &mut TransactionCost,
        checks: Checker<'_>,
    ) -> Done {
        self.request.clear();
        self.needle.clear();
        // Writing to memory cannot fail.
        let _ = write!(self.request, "GET {path}{key} HTTP/1.1\r\n{}", self.fields);
        let _ = write!(self.needle, "\"value\":\"{}\"", value_of(key));
        let answer = self.connection.exchange(&self.request, work).await?;
        work.looked_up(answer.field("x-cache").map(|source| source == "hit"));
        if from_memory && answer.status == 200 {
            checks.hold(MEMORY, answer.field("x-cache").as_deref() == Some("hit"))?;
        }
        check(&answer, &self.needle, checks)
    }
}

fn check(answer: &Response<'_>, needle: &[u8], checks: Checker<'_>) -> Done {
    match answer.status {
        // That says nothing about the key.
        status @ (408 | 504) => Err(Failed::new(Outcome::Timeout, format!("it is {status}"))),
        status => {
            let found = checks.hold(FOUND, status == 200);
            found.map_err(|failed| match status {
                404 => failed,
                _ => Failed::check(format!("{}: it is {status}", failed.message)),
            })?;
            checks.hold(VALUE, answer.contains(needle))?;
            Ok(Success::Ok)
        }
    }
}
