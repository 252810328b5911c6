//! A connection that reads values by their keys and checks each of them.

use std::io::Write as _;
use std::time::Duration;

use duet_bench::record::Work;
use duet_bench::targets::http::{Connection, Response, Url};
use duet_bench::workload::{Checker, Done, Failed, Success};
use duet_db::raw::{self, Moved, Statement, Target};
use duet_model::Value;
use duet_verdict::outcome::Outcome;

use super::endpoint::Endpoint;
use super::value_of;
use super::workload::{FOUND, VALUE};
use crate::generate::Store;

/// A connection.
pub(super) enum Reader {
    Sql { connection: Box<raw::Connection>, store: Store },
    Http(Box<HttpReader>),
}

/// A connection to a service, and what its requests have in common.
pub(super) struct HttpReader {
    connection: Connection,
    /// The path of the tables, without a slash at its end.
    mount: String,
    /// Header fields that every request has, with the empty line.
    fields: String,
    request: Vec<u8>,
    needle: Vec<u8>,
}

/// A read of one table, made ready.
pub(super) enum Ready {
    /// Prepared by the database.
    Prepared(Statement),
    /// The path of its items, with a slash at its end.
    Below(String),
}

impl Reader {
    /// Connects. An answer that takes longer than `timeout` is a failure.
    pub(super) async fn open(endpoint: &Endpoint, timeout: Duration) -> Result<Self, Failed> {
        if let Endpoint::Http { mount, authorization } = endpoint {
            let url: Url =
                mount.parse().map_err(|said: String| Failed::new(Outcome::Connection, said))?;
            let asking = HttpReader::open(&url, authorization.as_deref(), timeout).await?;
            return Ok(Self::Http(Box::new(asking)));
        }
        let Some(target) = endpoint.target()? else {
            return Err(Failed::new(Outcome::Other, "there is no database to connect to"));
        };
        let mut connection =
            raw::Connection::open(&target, duet_bench::targets::sql::SESSION).await?;
        let millis = timeout.as_millis();
        connection
            .script(&match target {
                Target::Postgres(_) => format!("SET statement_timeout = {millis}"),
                Target::Sqlite { .. } => format!("PRAGMA busy_timeout = {millis}"),
            })
            .await?;
        Ok(Self::Sql { connection: Box::new(connection), store: Store::of(&target) })
    }

    /// The database's connection, where it is one.
    pub(super) fn connection(&mut self) -> Option<&mut raw::Connection> {
        match self {
            Self::Sql { connection, .. } => Some(connection),
            Self::Http(_) => None,
        }
    }

    /// What went over the database's wire; requests count theirs themselves.
    pub(super) fn moved(&self) -> Moved {
        match self {
            Self::Sql { connection, .. } => connection.moved(),
            Self::Http(_) => Moved::default(),
        }
    }

    /// Makes reads of a table ready.
    pub(super) async fn prepare(&mut self, table: &str) -> Result<Ready, Failed> {
        Ok(match self {
            Self::Sql { connection, store } => {
                let table = store.name("lookup", table);
                let sql = format!("SELECT value FROM {table} WHERE key = $1");
                Ready::Prepared(connection.prepare(&sql).await?)
            }
            Self::Http(asking) => Ready::Below(format!("{}/{table}/", asking.mount)),
        })
    }

    /// Reads a key's value, as text, and checks it.
    pub(super) async fn read(
        &mut self,
        ready: &Ready,
        key: u64,
        work: &mut Work,
        checks: Checker<'_>,
    ) -> Done {
        match (self, ready) {
            (Self::Sql { connection, store }, Ready::Prepared(statement)) => {
                let number = i64::try_from(key).unwrap_or(i64::MAX);
                let rows = connection.query(statement, &[Value::Int(number)]).await?;
                work.dml.selects += 1;
                work.round_trips += u64::from(*store == Store::Postgres);
                work.implicit += 1;
                let found = rows.first(0);
                checks.hold(FOUND, found.is_some())?;
                let is_right = matches!(found, Some(Value::Text(text)) if *text == value_of(key));
                checks.hold(VALUE, is_right)?;
                Ok(Success::Ok)
            }
            (Self::Http(asking), Ready::Below(path)) => asking.read(path, key, work, checks).await,
            _ => Err(Failed::new(Outcome::Other, "this read was made ready by another connection")),
        }
    }

    /// Closes, and waits until it is done.
    pub(super) async fn close(self) {
        if let Self::Sql { connection, .. } = self {
            connection.close().await;
        }
    }
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
            connection: Connection::open(url, timeout).await?,
            mount: url.path.trim_end_matches('/').to_owned(),
            fields: format!("Host: {}\r\n{authorization}\r\n", url.host),
            request: Vec::new(),
            needle: Vec::new(),
        })
    }

    async fn read(&mut self, path: &str, key: u64, work: &mut Work, checks: Checker<'_>) -> Done {
        self.request.clear();
        self.needle.clear();
        // Writing to memory cannot fail.
        let _ = write!(self.request, "GET {path}{key} HTTP/1.1\r\n{}", self.fields);
        let _ = write!(self.needle, "\"value\":\"{}\"", value_of(key));
        let answer = self.connection.exchange(&self.request, work).await?;
        check(&answer, &self.needle, checks)
    }
}

fn check(answer: &Response<'_>, needle: &[u8], checks: Checker<'_>) -> Done {
    match answer.status {
        // That says nothing of the key.
        status @ (408 | 504) => Err(Failed::new(Outcome::Timeout, format!("it is {status}"))),
        status => {
            let found = checks.hold(FOUND, status == 200);
            found.map_err(|failed| match status {
                404 => failed,
                _ => Failed::check(format!("{}: it is {status}", failed.said)),
            })?;
            checks.hold(VALUE, answer.contains(needle))?;
            Ok(Success::Ok)
        }
    }
}
