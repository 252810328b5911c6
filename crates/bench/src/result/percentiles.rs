//! What is said of a distribution of times.

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

/// Percentiles are told only where enough samples lie beyond them: at least ten.
const BEYOND: u64 = 10;

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
}

impl Percentiles {
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
}
