//! Detects the end of warm-up with MSER-5 (White 1997, with Spratt's batches of five): it selects the
//! truncation point with the smallest standard error of the remaining mean. A point in the second half
//! means that the run never settled. Truncated values are excluded from figures, not deleted.

use super::Estimate;
use super::numbers::mean;

/// Values in a batch.
const BATCH: usize = 5;

/// The result of the rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WarmUp {
    /// Warm-up ends after `after` values.
    Ends {
        /// Values to cut.
        after: usize,
        /// Whether the means of the first and the last third after the cut do not differ significantly;
        /// otherwise the run still drifts.
        steady: bool,
    },
    /// The best cut is in the second half: the run never settled.
    NeverSettled,
    /// Fewer than ten batches, too few for the rule.
    TooShort,
}

/// Finds the end of warm-up in a series of values, such as throughput per second after the ramp.
pub fn find(values: &[f64]) -> WarmUp {
    let batches: Vec<f64> = values.chunks_exact(BATCH).map(mean).collect();
    if batches.len() < 10 {
        return WarmUp::TooShort;
    }
    // The last five batches are never cut, because so few may agree by chance.
    let cuts = 0..=batches.len() - 5;
    let best = cuts.min_by(|a, b| error(&batches[*a..]).total_cmp(&error(&batches[*b..])));
    match best {
        Some(cut) if cut * 2 <= batches.len() => {
            let after = cut * BATCH;
            WarmUp::Ends { after, steady: steady(&values[after..]) }
        }
        _ => WarmUp::NeverSettled,
    }
}

/// The MSER statistic, the squared standard error: Σ(y − ȳ)² ÷ n².
fn error(values: &[f64]) -> f64 {
    let middle = mean(values);
    let squares: f64 = values.iter().map(|value| (value - middle).powi(2)).sum();
    squares / (values.len() as f64).powi(2)
}

fn steady(values: &[f64]) -> bool {
    let third = values.len() / 3;
    let first = Estimate::of_seconds(&values[..third]);
    let last = Estimate::of_seconds(&values[values.len() - third..]);
    match (first, last) {
        (Some(first), Some(last)) => {
            let ([a, b], [c, d]) = (first.interval(0.95), last.interval(0.95));
            a <= d && c <= b
        }
        // The thirds are too short for a variance: assume a steady run.
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(count: usize, level: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut random = fastrand::Rng::with_seed(11);
        (0..count).map(|at| level(at) * (1.0 + 0.05 * (random.f64() - 0.5))).collect()
    }

    #[test]
    fn cuts_at_the_end_of_the_rise() {
        let rising = values(120, |at| 1_000.0 * (at as f64 / 20.0).min(1.0));
        let WarmUp::Ends { after, steady } = find(&rising) else { panic!("it settled") };
        assert!((15..=40).contains(&after), "{after}");
        assert!(steady);
    }

    #[test]
    fn a_steady_run_needs_no_long_cut() {
        let WarmUp::Ends { after, steady } = find(&values(120, |_| 500.0)) else {
            panic!("it settled")
        };
        assert!(after <= 40 && steady, "{after}");
    }

    #[test]
    fn detects_unsettled_and_short_runs() {
        assert_eq!(find(&values(120, |at| 100.0 + at as f64 * 10.0)), WarmUp::NeverSettled);
        assert_eq!(find(&values(49, |_| 1.0)), WarmUp::TooShort);
    }

    #[test]
    fn a_slow_decline_is_not_steady() {
        let worn = values(300, |at| 1_000.0 + 30.0 * (at as f64 / 15.0).sin() - at as f64 * 0.4);
        assert!(matches!(find(&worn), WarmUp::Ends { steady: false, .. } | WarmUp::NeverSettled));
    }
}
