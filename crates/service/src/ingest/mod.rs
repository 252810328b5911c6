//! The journal that a process acknowledges new rows from: what it holds and how it stands. `journal/` opens it, fills it
//! and drains it.

mod breakage;
mod options;
pub(crate) mod own_reads;
pub(crate) mod queued_row;
pub(crate) mod sealed_id;
pub(crate) mod waiting_rows;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use duet_journal::{Journal, Usage};
use duet_model::Error;
use tokio::sync::{Notify, watch};

pub use breakage::Breakage;
pub use options::{JournalDisk, JournalOptions};
use own_reads::OwnReads;
use sealed_id::Key;
use waiting_rows::WaitingRows;

/// Journals whose keys are remembered.
const KEYS: usize = 100;

/// The journal of an application, once the database is prepared for it.
#[derive(Debug)]
pub struct IngestJournal {
    pub(crate) options: JournalOptions,
    pub(crate) opened: Mutex<Option<Arc<OpenJournal>>>,
    /// Held while it is opened; when that has failed last, and how.
    pub(crate) opening: tokio::sync::Mutex<Option<OpenAttempt>>,
    /// Whether this process ends, and opens nothing any more.
    pub(crate) is_closing: AtomicBool,
    /// Why it is not open, or why rows do not get into the database.
    pub(crate) trouble: Mutex<Option<String>>,
    /// Why its files cannot be used, until they can: rows in them may be lost.
    pub(crate) broken: Mutex<Option<Breakage>>,
    /// The drain is to look for rows.
    pub(crate) wanted: Notify,
    pub(crate) durable: watch::Sender<u64>,
    pub(crate) applied: watch::Sender<u64>,
    /// Rows up to this sequence id may be in the database already: their transaction has begun.
    pub(crate) applying: AtomicU64,
    /// The last sequence id that another owner is known to have applied.
    pub(crate) seen_applied: AtomicU64,
    pub(crate) own_reads: OnceLock<OwnReads>,
    /// The keys of the ids of journals.
    pub(crate) keys: Mutex<HashMap<String, Key>>,
    /// The rows that are not applied, for those who look for them.
    pub(crate) waiting: Mutex<WaitingRows>,
    pub(crate) counts: Counts,
}

/// What was done so far.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) accepted: AtomicU64,
    pub(crate) applied: AtomicU64,
    pub(crate) rejected: AtomicU64,
    pub(crate) batches: AtomicU64,
    pub(crate) retries: AtomicU64,
    /// When the oldest row that waits was accepted, in milliseconds since 1970.
    pub(crate) oldest: AtomicU64,
}

/// A journal that this process owns.
#[derive(Debug)]
pub(crate) struct OpenJournal {
    pub(crate) journal: Journal,
    pub(crate) id: String,
    /// The number of this owner in the database.
    pub(crate) epoch: u64,
    pub(crate) key: Key,
    /// Whether another owner has come.
    pub(crate) taken_over: AtomicBool,
    /// Whether this process has given it up.
    pub(crate) given_up: watch::Sender<bool>,
}

/// A journal that could not be opened.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenAttempt {
    pub(crate) at: Instant,
    /// Whether another process owns it.
    pub(crate) in_use: bool,
}

impl OpenJournal {
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

impl IngestJournal {
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

    pub(crate) fn opened(&self) -> Option<Arc<OpenJournal>> {
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        opened.clone().filter(|opened| !opened.is_taken_over())
    }

    /// Whether another owner has come. This process then stays without a journal, and keeps the lock of its
    /// folder: two that have a copy of it each must not take it over from each other for ever.
    pub(crate) fn has_lost(&self) -> bool {
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        opened.as_ref().is_some_and(|opened| opened.is_taken_over())
    }

    pub(crate) fn trouble(&self, trouble: Option<String>) {
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = trouble;
    }

    /// Why its files cannot be used. Then the operator is needed, and nothing is accepted.
    pub fn breakage(&self) -> Option<Breakage> {
        self.broken.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn broken(&self) -> Option<Error> {
        self.breakage().map(|broken| broken.error)
    }

    /// Remembers an error of the journal's files; one of the database says nothing of them.
    pub(crate) fn set_broken(&self, error: Option<&Error>) {
        let broken = error.and_then(Breakage::of);
        if error.is_some() && broken.is_none() {
            return;
        }
        *self.broken.lock().unwrap_or_else(PoisonError::into_inner) = broken;
    }

    pub(crate) fn known_key(&self, journal: &str) -> Option<Key> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner).get(journal).copied()
    }

    pub(crate) fn knows_key(&self, journal: &str, key: Key) {
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        if keys.len() >= KEYS {
            keys.clear();
        }
        keys.insert(journal.to_owned(), key);
    }

    /// Another owner has come: this one applies and accepts nothing any more.
    pub(crate) fn is_taken_over(&self, opened: &OpenJournal) {
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
            (true, since) if since > 0 => {
                Duration::from_millis(queued_row::now().saturating_sub(since))
            }
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
