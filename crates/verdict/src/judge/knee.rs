//! The knee of a convex curve of latency over load, by Kneedle (Satopaa, Albrecht, Irwin, Raghavan,
//! 2011). A hyperbola has no inherent knee (Gunther, "Mind Your Knees and Queues"): the result depends
//! on the measured range, so it is only a hint; a latency limit decides.

/// The position of the knee in `points`, which must ascend in x. `None` for fewer than four points, for
/// a flat or falling curve, and for a curve without a knee.
///
/// `sensitivity` is Kneedle's S: how far the curve must fall back from the bend before it counts;
/// the usual value is 1.
pub fn find(points: &[(f64, f64)], sensitivity: f64) -> Option<usize> {
    let (first, last) = (*points.first()?, *points.last()?);
    let low = points.iter().map(|(_, y)| *y).fold(f64::INFINITY, f64::min);
    let high = points.iter().map(|(_, y)| *y).fold(f64::NEG_INFINITY, f64::max);
    let ordered = points.windows(2).all(|two| two[0].0 < two[1].0);
    if points.len() < 4 || !ordered || last.1 <= first.1 || !(high - low).is_finite() {
        return None;
    }
    // The distance of the curve below the diagonal, with both axes normalized.
    let below = |(x, y): &(f64, f64)| (x - first.0) / (last.0 - first.0) - (y - low) / (high - low);
    let below: Vec<f64> = points.iter().map(below).collect();
    let step = 1.0 / (points.len() - 1) as f64;
    let mut knee = None;
    for at in 1..below.len() - 1 {
        if below[at] >= below[at - 1] && below[at] >= below[at + 1] && below[at] > 0.0 {
            let limit = below[at] - sensitivity * step;
            let until = below[at + 1..].iter().position(|value| *value > below[at]);
            let rest = &below[at + 1..until.map_or(below.len(), |ends| at + 1 + ends)];
            if rest.iter().any(|value| *value < limit) {
                knee = knee.filter(|best: &usize| below[*best] >= below[at]).or(Some(at));
            }
        }
    }
    knee
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_knee_of_a_queue() {
        // Service 1 ms, capacity 1,000/s: 1 ÷ (1 − load).
        let points: Vec<(f64, f64)> = (1..=19)
            .map(|step| f64::from(step) * 50.0)
            .map(|x| (x, 1.0 / (1.0 - x / 1e3)))
            .collect();
        let knee = points[find(&points, 1.0).unwrap()].0;
        assert!((700.0..=850.0).contains(&knee), "{knee}");
    }

    #[test]
    fn curves_without_a_knee() {
        let line: Vec<(f64, f64)> = (0..10).map(|x| (f64::from(x), f64::from(x))).collect();
        assert_eq!(find(&line, 1.0), None);
        let flat: Vec<(f64, f64)> = (0..10).map(|x| (f64::from(x), 1.0)).collect();
        assert_eq!(find(&flat, 1.0), None);
        assert_eq!(find(&[(0.0, 0.0), (1.0, 0.0), (2.0, 9.0)], 1.0), None);
        assert_eq!(find(&[], 1.0), None);
        assert_eq!(find(&[(1.0, 0.0), (1.0, 0.0), (2.0, 9.0), (3.0, 99.0)], 1.0), None);
    }
}
