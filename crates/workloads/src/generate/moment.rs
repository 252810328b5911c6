//! Dates and times as texts.

use duet_text::time::moment::civil_from_days;

/// A text of digits on the stack.
#[derive(Clone, Copy, Debug)]
pub struct Moment([u8; 19], usize);

impl Moment {
    /// `YYYY-MM-DD`, of a day counted from 1970-01-01, in the years 0 to 9999.
    pub fn date(day: i64) -> Self {
        let mut text = *b"0000-00-00 00:00:00";
        let (year, month, day) = civil_from_days(day);
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
    fn as_text() {
        assert_eq!(Moment::date(0).as_str(), "1970-01-01");
        assert_eq!(Moment::second(951_782_400 + 3_661).as_str(), "2000-02-29 01:01:01");
        assert_eq!(Moment::second(-1).as_str(), "1969-12-31 23:59:59");
    }
}
