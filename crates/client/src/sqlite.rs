//! A plain connection to a SQLite file.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use duet_model::Value;
use duet_store::files::Synchronous;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{CachedStatement, OpenFlags, ToSql};

use super::{Failure, FailureKind, Rows};

/// How long a statement waits for another connection's lock before it fails.
const BUSY: Duration = Duration::from_secs(30);

/// As many statements are kept compiled.
const COMPILED: usize = 128;

/// Between two reads of the clock a statement runs this many steps of SQLite's machine: some ten
/// microseconds.
const STEPS: i32 = 1_000;

/// A connection.
#[derive(Debug)]
pub(super) struct Connection {
    connection: rusqlite::Connection,
    limit: Option<Limit>,
}

/// How long a statement may take, and when the one under way must end.
#[derive(Debug)]
struct Limit {
    length: Duration,
    epoch: Instant,
    /// Milliseconds from the epoch.
    end: Arc<AtomicU64>,
}

impl Limit {
    fn begin(&self) {
        self.end.store(millis(self.epoch.elapsed() + self.length), Ordering::Relaxed);
    }
}

fn millis(length: Duration) -> u64 {
    u64::try_from(length.as_millis()).unwrap_or(u64::MAX)
}

impl Connection {
    pub(super) fn open(path: &Path, synchronous: Synchronous) -> Result<Self, Failure> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let opened = rusqlite::Connection::open_with_flags(path, flags)
            .map_err(|error| Failure::new(FailureKind::Connection, error.to_string()))?;
        opened.busy_timeout(BUSY).map_err(|error| Failure::sqlite(&error))?;
        opened.set_prepared_statement_cache_capacity(COMPILED);
        let settings = format!(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = {}; PRAGMA foreign_keys = ON; \
             PRAGMA mmap_size = 1073741824; PRAGMA cache_size = -16384",
            synchronous.word()
        );
        opened.execute_batch(&settings).map_err(|error| Failure::sqlite(&error))?;
        Ok(Self { connection: opened, limit: None })
    }

    /// Ends every later statement that takes longer, its wait for locks not counted.
    pub(super) fn limit(&mut self, length: Duration) -> Result<(), Failure> {
        let (epoch, end) = (Instant::now(), Arc::new(AtomicU64::new(u64::MAX)));
        let watched = end.clone();
        let is_over = move || millis(epoch.elapsed()) > watched.load(Ordering::Relaxed);
        let set = self.connection.progress_handler(STEPS, Some(is_over));
        set.map_err(|error| Failure::sqlite(&error))?;
        self.limit = Some(Limit { length, epoch, end });
        Ok(())
    }

    /// A statement begins.
    fn begin(&self) {
        if let Some(limit) = &self.limit {
            limit.begin();
        }
    }

    /// For what takes its time: no limit holds until the next statement.
    pub(super) fn connection(&self) -> &rusqlite::Connection {
        if let Some(limit) = &self.limit {
            limit.end.store(u64::MAX, Ordering::Relaxed);
        }
        &self.connection
    }

    /// Compiled now, to see whether it is right; SQLite's driver keeps it by its text.
    pub(super) fn prepare(&self, sql: &str) -> Result<String, Failure> {
        let sql = numbered(sql);
        self.compiled(&sql)?;
        Ok(sql)
    }

    fn compiled(&self, sql: &str) -> Result<CachedStatement<'_>, Failure> {
        self.connection.prepare_cached(sql).map_err(|error| Failure::sqlite(&error))
    }

    pub(super) fn query(&self, sql: &str, values: &[Value]) -> Result<Rows, Failure> {
        self.begin();
        let mut statement = self.compiled(sql)?;
        let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
        let width = columns.len();
        let parameters = rusqlite::params_from_iter(values.iter().map(BoundParameter));
        let mut found = statement.query(parameters).map_err(|error| Failure::sqlite(&error))?;
        let mut rows = Vec::new();
        while let Some(row) = found.next().map_err(|error| Failure::sqlite(&error))? {
            let cell =
                |index| row.get_ref(index).map(value).map_err(|error| Failure::sqlite(&error));
            rows.push((0..width).map(cell).collect::<Result<_, _>>()?);
        }
        Ok(Rows { columns, rows })
    }

    pub(super) fn execute(&self, sql: &str, values: &[Value]) -> Result<u64, Failure> {
        self.begin();
        let mut statement = self.compiled(sql)?;
        let parameters = rusqlite::params_from_iter(values.iter().map(BoundParameter));
        let changed = statement.execute(parameters).map_err(|error| Failure::sqlite(&error))?;
        Ok(changed as u64)
    }

    pub(super) fn script(&self, sql: &str) -> Result<(), Failure> {
        self.begin();
        self.connection.execute_batch(sql).map_err(|error| Failure::sqlite(&error))
    }

    pub(super) fn rollback(&self) -> Result<(), Failure> {
        match self.connection.is_autocommit() {
            true => Ok(()),
            false => self.script("ROLLBACK"),
        }
    }
}

/// `$1` as `?1`: to SQLite the first is a name, and names are counted as they occur.
fn numbered(sql: &str) -> String {
    let mut numbered = String::with_capacity(sql.len());
    let mut quote = None;
    let mut chars = sql.chars().peekable();
    while let Some(char) = chars.next() {
        match quote {
            Some(open) if char == open => quote = None,
            None if matches!(char, '\'' | '"') => quote = Some(char),
            _ => {}
        }
        let is_parameter =
            quote.is_none() && char == '$' && chars.peek().is_some_and(char::is_ascii_digit);
        numbered.push(if is_parameter { '?' } else { char });
    }
    numbered
}

/// A parameter as SQLite takes it.
#[derive(Debug)]
pub(super) struct BoundParameter<'a>(pub(super) &'a Value);

impl ToSql for BoundParameter<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self.0 {
            Value::Null => ValueRef::Null,
            Value::Bool(truth) => ValueRef::Integer(i64::from(*truth)),
            Value::Int(value) => ValueRef::Integer(*value),
            Value::Float(value) => ValueRef::Real(*value),
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
            Value::RawText(text) => ValueRef::Text(text),
            Value::Bytes(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

fn value(cell: ValueRef<'_>) -> Value {
    match cell {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(value) => Value::Int(value),
        ValueRef::Real(value) => Value::Float(value),
        ValueRef::Text(text) => Value::of_text(text),
        ValueRef::Blob(bytes) => Value::Bytes(bytes.to_vec()),
    }
}

#[cfg(test)]
mod tests {
    use super::numbered;

    #[test]
    fn parameters_are_numbered() {
        assert_eq!(
            numbered("SELECT $2, '$1', \"a$1\", $x, $1"),
            "SELECT ?2, '$1', \"a$1\", $x, ?1"
        );
    }
}
