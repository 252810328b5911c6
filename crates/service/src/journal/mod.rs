//! Rows acknowledged from a journal, and written to the database afterwards, exactly once.
//!
//! A request is checked as far as that needs no other rows ([`accept`]), appended to the journal of the
//! application, and answered when it is synced. One task writes the rows to the database ([`drain`]): the last
//! sequence id that is applied, and the epoch of the owner, are compared and stored in the transaction of the
//! rows ([`apply`]). Rows that the database refuses become dead letters ([`letters`]).

mod accept;
mod apply;
mod closing;
mod drain;
mod health;
mod letters;
mod report;
mod rows;
mod rules;
mod sealed_id;
mod statements;
mod status;
mod waiting_item;
mod waiting_rows;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use duet_journal::{Disk, Failure, Follower, Journal, Options, RealDisk, Usage};
use duet_model::{Code, Error, Result};
use duet_sql::{add_loss, advance_head, advance_journal};
use tokio::sync::{Notify, watch};

use crate::read::RequestContext;
use waiting_rows::WaitingRows;

use health::{failed_to_open, has_journal, incomplete, survey, unusable};
use sealed_id::Key;
use statements::{OwnReads, Prepared, TakenOver, own};

pub use accept::{Accepted, Durability, NewDocuments};
pub use duet_journal::Loss;
pub use duet_sql::{DeadLetter, Letters, LostRows};
pub use health::Breakage;
pub use letters::Redriven;
pub use report::{AcceptedLosses, JournalReport};
pub(crate) use rules::Rules;
pub use sealed_id::{SealedId, SequenceId};
pub use status::{RowsStatus, Stage};
pub use waiting_item::AnyItem;

/// How long a journal that cannot be opened is not tried again by requests.
const PAUSE: Duration = Duration::from_secs(1);
/// How long another process that has locked the folder may take to open the journal.
const OPENING: Duration = Duration::from_secs(5);
/// Between two looks at what another process does.
const LOOK: Duration = Duration::from_millis(20);
/// Journals whose keys are remembered.
const KEYS: usize = 100;

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
    opening: tokio::sync::Mutex<Option<Tried>>,
    /// Whether this process ends, and opens nothing any more.
    is_closing: AtomicBool,
    /// Why it is not open, or why rows do not get into the database.
    trouble: Mutex<Option<String>>,
    /// Why its files cannot be used, until they can: rows in them may be lost.
    broken: Mutex<Option<Breakage>>,
    /// The drain is to look for rows.
    wanted: Notify,
    durable: watch::Sender<u64>,
    applied: watch::Sender<u64>,
    /// Rows up to this sequence id may be in the database already: their transaction has begun.
    applying: AtomicU64,
    /// The last sequence id that another owner is known to have applied.
    seen_applied: AtomicU64,
    own_reads: OnceLock<OwnReads>,
    /// The keys of the ids of journals.
    keys: Mutex<HashMap<String, Key>>,
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
    key: Key,
    /// Whether another owner has come.
    taken_over: AtomicBool,
    /// Whether this process has given it up.
    given_up: watch::Sender<bool>,
}

/// A journal that could not be opened.
#[derive(Clone, Copy, Debug)]
struct Tried {
    at: Instant,
    /// Whether another process owns it.
    in_use: bool,
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
    /// Why its files cannot be used.
    pub broken: Option<Breakage>,
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
            is_closing: AtomicBool::new(false),
            trouble: Mutex::default(),
            broken: Mutex::default(),
            wanted: Notify::new(),
            durable: watch::Sender::new(0),
            applied: watch::Sender::new(0),
            applying: AtomicU64::new(0),
            seen_applied: AtomicU64::new(0),
            own_reads: OnceLock::new(),
            keys: Mutex::default(),
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
        has_journal(&self.options.folder)
    }

    fn trouble(&self, trouble: Option<String>) {
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = trouble;
    }

    /// Why its files cannot be used. Then the operator is needed, and nothing is accepted.
    pub fn breakage(&self) -> Option<Breakage> {
        self.broken.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn broken(&self) -> Option<Error> {
        self.breakage().map(|broken| broken.error)
    }

    /// Remembers an error of the journal's files; one of the database says nothing of them.
    fn set_broken(&self, error: Option<&Error>) {
        let broken = error.and_then(Breakage::of);
        if error.is_some() && broken.is_none() {
            return;
        }
        *self.broken.lock().unwrap_or_else(PoisonError::into_inner) = broken;
    }

    fn known_key(&self, journal: &str) -> Option<Key> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner).get(journal).copied()
    }

    fn knows_key(&self, journal: &str, key: Key) {
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        if keys.len() >= KEYS {
            keys.clear();
        }
        keys.insert(journal.to_owned(), key);
    }

    /// Whether another process has the journal open: it has published what is durable. One that is still looking
    /// at the files, or has found them damaged, has published nothing.
    fn has_other_owner(&self) -> bool {
        matches!(Follower::published(&self.options.folder), Ok(Some(_)))
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
        if self.has_lost() || self.is_closing.load(Ordering::Acquire) {
            return Ok(None);
        }
        if let Some(tried) = failed.filter(|tried| tried.at.elapsed() < PAUSE) {
            // The same answer as the try before, so that none depends on when it is asked for.
            if let Some(error) = self.broken() {
                return Err(error);
            }
            if !tried.in_use || self.has_other_owner() {
                return Ok(None);
            }
        }
        let opened = self.open_now(context).await;
        let in_use = matches!(opened, Ok(None)) && self.has_other_owner();
        *failed = match &opened {
            Ok(Some(_)) => None,
            _ => Some(Tried { at: Instant::now(), in_use }),
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
        match statements::prepared(context).await? {
            Prepared::Yes => {}
            Prepared::Partly if self.is_there() => return Err(incomplete()),
            Prepared::Partly | Prepared::No => {
                self.trouble(Some("the tables of the journal were not made".to_owned()));
                return Ok(None);
            }
        }
        if !self.is_there() {
            self.examine_new(context).await?.map_or(Ok(()), |examined| examined.check())?;
        }
        let Some(disk) = self.lock_folder().await? else {
            self.trouble(Some("another process uses the journal".to_owned()));
            return Ok(None);
        };
        let examined = self.examine(context, survey(Arc::clone(&disk)).await?).await?;
        examined.check()?;
        for note in &examined.notes {
            tracing::warn!(folder = self.folder_text(), "{note}");
        }
        let applied = examined.mark.map_or(0, |mark| mark.applied);
        let options = self.journal_options(applied);
        let open = move || Journal::open_on(disk, options);
        let journal = tokio::task::spawn_blocking(open).await.map_err(Error::internal)?;
        let journal = journal.map_err(|failure| failed_to_open(&failure))?;
        let opened = self.take_over(context, journal).await?;
        *self.opened.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&opened));
        self.wanted.notify_one();
        Ok(Some(opened))
    }

    /// The folder, locked. `None` where another process has the journal open; one that is only looking at the
    /// files is waited for.
    async fn lock_folder(&self) -> Result<Option<Arc<dyn Disk>>> {
        let begun = Instant::now();
        loop {
            let (folder, JournalDisk(disk)) =
                (self.options.folder.clone(), self.options.disk.clone());
            let lock = move || RealDisk::lock(&folder).map(|locked| disk(locked));
            let locked = tokio::task::spawn_blocking(lock).await.map_err(Error::internal)?;
            match locked {
                Ok(disk) => return Ok(Some(Arc::from(disk))),
                Err(Failure::InUse) if self.has_other_owner() => {
                    // Between locking the file and taking back what the last owner has published is a moment.
                    tokio::time::sleep(LOOK).await;
                    if self.has_other_owner() {
                        return Ok(None);
                    }
                }
                Err(Failure::InUse) if begun.elapsed() < OPENING => tokio::time::sleep(LOOK).await,
                Err(failure @ Failure::InUse) => {
                    return Err(unusable(Code::JournalUnavailable).cause(failure));
                }
                Err(failure) => return Err(failed_to_open(&failure)),
            }
        }
    }

    fn journal_options(self: &Arc<Self>, applied: u64) -> Options {
        let ingest = Arc::downgrade(self);
        let notify = Arc::new(move |durable: u64| {
            if let Some(ingest) = ingest.upgrade() {
                ingest.durable.send_replace(durable);
            }
        });
        Options {
            bytes: self.options.bytes,
            segment_bytes: (self.options.bytes / 8).clamp(4 << 10, 16 << 20),
            notify: Some(notify),
            applied,
        }
    }

    /// Makes this process the owner in the database too, and tells it what the operator has accepted.
    async fn take_over(
        &self,
        context: &RequestContext<'_>,
        journal: Journal,
    ) -> Result<Arc<Opened>> {
        let (id, folder) = (journal.id().to_string(), self.folder_text());
        let taken = statements::take_over(context, &id, (&self.options.host, &folder)).await?;
        let TakenOver { epoch, mut applied, key } = taken;
        let durable = journal.high_water_mark();
        let (dialect, losses) = (context.dialect(), journal.accepted_losses());
        let lost = losses.iter().filter(|loss| loss.from <= loss.to).map(|loss| {
            let reason = loss.what.clone();
            let lost = LostRows { first: loss.from, last: loss.to, accepted_at: loss.at, reason };
            own(add_loss(dialect, &id, &lost), Vec::new())
        });
        let mut calls: Vec<_> = lost.collect();
        let head = advance_head(dialect, (&id, epoch), (durable.max(applied), false));
        calls.push(own(head, Vec::new()));
        let settled = journal.settled();
        if durable <= applied && settled > applied {
            // No row is left in front of it.
            let mark = advance_journal(dialect, (&id, epoch), (applied, settled));
            calls.push(own(mark, Vec::new()));
            applied = settled;
        }
        statements::run_all(context, calls).await?;
        for loss in &losses {
            let what = &loss.what;
            tracing::warn!(journal = id, what, "the operator has accepted a loss of the journal");
        }
        // Where that fails, the database is told again, which changes nothing.
        drop(journal.told_losses());
        journal.applied(applied).map_err(|failure| failed_to_open(&failure))?;
        self.durable.send_replace(durable.max(applied));
        self.applied.send_replace(applied);
        self.applying.store(applied, Ordering::Release);
        let (taken_over, given_up) = (AtomicBool::new(false), watch::Sender::new(false));
        Ok(Arc::new(Opened { journal, id, epoch, key, taken_over, given_up }))
    }

    /// Another owner has come: this one applies and accepts nothing any more.
    fn is_taken_over(&self, opened: &Opened) {
        opened.taken_over.store(true, Ordering::Release);
        self.trouble(Some("another process has taken over the journal".to_owned()));
        tracing::error!(journal = opened.id, "another process has taken over the journal");
    }

    /// Waits until every row that is acknowledged is applied.
    pub async fn all_applied(&self) {
        let mut applied = self.applied.subscribe();
        while *applied.borrow_and_update() < *self.durable.borrow() {
            if applied.changed().await.is_err() {
                return;
            }
        }
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
            broken: self.breakage(),
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
