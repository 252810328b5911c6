//! Dates and times of columns: parsed in the forms of ISO 8601 ([`iso8601`]) and SQL, printed in one
//! canonical form; and moments in texts of documents, which have the forms of RFC 3339.
//!
//! | type | canonical form |
//! |---|---|
//! | DATE | `2022-03-20` |
//! | TIME | `01:37:33[.584]`, up to `24:00:00` |
//! | TIME WITH TIME ZONE | `01:37:33[.584]+02:00`, the offset as given, `Z` for that of UTC |
//! | TIMESTAMP | `2022-03-20T00:00:00[.584]`, converted to UTC if there is an offset |
//! | TIMESTAMP WITH TIME ZONE | `2022-03-20T00:00:00[.584]Z`, without an offset taken as UTC |
//!
//! Fractions have up to six digits and no trailing zero. Dates and timestamps may be `infinity` and `-infinity`. Years
//! beyond 9999 have more digits, and those before year 1 ` BC` at the end, `0044-03-15 BC`: so PostgreSQL reads them. In
//! JSON they have a sign and at least six digits, as in ISO 8601.

pub use super::calendar::{civil_from_days, days_from_civil};

use super::calendar::digits;
use super::iso8601;

const MICROS_PER_SECOND: i64 = 1_000_000;
const MICROS_PER_MINUTE: i64 = 60_000_000;
const MICROS_PER_DAY: i64 = 24 * 60 * MICROS_PER_MINUTE;
/// 0001-01-01 and 9999-12-31 as days since 1970-01-01.
const DAYS: std::ops::RangeInclusive<i64> = -719_162..=2_932_896;
/// The days that PostgreSQL's `date` has, 4714-11-24 BC to 5874897-12-31, since 1970-01-01.
const DATES: std::ops::RangeInclusive<i64> = -2_440_588..=2_145_042_905;
/// 2000-01-01 as days since 1970-01-01.
const DAYS_TO_2000: i64 = 10_957;
/// The days that its timestamps have, to 294276-12-31.
const TIMESTAMPS: std::ops::RangeInclusive<i64> = -2_440_588..=106_762_939;

/// A day, and microseconds of it; the infinities are before and behind all days.
type DayTime = (i64, i64);

const INFINITY: DayTime = (i64::MAX, 0);
const MINUS_INFINITY: DayTime = (i64::MIN, 0);

/// The canonical form of a date.
///
/// # Errors
/// What was expected, as in "must be …".
pub fn date_form(text: &str) -> Result<String, &'static str> {
    match day_time(text) {
        Some((day, 0)) => {
            let (date, era) = print_day(day);
            Ok(date + era)
        }
        _ => Err("a date such as 2022-03-20, without a time other than midnight UTC"),
    }
}

/// The canonical form of a time of day.
///
/// # Errors
/// As [`date_form`].
pub fn time_form(text: &str) -> Result<String, &'static str> {
    match iso8601::clock(text) {
        Some((micros, "")) => Ok(print_time(micros)),
        _ => Err("a time such as 01:37:33.584, to the microsecond at most"),
    }
}

/// The canonical form of a time of day with an offset.
///
/// # Errors
/// As [`date_form`].
pub fn offset_time_form(text: &str) -> Result<String, &'static str> {
    let expected = "a time with an offset such as 01:37:33+02:00";
    let (micros, rest) = iso8601::clock(text).ok_or(expected)?;
    let seconds = iso8601::offset(rest).ok_or(expected)?;
    Ok(format!("{}{}", print_time(micros), print_offset(seconds)))
}

/// The canonical form of a date and time, with `zone` behind it: empty or `Z`.
///
/// # Errors
/// As [`date_form`].
pub fn timestamp_form(text: &str, zone: &str) -> Result<String, &'static str> {
    let expected = "a date and time such as 2022-03-20T00:00:00Z, to the microsecond at most";
    let (day, micros) = day_time(text).ok_or(expected)?;
    let (date, era) = print_day(day);
    if matches!((day, micros), INFINITY | MINUS_INFINITY) {
        return Ok(date);
    }
    if !TIMESTAMPS.contains(&day) {
        return Err("a date and time from 4714-11-24 BC to the year 294276");
    }
    Ok(format!("{date}T{}{zone}{era}", print_time(micros)))
}

/// A key that orders times of day.
pub fn time_key(text: &str) -> Option<(i64, i64)> {
    iso8601::clock(text).map(|(micros, _)| (micros, 0))
}

/// A key that orders times with offset by UTC time and then by offset, east first.
pub fn offset_time_key(text: &str) -> Option<(i64, i64)> {
    let (micros, rest) = iso8601::clock(text)?;
    let seconds = iso8601::offset(rest)?;
    Some((micros - seconds * MICROS_PER_SECOND, -seconds))
}

/// A key that orders dates, and dates and times by moment in UTC.
pub fn moment_key(text: &str) -> Option<(i64, i64)> {
    day_time(text)
}

/// Reads a date, or a date and time with or without offset, in UTC.
fn day_time(text: &str) -> Option<DayTime> {
    if text.eq_ignore_ascii_case("infinity") {
        return Some(INFINITY);
    }
    if text.eq_ignore_ascii_case("-infinity") {
        return Some(MINUS_INFINITY);
    }
    let (text, is_bc) = match text.strip_suffix(" BC") {
        Some(text) => (text, true),
        None => (text, false),
    };
    let (day, rest) = if is_bc { iso8601::day_before_christ(text)? } else { iso8601::day(text)? };
    let (micros, rest) = match rest.strip_prefix(['T', 't', ' ']) {
        Some(time) => iso8601::clock(time)?,
        None if rest.is_empty() => (0, ""),
        None => return None,
    };
    let seconds = if rest.is_empty() { 0 } else { iso8601::offset(rest)? };
    let micros = micros - seconds * MICROS_PER_SECOND;
    let day = day + micros.div_euclid(MICROS_PER_DAY);
    DATES.contains(&day).then(|| (day, micros.rem_euclid(MICROS_PER_DAY)))
}

/// The day, and what stands behind the time of a timestamp of it.
fn print_day(day: i64) -> (String, &'static str) {
    match (day, 0) {
        INFINITY => ("infinity".to_owned(), ""),
        MINUS_INFINITY => ("-infinity".to_owned(), ""),
        _ => {
            let (year, month, day) = civil_from_days(day);
            let (year, era) = if year > 0 { (year, "") } else { (1 - year, " BC") };
            (format!("{year:04}-{month:02}-{day:02}"), era)
        }
    }
}

/// Whether a canonical date or timestamp is of a year from 1 to 9999, or infinite: texts of these are in the order of
/// time.
pub fn has_four_digits(text: &str) -> bool {
    let is_long = text.as_bytes().get(4).is_some_and(u8::is_ascii_digit);
    !is_long && !text.ends_with(" BC")
}

/// Reads an infinity, or a date or timestamp of a year that four digits do not say, as microseconds since 2000-01-01 in
/// UTC; the infinities are the ends of the range.
pub fn beyond_four_digits(text: &str) -> Option<i64> {
    if text.starts_with(|char: char| char.is_ascii_digit()) && has_four_digits(text) {
        return None;
    }
    match day_time(text)? {
        INFINITY => Some(i64::MAX),
        MINUS_INFINITY => Some(i64::MIN),
        (day, micros) => (day - DAYS_TO_2000).checked_mul(MICROS_PER_DAY)?.checked_add(micros),
    }
}

/// Reads a date, or a date and time with or without offset, as microseconds since 1970 in UTC.
fn moment(text: &str) -> Option<i64> {
    let (days, rest) = date(text)?;
    let midnight = days * MICROS_PER_DAY;
    if rest.is_empty() {
        return Some(midnight);
    }
    let (micros, rest) = time(rest.strip_prefix(['T', 't', ' '])?)?;
    let minutes = if rest.is_empty() { 0 } else { offset(rest)? };
    let moment = midnight + micros - minutes * MICROS_PER_MINUTE;
    DAYS.contains(&moment.div_euclid(MICROS_PER_DAY)).then_some(moment)
}

/// The moment that a text of a document means, as microseconds since 1970 in UTC: a date, or a date and time, whose
/// offset may have no colon; without an offset in UTC. `None` where it is neither.
pub fn moment_of(text: &str) -> Option<i64> {
    if !text.is_ascii() {
        return None;
    }
    let (before, minutes) = text.split_at_checked(text.len().checked_sub(2)?)?;
    let is_short = |text: &str| {
        let sign = text.len().checked_sub(3).and_then(|at| text.as_bytes().get(at));
        text.len() > 13 && sign.is_some_and(|sign| matches!(sign, b'+' | b'-'))
    };
    match is_short(before) {
        true => moment(&format!("{before}:{minutes}")),
        false => moment(text),
    }
}

/// A text that orders the moments that texts of documents mean, to the nanosecond: the date and time in UTC with nine
/// decimals. As [`moment_of`], but of the first and the last day that there are, those with an offset that could lead out
/// of them are none.
///
/// ```
/// use duet_text::time::moment::instant_key;
///
/// let early = instant_key("2024-01-01T01:00:00.1234567+01:00");
/// assert_eq!(early.as_deref(), Some("2024-01-01T00:00:00.123456700"));
/// assert!(early < instant_key("2024-01-01T00:00:00.12345671Z"));
/// ```
pub fn instant_key(text: &str) -> Option<String> {
    let leads_out = text.starts_with("0001-01-01") && text.contains('+')
        || text.starts_with("9999-12-31") && text.get(10..).is_some_and(|time| time.contains('-'));
    if leads_out {
        return None;
    }
    let (before, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
    let finer = match digits {
        0..=6 => "",
        7..=9 => &fraction[6..digits],
        _ => return None,
    };
    let micros = match finer {
        "" => moment_of(text)?,
        _ => moment_of(&format!("{before}.{}{}", &fraction[..6], &fraction[digits..]))?,
    };
    let seconds = moment_text(micros.div_euclid(MICROS_PER_SECOND) * MICROS_PER_SECOND);
    Some(format!("{seconds}.{:06}{finer:0<3}", micros.rem_euclid(MICROS_PER_SECOND)))
}

/// The date and time in UTC of microseconds since 1970, without an offset: `2022-03-20T00:00:00`.
pub fn moment_text(micros: i64) -> String {
    let date = print_date(micros.div_euclid(MICROS_PER_DAY));
    format!("{date}T{}", print_time(micros.rem_euclid(MICROS_PER_DAY)))
}

/// Reads an existing date `YYYY-MM-DD` as days since 1970-01-01 and returns the rest.
#[inline]
pub fn read_date(text: &str) -> Option<(i64, &str)> {
    let (date, rest) = text.split_at_checked(10)?;
    let (year, month) = digits(date, 4)?;
    let (month, day) = digits(month.strip_prefix('-')?, 2)?;
    let (day, _) = digits(day.strip_prefix('-')?, 2)?;
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 28 + i64::from(is_leap),
        _ => return None,
    };
    (1..=last).contains(&day).then(|| (days_from_civil(year, month, day), rest))
}

/// Like [`read_date`], but from year 1 on, as both stores accept.
fn date(text: &str) -> Option<(i64, &str)> {
    read_date(text).filter(|(days, _)| DAYS.contains(days))
}

/// A time of day as written, not validated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock<'t> {
    /// Two digits.
    pub hours: i64,
    /// Two digits.
    pub minutes: i64,
    /// Two digits; 0 if missing.
    pub seconds: i64,
    /// The digits after the point.
    pub fraction: &'t str,
}

impl Clock<'_> {
    /// Whether the numbers are in range, and the fraction has at most nine digits.
    pub fn exists(&self) -> bool {
        self.hours < 24 && self.minutes < 60 && self.seconds < 60 && self.fraction.len() <= 9
    }
}

/// Reads `HH:MM[:SS[.fraction]]` without range checks and returns the rest.
#[inline]
pub fn read_clock(text: &str) -> Option<(Clock<'_>, &str)> {
    let (hours, rest) = digits(text, 2)?;
    let (minutes, rest) = digits(rest.strip_prefix(':')?, 2)?;
    let Some(rest) = rest.strip_prefix(':') else {
        return Some((Clock { hours, minutes, seconds: 0, fraction: "" }, rest));
    };
    let (seconds, rest) = digits(rest, 2)?;
    let Some(rest) = rest.strip_prefix('.') else {
        return Some((Clock { hours, minutes, seconds, fraction: "" }, rest));
    };
    let length = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (fraction, rest) = rest.split_at(length);
    (length > 0).then_some((Clock { hours, minutes, seconds, fraction }, rest))
}

/// Reads a time of day as microseconds and returns the rest. A fraction finer than a microsecond is
/// refused, because rounding would change the result of comparisons.
fn time(text: &str) -> Option<(i64, &str)> {
    let (clock, rest) = read_clock(text).filter(|(clock, _)| clock.exists())?;
    let kept = clock.fraction.trim_end_matches('0');
    if kept.len() > 6 {
        return None;
    }
    let (micros, _) =
        digits(&format!("{kept:0<6}"), 6).map(|(micros, rest)| (micros, rest.len()))?;
    let minutes = clock.hours * 60 + clock.minutes;
    Some((minutes * MICROS_PER_MINUTE + clock.seconds * 1_000_000 + micros, rest))
}

/// Parses `Z`, `+HH` or `+HH:MM`, below 16 hours, as minutes east of UTC.
fn offset(text: &str) -> Option<i64> {
    if matches!(text, "Z" | "z") {
        return Some(0);
    }
    let (hours, rest) = digits(text.strip_prefix(['+', '-'])?, 2)?;
    let (minutes, rest) = match rest.strip_prefix(':') {
        Some(rest) => digits(rest, 2)?,
        None => (0, rest),
    };
    let total = hours * 60 + minutes;
    let signed = if text.starts_with('-') { -total } else { total };
    (rest.is_empty() && hours < 16 && minutes < 60).then_some(signed)
}

/// Formats seconds since 1970 in UTC, such as `2022-03-20T00:00:00Z`.
pub fn rfc3339(seconds: u64) -> String {
    let seconds = i64::try_from(seconds).unwrap_or(i64::MAX);
    format!("{}T{}Z", print_date(seconds / 86_400), print_time(seconds % 86_400 * 1_000_000))
}

fn print_date(days: i64) -> String {
    let (year, month, day) = civil_from_days(days);
    format!("{year:04}-{month:02}-{day:02}")
}

fn print_time(micros: i64) -> String {
    let (seconds, micros) = (micros / 1_000_000, micros % 1_000_000);
    let clock = format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    if micros == 0 {
        return clock;
    }
    format!("{clock}.{}", format!("{micros:06}").trim_end_matches('0'))
}

fn print_offset(seconds: i64) -> String {
    if seconds == 0 {
        return "Z".to_owned();
    }
    let sign = if seconds < 0 { '-' } else { '+' };
    let (minutes, seconds) = (seconds.abs() / 60, seconds.abs() % 60);
    let offset = format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60);
    if seconds == 0 { offset } else { format!("{offset}:{seconds:02}") }
}

/// Whether the text is an ISO 8601 duration such as `P1DT8H`, with an optional sign.
pub fn is_duration(text: &str) -> bool {
    let Some(body) = text.strip_prefix('-').unwrap_or(text).strip_prefix('P') else { return false };
    let (date, time) = match body.split_once('T') {
        Some((date, time)) => (date, Some(time)),
        None => (body, None),
    };
    let has_parts = !date.is_empty() || time.is_some();
    has_parts
        && units_in_order(date, "YMWD")
        && time.is_none_or(|time| !time.is_empty() && units_in_order(time, "HMS"))
}

/// Whether the text is a sequence of numbers, each followed by one of these letters, in this order.
fn units_in_order(mut text: &str, mut units: &str) -> bool {
    while !text.is_empty() {
        let is_number = |char: char| char.is_ascii_digit() || matches!(char, '.' | '-');
        let unit_at = text.find(|char| !is_number(char)).unwrap_or(text.len());
        let (number, rest) = text.split_at(unit_at);
        let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
        let whole = whole.strip_prefix('-').unwrap_or(whole);
        let digits = |text: &str| {
            (1..=18).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
        };
        let unit = rest.chars().next().and_then(|unit| units.find(unit));
        let (Some(unit), true, true) = (unit, digits(whole), digits(fraction)) else {
            return false;
        };
        units = &units[unit + 1..];
        text = &rest[1..];
    }
    true
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn recognizes_durations() {
        for good in ["P1DT8H", "PT0S", "P1Y2M3W4D", "-P1D", "PT1.5S", "P-1M", "PT-8H"] {
            assert!(is_duration(good), "{good}");
        }
        for bad in ["", "P", "PT", "P1", "1D", "P1H", "PT1D", "P1D1Y", "P1DT", "P.D", "Pé", "P1é"]
        {
            assert!(!is_duration(bad), "{bad}");
        }
    }

    #[test]
    fn years_that_need_more_than_four_digits() {
        for plain in ["2022-03-20", "0001-01-01T00:00:00Z"] {
            assert!(has_four_digits(plain));
            assert_eq!(beyond_four_digits(plain), None);
        }
        assert!(has_four_digits("infinity") && has_four_digits("-infinity"));
        assert_eq!(beyond_four_digits("infinity"), Some(i64::MAX));
        assert_eq!(beyond_four_digits("-infinity"), Some(i64::MIN));
        assert!(!has_four_digits("0044-03-15 BC") && !has_four_digits("12022-03-20T00:00:00"));
        assert_eq!(beyond_four_digits("-004713-11-24"), Some(-211_813_488_000_000_000));
        assert_eq!(beyond_four_digits("+294277-01-01"), Some(9_223_371_331_200_000_000));
        assert!(
            beyond_four_digits("0044-03-15T12:00:00Z BC") < beyond_four_digits("0001-12-31 BC")
        );
    }

    #[test]
    fn instants_are_ordered_to_the_nanosecond() {
        let key = |text| instant_key(text);
        for (text, expected) in [
            ("2024-01-01", "2024-01-01T00:00:00.000000000"),
            ("2024-01-01T00:30+01:00", "2023-12-31T23:30:00.000000000"),
            ("2024-01-01 00:00:00.5", "2024-01-01T00:00:00.500000000"),
            ("2024-01-01t00:00:00.123456789z", "2024-01-01T00:00:00.123456789"),
            ("2024-01-01T00:00:00.12345678-0130", "2024-01-01T01:30:00.123456780"),
            ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000000000"),
        ] {
            assert_eq!(key(text).as_deref(), Some(expected), "{text}");
        }
        for none in [
            "2024-01-01T00:00:00.1234567890Z",
            "2024-01-01T00:00:00.",
            "2024-01-01T00:00:00.1234567x",
            "2024-02-30T00:00:00Z",
            "0001-01-01T01:00:00+01:00",
            "9999-12-31T01:00:00-01:00",
            "soon.1234567",
            "",
        ] {
            assert_eq!(key(none), None, "{none}");
        }
    }

    proptest! {
        #[test]
        fn printed_dates_are_read_back(days in DATES) {
            let (date, era) = print_day(days);
            let text = date + era;
            prop_assert_eq!(day_time(&text), Some((days, 0)));
            prop_assert_eq!(date_form(&text), Ok(text));
        }
    }
}
