//! A trial: its settings, what it saw, and the verdict on the service.

use std::time::Duration;

use duet_verdict::outcome::Outcome;

use crate::targets::http::Url;
use crate::workload::Failed;

/// The settings of all trials.
#[derive(Clone, Debug)]
pub struct TrialOptions {
    /// The base URL; the description's paths are below it.
    pub url: Url,
    /// The value of `Authorization`.
    pub authorization: Option<String>,
    /// The timeout of responses.
    pub timeout: Duration,
    /// Users at the same time.
    pub users: u32,
    /// How often each user repeats its work.
    pub rounds: u32,
    /// How often the service is killed.
    pub kills: u32,
}

/// A verdict on the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing wrong was seen.
    Passed,
    /// The service is wrong.
    Failed,
    /// The description lacks what the trial needs.
    NotApplicable,
}

impl Verdict {
    /// The word of reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "FAILED",
            Self::NotApplicable => "not applicable",
        }
    }
}

/// The report of one trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trial {
    /// Its name, one of [`TRIALS`].
    pub name: &'static str,
    /// What was done, as a sentence.
    pub done: String,
    /// What was seen, as a sentence.
    pub seen: String,
    /// The verdict.
    pub verdict: Verdict,
}

/// The names of the trials, in their order.
pub const TRIALS: [&str; 6] =
    ["lost-update", "read-skew", "own-write", "idempotency", "bystander", "kill"];

/// What a trial saw: `Ok` if the service passed, `Err` if not.
pub(super) type Seen = Result<String, Stop>;

/// Why a trial ended early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The service is wrong, as a sentence.
    Wrong(String),
    /// The trial needs what is not there, as a sentence.
    Needs(String),
    /// The connection broke, no response came in time, or the service failed, as a sentence.
    Broken(String),
}

impl From<Failed> for Stop {
    fn from(failed: Failed) -> Self {
        let text = sentence(&failed.message);
        match failed.outcome {
            Outcome::Connection | Outcome::Timeout => Self::Broken(text),
            _ => Self::Wrong(text),
        }
    }
}

/// The message as a sentence.
pub(super) fn sentence(message: &str) -> String {
    format!("{}.", message.trim_end_matches('.'))
}
