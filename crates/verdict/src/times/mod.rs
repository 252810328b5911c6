//! Histograms of times and their text encoding, for files and between processes.

mod damaged;
mod packed;
mod sparse;

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Deserializer, Serializer, V2DeflateSerializer};

pub use damaged::Damaged;
use packed::DIGITS;
pub use sparse::SparseTimes;

/// Longer times count as one hour.
const LONGEST_US: u64 = 3_600_000_000;

/// An empty histogram of microseconds, 1 µs to 1 h, three digits.
pub fn histogram() -> Histogram<u64> {
    let mut histogram =
        Histogram::new(DIGITS).unwrap_or_else(|_| unreachable!("3 digits are allowed"));
    histogram.auto(true);
    histogram
}

/// Records a duration, in whole microseconds, at least one.
pub fn record(histogram: &mut Histogram<u64>, duration: Duration) {
    // The histogram resizes, and an hour is within its range.
    let _ = histogram.record(micros_of(duration));
}

/// The microseconds that are recorded of a duration.
fn micros_of(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX).clamp(1, LONGEST_US)
}

/// The smallest change that a recorded time of this many microseconds shows, as a logarithm: its
/// microsecond, or the width of its bucket.
pub fn step(micros: f64) -> f64 {
    if micros > 0.0 { (1.0 / micros).max(1.0 / 1024.0).ln_1p() } else { 0.0 }
}

/// Encodes a histogram in HdrHistogram's V2 format, deflated, in base64.
pub fn pack(histogram: &Histogram<u64>) -> String {
    let mut bytes = Vec::new();
    match V2DeflateSerializer::new().serialize(histogram, &mut bytes) {
        Ok(_) => STANDARD.encode(bytes),
        // Writing to memory does not fail; an empty text decodes to an empty histogram.
        Err(_) => String::new(),
    }
}

/// Like [`pack`], but an empty histogram gives an empty text.
pub fn pack_some(histogram: &Histogram<u64>) -> String {
    if histogram.is_empty() { String::new() } else { pack(histogram) }
}

/// Decodes a text that [`pack`] encoded.
///
/// # Errors
/// If it is not a histogram.
pub fn unpack(text: &str) -> Result<Histogram<u64>, Damaged> {
    if text.is_empty() {
        return Ok(histogram());
    }
    let bytes = STANDARD.decode(text).map_err(|error| Damaged::histogram(&error))?;
    let read = Deserializer::new().deserialize(&mut bytes.as_slice());
    let mut histogram: Histogram<u64> = read.map_err(|error| Damaged::histogram(&error))?;
    histogram.auto(true);
    Ok(histogram)
}

/// Adds an encoded histogram to a sum.
///
/// # Errors
/// If it is not a histogram, or its times exceed the range of the sum.
pub fn add(sum: &mut Histogram<u64>, text: &str) -> Result<(), Damaged> {
    let outside = |error: hdrhistogram::RecordError| Damaged(error.to_string());
    let Some(rows) = packed::rows(text)? else {
        return sum.add(unpack(text)?).map_err(|error| Damaged(error.to_string()));
    };
    rows.into_iter().try_for_each(|(value, count)| sum.record_n(value, count).map_err(outside))
}

/// How many times an encoded histogram holds.
///
/// # Errors
/// If it is not a histogram.
pub fn count(text: &str) -> Result<u64, Damaged> {
    match packed::rows(text)? {
        Some(rows) => Ok(rows.iter().fold(0, |sum: u64, row| sum.saturating_add(row.1))),
        None => Ok(unpack(text)?.len()),
    }
}

/// Checks that a text is a histogram.
///
/// # Errors
/// If it is not.
pub fn check(text: &str) -> Result<(), Damaged> {
    match packed::rows(text)? {
        Some(_) => Ok(()),
        None => unpack(text).map(drop),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_round_trips() {
        let mut times = histogram();
        for micros in [1, 900, 3_000_000] {
            record(&mut times, Duration::from_micros(micros));
        }
        assert_eq!(unpack(&pack(&times)).unwrap(), times);
        assert_eq!((pack_some(&histogram()), unpack("").unwrap()), (String::new(), histogram()));
        let mut sum = times.clone();
        add(&mut sum, &pack(&times)).unwrap();
        assert_eq!(sum.len(), 6);
        for text in ["AAAA", "no base64"] {
            assert!(check(text).unwrap_err().to_string().starts_with("not a histogram: "));
            assert!(unpack(text).unwrap_err().to_string().starts_with("not a histogram: "));
        }
    }
}
