//! Stateless random numbers: a value is a function of seed, table, row and column.
//!
//! So any thread can generate any slice of a table, always with the same result. Only whole numbers
//! are used, so that every machine gets the same.

/// 2^64 divided by the golden ratio: its multiples are evenly spread (Steele and others, "Fast
/// Splittable Pseudorandom Number Generators", 2014).
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// SplitMix64's mixing function, from the same paper.
const fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

/// The random numbers of one table.
#[derive(Clone, Copy, Debug)]
pub struct TableKey(u64);

impl TableKey {
    /// The random numbers of a table, by its name.
    pub fn new(seed: u64, table: &str) -> Self {
        // FNV-1a: names are few and short.
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
        let name = table.bytes().fold(0xCBF2_9CE4_8422_2325, step);
        Self(mix(mix(seed).wrapping_add(name)))
    }

    /// The random numbers of a row.
    pub fn row(self, row: u64) -> RowRandom {
        RowRandom(mix(self.0 ^ mix(row.wrapping_add(GOLDEN))))
    }

    /// A seed for things that are not rows, such as a permutation.
    pub fn seed(self) -> u64 {
        self.0
    }
}

/// The random numbers of one row: a different one for each column number.
#[derive(Clone, Copy, Debug)]
pub struct RowRandom(u64);

impl RowRandom {
    /// 64 random bits.
    pub fn bits(self, column: u64) -> u64 {
        mix(self.0.wrapping_add((column + 1).wrapping_mul(GOLDEN)))
    }

    /// Random numbers of a part of this row, such as a line of an order.
    pub fn part(self, part: u64) -> Self {
        Self(mix(self.0 ^ mix(!part)))
    }

    /// Uniform in `0..count`; 0 if `count` is 0. The bias is below `count` / 2^64.
    pub fn below(self, column: u64, count: u64) -> u64 {
        // The product's upper half is below `count`.
        ((u128::from(self.bits(column)) * u128::from(count)) >> 64) as u64
    }

    /// Uniform in `low..=high`.
    pub fn between(self, column: u64, low: i64, high: i64) -> i64 {
        low + self.below(column, high.abs_diff(low) + 1) as i64
    }

    /// A bell curve over `low..=high`: the mean of four uniform numbers of 16 bits. Its standard
    /// deviation is 0.144 of the range.
    pub fn bell(self, column: u64, low: i64, high: i64) -> i64 {
        let bits = self.bits(column);
        let draws = (bits & 0xFFFF) + (bits >> 16 & 0xFFFF) + (bits >> 32 & 0xFFFF) + (bits >> 48);
        let range = high.abs_diff(low) + 1;
        low + (u128::from(draws) * u128::from(range) / (4 * 0xFFFF + 1)) as i64
    }

    /// Whether an event with a probability of `per_thousand` in a thousand happens.
    pub fn chance(self, column: u64, per_thousand: u64) -> bool {
        self.below(column, 1_000) < per_thousand
    }

    /// A uniform choice. The list must not be empty.
    pub fn pick<T: Copy>(self, column: u64, of: &[T]) -> T {
        of[self.below(column, of.len() as u64) as usize]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rows(count: u64) -> impl Iterator<Item = RowRandom> {
        let key = TableKey::new(7, "t");
        (0..count).map(move |row| key.row(row))
    }

    #[test]
    fn never_another_value() {
        // Data sets depend on these numbers: a change would alter the data of old seeds.
        let row = TableKey::new(42, "customers").row(1);
        assert_eq!([row.bits(0), row.bits(1), row.part(3).bits(0)], EXPECTED);
    }

    const EXPECTED: [u64; 3] =
        [3_568_863_154_524_020_427, 1_954_346_091_054_773_491, 10_909_275_951_631_893_861];

    #[test]
    fn even_and_bell() {
        let count = 40_000;
        let mut even = [0_u32; 10];
        let (mut sum, mut squares) = (0, 0);
        for row in rows(count) {
            even[row.below(0, 10) as usize] += 1;
            let bell = row.bell(1, 0, 999);
            sum += bell;
            squares += bell * bell;
        }
        assert!(even.iter().all(|found| found.abs_diff(4_000) < 300), "{even:?}");
        let mean = sum as f64 / count as f64;
        let deviation = (squares as f64 / count as f64 - mean * mean).sqrt();
        assert!((mean - 499.5).abs() < 3.0, "{mean}");
        assert!((deviation - 144.3).abs() < 3.0, "{deviation}");
    }

    #[test]
    fn columns_tables_seeds_and_parts_differ() {
        let mut seen = std::collections::HashSet::new();
        for seed in 0..4 {
            for table in ["a", "b"] {
                for row in 0..100 {
                    let row = TableKey::new(seed, table).row(row);
                    for column in 0..20 {
                        assert!(seen.insert(row.bits(column)));
                        assert!(seen.insert(row.part(column).bits(0)));
                    }
                }
            }
        }
    }

    proptest! {
        #[test]
        fn inside_the_bounds(seed: u64, row: u64, column in 0_u64..100, low in -1_000_000_i64..1_000_000, range in 0_i64..1_000_000) {
            let row = TableKey::new(seed, "t").row(row);
            let bounds = low..=low + range;
            prop_assert!(bounds.contains(&row.between(column, low, low + range)));
            prop_assert!(bounds.contains(&row.bell(column, low, low + range)));
            prop_assert!(row.chance(column, 1_000) && !row.chance(column, 0));
        }
    }
}
