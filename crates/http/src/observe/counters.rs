//! Counters and histograms of one writer each.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Upper bounds of the histograms' buckets, in microseconds; powers of two.
pub(crate) const BUCKETS: usize = 22;

/// The first bucket's bound: 32 µs.
const FIRST_BUCKET_BITS: u32 = 5;

/// A counter with a single writer: a plain load and store, no locked instruction.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    #[inline]
    pub(crate) fn add(&self, amount: u64) {
        self.set(self.get().wrapping_add(amount));
    }

    #[inline]
    pub(crate) fn set(&self, value: u64) {
        self.0.store(value, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The upper bound of a bucket but the last, in seconds.
pub(crate) fn bucket_bound(bucket: usize) -> f64 {
    let micros = 1_u64 << (bucket + FIRST_BUCKET_BITS as usize);
    #[expect(clippy::cast_precision_loss, reason = "a power of two is exact")]
    let seconds = micros as f64 / 1e6;
    seconds
}

/// A histogram of durations.
#[derive(Debug, Default)]
pub(crate) struct Histogram {
    /// Durations by their bucket.
    pub(crate) buckets: [Counter; BUCKETS],
    /// The sum of the durations, in nanoseconds: of many short ones, each cut to microseconds, much would be lost.
    pub(crate) nanos: Counter,
}

impl Histogram {
    pub(crate) fn record(&self, duration: Duration) {
        let micros = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        let bits = u64::BITS - micros.leading_zeros();
        let bucket = bits.saturating_sub(FIRST_BUCKET_BITS) as usize;
        self.buckets[bucket.min(BUCKETS - 1)].add(1);
        self.nanos.add(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX));
    }
}
