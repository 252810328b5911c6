//! A figure of the bench beside what it must be.

use super::size::Size;

/// The largest deviation of a percentile from the truth.
pub(super) const NEAR: f64 = 0.02;

/// The quantiles that are compared.
pub(super) const QUANTILES: [(&str, f64); 4] =
    [("p90", 0.9), ("p95", 0.95), ("p99", 0.99), ("max", 1.0)];

/// A measured figure with its true value.
#[derive(Clone, Debug, PartialEq)]
pub struct SelftestFigure {
    /// What it is.
    pub name: String,
    /// The true value.
    pub expected: f64,
    /// The measured value.
    pub measured: f64,
    /// The allowed range, in words.
    pub allowed: &'static str,
    /// Whether it is within the range.
    pub holds: bool,
}

/// A time with the two bounds of its true value.
pub(super) fn line(
    size: &Size,
    name: String,
    [least, most]: [f64; 2],
    measured: u64,
) -> SelftestFigure {
    let measured = measured as f64;
    let not_below = measured >= least * (1.0 - NEAR);
    let holds = not_below && (!size.strict || measured <= most * (1.0 + NEAR));
    SelftestFigure { name, expected: most, measured, allowed: allowed(size), holds }
}

pub(super) fn allowed(size: &Size) -> &'static str {
    if size.strict { "± 2 %" } else { "≥ −2 %" }
}
