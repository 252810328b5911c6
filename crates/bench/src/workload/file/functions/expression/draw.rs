//! Random whole numbers by the distributions of pgbench, with its methods (`src/bin/pgbench/pgbench.c`).

use fastrand::Rng;

/// By Gauss, cut at `parameter` deviations on both sides.
pub(super) fn gaussian(random: &mut Rng, from: i64, to: i64, parameter: f64) -> i64 {
    let deviation = loop {
        // Box and Muller, 1958.
        let radius = (-2.0 * (1.0 - random.f64()).ln()).sqrt();
        let normal = radius * (std::f64::consts::TAU * random.f64()).sin();
        if (-parameter..parameter).contains(&normal) {
            break normal;
        }
    };
    scaled(from, to, (deviation + parameter) / (parameter * 2.0))
}

/// Exponentially falling, cut at `parameter`.
pub(super) fn exponential(random: &mut Rng, from: i64, to: i64, parameter: f64) -> i64 {
    let cut = (-parameter).exp();
    let uniform = 1.0 - random.f64();
    scaled(from, to, -(cut + (1.0 - cut) * uniform).ln() / parameter)
}

/// By Zipf's law, by rejection (L. Devroye, "Non-Uniform Random Variate Generation", 1986, p. 550).
pub(super) fn zipfian(random: &mut Rng, from: i64, to: i64, parameter: f64) -> i64 {
    let count = to.saturating_sub(from).saturating_add(1) as f64;
    if count <= 1.0 {
        return from;
    }
    let bound = 2.0_f64.powf(parameter - 1.0);
    loop {
        let (first, second) = (1.0 - random.f64(), random.f64());
        let rank = first.powf(-1.0 / (parameter - 1.0)).floor();
        let part = (1.0 + 1.0 / rank).powf(parameter - 1.0);
        if second * rank * (part - 1.0) / (bound - 1.0) <= part / bound && rank <= count {
            return from.saturating_add(rank as i64 - 1);
        }
    }
}

/// A share of the numbers between two bounds.
fn scaled(from: i64, to: i64, share: f64) -> i64 {
    let count = to.saturating_sub(from).saturating_add(1) as f64;
    from.saturating_add((count * share) as i64).clamp(from, to)
}
