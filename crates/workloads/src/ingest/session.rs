//! One user: a connection to the service, and one to the database where that is measured too.

use std::sync::Arc;
use std::time::Duration;

use duet_bench::targets::http::{HttpConnection, Response, Url};
use duet_bench::targets::sql::SESSION;
use duet_bench::workload::{
    CheckCounts, Checker, Done, Failed, Local, Session, Success, TransactionContext,
};
use duet_client::Moved;
use duet_client::{ConnectOptions, RowBuffer};
use duet_verdict::outcome::Outcome;

use super::facts::{COPY, Facts, ROW};
use super::rows::{COLUMNS, NewRows};
use crate::generate::Engine;

/// The checks of every response, by their names in results.
pub(super) const CHECKS: [&str; 2] =
    ["is acknowledged from the journal (202)", "acknowledges every row"];
const ACCEPTED: usize = 0;
const EACH: usize = 1;

/// The wait before a request is sent again that gave no time of its own.
const AGAIN: Duration = Duration::from_millis(100);

/// One user.
pub(super) struct UserSession {
    facts: Arc<Facts>,
    connection: HttpConnection,
    straight: Option<Straight>,
    /// The head of every request, up to the value of `Content-Length`.
    head: String,
    content: String,
    request: Vec<u8>,
    checks: Arc<CheckCounts>,
    rows: NewRows,
}

/// A connection to the database.
struct Straight {
    connection: duet_client::Connection,
    target: ConnectOptions,
    table: String,
    is_postgres: bool,
}

impl Straight {
    async fn open(facts: &Facts) -> Result<Option<Self>, Failed> {
        let Some(database) = facts.database.as_ref().filter(|_| facts.needs_database()) else {
            return Ok(None);
        };
        let target = database.target()?;
        let mut connection = duet_client::Connection::open(&target, SESSION).await?;
        connection.limit(facts.timeout).await?;
        let store = Engine::of(&target);
        let table = store.name("txn", "transactions");
        Ok(Some(Self { connection, target, table, is_postgres: store == Engine::Postgres }))
    }

    /// Writes rows in one transaction.
    async fn write(&mut self, rows: &mut RowBuffer, context: &mut TransactionContext) -> Done {
        let count = rows.len();
        self.connection.begin().await?;
        let mut copy = self.connection.copy_in(&self.table, &COLUMNS).await?;
        copy.rows(rows).await?;
        let written = copy.finish().await?;
        self.connection.commit().await?;
        if written != count {
            return Err(Failed::check(format!("the database took {written} of {count} rows")));
        }
        context.work.dml.inserts += 1;
        context.work.round_trips += if self.is_postgres { 4 } else { 0 };
        context.work.changed += written;
        context.work.writes += 1;
        Ok(Success::Ok)
    }
}

impl UserSession {
    pub(super) async fn open(
        facts: Arc<Facts>,
        url: &Url,
        checks: Arc<CheckCounts>,
        user: u32,
    ) -> Result<Self, Failed> {
        let authorization = match &facts.authorization {
            Some(value) => format!("Authorization: {value}\r\n"),
            None => String::new(),
        };
        let head = format!(
            "POST {}/ HTTP/1.1\r\nHost: {}\r\n{authorization}Prefer: respond-async\r\n\
             Content-Type: application/json\r\nContent-Length: ",
            url.path.trim_end_matches('/'),
            url.host
        );
        Ok(Self {
            connection: HttpConnection::open(url, facts.timeout).await?,
            straight: Straight::open(&facts).await?,
            head,
            content: String::new(),
            request: Vec::new(),
            checks,
            rows: NewRows::new(format!("{}-{user}", facts.run)),
            facts,
        })
    }

    /// Adds rows by a request. One that the journal had no room for is sent again, until the timeout.
    async fn add(
        &mut self,
        rows: usize,
        context: &mut TransactionContext,
        checks: Checker<'_>,
    ) -> Done {
        self.content.clear();
        self.rows.json(rows, &mut context.random, &mut self.content);
        self.request.clear();
        for part in [&self.head, &self.content.len().to_string(), "\r\n\r\n", &self.content] {
            self.request.extend_from_slice(part.as_bytes());
        }
        let began = tokio::time::Instant::now();
        let mut done = Success::Ok;
        loop {
            let answer = self.connection.exchange(&self.request, &mut context.work).await?;
            if answer.status == 503 && began.elapsed() < self.facts.timeout {
                let wait = retry_after(&answer);
                done = Success::Retried;
                tokio::time::sleep(wait).await;
                continue;
            }
            if !checks.note(ACCEPTED, answer.status == 202) {
                return Err(refused(&answer, checks.name(ACCEPTED)));
            }
            checks.hold(EACH, acknowledged(answer.body) == Some(rows as u64))?;
            return Ok(done);
        }
    }
}

impl Session for UserSession {
    fn moved(&self) -> Moved {
        self.straight.as_ref().map_or_else(Moved::default, |it| it.connection.moved())
    }

    fn run<'a>(&'a mut self, kind: usize, context: &'a mut TransactionContext) -> Local<'a, Done> {
        Box::pin(async move {
            let counts = self.checks.clone();
            if kind != COPY {
                let rows = if kind == ROW { 1 } else { self.facts.rows };
                return self.add(rows, context, counts.of(kind)).await;
            }
            let Some(straight) = &mut self.straight else {
                return Err(Failed::check("there is no database to write to"));
            };
            let mut buffer = RowBuffer::new(&straight.target);
            self.rows.buffered(self.facts.rows, &mut context.random, &mut buffer);
            let done = straight.write(&mut buffer, context).await;
            if done.is_err() {
                // The error to report is that of the write.
                let _ = straight.connection.rollback().await;
            }
            done
        })
    }
}

/// The rows of an acknowledgement.
fn acknowledged(body: &[u8]) -> Option<u64> {
    let body: serde_json::Value = serde_json::from_slice(body).ok()?;
    body["rows"].as_u64()
}

/// How long a server without room asks to wait.
fn retry_after(answer: &Response<'_>) -> Duration {
    let seconds = answer.field("retry-after").and_then(|text| text.parse().ok());
    seconds.map_or(AGAIN, Duration::from_secs)
}

/// What a status that is not the right one means.
fn refused(answer: &Response<'_>, check: &str) -> Failed {
    let outcome = match answer.status {
        408 | 503 | 504 => Outcome::Timeout,
        409 => Outcome::Constraint,
        _ => Outcome::Check,
    };
    let hint = match answer.status {
        201 => {
            ": the rows were written at once. The server needs --journal, and a database that `duet journal prepare` has prepared, for another user of the server with --server-role: GET /admin/journal says what is missing"
        }
        _ => "",
    };
    Failed::new(outcome, format!("{check}: it is {}{hint}", answer.status))
}
