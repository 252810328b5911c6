//! Mean, variance, standard deviation and median.

/// The mean; 0 for no values.
pub fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}

/// One transaction more, as a logarithm: windows of one rate hold one more or less.
pub fn one_of(counted: u64) -> f64 {
    if counted > 0 { (1.0 / counted as f64).ln_1p() } else { 0.0 }
}

/// The sample variance (n − 1); 0 for fewer than two values.
pub(super) fn variance(values: &[f64]) -> f64 {
    if values.len() < 2 {
        return 0.0;
    }
    let middle = mean(values);
    let squares: f64 = values.iter().map(|value| (value - middle).powi(2)).sum();
    squares / (values.len() - 1) as f64
}

/// The sample standard deviation (n − 1); 0 for fewer than two values.
pub fn deviation(values: &[f64]) -> f64 {
    variance(values).sqrt()
}

/// The median; 0 for no values.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match (sorted.len(), sorted.len() / 2) {
        (0, _) => 0.0,
        (even, half) if even % 2 == 0 => f64::midpoint(sorted[half - 1], sorted[half]),
        (_, half) => sorted[half],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_few_and_no_values() {
        assert_eq!((mean(&[]), deviation(&[3.0]), median(&[])), (0.0, 0.0, 0.0));
        assert_eq!(mean(&[1.0, 2.0, 6.0]), 3.0);
        assert_eq!(variance(&[1.0, 2.0, 6.0]), 7.0);
        assert_eq!((median(&[9.0, 1.0, 2.0]), median(&[4.0, 1.0, 2.0, 9.0])), (2.0, 3.0));
    }
}
