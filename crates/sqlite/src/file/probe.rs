//! Whether the file can be read and written, for health checks.
//!
//! The check runs about every second, so it is cheap: it reads the file's identity and the free space
//! of the disk. Every five seconds, or later where that takes long, and where something is wrong, it reads the schema and the first row of some
//! tables, and begins a transaction that writes nothing. What requests have met (a damaged page, a full
//! disk) is remembered until this closer look finds it gone.
//!
//! Only SQLite reads the file. A file that this process opens and closes directly loses all locks
//! that the process holds on it (POSIX): the next program to close its connection would then take itself
//! for the last one and delete the write-ahead log, with commits in it.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use duet_admission::Deadline;
use duet_model::{Code, Error, Result};
use rusqlite::{Connection, ErrorCode};

use crate::connection::Opened;
use crate::connection::failure::{DAMAGED, error_of};
use crate::connection::slice::STEPS_PER_CHECK;
use crate::file::File;

/// So often is looked more closely.
const CLOSER_EVERY: Duration = Duration::from_secs(5);
/// A closer look takes this part of the time at most: where the schema is large, reading it takes long.
const SHARE: u32 = 50;
/// The longest time between two.
const LONGEST: Duration = Duration::from_secs(60);
/// How long a lock of another program may last before it counts.
const LOCK: Duration = Duration::from_secs(2);
/// The pause between two tries to lock the file.
const PAUSE: Duration = Duration::from_millis(100);
/// How long the whole file may be checked for damage.
const CHECK: Duration = Duration::from_secs(5);
/// So many tables are looked at each time.
const TABLES: usize = 20;

impl File {
    /// Whether the file can be read and written.
    ///
    /// # Errors
    /// Why not, in words for the operator.
    pub(crate) fn probe(&self) -> Result<()> {
        self.look()?;
        let free = rustix::fs::statvfs(self.path()).map_err(Error::internal)?;
        let free = free.f_bavail.saturating_mul(free.f_frsize);
        if free < self.disk_reserve() {
            let message = format!(
                "The disk of the database file is nearly full: {} MiB are free, less than \
                 sqlite_disk_reserve.",
                free >> 20
            );
            return Err(Error::new(Code::DatabaseUnavailable, message));
        }
        let health = self.health();
        let mut sound = health.sound.lock().unwrap_or_else(PoisonError::into_inner);
        let is_noted =
            health.damaged.load(Ordering::Relaxed) || health.full.load(Ordering::Relaxed);
        if !is_noted && sound.is_some_and(|until| Instant::now() < until) {
            return Ok(());
        }
        *sound = None;
        let begun = Instant::now();
        self.tables()?;
        let taken = begun.elapsed();
        self.try_to_write()?;
        *sound = Some(Instant::now() + CLOSER_EVERY.max(taken * SHARE).min(LONGEST));
        Ok(())
    }

    /// Reads the schema and the first row of some tables, others each time; all of the file, where a
    /// request has met damage.
    fn tables(&self) -> Result<()> {
        // Reads the first page, which identifies the file.
        let mut opened = self.connect().map_err(|error| match error.code {
            Code::Setting => {
                Error::new(Code::Internal, DAMAGED).cause(error.cause.unwrap_or_default())
            }
            _ => error,
        })?;
        let tables = || -> rusqlite::Result<Vec<String>> {
            let names = "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0";
            let mut statement = opened.prepare(names)?;
            let names = statement.query_map([], |row| row.get(0))?;
            names.collect()
        };
        let names = not_locked(tables())?.unwrap_or_default();
        let from = self.health().next_table.fetch_add(TABLES, Ordering::Relaxed);
        for at in (from..).take(TABLES.min(names.len())) {
            let quoted = names[at % names.len()].replace('"', "\"\"");
            let first = format!("SELECT count(*) FROM (SELECT * FROM \"{quoted}\" LIMIT 1)");
            not_locked(opened.query_row(&first, [], |_| Ok(())))?;
        }
        if self.health().damaged.load(Ordering::Relaxed) {
            let until = Instant::now() + CHECK;
            let over = move || Instant::now() > until;
            opened.interrupt_when(STEPS_PER_CHECK, over).map_err(|e| error_of(&e))?;
            quick_check(&opened)?;
            self.health().damaged.store(false, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Begins a transaction; where a write has found no room, tries to take some.
    fn try_to_write(&self) -> Result<()> {
        let opened: Opened = match self.connect_to_checkpoint() {
            Ok(opened) => opened,
            // It is served for reading only, and can be read.
            Err(error) if error.code == Code::DatabaseReadOnly => {
                self.health().read_only.store(true, Ordering::Relaxed);
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        self.health().read_only.store(false, Ordering::Relaxed);
        let is_full = self.health().full.load(Ordering::Relaxed);
        let work = if is_full { "CREATE TABLE duet_room (filling)" } else { "SELECT 1" };
        let begin = || {
            opened.busy_timeout(Duration::ZERO)?;
            opened.execute_batch(&format!("BEGIN IMMEDIATE; {work}; ROLLBACK"))
        };
        let until = Deadline::after(Instant::now(), LOCK);
        let begun = loop {
            // A load of this process has the file: it can be written, only not now.
            let Some(turn) = self.turns().wait_until(until) else { return Ok(()) };
            let begun = begin();
            // Writes need not wait behind another program's lock twice.
            drop(turn);
            let is_locked = begun
                .as_ref()
                .is_err_and(|error| error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy));
            if !is_locked || until.is_over(Instant::now() + PAUSE) {
                break begun;
            }
            thread::sleep(PAUSE);
        };
        match begun {
            Ok(()) => {
                self.health().full.store(false, Ordering::Relaxed);
                Ok(())
            }
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::ReadOnly) => Ok(()),
            Err(error) => Err(error_of(&error)),
        }
    }
}

/// A lock is for the probe of writes to judge.
fn not_locked<T>(result: rusqlite::Result<T>) -> Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) => match error_of(&error) {
            error if error.code == Code::DatabaseLocked => Ok(None),
            error => Err(error),
        },
    }
}

fn quick_check(connection: &Connection) -> Result<()> {
    let found = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0));
    match found.map_err(|error| error_of(&error))? {
        found if found == "ok" => Ok(()),
        found => Err(Error::new(Code::Internal, DAMAGED).cause(found)),
    }
}

#[cfg(test)]
mod tests {
    use duet_testkit::sqlite::{Folder, open};

    use super::*;
    use crate::connection::failure::FULL;
    use duet_store::files::Options;
    use duet_store::limits::Limits;

    /// While the check waits for another program's lock, writes of this process proceed.
    #[test]
    fn a_check_holds_no_write_turn_while_the_file_is_locked() {
        let folder = Folder::new();
        let path = folder.load("a.db", &["PRAGMA journal_mode = wal", "CREATE TABLE t (a)"]);
        let database = File::open(&path, &Options::default(), Limits::default()).unwrap();
        let database = std::sync::Arc::new(database);
        let other = open(&path);
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        let probed = std::sync::Arc::clone(&database);
        let probe = thread::spawn(move || probed.probe());
        // It queues again for each try.
        while database.queues().counted(&["file"])[0].1.admitted < 3 {
            assert!(!probe.is_finished(), "it had one turn all the time");
            thread::yield_now();
        }
        other.execute_batch("ROLLBACK").unwrap();
        assert_eq!(probe.join().unwrap(), Ok(()));
    }

    /// A write that found no room is remembered until a check finds room again.
    #[test]
    fn no_room_is_noted_until_there_is_some() {
        let folder = Folder::new();
        let path = folder.load("a.db", &["CREATE TABLE t (filling BLOB)"]);
        let database = File::open(&path, &Options::default(), Limits::default()).unwrap();
        let is_full = || database.health().full.load(Ordering::Relaxed);
        assert_eq!(database.probe(), Ok(()));
        let small = open(&path);
        small.query_row("PRAGMA max_page_count = 3", [], |_| Ok(())).unwrap();
        let error = small.execute("INSERT INTO t VALUES (zeroblob(100000))", []).unwrap_err();
        let error = error_of(&error);
        assert_eq!((error.code, &*error.message), (Code::DatabaseUnavailable, FULL));
        database.health().note(&error);
        assert!(is_full());
        // Looked at though the last look was a moment ago, and by taking room.
        assert_eq!(database.probe(), Ok(()));
        assert!(!is_full());
    }
}
