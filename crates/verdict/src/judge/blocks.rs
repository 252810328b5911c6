//! Confidence intervals of percentiles by a moving block bootstrap: 500 draws with a fixed seed.
//! Requests within a second and neighbouring seconds are correlated, so blocks of five seconds are
//! drawn. Long runs first merge neighbouring seconds, which bounds memory and time.

use hdrhistogram::Histogram;

use super::Estimate;

/// Seconds in a block.
const BLOCK_S: usize = 5;
/// More seconds than this are merged.
const MOST: usize = 720;
/// The number of bootstrap draws.
const DRAWS: usize = 500;
/// A fixed seed: the same seconds always give the same interval.
const SEED: u64 = 0x5eed_b10c;

/// The histograms of seconds, indexed for drawing.
#[derive(Clone, Debug, Default)]
pub struct Seconds {
    /// Every value that occurs, ascending.
    values: Vec<u64>,
    /// For each second or merged group: positions in `values` with their counts.
    counts: Vec<Vec<(usize, u64)>>,
}

impl Seconds {
    /// Indexes the histograms of `seconds` seconds. They are read one by one, because those of a long
    /// run do not fit in memory.
    pub fn of(count: usize, seconds: impl IntoIterator<Item = Histogram<u64>>) -> Self {
        let each = Self::merged(count);
        let mut seconds = seconds.into_iter();
        let groups = std::iter::from_fn(|| {
            let mut together = seconds.next()?;
            for second in seconds.by_ref().take(each - 1) {
                // Both histograms have the same precision.
                let _ = together.add(&second);
            }
            Some(together)
        });
        Self::of_groups(groups)
    }

    /// The number of neighbouring seconds that are merged, of this many.
    pub fn merged(count: usize) -> usize {
        count.div_ceil(MOST).max(1)
    }

    /// Indexes the histograms of seconds that are [merged](Self::merged) already.
    pub fn of_groups(groups: impl IntoIterator<Item = Histogram<u64>>) -> Self {
        let recorded = |together: Histogram<u64>| -> Vec<(u64, u64)> {
            let rows = together.iter_recorded();
            rows.map(|row| (row.value_iterated_to(), row.count_at_value())).collect()
        };
        let rows: Vec<_> = groups.into_iter().map(recorded).collect();
        let mut values: Vec<u64> = rows.iter().flatten().map(|(value, _)| *value).collect();
        values.sort_unstable();
        values.dedup();
        let place = |value| values.binary_search(&value).unwrap_or_default();
        let counts = rows.into_iter();
        let counts =
            counts.map(|row| row.into_iter().map(|(value, n)| (place(value), n)).collect());
        Self { counts: counts.collect(), values }
    }

    /// The percentile over all seconds; `None` with fewer than ten samples beyond it.
    pub fn percentile(&self, quantile: f64) -> Option<f64> {
        let sums = self.sums();
        let total: u64 = sums.iter().sum();
        let beyond = total as f64 * (1.0 - quantile);
        (beyond > 9.999).then(|| self.at(&sums, quantile)).flatten()
    }

    /// The percentile with its standard error; `None` with too few samples or seconds.
    pub fn estimate(&self, quantile: f64) -> Option<Estimate> {
        let value = self.percentile(quantile)?;
        let draws = self.draws(quantile);
        Estimate::of_draws(value, &draws, self.counts.len() / BLOCK_S)
    }

    /// The 95 % interval of the percentile, from the quantiles of the draws.
    pub fn interval(&self, quantile: f64) -> Option<[f64; 2]> {
        self.percentile(quantile).filter(|_| self.counts.len() >= 4 * BLOCK_S)?;
        let mut draws = self.draws(quantile);
        draws.sort_by(f64::total_cmp);
        let at = |share: f64| draws.get((share * draws.len() as f64) as usize).copied();
        Some([at(0.025)?, at(0.975)?])
    }

    fn draws(&self, quantile: f64) -> Vec<f64> {
        let seconds = self.counts.len();
        if seconds < BLOCK_S {
            return Vec::new();
        }
        let mut random = fastrand::Rng::with_seed(SEED);
        let cumulative = self.cumulative();
        let mut draw = || {
            let mut times = vec![0; seconds];
            let mut left = seconds;
            while left > 0 {
                let from = random.usize(0..=seconds - BLOCK_S);
                let length = BLOCK_S.min(left);
                times[from..from + length].iter_mut().for_each(|n| *n += 1);
                left -= length;
            }
            self.drawn(&cumulative, &times, quantile)
        };
        (0..DRAWS).filter_map(|_| draw()).collect()
    }

    /// For each value, how many samples of each second are not above it.
    fn cumulative(&self) -> Vec<Vec<u64>> {
        let mut columns = vec![vec![0; self.counts.len()]; self.values.len()];
        for (at, second) in self.counts.iter().enumerate() {
            second.iter().for_each(|(place, count)| columns[*place][at] = *count);
        }
        for place in 1..columns.len() {
            let (before, rest) = columns.split_at_mut(place);
            let sums = rest[0].iter_mut().zip(&before[place - 1]);
            sums.for_each(|(count, below)| *count += below);
        }
        columns
    }

    /// The percentile of seconds of these weights: the first value that enough samples are not above, which a binary
    /// search finds.
    fn drawn(&self, cumulative: &[Vec<u64>], times: &[u64], quantile: f64) -> Option<f64> {
        let samples = |column: &[u64]| -> u64 {
            column.iter().zip(times).map(|(count, times)| count * times).sum()
        };
        let total = samples(cumulative.last()?);
        let wanted = ((quantile * total as f64).ceil() as u64).max(1);
        let place = cumulative.partition_point(|column| samples(column) < wanted);
        self.values.get(place).map(|value| *value as f64)
    }

    /// Counts by value.
    fn sums(&self) -> Vec<u64> {
        let mut sums = vec![0; self.values.len()];
        for (place, count) in self.counts.iter().flatten() {
            sums[*place] += count;
        }
        sums
    }

    fn at(&self, sums: &[u64], quantile: f64) -> Option<f64> {
        let total: u64 = sums.iter().sum();
        let wanted = ((quantile * total as f64).ceil() as u64).max(1);
        let mut seen = 0;
        let place = sums.iter().position(|count| {
            seen += count;
            seen >= wanted
        });
        place.map(|place| self.values[place] as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(slow_seconds: std::ops::Range<usize>) -> Vec<Histogram<u64>> {
        let mut random = fastrand::Rng::with_seed(3);
        let mut second = |at: usize| {
            let mut histogram = Histogram::new(2).unwrap();
            let extra = if slow_seconds.contains(&at) { 50_000 } else { 0 };
            for _ in 0..200 {
                histogram.record(1_000 + random.u64(0..1_000) + extra).unwrap();
            }
            histogram
        };
        (0..60).map(&mut second).collect()
    }

    #[test]
    fn one_slow_period_widens_the_interval() {
        let even = Seconds::of(60, run(0..0));
        let spell = Seconds::of(60, run(30..33));
        let width = |seconds: &Seconds| {
            let [low, high] = seconds.interval(0.95).unwrap();
            high / low
        };
        assert!(width(&even) < 1.05, "{}", width(&even));
        assert!(width(&spell) > 10.0, "{}", width(&spell));
        let middle = spell.interval(0.5).unwrap();
        assert!(middle[0] > 1_400.0 && middle[1] < 1_600.0, "{middle:?}");
        assert!(even.estimate(0.5).unwrap().error < 0.02);
    }

    #[test]
    fn agrees_with_the_merged_histogram() {
        let seconds = run(10..20);
        let mut all = Histogram::<u64>::new(2).unwrap();
        seconds.iter().for_each(|second| all.add(second).unwrap());
        let drawn = Seconds::of(seconds.len(), seconds);
        for quantile in [0.1, 0.5, 0.9, 0.99] {
            let expected = all.value_at_quantile(quantile) as f64;
            let found = drawn.percentile(quantile).unwrap();
            assert!((found / expected - 1.0).abs() < 0.01, "{quantile}: {found} {expected}");
        }
    }

    #[test]
    fn too_few_samples_have_no_interval() {
        assert_eq!(Seconds::of(0, []).interval(0.5), None);
        let few = Seconds::of(4, run(0..0).into_iter().take(4));
        assert_eq!(few.percentile(0.99), None, "8 of 800 lie beyond it");
        assert!(few.percentile(0.95).is_some());
        assert_eq!(few.interval(0.5), None);
    }

    #[test]
    fn merges_the_seconds_of_a_long_run() {
        let long = (0..1_000).flat_map(|_| run(0..0)).take(7_201);
        let long = Seconds::of(7_201, long);
        // Eleven seconds each.
        assert_eq!(long.counts.len(), 655);
        let all: u64 = long.counts.iter().flatten().map(|(_, count)| count).sum();
        assert_eq!(all, 7_201 * 200);
        let [low, high] = long.interval(0.5).unwrap();
        assert!(1_480.0 < low && high < 1_520.0, "{low} {high}");
    }
}
