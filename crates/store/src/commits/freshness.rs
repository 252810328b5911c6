//! How far the commits of others are known: from which moment on nothing that was committed may be
//! missing, and for which relations that holds.
//!
//! Without capture, nothing is known, and items from memory are of use for a limited time alone. With it,
//! every commit before [`Freshness::lag`] ago has been delivered as an event. Where capture is
//! interrupted, the moment stays, and the lag grows.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use duet_model::catalog::{Relation, RelationKind};
use tokio::sync::{Notify, watch};

/// No commits are captured.
const NEVER: u64 = 0;

/// How commits of others are captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Means {
    /// By logical decoding.
    Stream,
    /// By a table that triggers fill.
    Table,
}

impl Means {
    /// Its name in answers and metrics.
    pub fn word(self) -> &'static str {
        match self {
            Self::Stream => "stream",
            Self::Table => "table",
        }
    }
}

/// The relations of which every change by others is captured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Tables by schema and name.
    pub tables: HashSet<(String, String)>,
    /// Whether these are all tables of the database, so that what views and statements read is covered.
    pub complete: bool,
    /// Whether tables are distributed over several machines, whose commits no log of one of them has.
    pub distributed: bool,
}

impl Coverage {
    /// Whether every change by others of what the relation shows is captured.
    pub fn covers(&self, relation: &Relation) -> bool {
        match relation.kind {
            RelationKind::Table if relation.query.is_none() => {
                self.tables.contains(&(relation.schema.clone(), relation.name.clone()))
            }
            // Its content is as old as its last refresh, which is no change of a table.
            RelationKind::MaterializedView => false,
            _ => self.complete,
        }
    }

    /// What both cover.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        let tables = self.tables.intersection(&other.tables).cloned().collect();
        let distributed = self.distributed || other.distributed;
        Self { tables, complete: self.complete && other.complete, distributed }
    }
}

/// How far the commits of others are known, for readers on any thread.
#[derive(Debug)]
pub struct Freshness {
    base: Instant,
    /// Nanoseconds from `base` to the moment before which no commit is missing, plus 1; or [`NEVER`].
    as_of: AtomicU64,
    transactions: AtomicU64,
    rows: AtomicU64,
    inner: Mutex<Inner>,
    /// Changes whenever the moment or the state of the capture does.
    moved: watch::Sender<()>,
    /// Wakes the capture, so that the moment moves soon.
    hurry: Notify,
}

#[derive(Debug, Default)]
struct Inner {
    /// The number of the capture that may report: an older one that has not ended yet is ignored.
    session: u64,
    means: Option<Means>,
    coverage: Arc<Coverage>,
    /// Why nothing is captured now.
    reason: Option<String>,
    connects: u64,
    interruptions: u64,
}

/// What is known, for operators.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CaptureReport {
    /// How commits of others are captured, or were until the interruption.
    pub means: Option<Means>,
    /// How long ago the moment is before which no commit is missing.
    pub lag: Option<Duration>,
    /// Why nothing is captured now, and what to do.
    pub reason: Option<String>,
    /// Transactions that were captured. Those of the service itself count, too.
    pub transactions: u64,
    /// Their changed rows.
    pub rows: u64,
    /// How often capturing has begun.
    pub connects: u64,
    /// How often it was interrupted.
    pub interruptions: u64,
}

impl Default for Freshness {
    fn default() -> Self {
        Self {
            base: Instant::now(),
            as_of: AtomicU64::new(NEVER),
            transactions: AtomicU64::new(0),
            rows: AtomicU64::new(0),
            inner: Mutex::default(),
            moved: watch::Sender::new(()),
            hurry: Notify::new(),
        }
    }
}

impl Freshness {
    /// How long ago the moment is before which no commit is missing; `None` where commits of others are
    /// not captured.
    pub fn lag(&self, now: Instant) -> Option<Duration> {
        match self.as_of.load(Ordering::Acquire) {
            NEVER => None,
            nanos => {
                Some(now.saturating_duration_since(self.base + Duration::from_nanos(nanos - 1)))
            }
        }
    }

    /// Waits until everything is delivered that was committed before this moment; false where that is not
    /// going to happen soon, because commits are not captured now.
    pub async fn has_passed(&self, moment: Instant) -> bool {
        let mut moved = self.moved.subscribe();
        loop {
            match self.lag(moment) {
                Some(Duration::ZERO) => return true,
                Some(_) if self.lock().reason.is_none() => {}
                _ => return false,
            }
            self.hurry.notify_one();
            if moved.changed().await.is_err() {
                return false;
            }
        }
    }

    /// Waits until somebody waits for the moment to move.
    pub async fn is_awaited(&self) {
        self.hurry.notified().await;
    }

    /// What is covered, while commits are captured. A change of it is followed by an event about
    /// everything.
    pub fn coverage(&self) -> Arc<Coverage> {
        Arc::clone(&self.lock().coverage)
    }

    /// What is known now, for operators.
    pub fn report(&self) -> CaptureReport {
        let lag = self.lag(Instant::now());
        let inner = self.lock();
        CaptureReport {
            means: inner.means,
            lag,
            reason: inner.reason.clone(),
            transactions: self.transactions.load(Ordering::Relaxed),
            rows: self.rows.load(Ordering::Relaxed),
            connects: inner.connects,
            interruptions: inner.interruptions,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts captured transactions with so many changed rows.
    pub fn count(&self, transactions: u64, rows: u64) {
        self.transactions.fetch_add(transactions, Ordering::Relaxed);
        self.rows.fetch_add(rows, Ordering::Relaxed);
    }

    /// There may be tables that are not captured, until the capture has looked again.
    pub fn doubt_completeness(&self) {
        let mut inner = self.lock();
        let coverage = Coverage { complete: false, ..Coverage::clone(&inner.coverage) };
        inner.coverage = Arc::new(coverage);
    }

    /// Ends what was reported so far: nothing is captured until the new session says so.
    pub fn begin(self: &Arc<Self>) -> FreshnessWriter {
        let mut inner = self.lock();
        inner.session += 1;
        let session = inner.session;
        drop(inner);
        let writer = FreshnessWriter { freshness: Arc::clone(self), session };
        writer.impossible("");
        writer
    }
}

/// The right of one capture to say how far it is.
#[derive(Debug)]
pub struct FreshnessWriter {
    freshness: Arc<Freshness>,
    session: u64,
}

impl FreshnessWriter {
    fn change(&self, change: impl FnOnce(&Freshness, &mut Inner)) {
        let mut inner = self.freshness.lock();
        if inner.session == self.session {
            change(&self.freshness, &mut inner);
            drop(inner);
            self.freshness.moved.send_replace(());
        }
    }

    /// Sets what is covered from now on; the caller then delivers an event about everything.
    pub fn covers(&self, coverage: Coverage) {
        self.change(|_, inner| inner.coverage = Arc::new(coverage));
    }

    /// Commits are captured by these means from this moment on.
    pub fn captures(&self, means: Means, as_of: Instant) {
        self.change(|freshness, inner| {
            inner.means = Some(means);
            inner.reason = None;
            inner.connects += 1;
            freshness.set(as_of);
        });
    }

    /// No commit before this moment is missing.
    pub fn advances(&self, as_of: Instant) {
        self.change(|freshness, _| freshness.set(as_of));
    }

    /// Capturing is interrupted. What was known stays, and grows old.
    pub fn interrupted(&self, reason: impl Into<String>) {
        self.change(|_, inner| {
            if inner.reason.is_none() {
                inner.interruptions += 1;
            }
            inner.reason = Some(reason.into());
        });
    }

    /// Nothing can be captured, until something is changed.
    pub fn impossible(&self, reason: impl Into<String>) {
        self.change(|freshness, inner| {
            freshness.as_of.store(NEVER, Ordering::Release);
            inner.means = None;
            inner.coverage = Arc::default();
            inner.reason = Some(reason.into()).filter(|reason| !reason.is_empty());
        });
    }

    /// Whether commits have been captured before.
    pub fn has_captured(&self) -> bool {
        self.freshness.lock().means.is_some()
    }
}

impl Freshness {
    fn set(&self, as_of: Instant) {
        let nanos = as_of.saturating_duration_since(self.base).as_nanos();
        let nanos = u64::try_from(nanos).unwrap_or(u64::MAX - 1);
        self.as_of.store(nanos + 1, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lag_grows_while_capturing_is_interrupted() {
        let freshness = Arc::new(Freshness::default());
        let now = Instant::now() + Duration::from_secs(10);
        assert_eq!(freshness.lag(now), None);
        let writer = freshness.begin();
        writer.captures(Means::Stream, now);
        assert_eq!(freshness.lag(now), Some(Duration::ZERO));
        let later = now + Duration::from_secs(2);
        assert_eq!(freshness.lag(later), Some(Duration::from_secs(2)));
        writer.advances(later);
        assert_eq!(freshness.lag(now), Some(Duration::ZERO));
        writer.interrupted("first");
        writer.interrupted("second");
        assert!(writer.has_captured());
        let much_later = now + Duration::from_secs(60);
        assert_eq!(freshness.lag(much_later), Some(Duration::from_secs(58)));
        let report = freshness.report();
        assert_eq!((report.interruptions, report.connects), (1, 1));
        assert_eq!(report.reason.as_deref(), Some("second"));
        writer.impossible("no right");
        assert_eq!(freshness.lag(much_later), None);
        assert_eq!(freshness.report().means, None);
    }

    #[test]
    fn a_session_that_was_replaced_says_nothing() {
        let freshness = Arc::new(Freshness::default());
        let old = freshness.begin();
        old.captures(Means::Table, Instant::now());
        let new = freshness.begin();
        assert_eq!(freshness.lag(Instant::now()), None);
        old.advances(Instant::now());
        old.captures(Means::Table, Instant::now());
        assert_eq!(freshness.report().means, None);
        new.captures(Means::Stream, Instant::now());
        assert_eq!(freshness.report().means, Some(Means::Stream));
    }

    #[tokio::test]
    async fn a_moment_is_waited_for() {
        let freshness = Arc::new(Freshness::default());
        let now = Instant::now();
        assert!(!freshness.has_passed(now).await, "nothing is captured");
        let writer = freshness.begin();
        writer.captures(Means::Stream, now);
        assert!(freshness.has_passed(now).await);
        let later = now + Duration::from_secs(1);
        let capture = async {
            freshness.is_awaited().await;
            writer.advances(later);
        };
        assert_eq!(tokio::join!(freshness.has_passed(later), capture), (true, ()));
        let fails = async {
            freshness.is_awaited().await;
            writer.interrupted("cut");
        };
        let much_later = later + Duration::from_secs(1);
        assert_eq!(tokio::join!(freshness.has_passed(much_later), fails), (false, ()));
    }

    #[test]
    fn views_are_covered_where_all_tables_are() {
        let table = |name: &str| Relation::table("s", name, Vec::new());
        let view = Relation { kind: RelationKind::View, ..table("v") };
        let refreshed = Relation { kind: RelationKind::MaterializedView, ..table("m") };
        let tables = HashSet::from([("s".to_owned(), "a".to_owned())]);
        let some = Coverage { tables, complete: false, distributed: false };
        let all = Coverage { complete: true, ..some.clone() };
        for (coverage, expected) in
            [(&some, [true, false, false, false]), (&all, [true, false, true, false])]
        {
            let relations = [&table("a"), &table("b"), &view, &refreshed];
            assert_eq!(relations.map(|relation| coverage.covers(relation)), expected);
        }
        assert_eq!(some.and(&all), some);
        assert_eq!(all.and(&Coverage::default()), Coverage::default());
    }
}
