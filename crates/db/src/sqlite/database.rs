//! One SQLite file: how it is opened, and what is asked of it outside of requests.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use duet_model::{Catalog, Code, Error, Result};
use rusqlite::{Connection, OpenFlags};

use crate::introspect;
use crate::sqlite::functions;
use crate::sqlite::readers::Readers;
use crate::sqlite::version;
use crate::store::Limits;

/// So much of a file is read through a memory map, which all connections share.
const MAPPED_BYTES: i64 = 1 << 30;
/// Pages that a connection keeps in memory of its own, at most.
const CACHE_KIBIBYTES: i64 = 16_384;

/// How a file is opened.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Switch the file to write-ahead logging. Without it the file keeps its journal mode.
    pub wal: bool,
}

/// One SQLite file, shared by all workers.
#[derive(Debug)]
pub struct Database {
    path: PathBuf,
    limits: Limits,
    /// For introspection and polls.
    control: Mutex<Connection>,
    readers: Readers,
    /// Grows whenever a connection notices that the file has changed.
    changes: AtomicU64,
}

impl Database {
    /// Opens a file that exists.
    ///
    /// # Errors
    /// Where there is no such file, or it is not a database.
    pub fn open(path: &Path, options: &Options, limits: Limits) -> Result<Self> {
        if !path.is_file() {
            return Err(Error::new(
                Code::Setting,
                format!(
                    "There is no SQLite file at {}. Give the path of an existing database.",
                    path.display()
                ),
            ));
        }
        version::without_memory_statistics();
        let control = connect(path, Duration::from_secs(5))?;
        if options.wal {
            switch_to_wal(&control, path)?;
        }
        let readers = Readers::new(path.to_owned(), &limits);
        Ok(Self {
            path: path.to_owned(),
            limits,
            control: Mutex::new(control),
            readers,
            changes: AtomicU64::new(1),
        })
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    pub(crate) fn readers(&self) -> &Readers {
        &self.readers
    }

    /// A connection for a worker's reads by key: it never waits for a lock.
    pub(crate) fn connect(&self) -> Result<Connection> {
        connect(&self.path, Duration::ZERO)
    }

    /// The counter of changes; `noticed` says that the caller has just seen a new one.
    pub(crate) fn changes(&self, noticed: bool) -> u64 {
        self.changes.fetch_add(u64::from(noticed), Ordering::Relaxed) + u64::from(noticed)
    }

    /// Reads the catalog.
    pub(crate) fn introspect(&self) -> Result<Catalog> {
        let control = self.control()?;
        introspect::sqlite::introspect(&control)
    }

    /// SQLite's own schema version: it grows with every DDL statement.
    pub(crate) fn schema_version(&self) -> Result<u64> {
        let version: i64 = self
            .control()?
            .query_row("PRAGMA schema_version", [], |row| row.get(0))
            .map_err(|error| error_of(&error))?;
        Ok(version.cast_unsigned())
    }

    fn control(&self) -> Result<std::sync::MutexGuard<'_, Connection>> {
        self.control.lock().map_err(Error::internal)
    }

    /// What messages call the file.
    pub(crate) fn describe(&self) -> String {
        format!("SQLite {}", self.path.display())
    }
}

fn switch_to_wal(control: &Connection, path: &Path) -> Result<()> {
    let writable = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)
        .and_then(|connection| connection.pragma_update(None, "journal_mode", "wal"));
    writable.map_err(|error| error_of(&error))?;
    control.query_row("PRAGMA journal_mode", [], |_| Ok(())).map_err(|error| error_of(&error))
}

/// Opens a connection that only reads. The file is opened for writing where that is possible,
/// because the write-ahead log needs it, and `query_only` keeps it from being used so.
pub(crate) fn connect(path: &Path, busy: Duration) -> Result<Connection> {
    let common = OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let open = |flags| Connection::open_with_flags(path, flags | common);
    let connection = open(OpenFlags::SQLITE_OPEN_READ_WRITE)
        .and_then(|connection| probe(&connection).map(|()| connection))
        .or_else(|_| open(OpenFlags::SQLITE_OPEN_READ_ONLY))
        .map_err(|error| error_of(&error))?;
    prepare(&connection, busy).map_err(|error| error_of(&error))?;
    Ok(connection)
}

fn probe(connection: &Connection) -> rusqlite::Result<()> {
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))
}

fn prepare(connection: &Connection, busy: Duration) -> rusqlite::Result<()> {
    connection.busy_timeout(busy)?;
    connection.pragma_update(None, "query_only", true)?;
    connection.pragma_update(None, "mmap_size", MAPPED_BYTES)?;
    connection.pragma_update(None, "cache_size", -CACHE_KIBIBYTES)?;
    connection.set_prepared_statement_cache_capacity(256);
    functions::register(connection)
}

/// SQLite's errors as Duet's.
pub(crate) fn error_of(error: &rusqlite::Error) -> Error {
    use rusqlite::ErrorCode as Sqlite;
    let code = error.sqlite_error_code();
    let message = error.to_string();
    let made = match code {
        Some(Sqlite::DatabaseBusy | Sqlite::DatabaseLocked) => Error::new(
            Code::DatabaseLocked,
            "Another program holds a lock on the database. Try again in a moment.",
        )
        .retry_after(5),
        Some(Sqlite::OperationInterrupted) => Error::new(
            Code::Timeout,
            "The statement took longer than the limit and was stopped. Ask for less, or for something an index serves.",
        ),
        Some(Sqlite::NotADatabase) => {
            Error::new(Code::Setting, "The file is not a SQLite database.")
        }
        Some(Sqlite::CannotOpen | Sqlite::SystemIoFailure | Sqlite::DiskFull) => {
            Error::new(Code::DatabaseUnavailable, "The database file cannot be read at the moment.")
                .retry_after(1)
        }
        Some(Sqlite::TooBig) => {
            Error::new(Code::ValueOutOfRange, "A value of the request is too large.")
        }
        _ if message.contains("no such column") || message.contains("no such table") => {
            Error::new(Code::SchemaChanged, "The schema has just changed. Try again.")
                .retry_after(1)
        }
        _ => Error::internal(&message),
    };
    made.cause(message)
}
