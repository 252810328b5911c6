//! What is said of a distribution of times.

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

/// Percentiles are told only where enough samples lie beyond them: at least ten.
const BEYOND: u64 = 10;

/// Samples without which a percentile is not told: 20 for a median, 1,000 for a p99.
pub fn needed(quantile: f64) -> u64 {
    // 10 ÷ (1 − 0.99) is a little over 1,000 in floating point.
    (BEYOND as f64 / (1.0 - quantile) - 1e-6).ceil() as u64
}

/// A distribution of times in microseconds, in the columns that people know.
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
    /// 90 % are not above it.
    pub p90_us: u64,
    /// 95 %.
    pub p95_us: u64,
    /// 99 %; absent where fewer than 1,000 samples stand behind it.
    pub p99_us: Option<u64>,
    /// 99.9 %; absent where fewer than 10,000 samples stand behind it.
    pub p99_9_us: Option<u64>,
    /// Largest.
    pub max_us: u64,
    /// How many of the samples had not ended when they were followed no longer: what is known of them is the least that
    /// they took (right-censored).
    #[serde(skip_serializing_if = "is_zero")]
    pub unfinished: u64,
    /// The least that is known of them. Every figure from here on is a lower bound: see [`Percentiles::is_bound`].
    #[serde(skip_serializing_if = "is_zero")]
    pub unfinished_from_us: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Percentiles {
    /// Of a histogram of microseconds, and one of the least that samples took that did not end. Those are ranked by what is
    /// known of them; ranks from the first of them on may belong to larger times than these.
    pub fn with_unfinished(ended: &Histogram<u64>, unfinished: &Histogram<u64>) -> Self {
        if unfinished.is_empty() {
            return Self::of(ended);
        }
        let mut all = ended.clone();
        // Both are of the same digits and resize: adding cannot fail.
        let _ = all.add(unfinished);
        let from = unfinished.lowest_equivalent(unfinished.min());
        Self { unfinished: unfinished.len(), unfinished_from_us: from.max(1), ..Self::of(&all) }
    }

    /// Whether one of these figures is the least that it can be, and not known any better.
    pub fn is_bound(&self, micros: u64) -> bool {
        self.unfinished > 0 && micros >= self.unfinished_from_us
    }

    /// Of a histogram of microseconds.
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

    /// Whether percentiles are known: where counts were added without histograms they are not. No time
    /// is 0.
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
    fn ranks_among_the_unfinished_are_lower_bounds() {
        let times = |values: &[(u64, u64)]| {
            let mut histogram = crate::times::histogram();
            values.iter().for_each(|(value, count)| histogram.record_n(*value, *count).unwrap());
            histogram
        };
        let ended = times(&[(100, 800), (9_000_000, 100)]);
        let all = Percentiles::with_unfinished(&ended, &times(&[(5_000_000, 60), (7_000_000, 40)]));
        assert_eq!((all.count, all.unfinished), (1_000, 100));
        assert!(!all.is_bound(all.p50_us) && all.p50_us == 100);
        // The 850th is an unfinished one of 5 s; one that took 9 s may come behind those of 7 s.
        assert!(all.is_bound(all.p90_us) && all.p90_us.abs_diff(7_000_000) < 8_000);
        assert!(all.is_bound(all.p95_us) && all.is_bound(all.max_us));
        assert_eq!(Percentiles::with_unfinished(&ended, &times(&[])), Percentiles::of(&ended));
        assert!(!Percentiles::of(&ended).is_bound(u64::MAX));
        let none = Percentiles::with_unfinished(&times(&[]), &times(&[(3_000_000, 4)]));
        assert!(none.is_bound(none.min_us) && none.count == 4);
    }
}
