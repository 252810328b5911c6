//! Small charts in the cells of tables: a line without axes.

use std::fmt::Write as _;

/// The size of the drawing, which is stretched to its cell.
const SIZE: (f64, f64) = (100.0, 24.0);
/// The most points.
const POINTS: usize = 100;

/// A line as SVG; empty without values. It holds numbers only.
pub(super) fn spark(values: &[Option<f64>], colour: &'static str) -> String {
    let most = values.iter().flatten().copied().fold(0.0, f64::max);
    let points = thinned(values);
    if most <= 0.0 || points.len() < 2 {
        return String::new();
    }
    let last = (points.len() - 1) as f64;
    let mut line = String::new();
    let mut fill = String::from("M0 24");
    let mut is_drawn = false;
    for (at, value) in points.iter().enumerate() {
        let Some(value) = value else {
            is_drawn = false;
            continue;
        };
        let (x, y) = (SIZE.0 * at as f64 / last, SIZE.1 - (SIZE.1 - 2.0) * value / most);
        let letter = if is_drawn { 'L' } else { 'M' };
        // Writing to a string cannot fail.
        let _ = write!(line, "{letter}{x:.1} {y:.1}");
        let _ = write!(fill, "L{x:.1} {y:.1}");
        is_drawn = true;
    }
    fill.push_str("L100 24Z");
    format!(
        "<svg class=\"spark {colour}\" viewBox=\"0 0 {} {}\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><path class=\"fill\" d=\"{fill}\"/><path d=\"{line}\"/></svg>",
        SIZE.0, SIZE.1
    )
}

/// The means of neighbours.
fn thinned(values: &[Option<f64>]) -> Vec<Option<f64>> {
    let size = values.len().div_ceil(POINTS).max(1);
    let mean = |part: &[Option<f64>]| {
        let known: Vec<f64> = part.iter().flatten().copied().collect();
        (!known.is_empty()).then(|| duet_verdict::judge::mean(&known))
    };
    values.chunks(size).map(mean).collect()
}

/// A bar of a share of a whole.
pub(super) fn share(share: f64) -> String {
    let width = (share.clamp(0.0, 1.0) * 100.0).max(1.0);
    format!(
        "<svg class=\"share\" viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect width=\"100\" height=\"8\"/><rect width=\"{width:.1}\" height=\"8\"/></svg>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_lift_the_pen() {
        let drawn = spark(&[Some(1.0), Some(2.0), None, Some(1.0)], "c0");
        assert!(drawn.contains("d=\"M0.0 13.0L33.3 2.0M100.0 13.0\""), "{drawn}");
        assert_eq!(spark(&[Some(0.0), Some(0.0)], "c0"), "");
        assert_eq!(spark(&[], "c0"), "");
        let long: Vec<_> = (0..5_000).map(|at| Some(f64::from(at))).collect();
        assert!(spark(&long, "c0").len() < 4_000);
    }
}
