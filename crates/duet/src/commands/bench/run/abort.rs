//! Ends a run whose threshold fails while it goes on (`--abort-on-fail`).

use std::time::Duration;

use duet_bench::run::{Merged, Progress};
use duet_verdict::result::{RunResult, Second};
use duet_verdict::threshold::{Rule, Subject};

/// The thresholds of a run that goes on.
pub(super) struct Abort {
    /// The measured time before which none ends the run.
    after: Duration,
    progress: Progress,
    missed: Option<String>,
}

/// Whether a threshold is judged while a run goes on: checks and unsent arrivals are counted at its end.
pub(super) fn is_judged_early(rule: &Rule) -> bool {
    !matches!(rule.subject(), Subject::Checks | Subject::Unsent)
}

impl Abort {
    /// For a run with these facts; `None` where no threshold ends it.
    pub(super) fn new(after: Option<Duration>, begun: &RunResult) -> Option<Self> {
        let mut begun = begun.clone();
        begun.thresholds.retain(|it| it.rule.parse().is_ok_and(|rule| is_judged_early(&rule)));
        Some(Self { after: after?, progress: Progress::new(&begun), missed: None })
    }

    /// Takes a second into account; whether the run is to end now. A threshold that cannot be judged yet, such as a
    /// percentile of few samples, ends nothing.
    pub(super) fn second(&mut self, merged: &Merged, row: &Second) -> bool {
        self.progress.second(merged, row);
        if self.missed.is_some() || row.phase != "measure" {
            return false;
        }
        let result = self.progress.result();
        if result.window.measured_s < self.after.as_secs_f64() {
            return false;
        }
        let failed = result.thresholds.iter().find(|it| !it.passed && it.measured.is_some());
        self.missed = failed.map(|it| {
            format!(
                "The threshold {} ended the run after {} measured seconds (--abort-on-fail): {}.",
                it.rule,
                result.window.measured_s,
                it.outcome_text()
            )
        });
        self.missed.is_some()
    }

    /// The threshold that ended the run.
    pub(super) fn into_missed(self) -> Option<String> {
        self.missed
    }
}
