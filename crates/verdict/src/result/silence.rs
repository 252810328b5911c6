//! The time of a run in which the service did not answer. In a closed run few transactions show it: a user that waits
//! sends no others, so that percentiles and the share of failures hardly change.

use std::fmt;

use super::{RunResult, Second};
use crate::text::short;

/// The share of a run, or of its users' time, that may pass without an answer.
pub const MOST_SILENT: f64 = 0.01;
/// The shortest window that is judged: in a shorter one a pause of the machine is a large share.
const SHORTEST_S: f64 = 5.0;
/// With as many answers in most seconds, a second without one is not chance.
const USUAL: u64 = 10;

/// What passed without an answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Silence {
    /// Whole seconds without an answer.
    Seconds {
        /// As many.
        silent: u64,
        /// Of as many.
        all: u64,
        /// The first of them, counted from the run's beginning.
        first: u64,
        /// Whether no second after the first had an answer.
        until_end: bool,
    },
    /// The share of the users' time that they waited to connect again.
    Disconnected(f64),
    /// The share of the users' time in transactions that had no answer: those that timed out, and those that had none
    /// when the run ended.
    Unanswered(f64),
}

impl Silence {
    /// The share of the window, or of the users' time in it.
    pub fn share(&self) -> f64 {
        match self {
            Self::Seconds { silent, all, .. } => *silent as f64 / (*all).max(1) as f64,
            Self::Disconnected(share) | Self::Unanswered(share) => *share,
        }
    }
}

impl fmt::Display for Silence {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Seconds { silent, all, first, until_end: true } => {
                write!(out, "no answer from second {first} on: {silent} of {all} seconds")
            }
            Self::Seconds { silent, all, first, .. } => {
                write!(out, "no answer in {silent} of {all} seconds, first in second {first}")
            }
            Self::Disconnected(share) => {
                write!(
                    out,
                    "users were without a connection for {} % of their time",
                    percent(*share)
                )
            }
            Self::Unanswered(share) => write!(
                out,
                "users waited {} % of their time for answers that did not come",
                percent(*share)
            ),
        }
    }
}

/// Transactions that ended in a second.
fn answers(second: &Second) -> u64 {
    second.completed + second.failed
}

fn percent(share: f64) -> String {
    short(share * 100.0)
}

impl RunResult {
    /// What passed without an answer in the measured window, if anything did.
    pub fn silences(&self) -> Vec<Silence> {
        if self.window.measured_s < SHORTEST_S {
            return Vec::new();
        }
        let times = [
            Silence::Disconnected(self.share_of_users(self.totals.reconnects.backing_off_s)),
            Silence::Unanswered(self.share_of_users(self.unanswered_s())),
        ];
        let times = times.into_iter().filter(|silence| silence.share() > 0.0);
        self.silence_of_seconds().into_iter().chain(times).collect()
    }

    /// Remarks on what passed without an answer, and is too little to fail the run.
    pub fn short_silences(&self) -> Vec<String> {
        let found = self.silences().into_iter();
        // A connection that was closed and opened again is counted among the reconnections.
        let is_short = |silence: &Silence| {
            matches!(silence, Silence::Seconds { .. }) && silence.share() <= MOST_SILENT
        };
        found.filter(is_short).map(|silence| format!("There was {silence}.")).collect()
    }

    /// The numbers of the window's whole seconds without an answer, ascending, where most seconds had many.
    pub fn silent_seconds(&self) -> Vec<u64> {
        // Groups may pause together.
        if self.load.model == "groups" {
            return Vec::new();
        }
        let seconds = self.loaded_seconds();
        let mut counts: Vec<u64> =
            seconds.iter().map(|second| answers(second)).filter(|count| *count > 0).collect();
        counts.sort_unstable();
        if counts.get(counts.len() / 2).is_none_or(|count| *count < USUAL) {
            return Vec::new();
        }
        seconds.iter().filter(|one| answers(one) == 0).map(|second| second.at_s).collect()
    }

    /// The window's whole seconds in which something had to be answered.
    fn loaded_seconds(&self) -> Vec<&Second> {
        let [from, to] = [self.window.from_s, self.window.from_s + self.window.measured_s];
        let is_whole = |at: f64| at >= from && at + 1.0 <= to;
        let seconds = self.seconds.iter().filter(|second| second.phase == "measure");
        let seconds = seconds.filter(|second| is_whole(second.at_s as f64));
        // In a second with few arrivals nothing has to be answered.
        let is_loaded =
            |second: &&Second| second.offered_per_s.is_none_or(|rate| rate >= USUAL as f64);
        seconds.filter(is_loaded).collect()
    }

    fn silence_of_seconds(&self) -> Option<Silence> {
        let (seconds, silent) = (self.loaded_seconds(), self.silent_seconds());
        let first = *silent.first()?;
        let after = seconds.iter().filter(|second| second.at_s >= first).count();
        let until_end = after == silent.len();
        let (silent, all) = (silent.len() as u64, seconds.len() as u64);
        Some(Silence::Seconds { silent, all, first, until_end })
    }

    /// Seconds of the window in transactions that were never answered.
    fn unanswered_s(&self) -> f64 {
        if self.totals.unanswered_s > 0.0 {
            return self.totals.unanswered_s;
        }
        // An earlier version has them in its histograms alone. They were followed for the whole grace.
        let waited = self.unfinished(false);
        let grace_us = self.window.grace_s * 1e6;
        let rows = waited.iter_recorded();
        let within = rows.map(|row| {
            (row.value_iterated_to() as f64 - grace_us).max(0.0) * row.count_at_value() as f64
        });
        within.sum::<f64>() / 1e6
    }

    /// The share of all users' time; 0 in an open run, whose users are no clients that wait.
    fn share_of_users(&self, seconds: f64) -> f64 {
        let users = f64::from(self.load.users.max(1));
        if self.is_open() { 0.0 } else { seconds / (users * self.window.measured_s) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::Reconnects;
    use crate::result::TypeResult;
    use crate::times::{histogram, pack};

    /// A closed run of 15 seconds after 3 of warm-up, with so many answers in each second.
    fn run(answers: impl Fn(u64) -> u64) -> RunResult {
        let mut result = RunResult::default();
        result.load.model = "closed".into();
        result.load.users = 8;
        (result.window.from_s, result.window.measured_s, result.window.grace_s) = (3.0, 15.0, 4.0);
        let second = |at_s| Second {
            at_s,
            phase: if at_s < 3 { "warm-up" } else { "measure" }.into(),
            completed: answers(at_s),
            ..Second::default()
        };
        result.seconds = (0..18).map(second).collect();
        result
    }

    #[test]
    fn a_service_that_went_silent_is_seen_although_few_transactions_are() {
        let mut result = run(|at| if at < 8 { 1_600 } else { 0 });
        let mut waits = histogram();
        waits.record_n(14_000_000, 8).unwrap();
        let unfinished_service_histogram = pack(&waits);
        result.types = vec![TypeResult { unfinished_service_histogram, ..TypeResult::default() }];
        let found: Vec<String> = result.silences().iter().map(ToString::to_string).collect();
        let expected = [
            "no answer from second 8 on: 10 of 15 seconds",
            "users waited 66.67 % of their time for answers that did not come",
        ];
        assert_eq!(found, expected);
        assert!(result.silences().iter().all(|silence| silence.share() > 0.6));
        result.totals.unanswered_s = 30.0;
        assert_eq!(result.silences()[1], Silence::Unanswered(0.25));
    }

    #[test]
    fn a_pause_and_the_time_without_a_connection() {
        let mut result = run(|at| if (9..12).contains(&at) { 0 } else { 700 });
        result.totals.reconnects = Reconnects { backing_off_s: 60.0, ..Reconnects::default() };
        let found: Vec<String> = result.silences().iter().map(ToString::to_string).collect();
        let expected = [
            "no answer in 3 of 15 seconds, first in second 9",
            "users were without a connection for 50 % of their time",
        ];
        assert_eq!(found, expected);
        result.load.model = "open".into();
        assert_eq!(result.silences().len(), 1);
        // No arrival was due in those seconds.
        result.seconds.iter_mut().for_each(|second| {
            second.offered_per_s = Some(if second.completed == 0 { 0.0 } else { 700.0 });
        });
        assert_eq!(result.silences(), []);
    }

    #[test]
    fn seconds_without_an_answer_are_usual_where_answers_are_few() {
        assert_eq!(run(|at| at % 3).silences(), []);
        assert_eq!(run(|_| 0).silences(), []);
        let mut short = run(|at| if at == 4 { 0 } else { 1_000 });
        assert_eq!(short.silences().len(), 1);
        short.window.measured_s = 4.0;
        assert_eq!(short.silences(), []);
    }

    #[test]
    fn one_second_of_a_long_run_is_a_remark() {
        let mut result = run(|_| 50);
        result.window.measured_s = 200.0;
        let second =
            |at_s| Second { at_s, phase: "measure".into(), completed: 50, ..Second::default() };
        result.seconds.extend((18..203).map(second));
        result.seconds[90].completed = 0;
        assert_eq!(
            result.short_silences(),
            ["There was no answer in 1 of 200 seconds, first in second 90."]
        );
        result.seconds[91].completed = 0;
        result.seconds[92].completed = 0;
        assert_eq!(result.short_silences(), Vec::<String>::new());
    }
}
