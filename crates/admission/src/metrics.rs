//! Metrics of queues: gauges maintained by guards, and totals by cause.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Upper bounds of the buckets of the wait time histogram, in microseconds; the last bucket is
/// unbounded.
pub const WAIT_BOUNDS: [u64; 9] =
    [250, 1_000, 4_000, 16_000, 64_000, 250_000, 1_000_000, 4_000_000, 16_000_000];

const BUCKETS: usize = WAIT_BOUNDS.len() + 1;

/// The counters of one queue, or of several queues that share them.
#[derive(Debug, Default)]
pub struct Metrics {
    waiting: AtomicU64,
    running: AtomicU64,
    admitted: AtomicU64,
    full: AtomicU64,
    expired: AtomicU64,
    cancelled: AtomicU64,
    split: AtomicU64,
    isolated: AtomicU64,
    panicked: AtomicU64,
    wait_micros: AtomicU64,
    waits: [AtomicU64; BUCKETS],
}

/// A snapshot of the counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueCounts {
    /// Waiting requests.
    pub waiting: u64,
    /// Running requests: members of batches, and holders of permits and gates.
    pub running: u64,
    /// Requests that began to run, with or without a wait.
    pub admitted: u64,
    /// Requests refused because the queue was full.
    pub full: u64,
    /// Requests refused because their deadline passed while they waited.
    pub expired: u64,
    /// Requests cancelled while they waited.
    pub cancelled: u64,
    /// Batches split because a member blocked or failed.
    pub split: u64,
    /// Requests isolated to run alone.
    pub isolated: u64,
    /// Runs that panicked.
    pub panicked: u64,
    /// The total wait time of admitted requests, in microseconds.
    pub wait_micros: u64,
    /// Admitted requests by wait time; see [`WAIT_BOUNDS`].
    pub waits: [u64; BUCKETS],
}

impl QueueCounts {
    /// Adds the counters of another queue.
    pub fn add(&mut self, other: &Self) {
        self.waiting += other.waiting;
        self.running += other.running;
        self.admitted += other.admitted;
        self.full += other.full;
        self.expired += other.expired;
        self.cancelled += other.cancelled;
        self.split += other.split;
        self.isolated += other.isolated;
        self.panicked += other.panicked;
        self.wait_micros += other.wait_micros;
        for (sum, more) in self.waits.iter_mut().zip(other.waits) {
            *sum += more;
        }
    }
}

fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

impl Metrics {
    /// Takes a snapshot of the counters.
    pub fn counted(&self) -> QueueCounts {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        QueueCounts {
            waiting: get(&self.waiting),
            running: get(&self.running),
            admitted: get(&self.admitted),
            full: get(&self.full),
            expired: get(&self.expired),
            cancelled: get(&self.cancelled),
            split: get(&self.split),
            isolated: get(&self.isolated),
            panicked: get(&self.panicked),
            wait_micros: get(&self.wait_micros),
            waits: std::array::from_fn(|bucket| get(&self.waits[bucket])),
        }
    }

    /// Counts a run that panicked.
    pub fn panicked(&self) {
        count(&self.panicked);
    }

    pub(crate) fn admitted(&self, waited: Duration) {
        self.admitted_all([waited]);
    }

    /// Counts requests that are admitted together, by wait time, and updates each counter only once.
    pub(crate) fn admitted_all(&self, waited: impl IntoIterator<Item = Duration>) {
        let (mut requests, mut sum, mut waits) = (0, 0_u64, [0; BUCKETS]);
        for waited in waited {
            let micros = u64::try_from(waited.as_micros()).unwrap_or(u64::MAX);
            let bucket = WAIT_BOUNDS.iter().position(|bound| micros <= *bound);
            waits[bucket.unwrap_or(BUCKETS - 1)] += 1;
            sum = sum.saturating_add(micros);
            requests += 1;
        }
        let counters = [&self.admitted, &self.wait_micros].into_iter().chain(&self.waits);
        for (counter, more) in counters.zip([requests, sum].into_iter().chain(waits)) {
            if more > 0 {
                counter.fetch_add(more, Ordering::Relaxed);
            }
        }
    }

    pub(crate) fn full(&self) {
        count(&self.full);
    }

    pub(crate) fn expired(&self) {
        count(&self.expired);
    }

    pub(crate) fn cancelled(&self) {
        count(&self.cancelled);
    }

    pub(crate) fn split(&self) {
        count(&self.split);
    }

    pub(crate) fn isolated(&self) {
        count(&self.isolated);
    }
}

/// Counts one request in a gauge until dropped.
#[derive(Debug)]
pub struct Gauge {
    metrics: Arc<Metrics>,
    of: fn(&Metrics) -> &AtomicU64,
}

impl Gauge {
    pub(crate) fn waiting(metrics: &Arc<Metrics>) -> Self {
        Self::new(metrics, |metrics| &metrics.waiting)
    }

    /// Counts something that runs.
    pub fn running(metrics: &Arc<Metrics>) -> Self {
        Self::new(metrics, |metrics| &metrics.running)
    }

    /// Moves the request from waiting to running.
    pub(crate) fn run(&mut self) {
        (self.of)(&self.metrics).fetch_sub(1, Ordering::Relaxed);
        self.of = |metrics| &metrics.running;
        count(&self.metrics.running);
    }

    fn new(metrics: &Arc<Metrics>, of: fn(&Metrics) -> &AtomicU64) -> Self {
        count(of(metrics));
        Self { metrics: Arc::clone(metrics), of }
    }
}

impl Drop for Gauge {
    fn drop(&mut self) {
        (self.of)(&self.metrics).fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_waits_in_their_buckets() {
        let metrics = Metrics::default();
        for micros in [0, 250, 251, 99_000_000] {
            metrics.admitted(Duration::from_micros(micros));
        }
        let mut counted = metrics.counted();
        assert_eq!((counted.waits[0], counted.waits[1], counted.waits[9]), (2, 1, 1));
        assert_eq!((counted.admitted, counted.wait_micros), (4, 99_000_501));
        counted.add(&metrics.counted());
        assert_eq!((counted.waits[0], counted.admitted), (4, 8));
    }

    #[test]
    fn guards_return_what_they_count() {
        let metrics = Arc::new(Metrics::default());
        let guards = [Gauge::waiting(&metrics), Gauge::running(&metrics)];
        assert_eq!((metrics.counted().waiting, metrics.counted().running), (1, 1));
        drop(guards);
        assert_eq!((metrics.counted().waiting, metrics.counted().running), (0, 0));
    }
}
