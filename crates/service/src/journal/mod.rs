//! Rows acknowledged from a journal, and written to the database afterwards, exactly once.
//!
//! A request is checked as far as that needs no other rows ([`accept`]), appended to the journal of the
//! application, and answered when it is synced. One task writes the rows to the database ([`drain`]): the last
//! sequence id that is applied, and the epoch of the owner, are compared and stored in the transaction of the
//! rows ([`apply`]). Rows that the database refuses become dead letters ([`letters`]).

mod accept;
mod apply;
mod drain;
mod letters;
mod rows;
mod rules;
mod statements;
mod status;
mod waiting_item;
mod waiting_rows;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use duet_journal::{Disk, Failure, Journal, Options, RealDisk, Usage};
use duet_model::{Code, Error, Result};
use tokio::sync::{Notify, watch};

use crate::read::RequestContext;
use waiting_rows::WaitingRows;

use statements::MarkRead;

pub use accept::{Accepted, Durability, NewDocuments};
pub use duet_sql::{DeadLetter, Letters};
pub use letters::Redriven;
pub(crate) use rules::Rules;
pub use status::{RowsStatus, SequenceId, Stage};
pub use waiting_item::AnyItem;

/// How long a journal that cannot be opened is not tried again by requests.
const PAUSE: Duration = Duration::from_secs(1);

/// Where a journal is, and how large it may become.
#[derive(Clone, Debug)]
pub struct JournalOptions {
    /// Its folder.
    pub folder: PathBuf,
    /// Bytes of rows that are not in the database yet.
    pub bytes: u64,
    /// The name of this host, for those who ask another one.
    pub host: String,
    /// The disk of the folder.
    pub disk: JournalDisk,
}

/// Makes the disk of a journal from its folder, which it has locked.
#[derive(Clone)]
pub struct JournalDisk(Arc<dyn Fn(RealDisk) -> Box<dyn Disk> + Send + Sync>);

impl JournalDisk {
    /// A disk with faults of its own in front of the folder, for tests.
    pub fn with(disk: impl Fn(RealDisk) -> Box<dyn Disk> + Send + Sync + 'static) -> Self {
        Self(Arc::new(disk))
    }
}

impl Default for JournalDisk {
    fn default() -> Self {
        Self::with(|disk| Box::new(disk))
    }
}

impl std::fmt::Debug for JournalDisk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("JournalDisk")
    }
}

/// The journal of an application, once the database is prepared for it.
#[derive(Debug)]
pub struct Ingest {
    options: JournalOptions,
    opened: Mutex<Option<Arc<Opened>>>,
    /// Held while it is opened; when that has failed last, and how.
    opening: tokio::sync::Mutex<Option<Instant>>,
    /// Why it is not open, or why rows do not get into the database.
    trouble: Mutex<Option<String>>,
    /// Why its files cannot be used, until they can: rows in them may be lost.
    broken: Mutex<Option<Error>>,
    /// The drain is to look for rows.
    wanted: Notify,
    durable: watch::Sender<u64>,
    applied: watch::Sender<u64>,
    /// Rows up to this sequence id may be in the database already: their transaction has begun.
    applying: AtomicU64,
    /// The last sequence id that another owner is known to have applied.
    seen_applied: AtomicU64,
    mark_read: OnceLock<MarkRead>,
    /// The rows that are not applied, for those who look for them.
    waiting: Mutex<WaitingRows>,
    counts: Counts,
}

/// What was done so far.
#[derive(Debug, Default)]
struct Counts {
    accepted: AtomicU64,
    applied: AtomicU64,
    rejected: AtomicU64,
    batches: AtomicU64,
    retries: AtomicU64,
    /// When the oldest row that waits was accepted, in milliseconds since 1970.
    oldest: AtomicU64,
}

/// A journal that this process owns.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) journal: Journal,
    pub(crate) id: String,
    /// The number of this owner in the database.
    pub(crate) epoch: u64,
    /// Whether another owner has come.
    taken_over: AtomicBool,
}

impl Opened {
    pub(crate) fn is_taken_over(&self) -> bool {
        self.taken_over.load(Ordering::Acquire)
    }
}

/// What a journal is doing, for the operator.
#[derive(Clone, Debug)]
pub struct JournalState {
    /// Its folder.
    pub folder: PathBuf,
    /// The name of this host.
    pub host: String,
    /// Its id and the epoch of this owner; `None` while it is not open.
    pub owner: Option<(String, u64)>,
    /// Why it is not open, or why rows do not get into the database.
    pub trouble: Option<String>,
    /// The last sequence id that is durable.
    pub write_hwm: u64,
    /// The last sequence id that is applied: in the database or among the dead letters.
    pub apply_hwm: u64,
    /// Bytes and segments.
    pub usage: Usage,
    /// Rows accepted by this process.
    pub accepted: u64,
    /// Rows written to the database by this process.
    pub applied: u64,
    /// Rows that became dead letters.
    pub rejected: u64,
    /// Transactions with rows of the journal.
    pub batches: u64,
    /// Transactions that were tried again.
    pub retries: u64,
    /// How long the oldest row has waited.
    pub oldest: Duration,
}

impl Ingest {
    /// A journal that is not opened yet.
    pub fn new(options: JournalOptions) -> Self {
        Self {
            options,
            opened: Mutex::default(),
            opening: tokio::sync::Mutex::default(),
            trouble: Mutex::default(),
            broken: Mutex::default(),
            wanted: Notify::new(),
            durable: watch::Sender::new(0),
            applied: watch::Sender::new(0),
            applying: AtomicU64::new(0),
            seen_applied: AtomicU64::new(0),
            mark_read: OnceLock::new(),
            waiting: Mutex::default(),
            counts: Counts::default(),
        }
    }

    fn opened(&self) -> Option<Arc<Opened>> {
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        opened.clone().filter(|opened| !opened.is_taken_over())
    }

    /// Whether another owner has come. This process then stays without a journal, and keeps the lock of its
    /// folder: two that have a copy of it each must not take it over from each other for ever.
    fn has_lost(&self) -> bool {
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        opened.as_ref().is_some_and(|opened| opened.is_taken_over())
    }

    /// Whether the folder holds rows of an earlier run.
    fn is_there(&self) -> bool {
        let names = std::fs::read_dir(&self.options.folder).into_iter().flatten().flatten();
        names.into_iter().any(|entry| Path::new(&entry.file_name()).extension().is_some())
    }

    fn trouble(&self, trouble: Option<String>) {
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = trouble;
    }

    /// Whether its files cannot be used. Then the operator is needed, and nothing is accepted.
    pub fn is_broken(&self) -> bool {
        self.broken().is_some()
    }

    fn broken(&self) -> Option<Error> {
        self.broken.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Remembers an error of the journal's files; one of the database says nothing of them.
    fn set_broken(&self, error: Option<&Error>) {
        let error = error.filter(|error| error.code == Code::JournalUnavailable).cloned();
        *self.broken.lock().unwrap_or_else(PoisonError::into_inner) = error;
    }

    /// The journal, opened where the database is prepared for it. `None` where it is not, or another process
    /// owns it.
    ///
    /// # Errors
    /// Where the database cannot be asked, and where the journal is damaged.
    async fn open(self: &Arc<Self>, context: &RequestContext<'_>) -> Result<Option<Arc<Opened>>> {
        if let Some(opened) = self.opened() {
            return self.broken().map_or(Ok(Some(opened)), Err);
        }
        let mut failed = self.opening.lock().await;
        if let Some(opened) = self.opened() {
            return self.broken().map_or(Ok(Some(opened)), Err);
        }
        if self.has_lost() {
            return Ok(None);
        }
        if failed.is_some_and(|at| at.elapsed() < PAUSE) {
            // The same answer as the try before, so that none depends on when it is asked for.
            return self.broken().map_or(Ok(None), Err);
        }
        let opened = self.open_now(context).await;
        *failed = match &opened {
            Ok(Some(_)) => None,
            _ => Some(Instant::now()),
        };
        self.set_broken(opened.as_ref().err());
        match &opened {
            Ok(Some(_)) => self.trouble(None),
            Ok(None) => {}
            Err(error) => self.trouble(Some(described(error))),
        }
        opened
    }

    async fn open_now(
        self: &Arc<Self>,
        context: &RequestContext<'_>,
    ) -> Result<Option<Arc<Opened>>> {
        if !statements::are_prepared(context).await? {
            self.trouble(Some("the tables of the journal were not made".to_owned()));
            return Ok(None);
        }
        let (folder, ingest) = (self.options.folder.clone(), Arc::downgrade(self));
        let notify = Arc::new(move |durable: u64| {
            if let Some(ingest) = ingest.upgrade() {
                ingest.durable.send_replace(durable);
            }
        });
        let options = Options {
            bytes: self.options.bytes,
            segment_bytes: (self.options.bytes / 8).clamp(4 << 10, 16 << 20),
            notify: Some(notify),
        };
        let JournalDisk(disk) = self.options.disk.clone();
        let open = move || Journal::open_on(disk(RealDisk::lock(&folder)?), options);
        let journal = tokio::task::spawn_blocking(open).await.map_err(Error::internal)?;
        let journal = match journal {
            Ok(journal) => journal,
            Err(Failure::InUse) => {
                self.trouble(Some("another process uses the journal".to_owned()));
                return Ok(None);
            }
            Err(failure) => return Err(failed_to_open(&failure)),
        };
        let id = journal.id().to_string();
        let (epoch, applied) = statements::take_over(context, &id, &self.options.host).await?;
        journal.applied(applied).map_err(|failure| failed_to_open(&failure))?;
        self.durable.send_replace(journal.high_water_mark().max(applied));
        self.applied.send_replace(applied);
        self.applying.store(applied, Ordering::Release);
        let taken_over = AtomicBool::new(false);
        let opened = Arc::new(Opened { journal, id, epoch, taken_over });
        *self.opened.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&opened));
        self.wanted.notify_one();
        Ok(Some(opened))
    }

    /// Another owner has come: this one applies and accepts nothing any more.
    fn is_taken_over(&self, opened: &Opened) {
        opened.taken_over.store(true, Ordering::Release);
        self.trouble(Some("another process has taken over the journal".to_owned()));
        tracing::error!(journal = opened.id, "another process has taken over the journal");
    }

    /// What it is doing.
    pub fn state(&self) -> JournalState {
        let opened = self.opened();
        let usage = opened.as_ref().map(|opened| opened.journal.usage()).unwrap_or_default();
        let (write_hwm, apply_hwm) = (*self.durable.borrow(), *self.applied.borrow());
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let counts = &self.counts;
        let oldest = match (write_hwm > apply_hwm, count(&counts.oldest)) {
            (true, since) if since > 0 => Duration::from_millis(rows::now().saturating_sub(since)),
            _ => Duration::ZERO,
        };
        JournalState {
            folder: self.options.folder.clone(),
            host: self.options.host.clone(),
            owner: opened.map(|opened| (opened.id.clone(), opened.epoch)),
            trouble: self.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            write_hwm,
            apply_hwm,
            usage,
            accepted: count(&counts.accepted),
            applied: count(&counts.applied),
            rejected: count(&counts.rejected),
            batches: count(&counts.batches),
            retries: count(&counts.retries),
            oldest,
        }
    }
}

fn described(error: &Error) -> String {
    match &error.cause {
        Some(cause) => format!("{error} ({cause})"),
        None => error.to_string(),
    }
}

fn failed_to_open(failure: &Failure) -> Error {
    let message = "The journal cannot be opened. The server's log says why.";
    Error::new(Code::JournalUnavailable, message).retry_after(5).cause(failure)
}
