//! Detects a growing backlog: the transactions in progress in each second (Little's law: completed
//! times mean response time), and whether their linear trend rises.

use crate::judge::{mean, two_sided};
use crate::result::RunResult;

/// The minimum number of seconds.
const FEWEST: usize = 4;
/// A rise must be significant at this level …
const CHANCE: f64 = 0.05;
/// … and amount to this share of the mean over the window, and to at least one transaction.
const SHARE: f64 = 0.5;

/// The mean number of transactions in progress, by measured second.
pub fn under_way(result: &RunResult) -> Vec<f64> {
    let each = result.measured().map(|it| it.completed as f64 * it.response.mean_us / 1e6);
    each.collect()
}

/// Whether the linear trend of these seconds rises.
pub fn rises(seconds: &[f64]) -> bool {
    if seconds.len() < FEWEST {
        return false;
    }
    let count = seconds.len() as f64;
    let (middle, level) = ((count - 1.0) / 2.0, mean(seconds));
    let at = |place: usize| place as f64 - middle;
    let square: f64 = (0..seconds.len()).map(|place| at(place).powi(2)).sum();
    let slope = seconds.iter().enumerate().map(|(x, y)| at(x) * (y - level)).sum::<f64>() / square;
    let growth = slope * (count - 1.0);
    if growth < 1.0 || growth < SHARE * level {
        return false;
    }
    let off = |(x, y): (usize, &f64)| (y - level - slope * at(x)).powi(2);
    let rest: f64 = seconds.iter().enumerate().map(off).sum();
    let error = (rest / (count - 2.0) / square).sqrt();
    error <= 0.0 || two_sided(slope / error, count - 2.0) / 2.0 < CHANCE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detects_a_growing_backlog() {
        assert!(rises(&[1.0, 2.0, 3.0, 4.0, 5.0]));
        assert!(rises(&[10.0, 60.0, 90.0, 160.0, 190.0]));
        for steady in [
            &[5.0, 5.1, 4.9, 5.0, 5.2][..],
            &[5.0, 4.0, 3.0, 2.0, 1.0],
            &[1.0, 30.0, 1.0, 28.0, 2.0, 29.0],
            &[0.1, 0.2, 0.3, 0.4, 0.5],
            &[1.0, 9.0, 20.0],
            &[],
        ] {
            assert!(!rises(steady), "{steady:?}");
        }
    }
}
