//! A figure of one run with its standard error, and the comparison of two runs.

use super::numbers::{mean, variance};
use super::verdict::{Change, Rules};

/// Seconds in a batch: neighbouring seconds are correlated, batches of five much less.
pub const BATCH_S: usize = 5;
/// The minimum number of measured seconds to estimate a figure's variance: four batches.
pub const FEWEST_S: usize = 4 * BATCH_S;

/// A figure of one run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The figure.
    pub value: f64,
    /// Its relative standard error, that is the standard error of its logarithm.
    pub error: f64,
    /// Degrees of freedom of the standard error.
    pub freedom: f64,
}

impl Estimate {
    /// The mean of autocorrelated seconds with its standard error by batch means: the largest error
    /// over the batch lengths 1, 5, 10, 15 … that leave eight batches (four in short runs).
    /// `None` with fewer than four batches of five, or if the mean is not positive.
    pub fn of_seconds(seconds: &[f64]) -> Option<Self> {
        let value = mean(seconds);
        if seconds.len() < FEWEST_S || value <= 0.0 || !value.is_finite() {
            return None;
        }
        let longest = (seconds.len() / 8).max(BATCH_S);
        let lengths = std::iter::once(1).chain((BATCH_S..=longest).step_by(BATCH_S));
        let batches = lengths.map(|length| {
            let means: Vec<f64> = seconds.chunks_exact(length).map(mean).collect();
            let error = (variance(&means) / means.len() as f64).sqrt() / value;
            Self { value, error, freedom: (means.len() - 1) as f64 }
        });
        batches.max_by(|a, b| a.error.total_cmp(&b.error))
    }

    /// An estimate from bootstrap draws of a figure: the standard deviation of their logarithms is its
    /// error. `blocks` is the number of independent blocks. `None` if a value is not positive.
    pub fn of_draws(value: f64, draws: &[f64], blocks: usize) -> Option<Self> {
        if value <= 0.0 || blocks < 4 || draws.iter().any(|draw| *draw <= 0.0) {
            return None;
        }
        let logs: Vec<f64> = draws.iter().map(|draw| draw.ln()).collect();
        Some(Self { value, error: variance(&logs).sqrt(), freedom: blocks as f64 - 1.0 })
    }

    /// The confidence interval of the figure within its run, not between runs.
    pub fn interval(&self, confidence: f64) -> [f64; 2] {
        let alpha = 1.0 - confidence;
        let half = super::student::quantile(1.0 - alpha / 2.0, self.freedom) * self.error;
        [self.value * (-half).exp(), self.value * half.exp()]
    }

    /// The change from a base, by Welch's t. Single runs cannot separate a change from the machine's
    /// drift, so the interval is widened by [`Rules::drift`] on both sides: "no change" is
    /// reported only where that is within the threshold, and "faster" and "slower" only for larger differences.
    pub fn against(&self, base: &Self, rules: &Rules) -> Change {
        let (a, b) = (base.error.powi(2), self.error.powi(2));
        let both = a + b;
        let freedom = if both > 0.0 {
            both.powi(2) / (a.powi(2) / base.freedom + b.powi(2) / self.freedom)
        } else {
            base.freedom.min(self.freedom)
        };
        Change {
            log_ratio: (self.value / base.value).ln(),
            error: both.sqrt(),
            freedom,
            drift: rules.drift.max(0.0).ln_1p(),
            step: 0.0,
            pairs: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Better, ChangeVerdict};
    use super::*;

    fn seconds(level: f64, rho: f64, seed: u64) -> Vec<f64> {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut state = 0.0;
        let mut next = || {
            state = rho * state + random.f64() - 0.5;
            level * (1.0 + 0.1 * state)
        };
        (0..120).map(|_| next()).collect()
    }

    #[test]
    fn correlated_seconds_have_a_larger_error() {
        let free = Estimate::of_seconds(&seconds(100.0, 0.0, 7)).unwrap();
        let bound = Estimate::of_seconds(&seconds(100.0, 0.9, 7)).unwrap();
        // Independent: 0.1 · √(1/12) ÷ √120 = 0.26 %.
        assert!((0.002..0.006).contains(&free.error), "{free:?}");
        assert!(bound.error > 3.0 * free.error, "{bound:?}");
        let [low, high] = free.interval(0.95);
        assert!(low < 100.0 && 100.0 < high, "{low} {high}");
        assert_eq!(Estimate::of_seconds(&[1.0; 19]), None);
        assert_eq!(Estimate::of_seconds(&[0.0; 60]), None);
    }

    #[test]
    fn single_runs_have_wide_intervals() {
        let rules = Rules::default();
        let base = Estimate::of_seconds(&seconds(100.0, 0.5, 1)).unwrap();
        let verdict = |level: f64| {
            let new = Estimate::of_seconds(&seconds(level, 0.5, 2)).unwrap();
            new.against(&base, &rules).verdict(Better::Higher, rules.threshold, 0.05)
        };
        assert_eq!(verdict(100.0), ChangeVerdict::CannotTell { more_pairs: Some(20) });
        assert_eq!(verdict(110.0), ChangeVerdict::CannotTell { more_pairs: Some(10) });
        assert_eq!(verdict(150.0), ChangeVerdict::Faster);
        assert_eq!(verdict(70.0), ChangeVerdict::Slower);
        let same = base.against(&base, &Rules { drift: 0.0, ..rules });
        assert!((same.freedom - 2.0 * base.freedom).abs() < 1e-9);
    }

    #[test]
    fn estimates_the_error_from_draws() {
        let draws = [90.0, 100.0, 110.0];
        let estimate = Estimate::of_draws(100.0, &draws, 12).unwrap();
        assert!((estimate.error - 0.1).abs() < 0.01);
        assert_eq!(Estimate::of_draws(100.0, &draws, 3), None);
        assert_eq!(Estimate::of_draws(100.0, &[0.0], 12), None);
    }
}
