//! The digits of `numeric(precision, scale)`: what PostgreSQL makes of a number that a column gets.
//!
//! Source: <https://www.postgresql.org/docs/current/datatype-numeric.html>.

use crate::decimal::Decimal;

/// The declared digits of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumericDigits {
    /// Significant digits, 1 to 1,000.
    pub precision: i32,
    /// Digits after the point, -1,000 to 1,000; below zero whole numbers are rounded to tens, hundreds and so on.
    pub scale: i32,
}

/// The names that declare digits, whatever their case.
const NAMES: [&str; 4] = ["NUMERIC", "DECIMAL", "DEC", "NUMBER"];

impl NumericDigits {
    /// The digits in a declared type such as `DECIMAL(10, 2)`; `None` where it has none, or such as PostgreSQL refuses.
    ///
    /// ```
    /// use duet_text::numeric_digits::NumericDigits;
    /// let digits = NumericDigits::declared("numeric(10)");
    /// assert_eq!(digits, Some(NumericDigits { precision: 10, scale: 0 }));
    /// ```
    pub fn declared(declared: &str) -> Option<Self> {
        let (name, rest) = declared.split_once('(')?;
        let (arguments, after) = rest.split_once(')')?;
        if !after.trim().is_empty()
            || !NAMES.iter().any(|own| own.eq_ignore_ascii_case(name.trim()))
        {
            return None;
        }
        let (precision, scale) = arguments.split_once(',').unwrap_or((arguments, "0"));
        let (precision, scale) = (precision.trim().parse().ok()?, scale.trim().parse().ok()?);
        let is_taken = (1..=1_000).contains(&precision) && (-1_000..=1_000).contains(&scale);
        is_taken.then_some(Self { precision, scale })
    }

    /// The number that the column holds: rounded to the scale, halves away from zero; `None` where that has too many
    /// digits before its point.
    pub fn held(self, number: Decimal) -> Option<Decimal> {
        let rounded = number.rounded_at(self.scale);
        rounded.is_below_power(self.precision - self.scale).then_some(rounded)
    }
}

/// Whether a column that is declared so refuses a number for its digits. No column of declared digits holds an infinity.
pub fn is_beyond_digits(declared: &str, number: &str) -> bool {
    let Some(digits) = NumericDigits::declared(declared) else { return false };
    match Decimal::parse(number) {
        Some(number) => digits.held(number).is_none(),
        None => is_infinite(number),
    }
}

/// Whether a text names an infinity.
pub fn is_infinite(number: &str) -> bool {
    matches!(number, "Infinity" | "-Infinity")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations() {
        let digits = |precision, scale| Some(NumericDigits { precision, scale });
        for (declared, expected) in [
            ("NUMERIC(5,2)", digits(5, 2)),
            ("decimal ( 5 , -2 )", digits(5, -2)),
            ("Dec(5)", digits(5, 0)),
            ("number(1000,1000)", digits(1_000, 1_000)),
            ("NUMERIC", None),
            ("NUMERIC(0,0)", None),
            ("NUMERIC(1001)", None),
            ("NUMERIC(5,x)", None),
            ("NUMERIC(5,", None),
            ("numeric(5,2)[]", None),
            ("VARCHAR(5)", None),
        ] {
            assert_eq!(NumericDigits::declared(declared), expected, "{declared}");
        }
    }

    /// What PostgreSQL 17 gives for `SELECT number::numeric(precision, scale)`.
    #[test]
    fn numbers_are_held_as_postgresql_holds_them() {
        for (declared, number, expected) in [
            ("numeric(5,2)", "1.005", Some("1.01")),
            ("numeric(5,2)", "-1.005", Some("-1.01")),
            ("numeric(5,2)", "999.994", Some("999.99")),
            ("numeric(5,2)", "999.995", None),
            ("numeric(5,2)", "-1e3", None),
            ("numeric(5,2)", "0.001", Some("0")),
            ("numeric(3)", "999.4", Some("999")),
            ("numeric(3)", "999.5", None),
            ("numeric(3,-2)", "149.6", Some("100")),
            ("numeric(3,-2)", "150", Some("200")),
            ("numeric(3,-2)", "49", Some("0")),
            ("numeric(3,-2)", "50", Some("100")),
            ("numeric(3,-2)", "99949", Some("99900")),
            ("numeric(3,-2)", "99950", None),
            ("numeric(2,5)", "0.00099", Some("0.00099")),
            ("numeric(2,5)", "0.001", None),
            ("numeric(2,5)", "0", Some("0")),
        ] {
            let digits = NumericDigits::declared(declared).unwrap();
            let held = digits.held(Decimal::parse(number).unwrap());
            let held = held.map(|held| held.to_string());
            assert_eq!(held.as_deref(), expected, "{number} as {declared}");
        }
    }
}
