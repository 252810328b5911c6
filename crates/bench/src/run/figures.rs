//! Additional figures of some kinds of load.

use std::time::Duration;

use duet_verdict::result::{Figure, RunResult};

use super::plan::{Model, Plan};
use crate::record::ProcessTotals;

/// The figures of a run.
pub(super) fn of(plan: &Plan, result: &RunResult, totals: &ProcessTotals) -> Vec<Figure> {
    let mut figures: Vec<Figure> = ceiling(plan, result).into_iter().collect();
    figures.extend(hit_rate(totals));
    if totals.users.len() > 1 {
        let took = totals.users.values().map(|[begin, end]| end.saturating_sub(*begin));
        let took: Vec<f64> = took.map(|length| length.as_secs_f64()).collect();
        let longest = took.iter().copied().fold(0.0, f64::max);
        let shortest = took.iter().copied().fold(f64::INFINITY, f64::min);
        figures.push(Figure::new("Makespan", result.window.measured_s, "s"));
        figures.push(Figure::new("Fastest User", shortest, "s"));
        figures.push(Figure::new("Slowest User", longest, "s"));
        figures.push(Figure::new("Fairness of Users (Jain)", jain(&took), ""));
    }
    figures
}

/// The highest rate of this many users with this think time, by the mean service time: users ÷
/// (think time + service time). A rate near it depends more on the think time than on the target.
fn ceiling(plan: &Plan, result: &RunResult) -> Option<Figure> {
    let think = plan.think.iter().sum::<Duration>().as_secs_f64() / 2.0;
    let is_closed = matches!(plan.model, Model::Closed) && plan.pacing.is_none();
    if !is_closed || think == 0.0 || result.totals.service.count == 0 {
        return None;
    }
    let service = result.totals.service.mean_us / 1e6;
    Some(Figure::new("Think-time Ceiling", f64::from(plan.users) / (think + service), "TPS"))
}

/// The share of the items that the service had in its memory, of those that it looked for there.
fn hit_rate(totals: &ProcessTotals) -> Option<Figure> {
    let sum = |at: usize| totals.kinds.iter().map(|kind| kind.work.cached[at]).sum::<u64>();
    let (looked, found) = (sum(0), sum(1));
    (looked > 0)
        .then(|| Figure::new("Rowstore Hit Rate", 100.0 * found as f64 / looked as f64, "%"))
}

/// Jain's index: 1 if all users did the same number, 1/n if one did them all (Jain, Chiu, Hawe
/// 1984).
fn jain(took: &[f64]) -> f64 {
    let sum: f64 = took.iter().sum();
    let squares: f64 = took.iter().map(|length| length * length).sum();
    match squares > 0.0 {
        true => sum * sum / (took.len() as f64 * squares),
        false => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits_of_the_rowstore() {
        let mut totals = ProcessTotals::new(2);
        assert_eq!(hit_rate(&totals), None);
        totals.kinds[0].work.cached = [3, 2];
        totals.kinds[1].work.cached = [1, 1];
        assert_eq!(hit_rate(&totals).map(|figure| figure.value), Some(75.0));
    }

    #[test]
    fn fairness() {
        assert_eq!(jain(&[2.0, 2.0, 2.0]), 1.0);
        assert_eq!(jain(&[4.0, 0.0]), 0.5);
        assert_eq!(jain(&[0.0, 0.0]), 1.0);
    }
}
