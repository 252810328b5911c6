//! What series of runs say of each other: averages as the report takes them, and ratios with an interval.

/// Student's t for 95 %, two-sided, by degrees of freedom from 1 on; beyond the last it would be smaller.
const T95: [f64; 10] = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];

/// The average without the fastest and the slowest run; of all, where there are fewer than three.
pub(super) fn trimmed_mean(seconds: &[f64]) -> Option<f64> {
    let mut sorted = seconds.to_vec();
    sorted.sort_by(f64::total_cmp);
    let kept = match sorted.len() {
        0 => return None,
        1 | 2 => &sorted[..],
        runs => &sorted[1..runs - 1],
    };
    Some(kept.iter().sum::<f64>() / kept.len() as f64)
}

/// Where a value lies with 95 % confidence, from the pairs of runs that stand beside each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Interval {
    /// The best guess.
    pub(super) middle: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Interval {
    /// Of independent values; unbounded where there is one alone.
    pub(super) fn of(values: &[f64]) -> Option<Self> {
        let count = values.len();
        let middle = values.iter().sum::<f64>() / count as f64;
        if count < 2 {
            let unbounded = Self { middle, low: f64::NEG_INFINITY, high: f64::INFINITY };
            return values.first().map(|_| unbounded);
        }
        let squares: f64 = values.iter().map(|value| (value - middle).powi(2)).sum();
        let deviation = (squares / (count - 1) as f64).sqrt();
        let t = T95[(count - 2).min(T95.len() - 1)];
        let half = t * deviation / (count as f64).sqrt();
        Some(Self { middle, low: middle - half, high: middle + half })
    }

    /// How much longer the first took than the second, in percent, from the logarithms of the ratios of
    /// runs of the same round.
    pub(super) fn change(first: &[f64], second: &[f64]) -> Option<Self> {
        let logs: Vec<f64> = logs(first, second).collect();
        Self::of(&logs).map(|interval| interval.map(|log| log.exp_m1() * 100.0))
    }

    /// By a function that keeps the order.
    fn map(self, by: impl Fn(f64) -> f64) -> Self {
        Self { middle: by(self.middle), low: by(self.low), high: by(self.high) }
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
        let same = Interval::change(&[2.0, 4.0, 8.0], &[1.0, 2.0, 4.0]).unwrap();
        assert!((same.low - 100.0).abs() < 1e-9 && (same.high - 100.0).abs() < 1e-9, "{same:?}");
        // By hand: mean 2, deviation 1, t 4.303.
        let spread = Interval::of(&[1.0, 2.0, 3.0]).unwrap();
        assert!((spread.high - (2.0 + 4.303 / 3.0_f64.sqrt())).abs() < 1e-9, "{spread:?}");
        let one = Interval::change(&[2.0], &[1.0]).unwrap();
        assert!(one.low <= -100.0 && one.high.is_infinite());
        assert_eq!(Interval::of(&[]), None);
    }
}
