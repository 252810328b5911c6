//! One user: a connection to the service, and one to the database where SQL is measured.

use std::io::Write as _;
use std::sync::Arc;

use duet_bench::targets::http::{HttpConnection, Response, Url};
use duet_bench::targets::sql::SESSION;
use duet_bench::workload::{
    CheckCounts, Checker, Done, Failed, Local, Session, Success, TransactionContext,
};
use duet_client::Moved;
use duet_client::Statement;
use duet_verdict::outcome::Outcome;

use super::commit::{header, statement};
use super::facts::{BATCH, CREATE, Facts, GET, LIST, LISTED, SQL};
use super::statement::{New, insert_sql};
use crate::generate::Engine;

/// The checks of every response, by their names in results.
pub(super) const CHECKS: [&str; 8] = [
    "is status 200",
    "is requested transaction",
    "has 100 full rows",
    "is created",
    "has the new id",
    "has created every row",
    "has the commit class",
    "is acknowledged from the journal (202)",
];
const STATUS: usize = 0;
const REQUESTED: usize = 1;
const FULL: usize = 2;
const CREATED: usize = 3;
const NAMED: usize = 4;
const EACH: usize = 5;
const CLASS: usize = 6;
const ACCEPTED: usize = 7;

/// The newest hundred: `q={"$orderby":{"created_at":"desc"}}`.
const NEWEST: &str = "?limit=100&q=%7B%22%24orderby%22%3A%7B%22created_at%22%3A%22desc%22%7D%7D";

/// What each row of a list has once.
const OF_A_ROW: &[u8] = b"\"transaction_type\":";

/// What the result of each row of a batch begins with, if it was created.
const OF_A_CREATED_ROW: &[u8] = b"{\"status\":201";

/// One user.
pub(super) struct UserSession {
    facts: Arc<Facts>,
    connection: HttpConnection,
    sql: Option<Sql>,
    /// The resource's path, without a slash at its end.
    path: String,
    /// Header fields that every request has.
    fields: String,
    request: Vec<u8>,
    checks: Arc<CheckCounts>,
    /// The beginning of this user's new ids.
    prefix: String,
    created: u64,
}

/// The insert on a connection of its own.
struct Sql {
    connection: duet_client::Connection,
    insert: Statement,
    is_postgres: bool,
}

impl Sql {
    async fn open(facts: &Facts) -> Result<Option<Self>, Failed> {
        let Some(database) = facts.database.as_ref().filter(|_| facts.needs_database()) else {
            return Ok(None);
        };
        let target = database.target()?;
        let mut connection = duet_client::Connection::open(&target, SESSION).await?;
        connection.limit(facts.timeout).await?;
        if let Some(set) = statement(&facts.commit) {
            connection.script(set).await?;
        }
        let store = Engine::of(&target);
        let insert = connection.prepare(&insert_sql(store)).await?;
        Ok(Some(Self { connection, insert, is_postgres: store == Engine::Postgres }))
    }

    /// Inserts a row, in a transaction of its own; `explicit` says begin and commit.
    async fn insert(
        &mut self,
        new: &New,
        explicit: bool,
        context: &mut TransactionContext,
    ) -> Done {
        if explicit {
            self.connection.begin().await?;
        }
        let changed = self.connection.execute(&self.insert, &new.values()).await?;
        if explicit {
            self.connection.commit().await?;
        }
        context.work.dml.inserts += 1;
        context.work.round_trips += u64::from(self.is_postgres) * if explicit { 3 } else { 1 };
        context.work.implicit += u64::from(!explicit);
        context.work.changed += changed;
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
        Ok(Self {
            connection: HttpConnection::open(url, facts.timeout).await?,
            sql: Sql::open(&facts).await?,
            path: url.path.trim_end_matches('/').to_owned(),
            fields: format!("Host: {}\r\n{authorization}", url.host),
            request: Vec::new(),
            checks,
            prefix: format!("{}-{user}", facts.run),
            created: 0,
            facts,
        })
    }

    fn new_transaction(&mut self, context: &mut TransactionContext) -> New {
        self.created += 1;
        New::draw(self.last_id(), context)
    }

    async fn get(&mut self, context: &mut TransactionContext, checks: Checker<'_>) -> Done {
        let at = context.random.usize(..self.facts.items.len().max(1));
        let facts = self.facts.clone();
        let Some(path) = facts.items.get(at) else { return Ok(Success::Empty) };
        self.compose("GET", path);
        let answer = self.connection.exchange(&self.request, &mut context.work).await?;
        status_is_200(&answer, checks)?;
        checks.hold(REQUESTED, answer.contains(path.as_bytes()))?;
        Ok(Success::Ok)
    }

    async fn list(&mut self, context: &mut TransactionContext, checks: Checker<'_>) -> Done {
        let path = format!("{}/{NEWEST}", self.path);
        self.compose("GET", &path);
        let answer = self.connection.exchange(&self.request, &mut context.work).await?;
        status_is_200(&answer, checks)?;
        checks.hold(FULL, memchr::memmem::find_iter(answer.body, OF_A_ROW).count() == LISTED)?;
        Ok(Success::Ok)
    }

    async fn create(&mut self, context: &mut TransactionContext, checks: Checker<'_>) -> Done {
        let content = self.new_transaction(context).json().to_string();
        self.compose_with("/", content.as_bytes());
        let id = self.last_id();
        let answer = self.connection.exchange(&self.request, &mut context.work).await?;
        has_class(&self.facts.commit, &answer, checks)?;
        if self.facts.is_journaled() {
            // The acknowledgement has no id.
            return match checks.note(ACCEPTED, answer.status == 202) {
                true => Ok(Success::Ok),
                false => Err(refused(&answer, checks.name(ACCEPTED))),
            };
        }
        if !checks.note(CREATED, answer.status == 201) {
            return Err(refused(&answer, checks.name(CREATED)));
        }
        checks.hold(NAMED, answer.contains(format!("\"{id}\"").as_bytes()))?;
        Ok(Success::Ok)
    }

    /// Creates transactions by one request, which must refuse none of them.
    async fn batch(&mut self, context: &mut TransactionContext, checks: Checker<'_>) -> Done {
        let rows = self.facts.batch_rows;
        let created: Vec<serde_json::Value> =
            (0..rows).map(|_| self.new_transaction(context).json()).collect();
        let content = serde_json::Value::Array(created).to_string();
        self.compose_with("/_/batch", content.as_bytes());
        let id = self.last_id();
        let answer = self.connection.exchange(&self.request, &mut context.work).await?;
        has_class(&self.facts.commit, &answer, checks)?;
        status_is_200(&answer, checks)?;
        let made = memchr::memmem::find_iter(answer.body, OF_A_CREATED_ROW).count();
        checks.hold(EACH, made == rows)?;
        checks.hold(NAMED, answer.contains(format!("/{id}\"").as_bytes()))?;
        Ok(Success::Ok)
    }

    /// The id of the last transaction that was drawn.
    fn last_id(&self) -> String {
        format!("{}-{}", self.prefix, self.created)
    }

    /// Writes a request without content.
    fn compose(&mut self, method: &str, path: &str) {
        self.request.clear();
        for part in [method, " ", path, " HTTP/1.1\r\n", &self.fields, "\r\n"] {
            self.request.extend_from_slice(part.as_bytes());
        }
    }

    /// Writes a `POST` to a path below the resource.
    fn compose_with(&mut self, below: &str, content: &[u8]) {
        self.request.clear();
        // Writing to memory cannot fail.
        let _ = write!(
            self.request,
            "POST {}{below} HTTP/1.1\r\n{}{}Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            self.path,
            self.fields,
            header(&self.facts.commit),
            content.len()
        );
        self.request.extend_from_slice(content);
    }
}

impl Session for UserSession {
    fn moved(&self) -> Moved {
        self.sql.as_ref().map_or_else(Moved::default, |sql| sql.connection.moved())
    }

    fn run<'a>(&'a mut self, kind: usize, context: &'a mut TransactionContext) -> Local<'a, Done> {
        Box::pin(async move {
            let counts = self.checks.clone();
            let checks = counts.of(kind);
            match kind {
                GET => self.get(context, checks).await,
                LIST => self.list(context, checks).await,
                CREATE => self.create(context, checks).await,
                BATCH => self.batch(context, checks).await,
                _ => {
                    let new = self.new_transaction(context);
                    let Some(sql) = &mut self.sql else {
                        return Err(Failed::check("there is no database to insert into"));
                    };
                    let done = sql.insert(&new, kind != SQL, context).await;
                    if done.is_err() {
                        // The error to report is that of the insert.
                        let _ = sql.connection.rollback().await;
                    }
                    done
                }
            }
        })
    }
}

/// Whether the server followed the commit class that was asked for.
fn has_class(class: &str, answer: &Response<'_>, checks: Checker<'_>) -> Result<(), Failed> {
    if class.is_empty() || answer.status >= 400 {
        return Ok(());
    }
    let wanted = format!("commit={class}");
    let applied = answer.field("preference-applied").unwrap_or_default();
    checks.hold(CLASS, applied.split(',').any(|it| it.trim() == wanted))
}

fn status_is_200(answer: &Response<'_>, checks: Checker<'_>) -> Result<(), Failed> {
    match checks.note(STATUS, answer.status == 200) {
        true => Ok(()),
        false => Err(refused(answer, checks.name(STATUS))),
    }
}

/// What a status that is not the right one means.
fn refused(answer: &Response<'_>, check: &str) -> Failed {
    let outcome = match answer.status {
        408 | 504 => Outcome::Timeout,
        409 => Outcome::Constraint,
        _ => Outcome::Check,
    };
    Failed::new(outcome, format!("{check}: it is {}", answer.status))
}
