//! Exact arithmetic over decimal numbers of at most 38 digits, as many as Oracle's `NUMBER` has.

use std::fmt;

use super::decimal::Decimal;

/// The digits of a number at most.
const DIGITS: u32 = 38;

/// `units / 10^scale`. Trailing zeros behind the point are left out, so equal numbers have equal fields.
///
/// ```
/// use duet_text::exact::Exact;
///
/// let exact = |text| Exact::parse(text).unwrap();
/// let third = exact("500").divided_exactly(exact("1000")).unwrap();
/// assert_eq!(third.plus(exact("0.25")).unwrap().to_string(), "0.75");
/// assert_eq!(exact("1").divided_exactly(exact("3")), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exact {
    units: i128,
    scale: u32,
}

impl Exact {
    /// Reads a number in JSON or SQL syntax; `None` where it has too many digits.
    pub fn parse(text: &str) -> Option<Self> {
        let decimal = Decimal::parse(text)?;
        let (digits, point) = decimal.digits();
        let magnitude: i128 = if digits.is_empty() { 0 } else { digits.parse().ok()? };
        let units = if decimal.sign() < 0 { -magnitude } else { magnitude };
        let behind = i64::try_from(digits.len()).ok()? - i64::from(point);
        match u32::try_from(behind) {
            Ok(scale) => Self::of(units, scale),
            Err(_) => {
                let zeros = u32::try_from(-behind).ok()?;
                Self::of(units.checked_mul(10_i128.checked_pow(zeros)?)?, 0)
            }
        }
    }

    /// A whole number.
    pub fn whole(number: i64) -> Self {
        Self { units: i128::from(number), scale: 0 }
    }

    fn of(mut units: i128, mut scale: u32) -> Option<Self> {
        while scale > 0 && units % 10 == 0 {
            (units, scale) = (units / 10, scale - 1);
        }
        let fits = scale <= DIGITS && units.unsigned_abs() < 10_u128.pow(DIGITS);
        fits.then_some(Self { units, scale })
    }

    fn at_scale(self, scale: u32) -> Option<i128> {
        self.units.checked_mul(10_i128.checked_pow(scale.checked_sub(self.scale)?)?)
    }

    /// The sum; `None` where it has too many digits.
    pub fn plus(self, other: Self) -> Option<Self> {
        let scale = self.scale.max(other.scale);
        Self::of(self.at_scale(scale)?.checked_add(other.at_scale(scale)?)?, scale)
    }

    /// The product; `None` where it has too many digits.
    pub fn times(self, other: Self) -> Option<Self> {
        Self::of(self.units.checked_mul(other.units)?, self.scale + other.scale)
    }

    /// The quotient; `None` where it has no end or too many digits, and of zero.
    pub fn divided_exactly(self, by: Self) -> Option<Self> {
        let (mut rest, mut factor, mut places) = (by.units, 1_i128, 0_u32);
        if rest == 0 {
            return None;
        }
        for (divisor, complement) in [(2, 5), (5, 2)] {
            while rest % divisor == 0 {
                rest /= divisor;
                factor = factor.checked_mul(complement)?;
                places += 1;
            }
        }
        // What is left of the divisor must be part of the number.
        let units = self.units.checked_mul(factor)?;
        if units % rest != 0 {
            return None;
        }
        let units = (units / rest).checked_mul(10_i128.checked_pow(by.scale)?)?;
        Self::of(units, self.scale + places)
    }

    /// The quotient with this many digits behind the point at most, halves away from zero; `None` of zero, and where it
    /// has too many digits.
    pub fn divided(self, by: Self, places: u32) -> Option<Self> {
        let power = |exponent: u32| 10_i128.checked_pow(exponent);
        let of = self.units.checked_mul(power(places.checked_add(by.scale)?)?)?;
        let by = by.units.checked_mul(power(self.scale)?)?;
        Self::of(rounded_quotient(of, by)?, places)
    }

    /// The number with this many digits behind the point at most, halves away from zero. A negative number of digits
    /// rounds to tens, hundreds and so on. `None` where it has too many digits.
    pub fn rounded(self, places: i32) -> Option<Self> {
        let Ok(dropped) = u32::try_from(i64::from(self.scale) - i64::from(places)) else {
            return Some(self);
        };
        // No number has that many digits.
        let Some(unit) = 10_i128.checked_pow(dropped) else { return Some(Self::whole(0)) };
        let units = rounded_quotient(self.units, unit)?;
        match u32::try_from(places) {
            Ok(scale) => Self::of(units, scale),
            Err(_) => Self::of(units.checked_mul(10_i128.checked_pow(places.unsigned_abs())?)?, 0),
        }
    }

    /// The number with the other sign.
    #[must_use]
    pub fn negated(self) -> Self {
        Self { units: -self.units, ..self }
    }

    /// The number without its sign.
    #[must_use]
    pub fn absolute(self) -> Self {
        Self { units: self.units.abs(), ..self }
    }

    /// The greatest whole number that is not above it.
    #[must_use]
    pub fn floor(self) -> Self {
        let unit = 10_i128.pow(self.scale);
        Self { units: self.units.div_euclid(unit), scale: 0 }
    }

    /// The least whole number that is not below it.
    #[must_use]
    pub fn ceiling(self) -> Self {
        self.negated().floor().negated()
    }

    /// Whether every number has an exact quotient by it: it is made of the factors 2 and 5 alone.
    pub fn divides_exactly(self) -> bool {
        Self::whole(1).divided_exactly(self).is_some()
    }
}

/// A quotient of whole numbers, halves away from zero.
fn rounded_quotient(of: i128, by: i128) -> Option<i128> {
    let (quotient, rest) = (of.checked_div(by)?, of.checked_rem(by)?);
    let is_up = rest.unsigned_abs() >= by.unsigned_abs() - rest.unsigned_abs();
    let away = if (of < 0) == (by < 0) { 1 } else { -1 };
    Some(if is_up { quotient + away } else { quotient })
}

impl fmt::Display for Exact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.units < 0 { "-" } else { "" };
        let places = usize::try_from(self.scale).unwrap_or_default();
        let digits = format!("{:0>width$}", self.units.unsigned_abs(), width = places + 1);
        let (whole, behind) = digits.split_at(digits.len() - places);
        match behind {
            "" => write!(f, "{sign}{whole}"),
            _ => write!(f, "{sign}{whole}.{behind}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact(text: &str) -> Exact {
        Exact::parse(text).unwrap()
    }

    #[test]
    fn numbers_keep_every_digit() {
        for (text, expected) in [
            ("0", "0"),
            ("-0.0", "0"),
            ("1e3", "1000"),
            ("-12.5e-3", "-0.0125"),
            ("100.00", "100"),
            ("0.10", "0.1"),
            ("99999999999999999999999999999999999999", "99999999999999999999999999999999999999"),
        ] {
            assert_eq!(exact(text).to_string(), expected, "{text}");
        }
        for large in ["1e38", "1e999", "1e-39", "x", ""] {
            assert_eq!(Exact::parse(large), None, "{large}");
        }
    }

    #[test]
    fn results_are_exact_or_none() {
        assert_eq!(exact("0.1").plus(exact("0.2")), Some(exact("0.3")));
        assert_eq!(exact("1.5").times(exact("-4")), Some(exact("-6")));
        assert_eq!(exact("500").divided_exactly(exact("1000")), Some(exact("0.5")));
        assert_eq!(exact("7").divided_exactly(exact("-0.25")), Some(exact("-28")));
        assert_eq!(exact("6").divided_exactly(exact("3")), Some(exact("2")));
        assert_eq!(exact("1").divided_exactly(exact("3")), None);
        assert_eq!(exact("1").divided_exactly(exact("0")), None);
        assert!(exact("1000").divides_exactly() && !exact("60").divides_exactly());
        let most = exact("99999999999999999999999999999999999999");
        assert_eq!((most.plus(Exact::whole(1)), most.times(most)), (None, None));
        for (text, floor, ceiling) in
            [("1.5", "1", "2"), ("-1.5", "-2", "-1"), ("2", "2", "2"), ("0", "0", "0")]
        {
            assert_eq!(
                (exact(text).floor(), exact(text).ceiling()),
                (exact(floor), exact(ceiling))
            );
        }
        assert_eq!((exact("-2").absolute(), exact("2").negated()), (exact("2"), exact("-2")));
    }
}
