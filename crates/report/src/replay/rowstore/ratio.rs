//! What series of runs say of each other: averages as the report takes them, and ratios with
//! an interval.

use duet_verdict::judge::{deviation, mean, quantile};

/// How sure a verdict is to be.
const CONFIDENCE: f64 = 0.95;

/// The average without the fastest and the slowest run; of all, where there are fewer than three.
pub(super) fn trimmed_mean(seconds: &[f64]) -> Option<f64> {
    let mut sorted = seconds.to_vec();
    sorted.sort_by(f64::total_cmp);
    let kept = match sorted.len() {
        0 => return None,
        1 | 2 => &sorted[..],
        runs => &sorted[1..runs - 1],
    };
    Some(mean(kept))
}

/// How much longer or shorter something took, in percent, and where that lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Interval {
    /// The best guess.
    pub(super) middle: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Interval {
    /// Of the logarithms of the ratios, one of each round; unbounded where there is one alone. Where a
    /// verdict rests on `many` intervals, each is so much wider that all of them are right with 95 %
    /// confidence (Bonferroni).
    pub(super) fn of(logs: &[f64], many: usize) -> Option<Self> {
        let count = logs.len() as f64;
        let middle = logs.first().map(|_| mean(logs))?;
        let half = match logs.len() {
            1 => f64::INFINITY,
            _ => {
                let share = 1.0 - (1.0 - CONFIDENCE) / many.max(1) as f64 / 2.0;
                quantile(share, count - 1.0) * deviation(logs) / count.sqrt()
            }
        };
        let percent = |log: f64| log.exp_m1() * 100.0;
        Some(Self {
            middle: percent(middle),
            low: percent(middle - half),
            high: percent(middle + half),
        })
    }
}

/// The logarithms of the ratios, round by round.
pub(super) fn logs<'a>(first: &'a [f64], second: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
    first.iter().zip(second).map(|(first, second)| (first / second).ln())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn averages_of_the_report() {
        assert_eq!(trimmed_mean(&[5.0, 1.0, 2.0, 3.0, 100.0]), Some(10.0 / 3.0));
        assert_eq!(trimmed_mean(&[1.0, 2.0]), Some(1.5));
        assert_eq!(trimmed_mean(&[]), None);
    }

    #[test]
    fn intervals() {
        let same: Vec<f64> = logs(&[2.0, 4.0, 8.0], &[1.0, 2.0, 4.0]).collect();
        let same = Interval::of(&same, 1).unwrap();
        assert!((same.low - 100.0).abs() < 1e-9 && (same.high - 100.0).abs() < 1e-9, "{same:?}");
        // By hand: mean 2, deviation 1, t of two degrees 4.303, for two intervals 6.205.
        for (many, t) in [(1, 4.302_65), (2, 6.205_35)] {
            let spread = Interval::of(&[1.0, 2.0, 3.0], many).unwrap();
            let high = ((spread.high / 100.0).ln_1p() - 2.0) * 3.0_f64.sqrt();
            assert!((high - t).abs() < 1e-4, "{spread:?}");
        }
        let one = Interval::of(&[0.5], 1).unwrap();
        assert!(one.low <= -100.0 && one.high.is_infinite());
        assert_eq!(Interval::of(&[], 1), None);
    }
}
