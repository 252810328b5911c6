//! Numbers with a fraction as C writes them by `%.15g` (ISO 9899, 7.21.6.1).

/// The digits that pgbench writes.
const DIGITS: usize = 15;

/// A number with at most 15 significant digits, without zeros at its end.
pub(crate) fn fifteen_digits(number: f64) -> String {
    if !number.is_finite() {
        let sign = if number.is_sign_negative() { "-" } else { "" };
        return format!("{sign}{}", if number.is_nan() { "nan" } else { "inf" });
    }
    let scientific = format!("{number:.*e}", DIGITS - 1);
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    let places = DIGITS as i32 - 1 - exponent;
    if (-4..DIGITS as i32).contains(&exponent) {
        return trimmed(&format!("{number:.*}", usize::try_from(places).unwrap_or_default()));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", trimmed(digits), exponent.unsigned_abs())
}

/// Without the zeros at the end of a fraction.
fn trimmed(digits: &str) -> String {
    match digits.contains('.') {
        true => digits.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => digits.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As `printf '%.15g'` writes them.
    #[test]
    fn numbers_are_written_as_in_c() {
        for (number, expected) in [
            (8.0, "8"),
            (0.0, "0"),
            (-0.0, "-0"),
            (-2.5, "-2.5"),
            (0.1 + 0.2, "0.3"),
            (1.0 / 3.0, "0.333333333333333"),
            (1e14, "100000000000000"),
            (999_999_999_999_999.0, "999999999999999"),
            (1e15, "1e+15"),
            (1_234_567_890_123_456.0, "1.23456789012346e+15"),
            (0.0001, "0.0001"),
            (0.000_012_5, "1.25e-05"),
            (9.999_999_999_999_999e-5, "0.0001"),
            (1e300, "1e+300"),
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "-inf"),
            (f64::NAN, "nan"),
        ] {
            assert_eq!(fifteen_digits(number), expected);
        }
    }
}
