//! One SQLite file: how it is opened, and what is asked of it outside of requests.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use duet_model::{Catalog, Code, Error, Result};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::admit::Registry;
use crate::commits::Commits;
use crate::introspect;
use crate::limits::Limits;
use crate::refusal::refusal;
use crate::row_limit::RowLimit;
use crate::sqlite::checkpoint::Checkpointer;
use crate::sqlite::failure::error_of;
use crate::sqlite::foreign::Foreign;
use crate::sqlite::functions;
use crate::sqlite::health::Health;
use crate::sqlite::large;
use crate::sqlite::readers::Readers;
use crate::sqlite::stream::Streams;
use crate::sqlite::turns::WriteTurns;
use crate::sqlite::version;
use crate::sqlite::watched::Watched;
use crate::sqlite::writer::Writer;
use crate::statistics::Statistics;

/// How long those wait for another program's lock who may.
pub(crate) const BUSY: Duration = Duration::from_secs(5);
/// So much of a file is read through a memory map, which all connections share.
pub(crate) const MAPPED_BYTES: i64 = 1 << 30;
/// Pages that a connection keeps in memory of its own, at most.
const CACHE_KIBIBYTES: i64 = 16_384;

/// How a file is opened.
#[derive(Clone, Debug)]
pub struct Options {
    /// Switch the file to write-ahead logging. Without it the file keeps its journal mode.
    pub wal: bool,
    /// When a write is on the disk.
    pub synchronous: Synchronous,
    /// The write-ahead log is emptied when it is longer.
    pub wal_bytes: u64,
    /// With less free space on its disk the file is not healthy.
    pub disk_reserve: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            wal: false,
            synchronous: Synchronous::default(),
            wal_bytes: 16 << 20,
            disk_reserve: 0,
        }
    }
}

/// When SQLite waits for the disk (`PRAGMA synchronous`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Synchronous {
    /// Never: after a loss of power the file may be damaged.
    Off,
    /// So that the file is never damaged; with write-ahead logging the last writes may be lost
    /// with the power.
    Normal,
    /// Before every answer; of a rollback journal's removal, which is the commit, the folder may not
    /// know yet.
    Full,
    /// Before every answer, for the folder of a rollback journal too. With write-ahead logging it is
    /// the same as full, and costs the same.
    #[default]
    Extra,
}

impl Synchronous {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Off => "OFF",
            Self::Normal => "NORMAL",
            Self::Full => "FULL",
            Self::Extra => "EXTRA",
        }
    }
}

/// One SQLite file, shared by all workers.
#[derive(Debug)]
pub struct Database {
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
    readers: Readers,
    alone: large::Alone,
    writer: Writer,
    turns: WriteTurns,
    queues: Registry,
    streams: Streams,
    checkpointer: Checkpointer,
    watched: Watched,
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
        let watched = Watched::new(path);
        let control = connect(path, BUSY, &watched)?;
        if options.wal {
            switch_to_wal(&control, path)?;
        }
        let queues = Registry::default();
        // Workers have their own of what they do not share.
        let shared = queues.worker();
        let readers = Readers::new(&limits, &shared.page);
        let writer = Writer::new(&limits, &shared.write);
        let streams = Streams::new(&limits, &shared.stream);
        Ok(Self {
            path: path.to_owned(),
            synchronous: options.synchronous,
            wal_bytes: options.wal_bytes,
            disk_reserve: options.disk_reserve,
            health: Health::default(),
            rows: limits.rows(),
            limits,
            statistics: Statistics::default(),
            commits: Commits::default(),
            foreign: Foreign::default(),
            control: Mutex::new(control),
            readers,
            alone: large::Alone::default(),
            writer,
            turns: WriteTurns::new(&shared.file),
            queues,
            streams,
            checkpointer: Checkpointer::new(),
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

    /// Begins to watch for commits of others, which are delivered as events, or ends it. Once this is
    /// done, every later one is seen; not where the writing thread is busy for so long.
    ///
    /// # Errors
    /// Where the thread cannot be started.
    pub(crate) async fn watch_commits(self: &Arc<Self>, on: bool) -> Result<()> {
        if !on || self.foreign.is_on() {
            self.foreign.set(on);
            return Ok(());
        }
        self.foreign.set(true);
        let looked = self.writer.look(self)?;
        // A first look that comes later counts as a commit of others.
        let _ = tokio::time::timeout(self.limits.lock_timeout, looked).await;
        Ok(())
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

    pub(crate) fn readers(&self) -> &Readers {
        &self.readers
    }

    /// For reads of large values, where they meet a lack of memory.
    pub(crate) fn alone(&self) -> &large::Alone {
        &self.alone
    }

    pub(crate) fn writer(&self) -> &Writer {
        &self.writer
    }

    /// A writer takes its place in the queue before the transaction begins, and keeps it to its end.
    pub(crate) fn turns(&self) -> &WriteTurns {
        &self.turns
    }

    /// The counters of the queues.
    pub(crate) fn queues(&self) -> &Registry {
        &self.queues
    }

    /// Looks which file is at the path.
    pub(crate) fn look(&self) -> Result<()> {
        self.watched.look()
    }

    /// Waits while the write-ahead log is far too long, at most until then.
    pub(crate) fn wait_for_checkpoint(&self, until: Instant) {
        self.checkpointer.wait(until);
    }

    /// The length of the write-ahead log at which it is emptied.
    pub(crate) fn wal_bytes(&self) -> u64 {
        self.wal_bytes
    }

    /// A connection for who writes; it may wait for a lock. Its checkpoints are done by a thread.
    pub(crate) fn connect_to_write(self: &Arc<Self>) -> Result<Opened> {
        let mut opened = self.connect_to_checkpoint()?;
        self.checkpointer.start(self)?;
        let watched = self.checkpointer.watch(&mut opened, self.wal_bytes);
        watched.map_err(|error| error_of(&error))?;
        Ok(opened)
    }

    /// A connection that may write.
    pub(crate) fn connect_to_checkpoint(&self) -> Result<Opened> {
        let epoch = self.watched.epoch();
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let open = || -> rusqlite::Result<Connection> {
            let connection = Connection::open_with_flags(&self.path, flags)?;
            connection.busy_timeout(self.limits.lock_timeout)?;
            probe(&connection)?;
            prepare(&connection)?;
            connection.pragma_update(None, "query_only", false)?;
            connection.pragma_update(None, "foreign_keys", true)?;
            connection.pragma_update(None, "synchronous", self.synchronous.word())?;
            Ok(connection)
        };
        // What can be read but not opened for writing (a write-ahead log in a folder that cannot
        // be written) is read-only too.
        let connection =
            open().map_err(|error| match cannot_open(&error) && self.path.is_file() {
                true => refusal(Code::DatabaseReadOnly).cause(error),
                false => error_of(&error),
            })?;
        let read_only = connection.is_readonly("main").map_err(|error| error_of(&error))?;
        if read_only {
            let cause = format!("{} cannot be written", self.path.display());
            return Err(refusal(Code::DatabaseReadOnly).cause(cause));
        }
        Ok(Opened { connection, epoch })
    }

    pub(crate) fn streams(&self) -> &Streams {
        &self.streams
    }

    /// A connection for a worker's reads by key: it never waits for a lock.
    pub(crate) fn connect(&self) -> Result<Opened> {
        self.connect_for(Duration::ZERO)
    }

    /// A connection for reads that may wait for a lock for so long. It reads small values alone;
    /// see [`large`].
    pub(crate) fn connect_for(&self, patience: Duration) -> Result<Opened> {
        let opened = connect(&self.path, patience, &self.watched)?;
        large::limit_values(&opened, large::SMALL_VALUE).map_err(|error| error_of(&error))?;
        Ok(opened)
    }

    /// Whether a connection is one to the file that is at the path now.
    pub(crate) fn is_current(&self, opened: &Opened) -> bool {
        opened.epoch == self.watched.epoch()
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

    /// SQLite's own schema version, which grows with every DDL statement, and how often another
    /// file has taken this one's place.
    pub(crate) fn schema_version(&self) -> Result<u64> {
        self.watched.look()?;
        let control = self.control()?;
        let version: i64 = control
            .query_row("PRAGMA schema_version", [], |row| row.get(0))
            .map_err(|error| error_of(&error))?;
        Ok(version.cast_unsigned().wrapping_add(control.epoch << 32))
    }

    fn control(&self) -> Result<std::sync::MutexGuard<'_, Opened>> {
        let mut control = self.control.lock().map_err(Error::internal)?;
        if !self.is_current(&control) {
            *control = connect(&self.path, BUSY, &self.watched)?;
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

/// A connection, and which of the files that have been at the path it is to.
#[derive(Debug)]
pub(crate) struct Opened {
    connection: Connection,
    epoch: u64,
}

impl std::ops::Deref for Opened {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.connection
    }
}

impl std::ops::DerefMut for Opened {
    fn deref_mut(&mut self) -> &mut Connection {
        &mut self.connection
    }
}

/// Opens a connection that only reads. The file is opened for writing where that is possible,
/// because the write-ahead log needs it, and `query_only` keeps it from being used so.
///
/// A file with a write-ahead log in a folder that cannot be written is read as one that does not
/// change, as long as there is no log; [`Watched`] notices when that is no longer so.
fn connect(path: &Path, busy: Duration, watched: &Watched) -> Result<Opened> {
    let epoch = watched.epoch();
    let common = OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let open = |name: &OsStr, flags: OpenFlags| {
        let connection = Connection::open_with_flags(name, flags | common)?;
        connection.busy_timeout(busy)?;
        probe(&connection)?;
        prepare(&connection).map(|()| connection)
    };
    let file = path.as_os_str();
    let connection = open(file, OpenFlags::SQLITE_OPEN_READ_WRITE)
        .or_else(|error| match is_locked(&error) {
            // Waiting once is enough.
            true => Err(error),
            false => open(file, OpenFlags::SQLITE_OPEN_READ_ONLY),
        })
        .or_else(|error| match unchanging(path) {
            Some(name) if cannot_open(&error) => {
                watched.expect_no_change();
                open(name.as_ref(), OpenFlags::SQLITE_OPEN_READ_ONLY)
            }
            _ => Err(error),
        })
        .map_err(|error| error_of(&error))?;
    Ok(Opened { connection, epoch })
}

fn is_locked(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode as Sqlite;
    matches!(error.sqlite_error_code(), Some(Sqlite::DatabaseBusy | Sqlite::DatabaseLocked))
}

fn cannot_open(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode as Sqlite;
    matches!(error.sqlite_error_code(), Some(Sqlite::CannotOpen | Sqlite::ReadOnly))
}

/// The URI of a file that is read as one that does not change; `None` where there is a
/// write-ahead log, which would be missed.
fn unchanging(path: &Path) -> Option<String> {
    let log = std::fs::metadata(log_of(path)).map_or(0, |log| log.len());
    let path = std::path::absolute(path).ok()?;
    let mut uri = String::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            byte if byte.is_ascii_alphanumeric() || b"/._-".contains(byte) => {
                uri.push(char::from(*byte));
            }
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    (log == 0).then_some(uri + "?immutable=1")
}

/// The write-ahead log of a file.
pub(crate) fn log_of(path: &Path) -> PathBuf {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    log.into()
}

fn probe(connection: &Connection) -> rusqlite::Result<()> {
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))
}

/// Reads so much of the file through a memory map from now on.
pub(crate) fn map_file(connection: &Connection, bytes: i64) -> rusqlite::Result<()> {
    connection.pragma_update(None, "mmap_size", bytes)
}

fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "query_only", true)?;
    map_file(connection, MAPPED_BYTES)?;
    connection.pragma_update(None, "cache_size", -CACHE_KIBIBYTES)?;
    // Without this guarantee, statistics of ANALYZE make plans depend on the bound values, and
    // SQLite compiles a statement anew whenever it is given another key.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(256);
    functions::register(connection)
}
