//! Dates, times of day and offsets in the forms of ISO 8601 that values of columns may have.
//!
//! | what | forms |
//! |---|---|
//! | date | `2022-03-20`, `20220320`; by week `2022-W11-7`, `2022W117`; by day of the year `2022-079`, `2022079` |
//! | expanded year | a sign and six digits or more, `+012022-03-20`, `-000043-03-15`; year 0 is 1 BC |
//! | time of day | `01:37`, `01:37:33`, `0137`, `013733`, with a fraction of the second behind `.` or `,`; `24:00:00` |
//! | offset | `Z`, `+02`, `+02:00`, `+0200`, and with seconds as PostgreSQL shows them, `+00:19:32` |

use super::calendar::{days_from_civil, digits};

const MICROS_PER_SECOND: i64 = 1_000_000;

/// Reads a date as days since 1970-01-01 and returns the rest.
pub(crate) fn day(text: &str) -> Option<(i64, &str)> {
    let (year, rest) = year(text)?;
    let extended = rest.strip_prefix('-');
    let rest = extended.unwrap_or(rest);
    if let Some(week) = rest.strip_prefix('W') {
        return of_week(year, week, extended.is_some());
    }
    let count = rest.bytes().take_while(u8::is_ascii_digit).count();
    match (count, extended.is_some()) {
        (3, _) => of_year(year, rest),
        (2, true) => {
            let (month, rest) = digits(rest, 2)?;
            let (day, rest) = digits(rest.strip_prefix('-')?, 2)?;
            Some((of_month(year, month, day)?, rest))
        }
        (4, false) => {
            let (month, rest) = digits(rest, 2)?;
            let (day, rest) = digits(rest, 2)?;
            Some((of_month(year, month, day)?, rest))
        }
        _ => None,
    }
}

/// Reads a date that is followed by `BC`, as PostgreSQL writes it: year 1 is before year 1 of our era.
pub(crate) fn day_before_christ(text: &str) -> Option<(i64, &str)> {
    let (year, month) = digits(text, 4)?;
    let (month, rest) = digits(month.strip_prefix('-')?, 2)?;
    let (day, rest) = digits(rest.strip_prefix('-')?, 2)?;
    let day = (year > 0).then(|| of_month(1 - year, month, day))??;
    Some((day, rest))
}

/// Four digits; or a sign and at least six, behind which a hyphen is; or as PostgreSQL writes it, without the sign.
fn year(text: &str) -> Option<(i64, &str)> {
    let signed = text.strip_prefix(['+', '-']);
    let digits_at = signed.unwrap_or(text);
    let count = digits_at.bytes().take_while(u8::is_ascii_digit).count();
    let is_long = digits_at[count..].starts_with('-') && count <= 7;
    match (signed, count) {
        (None, 5..) if is_long => {}
        (None, _) => return digits(text, 4),
        (Some(_), 6..) if is_long => {}
        (Some(_), _) => return None,
    }
    let signed = digits_at;
    let (year, rest) = digits(signed, count)?;
    match (text.starts_with('-'), year) {
        (true, 0) => None,
        (true, year) => Some((-year, rest)),
        (false, year) => Some((year, rest)),
    }
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn of_month(year: i64, month: i64, day: i64) -> Option<i64> {
    let last = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 28 + i64::from(is_leap(year)),
        _ => return None,
    };
    (1..=last).contains(&day).then(|| days_from_civil(year, month, day))
}

fn of_year(year: i64, text: &str) -> Option<(i64, &str)> {
    let (day, rest) = digits(text, 3)?;
    let last = 365 + i64::from(is_leap(year));
    (1..=last).contains(&day).then(|| (days_from_civil(year, 1, 1) + day - 1, rest))
}

/// A day of a week: week 1 has January 4th, and weeks begin on Mondays.
fn of_week(year: i64, text: &str, extended: bool) -> Option<(i64, &str)> {
    let (week, rest) = digits(text, 2)?;
    let rest = if extended { rest.strip_prefix('-')? } else { rest };
    let (day, rest) = digits(rest, 1)?;
    let first = first_monday(year);
    let weeks = (first_monday(year + 1) - first) / 7;
    let exists = (1..=weeks).contains(&week) && (1..=7).contains(&day);
    exists.then(|| (first + (week - 1) * 7 + day - 1, rest))
}

/// The Monday of the week of January 4th.
fn first_monday(year: i64) -> i64 {
    let fourth = days_from_civil(year, 1, 4);
    // 1970-01-01 was a Thursday.
    fourth - (fourth + 3).rem_euclid(7)
}

/// Reads a time of day as microseconds, up to `24:00:00`, and returns the rest. A fraction finer than a microsecond is
/// refused, because rounding would change the result of comparisons.
pub(crate) fn clock(text: &str) -> Option<(i64, &str)> {
    let (hours, rest) = digits(text, 2)?;
    let colons = rest.starts_with(':');
    let (minutes, rest) = sixtieth(rest, colons)?;
    let (seconds, rest, fraction) = match sixtieth(rest, colons) {
        Some((seconds, rest)) => match rest.strip_prefix(['.', ',']) {
            Some(behind) => fraction(behind).map(|(micros, rest)| (seconds, rest, micros))?,
            None => (seconds, rest, 0),
        },
        None => (0, rest, 0),
    };
    let micros = (hours * 3_600 + minutes * 60 + seconds) * MICROS_PER_SECOND + fraction;
    let is_end = hours == 24 && micros == 86_400 * MICROS_PER_SECOND;
    (hours < 24 || is_end).then_some((micros, rest))
}

/// Two digits below 60, behind a colon in the extended form, and the rest.
fn sixtieth(text: &str, colons: bool) -> Option<(i64, &str)> {
    let behind = if colons { text.strip_prefix(':')? } else { text };
    digits(behind, 2).filter(|(number, _)| *number < 60)
}

/// Microseconds of the digits behind the point.
fn fraction(text: &str) -> Option<(i64, &str)> {
    let length = text.bytes().take_while(u8::is_ascii_digit).count();
    let (fraction, rest) = text.split_at(length);
    let kept = fraction.trim_end_matches('0');
    if length == 0 || length > 9 || kept.len() > 6 {
        return None;
    }
    let (micros, _) =
        digits(&format!("{kept:0<6}"), 6).map(|(micros, rest)| (micros, rest.len()))?;
    Some((micros, rest))
}

/// Parses an offset below 16 hours as seconds east of UTC.
pub(crate) fn offset(text: &str) -> Option<i64> {
    if matches!(text, "Z" | "z") {
        return Some(0);
    }
    let (hours, mut rest) = digits(text.strip_prefix(['+', '-'])?, 2)?;
    let colons = rest.starts_with(':');
    let mut total = hours * 3_600;
    for unit in [60, 1] {
        if rest.is_empty() {
            break;
        }
        let (number, behind) = sixtieth(rest, colons)?;
        total += number * unit;
        rest = behind;
    }
    let signed = if text.starts_with('-') { -total } else { total };
    (rest.is_empty() && hours < 16).then_some(signed)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `date` of GNU coreutils and PostgreSQL's `to_char(d, 'IYYY-IW-ID DDD')` say.
    #[test]
    fn dates() {
        let of = |text| day(text).map(|(day, rest)| (day, rest.len()));
        let calendar = |text| of(text).unwrap();
        for (text, same) in [
            ("20220320", "2022-03-20"),
            ("2022-W11-7", "2022-03-20"),
            ("2022W117", "2022-03-20"),
            ("2022-079", "2022-03-20"),
            ("2022079", "2022-03-20"),
            ("2020-W53-5", "2021-01-01"),
            ("2019-W01-1", "2018-12-31"),
            ("2024-366", "2024-12-31"),
            ("+002022-03-20", "2022-03-20"),
            ("+002022-W11-7", "2022-03-20"),
        ] {
            assert_eq!(of(text), Some(calendar(same)), "{text}");
        }
        assert_eq!(calendar("-000001-12-31").0 + 1, calendar("0000-01-01").0);
        assert_eq!(calendar("+010000-01-01").0 - 1, calendar("9999-12-31").0);
        assert_eq!(day("20220320T10").map(|(_, rest)| rest), Some("T10"));
        for wrong in [
            "2022-3-20",
            "2022-13-01",
            "2023-02-29",
            "2023-366",
            "2022-000",
            "2022-W53-1",
            "2022-W11-8",
            "2022-W11",
            "2022-0320",
            "202203",
            "2022-03",
            "-000000-01-01",
            "+02022-01-01",
            "-44-03-15",
            "+0120220320",
            "é022-01-01",
            "2022W11-7",
        ] {
            assert_eq!(day(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn times_and_offsets() {
        for (text, micros, rest) in [
            ("01:37", 5_820_000_000, ""),
            ("0137Z", 5_820_000_000, "Z"),
            ("013733,5+01", 5_853_500_000, "+01"),
            ("01:37:33.000001000", 5_853_000_001, ""),
            ("24:00:00", 86_400_000_000, ""),
            ("24:00", 86_400_000_000, ""),
        ] {
            assert_eq!(clock(text), Some((micros, rest)), "{text}");
        }
        for wrong in
            ["24:00:01", "25:00", "10:60", "10:00:60", "1:37", "10:00:00.", "10:00:00.1234567"]
        {
            let whole = clock(wrong).filter(|(_, rest)| rest.is_empty());
            assert_eq!(whole, None, "{wrong}");
        }
        for (text, seconds) in [
            ("Z", 0),
            ("+02", 7_200),
            ("+02:00", 7_200),
            ("+0230", 9_000),
            ("-00:19:32", -1_172),
            ("+15:59:59", 57_599),
        ] {
            assert_eq!(offset(text), Some(seconds), "{text}");
        }
        for wrong in ["", "02:00", "+2", "+16:00", "+01:60", "+01:00:00:00", "+01:", "+1:00"] {
            assert_eq!(offset(wrong), None, "{wrong}");
        }
    }
}
