//! Dates and times as JSON: PostgreSQL's binary forms, and the text that SQLite columns hold.
//!
//! Without a zone: `2022-03-20T00:00:00`, no `Z`. Moments: UTC with `Z`. Fractions of a second
//! only where they are not zero, without trailing zeros.

use duet_text::time::moment::{
    beyond_four_digits, civil_from_days, has_four_digits, read_clock, read_date,
};

const MICROS_PER_SECOND: i64 = 1_000_000;
const MICROS_PER_DAY: i64 = 86_400 * MICROS_PER_SECOND;
/// Days from 1970-01-01 to 2000-01-01, the day from which PostgreSQL counts.
const DAYS_TO_2000: i64 = 10_957;

/// Appends a quoted timestamp given in microseconds since 2000-01-01.
pub(crate) fn write_timestamp(micros: i64, utc: bool, out: &mut Vec<u8>) {
    if let Some(text) = infinity(micros == i64::MAX, micros == i64::MIN) {
        out.extend_from_slice(text);
        return;
    }
    out.push(b'"');
    write_date_digits(micros.div_euclid(MICROS_PER_DAY), out);
    out.push(b'T');
    write_time_digits(micros.rem_euclid(MICROS_PER_DAY), out);
    if utc {
        out.push(b'Z');
    }
    out.push(b'"');
}

/// Appends a quoted date given in days since 2000-01-01.
pub(crate) fn write_date(days: i32, out: &mut Vec<u8>) {
    if let Some(text) = infinity(days == i32::MAX, days == i32::MIN) {
        out.extend_from_slice(text);
        return;
    }
    out.push(b'"');
    write_date_digits(i64::from(days), out);
    out.push(b'"');
}

/// Appends a quoted time of day given in microseconds, with its offset from UTC where it has one
/// (in seconds west of Greenwich, as PostgreSQL sends it).
pub(crate) fn write_time(micros: i64, west: Option<i32>, out: &mut Vec<u8>) {
    out.push(b'"');
    write_time_digits(micros, out);
    if let Some(west) = west {
        write_offset(-west, out);
    }
    out.push(b'"');
}

fn infinity(positive: bool, negative: bool) -> Option<&'static [u8]> {
    match (positive, negative) {
        (true, _) => Some(b"\"infinity\""),
        (_, true) => Some(b"\"-infinity\""),
        _ => None,
    }
}

fn write_offset(seconds_east: i32, out: &mut Vec<u8>) {
    if seconds_east == 0 {
        out.push(b'Z');
        return;
    }
    out.push(if seconds_east < 0 { b'-' } else { b'+' });
    let seconds = i64::from(seconds_east.unsigned_abs());
    write_padded(seconds / 3_600, 2, out);
    out.push(b':');
    write_padded(seconds / 60 % 60, 2, out);
    // As local mean times have them.
    if seconds % 60 != 0 {
        out.push(b':');
        write_padded(seconds % 60, 2, out);
    }
}

fn write_date_digits(days: i64, out: &mut Vec<u8>) {
    let (year, month, day) = civil_from_days(days + DAYS_TO_2000);
    if !(0..=9999).contains(&year) {
        // ISO 8601 expanded form, agreed on six digits; PostgreSQL's last dates need seven.
        out.push(if year < 0 { b'-' } else { b'+' });
        write_padded(year.abs(), if year > 999_999 { 7 } else { 6 }, out);
    } else {
        write_padded(year, 4, out);
    }
    out.push(b'-');
    write_padded(month, 2, out);
    out.push(b'-');
    write_padded(day, 2, out);
}

fn write_time_digits(micros: i64, out: &mut Vec<u8>) {
    let seconds = micros / MICROS_PER_SECOND;
    write_padded(seconds / 3_600, 2, out);
    out.push(b':');
    write_padded(seconds / 60 % 60, 2, out);
    out.push(b':');
    write_padded(seconds % 60, 2, out);
    let fraction = micros % MICROS_PER_SECOND;
    if fraction != 0 {
        out.push(b'.');
        write_padded(fraction, 6, out);
        while out.last() == Some(&b'0') {
            out.pop();
        }
    }
}

fn write_padded(value: i64, width: usize, out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + width, b'0');
    let mut rest = value;
    for slot in out[start..].iter_mut().rev() {
        *slot = b'0' + u8::try_from(rest % 10).unwrap_or(0);
        rest /= 10;
    }
}

/// Appends a quoted ISO 8601 duration from PostgreSQL's interval: months, days, microseconds.
pub(crate) fn write_interval(months: i32, days: i32, micros: i64, out: &mut Vec<u8>) {
    out.extend_from_slice(b"\"P");
    let part = |value: i64, unit: u8, out: &mut Vec<u8>| {
        if value != 0 {
            out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
            out.push(unit);
        }
    };
    part(i64::from(months / 12), b'Y', out);
    part(i64::from(months % 12), b'M', out);
    part(i64::from(days), b'D', out);
    if micros != 0 {
        out.push(b'T');
        let seconds = micros / MICROS_PER_SECOND;
        part(seconds / 3_600, b'H', out);
        part(seconds / 60 % 60, b'M', out);
        write_seconds(micros % (60 * MICROS_PER_SECOND), out);
    } else if months == 0 && days == 0 {
        out.extend_from_slice(b"T0S");
    }
    out.push(b'"');
}

fn write_seconds(micros: i64, out: &mut Vec<u8>) {
    if micros == 0 {
        return;
    }
    if micros < 0 {
        out.push(b'-');
    }
    let micros = micros.abs();
    out.extend_from_slice(itoa::Buffer::new().format(micros / MICROS_PER_SECOND).as_bytes());
    let fraction = micros % MICROS_PER_SECOND;
    if fraction != 0 {
        out.push(b'.');
        write_padded(fraction, 6, out);
        while out.last() == Some(&b'0') {
            out.pop();
        }
    }
    out.push(b'S');
}

/// Reads a date, or a date and time, in the forms that SQLite's own functions accept, and gives
/// microseconds since 2000-01-01 with the offset east of UTC in seconds, if one is written.
/// An infinity is the end of the range; years that four digits do not say are those of values of requests.
/// `None` if the text is malformed.
pub fn parse_timestamp(text: &str) -> Option<(i64, Option<i32>)> {
    if let Some(micros) = beyond_four_digits(text) {
        return Some((micros, None));
    }
    let (days, rest) = read_date(text)?;
    let midnight = (days - DAYS_TO_2000) * MICROS_PER_DAY;
    if rest.is_empty() {
        return Some((midnight, None));
    }
    let (micros, offset) = parse_time(rest.strip_prefix([' ', 'T', 't'])?)?;
    Some((midnight + micros, offset))
}

/// Microseconds of the digits behind the point; further digits are cut.
fn fraction(digits: &[u8]) -> i64 {
    let padded = digits.iter().copied().chain(std::iter::repeat(b'0')).take(6);
    padded.fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0'))
}

/// `Some(None)`: no zone. `None`: not a zone.
fn offset(text: &str) -> Option<Option<i32>> {
    if text.is_empty() {
        return Some(None);
    }
    if matches!(text, "Z" | "z") {
        return Some(Some(0));
    }
    let sign = match text.as_bytes()[0] {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let (hours, minutes) = match text.get(1..)?.split_once(':') {
        Some((hours, minutes)) => (hours, minutes),
        None => (text.get(1..3)?, text.get(3..).filter(|rest| !rest.is_empty()).unwrap_or("0")),
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(hours) || !digits(minutes) {
        return None;
    }
    let seconds = hours.parse::<i32>().ok()? * 3_600 + minutes.parse::<i32>().ok()? * 60;
    (seconds < 16 * 3_600).then_some(Some(sign * seconds))
}

/// Appends the quoted canonical form of a text that a timestamp column holds; false, with nothing
/// written, where the text is not a timestamp (or has a zone in a column without).
pub(crate) fn write_timestamp_text(text: &str, utc: bool, out: &mut Vec<u8>) -> bool {
    match parse_timestamp(text) {
        Some((micros, None)) => write_timestamp(micros, utc, out),
        Some((micros, Some(east))) if utc => {
            write_timestamp(micros - i64::from(east) * MICROS_PER_SECOND, utc, out);
        }
        _ => return false,
    }
    true
}

/// Appends the quoted form of a date of a row that is not stored yet whose year four digits do not say; false, with nothing
/// written, for any other text.
pub(crate) fn write_long_date_text(text: &str, out: &mut Vec<u8>) -> bool {
    let micros = if has_four_digits(text) { None } else { beyond_four_digits(text) };
    let days = micros.and_then(|micros| i32::try_from(micros.div_euclid(MICROS_PER_DAY)).ok());
    days.map(|days| write_date(days, out)).is_some()
}

/// Reads a time of day with or without an offset, in the forms that SQLite's own functions accept:
/// microseconds since midnight and the offset east of UTC in seconds, if one is written.
pub fn parse_time(text: &str) -> Option<(i64, Option<i32>)> {
    let (clock, rest) = read_clock(text)?;
    let offset = offset(rest.trim())?;
    let seconds = (clock.hours * 60 + clock.minutes) * 60 + clock.seconds;
    let micros = seconds * MICROS_PER_SECOND + fraction(clock.fraction.as_bytes());
    let is_end = micros == MICROS_PER_DAY && clock.hours == 24;
    ((clock.hours < 24 || is_end) && clock.minutes < 60).then_some((micros, offset))
}

/// Appends the quoted canonical form of a text that a column of times holds; false, with nothing
/// written, where the text is no time, or has an offset in a column without, or none in one with.
pub(crate) fn write_time_text(text: &str, zoned: bool, out: &mut Vec<u8>) -> bool {
    match parse_time(text) {
        Some((micros, None)) if !zoned => write_time(micros, None, out),
        Some((micros, Some(east))) if zoned => write_time(micros, Some(-east), out),
        _ => return false,
    }
    true
}

/// Reads an ISO 8601 duration such as `P1DT8H`: months, days and microseconds, as PostgreSQL holds
/// an interval. Years and months are whole; `None` where the text is none.
pub fn parse_interval(text: &str) -> Option<(i32, i32, i64)> {
    let (mut months, mut days, mut micros) = (0_i64, 0_i64, 0_i64);
    let (date, time) = match text.strip_prefix('P')?.split_once('T') {
        Some((date, time)) => (date, time),
        None => (text.strip_prefix('P')?, ""),
    };
    if (date.is_empty() && time.is_empty()) || text.ends_with('T') {
        return None;
    }
    for (mut rest, in_time) in [(date, false), (time, true)] {
        while !rest.is_empty() {
            let end = rest.find(|char: char| char.is_ascii_alphabetic())?;
            let (number, unit) = (&rest[..end], rest.as_bytes()[end]);
            let (amount, factor) = match (in_time, unit) {
                (false, b'Y') => (&mut months, 12),
                (false, b'M') => (&mut months, 1),
                (false, b'W') => (&mut days, 7),
                (false, b'D') => (&mut days, 1),
                (true, b'H') => (&mut micros, 3_600 * MICROS_PER_SECOND),
                (true, b'M') => (&mut micros, 60 * MICROS_PER_SECOND),
                (true, b'S') => {
                    micros = micros.checked_add(seconds(number)?)?;
                    rest = &rest[end + 1..];
                    continue;
                }
                _ => return None,
            };
            let whole: i64 = number.parse().ok()?;
            *amount = amount.checked_add(whole.checked_mul(factor)?)?;
            rest = &rest[end + 1..];
        }
    }
    Some((i32::try_from(months).ok()?, i32::try_from(days).ok()?, micros))
}

/// Seconds with up to six decimals, as microseconds.
fn seconds(number: &str) -> Option<i64> {
    let (whole, decimals) = number.split_once('.').unwrap_or((number, ""));
    if decimals.len() > 6 || !decimals.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let micros = whole.parse::<i64>().ok()?.checked_mul(MICROS_PER_SECOND)?;
    let part = fraction(decimals.as_bytes());
    micros.checked_add(if whole.starts_with('-') { -part } else { part })
}

/// Appends the quoted canonical form of a duration; false, with nothing written, for other text.
pub(crate) fn write_interval_text(text: &str, out: &mut Vec<u8>) -> bool {
    let Some((months, days, micros)) = parse_interval(text) else { return false };
    write_interval(months, days, micros, out);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn binary_forms() {
        assert_eq!(text(|out| write_timestamp(0, false, out)), "\"2000-01-01T00:00:00\"");
        assert_eq!(text(|out| write_timestamp(-1, true, out)), "\"1999-12-31T23:59:59.999999Z\"");
        assert_eq!(text(|out| write_timestamp(i64::MAX, true, out)), "\"infinity\"");
        assert_eq!(text(|out| write_date(8_114, out)), "\"2022-03-20\"");
        assert_eq!(text(|out| write_date(-730_500, out)), "\"-000001-12-17\"");
        assert_eq!(text(|out| write_date(2_145_031_948, out)), "\"+5874897-12-31\"");
        assert_eq!(text(|out| write_time(0, Some(1_172), out)), "\"00:00:00-00:19:32\"");
        assert_eq!(
            text(|out| write_time(5_400_000_500, Some(-7_200), out)),
            "\"01:30:00.0005+02:00\""
        );
    }

    #[test]
    fn intervals() {
        assert_eq!(text(|out| write_interval(0, 0, 0, out)), "\"PT0S\"");
        assert_eq!(text(|out| write_interval(14, 3, 28_800_000_000, out)), "\"P1Y2M3DT8H\"");
        assert_eq!(text(|out| write_interval(0, -1, -1_500_000, out)), "\"P-1DT-1.5S\"");
    }

    #[test]
    fn texts() {
        let canonical = |input: &str, utc| {
            let mut out = Vec::new();
            write_timestamp_text(input, utc, &mut out).then(|| String::from_utf8(out).unwrap())
        };
        assert_eq!(canonical("2009-01-01 00:00:00", false).unwrap(), "\"2009-01-01T00:00:00\"");
        assert_eq!(canonical("2009-01-01", false).unwrap(), "\"2009-01-01T00:00:00\"");
        assert_eq!(
            canonical("2009-01-01T10:00:00.250+02:00", true).unwrap(),
            "\"2009-01-01T08:00:00.25Z\""
        );
        assert_eq!(canonical("2009-01-01T10:00:00Z", false), None);
        assert_eq!(canonical("-infinity", true).unwrap(), "\"-infinity\"");
        assert_eq!(
            canonical("0044-03-15T12:00:00 BC", false).unwrap(),
            "\"-000043-03-15T12:00:00\""
        );
        for bad in ["", "soon", "2009-02-30", "2009-01-01 25:00", "2009-01-01x", "é009-01-01 00:00"]
        {
            assert_eq!(canonical(bad, true), None, "{bad}");
        }
    }

    #[test]
    fn texts_of_long_dates() {
        let mut out = Vec::new();
        assert!(write_long_date_text("0044-03-15 BC", &mut out));
        assert!(write_long_date_text("12022-03-20", &mut out));
        assert_eq!(out, b"\"-000043-03-15\"\"+012022-03-20\"");
        for other in ["2022-03-20", "infinity", "soon", ""] {
            assert!(!write_long_date_text(other, &mut out), "{other}");
        }
    }

    #[test]
    fn texts_of_times() {
        let canonical = |input: &str, zoned| {
            let mut out = Vec::new();
            write_time_text(input, zoned, &mut out).then(|| String::from_utf8(out).unwrap())
        };
        assert_eq!(canonical("12:00", false).unwrap(), "\"12:00:00\"");
        assert_eq!(canonical("12:00:00.500", false).unwrap(), "\"12:00:00.5\"");
        assert_eq!(canonical("12:00:00+00:00", true).unwrap(), "\"12:00:00Z\"");
        assert_eq!(canonical("12:00:00-03:30", true).unwrap(), "\"12:00:00-03:30\"");
        assert_eq!(canonical("24:00", false).unwrap(), "\"24:00:00\"");
        for (wrong, zoned) in
            [("noon", false), ("12:00Z", false), ("12:00", true), ("24:01", false)]
        {
            assert_eq!(canonical(wrong, zoned), None, "{wrong}");
        }
    }

    #[test]
    fn texts_of_intervals() {
        assert_eq!(parse_interval("P1Y2M3W4DT5H6M7.5S"), Some((14, 25, 18_367_500_000)));
        assert_eq!(parse_interval("P-1DT-1.5S"), Some((0, -1, -1_500_000)));
        assert_eq!(parse_interval("PT-0.25S"), Some((0, 0, -250_000)));
        assert_eq!(text(|out| assert!(write_interval_text("P2W", out))), "\"P14D\"");
        for wrong in [
            "",
            "P",
            "PT",
            "P1",
            "1D",
            "P1H",
            "P1DT",
            "P1.5D",
            "Pé",
            "PT1.1234567S",
            "P99999999999Y",
        ] {
            assert_eq!(parse_interval(wrong), None, "{wrong}");
        }
    }
}
