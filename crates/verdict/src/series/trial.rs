//! The result of one run of a search: whether it passed the limits, and why not.

use serde::{Deserialize, Serialize};

use super::figures::TrialFigures;
use super::{backlog, noise};
use crate::judge::deviation;
use crate::result::RunResult;
use crate::threshold::Rule;

/// A run's figures, and whether it passed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrialResult {
    /// Its figures.
    pub figures: TrialFigures,
    /// The variance of its mean throughput; 0 with too few seconds.
    pub variance: f64,
    /// Why it failed; empty if it passed.
    pub reasons: Vec<String>,
    /// Why the trial is noisy, whether it passed or not.
    #[serde(default)]
    pub doubts: Vec<String>,
    /// Whether the client was the bottleneck or too busy.
    #[serde(default)]
    pub client_was_the_limit: bool,
}

impl TrialResult {
    /// Judges a run: every limit, the share of failures, and for an open run that all arrivals began and
    /// finished without a growing backlog. A limit with too few samples fails an open run, but not a
    /// closed one, which is only exploratory.
    pub fn of(result: &RunResult, limits: &[Rule], most_failed: f64) -> Self {
        let mut reasons = Vec::new();
        for limit in limits {
            let threshold = limit.judge(result);
            match limit.holds(result) {
                Some(true) => {}
                Some(false) => {
                    reasons.push(format!("{} was {}", threshold.rule, threshold.outcome_text()));
                }
                None if result.is_open() => {
                    reasons.push(format!("{} {}", threshold.rule, threshold.outcome_text()));
                }
                None => {}
            }
        }
        if result.totals.completed == 0 {
            reasons.push("nothing succeeded".into());
        }
        let failed = result.failed_share();
        if failed > most_failed {
            reasons.push(format!("{:.2} % failed", failed * 100.0));
        }
        if result.is_open() {
            open(result, &mut reasons);
        }
        let seconds: Vec<f64> = result.measured().map(|second| second.completed as f64).collect();
        let variance = match seconds.len() {
            0..3 => 0.0,
            count => deviation(&seconds).powi(2) / count as f64,
        };
        Self {
            figures: TrialFigures::of(result),
            variance,
            reasons,
            doubts: noise::of(result),
            client_was_the_limit: result.client.is_in_doubt(),
        }
    }

    /// Whether it passed.
    pub fn passed(&self) -> bool {
        self.reasons.is_empty()
    }
}

fn open(result: &RunResult, reasons: &mut Vec<String>) {
    let totals = &result.totals;
    if totals.unsent > 0 {
        reasons.push(format!("{} arrivals were never begun", totals.unsent));
    }
    if totals.unfinished > 0 {
        reasons.push(format!("{} arrivals were unfinished", totals.unfinished));
    }
    if let Some(share) = result.overloaded() {
        reasons.push(format!("{:.1} % of the arrivals were begun in time", share * 100.0));
    }
    if backlog::rises(&backlog::under_way(result)) {
        reasons.push("work piled up".into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::{Percentiles, Second};

    fn open_run(begun: u64, growth: f64) -> RunResult {
        let mut result = RunResult::default();
        result.load.model = "open".into();
        result.window.measured_s = 10.0;
        let completed = 10_000;
        result.totals.completed = completed;
        result.totals.offered = Some(completed);
        result.totals.backlog = completed - begun;
        result.totals.response =
            Percentiles { count: completed, p99_us: Some(9_000), ..Percentiles::default() };
        result.seconds = (0..10)
            .map(|at_s| Second {
                at_s,
                phase: "measure".into(),
                completed: completed / 10,
                response: Percentiles {
                    count: 1,
                    mean_us: 2_000.0 + growth * at_s as f64,
                    ..Percentiles::default()
                },
                ..Second::default()
            })
            .collect();
        result
    }

    #[test]
    fn a_rate_passes_or_not() {
        let limits = ["response.p99<20ms".parse().unwrap()];
        let reasons = |result: &RunResult| TrialResult::of(result, &limits, 0.01).reasons;
        assert_eq!(reasons(&open_run(9_990, 0.0)), Vec::<String>::new());
        assert_eq!(reasons(&open_run(9_000, 0.0)), ["90.0 % of the arrivals were begun in time"]);
        assert_eq!(reasons(&open_run(10_000, 5_000.0)), ["work piled up"]);
        let mut result = open_run(9_990, 0.0);
        result.totals.unsent = 3;
        result.totals.failed = 500;
        result.totals.unfinished = 2;
        result.totals.response.p99_us = Some(21_000);
        let expected = [
            "response.p99<20ms was 21.00 ms",
            "4.78 % failed",
            "3 arrivals were never begun",
            "2 arrivals were unfinished",
        ];
        assert_eq!(reasons(&result), expected);
        let mut few = open_run(9_990, 0.0);
        few.totals.response.p99_us = None;
        few.totals.response.count = 990;
        let why = "response.p99<20ms cannot be judged from 990 transactions: 1000 are needed, ten of them beyond the percentile";
        assert_eq!(reasons(&few), [why]);
        few.load.model = "closed".into();
        assert!(TrialResult::of(&few, &limits, 0.01).passed());
    }
}
