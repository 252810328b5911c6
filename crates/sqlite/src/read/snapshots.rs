//! Several reads of one connection in one snapshot.

use std::time::Duration;

use rusqlite::{Connection, Statement};

use crate::connection::slice::TimeSlice;

/// Begins and ends the transactions that are the snapshots of a connection.
///
/// Whatever fails, no transaction is open between two of them: the connection would see that snapshot from then on.
/// What `BEGIN` and `COMMIT` report does not say whether they had an effect. SQLite calls the progress handler for the
/// steps of all runs of a prepared statement together, and behind its last step too, so a `BEGIN` that was interrupted
/// may have begun.
pub(crate) struct Snapshots<'c> {
    connection: &'c Connection,
    begin: Statement<'c>,
    commit: Statement<'c>,
    slice: &'c TimeSlice,
}

impl<'c> Snapshots<'c> {
    /// Those of a connection whose progress handler asks this time slice.
    ///
    /// # Errors
    /// Where the statements cannot be prepared.
    pub(crate) fn of(connection: &'c Connection, slice: &'c TimeSlice) -> rusqlite::Result<Self> {
        let (begin, commit) = (connection.prepare("BEGIN")?, connection.prepare("COMMIT")?);
        Ok(Self { connection, begin, commit, slice })
    }

    /// Reads in one snapshot; where none can be begun, each statement has its own.
    pub(crate) fn around<T>(&mut self, read: impl FnOnce() -> T) -> T {
        // The time of the read before is over and does not count.
        self.slice.begin(Duration::MAX);
        drop(self.begin.raw_execute());
        let answer = read();
        self.slice.begin(Duration::MAX);
        if !self.connection.is_autocommit() {
            drop(self.commit.raw_execute());
        }
        if !self.connection.is_autocommit() {
            drop(self.connection.execute_batch("ROLLBACK"));
        }
        answer
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    /// More than it takes for the steps of `BEGIN` to add up to a call of the progress handler, at each of its steps.
    const SNAPSHOTS: usize = 200;

    fn count(connection: &Connection) -> i64 {
        connection.query_one("SELECT count(*) FROM t", [], |row| row.get(0)).unwrap()
    }

    /// A file with a table, and a connection that changes it.
    fn file(folder: &tempfile::TempDir) -> (std::path::PathBuf, Connection) {
        let path = folder.path().join("a.db");
        let writer = Connection::open(&path).unwrap();
        writer.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE t (a)").unwrap();
        (path, writer)
    }

    #[test]
    fn an_interrupted_begin_leaves_no_snapshot_behind() {
        let folder = tempfile::tempdir().unwrap();
        for steps in [97, 98, 99, 100] {
            let (path, writer) = file(&folder);
            let mut reader = Connection::open(&path).unwrap();
            let interrupts = Arc::new(AtomicBool::new(true));
            let asked = Arc::clone(&interrupts);
            // Whatever the slice says: some other handler might interrupt, and `COMMIT` too.
            reader.progress_handler(steps, Some(move || asked.load(Ordering::Relaxed))).unwrap();
            let slice = TimeSlice::new(Duration::ZERO);
            let mut snapshots = Snapshots::of(&reader, &slice).unwrap();
            for number in 1..=SNAPSHOTS as i64 {
                writer.execute_batch("INSERT INTO t VALUES (1)").unwrap();
                snapshots.around(|| ());
                assert!(reader.is_autocommit(), "{steps} {number}");
                interrupts.store(false, Ordering::Relaxed);
                assert_eq!(count(&reader), number, "{steps}");
                assert_eq!(snapshots.around(|| count(&reader)), number, "{steps}");
                interrupts.store(true, Ordering::Relaxed);
            }
            drop(snapshots);
            drop(reader);
            writer.execute_batch("DROP TABLE t").unwrap();
        }
    }

    #[test]
    fn a_slice_that_is_over_interrupts_no_snapshot() {
        let folder = tempfile::tempdir().unwrap();
        let (path, _writer) = file(&folder);
        let mut reader = Connection::open(&path).unwrap();
        let slice = Arc::new(TimeSlice::new(Duration::ZERO));
        let asked = Arc::clone(&slice);
        reader.progress_handler(10, Some(move || asked.is_over())).unwrap();
        let mut snapshots = Snapshots::of(&reader, &slice).unwrap();
        for _ in 0..SNAPSHOTS {
            // As a read leaves it that took too long.
            slice.begin(Duration::ZERO);
            while !slice.is_over() {}
            assert!(!snapshots.around(|| reader.is_autocommit()), "no snapshot has begun");
        }
    }
}
