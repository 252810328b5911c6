//! For how long the items of a resource are of use, and how far behind the database they may be.
//!
//! Where the commits of others are captured, items are of use until they change, as long as the capture
//! is not too far behind; else for a limited time.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use duet_model::Shape;
use duet_store::Freshness;

use crate::definition::ReadLimits;

/// No limit.
const FOREVER: u64 = u64::MAX;

/// How long the items of one resource are of use.
#[derive(Debug)]
pub(crate) struct Currency {
    freshness: OnceLock<Arc<Freshness>>,
    /// Whether every change by others of what the items show is captured.
    is_covered: AtomicBool,
    /// How long an item is served where that is not so, in milliseconds.
    longest: AtomicU64,
    /// How far the capture may be behind, in milliseconds.
    most_lag: AtomicU64,
    /// How old an item may be that is served while the database is down, in milliseconds; 0: none is.
    most_stale: AtomicU64,
}

/// What memory may be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// Items that are at most so old; `None`: of any age.
    Within(Option<Duration>),
    /// Nothing: the capture is too far behind.
    Nothing,
}

impl Default for Currency {
    fn default() -> Self {
        Self {
            freshness: OnceLock::new(),
            is_covered: AtomicBool::new(false),
            longest: AtomicU64::new(FOREVER),
            most_lag: AtomicU64::new(FOREVER),
            most_stale: AtomicU64::new(0),
        }
    }
}

impl Currency {
    /// Takes the limits that are in force, and the store's knowledge of others' commits. `stale`: the
    /// resource's own limit of items that are served while the database is down.
    pub(crate) fn take(
        &self,
        limits: &ReadLimits,
        stale: Option<Duration>,
        freshness: Option<&Arc<Freshness>>,
    ) {
        if let Some(freshness) = freshness {
            self.freshness.get_or_init(|| Arc::clone(freshness));
        }
        self.longest.store(millis(limits.rowstore_max_age), Ordering::Relaxed);
        self.most_lag.store(millis(Some(limits.rowstore_max_lag)), Ordering::Relaxed);
        let stale = stale.or(limits.serve_stale).unwrap_or_default();
        self.most_stale.store(millis(Some(stale)), Ordering::Relaxed);
    }

    /// Whether changes by others are captured of all that a shape shows.
    pub(crate) fn covers(&self, shape: &Shape) -> bool {
        let Some(freshness) = self.freshness.get() else { return false };
        let coverage = freshness.coverage();
        shape.nodes.iter().all(|node| coverage.covers(&node.table))
            && shape.tables_beside().into_iter().all(|table| coverage.covers(table))
    }

    /// Says whether they are from now on.
    pub(crate) fn set_covered(&self, is_covered: bool) {
        self.is_covered.store(is_covered, Ordering::SeqCst);
    }

    /// What memory may be asked for at this moment.
    pub(crate) fn at(&self, now: Instant) -> Use {
        match self.lag(now) {
            Some(lag) if lag > duration(self.most_lag.load(Ordering::Relaxed)) => Use::Nothing,
            Some(_) => Use::Within(None),
            None => Use::Within(self.longest()),
        }
    }

    /// How far the items may be behind; `None` where commits of others are not captured.
    pub(crate) fn lag(&self, now: Instant) -> Option<Duration> {
        if !self.is_covered.load(Ordering::SeqCst) {
            return None;
        }
        self.freshness.get()?.lag(now)
    }

    /// How long an item is served where commits of others are not captured.
    pub(crate) fn longest(&self) -> Option<Duration> {
        let longest = self.longest.load(Ordering::Relaxed);
        (longest != FOREVER).then(|| Duration::from_millis(longest))
    }

    /// Whether items are served while the database is down.
    pub(crate) fn serves_stale(&self) -> bool {
        self.most_stale.load(Ordering::Relaxed) > 0
    }

    /// How far an item that was read so long ago may be behind the database, which is down; `None` where
    /// that is too far for it to be served.
    pub(crate) fn staleness(&self, now: Instant, age: Duration) -> Option<Duration> {
        // Where commits of others are captured, an item has not changed until the capture ended.
        let age = self.lag(now).map_or(age, |lag| lag.min(age));
        let most = duration(self.most_stale.load(Ordering::Relaxed));
        (!most.is_zero() && age <= most).then_some(age)
    }

    /// What is not as it should be, in words for the operator.
    pub(crate) fn complaint(&self, now: Instant) -> Option<String> {
        let report = self.freshness.get().map(|freshness| freshness.report());
        let reason = report.and_then(|report| report.reason);
        let why = reason.map_or(String::new(), |reason| format!(" {reason}"));
        match (self.at(now), self.lag(now)) {
            (Use::Nothing, _) => Some(format!(
                "Commits of others are known too late (`rowstore_max_lag`), so items are read from the database.{why}"
            )),
            (Use::Within(Some(_)), _) => Some(format!(
                "Other programs may write to the database, so items are served for `rowstore_max_age` only.{why}"
            )),
            (Use::Within(None), _) => None,
        }
    }
}

fn millis(limit: Option<Duration>) -> u64 {
    limit.map_or(FOREVER, |limit| u64::try_from(limit.as_millis()).unwrap_or(FOREVER))
}

fn duration(millis: u64) -> Duration {
    Duration::from_millis(millis)
}
