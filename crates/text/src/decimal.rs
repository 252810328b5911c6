//! Exact decimal numbers of any length: parsing, canonical printing, comparison and rounding.

use std::cmp::Ordering;
use std::fmt;

/// The maximum length of a number in characters; a longer one is refused.
const LONGEST: usize = 1_000;

/// `0.digits * 10^point`, with a sign. Zero has no digits and no sign; other numbers have neither
/// leading nor trailing zeros, so equal numbers have equal fields.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Decimal {
    negative: bool,
    digits: String,
    point: i32,
}

/// The position of a number among the 64-bit integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Integer {
    /// The number is a 64-bit integer.
    Exactly(i64),
    /// It lies between this integer and the next.
    JustAbove(i64),
    /// It is less than all 64-bit integers.
    TooSmall,
    /// It is greater than all 64-bit integers.
    TooLarge,
}

impl Decimal {
    const ZERO: Self = Self { negative: false, digits: String::new(), point: 0 };

    /// Parses a number in JSON or SQL syntax: at most 1,000 characters, and an exponent of at
    /// most three digits.
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() > LONGEST {
            return None;
        }
        let body = text.strip_prefix(['-', '+']).unwrap_or(text);
        let (mantissa, exponent) = match body.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, read_exponent(exponent)?),
            None => (body, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let mut digits = format!("{whole}{fraction}");
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let point = i32::try_from(whole.len()).ok()? + exponent;
        digits.truncate(digits.trim_end_matches('0').len());
        let zeros = digits.len() - digits.trim_start_matches('0').len();
        digits.drain(..zeros);
        if digits.is_empty() {
            return Some(Self::ZERO);
        }
        let point = point - i32::try_from(zeros).ok()?;
        Some(Self { negative: text.starts_with('-'), digits, point })
    }

    /// The position among the 64-bit integers.
    pub fn integer(&self) -> Integer {
        let beyond = if self.negative { Integer::TooSmall } else { Integer::TooLarge };
        // Every 64-bit integer has at most 19 digits.
        let Ok(places @ 0..=19) = usize::try_from(self.point.max(0)) else { return beyond };
        let (whole, fraction) = self.digits.split_at(places.min(self.digits.len()));
        let Ok(magnitude) = format!("0{whole:0<places$}").parse::<i128>() else { return beyond };
        let whole = if self.negative { -magnitude } else { magnitude };
        let floor = whole - i128::from(self.negative && !fraction.is_empty());
        match i64::try_from(floor) {
            Ok(i64::MAX) if !fraction.is_empty() => Integer::TooLarge,
            Ok(floor) if !fraction.is_empty() => Integer::JustAbove(floor),
            Ok(exact) => Integer::Exactly(exact),
            Err(_) => beyond,
        }
    }

    /// Rounds to `scale` digits after the point, halves away from zero, like SQL's `numeric`.
    #[must_use]
    pub fn rounded(self, scale: usize) -> Self {
        self.rounded_at(i32::try_from(scale).unwrap_or(i32::MAX))
    }

    /// The same; a scale below zero rounds to tens, hundreds and so on.
    #[must_use]
    pub(crate) fn rounded_at(self, scale: i32) -> Self {
        let keep = i64::from(self.point) + i64::from(scale);
        let Ok(keep) = usize::try_from(keep) else { return Self::ZERO };
        if keep >= self.digits.len() {
            return self;
        }
        let up = self.digits.as_bytes()[keep] >= b'5';
        let mut digits = self.digits[..keep].to_owned();
        let mut point = self.point;
        if up {
            // Increment the last digit that is not 9; the digits after it become 0.
            digits.truncate(digits.trim_end_matches('9').len());
            match digits.pop() {
                Some(last) => digits.push(char::from(last as u8 + 1)),
                None => {
                    digits.push('1');
                    point += 1;
                }
            }
        }
        digits.truncate(digits.trim_end_matches('0').len());
        if digits.is_empty() { Self::ZERO } else { Self { negative: self.negative, digits, point } }
    }

    fn compare_magnitude(&self, other: &Self) -> Ordering {
        // Without leading zeros, compare the point first, then the digits as text.
        self.point.cmp(&other.point).then_with(|| self.digits.cmp(&other.digits))
    }

    /// Its digits, and where the point is among them: the number is `0.digits * 10^point`.
    pub(crate) fn digits(&self) -> (&str, i32) {
        (&self.digits, self.point)
    }

    /// Whether it is less than this power of ten, its sign left out.
    pub(crate) fn is_below_power(&self, power: i32) -> bool {
        self.digits.is_empty() || self.point <= power
    }

    /// -1 below zero, 0 for zero, 1 above it.
    pub fn sign(&self) -> i8 {
        match (self.digits.is_empty(), self.negative) {
            (true, _) => 0,
            (false, false) => 1,
            (false, true) => -1,
        }
    }
}

/// What a text must be that [`Decimal::parse`] refuses, as in "must be …": a number, or one that is not as long.
pub fn expected(text: &str) -> &'static str {
    let is_of_numbers = |char: char| char.is_ascii_digit() || "+-.eE".contains(char);
    match text.chars().all(is_of_numbers) && text.parse::<f64>().is_ok() {
        true => "a number of at most 1,000 characters and an exponent of at most three digits",
        false => "a number",
    }
}

/// The range of the finite numbers of a float, as in "must be …".
pub fn float_range(bits: u8) -> String {
    match bits {
        32 => format!("a number from {:?} to {:?}", f32::MIN, f32::MAX),
        _ => format!("a number from {:?} to {:?}", f64::MIN, f64::MAX),
    }
}

fn read_exponent(text: &str) -> Option<i32> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let fits = (1..=3).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    let magnitude: i32 = fits.then(|| digits.parse().ok())??;
    Some(if text.starts_with('-') { -magnitude } else { magnitude })
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        self.sign().cmp(&other.sign()).then_with(|| {
            if self.negative {
                other.compare_magnitude(self)
            } else {
                self.compare_magnitude(other)
            }
        })
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Decimal {
    /// The canonical form: no exponent, no `+`, no redundant zeros, a digit before the point.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.negative {
            f.write_str("-")?;
        }
        let Ok(places) = usize::try_from(self.point) else {
            let zeros = usize::try_from(self.point.unsigned_abs()).unwrap_or_default();
            return write!(f, "0.{:0<zeros$}{}", "", self.digits);
        };
        let (whole, fraction) = self.digits.split_at(places.min(self.digits.len()));
        match (whole, fraction) {
            ("", "") => f.write_str("0"),
            ("", fraction) => write!(f, "0.{fraction}"),
            (whole, "") => write!(f, "{whole:0<places$}"),
            (whole, fraction) => write!(f, "{whole}.{fraction}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text).unwrap()
    }

    #[test]
    fn prints_the_canonical_form() {
        for (text, expected) in [
            ("0", "0"),
            ("-0.00", "0"),
            ("1.50", "1.5"),
            ("+007", "7"),
            (".5", "0.5"),
            ("1.", "1"),
            ("1e3", "1000"),
            ("12.5E-3", "0.0125"),
            ("-120e-1", "-12"),
            ("100", "100"),
            ("0.001e2", "0.1"),
            ("9007199254740993.1", "9007199254740993.1"),
        ] {
            assert_eq!(decimal(text).to_string(), expected, "{text}");
        }
        for bad in ["", "-", ".", "1e", "1e1000", "0x1", "1 ", "--1", "1e+-1", "NaN", "é"] {
            assert_eq!(Decimal::parse(bad), None, "{bad}");
        }
        assert_eq!(Decimal::parse(&"1".repeat(1_001)), None);
    }

    #[test]
    fn finds_the_position_among_integers() {
        for (text, expected) in [
            ("5", Integer::Exactly(5)),
            ("5.0", Integer::Exactly(5)),
            ("5e1", Integer::Exactly(50)),
            ("1.5", Integer::JustAbove(1)),
            ("-1.5", Integer::JustAbove(-2)),
            ("0.1", Integer::JustAbove(0)),
            ("-0.001", Integer::JustAbove(-1)),
            ("9223372036854775807", Integer::Exactly(i64::MAX)),
            ("9223372036854775807.5", Integer::TooLarge),
            ("9223372036854775808", Integer::TooLarge),
            ("-9223372036854775808", Integer::Exactly(i64::MIN)),
            ("-9223372036854775808.5", Integer::TooSmall),
            ("-9223372036854775807.5", Integer::JustAbove(i64::MIN)),
            ("1e999", Integer::TooLarge),
            ("-1e999", Integer::TooSmall),
            ("1e-999", Integer::JustAbove(0)),
        ] {
            assert_eq!(decimal(text).integer(), expected, "{text}");
        }
    }

    #[test]
    fn rounds_halves_away_from_zero() {
        for (text, scale, expected) in [
            ("0.555", 2, "0.56"),
            ("0.554999", 2, "0.55"),
            ("-0.555", 2, "-0.56"),
            ("-0.004", 2, "0"),
            ("0.005", 2, "0.01"),
            ("0.0049", 2, "0"),
            ("0.0005", 2, "0"),
            ("9.995", 2, "10"),
            ("0.995", 2, "1"),
            ("0.5", 0, "1"),
            ("-0.5", 0, "-1"),
            ("0.49", 0, "0"),
            ("199.5", 0, "200"),
            ("12.50", 2, "12.5"),
            ("1e20", 2, "100000000000000000000"),
            ("1e-900", 2, "0"),
            ("1.999", 1_000_000, "1.999"),
        ] {
            assert_eq!(decimal(text).rounded(scale).to_string(), expected, "{text} to {scale}");
        }
    }

    #[test]
    fn orders_by_value() {
        let sorted = ["-1e3", "-2", "-1.5", "-0.01", "0", "0.001", "0.01", "1", "1.5", "10", "11"];
        for (i, a) in sorted.iter().enumerate() {
            for (j, b) in sorted.iter().enumerate() {
                assert_eq!(decimal(a).cmp(&decimal(b)), i.cmp(&j), "{a} {b}");
            }
        }
    }
}
