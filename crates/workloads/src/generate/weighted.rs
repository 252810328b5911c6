//! Weighted random choices: words, days, and ranks by Zipf's law.

use super::random::RowRandom;

/// Weighted choice in constant time (Walker's alias method, in Vose's form: "A Linear Algorithm for
/// Generating Random Numbers with a Given Distribution", 1991).
#[derive(Clone, Debug)]
pub struct Weighted {
    /// For each index: below this share of 2^32 it is chosen itself, above it its alias.
    places: Vec<(u64, usize)>,
}

impl Weighted {
    /// From weights; the sum must stay below 2^64. If no weight is above 0, all are equal.
    pub fn new(weights: &[u64]) -> Self {
        let total: u128 = weights.iter().map(|weight| u128::from(*weight)).sum();
        let count = weights.len() as u128;
        let mut places: Vec<(u64, usize)> = (0..weights.len()).map(|at| (1 << 32, at)).collect();
        if total == 0 {
            return Self { places };
        }
        // Each slot holds `total` of the weights multiplied by their number.
        let mut left: Vec<u128> =
            weights.iter().map(|weight| u128::from(*weight) * count).collect();
        let (mut small, mut large): (Vec<usize>, Vec<usize>) =
            (0..left.len()).partition(|at| left[*at] < total);
        while let (Some(poor), Some(rich)) = (small.pop(), large.pop()) {
            places[poor] = (((left[poor] << 32) / total) as u64, rich);
            left[rich] -= total - left[poor];
            if left[rich] < total { small.push(rich) } else { large.push(rich) }
        }
        Self { places }
    }

    /// Ranks `0..count` by Zipf's law: rank r has the weight 1 / (r + 1)^theta.
    pub fn zipf(count: u64, theta: f64) -> Self {
        // 40 bits for the first one leave precision for every weight.
        let weight = |rank: u64| ((1_u64 << 40) as f64 * ((rank + 1) as f64).powf(-theta)) as u64;
        Self::new(&(0..count).map(weight).collect::<Vec<_>>())
    }

    /// A random index by weight; 0 if there is none.
    pub fn draw(&self, row: RowRandom, column: u64) -> usize {
        if self.places.is_empty() {
            return 0;
        }
        let bits = row.bits(column);
        let at = (((bits >> 32) * self.places.len() as u64) >> 32) as usize;
        let (share, alias) = self.places[at];
        if bits & 0xFFFF_FFFF < share { at } else { alias }
    }
}

/// Draws `count` distinct numbers below `limit`, in order: a duplicate is drawn again, and finally
/// replaced by the next unused number.
pub fn distinct(count: usize, limit: u64, mut draw: impl FnMut(u64) -> u64, out: &mut Vec<u64>) {
    out.clear();
    let mut attempt = 0;
    while out.len() < count.min(limit as usize) {
        let mut drawn = draw(attempt) % limit;
        attempt += 1;
        if attempt > 8 * count as u64 {
            while out.contains(&drawn) {
                drawn = (drawn + 1) % limit;
            }
        }
        if !out.contains(&drawn) {
            out.push(drawn);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::random::TableKey;
    use super::*;

    fn counts(weighted: &Weighted, places: usize, draws: u64) -> Vec<u64> {
        let key = TableKey::new(3, "weights");
        let mut counts = vec![0; places];
        (0..draws).for_each(|row| counts[weighted.draw(key.row(row), 0)] += 1);
        counts
    }

    #[test]
    fn by_weight() {
        let found = counts(&Weighted::new(&[6, 2, 0, 1, 1]), 5, 100_000);
        for (found, expected) in found.iter().zip([60_000_u64, 20_000, 0, 10_000, 10_000]) {
            assert!(found.abs_diff(expected) < 800, "{found} instead of {expected}");
        }
        assert_eq!(found[2], 0);
    }

    #[test]
    fn by_zipf() {
        let found = counts(&Weighted::zipf(100, 1.0), 100, 100_000);
        let first: f64 = 100_000.0 / 5.187_377;
        for rank in [1_usize, 2, 4, 10] {
            let expected = first / rank as f64;
            assert!((found[rank - 1] as f64 - expected).abs() < 600.0, "{rank}: {found:?}");
        }
    }

    proptest! {
        #[test]
        fn all_different(seed: u64, limit in 1_u64..40, count in 1_usize..40) {
            let row = TableKey::new(seed, "t").row(0);
            let mut drawn = Vec::new();
            // Equal draws are the worst case.
            for low in [row.below(0, limit), 0] {
                distinct(count, limit, |attempt| if low == 0 { 0 } else { row.below(attempt, limit) }, &mut drawn);
                let mut sorted = drawn.clone();
                sorted.sort_unstable();
                sorted.dedup();
                prop_assert_eq!(sorted.len(), count.min(limit as usize));
                prop_assert!(sorted.iter().all(|number| *number < limit));
            }
        }

        #[test]
        fn places_exist(weights in prop::collection::vec(0_u64..1_000, 1..50), seed: u64) {
            let weighted = Weighted::new(&weights);
            for row in 0..50 {
                let at = weighted.draw(TableKey::new(seed, "t").row(row), 0);
                prop_assert!(weights[at] > 0 || weights.iter().all(|weight| *weight == 0));
            }
        }
    }
}
