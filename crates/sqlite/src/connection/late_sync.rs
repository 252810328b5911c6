//! Commits of the class `async`: their transaction does not wait for the disk, and the write-ahead log is
//! synced a moment later, on a thread of its own.
//!
//! `PRAGMA synchronous` is set between transactions, never within one, so a transaction has the strongest class of
//! its writes. With `NORMAL` SQLite itself would sync only when the log is copied, which may be minutes
//! later; so the thread syncs the log at most [`WINDOW`] after the first commit that waits for it. It opens the log
//! by a descriptor of its own: POSIX locks are held on the database and its index of the log, never on the log,
//! so closing it releases none.

use std::cell::Cell;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use duet_model::commit_class::CommitClass;
use duet_store::files::Synchronous;
use rusqlite::Connection;

use crate::connection::watched::log_of;

/// How long after a commit the sync of the log begins.
const WINDOW: Duration = Duration::from_millis(100);

/// The syncs of one database's log.
#[derive(Debug)]
pub(crate) struct LateSync {
    log: PathBuf,
    /// Whether there is a commit that no sync was begun for.
    owed: Arc<AtomicBool>,
    wake: SyncSender<()>,
    woken: Mutex<Option<Receiver<()>>>,
}

impl LateSync {
    /// For the database at a path. The thread is started when first needed, and ends with this.
    pub(crate) fn new(database: &Path) -> Self {
        let (wake, woken) = sync_channel(1);
        let woken = Mutex::new(Some(woken));
        Self { log: log_of(database), owed: Arc::default(), wake, woken }
    }

    /// There is a commit to be synced.
    fn owe(&self) {
        if self.owed.swap(true, Ordering::AcqRel) {
            return;
        }
        self.start();
        // Where it is full, the thread has been woken.
        let _ = self.wake.try_send(());
    }

    fn start(&self) {
        let mut woken = self.woken.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(receiver) = woken.take() else { return };
        let (log, owed) = (self.log.clone(), Arc::clone(&self.owed));
        let serve = move || serve(&log, &owed, &receiver);
        if let Err(error) = thread::Builder::new().name("sqlite-late-sync".to_owned()).spawn(serve)
        {
            tracing::error!(%error, "commits of the class async are synced with the next durable commit only");
        }
    }
}

/// The thread's life.
fn serve(log: &Path, owed: &AtomicBool, woken: &Receiver<()>) {
    while woken.recv().is_ok() {
        thread::sleep(WINDOW);
        // Commits from here on ask again.
        owed.store(false, Ordering::Release);
        if let Err(error) = sync(log) {
            tracing::error!(%error, "commits of the class async could not be synced");
        }
    }
    // The last connection that closes copies the log into the file and syncs it.
}

/// Syncs the log; one that is gone was copied into the database, which was synced.
fn sync(log: &Path) -> io::Result<()> {
    match File::open(log) {
        Ok(file) => file.sync_data(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// When the transactions of a connection wait for the disk.
#[derive(Debug)]
pub(crate) struct Syncing {
    late: Arc<LateSync>,
    /// What the connection has set; unknown where that has failed.
    now: Cell<Option<Synchronous>>,
    /// Whether the transaction under way leaves its sync to the thread.
    is_late: Cell<bool>,
}

impl Syncing {
    /// Of a connection that has the setting of its file.
    pub(crate) fn of(late: &Arc<LateSync>, synchronous: Synchronous) -> Self {
        Self {
            late: Arc::clone(late),
            now: Cell::new(Some(synchronous)),
            is_late: Cell::new(false),
        }
    }

    /// Before a transaction of this class, on a file with this setting.
    ///
    /// # Errors
    /// Those of SQLite; then the transaction must not begin.
    pub(crate) fn set(
        &self,
        connection: &Connection,
        commit: CommitClass,
        usual: Synchronous,
    ) -> rusqlite::Result<()> {
        let wanted = match commit {
            CommitClass::Sync => usual.max(Synchronous::Extra),
            // With a rollback journal a commit without its syncs may damage the file.
            CommitClass::Async if has_log(connection)? => usual.min(Synchronous::Normal),
            _ => usual,
        };
        self.is_late.set(commit == CommitClass::Async && wanted == Synchronous::Normal);
        if self.now.get() == Some(wanted) {
            return Ok(());
        }
        self.now.set(None);
        connection.pragma_update(None, "synchronous", wanted.word())?;
        self.now.set(Some(wanted));
        Ok(())
    }

    /// The transaction is committed.
    pub(crate) fn committed(&self) {
        if self.is_late.get() {
            self.late.owe();
        }
    }
}

/// Whether a file has a write-ahead log.
fn has_log(connection: &Connection) -> rusqlite::Result<bool> {
    let mode: String = connection.query_row("PRAGMA journal_mode", [], |row| row.get(0))?;
    Ok(mode.eq_ignore_ascii_case("wal"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The setting that a transaction of a class has: 0 for `OFF` to 3 for `EXTRA`.
    fn setting(journal: &str, commit: CommitClass, usual: Synchronous) -> (i64, bool) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let connection = Connection::open(&path).unwrap();
        connection.pragma_update(None, "journal_mode", journal).unwrap();
        connection.pragma_update(None, "synchronous", usual.word()).unwrap();
        let syncing = Syncing::of(&Arc::new(LateSync::new(&path)), usual);
        syncing.set(&connection, commit, usual).unwrap();
        let now = connection.query_row("PRAGMA synchronous", [], |row| row.get(0)).unwrap();
        (now, syncing.is_late.get())
    }

    #[test]
    fn a_class_decides_when_its_transaction_waits_for_the_disk() {
        use CommitClass::{Async, Group, Sync};
        use Synchronous::{Extra, Full, Normal, Off};
        assert_eq!(setting("wal", Group, Extra), (3, false));
        assert_eq!(setting("wal", Async, Extra), (1, true));
        assert_eq!(setting("wal", Async, Normal), (1, true));
        assert_eq!(setting("wal", Async, Off), (0, false));
        assert_eq!(setting("wal", Sync, Off), (3, false));
        assert_eq!(setting("wal", Sync, Full), (3, false));
        assert_eq!(setting("delete", Async, Full), (2, false));
    }

    #[test]
    fn a_commit_is_synced_later() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let connection = Connection::open(&path).unwrap();
        connection.pragma_update(None, "journal_mode", "wal").unwrap();
        connection.execute_batch("CREATE TABLE t (a)").unwrap();
        let late = Arc::new(LateSync::new(&path));
        for _ in 0..3 {
            late.owe();
            while late.owed.load(Ordering::Acquire) {
                thread::yield_now();
            }
        }
        assert!(log_of(&path).exists());
        sync(&log_of(&path)).unwrap();
        sync(&folder.path().join("gone")).unwrap();
    }
}
