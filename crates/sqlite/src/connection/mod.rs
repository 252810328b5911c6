//! Connections to a SQLite file: opening and settings.
//!
//! `synchronous=EXTRA`: with a rollback journal, removing the journal is the commit, and `FULL`
//! leaves that to the file system, so a power cut could undo an answered write. With a write-ahead
//! log it costs nothing. Tested on a simulated disk (`testkit/src/power`).

pub(crate) mod failure;
pub(crate) mod late_sync;
pub(crate) mod slice;
pub(crate) mod ticket;
pub(crate) mod watched;

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use duet_model::{Code, Result};
use duet_store::files::Synchronous;
use duet_store::refusal::refusal;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::connection::failure::error_of;
use crate::connection::watched::{Watched, log_of};
use crate::functions;
use crate::functions::interrupt::Interrupt;

/// How long a connection waits for another program's lock.
pub(crate) const BUSY: Duration = Duration::from_secs(5);
/// So much of a file is read through a memory map, which all connections share.
pub(crate) const MAPPED_BYTES: i64 = 1 << 30;
/// Pages that a connection keeps in memory of its own, at most.
const CACHE_KIBIBYTES: i64 = 16_384;

/// A connection, and which of the files that have been at the path it is to.
#[derive(Debug)]
pub(crate) struct Opened {
    connection: Connection,
    epoch: u64,
    interrupt: Arc<Interrupt>,
}

impl Opened {
    /// The number of the file; see [`Watched::epoch`].
    pub(crate) fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Ends what runs here from now on when this says that it is over. SQLite asks after so many of its steps, and our
    /// functions ask while they work.
    pub(crate) fn interrupt_when(
        &mut self,
        steps: i32,
        is_over: impl Fn() -> bool + Send + 'static,
    ) -> rusqlite::Result<()> {
        self.interrupt.set(&mut self.connection, steps, is_over)
    }
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
/// change, while there is no log; [`Watched`] notices when one appears.
pub(crate) fn to_read(path: &Path, busy: Duration, watched: &Watched) -> Result<Opened> {
    let epoch = watched.epoch();
    let interrupt = Arc::<Interrupt>::default();
    let common = OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let open = |name: &OsStr, flags: OpenFlags| {
        let connection = Connection::open_with_flags(name, flags | common)?;
        wait_for_locks(&connection, busy)?;
        probe(&connection)?;
        prepare(&connection, &interrupt).map(|()| connection)
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
    Ok(Opened { connection, epoch, interrupt })
}

/// Sets how long a connection waits for a lock.
pub(crate) fn wait_for_locks(connection: &Connection, time: Duration) -> rusqlite::Result<()> {
    // SQLite counts milliseconds in 31 bits.
    const LONGEST: Duration = Duration::from_secs(2_147_483);
    connection.busy_timeout(time.min(LONGEST))
}

/// Opens a connection that may write, and that waits for a lock for so long.
pub(crate) fn to_write(
    path: &Path,
    busy: Duration,
    synchronous: Synchronous,
    watched: &Watched,
) -> Result<Opened> {
    let epoch = watched.epoch();
    let interrupt = Arc::<Interrupt>::default();
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let open = || -> rusqlite::Result<Connection> {
        let connection = Connection::open_with_flags(path, flags)?;
        wait_for_locks(&connection, busy)?;
        probe(&connection)?;
        prepare(&connection, &interrupt)?;
        connection.pragma_update(None, "query_only", false)?;
        connection.pragma_update(None, "foreign_keys", true)?;
        connection.pragma_update(None, "synchronous", synchronous.word())?;
        Ok(connection)
    };
    // What can be read but not opened for writing (a write-ahead log in a folder that cannot
    // be written) is read-only too.
    let connection = open().map_err(|error| match cannot_open(&error) && path.is_file() {
        true => refusal(Code::DatabaseReadOnly).cause(error),
        false => error_of(&error),
    })?;
    let read_only = connection.is_readonly("main").map_err(|error| error_of(&error))?;
    if read_only {
        let cause = format!("{} cannot be written", path.display());
        return Err(refusal(Code::DatabaseReadOnly).cause(cause));
    }
    Ok(Opened { connection, epoch, interrupt })
}

pub(crate) fn is_locked(error: &rusqlite::Error) -> bool {
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

/// Reads the first page, which says whether the file is a database. The schema is read by the first statement that
/// names a table: of 20,000 tables it takes 28 MB and a quarter of a second, on each connection.
fn probe(connection: &Connection) -> rusqlite::Result<()> {
    connection.query_row("PRAGMA schema_version", [], |_| Ok(()))
}

/// Reads so much of the file through a memory map from now on.
pub(crate) fn map_file(connection: &Connection, bytes: i64) -> rusqlite::Result<()> {
    connection.pragma_update(None, "mmap_size", bytes)
}

fn prepare(connection: &Connection, interrupt: &Arc<Interrupt>) -> rusqlite::Result<()> {
    connection.pragma_update(None, "query_only", true)?;
    map_file(connection, MAPPED_BYTES)?;
    connection.pragma_update(None, "cache_size", -CACHE_KIBIBYTES)?;
    // Without this guarantee, statistics of ANALYZE make plans depend on the bound values, and
    // SQLite compiles a statement again for each other key.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(256);
    functions::register_for(connection, interrupt)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_time_may_be_set() {
        let connection = Connection::open_in_memory().unwrap();
        for time in [Duration::ZERO, Duration::from_secs(5), Duration::MAX] {
            wait_for_locks(&connection, time).unwrap();
        }
    }
}
