//! Student's t distribution. The only file that uses the distribution library.

use statrs::distribution::{ContinuousCDF as _, Normal, StudentsT};

/// The cumulative distribution function at `t`; 0.5 without degrees of freedom.
pub fn cdf(t: f64, freedom: f64) -> f64 {
    if t.is_nan() || freedom.is_nan() || freedom <= 0.0 {
        return 0.5;
    }
    if t.is_infinite() {
        return if t > 0.0 { 1.0 } else { 0.0 };
    }
    match Shape::of(freedom) {
        Some(Shape::Student(student)) => student.cdf(t),
        Some(Shape::Normal(normal)) => normal.cdf(t),
        None => 0.5,
    }
}

/// The quantile function; infinite without degrees of freedom.
pub fn quantile(share: f64, freedom: f64) -> f64 {
    if share <= 0.5 {
        return if share == 0.5 { 0.0 } else { -quantile(1.0 - share, freedom) };
    }
    if share >= 1.0 {
        return f64::INFINITY;
    }
    match Shape::of(freedom) {
        Some(Shape::Student(student)) => student.inverse_cdf(share),
        Some(Shape::Normal(normal)) => normal.inverse_cdf(share),
        None => f64::INFINITY,
    }
}

/// The two-sided p-value of `t`.
pub fn two_sided(t: f64, freedom: f64) -> f64 {
    if t.is_nan() { 1.0 } else { (2.0 * cdf(-t.abs(), freedom)).clamp(0.0, 1.0) }
}

enum Shape {
    Student(StudentsT),
    Normal(Normal),
}

impl Shape {
    /// The normal distribution, which beyond 10,000 degrees agrees in all displayed digits.
    fn of(freedom: f64) -> Option<Self> {
        if freedom > 1e4 {
            return Some(Self::Normal(Normal::standard()));
        }
        StudentsT::new(0.0, 1.0, freedom).ok().map(Self::Student)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_published_tables() {
        for (freedom, expected) in [
            (1.0, 12.7062),
            (2.0, 4.3027),
            (4.0, 2.7764),
            (9.0, 2.2622),
            (19.0, 2.0930),
            (30.0, 2.0423),
            (100.0, 1.9840),
            (1e9, 1.9600),
        ] {
            let found = quantile(0.975, freedom);
            assert!((found - expected).abs() < 1e-4, "{freedom}: {found}");
            assert!((quantile(0.025, freedom) + found).abs() < 1e-9);
            assert!((cdf(found, freedom) - 0.975).abs() < 1e-9, "{freedom}");
            assert!((two_sided(-found, freedom) - 0.05).abs() < 1e-9, "{freedom}");
        }
        assert!((quantile(0.9995, 9.0) - 4.7809).abs() < 1e-4);
        assert!((cdf(quantile(0.975, 2.5), 2.5) - 0.975).abs() < 1e-9);
    }

    #[test]
    fn handles_zero_degrees_of_freedom() {
        assert_eq!(quantile(0.975, 0.0), f64::INFINITY);
        assert_eq!((cdf(3.0, 0.0), cdf(f64::NAN, 3.0), two_sided(f64::NAN, 3.0)), (0.5, 0.5, 1.0));
        assert_eq!((quantile(0.5, 3.0), quantile(1.0, 3.0)), (0.0, f64::INFINITY));
        assert_eq!((cdf(f64::INFINITY, 3.0), cdf(f64::NEG_INFINITY, 3.0)), (1.0, 0.0));
    }
}
