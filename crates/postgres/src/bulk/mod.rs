//! A load into PostgreSQL, on a connection of its own.

pub(crate) mod copy;
mod lists;
mod repeats;
mod search;
mod suspects;

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use duet_auth::Identity;
use duet_client::sqlstate::{self, Recovery};
use duet_document::bulk::{Batch, Group, RefusedRow, RowPosition};
use duet_model::{Code, Error, Result};
use duet_pgconnect::Canceller;
use duet_sql::{
    clear_statement, copy_statement, insert_new_arrays_statement, insert_row_statement,
    span_statement, takes_lists, upsert_arrays_statement, upsert_lists,
};
use duet_store::bulk::{BulkLoad, Clear, Plan, commit_refused, note, note_clear, refused, rows_of};
use duet_store::commits::Changes;
use duet_store::memory::arriving::Arriving;
use duet_store::queues::classes::LoadTurn;
use duet_store::refusal::denied_to;
use duet_store::refusal::refusal;
use duet_text::error::Violation;
use duet_text::numeric_digits::is_beyond_digits;
use foldhash::fast::RandomState;
use futures_util::SinkExt as _;
use futures_util::future::join;
use tokio_postgres::error::DbError;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Statement};

use self::search::Search;

use crate::connection::in_time::{each_in_time, within};
use crate::connection::live::NewConnection;
use crate::connection::role::Beginning;
use crate::connection::sent_commit::{Ended, SentCommit};
use crate::connection::stop::Stop;
use crate::database::Database;
use crate::transactions::session::CHECK_DEFERRED;

/// The least rows that are looked up: fewer are found as fast by cutting.
const LOOKED_UP: usize = 8;

/// Layouts of rows whose statements are kept.
const STATEMENTS: usize = 200;

/// Whether row security applies to the current role on a table, or the table has rules for inserts.
const TAKES_NO_COPY: &str = "
SELECT pg_catalog.row_security_active(c.oid)
       OR EXISTS (SELECT FROM pg_catalog.pg_rewrite r WHERE r.ev_class = c.oid AND r.ev_type = '3')
  FROM pg_catalog.pg_class c
 WHERE c.oid = pg_catalog.format('%I.%I', $1::text, $2::text)::pg_catalog.regclass";

/// Nothing to be sent with the next statement; an empty statement is one.
const NOTHING: &str = "";
/// What was written since the savepoint stays.
const KEEP: &str = "RELEASE SAVEPOINT duet; SAVEPOINT duet";
/// It is undone, and the failed statement can be repeated.
const UNDO: &str = "ROLLBACK TO SAVEPOINT duet";

/// A load under way.
#[derive(Debug)]
pub(crate) struct PostgresLoad {
    client: Client,
    canceller: Canceller,
    /// When the last statement was complete.
    arriving: Arc<Arriving>,
    database: Arc<Database>,
    /// Held until the database has ended what it does for the load.
    turn: Option<LoadTurn>,
    /// Whether statements are under way.
    is_busy: bool,
    beginning: Beginning,
    /// Whether it runs under a role of its client.
    has_role: bool,
    plan: Plan,
    /// By method and the columns of the rows.
    statements: HashMap<(Method, Vec<usize>), Statement, RandomState>,
    /// Whether rows go by `COPY`; by `INSERT` where they replace others, or where the table has row
    /// security, which `COPY` does not support, or rules, which it passes by.
    by_copy: bool,
    /// Whether refused rows can be looked up; not known until there is one.
    looks_up: Option<bool>,
    /// How many more batches are looked up before they are written, because one had such rows
    /// lately.
    expects: u8,
    /// Whether keys that are whole numbers are looked up by the span that those of a batch lie in.
    by_span: bool,
    /// Whether a transaction is open.
    is_open: bool,
    /// Whether there was one: the table is cleared in the first.
    has_begun: bool,
    /// What leaves together with the next statement: it saves a round trip per attempt.
    pending: &'static str,
    /// Rows written since the last commit.
    rows: u64,
    /// What has changed since then.
    changes: Changes,
    /// When the connection will have ended.
    ended: Ended,
    /// The last row of the batches written.
    last: RowPosition,
    /// The last row of those committed.
    committed: RowPosition,
}

/// How rows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Method {
    /// By `COPY`.
    Copy,
    /// As arrays.
    Arrays,
    /// As a list of so many.
    List(usize),
    /// As arrays, without those that are in conflict with another row.
    NewArrays,
    /// Not at all: they are looked up.
    LookUp,
    /// Not at all: they are looked up by all keys but those that are whole numbers.
    LookUpOthers,
    /// Not at all: the numbers of a column that lie in a span are read.
    Span,
}

/// Why rows were refused.
struct Failure {
    code: Code,
    violation: Violation,
    /// Which of them the database points at.
    pointed: Option<usize>,
}

impl PostgresLoad {
    pub(super) async fn begin(
        database: &Arc<Database>,
        identity: Option<&Arc<Identity>>,
        plan: Plan,
    ) -> Result<Self> {
        let arriving = database.arriving();
        let NewConnection { client, canceller, ended } = database.connect_for(&arriving).await?;
        let begin = match plan.whole {
            true => "BEGIN READ WRITE",
            false => "BEGIN READ WRITE; SET CONSTRAINTS ALL IMMEDIATE",
        };
        let beginning = Beginning::prepare(&client, begin, identity).await;
        Ok(Self {
            client,
            canceller,
            arriving,
            turn: None,
            is_busy: false,
            beginning: beginning.map_err(Stop::error)?,
            has_role: identity.is_some(),
            database: Arc::clone(database),
            by_copy: plan.key.is_empty(),
            // The statement that looks rows up joins them with whatever they refer to.
            looks_up: takes_lists(&plan.table).then_some(false),
            expects: 0,
            by_span: true,
            plan,
            statements: HashMap::default(),
            is_open: false,
            has_begun: false,
            pending: NOTHING,
            rows: 0,
            changes: Changes::default(),
            ended,
            last: RowPosition::default(),
            committed: RowPosition::default(),
        })
    }

    async fn write_batch(&mut self, batch: Batch, allowed: u64) -> Result<Vec<RefusedRow>> {
        self.open().await?;
        let mut found = Vec::new();
        for group in &batch.rows {
            self.group(group, allowed, &mut found).await?;
            if found.len() as u64 > allowed {
                break;
            }
        }
        found.sort_by_key(|refused: &RefusedRow| refused.place);
        self.rows += rows_of(&batch).saturating_sub(found.len() as u64);
        note(&self.plan, &batch, &found, &mut self.changes);
        self.last = batch.last;
        Ok(found)
    }

    /// Opens a transaction if none is; the first one clears the table.
    async fn open(&mut self) -> Result<()> {
        if self.is_open {
            return Ok(());
        }
        self.is_open = true;
        let begun = self.beginning.begin(&self.client).await;
        begun.map_err(|stop| denied_to(self.has_role, stop.error()))?;
        self.changes = self.database.commits().begin();
        if !self.has_begun && self.plan.clear != Clear::No {
            let at_once = self.plan.clear == Clear::Truncate;
            let clear = clear_statement(self.database.dialect(), &self.plan.table, at_once);
            self.client.batch_execute(&clear).await.map_err(|error| self.cannot_clear(&error))?;
            note_clear(&self.plan, &mut self.changes);
        }
        if !self.has_begun && self.by_copy {
            self.by_copy = !self.takes_no_copy().await?;
        }
        self.has_begun = true;
        self.execute("SAVEPOINT duet").await
    }

    /// Whether the table takes no `COPY`. It is queried beforehand, because the driver
    /// loses its connection where the server refuses to begin one.
    async fn takes_no_copy(&self) -> Result<bool> {
        let (schema, name) = (&self.plan.table.schema, &self.plan.table.name);
        let row = self.client.query_one(TAKES_NO_COPY, &[schema, name]).await;
        row.and_then(|row| row.try_get(0)).map_err(|error| self.failed(&error))
    }

    /// Writes the rows of a group, and finds those that are refused.
    async fn group(
        &mut self,
        group: &Group,
        allowed: u64,
        found: &mut Vec<RefusedRow>,
    ) -> Result<()> {
        let allowed = allowed.saturating_sub(found.len() as u64);
        let mut own = Vec::new();
        let mut left: Vec<usize> = (0..group.places.len()).collect();
        if self.expects == 0 {
            left = self.cut(group, &left, allowed, true, &mut own).await?;
        }
        if !left.is_empty() {
            self.apart(group, &left, allowed, &mut own).await?;
        }
        // Only these are certain to be the first ones.
        own.sort_by_key(|refused| refused.place);
        own.truncate(usize::try_from(allowed).map_or(usize::MAX, |most| most.saturating_add(1)));
        found.append(&mut own);
        Ok(())
    }

    /// Writes rows, and finds those that are refused by cutting around them; stops where they are too
    /// many. With `ask` it also stops if a look-up can find them, and returns the remaining rows.
    async fn cut(
        &mut self,
        group: &Group,
        rows: &[usize],
        allowed: u64,
        ask: bool,
        found: &mut Vec<RefusedRow>,
    ) -> Result<Vec<usize>> {
        let mut search = Search::new(rows.len());
        while let Some(range) = search.next() {
            let Some(failure) = self.attempt(group, &rows[range.clone()]).await? else {
                search.taken();
                continue;
            };
            if ask && range.len() >= LOOKED_UP && self.can_look_up(&failure, group).await? {
                return Ok(rows[range.start..].to_vec());
            }
            let pointed = failure.pointed.map(|row| range.start + row);
            if let Some(at) = search.refused(range, pointed) {
                found.push(self.refused(group, rows[at], &failure));
                if found.len() as u64 > allowed {
                    break;
                }
            }
        }
        Ok(Vec::new())
    }

    fn refused(&self, group: &Group, row: usize, failure: &Failure) -> RefusedRow {
        let place = group.places.get(row).copied().unwrap_or_default();
        let Plan { target, table, raised_messages, .. } = &self.plan;
        let Failure { code, violation, .. } = failure;
        // Where it is no `COPY`, the server does not say which column is too short.
        let is_unnamed = *code == Code::ValueOutOfRange && violation.columns.is_empty();
        let columns = if is_unnamed { self.too_short(group, row) } else { None };
        let named = columns.map(|column| Violation { columns: vec![column], ..violation.clone() });
        let violation = named.as_ref().unwrap_or(violation);
        refused(target, table, place, *code, violation, *raised_messages)
    }

    /// The column that has no room for a row's value: for its characters but for blanks at the end, or its digits.
    fn too_short(&self, group: &Group, row: usize) -> Option<String> {
        let dialect = self.database.dialect();
        let columns = group.columns.iter().map(|&column| &self.plan.table.columns[column]);
        let found = columns.enumerate().find(|(at, column)| {
            let value = copy::text(group.rows.get(row, *at));
            let most = dialect.most_characters(&column.declared);
            value.is_some_and(|value| {
                most.is_some_and(|most| value.trim_end_matches(' ').chars().count() > most)
                    || is_beyond_digits(&column.declared, &value)
            })
        });
        found.map(|(_, column)| column.name.clone())
    }

    /// Writes rows, all or none of them.
    async fn attempt(&mut self, group: &Group, rows: &[usize]) -> Result<Option<Failure>> {
        loop {
            let error = match self.write(group, rows).await {
                Ok(written) if self.plan.leaves_out(&group.columns, rows.len(), written) => {
                    self.pending = UNDO;
                    let (code, violation) = (Code::RowRefused, Violation::default());
                    return Ok(Some(Failure { code, violation, pointed: None }));
                }
                Ok(_) => {
                    self.pending = KEEP;
                    return Ok(None);
                }
                Err(error) => error,
            };
            self.pending = UNDO;
            if !(self.by_copy && sqlstate::hides_rule(&error)) {
                return self.failure(&error).map(Some);
            }
            // As lists from now on, of which Citus says by which rule they are refused.
            self.by_copy = false;
        }
    }

    /// What a row's fault means.
    fn failure(&self, error: &tokio_postgres::Error) -> Result<Failure> {
        let Some(db_error) = error.as_db_error() else { return Err(self.failed(error)) };
        let Some((code, violation)) = meaning(error) else { return Err(self.failed(error)) };
        let violation = with_column(violation, db_error, self);
        Ok(Failure { code, violation, pointed: pointed_at(db_error) })
    }

    async fn execute(&self, sql: &str) -> Result<()> {
        self.client.batch_execute(sql).await.map_err(|error| self.failed(&error))
    }

    /// Writes rows; how many the database has written.
    async fn write(&mut self, group: &Group, rows: &[usize]) -> Result<u64, tokio_postgres::Error> {
        if !self.by_copy && takes_lists(&self.plan.table) && !group.columns.is_empty() {
            return self.write_lists(group, rows).await;
        }
        let method = if self.by_copy { Method::Copy } else { Method::Arrays };
        let statement = self.statement(method, &group.columns).await?;
        if group.columns.is_empty() {
            self.settle().await?;
            let mut written = 0;
            for _ in rows {
                written += self.client.execute(&statement, &[]).await?;
            }
            return Ok(written);
        }
        if !self.by_copy {
            return self.write_arrays(&statement, group, rows).await;
        }
        let sink = self.client.copy_in(&statement);
        let mut sink = std::pin::pin!(settling(&self.client, &mut self.pending, sink).await?);
        for piece in copy::Pieces::new(group, rows) {
            if sink.send(piece).await.is_err() {
                // Why it takes no more is said at the end.
                break;
            }
        }
        sink.finish().await
    }

    /// Runs a statement whose parameters are the columns of rows; how many were written.
    async fn write_arrays(
        &mut self,
        statement: &Statement,
        group: &Group,
        rows: &[usize],
    ) -> Result<u64, tokio_postgres::Error> {
        let columns = arrays(group, 0..group.columns.len(), rows);
        let parameters = parameters(&columns);
        let written = self.client.execute(statement, &parameters);
        settling(&self.client, &mut self.pending, written).await
    }

    /// Sends the pending statements.
    async fn settle(&mut self) -> Result<(), tokio_postgres::Error> {
        self.client.batch_execute(std::mem::replace(&mut self.pending, NOTHING)).await
    }

    async fn statement(
        &mut self,
        method: Method,
        columns: &[usize],
    ) -> Result<Statement, tokio_postgres::Error> {
        let known = (method, columns.to_vec());
        if let Some(known) = self.statements.get(&known) {
            return Ok(known.clone());
        }
        let (dialect, table) = (self.database.dialect(), &self.plan.table);
        let sql = match (columns.is_empty(), method) {
            (true, _) => insert_row_statement(dialect, table, columns, &[]),
            (_, Method::Copy) => copy_statement(dialect, table, columns),
            (_, Method::Arrays) => upsert_arrays_statement(dialect, table, columns, &self.plan.key),
            (_, Method::List(rows)) => {
                upsert_lists(dialect, table, columns, &self.plan.key).sql(rows)
            }
            (_, Method::NewArrays) => insert_new_arrays_statement(dialect, table, columns),
            (_, Method::LookUp) => suspects::statement(dialect, table, columns, false),
            (_, Method::LookUpOthers) => suspects::statement(dialect, table, columns, true),
            (_, Method::Span) => span_statement(dialect, table, columns[0]),
        };
        // Nothing can be prepared in a transaction that has failed.
        self.settle().await?;
        let statement = self.client.prepare(&sql).await?;
        if self.statements.len() >= STATEMENTS {
            self.statements.clear();
        }
        self.statements.insert(known, statement.clone());
        Ok(statement)
    }

    /// What is no row's fault.
    fn failed(&self, error: &tokio_postgres::Error) -> Error {
        let state = error.as_db_error().map(|db_error| db_error.code().code());
        let failed = match state {
            Some("42501") => Error::new(
                Code::DatabaseDenied,
                "The database does not let the server write to this table. Its operator has to \
                 grant the server's database user INSERT on it (and UPDATE, DELETE or TRUNCATE \
                 where asked).",
            )
            .cause(sqlstate::chain(error)),
            _ => sqlstate::error_of(error),
        };
        denied_to(self.has_role, failed)
    }

    /// Why the existing rows cannot be removed.
    fn cannot_clear(&self, error: &tokio_postgres::Error) -> Error {
        match error.as_db_error().map(|db_error| db_error.code().code()) {
            // Rows refer to them; TRUNCATE of a table that others refer to.
            Some("23503" | "23001" | "0A000") => Error::new(
                Code::ForeignKeyViolation,
                "The rows that are there cannot be removed first: other rows refer to them, or could.",
            )
            .cause(sqlstate::chain(error)),
            _ => self.failed(error),
        }
    }
}

#[async_trait(?Send)]
impl BulkLoad for PostgresLoad {
    fn hold(&mut self, turn: &LoadTurn) {
        self.turn = Some(turn.clone());
    }

    /// Writes a batch, each statement as long as it may take. Where one takes longer, it still runs, and the load is of
    /// no more use.
    async fn batch(&mut self, batch: Batch, allowed: u64) -> Result<Vec<RefusedRow>> {
        let (database, arriving) = (Arc::clone(&self.database), Arc::clone(&self.arriving));
        let time = database.limits().statement_timeout;
        self.is_busy = true;
        let written = Box::pin(self.write_batch(batch, allowed));
        let written = Box::pin(each_in_time(&arriving, time, written));
        let written = database.watched(written).await??;
        self.is_busy = false;
        written
    }

    async fn commit(&mut self) -> Result<()> {
        if self.is_open {
            self.is_open = false;
            self.is_busy = true;
            let commit = format!("{}; COMMIT", std::mem::replace(&mut self.pending, NOTHING));
            let unknown = |cause: Box<str>| refusal(Code::OutcomeUnknown).cause(cause);
            let changes = std::mem::take(&mut self.changes);
            let sent = SentCommit::new(self.database.commits(), changes, &self.ended);
            let time = self.database.limits().statement_timeout;
            let commit = self.client.batch_execute(&commit);
            let committed = within(time, self.database.noting_load(&self.client, commit));
            let committed = self.database.watched(committed).await.and_then(|ended| ended);
            let committed = committed.map_err(|error| unknown(error.cause.unwrap_or_default()))?;
            self.is_busy = false;
            match committed {
                Ok(()) => sent.committed().await,
                // It is unknown whether it was done.
                Err(error) if error.as_db_error().is_none() => {
                    return Err(unknown(sqlstate::chain(&error).into()));
                }
                Err(error) => {
                    // A server that goes down may have committed before.
                    if sqlstate::remedy_for(&error) != Recovery::Reconnect {
                        sent.refused();
                    }
                    return Err(match meaning(&error) {
                        Some(_) => commit_refused(sqlstate::chain(&error)),
                        None => self.failed(&error),
                    });
                }
            }
            self.database.statistics().wrote(1, std::mem::take(&mut self.rows));
        }
        self.committed = self.last;
        Ok(())
    }

    async fn check(&mut self) -> Result<()> {
        if !self.is_open {
            return Ok(());
        }
        self.is_busy = true;
        let pending = std::mem::replace(&mut self.pending, NOTHING);
        let check = format!("{pending}; {CHECK_DEFERRED}");
        let time = self.database.limits().statement_timeout;
        let checked = within(time, self.client.batch_execute(&check));
        let checked = self.database.watched(checked).await.and_then(|ended| ended)?;
        self.is_busy = false;
        checked.map_err(|error| match meaning(&error) {
            Some(_) => commit_refused(sqlstate::chain(&error)),
            None => self.failed(&error),
        })
    }

    async fn end(self: Box<Self>) -> RowPosition {
        if self.is_open && !self.is_busy {
            // Where it fails, the end of the connection does the same.
            drop(self.database.watched(self.client.batch_execute("ROLLBACK")).await);
        }
        self.committed
    }
}

impl Drop for PostgresLoad {
    /// What the server still does is cancelled, and counts until it has ended.
    fn drop(&mut self) {
        if !self.is_busy {
            return;
        }
        if let Some(turn) = self.turn.take() {
            self.database.keep_until_ended(self.ended.clone(), turn);
        }
        // At the end of a worker there is nothing left to run it: the server notices by the closed connection.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let canceller = self.canceller.clone();
            // Best effort: where it fails, the statement ends by its timeout.
            runtime.spawn(async move { drop(canceller.cancel().await) });
        }
    }
}

/// Sends a statement after the pending ones, in one flush.
async fn settling<T>(
    client: &Client,
    pending: &mut &'static str,
    statement: impl Future<Output = Result<T, tokio_postgres::Error>>,
) -> Result<T, tokio_postgres::Error> {
    let settled = client.batch_execute(std::mem::replace(pending, NOTHING));
    let (settled, done) = join(settled, statement).await;
    settled.and(done)
}

/// Columns of a group as arrays of texts.
fn arrays<'g>(
    group: &'g Group,
    columns: impl IntoIterator<Item = usize>,
    rows: &[usize],
) -> Vec<Vec<Option<Cow<'g, str>>>> {
    columns.into_iter().map(|column| copy::texts(&group.rows, column, rows)).collect()
}

fn parameters<'a>(columns: &'a [Vec<Option<Cow<'_, str>>>]) -> Vec<&'a (dyn ToSql + Sync)> {
    columns.iter().map(|texts| texts as &(dyn ToSql + Sync)).collect()
}

/// The code of a row's error; `None` if no row caused it.
fn meaning(error: &tokio_postgres::Error) -> Option<(Code, Violation)> {
    let state = error.as_db_error()?.code().code();
    let meant = sqlstate::error_of(error);
    let code = match meant.code {
        code if code.is_row_error() => code,
        // A row twice in one statement: alone each is taken.
        _ if state == "21000" => Code::UniqueViolation,
        // Whatever else a value can cause, such as a division by zero in a computed column.
        _ if state.starts_with("22") => Code::MemberValue,
        _ if state.starts_with("P0") => Code::TriggerRefused,
        _ => return None,
    };
    Some((code, meant.violation.map(|violation| *violation).unwrap_or_default()))
}

/// The row of a `COPY` at which the server points, from 0. Its words are translated, so this is the
/// first number behind the table's name; its caller tries the row alone.
fn pointed_at(db_error: &DbError) -> Option<usize> {
    let place = db_error.where_()?.lines().find(|line| line.starts_with("COPY "))?;
    let (_, rest) = place.split_once(", ")?;
    let start = rest.find(|char: char| char.is_ascii_digit())?;
    let digits: String = rest[start..].chars().take_while(char::is_ascii_digit).collect();
    digits.parse::<usize>().ok()?.checked_sub(1)
}

/// Adds the column that a `COPY` names in its place, where the error itself names none.
fn with_column(mut violation: Violation, db_error: &DbError, load: &PostgresLoad) -> Violation {
    if !violation.columns.is_empty() || violation.constraint.is_some() {
        return violation;
    }
    let named = || {
        let place = db_error.where_()?.lines().find(|line| line.starts_with("COPY "))?;
        // `COPY table, line 1, column name: "value"`
        let (place, _) = place.split_once(": ").unwrap_or((place, ""));
        let (_, last) = place.rsplit_once(", ")?;
        let name = last.split_once(' ')?.1;
        let columns = &load.plan.table.columns;
        columns.iter().find(|column| column.name == name).map(|column| column.name.clone())
    };
    violation.columns.extend(named());
    violation
}
