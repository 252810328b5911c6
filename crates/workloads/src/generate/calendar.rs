//! Days as numbers and as texts.

/// Days from 0000-03-01 to 1970-01-01 of the Gregorian calendar, counted on before its beginning.
const EPOCH: i64 = 719_468;

/// The Julian day number of 1970-01-01.
pub const JULIAN_EPOCH: i64 = 2_440_588;

/// Year, month 1 to 12 and day 1 to 31 of a day counted from 1970-01-01 (Hinnant,
/// "chrono-Compatible Low-Level Date Algorithms").
pub const fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + EPOCH;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + if month <= 2 { 1 } else { 0 }, month, day)
}

/// A day counted from 1970-01-01.
pub const fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let of_year = (153 * (if month > 2 { month - 3 } else { month + 9 }) + 2) / 5 + day - 1;
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - EPOCH
}

/// A text of digits on the stack.
#[derive(Clone, Copy, Debug)]
pub struct Moment([u8; 19], usize);

impl Moment {
    /// `YYYY-MM-DD`, of a day counted from 1970-01-01, in the years 0 to 9999.
    pub fn date(day: i64) -> Self {
        let mut text = *b"0000-00-00 00:00:00";
        let (year, month, day) = civil(day);
        put(&mut text, 0, year / 100);
        put(&mut text, 2, year % 100);
        put(&mut text, 5, month);
        put(&mut text, 8, day);
        Self(text, 10)
    }

    /// `YYYY-MM-DD HH:MM:SS`, of seconds counted from 1970-01-01.
    pub fn second(seconds: i64) -> Self {
        let Self(mut text, _) = Self::date(seconds.div_euclid(86_400));
        let of_day = seconds.rem_euclid(86_400);
        put(&mut text, 11, of_day / 3_600);
        put(&mut text, 14, of_day / 60 % 60);
        put(&mut text, 17, of_day % 60);
        Self(text, 19)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        // Digits and signs only.
        std::str::from_utf8(&self.0[..self.1]).unwrap_or_default()
    }
}

/// Two digits.
fn put(text: &mut [u8], at: usize, number: i64) {
    // Both are below 10.
    text[at] = b'0' + (number / 10 % 10) as u8;
    text[at + 1] = b'0' + (number % 10) as u8;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        for day in -40_000..60_000 {
            let (year, month, of_month) = civil(day);
            assert_eq!(days(year, month, of_month), day);
        }
        assert_eq!(days(1970, 1, 1), 0);
        assert_eq!(civil(11_016), (2000, 2, 29));
        assert_eq!(days(1900, 1, 2) + JULIAN_EPOCH, 2_415_022);
    }

    #[test]
    fn as_text() {
        assert_eq!(Moment::date(0).as_str(), "1970-01-01");
        assert_eq!(Moment::second(951_782_400 + 3_661).as_str(), "2000-02-29 01:01:01");
        assert_eq!(Moment::second(-1).as_str(), "1969-12-31 23:59:59");
    }
}
