//! Two sides measured alternately: A B, B A, A B … Both runs of a pair have similar conditions, so
//! slow drift of the machine cancels in their ratio. The interval is Student's t over the logarithms
//! of the ratios; bootstrap intervals are too narrow below twenty pairs.

use super::numbers::{deviation, mean};
use super::verdict::{Better, Change, Row};

/// One figure of pairs of trials: base, new.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pairs {
    values: Vec<(f64, f64)>,
    left_out: u32,
    step: f64,
}

impl Pairs {
    /// Collects pairs of figures. A pair with a side that is not positive has no ratio; it is skipped and
    /// counted.
    pub fn of(pairs: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let good = |value: f64| value.is_finite() && value > 0.0;
        let mut these = Self::default();
        for (base, new) in pairs {
            if good(base) && good(new) {
                these.values.push((base, new));
            } else {
                these.left_out += 1;
            }
        }
        these
    }

    /// The same, of figures that show no smaller change than `step`, a logarithm.
    pub fn measured_to(self, step: f64) -> Self {
        Self { step, ..self }
    }

    /// The number of pairs with a ratio.
    pub fn count(&self) -> u32 {
        u32::try_from(self.values.len()).unwrap_or(u32::MAX)
    }

    /// The number of pairs without a ratio.
    pub fn left_out(&self) -> u32 {
        self.left_out
    }

    /// The change; `None` without pairs.
    pub fn change(&self) -> Option<Change> {
        let logs: Vec<f64> = self.values.iter().map(|(base, new)| (new / base).ln()).collect();
        let count = self.count();
        (count > 0).then(|| Change {
            log_ratio: mean(&logs),
            error: deviation(&logs) / f64::from(count).sqrt(),
            freedom: f64::from(count) - 1.0,
            drift: 0.0,
            step: self.step,
            pairs: Some(count),
        })
    }

    /// A row for [`judge`](super::judge), with the geometric mean of each side: the change is the ratio of these.
    pub fn row(&self, name: &str, unit: &str, better: Better) -> Row {
        let (base, new): (Vec<f64>, Vec<f64>) = self.values.iter().copied().unzip();
        let row = Row::shown(name, unit, better, geometric(&base), geometric(&new));
        match self.change() {
            Some(change) => row.changed(change),
            None => row,
        }
    }
}

/// The geometric mean; 0 without values.
fn geometric(values: &[f64]) -> f64 {
    let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    if logs.is_empty() { 0.0 } else { mean(&logs).exp() }
}

#[cfg(test)]
mod tests {
    use super::super::{ChangeVerdict, Rules, judge};
    use super::*;

    /// Trials in the order A B, B A, A B … on a drifting machine: AR(1) with 0.9 from trial to trial, a
    /// deviation of 5 %, and a noise of 2 % per trial.
    fn measured(pairs: usize, effect: f64, random: &mut fastrand::Rng) -> Pairs {
        let mut drift = 0.05 * normal(random);
        let mut trial = |factor: f64| {
            drift = 0.9 * drift + 0.05 * (1.0_f64 - 0.81).sqrt() * normal(random);
            1_000.0 * factor * (drift + 0.02 * normal(random)).exp()
        };
        Pairs::of((0..pairs).map(|pair| {
            if pair % 2 == 0 {
                let base = trial(1.0);
                (base, trial(effect))
            } else {
                let new = trial(effect);
                (trial(1.0), new)
            }
        }))
    }

    fn normal(random: &mut fastrand::Rng) -> f64 {
        let (radius, angle) = (1.0 - random.f64(), random.f64());
        (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
    }

    fn verdicts(pairs: usize, effect: f64, wanted: impl Fn(ChangeVerdict) -> bool) -> usize {
        let mut random = fastrand::Rng::with_seed(20_260_101);
        (0..100)
            .filter(|_| {
                let row = measured(pairs, effect, &mut random).row("tps", "/s", Better::Higher);
                judge(vec![row], &Rules::default())[0].verdict.is_some_and(&wanted)
            })
            .count()
    }

    #[test]
    fn equal_targets_rarely_differ_significantly() {
        let wrong = |verdict| matches!(verdict, ChangeVerdict::Faster | ChangeVerdict::Slower);
        let found = verdicts(10, 1.0, wrong);
        assert!(found <= 10, "{found} of 100");
        let found = verdicts(20, 1.0, wrong);
        assert!(found <= 10, "{found} of 100");
        let found = verdicts(40, 1.0, |verdict| verdict == ChangeVerdict::NoChange);
        assert!(found >= 80, "no change is seen in {found} of 100");
    }

    #[test]
    fn detects_a_change_of_5_percent() {
        let found = verdicts(20, 1.05, |verdict| verdict == ChangeVerdict::Faster);
        assert!(found >= 90, "{found} of 100");
        let found = verdicts(10, 0.95, |verdict| verdict == ChangeVerdict::Slower);
        assert!(found >= 75, "{found} of 100");
    }

    /// One slow round must not turn the columns around.
    #[test]
    fn the_change_is_that_of_the_columns() {
        let pairs = Pairs::of([(1.0, 0.8), (1.0, 0.8), (1.0, 0.8), (1.1, 3.0)]);
        let row = &judge(vec![pairs.row("p95", "ms", Better::Lower)], &Rules::default())[0];
        let ratio = row.new / row.base;
        assert!((ratio - row.ratio.unwrap()).abs() < 1e-12, "{row:?}");
        assert!((ratio - pairs.change().unwrap().log_ratio.exp()).abs() < 1e-12, "{row:?}");
    }

    #[test]
    fn agrees_with_manual_computation() {
        let pairs = Pairs::of([(100.0, 110.0), (100.0, 121.0), (0.0, 1.0), (1.0, f64::NAN)]);
        assert_eq!((pairs.count(), pairs.left_out()), (2, 2));
        let change = pairs.change().unwrap();
        assert!((change.log_ratio.exp() - 1.1_f64.powf(1.5)).abs() < 1e-12);
        let half = 12.706_2 * 1.1_f64.ln() / 2.0_f64.sqrt() / 2.0_f64.sqrt();
        let [low, high] = change.interval(0.95);
        assert!((low - (1.1_f64.ln() * 1.5 - half).exp()).abs() < 1e-4);
        assert!((high - (1.1_f64.ln() * 1.5 + half).exp()).abs() < 1e-4);
        assert_eq!(Pairs::of([]).change(), None);
        let row = Pairs::of([]).row("p99", "ms", Better::Lower);
        assert_eq!(judge(vec![row], &Rules::default())[0].verdict, None);
    }
}
