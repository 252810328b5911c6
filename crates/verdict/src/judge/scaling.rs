//! The Universal Scalability Law (Gunther, arXiv 0808.1431): throughput of N users,
//! X(N) = l·N ÷ (1 + s·(N − 1) + k·N·(N − 1)), where l is the throughput of one user, s the serial
//! fraction (contention) and k the coherency cost. Weighted least squares with s, k ≥ 0. The
//! parameters are meaningless if the load generator shares the processors.

use super::numbers::mean;
use crate::text::counted;

/// A level of load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoadLevel {
    /// Users.
    pub users: f64,
    /// Completed per second.
    pub per_s: f64,
    /// The variance of `per_s`; if any is unknown (0), all levels get the same weight.
    pub variance: f64,
}

/// The fitted parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Law {
    /// Throughput of one user.
    pub rate: f64,
    /// s, contention.
    pub contention: f64,
    /// k, coherency.
    pub coherency: f64,
}

impl Law {
    /// The throughput of `users` users.
    pub fn at(&self, users: f64) -> f64 {
        self.rate * users / self.cost(users)
    }

    fn cost(&self, users: f64) -> f64 {
        1.0 + self.contention * (users - 1.0) + self.coherency * users * (users - 1.0)
    }

    /// The number of users with the highest throughput, √((1 − s) ÷ k); `None` if k is 0.
    pub fn peak(&self) -> Option<f64> {
        let peak = ((1.0 - self.contention).max(0.0) / self.coherency).sqrt();
        (self.coherency > 0.0 && peak.is_finite()).then(|| peak.max(1.0))
    }
}

/// The fit with its confidence intervals.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// The best fit.
    pub law: Law,
    /// The 95 % interval of s.
    pub contention: [f64; 2],
    /// The 95 % interval of k.
    pub coherency: [f64; 2],
    /// The highest measured load.
    pub measured: f64,
    /// The measured level with the highest throughput.
    pub best: LoadLevel,
    /// The throughput at the highest measured load.
    pub last_per_s: f64,
}

impl Fit {
    /// A summary sentence. It does not extrapolate beyond twice the highest measured load.
    pub fn sentence(&self) -> String {
        let reach = self.measured * 2.0;
        match self.law.peak() {
            Some(peak) if peak <= reach && self.coherency[0] > 0.0 => {
                // The peak is between one user and twice the highest measured load.
                let users = counted(peak.round() as u64, "user");
                let per_s = self.law.at(peak);
                format!("Throughput peaks near {users}, at {per_s:.0}/s.")
            }
            // The points show what the fit cannot tell from chance.
            _ if self.last_per_s < FALLEN * self.best.per_s => {
                let users = counted(self.best.users as u64, "user");
                format!(
                    "Throughput was highest with {users}, at {:.0}/s, and lower with more; the fit does not tell this decline from chance.",
                    self.best.per_s
                )
            }
            _ if self.law.contention > 0.0 => {
                let limit = self.law.rate / self.law.contention;
                let users = counted(reach.round() as u64, "user");
                format!("No peak seen up to {users}; it saturates near {limit:.0}/s.")
            }
            _ => {
                let users = counted(reach.round() as u64, "user");
                format!("No peak and no limit seen up to {users}.")
            }
        }
    }
}

/// A highest load with less than this share of the highest throughput is a visible decline.
const FALLEN: f64 = 0.97;
/// The minimum number of levels for a fit.
pub const FEWEST: usize = 6;
const DRAWS: usize = 500;
const SEED: u64 = 0x5eed_0051;

/// Fits the law. `None` with fewer than [`FEWEST`] different levels, or one without throughput.
/// Intervals come from a bootstrap of the residuals.
pub fn fit(levels: &[LoadLevel]) -> Option<Fit> {
    let mut users: Vec<f64> = levels.iter().map(|level| level.users).collect();
    users.sort_by(f64::total_cmp);
    users.dedup();
    let usable =
        |level: &LoadLevel| level.users >= 1.0 && level.per_s > 0.0 && level.per_s.is_finite();
    if users.len() < FEWEST || !levels.iter().all(usable) {
        return None;
    }
    let law = best(levels)?;
    let freedom = (levels.len() - 3) as f64;
    let wider = (levels.len() as f64 / freedom).sqrt();
    let residual = |level: &LoadLevel| (level.per_s / law.at(level.users) - 1.0) * wider;
    let residuals: Vec<f64> = levels.iter().map(residual).collect();
    let mut random = fastrand::Rng::with_seed(SEED);
    let mut draw = || {
        let drawn: Vec<LoadLevel> = levels
            .iter()
            .map(|level| {
                let off = residuals[random.usize(0..residuals.len())];
                let per_s = (law.at(level.users) * (1.0 + off)).max(f64::MIN_POSITIVE);
                LoadLevel { per_s, ..*level }
            })
            .collect();
        best(&drawn)
    };
    let draws: Vec<Law> = (0..DRAWS).filter_map(|_| draw()).collect();
    Some(Fit {
        law,
        contention: middle(draws.iter().map(|law| law.contention).collect())?,
        coherency: middle(draws.iter().map(|law| law.coherency).collect())?,
        measured: *users.last()?,
        best: *levels.iter().max_by(|a, b| a.per_s.total_cmp(&b.per_s))?,
        last_per_s: levels.iter().max_by(|a, b| a.users.total_cmp(&b.users))?.per_s,
    })
}

fn middle(mut draws: Vec<f64>) -> Option<[f64; 2]> {
    draws.sort_by(f64::total_cmp);
    let at = |share: f64| draws.get((share * draws.len() as f64) as usize).copied();
    Some([at(0.025)?, at(0.975)?])
}

/// The best of the four fits with s and k free or fixed at 0.
fn best(levels: &[LoadLevel]) -> Option<Law> {
    let weights = weights(levels);
    let ways = [[true, true], [true, false], [false, true], [false, false]];
    let laws = ways.into_iter().filter_map(|free| refine(levels, &weights, free));
    let good = laws.filter(|law| law.contention >= 0.0 && law.coherency >= 0.0);
    good.min_by(|a, b| loss(a, levels, &weights).total_cmp(&loss(b, levels, &weights)))
}

fn weights(levels: &[LoadLevel]) -> Vec<f64> {
    let known = levels.iter().all(|level| level.variance > 0.0);
    let weight = |level: &LoadLevel| if known { 1.0 / level.variance } else { 1.0 };
    let weights: Vec<f64> = levels.iter().map(weight).collect();
    let middle = mean(&weights);
    weights.into_iter().map(|weight| weight / middle).collect()
}

fn loss(law: &Law, levels: &[LoadLevel], weights: &[f64]) -> f64 {
    let square = |level: &LoadLevel| (level.per_s - law.at(level.users)).powi(2);
    levels.iter().zip(weights).map(|(level, weight)| weight * square(level)).sum()
}

/// Levenberg–Marquardt over the free parameters, from a coarse starting point.
fn refine(levels: &[LoadLevel], weights: &[f64], free: [bool; 2]) -> Option<Law> {
    let alone = |level: &LoadLevel| level.per_s / level.users;
    let rate = levels.iter().map(alone).fold(0.0, f64::max);
    let start = |on: bool, value: f64| if on { value } else { 0.0 };
    let mut law = Law { rate, contention: start(free[0], 0.05), coherency: start(free[1], 0.001) };
    let (mut damping, mut now) = (1e-3, loss(&law, levels, weights));
    for _ in 0..200 {
        let step = step(&law, levels, weights, free, damping)?;
        let next = Law {
            rate: law.rate + step[0],
            contention: law.contention + step[1],
            coherency: law.coherency + step[2],
        };
        let then = loss(&next, levels, weights);
        if then.is_finite() && then <= now && next.rate > 0.0 {
            let done = now - then <= 1e-12 * now;
            (law, now, damping) = (next, then, (damping / 3.0_f64).max(1e-12));
            if done {
                break;
            }
        } else {
            damping *= 4.0;
            if damping > 1e12 {
                break;
            }
        }
    }
    Some(law)
}

/// One step: (JᵀWJ + damping · diagonal) · step = JᵀW · residuals.
fn step(
    law: &Law,
    levels: &[LoadLevel],
    weights: &[f64],
    free: [bool; 2],
    damping: f64,
) -> Option<[f64; 3]> {
    let mut normal = [[0.0; 3]; 3];
    let mut right = [0.0; 3];
    for (level, weight) in levels.iter().zip(weights) {
        let (n, cost) = (level.users, law.cost(level.users));
        let by_cost = -law.rate * n / (cost * cost);
        let slope = |on: bool, value: f64| if on { value } else { 0.0 };
        let gradient = [
            n / cost,
            slope(free[0], by_cost * (n - 1.0)),
            slope(free[1], by_cost * n * (n - 1.0)),
        ];
        let residual = level.per_s - law.at(n);
        for row in 0..3 {
            right[row] += weight * gradient[row] * residual;
            for column in 0..3 {
                normal[row][column] += weight * gradient[row] * gradient[column];
            }
        }
    }
    for (at, row) in normal.iter_mut().enumerate() {
        // A fixed parameter has an empty row and gets a step of 0.
        row[at] = if row[at] == 0.0 { 1.0 } else { row[at] * (1.0 + damping) };
    }
    solve(normal, right)
}

/// Gaussian elimination with partial pivoting; `None` for a singular matrix.
fn solve(mut matrix: [[f64; 3]; 3], mut right: [f64; 3]) -> Option<[f64; 3]> {
    for at in 0..3 {
        let pivot = (at..3).max_by(|a, b| matrix[*a][at].abs().total_cmp(&matrix[*b][at].abs()))?;
        matrix.swap(at, pivot);
        right.swap(at, pivot);
        if matrix[at][at].abs() < f64::MIN_POSITIVE {
            return None;
        }
        for below in at + 1..3 {
            let factor = matrix[below][at] / matrix[at][at];
            let upper = matrix[at];
            matrix[below].iter_mut().zip(upper).for_each(|(cell, of)| *cell -= factor * of);
            right[below] -= factor * right[at];
        }
    }
    let mut answer = [0.0; 3];
    for at in (0..3).rev() {
        let known: f64 = (at + 1..3).map(|column| matrix[at][column] * answer[column]).sum();
        answer[at] = (right[at] - known) / matrix[at][at];
    }
    Some(answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    const USERS: [f64; 8] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 48.0, 64.0];

    fn levels(law: Law, noise: f64) -> Vec<LoadLevel> {
        let mut random = fastrand::Rng::with_seed(5);
        let mut level = |users: f64| {
            let per_s = law.at(users) * (1.0 + noise * (random.f64() - 0.5));
            LoadLevel { users, per_s, variance: 0.0 }
        };
        USERS.map(&mut level).to_vec()
    }

    #[test]
    fn recovers_the_parameters() {
        let law = Law { rate: 950.0, contention: 0.03, coherency: 0.000_4 };
        let found = fit(&levels(law, 0.0)).unwrap();
        assert!((found.law.rate / 950.0 - 1.0).abs() < 1e-5, "{found:?}");
        assert!((found.law.contention - 0.03).abs() < 1e-6, "{found:?}");
        assert!((found.law.coherency - 0.000_4).abs() < 1e-7, "{found:?}");
        assert_eq!(found.law.peak().unwrap().round(), 49.0);

        let noisy = fit(&levels(law, 0.04)).unwrap();
        assert!(noisy.contention[0] < 0.03 && 0.03 < noisy.contention[1], "{noisy:?}");
        assert!(noisy.coherency[0] < 0.000_4 && 0.000_4 < noisy.coherency[1], "{noisy:?}");
        assert!(noisy.sentence().starts_with("Throughput peaks near"), "{}", noisy.sentence());
    }

    #[test]
    fn without_coherency_there_is_no_peak() {
        let amdahl = Law { rate: 500.0, contention: 0.1, coherency: 0.0 };
        let found = fit(&levels(amdahl, 0.01)).unwrap();
        let sentence = found.sentence();
        assert!(sentence.starts_with("No peak seen up to 128 users"), "{sentence} {found:?}");
        let straight = Law { rate: 500.0, contention: 0.0, coherency: 0.0 };
        let found = fit(&levels(straight, 0.0)).unwrap();
        assert!(found.law.contention.abs() < 1e-9 && found.law.coherency.abs() < 1e-9);
        assert_eq!(straight.peak(), None);
    }

    /// A table whose last row is lower is not followed by "no peak seen".
    #[test]
    fn a_decline_that_is_seen_is_said() {
        let amdahl = Law { rate: 500.0, contention: 0.1, coherency: 0.0 };
        let mut levels = levels(amdahl, 0.01);
        levels[7].per_s = levels[6].per_s * 0.9;
        let mut found = fit(&levels).unwrap();
        // Whatever the draws say of one low point.
        found.coherency[0] = 0.0;
        let sentence = found.sentence();
        assert!(sentence.starts_with("Throughput was highest with 48 users, at "), "{sentence}");
        found.coherency[0] = 1e-9;
        found.law.coherency = 1e-9;
        assert!(!found.sentence().contains("No peak"), "{}", found.sentence());
    }

    #[test]
    fn superlinear_scaling_is_fixed_at_zero() {
        let levels: Vec<LoadLevel> =
            USERS.map(|users| LoadLevel { users, per_s: users.powf(1.1), variance: 1.0 }).to_vec();
        let found = fit(&levels).unwrap();
        assert!(found.law.contention >= 0.0 && found.law.coherency >= 0.0, "{found:?}");
    }

    #[test]
    fn refuses_too_few_levels() {
        let law = Law { rate: 500.0, contention: 0.1, coherency: 0.0 };
        assert_eq!(fit(&levels(law, 0.0)[..5]), None);
        let mut empty = levels(law, 0.0);
        empty[3].per_s = 0.0;
        assert_eq!(fit(&empty), None);
    }
}
