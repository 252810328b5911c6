//! One SQLite file, as the threads that read and write it share it.

pub(crate) mod checkpoint;
pub(crate) mod foreign;
pub(crate) mod health;
mod instance;
pub(crate) mod large;
pub(crate) mod probe;
pub(crate) mod turns;
pub(crate) mod version;

use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use duet_model::{Catalog, Code, Error, Result};
use duet_sql::Statement;
use duet_store::commits::Commits;
use duet_store::describe::StatementDescription;
use duet_store::files::{Options, Synchronous};
use duet_store::limits::Limits;
use duet_store::memory::row_limit::RowLimit;
use duet_store::queues::admit::{Queues, Registry};
use duet_store::statistics::Statistics;
use rusqlite::{Connection, OpenFlags};

use crate::catalog::{Memory, introspect_again, statement};
use crate::connection::failure::{NO_DATABASE, error_of};
use crate::connection::watched::Watched;
use crate::connection::{self, BUSY, Opened};
use crate::file::foreign::Foreign;
use crate::file::health::Health;
use crate::file::turns::WriteTurns;

/// How many of its steps SQLite takes, while the schema is read, before it asks whether the time is over.
const STEPS: i32 = 1_000;

/// One SQLite file, shared by all threads: how to connect, limits, counters and state.
#[derive(Debug)]
pub struct File {
    path: PathBuf,
    synchronous: Synchronous,
    wal_bytes: u64,
    disk_reserve: u64,
    health: Health,
    limits: Limits,
    rows: RowLimit,
    statistics: Statistics,
    commits: Commits,
    foreign: Foreign,
    /// For introspection and polls.
    control: Mutex<Opened>,
    /// What was read of the schema the last time.
    memory: Mutex<Memory>,
    alone: large::Alone,
    turns: WriteTurns,
    queues: Registry,
    /// The counters that the workers share.
    shared: Arc<Queues>,
    watched: Watched,
    /// Grows whenever a connection notices that the file has changed.
    changes: AtomicU64,
}

/// The error of a path that is no file, or cannot be looked at.
fn missing(path: &Path, error: Option<io::Error>) -> Error {
    let place = path.display();
    let absent = |error: &io::Error| {
        matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
    };
    let message = match error.filter(|error| !absent(error)) {
        Some(error) => {
            format!(
                "{place} cannot be looked at: {error}. Let the user of the process read its folder."
            )
        }
        None => {
            format!("There is no SQLite file at {place}. Give the path of an existing database.")
        }
    };
    Error::new(Code::Setting, message)
}

/// The error of a file that is no database, with its path.
fn named(mut error: Error, path: &Path) -> Error {
    if error.message != NO_DATABASE {
        return error;
    }
    error.message = format!("{} is not a SQLite database.", path.display());
    error.hint(
        "Give the path of a SQLite database, `postgres://…`, or the folder of an application.",
    )
}

impl File {
    /// Opens a file that exists.
    ///
    /// # Errors
    /// Where there is no such file, or it is not a database.
    pub(crate) fn open(path: &Path, options: &Options, limits: Limits) -> Result<Self> {
        if path.as_os_str().as_encoded_bytes().ends_with(b"/") && !path.exists() {
            let message = format!("There is no folder {}.", path.display());
            return Err(Error::new(Code::Setting, message).hint(
                "Give the folder of an application, which holds `app.toml`, or the path of a SQLite database.",
            ));
        }
        let found = path.metadata();
        if !found.as_ref().is_ok_and(Metadata::is_file) {
            return Err(missing(path, found.err()));
        }
        let watched = Watched::new(path);
        let control =
            connection::to_read(path, BUSY, &watched).map_err(|error| named(error, path))?;
        if options.wal {
            switch_to_wal(&control, path)?;
        }
        let health = Health::default();
        let written = connection::to_write(path, Duration::ZERO, options.synchronous, &watched);
        let is_read_only = written.is_err_and(|error| error.code == Code::DatabaseReadOnly);
        health.read_only.store(is_read_only, Ordering::Relaxed);
        let queues = Registry::default();
        // Workers have counters of their own for the rest.
        let shared = queues.worker();
        Ok(Self {
            path: path.to_owned(),
            synchronous: options.synchronous,
            wal_bytes: options.wal_bytes,
            disk_reserve: options.disk_reserve,
            health,
            rows: limits.rows(),
            limits,
            statistics: Statistics::default(),
            commits: Commits::default(),
            foreign: Foreign::default(),
            control: Mutex::new(control),
            memory: Mutex::default(),
            alone: large::Alone::default(),
            turns: WriteTurns::new(&shared.file),
            queues,
            shared,
            watched,
            changes: AtomicU64::new(1),
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// With less free space on its disk the file is not healthy.
    pub(crate) fn disk_reserve(&self) -> u64 {
        self.disk_reserve
    }

    pub(crate) fn health(&self) -> &Health {
        &self.health
    }

    /// The consumers of its commits.
    pub(crate) fn commits(&self) -> &Commits {
        &self.commits
    }

    /// Whether commits of others are watched for.
    pub(crate) fn foreign(&self) -> &Foreign {
        &self.foreign
    }

    pub(crate) fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// What the rows of one answer may take.
    pub(crate) fn rows(&self) -> &RowLimit {
        &self.rows
    }

    /// For reads of large values, where they meet a lack of memory.
    pub(crate) fn alone(&self) -> &large::Alone {
        &self.alone
    }

    /// A writer takes its place in the queue before the transaction begins, and keeps it to its end.
    pub(crate) fn turns(&self) -> &WriteTurns {
        &self.turns
    }

    /// The counters of the queues.
    pub(crate) fn queues(&self) -> &Registry {
        &self.queues
    }

    /// The counters that the workers share.
    pub(crate) fn shared_queues(&self) -> &Queues {
        &self.shared
    }

    /// Looks which file is at the path.
    pub(crate) fn look(&self) -> Result<()> {
        self.watched.look()
    }

    /// When commits wait for the disk, unless a write asks for something else.
    pub(crate) fn synchronous(&self) -> Synchronous {
        self.synchronous
    }

    /// The length of the write-ahead log at which it is emptied.
    pub(crate) fn wal_bytes(&self) -> u64 {
        self.wal_bytes
    }

    /// A connection that may write.
    pub(crate) fn connect_to_checkpoint(&self) -> Result<Opened> {
        connection::to_write(&self.path, self.limits.lock_timeout, self.synchronous, &self.watched)
    }

    /// A connection for a worker's reads by key: it never waits for a lock.
    pub(crate) fn connect(&self) -> Result<Opened> {
        self.connect_for(Duration::ZERO)
    }

    /// A connection for reads that may wait for a lock for so long. It reads small values alone;
    /// see [`large`].
    pub(crate) fn connect_for(&self, patience: Duration) -> Result<Opened> {
        let opened = connection::to_read(&self.path, patience, &self.watched)?;
        large::limit_values(&opened, large::SMALL_VALUE).map_err(|error| error_of(&error))?;
        Ok(opened)
    }

    /// Whether a connection is one to the file that is at the path now.
    pub(crate) fn is_current(&self, opened: &Opened) -> bool {
        opened.epoch() == self.watched.epoch()
    }

    /// The counter of changes; `noticed` says that the caller has just seen a new one.
    pub(crate) fn changes(&self, noticed: bool) -> u64 {
        self.changes.fetch_add(u64::from(noticed), Ordering::Relaxed) + u64::from(noticed)
    }

    /// Reads the catalog.
    pub(crate) fn introspect(&self) -> Result<Catalog> {
        let mut control = self.control()?;
        let end = Instant::now().checked_add(self.limits.schema_timeout);
        let is_over = move || end.is_some_and(|end| Instant::now() >= end);
        control.interrupt_when(STEPS, is_over).map_err(|error| error_of(&error))?;
        let read = self.read_schema(&control);
        control.interrupt_when(STEPS, || false).map_err(|error| error_of(&error))?;
        read
    }

    fn read_schema(&self, control: &Connection) -> Result<Catalog> {
        let mut memory = self.memory.lock().map_err(Error::internal)?;
        introspect_again(control, &mut memory)
    }

    /// Prepares statements and says what each gives.
    pub(crate) fn describe_statements(
        &self,
        statements: &[Statement],
    ) -> Result<Vec<StatementDescription>> {
        let control = self.control()?;
        let each = statements.iter().map(|statement| {
            let described = statement::describe(&control, statement);
            described.map_err(|error| error_of(&error))
        });
        each.collect()
    }

    /// SQLite's own schema version, which grows with every DDL statement, and how often another
    /// file has taken this one's place.
    pub(crate) fn schema_version(&self) -> Result<u64> {
        self.watched.look()?;
        let control = self.control()?;
        let version: i64 = control
            .query_row("PRAGMA schema_version", [], |row| row.get(0))
            .map_err(|error| error_of(&error))?;
        // A file that can be written again takes writes, which changes what is served.
        let version = version.cast_unsigned().wrapping_add(control.epoch() << 32);
        Ok(version ^ (u64::from(self.is_read_only()) << 63))
    }

    /// Whether the file cannot be written, as of the start or the last probe.
    pub(crate) fn is_read_only(&self) -> bool {
        self.health.read_only.load(Ordering::Relaxed)
    }

    pub(super) fn control(&self) -> Result<std::sync::MutexGuard<'_, Opened>> {
        let mut control = self.control.lock().map_err(Error::internal)?;
        if !self.is_current(&control) {
            *control = connection::to_read(&self.path, BUSY, &self.watched)?;
        }
        Ok(control)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_may_not_be_looked_at_is_not_said_to_be_absent() {
        let said = |kind: io::ErrorKind| missing(Path::new("/a/b.db"), Some(kind.into())).message;
        assert!(said(io::ErrorKind::PermissionDenied).starts_with("/a/b.db cannot be looked at: "));
        for kind in [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory] {
            assert!(said(kind).starts_with("There is no SQLite file at /a/b.db."), "{kind}");
        }
    }
}
