//! Findings that a reader must know before trusting a figure.

use duet_verdict::judge::warm_up;
use duet_verdict::result::{ABORTED, RunResult};

/// The result's own warnings, and contradictions between its figures, in plain words.
pub fn findings(result: &RunResult) -> Vec<String> {
    let mut texts = result.warnings.clone();
    let mut add = |text: String| {
        if !texts.contains(&text) {
            texts.push(text);
        }
    };
    for it in result.thresholds.iter().filter(|it| !it.passed) {
        add(format!("The threshold {} failed: {}.", it.rule, it.outcome_text()));
    }
    for it in result.invariants.iter().filter(|it| !it.passed) {
        add(format!(
            "An invariant of the data does not hold after the run, {}: {}.",
            it.name, it.found
        ));
    }
    if result.ledger.as_ref().is_some_and(|ledger| !ledger.balanced) {
        add("The counts of client and server differ: see the ledger.".into());
    }
    if result.client.was_the_limit {
        add("The client was the bottleneck: the server may reach more.".into());
    }
    if result.client.was_held_up {
        add("Other programs used the processors when transactions were due: the server may reach more.".into());
    }
    if matches!(&*result.window.ended_by, "interrupted" | ABORTED | "failed" | "killed") {
        add(format!("The run ended early: {}.", result.window.ended_by));
    }
    if let Some(text) = overloaded(result) {
        add(text);
    }
    if let Some(text) = result.lost_time() {
        add(text);
    }
    if let Some(text) = unsettled(result) {
        add(text);
    }
    // The run's own warning says more.
    let is_said = result.warnings.iter().any(|text| text.contains(" transactions failed ("));
    if result.failed_share() > 0.01 && !is_said {
        let or = if result.totals.unfinished > 0 { " or did not end" } else { "" };
        add(format!("{:.1} % of all transactions failed{or}.", result.failed_share() * 100.0));
    }
    texts
}

/// An open run that began less than 99 % of the offered arrivals.
fn overloaded(result: &RunResult) -> Option<String> {
    let share = result.overloaded()?;
    // Newer results have a warning for it, in other words.
    let message = result.warnings.iter().any(|warning| warning.starts_with("Overloaded"));
    (!message).then(|| {
        format!(
            "Overloaded: {:.1} % of the offered transactions began in the measured time. Percentiles \
             grow with the length of such a run.",
            share * 100.0
        )
    })
}

/// Throughput that still rises or falls in the measured window.
fn unsettled(result: &RunResult) -> Option<String> {
    let per_s: Vec<f64> = result.measured().map(|second| second.completed as f64).collect();
    match warm_up::find(&per_s) {
        warm_up::WarmUp::NeverSettled => {
            Some("Throughput never settled in the measured window: run longer.".into())
        }
        warm_up::WarmUp::Ends { after, steady: false } => Some(format!(
            "Throughput differs between the beginning and the end of the measured window (after {after} s)."
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::example::Example;

    use super::*;

    #[test]
    fn each_is_reported_once() {
        let mut result = Example::default().build();
        result.totals.failed = 0;
        // 200/s of 4 ms are less than one user's work.
        assert!(findings(&result).iter().any(|text| text.contains("Little's law")));
        result.load.users = 1;
        result.processes[0].users = 1;
        result.totals.under_way = 1.0;
        assert_eq!(findings(&result), Vec::<String>::new());

        result.load.model = "open".into();
        result.totals.backlog = result.totals.offered.unwrap() / 2;
        result.totals.failed = result.totals.completed;
        result.warnings = vec!["7 transactions failed (50.00 %); they are excluded.".into()];
        result.client.was_the_limit = true;
        result.thresholds[0].passed = false;
        result.ledger.as_mut().unwrap().balanced = false;
        result.window.ended_by = "failed".into();
        let texts = findings(&result);
        assert_eq!(texts.len(), 6, "{texts:?}");
        assert_eq!(texts.iter().filter(|text| text.contains("failed (")).count(), 1);
        assert!(texts.iter().any(|text| text.starts_with("Overloaded: 50.0 %")), "{texts:?}");
        result.warnings.clone_from(&texts);
        assert_eq!(findings(&result), texts);
    }

    #[test]
    fn a_rise_is_noticed() {
        let mut result = Example { rate_per_s: Some(200.0), ..Example::default() }.build();
        for (at, second) in result.seconds.iter_mut().enumerate() {
            second.completed = 100 + 10 * at as u64;
        }
        assert!(findings(&result).iter().any(|text| text.contains("never settled")));
    }
}
