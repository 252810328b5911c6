//! Checkpoints, on a thread of their own: commits move from the write-ahead log into the
//! database file while others go on reading and writing.
//!
//! SQLite's own checkpoints run inside of the commit that makes the log long, and that write pays for
//! the whole copy and its syncs. Here the thread copies meanwhile (`PASSIVE`). Then it queues
//! among the writers and copies the little that has come since: a log that is copied whole is written
//! from its beginning again by the next write. Its file keeps its length, because a commit that makes a
//! file longer waits two to three times as long for the disk as one that overwrites. Where a reader
//! still needs the log it grows; above the limit the thread waits for readers too, a moment
//! (`RESTART`), and the file is cut to the limit once the log begins again. Where the thread cannot
//! keep up, writes wait for it from twice the limit on; not if a reader blocks it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use duet_admission::Deadline;
use duet_model::{Error, Result};
use rusqlite::Connection;
use rusqlite::hooks::Wal;

use crate::connection::Opened;
use crate::connection::failure::error_of;
use crate::file::File;

/// The thread rests so long between two checkpoints.
const REST: Duration = Duration::from_millis(10);
/// How long writers wait where the log is far too long and readers still need it.
const READERS: Duration = Duration::from_millis(20);
/// How long the thread waits in the queue of writers.
const TURN: Duration = Duration::from_secs(5);
/// How long the thread does not wait for readers again after one blocked it.
const AGAIN: Duration = Duration::from_secs(1);
/// From this part of the limit on, the log is copied and begun again.
const PART: u64 = 4;
/// From this multiple of the limit on, writes wait.
const MOST: i64 = 2;

/// Wakes the thread, which is started when first needed.
#[derive(Debug)]
pub(crate) struct Checkpointer {
    wake: SyncSender<()>,
    woken: Mutex<Option<Receiver<()>>>,
    log: Arc<Log>,
}

/// What is known of the log.
#[derive(Debug, Default)]
struct Log {
    /// Pages in it, as of the last commit or checkpoint.
    pages: AtomicI64,
    /// Pages from which on writes wait; 0 for not known yet.
    most: AtomicI64,
    /// Whether it cannot begin again: a reader needs it, or something is wrong.
    stuck: AtomicBool,
    lock: Mutex<()>,
    /// A checkpoint has ended.
    ended: Condvar,
}

impl Log {
    fn is_too_long(&self) -> bool {
        let most = self.most.load(Ordering::Relaxed);
        let pages = self.pages.load(Ordering::Relaxed);
        most > 0 && pages >= most && !self.stuck.load(Ordering::Relaxed)
    }

    fn round_ended(&self) {
        drop(self.lock.lock().unwrap_or_else(PoisonError::into_inner));
        self.ended.notify_all();
    }
}

impl Checkpointer {
    pub(crate) fn new() -> Self {
        let (wake, woken) = sync_channel(1);
        Self { wake, woken: Mutex::new(Some(woken)), log: Arc::default() }
    }

    /// Waits while the log is far too long and can begin again, at most until then.
    pub(crate) fn wait(&self, until: Instant) {
        if !self.log.is_too_long() {
            return;
        }
        let mut held = self.log.lock.lock().unwrap_or_else(PoisonError::into_inner);
        while self.log.is_too_long() {
            // Where it is full, the thread has been woken.
            let _ = self.wake.try_send(());
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            let waited = self.log.ended.wait_timeout(held, left);
            held = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// A connection that may write, whose checkpoints the thread does.
    pub(crate) fn connect(&self, file: &Arc<File>) -> Result<Opened> {
        let mut opened = file.connect_to_checkpoint()?;
        self.start(file)?;
        let watched = self.watch(&mut opened, file.wal_bytes());
        watched.map_err(|error| error_of(&error))?;
        Ok(opened)
    }

    /// Starts the thread, if it does not run.
    fn start(&self, file: &Arc<File>) -> Result<()> {
        let mut woken = self.woken.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(woken) = woken.take() else { return Ok(()) };
        let (file, log) = (Arc::downgrade(file), Arc::clone(&self.log));
        let thread = thread::Builder::new().name("sqlite-checkpoint".to_owned());
        let serve = move || serve(&file, &woken, &log);
        thread.spawn(serve).map(drop).map_err(Error::internal)
    }

    /// Takes the checkpoints from a connection that writes, which would otherwise do its own.
    fn watch(&self, connection: &mut Connection, limit: u64) -> rusqlite::Result<()> {
        let from = pages(connection, limit / PART)?;
        connection.pragma_update(
            None,
            "journal_size_limit",
            i64::try_from(limit).unwrap_or(i64::MAX),
        )?;
        let (wake, log) = (self.wake.clone(), Arc::clone(&self.log));
        log.most.store(pages(connection, limit)?.saturating_mul(MOST), Ordering::Relaxed);
        let committed = move |_: &mut Wal, pages: i32| {
            log.pages.store(pages.into(), Ordering::Relaxed);
            if i64::from(pages) >= from {
                // Where it is full, the thread has been woken.
                let _ = wake.try_send(());
            }
            Ok(())
        };
        connection.wal_hook(Some(committed))
    }
}

/// So many bytes as pages of the file; at least one.
fn pages(connection: &Connection, bytes: u64) -> rusqlite::Result<i64> {
    let size: i64 = connection.query_row("PRAGMA page_size", [], |row| row.get(0))?;
    Ok((i64::try_from(bytes).unwrap_or(i64::MAX) / size.max(1)).max(1))
}

/// The thread's connection, and when it may try again to empty the log.
#[derive(Default)]
struct ThreadState {
    opened: Option<Opened>,
    not_before: Option<Instant>,
}

/// The thread's life: it ends with the database and the last connection that writes to it.
fn serve(file: &Weak<File>, woken: &Receiver<()>, log: &Log) {
    let mut held = ThreadState::default();
    while woken.recv().is_ok() {
        let Some(file) = file.upgrade() else { return };
        let round = catch_unwind(AssertUnwindSafe(|| held.round(&file, log)));
        if !matches!(round, Ok(Ok(()))) {
            // The next commit retries: its write meets the same problem.
            held = ThreadState::default();
            log.stuck.store(true, Ordering::Relaxed);
        }
        drop(file);
        log.round_ended();
        if !log.is_too_long() {
            thread::sleep(REST);
        }
    }
}

impl ThreadState {
    fn round(&mut self, file: &File, log: &Log) -> Result<()> {
        let opened = match self.opened.take().filter(|opened| file.is_current(opened)) {
            Some(opened) => opened,
            None => file.connect_to_checkpoint()?,
        };
        self.checkpoint(file, &opened, log).map_err(|error| error_of(&error))?;
        self.opened = Some(opened);
        Ok(())
    }

    fn checkpoint(
        &mut self,
        file: &File,
        connection: &Connection,
        log: &Log,
    ) -> rusqlite::Result<()> {
        let (_, length) = run(connection, "PRAGMA wal_checkpoint(PASSIVE)")?;
        file.statistics().checkpointed();
        if length < pages(connection, file.wal_bytes() / PART)? {
            return Ok(());
        }
        let Some(_turn) = file.turns().wait_until(Deadline::after(Instant::now(), TURN)) else {
            return Ok(());
        };
        let may_wait = self.not_before.is_none_or(|moment| moment <= Instant::now());
        if length < pages(connection, file.wal_bytes())? || !may_wait {
            return run(connection, "PRAGMA wal_checkpoint(PASSIVE)").map(drop);
        }
        let (is_busy, _) = run(connection, "PRAGMA wal_checkpoint(RESTART)")?;
        // The log begins again; that much is known before the next commit says so.
        log.pages.store(if is_busy { length } else { 0 }, Ordering::Relaxed);
        log.stuck.store(is_busy, Ordering::Relaxed);
        self.not_before = is_busy.then(|| Instant::now() + AGAIN);
        Ok(())
    }
}

/// Runs a checkpoint: whether another connection blocked it, and the pages in the log.
fn run(connection: &Connection, sql: &str) -> rusqlite::Result<(bool, i64)> {
    connection.busy_timeout(READERS)?;
    connection.query_row(sql, [], |row| Ok((row.get::<_, i64>(0)? != 0, row.get(1)?)))
}
