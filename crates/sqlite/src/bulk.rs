//! A load into a SQLite file, on a thread and a connection of its own.
//!
//! SQLite has one writer at a time. A load queues like every other writer, transaction by
//! transaction. It never holds the write lock while it waits for its client: where the next batch is
//! late, or others wait, it commits its rows so far. A load in one transaction gets its
//! batches only when all of them have arrived (`service/src/bulk/spool.rs`).

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use duet_admission::Deadline;
use duet_document::Datum;
use duet_document::bulk::{Batch, Group, RefusedRow, RowPosition};
use duet_model::commit::Cause;
use duet_model::{Code, Error, Result, Type};
use duet_sql::{Sqlite, clear_statement, insert_row_statement};
use duet_store::bulk::{BulkLoad, Clear, Plan, commit_refused, note, note_clear, refused, rows_of};
use duet_store::commits::Changes;
use duet_text::error::Violation;
use duet_text::numeric_digits::is_beyond_digits;
use rusqlite::types::{ToSqlOutput, ValueRef};
use tokio::sync::oneshot;

use crate::connection::Opened;
use crate::connection::failure::{error_of, error_on};
use crate::connection::slice::{STEPS_PER_CHECK, TimeSlice};
use crate::connection::ticket::write_held;
use crate::database::Database;
use crate::file::turns::WriteTurn;
use crate::file::version::has_broken_references;
use crate::read::run::whole;
use crate::write::stored::{is_beyond_floats, is_beyond_texts, number_that_stays};

/// How long a transaction waits in all for batches to come, where no other write waits.
const PAUSE: Duration = Duration::from_millis(20);

/// A load under way.
#[derive(Debug)]
pub(crate) struct SqliteLoad {
    /// Dropped, it ends the thread.
    commands: Sender<Command>,
    /// The last row of those committed.
    committed: Arc<Mutex<RowPosition>>,
    _stop: StopOnDrop,
}

/// Stops the running statement when the caller of the load has disconnected.
#[derive(Debug)]
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

type Reply<T> = oneshot::Sender<Result<T>>;

enum Command {
    Batch(Batch, u64, Reply<Vec<RefusedRow>>),
    Commit(Reply<()>),
    Check(Reply<()>),
    End(Reply<()>),
}

impl SqliteLoad {
    pub(super) async fn begin(database: &Arc<Database>, plan: Plan) -> Result<Self> {
        let (commands, receiver) = channel();
        let (opened, open) = oneshot::channel();
        let committed = Arc::new(Mutex::new(RowPosition::default()));
        let stopped_by = StopOnDrop(Arc::default());
        let stop = Arc::clone(&stopped_by.0);
        let (database, marker) = (Arc::clone(database), Arc::clone(&committed));
        let serve = move || match connect(&database, stop) {
            Ok((connection, slice)) => {
                // A disconnected caller ends the load.
                drop(opened.send(Ok(())));
                Loader::new(&database, &connection, &slice, &plan, &marker).serve(&receiver);
            }
            Err(error) => drop(opened.send(Err(error))),
        };
        let thread = thread::Builder::new().name("sqlite-load".to_owned());
        thread.spawn(serve).map_err(Error::internal)?;
        open.await.map_err(|_| stopped())??;
        Ok(Self { commands, committed, _stop: stopped_by })
    }

    async fn ask<T>(&self, command: impl FnOnce(Reply<T>) -> Command) -> Result<T> {
        let (reply, answer) = oneshot::channel();
        self.commands.send(command(reply)).map_err(|_| stopped())?;
        answer.await.map_err(|_| stopped())?
    }
}

#[async_trait(?Send)]
impl BulkLoad for SqliteLoad {
    async fn batch(&mut self, batch: Batch, allowed: u64) -> Result<Vec<RefusedRow>> {
        self.ask(|reply| Command::Batch(batch, allowed, reply)).await
    }

    async fn commit(&mut self) -> Result<()> {
        self.ask(Command::Commit).await
    }

    async fn check(&mut self) -> Result<()> {
        self.ask(Command::Check).await
    }

    async fn end(self: Box<Self>) -> RowPosition {
        // Where the thread has stopped, everything has ended that way.
        drop(self.ask(Command::End).await);
        *self.committed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The whole number that a decimal is, if it is one.
fn whole_in(text: &[u8], is_decimal: bool) -> Option<i64> {
    if is_decimal { std::str::from_utf8(text).ok().and_then(whole) } else { None }
}

/// The infinity that a text names, which SQLite does not read as a number.
fn infinity(text: &[u8]) -> Option<f64> {
    match text {
        b"Infinity" => Some(f64::INFINITY),
        b"-Infinity" => Some(f64::NEG_INFINITY),
        _ => None,
    }
}

/// A connection whose statements end in time, and when no caller waits for them.
fn connect(database: &Arc<Database>, stop: Arc<AtomicBool>) -> Result<(Opened, Arc<TimeSlice>)> {
    let mut connection = database.connect_to_write()?;
    let slice = Arc::new(TimeSlice::new(database.limits().statement_timeout));
    let over = Arc::clone(&slice);
    let over = move || stop.load(Ordering::Relaxed) || over.is_over();
    connection.interrupt_when(STEPS_PER_CHECK, over).map_err(|error| error_of(&error))?;
    Ok((connection, slice))
}

fn stopped() -> Error {
    Error::internal("the thread of a bulk load has stopped")
}

/// The thread's state.
struct Loader<'d> {
    database: &'d Database,
    connection: &'d Opened,
    slice: &'d TimeSlice,
    plan: &'d Plan,
    committed: &'d Mutex<RowPosition>,
    /// Held while a transaction is open.
    turn: Option<WriteTurn>,
    /// How long the open transaction may still wait for batches.
    pause: Duration,
    has_begun: bool,
    /// Rows written since the last commit.
    rows: u64,
    /// What has changed since the last commit.
    changes: Changes,
    last: RowPosition,
    /// The error that has ended the load, reported at the next command.
    failed: Option<Error>,
}

impl<'d> Loader<'d> {
    fn new(
        database: &'d Database,
        connection: &'d Opened,
        slice: &'d TimeSlice,
        plan: &'d Plan,
        committed: &'d Mutex<RowPosition>,
    ) -> Self {
        Self {
            database,
            connection,
            slice,
            plan,
            committed,
            turn: None,
            pause: PAUSE,
            has_begun: false,
            rows: 0,
            changes: Changes::default(),
            last: RowPosition::default(),
            failed: None,
        }
    }

    /// Runs commands until it must end, or the caller has disconnected.
    fn serve(&mut self, commands: &Receiver<Command>) {
        loop {
            // A disconnected caller needs no response.
            match self.next(commands) {
                Ok(Command::Batch(batch, allowed, reply)) => {
                    drop(reply.send(self.unless_failed(|it| it.batch(&batch, allowed))));
                }
                Ok(Command::Commit(reply)) => drop(reply.send(self.unless_failed(Self::commit))),
                Ok(Command::Check(reply)) => drop(reply.send(self.unless_failed(|it| it.check()))),
                Ok(Command::End(reply)) => {
                    self.roll_back();
                    drop(reply.send(Ok(())));
                    return;
                }
                Err(RecvTimeoutError::Timeout) => drop(self.unless_failed(Self::commit)),
                Err(RecvTimeoutError::Disconnected) => return self.roll_back(),
            }
        }
    }

    /// The next command. While a transaction is open that could be committed, it is waited for only
    /// where no other write waits, and not for long.
    fn next(&mut self, commands: &Receiver<Command>) -> Result<Command, RecvTimeoutError> {
        if self.turn.is_none() || self.plan.whole {
            return commands.recv().map_err(|_| RecvTimeoutError::Disconnected);
        }
        let others_wait = self.database.turns().others_wait();
        let begun = Instant::now();
        let next = commands.recv_timeout(if others_wait { Duration::ZERO } else { self.pause });
        self.pause = self.pause.saturating_sub(begun.elapsed());
        next
    }

    fn unless_failed<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        work(self).inspect_err(|error| {
            self.database.health().note(error);
            self.failed = Some(error.clone());
            self.roll_back();
        })
    }

    fn batch(&mut self, batch: &Batch, allowed: u64) -> Result<Vec<RefusedRow>> {
        self.open()?;
        let mut found = Vec::new();
        for group in &batch.rows {
            self.group(group, allowed, &mut found)?;
            if found.len() as u64 > allowed {
                break;
            }
        }
        found.sort_by_key(|refused: &RefusedRow| refused.place);
        self.rows += rows_of(batch).saturating_sub(found.len() as u64);
        note(self.plan, batch, &found, &mut self.changes);
        self.last = batch.last;
        // A load with too many refusals undoes this batch.
        let is_kept = found.len() as u64 <= allowed;
        if is_kept && !self.plan.whole && self.database.turns().others_wait() {
            self.commit()?;
        }
        Ok(found)
    }

    /// Opens a transaction if none is; the first one clears the table.
    fn open(&mut self) -> Result<()> {
        if self.turn.is_some() {
            return Ok(());
        }
        self.turn = Some(self.take_turn()?);
        self.pause = PAUSE;
        if !self.database.is_current(self.connection) {
            let message = "The database file has just been replaced. Load again.";
            return Err(Error::new(Code::DatabaseUnavailable, message).retry_after(1));
        }
        self.execute("BEGIN IMMEDIATE")?;
        self.changes = self.database.commits().begin();
        if !self.has_begun && self.plan.clear != Clear::No {
            self.execute(&clear_statement(&Sqlite, &self.plan.table, false)).map_err(|error| {
                match error.code {
                    Code::ForeignKeyViolation => Error::new(
                        error.code,
                        "The rows that are there cannot be removed first: other rows refer to them.",
                    ),
                    _ => error,
                }
            })?;
            note_clear(self.plan, &mut self.changes);
        }
        self.has_begun = true;
        Ok(())
    }

    /// Waits for the right to write, at most the timeout of statements.
    fn take_turn(&self) -> Result<WriteTurn> {
        let longest = self.database.limits().statement_timeout;
        let deadline = Deadline::after(Instant::now(), longest);
        self.database.wait_for_checkpoint(deadline.end());
        self.database.turns().wait_until(deadline).ok_or_else(write_held)
    }

    fn group(&self, group: &Group, allowed: u64, found: &mut Vec<RefusedRow>) -> Result<()> {
        let sql = insert_row_statement(&Sqlite, &self.plan.table, &group.columns, &self.plan.key);
        let mut statement = self.connection.prepare_cached(&sql).map_err(|e| error_of(&e))?;
        for (row, place) in group.places.iter().enumerate() {
            let refused = match self.too_large(group, row, *place) {
                Some(refused) => Some(refused),
                None => self.row(&mut statement, group, row, *place)?,
            };
            found.extend(refused);
            if found.len() as u64 > allowed {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Writes a row, or says why the database refuses it. Of a refused one nothing stays, not even what triggers have done
    /// before they left it out.
    fn row(
        &self,
        statement: &mut rusqlite::Statement<'_>,
        group: &Group,
        row: usize,
        place: RowPosition,
    ) -> Result<Option<RefusedRow>> {
        let has_triggers = !self.plan.table.batchable;
        if has_triggers {
            self.execute("SAVEPOINT duet_row")?;
        }
        let refused = match self.insert(statement, group, row) {
            Ok(written) if self.plan.leaves_out(&group.columns, 1, written as u64) => {
                Some(self.refused(place, Code::RowRefused, &Violation::default()))
            }
            Ok(_) => None,
            Err(error) => Some(self.refusal(group, row, place, &error)?),
        };
        if has_triggers && refused.is_some() {
            self.execute("ROLLBACK TO duet_row")?;
        }
        if has_triggers {
            self.execute("RELEASE duet_row")?;
        }
        Ok(refused)
    }

    /// Runs the statement with the values of a row; how many rows it has written.
    fn insert(
        &self,
        statement: &mut rusqlite::Statement<'_>,
        group: &Group,
        row: usize,
    ) -> rusqlite::Result<usize> {
        for (at, &column) in group.columns.iter().enumerate() {
            let ty = &self.plan.table.columns[column].ty;
            let is_decimal = matches!(ty, Type::Decimal { .. });
            if let Datum::Text(text) = group.rows.get(row, at)
                && *ty == Type::Json
                && let Some(element) = number_that_stays(text)
            {
                statement.raw_bind_parameter(at + 1, element)?;
                continue;
            }
            let value = ToSqlOutput::Borrowed(match group.rows.get(row, at) {
                Datum::Null => ValueRef::Null,
                Datum::Int(value) => ValueRef::Integer(value),
                Datum::Real(value) => ValueRef::Real(value),
                Datum::Text(text) => match whole_in(text, is_decimal) {
                    Some(value) => ValueRef::Integer(value),
                    None => match infinity(text).filter(|_| ty.is_number()) {
                        Some(infinity) => ValueRef::Real(infinity),
                        None => ValueRef::Text(text),
                    },
                },
                Datum::Blob(bytes) | Datum::Wire(bytes) => ValueRef::Blob(bytes),
            });
            statement.raw_bind_parameter(at + 1, value)?;
        }
        self.slice.begin(self.database.limits().statement_timeout);
        statement.raw_execute()
    }

    /// What an error says of a row.
    ///
    /// # Errors
    /// Those that are no row's fault, and those that have ended the transaction.
    fn refusal(
        &self,
        group: &Group,
        row: usize,
        place: RowPosition,
        error: &rusqlite::Error,
    ) -> Result<RefusedRow> {
        let error = error_on(self.connection, error);
        if !error.code.is_row_error() {
            return Err(error);
        }
        if self.connection.is_autocommit() {
            let message = "A trigger or constraint of the table ends the whole transaction \
                           when it refuses a row. Correct the row and load again.";
            return Err(Error::new(error.code, message).cause(error));
        }
        let found_here = || match error.code {
            Code::ValueOutOfRange => self.beyond_digits(group, row),
            _ => Violation::default(),
        };
        let violation = error.violation.as_deref().cloned().unwrap_or_else(found_here);
        Ok(self.refused(place, error.code, &violation))
    }

    fn refused(&self, place: RowPosition, code: Code, violation: &Violation) -> RefusedRow {
        let Plan { target, table, raised_messages, .. } = self.plan;
        refused(target, table, place, code, violation, *raised_messages)
    }

    /// The refusal of a row with a number that a column of numbers would hold as infinity, or with a date whose
    /// text has no order.
    fn too_large(&self, group: &Group, row: usize, place: RowPosition) -> Option<RefusedRow> {
        let columns = &self.plan.table.columns;
        let is_beyond = |column: usize| {
            let Datum::Text(text) = group.rows.get(row, column) else { return false };
            let ty = &columns[group.columns[column]].ty;
            let is_number = matches!(ty, Type::Decimal { .. });
            std::str::from_utf8(text)
                .is_ok_and(|text| is_number && is_beyond_floats(text) || is_beyond_texts(ty, text))
        };
        let column = group.columns[(0..group.columns.len()).find(|&column| is_beyond(column))?];
        let names = vec![columns[column].name.clone()];
        let violation = Violation { columns: names, ..Violation::default() };
        Some(self.refused(place, Code::ValueOutOfRange, &violation))
    }

    /// The column whose number has more digits than it is declared with.
    fn beyond_digits(&self, group: &Group, row: usize) -> Violation {
        let columns = group.columns.iter().map(|&column| &self.plan.table.columns[column]);
        let beyond = columns.enumerate().find(|(at, column)| {
            let Datum::Text(text) = group.rows.get(row, *at) else { return false };
            std::str::from_utf8(text).is_ok_and(|text| is_beyond_digits(&column.declared, text))
        });
        let names = beyond.map(|(_, column)| column.name.clone());
        Violation { columns: names.into_iter().collect(), ..Violation::default() }
    }

    fn commit(&mut self) -> Result<()> {
        if self.turn.is_some() {
            self.execute("COMMIT").map_err(|error| match error.code {
                code if code.is_row_error() => commit_refused(error.cause.unwrap_or_default()),
                _ => {
                    self.database.commits().unknown(&self.changes, Cause::Unknown);
                    error
                }
            })?;
            self.database.commits().committed(std::mem::take(&mut self.changes));
            self.turn = None;
            self.have_looked();
            self.database.statistics().wrote(1, std::mem::take(&mut self.rows));
        }
        *self.committed.lock().unwrap_or_else(PoisonError::into_inner) = self.last;
        Ok(())
    }

    /// References are all that SQLite checks at a commit.
    fn check(&self) -> Result<()> {
        match has_broken_references(self.connection) {
            true => Err(commit_refused("FOREIGN KEY constraint failed")),
            false => Ok(()),
        }
    }

    /// Has the connection of other writes see this commit, which it takes for one of others, now and not
    /// after the load has been answered.
    fn have_looked(&self) {
        let foreign = self.database.foreign();
        if foreign.is_on() {
            self.database.writer().look_and_wait(foreign);
        }
    }

    fn roll_back(&mut self) {
        if !self.connection.is_autocommit() {
            // Where it fails, the end of the connection does the same.
            drop(self.execute("ROLLBACK"));
        }
        self.turn = None;
    }

    fn execute(&self, sql: &str) -> Result<()> {
        self.slice.begin(self.database.limits().statement_timeout);
        let run = || self.connection.prepare_cached(sql)?.raw_execute();
        run().map(drop).map_err(|error| error_on(self.connection, &error))
    }
}
