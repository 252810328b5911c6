//! A shuffled order of `0..count` without memory: each position is calculated.

use super::random::TableKey;

/// Rounds of the network; with four it is indistinguishable from a random order (Luby and Rackoff,
/// 1988).
const ROUNDS: u64 = 4;

/// A permutation of `0..count`: a Feistel network over the next even number of bits, repeated until
/// the number is below `count` (cycle walking).
#[derive(Clone, Copy, Debug)]
pub struct Permutation {
    count: u64,
    half: u32,
    key: TableKey,
}

impl Permutation {
    /// The permutation of `0..count` for a seed.
    pub fn new(count: u64, seed: u64) -> Self {
        let bits = u64::BITS - count.saturating_sub(1).leading_zeros();
        Self { count, half: bits.div_ceil(2).max(1), key: TableKey::new(seed, "permutation") }
    }

    /// The position of a number below `count`.
    pub fn at(&self, number: u64) -> u64 {
        let mut at = number;
        // A permutation's cycle returns to its start, which is below `count`.
        loop {
            at = self.through(at);
            if at < self.count || self.count == 0 {
                return at;
            }
        }
    }

    fn through(&self, number: u64) -> u64 {
        let mask = (1_u64 << self.half) - 1;
        let (mut left, mut right) = (number >> self.half & mask, number & mask);
        for round in 0..ROUNDS {
            (left, right) = (right, left ^ (self.key.row(right).bits(round) & mask));
        }
        left << self.half | right
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn each_number_once(count in 1_u64..3_000, seed: u64) {
            let permutation = Permutation::new(count, seed);
            let mut seen = vec![false; count as usize];
            for number in 0..count {
                let at = permutation.at(number) as usize;
                prop_assert!(!std::mem::replace(&mut seen[at], true));
            }
        }
    }

    #[test]
    fn shuffled() {
        let permutation = Permutation::new(1_000, 1);
        let kept = (0..1_000).filter(|number| permutation.at(*number) == *number).count();
        assert!(kept < 10, "{kept} stayed where they were");
    }
}
