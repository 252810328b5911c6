//! The progress of a load.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::generate::DataSet;

/// The interval between two reports, unless a table ends.
const PAUSE: Duration = Duration::from_millis(100);

/// The progress of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadProgress {
    /// The table that is being filled.
    pub table: &'static str,
    /// Its rows so far.
    pub done: u64,
    /// All its rows.
    pub total: u64,
    /// Rows of all tables so far.
    pub all_done: u64,
    /// All rows of all tables.
    pub all_total: u64,
    /// The time since the first row.
    pub elapsed: Duration,
}

impl LoadProgress {
    /// Rows per second so far, over all tables.
    pub fn rate(&self) -> f64 {
        self.all_done as f64 / self.elapsed.as_secs_f64().max(1e-6)
    }
}

/// Counts rows and reports them.
pub(super) struct Meter<'a> {
    set: &'a DataSet,
    report: &'a (dyn Fn(&LoadProgress) + Sync),
    begun: Instant,
    counted: Mutex<Counted>,
    commits: AtomicU64,
    batches: AtomicU64,
}

struct Counted {
    tables: Vec<u64>,
    told: Instant,
}

impl fmt::Debug for Meter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Meter")
    }
}

impl<'a> Meter<'a> {
    pub(super) fn new(set: &'a DataSet, report: &'a (dyn Fn(&LoadProgress) + Sync)) -> Self {
        let begun = Instant::now();
        let counted = Counted { tables: vec![0; set.tables.len()], told: begun };
        let (commits, batches) = (AtomicU64::new(0), AtomicU64::new(0));
        Self { set, report, begun, counted: Mutex::new(counted), commits, batches }
    }

    /// Counts rows of a table that were written as one piece.
    pub(super) fn rows(&self, table: usize, rows: u64) {
        self.batches.fetch_add(1, Ordering::Relaxed);
        // The report is made under the lock, so that reports stay in order.
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        counted.tables[table] += rows;
        let filled = &self.set.tables[table];
        let is_whole = counted.tables[table] == filled.rows;
        if !is_whole && counted.told.elapsed() < PAUSE {
            return;
        }
        counted.told = Instant::now();
        (self.report)(&LoadProgress {
            table: filled.table.name,
            done: counted.tables[table],
            total: filled.rows,
            all_done: counted.tables.iter().sum(),
            all_total: self.set.rows(),
            elapsed: self.begun.elapsed(),
        });
    }

    pub(super) fn commit(&self) {
        self.commits.fetch_add(1, Ordering::Relaxed);
    }

    /// Commits and batches.
    pub(super) fn counts(&self) -> (u64, u64) {
        (self.commits.load(Ordering::Relaxed), self.batches.load(Ordering::Relaxed))
    }
}
