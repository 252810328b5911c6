//! Histograms of times, and their texts: between processes, and in files.

use std::fmt;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Deserializer, Serializer, V2DeflateSerializer};

/// Times over an hour count as an hour.
const LONGEST_US: u64 = 3_600_000_000;
/// Significant decimal digits that a histogram keeps.
const DIGITS: u8 = 3;

/// An empty histogram of microseconds, 1 µs to 1 h, three digits.
pub fn histogram() -> Histogram<u64> {
    let mut histogram =
        Histogram::new(DIGITS).unwrap_or_else(|_| unreachable!("3 digits are allowed"));
    histogram.auto(true);
    histogram
}

/// Records a duration, in whole microseconds, at least one.
pub fn record(histogram: &mut Histogram<u64>, duration: Duration) {
    let micros = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
    // It grows as it must, and an hour is within what it can hold.
    let _ = histogram.record(micros.clamp(1, LONGEST_US));
}

/// A histogram as HdrHistogram's V2 form, deflated, in base64.
pub fn pack(histogram: &Histogram<u64>) -> String {
    let mut bytes = Vec::new();
    match V2DeflateSerializer::new().serialize(histogram, &mut bytes) {
        Ok(_) => STANDARD.encode(bytes),
        // Writing to memory fails for no histogram of ours; an empty text is read as an empty one.
        Err(_) => String::new(),
    }
}

/// The same of a histogram that is empty as a rule, then as an empty text.
pub fn pack_some(histogram: &Histogram<u64>) -> String {
    if histogram.is_empty() { String::new() } else { pack(histogram) }
}

/// The histogram of a text that [`pack`] made.
///
/// # Errors
/// Where it is none.
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

/// Adds a histogram's text to a sum.
///
/// # Errors
/// Where it is none, or its times are beyond those of the sum.
pub fn add(sum: &mut Histogram<u64>, text: &str) -> Result<(), Damaged> {
    sum.add(unpack(text)?).map_err(|error| Damaged(error.to_string()))
}

/// Why a text holds no times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damaged(pub(crate) String);

impl Damaged {
    /// What was found instead.
    pub fn new(what: &dyn fmt::Display) -> Self {
        Self(what.to_string())
    }

    /// The same with the name of the file that it is of.
    pub(crate) fn of(self, name: &str) -> Self {
        Self(format!("{name}: {self}"))
    }

    fn histogram(error: &dyn fmt::Display) -> Self {
        Self(format!("not a histogram: {error}"))
    }
}

impl fmt::Display for Damaged {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for Damaged {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_and_unpacked() {
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
            assert!(unpack(text).unwrap_err().to_string().starts_with("not a histogram: "));
        }
    }
}
