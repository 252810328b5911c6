//! Commits of others: another program, another application of this process over the same file, or a bulk
//! load, which has a connection of its own.
//!
//! `PRAGMA data_version` gives a connection another number once another connection has committed, and
//! never for its own commits. All writes of requests go through one connection, so its number tells
//! others' commits apart. It is looked at within each of its transactions, before the writes, and every
//! [`EVERY`] while there are none. A connection that looks for the first time knows nothing of what was
//! before, so that counts as a commit of others.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, Statement};
use tokio::sync::oneshot;

use duet_store::commits::Commits;

/// How often an idle connection looks. A look takes microseconds.
pub(crate) const EVERY: Duration = Duration::from_millis(50);

/// Whether commits of others are watched for, and who waits for the next look.
#[derive(Debug, Default)]
pub(crate) struct Foreign {
    on: AtomicBool,
    waiting: Mutex<Vec<oneshot::Sender<()>>>,
}

impl Foreign {
    /// Whether commits of others are watched for.
    pub(crate) fn is_on(&self) -> bool {
        self.on.load(Ordering::Relaxed)
    }

    /// Begins or ends to watch.
    pub(crate) fn set(&self, on: bool) {
        self.on.store(on, Ordering::Relaxed);
    }

    /// Answers after the next look that begins.
    pub(crate) fn next_look(&self) -> oneshot::Receiver<()> {
        let (looked, has_looked) = oneshot::channel();
        self.waiting().push(looked);
        has_looked
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<oneshot::Sender<()>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks, and delivers an event where others have committed since the last look or that is not known.
    pub(crate) fn look(&self, watch: &mut Watch<'_>, commits: &Commits) {
        let waiting = std::mem::take(&mut *self.waiting());
        if watch.has_moved() {
            commits.foreign();
        }
        answer(waiting);
    }

    /// The file cannot be looked at: anything may have been committed.
    pub(crate) fn cannot_look(&self, commits: &Commits) {
        let waiting = std::mem::take(&mut *self.waiting());
        commits.foreign();
        answer(waiting);
    }
}

/// Those that have gone need no answer.
fn answer(waiting: Vec<oneshot::Sender<()>>) {
    for looked in waiting {
        let _ = looked.send(());
    }
}

/// What a connection saw when it last looked.
#[derive(Debug)]
pub(crate) struct Watch<'c> {
    statement: Statement<'c>,
    seen: Option<i64>,
}

impl<'c> Watch<'c> {
    pub(crate) fn new(connection: &'c Connection) -> rusqlite::Result<Self> {
        Ok(Self { statement: connection.prepare("PRAGMA data_version")?, seen: None })
    }

    /// Whether another connection has committed since the last look, or may have.
    fn has_moved(&mut self) -> bool {
        let version = match self.statement.query_row([], |row| row.get(0)) {
            // While others keep the file locked, nothing new is in it; the next look sees what follows.
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {
                return false;
            }
            version => version.ok(),
        };
        let before = std::mem::replace(&mut self.seen, version);
        version.is_none() || version != before
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicU64;

    use duet_model::commit::{Cause, CommitConsumer, CommitEvent};
    use duet_testkit::sqlite::{Folder, open};

    use super::*;

    /// Counts events of commits of others.
    #[derive(Default)]
    struct Counter(AtomicU64);

    impl CommitConsumer for Counter {
        fn committed(&self, event: &CommitEvent<'_>) {
            assert_eq!((event.cause, event.everything), (Cause::Foreign, true));
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn commits_of_other_connections_are_seen_and_own_ones_are_not() {
        for mode in ["wal", "delete", "truncate"] {
            let folder = Folder::new();
            let mode = format!("PRAGMA journal_mode = {mode}");
            let path = folder.load("a.db", &[&mode, "CREATE TABLE t (a)"]);
            let (own, other) = (open(&path), open(&path));
            let (commits, counter) = (Commits::default(), Arc::new(Counter::default()));
            commits.subscribe(Arc::clone(&counter) as _);
            let foreign = Foreign::default();
            let mut watch = Watch::new(&own).unwrap();
            let mut look = || {
                foreign.look(&mut watch, &commits);
                counter.0.swap(0, Ordering::Relaxed)
            };
            assert_eq!([look(), look()], [1, 0], "the first look knows nothing");
            for _ in 0..3 {
                own.execute_batch("BEGIN IMMEDIATE; INSERT INTO t VALUES (1); COMMIT").unwrap();
                assert_eq!(look(), 0, "{mode}: an own commit");
            }
            other.execute_batch("BEGIN; INSERT INTO t VALUES (2); ROLLBACK").unwrap();
            assert_eq!(look(), 0, "{mode}: what was rolled back");
            other.execute_batch("INSERT INTO t VALUES (3); INSERT INTO t VALUES (4)").unwrap();
            assert_eq!([look(), look()], [1, 0], "{mode}: another's commits");
            // What another commits between two transactions of ours is seen within the second.
            own.execute_batch("INSERT INTO t VALUES (5)").unwrap();
            other.execute_batch("INSERT INTO t VALUES (6)").unwrap();
            own.execute_batch("BEGIN IMMEDIATE; INSERT INTO t VALUES (7)").unwrap();
            assert_eq!(look(), 1, "{mode}: within a transaction");
            own.execute_batch("COMMIT").unwrap();
            assert_eq!(look(), 0, "{mode}: after it");
            // A lock is no commit; commits behind it are seen afterwards.
            own.busy_timeout(Duration::ZERO).unwrap();
            other.execute_batch("BEGIN EXCLUSIVE; INSERT INTO t VALUES (7)").unwrap();
            assert_eq!(look(), 0, "{mode}: a lock");
            other.execute_batch("COMMIT").unwrap();
            assert_eq!([look(), look()], [1, 0], "{mode}: behind a lock");
            // Moving the log into the file changes nothing.
            for checkpoint in ["PASSIVE", "RESTART"] {
                let checkpoint = format!("PRAGMA wal_checkpoint({checkpoint})");
                other.query_row(&checkpoint, [], |_| Ok(())).unwrap();
                assert_eq!(look(), 0, "{mode}: {checkpoint}");
                own.execute_batch("INSERT INTO t VALUES (8)").unwrap();
                assert_eq!(look(), 0, "{mode}: after {checkpoint}");
            }
        }
    }

    #[test]
    fn waiters_are_notified_of_the_next_check() {
        let folder = Folder::new();
        let connection = open(&folder.load("a.db", &["CREATE TABLE t (a)"]));
        let (commits, foreign) = (Commits::default(), Foreign::default());
        let mut watch = Watch::new(&connection).unwrap();
        let mut looked = foreign.next_look();
        assert!(looked.try_recv().is_err());
        foreign.look(&mut watch, &commits);
        assert_eq!(looked.try_recv(), Ok(()));
        let mut failed = foreign.next_look();
        foreign.cannot_look(&commits);
        assert_eq!(failed.try_recv(), Ok(()));
    }
}
