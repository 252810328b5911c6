//! Reads packed histograms row by row. A result of hours has tens of thousands of them, and a histogram in memory has
//! a place for each of thousands of values, of which a second's has few.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::{Decompress, FlushDecompress, Status};

use super::damaged::Damaged;

/// The significant decimal digits of a histogram.
pub(super) const DIGITS: u8 = 3;

/// The cookies of HdrHistogram's V2 format, deflated and inside.
const DEFLATED: u32 = 0x1c84_9314;
const PLAIN: u32 = 0x1c84_9313;
/// The bytes in front of the counts.
const HEADER: usize = 40;
/// Values of a bucket, and half of them, at three digits.
const HALF_BITS: u32 = 10;
/// The most bytes of a packed histogram: 64 bits of an hour in microseconds have fewer places.
const LARGEST: usize = 1 << 20;

/// The lowest value of each place that has a count, ascending, with the count; `None` for a histogram of other
/// bounds than those of [`super::histogram`], which is read as a whole.
///
/// # Errors
/// If the text is not a histogram.
pub(super) fn rows(text: &str) -> Result<Option<Vec<(u64, u64)>>, Damaged> {
    if text.is_empty() {
        return Ok(Some(Vec::new()));
    }
    let bytes = STANDARD.decode(text).map_err(|error| Damaged::histogram(&error))?;
    let plain = inflate(&bytes).ok_or_else(|| Damaged::histogram(&"it cannot be inflated"))?;
    if number(&plain, 0) != Some(PLAIN) || plain.len() < HEADER {
        return Err(Damaged::histogram(&"it has no header"));
    }
    let [offset, digits] = [8, 12].map(|at| number(&plain, at));
    let lowest = [number(&plain, 16), number(&plain, 20)];
    let is_whole = plain.get(32..HEADER) == Some(&1.0_f64.to_be_bytes()[..]);
    let ours = (Some(0), Some(DIGITS.into()), [Some(0), Some(1)]);
    if !is_whole || (offset, digits, lowest) != ours {
        return Ok(None);
    }
    let length = number(&plain, 4).map_or(0, |length| length as usize);
    let counts = plain.get(HEADER..HEADER.saturating_add(length));
    let counts = counts.ok_or_else(|| Damaged::histogram(&"it is cut off"))?;
    counted(counts).map(Some).ok_or_else(|| Damaged::histogram(&"a count cannot be read"))
}

/// The content behind the outer header.
fn inflate(bytes: &[u8]) -> Option<Vec<u8>> {
    if number(bytes, 0)? != DEFLATED {
        return None;
    }
    let length = number(bytes, 4)? as usize;
    let packed = bytes.get(8..8_usize.checked_add(length)?)?;
    let mut plain = Vec::with_capacity(4 * packed.len() + HEADER);
    let mut inflater = Decompress::new(true);
    loop {
        let before = (inflater.total_in(), plain.len());
        let rest = packed.get(usize::try_from(before.0).ok()?..)?;
        // `Finish` would promise that the first buffer is large enough.
        match inflater.decompress_vec(rest, &mut plain, FlushDecompress::None).ok()? {
            Status::StreamEnd => return Some(plain),
            _ if plain.len() >= LARGEST => return None,
            _ if plain.len() == plain.capacity() => plain.reserve(plain.len()),
            // Nothing was read and nothing came of it: it is cut off.
            _ if (inflater.total_in(), plain.len()) == before => return None,
            _ => {}
        }
    }
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at + 4)?;
    Some(u32::from_be_bytes(bytes.try_into().ok()?))
}

/// The rows of zigzag numbers: a count, or below 0 that many places without one.
fn counted(mut bytes: &[u8]) -> Option<Vec<(u64, u64)>> {
    let (mut rows, mut place) = (Vec::new(), 0_u64);
    while !bytes.is_empty() {
        match zigzag(&mut bytes)? {
            empty if empty < 0 => place = place.checked_add(empty.unsigned_abs())?,
            0 => place = place.checked_add(1)?,
            count => {
                rows.push((lowest_of(place)?, count.unsigned_abs()));
                place += 1;
            }
        }
    }
    Some(rows)
}

/// A number in LEB128 of at most nine bytes, zigzag.
fn zigzag(bytes: &mut &[u8]) -> Option<i64> {
    let mut value = 0_u64;
    for at in 0..9 {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        // The ninth byte has eight bits of its own.
        if at == 8 {
            value |= u64::from(*first) << 56;
            break;
        }
        value |= u64::from(first & 0x7f) << (7 * at);
        if first & 0x80 == 0 {
            break;
        }
    }
    Some((value >> 1) as i64 ^ -((value & 1) as i64))
}

/// The lowest value of a place.
fn lowest_of(place: u64) -> Option<u64> {
    let bucket = place >> HALF_BITS;
    match bucket {
        0 | 1 => Some(place),
        _ => {
            let within = (place & ((1 << HALF_BITS) - 1)) + (1 << HALF_BITS);
            let shift = u32::try_from(bucket - 1).ok().filter(|shift| *shift < 50)?;
            Some(within << shift)
        }
    }
}

#[cfg(test)]
mod tests {
    use hdrhistogram::Histogram;

    use super::super::{histogram, pack};
    use super::*;

    /// The rows as the library reads them.
    fn of(times: &Histogram<u64>) -> Vec<(u64, u64)> {
        let rows = times.iter_recorded();
        let lowest = |value| times.lowest_equivalent(value);
        rows.map(|row| (lowest(row.value_iterated_to()), row.count_at_value())).collect()
    }

    proptest::proptest! {
        #[test]
        fn rows_are_those_of_the_library(
            values in proptest::collection::vec((0_u64..3_600_000_000, 1_u64..10_000_000_000), 0..200),
        ) {
            let mut times = histogram();
            for (value, count) in values {
                let value = value >> (count % 32);
                times.record_n(value, count).unwrap();
            }
            proptest::prop_assert_eq!(rows(&pack(&times)).unwrap(), Some(of(&times)));
        }
    }

    /// Deflated to any share of its length: equal counts in steps to a hundredth, random ones to most of it.
    #[test]
    fn every_shape_and_size_is_read() {
        for values in (0..40_u64).chain([63, 64, 65, 300, 1_000, 1_999, 5_000, 20_000]) {
            for step in [1, 2, 7, 64, 1_000, 60_000] {
                for count in [1, 63, 64, 1 << 40] {
                    let mut times = histogram();
                    (1..=values).for_each(|value| times.record_n(value * step, count).unwrap());
                    let found = rows(&pack(&times)).unwrap();
                    assert_eq!(found, Some(of(&times)), "{values} × {step}, {count} each");
                }
            }
        }
    }

    #[test]
    fn damaged_texts_and_other_bounds() {
        let mut coarse = Histogram::<u64>::new(2).unwrap();
        coarse.record(7).unwrap();
        assert_eq!(rows(&pack(&coarse)).unwrap(), None);
        let mut times = histogram();
        (1..2_000).for_each(|value| times.record(value * 31).unwrap());
        let text = pack(&times);
        for end in [4, 8, 12, 16, 40, text.len() / 2 / 4 * 4] {
            let error = rows(&text[..end]).unwrap_err().to_string();
            assert!(error.starts_with("not a histogram: "), "{end}: {error}");
        }
    }
}
