//! The measuring window: which requests count for latency and which for throughput.
//!
//! Requests that are *due* in the window (open load: planned in it; closed load: begun in it) are followed to their end, after
//! the window too, so that the slow ones are not missing. Throughput is what *ends* in the window, whenever it began: with
//! stationary load, what began before the window replaces what ends after it. A request of a closed run that lasts through
//! the whole window was due there too: its user had nothing else to do.

use std::time::Duration;

use super::Blame;
use duet_verdict::times::SparseTimes;

/// A half-open interval of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measured {
    /// Its beginning.
    pub from: Duration,
    /// Its end; `None` if it ends with the run.
    pub to: Option<Duration>,
}

impl Measured {
    /// Whether a moment lies in it.
    pub fn has(&self, moment: Duration) -> bool {
        moment >= self.from && self.to.is_none_or(|to| moment < to)
    }

    /// Whether a transaction lasted through all of it.
    pub(super) fn is_spanned(&self, begun: &Begun, until: Duration) -> bool {
        // A run that was stopped before its window has none.
        let lasts = self.to.is_some_and(|to| to > self.from && until >= to);
        self.may_span(begun) && lasts
    }

    /// Whether a transaction that has begun may last through all of it.
    pub fn may_span(&self, begun: &Begun) -> bool {
        begun.counts && !begun.due && begun.began < self.from
    }

    /// The part of a span within the window.
    pub fn overlap(&self, begin: Duration, end: Duration) -> Duration {
        let end = self.to.map_or(end, |to| to.min(end));
        end.saturating_sub(begin.max(self.from))
    }
}

/// A request in flight, created by [`Recorder::begin`](super::Recorder::begin).
#[derive(Clone, Debug)]
pub struct Begun {
    /// Its type's number.
    pub kind: usize,
    /// When it should have begun.
    pub intended: Duration,
    /// When it began.
    pub began: Duration,
    /// Whether it can count, which a user's first transactions may not.
    pub counts: bool,
    /// Whether it was due in the window.
    pub(super) due: bool,
    /// The side that made it begin late, if it did.
    pub(super) late: Option<Blame>,
    /// Its user, if times are recorded per user.
    pub user: Option<u32>,
}

impl Begun {
    /// A request of a type, with its intended and its actual start.
    pub fn new(
        kind: usize,
        user: Option<u32>,
        [intended, began]: [Duration; 2],
        counts: bool,
    ) -> Self {
        Self { kind, intended, began, counts, due: false, late: None, user }
    }

    /// The same, with a late start.
    pub fn late(self, late: Option<Blame>) -> Self {
        Self { late, ..self }
    }

    /// Whether it was due in the window.
    pub fn is_due(&self) -> bool {
        self.due
    }
}

/// Requests of one type that were due in the window and unfinished when the run stopped following
/// them. Each took at least its known time (right-censored), as did those that their own timeout ended, which are
/// in the times and not in the count.
#[derive(Clone, Debug, Default)]
pub struct Unfinished {
    /// How many.
    pub count: u64,
    /// Their time from the start until the run stopped following them.
    pub service: SparseTimes,
    /// The same from their intended start.
    pub response: SparseTimes,
}

impl Unfinished {
    /// Adds a request that was followed until a moment.
    pub(super) fn note(&mut self, begun: &Begun, until: Duration) {
        self.count += 1;
        self.service.record(until.saturating_sub(begun.began));
        self.response.record(until.saturating_sub(begun.intended));
    }

    /// Adds the times of a request that its timeout ended, without the time that it slept.
    pub(super) fn timed_out(&mut self, begun: &Begun, ended: Duration, slept: Duration) {
        let awake = |from| ended.saturating_sub(from).saturating_sub(slept);
        self.service.record(awake(begun.began));
        self.response.record(awake(begun.intended));
    }

    /// Adds another type's.
    pub fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.service.add(&other.service);
        self.response.add(&other.response);
    }
}
