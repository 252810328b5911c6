//! The summary of a distribution of times.

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

/// A percentile is reported only with at least this many samples beyond it.
const BEYOND: u64 = 10;

/// The minimum number of samples to report a percentile: 20 for a median, 1,000 for a p99.
pub fn needed(quantile: f64) -> u64 {
    // 10 ÷ (1 − 0.99) is a little over 1,000 in floating point.
    (BEYOND as f64 / (1.0 - quantile) - 1e-6).ceil() as u64
}

/// A distribution of times in microseconds, by common percentiles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Percentiles {
    /// Samples.
    pub count: u64,
    /// Mean.
    pub mean_us: f64,
    /// Smallest.
    pub min_us: u64,
    /// Median.
    pub p50_us: u64,
    /// The 90th percentile.
    pub p90_us: u64,
    /// The 95th percentile.
    pub p95_us: u64,
    /// The 99th percentile; absent with fewer than 1,000 samples.
    pub p99_us: Option<u64>,
    /// The 99.9th percentile; absent with fewer than 10,000 samples.
    pub p99_9_us: Option<u64>,
    /// Largest.
    pub max_us: u64,
    /// The number of right-censored samples: transactions that were unfinished when observation ended, or that a timeout
    /// ended, included with their minimum duration.
    #[serde(skip_serializing_if = "is_zero")]
    pub unfinished: u64,
    /// The smallest right-censored sample. Figures from here on are lower bounds: see [`Percentiles::is_bound`].
    #[serde(skip_serializing_if = "is_zero")]
    pub unfinished_from_us: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Percentiles {
    /// Summarizes a histogram in microseconds and one of the minimum durations of unfinished samples. Percentiles from the
    /// smallest unfinished sample on are lower bounds.
    pub fn with_unfinished(ended: &Histogram<u64>, unfinished: &Histogram<u64>) -> Self {
        if unfinished.is_empty() {
            return Self::of(ended);
        }
        let mut all = ended.clone();
        // Both have the same precision and resize, so adding cannot fail.
        let _ = all.add(unfinished);
        let from = unfinished.lowest_equivalent(unfinished.min());
        Self { unfinished: unfinished.len(), unfinished_from_us: from.max(1), ..Self::of(&all) }
    }

    /// Whether one of these figures is only a lower bound.
    pub fn is_bound(&self, micros: u64) -> bool {
        self.unfinished > 0 && micros >= self.unfinished_from_us
    }

    /// Summarizes a histogram in microseconds.
    pub fn of(histogram: &Histogram<u64>) -> Self {
        let count = histogram.len();
        if count == 0 {
            return Self::default();
        }
        let known = |quantile: f64, one_in: u64| {
            (count >= one_in * BEYOND).then(|| histogram.value_at_quantile(quantile))
        };
        Self {
            count,
            mean_us: histogram.mean(),
            min_us: histogram.min(),
            p50_us: histogram.value_at_quantile(0.5),
            p90_us: histogram.value_at_quantile(0.9),
            p95_us: histogram.value_at_quantile(0.95),
            p99_us: known(0.99, 100),
            p99_9_us: known(0.999, 1_000),
            max_us: histogram.max(),
            ..Self::default()
        }
    }

    /// Whether percentiles are known, which they are not if counts were merged without histograms. A
    /// known time is never 0.
    pub fn are_known(&self) -> bool {
        self.count == 0 || self.p50_us > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_needs_samples_beyond_it() {
        let mut histogram = Histogram::new(3).unwrap();
        (1..=999).for_each(|value| histogram.record(value).unwrap());
        let few = Percentiles::of(&histogram);
        assert_eq!((few.min_us, few.p50_us, few.max_us, few.p99_us), (1, 500, 999, None));
        histogram.record(1000).unwrap();
        assert_eq!(Percentiles::of(&histogram).p99_us, Some(990));
        assert_eq!(Percentiles::of(&Histogram::new(3).unwrap()), Percentiles::default());
        assert!(few.are_known() && Percentiles::default().are_known());
        assert!(!Percentiles { count: 3, max_us: 7, ..Percentiles::default() }.are_known());
    }

    #[test]
    fn percentiles_of_unfinished_samples_are_lower_bounds() {
        let times = |values: &[(u64, u64)]| {
            let mut histogram = crate::times::histogram();
            values.iter().for_each(|(value, count)| histogram.record_n(*value, *count).unwrap());
            histogram
        };
        let ended = times(&[(100, 800), (9_000_000, 100)]);
        let all = Percentiles::with_unfinished(&ended, &times(&[(5_000_000, 60), (7_000_000, 40)]));
        assert_eq!((all.count, all.unfinished), (1_000, 100));
        assert!(!all.is_bound(all.p50_us) && all.p50_us == 100);
        // The 850th sample is an unfinished one of 5 s, which may in fact have taken longer than 7 s.
        assert!(all.is_bound(all.p90_us) && all.p90_us.abs_diff(7_000_000) < 8_000);
        assert!(all.is_bound(all.p95_us) && all.is_bound(all.max_us));
        assert_eq!(Percentiles::with_unfinished(&ended, &times(&[])), Percentiles::of(&ended));
        assert!(!Percentiles::of(&ended).is_bound(u64::MAX));
        let none = Percentiles::with_unfinished(&times(&[]), &times(&[(3_000_000, 4)]));
        assert!(none.is_bound(none.min_us) && none.count == 4);
    }
}
