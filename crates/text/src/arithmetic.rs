//! Calculations of expressions with the numbers that SQLite stores, as PostgreSQL has them.
//!
//! Whole numbers have 64 bits and never become floats. Decimals are exact until the result is stored: `0.1 + 0.2` is
//! `0.3`, and halves are rounded away from zero. Floats follow IEEE 754, and halves are rounded to even. What has no
//! result in the type is an error on both stores.

use crate::exact::Exact;

/// A number as SQLite stores it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StoredNumber {
    /// A whole number.
    Whole(i64),
    /// A float, which may be a decimal.
    Real(f64),
}

/// The rules by which numbers are calculated; those of two numbers are the greater ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NumberRules {
    /// Whole numbers of 64 bits.
    Whole,
    /// Exact decimals.
    Decimal,
    /// Floats.
    Float,
}

/// An operator of two numbers whose result has the type of its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberOperator {
    /// `a + b`
    Add,
    /// `a - b`
    Subtract,
    /// `a * b`
    Multiply,
}

/// A calculation has no result in its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfRange;

/// Digits after the point that a quotient has at most.
const QUOTIENT_DIGITS: u32 = 10;

/// The decimal that a number is written as; `None` for NaN, the infinities, and what has too many digits.
fn exact(number: StoredNumber) -> Option<Exact> {
    match number {
        StoredNumber::Whole(whole) => Some(Exact::whole(whole)),
        StoredNumber::Real(real) => Exact::parse(&format!("{real:e}")),
    }
}

/// The same with 15 digits, as PostgreSQL's cast from floats has it.
fn exact_of_15_digits(number: StoredNumber) -> Option<Exact> {
    match number {
        StoredNumber::Real(real) => Exact::parse(&format!("{real:.14e}")),
        whole @ StoredNumber::Whole(_) => exact(whole),
    }
}

/// Whole numbers that fit are whole numbers, as in a column of decimals; others are the nearest float.
fn stored(exact: Exact) -> StoredNumber {
    let text = exact.to_string();
    match text.parse() {
        Ok(whole) => StoredNumber::Whole(whole),
        Err(_) => StoredNumber::Real(text.parse().unwrap_or(f64::NAN)),
    }
}

fn calculate_exactly(operator: NumberOperator, left: Exact, right: Exact) -> Option<Exact> {
    match operator {
        NumberOperator::Add => left.plus(right),
        NumberOperator::Subtract => left.plus(right.negated()),
        NumberOperator::Multiply => left.times(right),
    }
}

#[expect(clippy::cast_precision_loss, reason = "PostgreSQL rounds such numbers too")]
fn real(number: StoredNumber) -> f64 {
    match number {
        StoredNumber::Whole(whole) => whole as f64,
        StoredNumber::Real(real) => real,
    }
}

/// The sum, difference or product of two numbers.
///
/// # Errors
/// [`OutOfRange`] where the type has no such number.
///
/// ```
/// use duet_text::arithmetic::{NumberOperator, NumberRules, StoredNumber, calculate};
///
/// let [one, other] = [0.1, 0.2].map(StoredNumber::Real);
/// let sum = calculate(NumberOperator::Add, NumberRules::Decimal, one, other);
/// assert_eq!(sum, Ok(StoredNumber::Real(0.3)));
/// ```
pub fn calculate(
    operator: NumberOperator,
    rules: NumberRules,
    left: StoredNumber,
    right: StoredNumber,
) -> Result<StoredNumber, OutOfRange> {
    if let (NumberRules::Whole, StoredNumber::Whole(left), StoredNumber::Whole(right)) =
        (rules, left, right)
    {
        let whole = match operator {
            NumberOperator::Add => left.checked_add(right),
            NumberOperator::Subtract => left.checked_sub(right),
            NumberOperator::Multiply => left.checked_mul(right),
        };
        return whole.map(StoredNumber::Whole).ok_or(OutOfRange);
    }
    let both = exact(left).zip(exact(right)).filter(|_| rules != NumberRules::Float);
    match both.and_then(|(left, right)| calculate_exactly(operator, left, right)) {
        Some(exact) => Ok(stored(exact)),
        None => calculate_floats(operator, real(left), real(right)),
    }
}

fn calculate_floats(
    operator: NumberOperator,
    left: f64,
    right: f64,
) -> Result<StoredNumber, OutOfRange> {
    let result = match operator {
        NumberOperator::Add => left + right,
        NumberOperator::Subtract => left - right,
        NumberOperator::Multiply => left * right,
    };
    let is_lost = operator == NumberOperator::Multiply
        && result == 0.0
        && left != 0.0
        && right != 0.0
        && left.is_finite()
        && right.is_finite();
    match result.is_infinite() && left.is_finite() && right.is_finite() || is_lost {
        true => Err(OutOfRange),
        false => Ok(StoredNumber::Real(result)),
    }
}

/// The quotient as a decimal with ten digits after the point at most; `None` where the divisor is zero.
///
/// # Errors
/// [`OutOfRange`] where no float is near it.
pub fn divide(left: StoredNumber, right: StoredNumber) -> Result<Option<StoredNumber>, OutOfRange> {
    if real(right) == 0.0 {
        return Ok(None);
    }
    let both = exact_of_15_digits(left).zip(exact_of_15_digits(right));
    if let Some(quotient) = both.and_then(|(of, by)| of.divided(by, QUOTIENT_DIGITS)) {
        return Ok(Some(stored(quotient)));
    }
    let quotient = StoredNumber::Real(real(left) / real(right));
    match real(left).is_finite() && real(quotient).is_infinite() {
        true => Err(OutOfRange),
        false => Ok(Some(round_to(quotient, 10))),
    }
}

/// The number with the other sign.
///
/// # Errors
/// [`OutOfRange`] for the least whole number.
pub fn negate(number: StoredNumber) -> Result<StoredNumber, OutOfRange> {
    match number {
        StoredNumber::Whole(whole) => {
            whole.checked_neg().map(StoredNumber::Whole).ok_or(OutOfRange)
        }
        StoredNumber::Real(real) => Ok(StoredNumber::Real(-real)),
    }
}

/// The number without its sign.
///
/// # Errors
/// [`OutOfRange`] for the least whole number.
pub fn absolute(number: StoredNumber) -> Result<StoredNumber, OutOfRange> {
    match number {
        StoredNumber::Whole(whole) => {
            whole.checked_abs().map(StoredNumber::Whole).ok_or(OutOfRange)
        }
        StoredNumber::Real(real) => Ok(StoredNumber::Real(real.abs())),
    }
}

/// A decimal with this many digits after the point at most, halves away from zero. A negative number of digits rounds to
/// tens, hundreds and so on.
pub fn round_to(number: StoredNumber, places: i32) -> StoredNumber {
    match exact(number).map(|exact| exact.rounded(places)) {
        Some(Some(rounded)) => stored(rounded),
        // Far beyond the digits, or far behind them.
        _ if real(number).abs() < 1.0 => StoredNumber::Whole(0),
        _ => number,
    }
}

/// The nearest whole float, halves to even.
pub fn round_float(number: StoredNumber) -> StoredNumber {
    StoredNumber::Real(real(number).round_ties_even())
}

#[cfg(test)]
mod tests {
    use super::*;
    use StoredNumber::{Real, Whole};

    #[test]
    fn whole_numbers_never_become_floats() {
        let of = |operator, a, b| calculate(operator, NumberRules::Whole, Whole(a), Whole(b));
        assert_eq!(of(NumberOperator::Add, i64::MAX, 1), Err(OutOfRange));
        assert_eq!(of(NumberOperator::Subtract, i64::MIN, 1), Err(OutOfRange));
        assert_eq!(of(NumberOperator::Multiply, i64::MIN, -1), Err(OutOfRange));
        assert_eq!(of(NumberOperator::Multiply, 3, -7), Ok(Whole(-21)));
        assert_eq!(negate(Whole(i64::MIN)), Err(OutOfRange));
        assert_eq!(absolute(Whole(i64::MIN)), Err(OutOfRange));
        assert_eq!(absolute(Whole(-5)), Ok(Whole(5)));
    }

    #[test]
    fn decimals_are_exact() {
        let of = |operator, a, b| calculate(operator, NumberRules::Decimal, Real(a), Real(b));
        assert_eq!(of(NumberOperator::Add, 0.1, 0.2), Ok(Real(0.3)));
        assert_eq!(of(NumberOperator::Subtract, 0.3, 0.1), Ok(Real(0.2)));
        assert_eq!(of(NumberOperator::Multiply, 1.1, 1.1), Ok(Real(1.21)));
        assert_eq!(of(NumberOperator::Multiply, 0.5, 4.0), Ok(Whole(2)));
        assert_eq!(of(NumberOperator::Multiply, 1e-8, 1e-8), Ok(Real(1e-16)));
        assert_eq!(of(NumberOperator::Multiply, 1e300, 1e300), Err(OutOfRange));
        assert_eq!(of(NumberOperator::Add, 1e300, 1.0), Ok(Real(1e300)));
        assert_eq!(of(NumberOperator::Add, 1.5, -1.5), Ok(Whole(0)));
    }

    #[test]
    fn floats_are_those_of_ieee_754() {
        let of = |operator, a, b| calculate(operator, NumberRules::Float, Real(a), Real(b));
        assert_eq!(of(NumberOperator::Add, 0.1, 0.2), Ok(Real(0.1 + 0.2)));
        assert_eq!(of(NumberOperator::Multiply, 1e308, 10.0), Err(OutOfRange));
        assert_eq!(of(NumberOperator::Multiply, 1e-308, 1e-308), Err(OutOfRange));
        assert_eq!(of(NumberOperator::Add, f64::INFINITY, 1.0), Ok(Real(f64::INFINITY)));
        let none = of(NumberOperator::Subtract, f64::INFINITY, f64::INFINITY);
        assert!(matches!(none, Ok(Real(real)) if real.is_nan()));
        let whole = calculate(NumberOperator::Add, NumberRules::Float, Whole(1), Real(0.5));
        assert_eq!(whole, Ok(Real(1.5)));
    }

    #[test]
    fn quotients_have_ten_digits() {
        for (a, b, expected) in [
            (Whole(7), Whole(2), Some(Real(3.5))),
            (Whole(-7), Whole(2), Some(Real(-3.5))),
            (Whole(1), Whole(3), Some(Real(0.333_333_333_3))),
            (Whole(2), Whole(-3), Some(Real(-0.666_666_666_7))),
            (Whole(1), Whole(0), None),
            (Real(1.0), Real(-0.0), None),
            (Whole(9_007_199_254_740_993), Whole(1), Some(Whole(9_007_199_254_740_993))),
            (Whole(i64::MIN), Whole(-1), Some(Real(9.223_372_036_854_776e18))),
            (Whole(1), Real(1e300), Some(Whole(0))),
            (Whole(1), Real(2e10), Some(Real(1e-10))),
            (Whole(1), Real(2.000_000_1e10), Some(Whole(0))),
            (Real(1e300), Real(4.0), Some(Real(2.5e299))),
            (Real(0.1 + 0.2), Whole(1), Some(Real(0.3))),
            (Real(-1.0), Real(f64::INFINITY), Some(Whole(0))),
        ] {
            assert_eq!(divide(a, b), Ok(expected), "{a:?} / {b:?}");
        }
        assert_eq!(divide(Real(1e300), Real(1e-300)), Err(OutOfRange));
        let none = divide(Real(f64::NAN), Whole(2));
        assert!(matches!(none, Ok(Some(Real(real))) if real.is_nan()));
    }

    #[test]
    fn halves() {
        for (number, places, expected) in [
            (Real(2.5), 0, Whole(3)),
            (Real(-2.5), 0, Whole(-3)),
            (Real(1.005), 2, Real(1.01)),
            (Real(2.675), 2, Real(2.68)),
            (Real(1234.5), -2, Whole(1200)),
            (Whole(1250), -2, Whole(1300)),
            (Whole(49), -2, Whole(0)),
            (Whole(50), -2, Whole(100)),
            (Whole(5), -400, Whole(0)),
            (Real(0.1), i32::MAX, Real(0.1)),
            (Real(1e-300), 2, Whole(0)),
            (Real(12.5), i32::MIN, Whole(0)),
        ] {
            assert_eq!(round_to(number, places), expected, "{number:?} {places}");
        }
        for (number, expected) in [(0.5, 0.0), (1.5, 2.0), (2.5, 2.0), (-0.5, -0.0), (-3.5, -4.0)] {
            assert_eq!(round_float(Real(number)), Real(expected));
        }
    }
}
