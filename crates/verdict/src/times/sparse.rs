//! Times of which there may be few. A histogram has thousands of places, which a type of transaction that ran a few
//! times does not need: with many types they would take more memory and time than the transactions.

use std::borrow::Cow;
use std::time::Duration;

use hdrhistogram::Histogram;

use super::{Damaged, histogram, micros_of, pack, packed, unpack};

/// The most different times that are kept as rows.
const ROWS: usize = 128;

/// Times in microseconds: a row for each while there are few different ones, and a histogram of more.
#[derive(Clone, Debug, Default)]
pub struct SparseTimes {
    /// Each time with its count, ascending; empty where there is a histogram.
    rows: Vec<(u64, u64)>,
    many: Option<Box<Histogram<u64>>>,
}

impl SparseTimes {
    /// Records a duration, as [`record`](super::record) does.
    pub fn record(&mut self, duration: Duration) {
        self.count(micros_of(duration), 1);
    }

    fn count(&mut self, micros: u64, times: u64) {
        if let Some(many) = &mut self.many {
            // The histogram resizes.
            let _ = many.record_n(micros, times);
            return;
        }
        match self.rows.binary_search_by_key(&micros, |row| row.0) {
            Ok(place) => self.rows[place].1 += times,
            Err(place) if self.rows.len() < ROWS => self.rows.insert(place, (micros, times)),
            Err(_) => {
                self.many_mut();
                self.count(micros, times);
            }
        }
    }

    fn many_mut(&mut self) -> &mut Histogram<u64> {
        let rows = std::mem::take(&mut self.rows);
        self.many.get_or_insert_with(|| Box::new(of_rows(&rows)))
    }

    /// Adds other times.
    pub fn add(&mut self, other: &Self) {
        other.rows.iter().for_each(|(micros, times)| self.count(*micros, *times));
        if let Some(many) = &other.many {
            // Both have the same precision and resize: adding cannot fail.
            let _ = self.many_mut().add(&**many);
        }
    }

    /// How many there are.
    pub fn len(&self) -> u64 {
        let few: u64 = self.rows.iter().map(|row| row.1).sum();
        few + self.many.as_ref().map_or(0, |many| many.len())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Their mean, in microseconds; 0 without any.
    pub fn mean(&self) -> f64 {
        if self.is_empty() { 0.0 } else { self.histogram().mean() }
    }

    /// Their histogram.
    pub fn histogram(&self) -> Cow<'_, Histogram<u64>> {
        match &self.many {
            Some(many) => Cow::Borrowed(many),
            None => Cow::Owned(of_rows(&self.rows)),
        }
    }

    /// Adds them to a histogram.
    pub fn add_to(&self, sum: &mut Histogram<u64>) {
        match &self.many {
            // Both have the same precision and resize: adding cannot fail.
            Some(many) => {
                let _ = sum.add(&**many);
            }
            None => self.rows.iter().for_each(|row| {
                let _ = sum.record_n(row.0, row.1);
            }),
        }
    }

    /// Encodes their histogram; none give an empty text.
    pub fn pack(&self) -> String {
        if self.is_empty() { String::new() } else { pack(&self.histogram()) }
    }

    /// Decodes a text that [`Self::pack`] or [`pack`] encoded.
    ///
    /// # Errors
    /// If it is not a histogram.
    pub fn unpack(text: &str) -> Result<Self, Damaged> {
        match packed::rows(text)? {
            Some(rows) if rows.len() <= ROWS => Ok(Self { rows, many: None }),
            _ => Ok(Self { rows: Vec::new(), many: Some(Box::new(unpack(text)?)) }),
        }
    }

    /// The counters that they take in memory.
    pub fn places(&self) -> usize {
        self.rows.capacity() + self.many.as_ref().map_or(0, |many| many.distinct_values())
    }
}

impl PartialEq for SparseTimes {
    fn eq(&self, other: &Self) -> bool {
        self.histogram() == other.histogram()
    }
}

fn of_rows(rows: &[(u64, u64)]) -> Histogram<u64> {
    let mut all = histogram();
    for (micros, times) in rows {
        // The histogram resizes.
        let _ = all.record_n(*micros, *times);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::record;
    use super::*;

    proptest::proptest! {
        /// Few and many times, and sums of both, are those of a histogram.
        #[test]
        fn they_are_a_histogram(
            values in proptest::collection::vec(0_u64..4_000_000_000, 0..400),
            bits in 0_u32..32,
            cut in 0_usize..400,
        ) {
            let mut all = histogram();
            let mut parts = [SparseTimes::default(), SparseTimes::default()];
            for (at, value) in values.into_iter().enumerate() {
                let duration = Duration::from_micros(value >> bits);
                record(&mut all, duration);
                parts[usize::from(at < cut)].record(duration);
            }
            let [mut sum, rest] = parts;
            let mut added = sum.histogram().into_owned();
            rest.add_to(&mut added);
            sum.add(&rest);
            let again = SparseTimes::unpack(&sum.pack()).unwrap();
            for found in [added, sum.histogram().into_owned(), again.histogram().into_owned()] {
                proptest::prop_assert_eq!(&found, &all);
            }
            proptest::prop_assert_eq!((sum.len(), sum.is_empty()), (all.len(), all.is_empty()));
        }
    }

    #[test]
    fn few_times_take_few_places() {
        let mut times = SparseTimes::default();
        assert_eq!((times.places(), times.pack().as_str(), times.mean()), (0, "", 0.0));
        (0..10_000).for_each(|at| times.record(Duration::from_micros(10 + at % 20)));
        assert!(times.places() <= 32, "{}", times.places());
        (0..10_000).for_each(|at| times.record(Duration::from_micros(at)));
        assert!(times.places() > 1_000, "{}", times.places());
        assert_eq!(times.len(), 20_000);
    }
}
