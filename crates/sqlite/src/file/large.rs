//! Reads of large values, whose memory is counted before SQLite takes it.
//!
//! SQLite copies a value as a whole before its caller learns how long it is. So a connection that
//! reads refuses values above [`SMALL_VALUE`] at first, and a read that meets one leases memory of
//! all requests, in steps, before the read is repeated.
//!
//! A read that finds no memory is tried once more while other large reads wait.

use std::sync::{Mutex, MutexGuard, PoisonError};

use duet_model::memory::{Budget, Lease};
use duet_model::{Code, Result};
use rusqlite::limits::Limit;
use rusqlite::{Connection, ErrorCode};

use crate::connection::failure::error_of;
use crate::connection::{MAPPED_BYTES, map_file};

/// Values up to this size are read without a lease.
pub(crate) const SMALL_VALUE: i32 = 1 << 20;

/// Sets the limit on values that a connection reads from now on.
pub(crate) fn limit_values(connection: &Connection, bytes: i32) -> rusqlite::Result<()> {
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, bytes).map(drop)
}

/// Whether an error says that a value is above the limit of its connection.
pub(crate) fn is_too_large(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::TooBig)
}

/// Held by a read for which there was too little memory while others were under way. Those that
/// begin meanwhile wait for it, so that reads which fit one by one do not refuse each other.
#[derive(Debug, Default)]
pub(crate) struct Alone(Mutex<()>);

impl Alone {
    fn enter(&self) -> MutexGuard<'_, ()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// As [`read`], and once again alone where it is refused.
    ///
    /// # Errors
    /// As [`read`].
    pub(crate) fn read<T>(
        &self,
        connection: &Connection,
        memory: &Budget,
        mut run: impl FnMut() -> rusqlite::Result<Result<T>>,
    ) -> Result<T> {
        let first = run();
        if !first.as_ref().is_err_and(is_too_large) {
            return first.map_err(|error| error_of(&error))?;
        }
        drop(self.enter());
        match read(connection, memory, &mut run) {
            Err(error) if error.code == Code::MemoryLimit => {
                let _alone = self.enter();
                read(connection, memory, run)
            }
            ended => ended,
        }
    }
}

/// Runs a read that meets large values; repeats it with a higher limit while they are larger.
///
/// # Errors
/// [`Code::MemoryLimit`] if no memory is free; otherwise the error of the read.
pub(crate) fn read<T>(
    connection: &Connection,
    memory: &Budget,
    mut read: impl FnMut() -> rusqlite::Result<Result<T>>,
) -> Result<T> {
    let mut room = ValueLimit::new(connection, memory)?;
    loop {
        let grown = room.grow()?;
        match read() {
            Err(error) if grown && is_too_large(&error) => {}
            ended => return ended.map_err(|error| error_of(&error))?,
        }
    }
}

/// Room for large values on a connection, until it is dropped.
pub(crate) struct ValueLimit<'c> {
    connection: &'c Connection,
    value: i32,
    lease: Lease,
}

impl<'c> ValueLimit<'c> {
    /// Room for small values yet. Large ones are read without the memory map, whose pages would be
    /// resident beside the copy.
    ///
    /// # Errors
    /// Where the connection refuses its settings.
    pub(crate) fn new(connection: &'c Connection, memory: &Budget) -> Result<Self> {
        map_file(connection, 0).map_err(|error| error_of(&error))?;
        Ok(Self { connection, value: SMALL_VALUE, lease: memory.open() })
    }

    /// Makes room for larger values; false where SQLite knows no larger ones.
    ///
    /// # Errors
    /// [`Code::MemoryLimit`] where there is too little memory.
    pub(crate) fn grow(&mut self) -> Result<bool> {
        let value = self.value.saturating_add(self.value / 2);
        self.lease.grow_to(usize::try_from(value).unwrap_or_default())?;
        limit_values(self.connection, value).map_err(|error| error_of(&error))?;
        let set = self.connection.limit(Limit::SQLITE_LIMIT_LENGTH);
        let grown = set.as_ref().is_ok_and(|set| *set > self.value);
        self.value = value;
        Ok(grown)
    }
}

impl Drop for ValueLimit<'_> {
    /// Pages of large values that SQLite keeps are given back too. A connection that refuses these
    /// settings fails at its next read.
    fn drop(&mut self) {
        drop(limit_values(self.connection, SMALL_VALUE));
        drop(self.connection.execute_batch("PRAGMA shrink_memory"));
        drop(map_file(self.connection, MAPPED_BYTES));
    }
}

#[cfg(test)]
mod tests {
    use duet_testkit::sqlite::Folder;

    use super::*;

    const BYTES: usize = 5 << 20;

    /// A connection as readers have it, to a file with a value of this size.
    fn opened() -> (Folder, Connection) {
        let folder = Folder::new();
        let table = "CREATE TABLE t (id INTEGER PRIMARY KEY, body BLOB)";
        let row = format!("INSERT INTO t VALUES (1, randomblob({BYTES}))");
        let path = folder.load("a.db", &[table, &row]);
        let connection = Connection::open(path).unwrap();
        map_file(&connection, MAPPED_BYTES).unwrap();
        limit_values(&connection, SMALL_VALUE).unwrap();
        (folder, connection)
    }

    fn length(connection: &Connection) -> rusqlite::Result<usize> {
        let bytes = |row: &rusqlite::Row<'_>| Ok(row.get_ref(0)?.as_blob()?.len());
        connection.query_row("SELECT body FROM t", [], bytes)
    }

    fn settings(connection: &Connection) -> (i32, i64) {
        let mapped = connection.query_row("PRAGMA mmap_size", [], |row| row.get(0));
        (connection.limit(Limit::SQLITE_LIMIT_LENGTH).unwrap(), mapped.unwrap())
    }

    #[test]
    fn the_memory_of_a_value_is_counted_before_it_is_read() {
        let (_folder, connection) = opened();
        let memory = Budget::new(2 * BYTES);
        let counted = |connection: &Connection| length(connection).map(|_| memory.usage().used);
        let alone = Alone::default();
        let used = alone.read(&connection, &memory, || counted(&connection).map(Ok)).unwrap();
        assert!((BYTES..2 * BYTES).contains(&used), "{used}");
        assert_eq!(memory.usage().used, 0);
        assert_eq!(settings(&connection), (SMALL_VALUE, MAPPED_BYTES));
    }

    #[test]
    fn a_value_without_room_is_not_read() {
        let (_folder, connection) = opened();
        let memory = Budget::new(BYTES / 2);
        let alone = Alone::default();
        let refused = alone.read(&connection, &memory, || length(&connection).map(Ok));
        assert_eq!(refused.unwrap_err().code, Code::MemoryLimit);
        assert_eq!((memory.usage().used, memory.usage().refused), (0, 2));
        assert_eq!(settings(&connection), (SMALL_VALUE, MAPPED_BYTES));
    }

    /// Others hold half of the memory until this read has been refused once.
    #[test]
    fn a_read_that_fits_alone_is_not_refused() {
        let (_folder, connection) = opened();
        let memory = Budget::new(2 * BYTES);
        let mut others = Some(memory.lease(BYTES).unwrap());
        let run = || {
            if memory.usage().refused > 0 {
                others.take();
            }
            length(&connection).map(Ok)
        };
        assert_eq!(Alone::default().read(&connection, &memory, run), Ok(BYTES));
        assert_eq!(memory.usage().refused, 1);
    }

    #[test]
    fn other_errors_are_reported() {
        let (_folder, connection) = opened();
        let wrong = || connection.execute("SELECT absent FROM t", []).map(Ok);
        let error = Alone::default().read(&connection, &Budget::unlimited(), wrong).unwrap_err();
        assert_eq!(error.code, Code::SchemaChanged);
    }
}
