//! Trials against any HTTP service, which is described by a small file: lost updates, read skew, own writes over
//! several connections, idempotency keys, users beside heavy requests, and acknowledged writes that survive a kill.
//!
//! Each trial makes its own items, works on them by several users at the same time, and judges the
//! responses alone: nothing is known of the service but its [`Description`]. A trial that needs what
//! the description lacks is not applicable.

mod bystander;
mod client;
mod description;
mod idempotency;
mod items;
mod kill;
mod lost_update;
mod own_write;
mod read_skew;
mod template;

use std::time::Duration;

use duet_verdict::outcome::Outcome;

pub use description::{Bystander, Description, Idempotency, Kill, Resource};

use crate::targets::http::Url;
use crate::workload::Failed;
use items::Service;

/// The settings of all trials.
#[derive(Clone, Debug)]
pub struct Options {
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

/// What was done in a trial that does not apply.
const NOTHING: &str = "Nothing was judged.";

/// What a trial saw: `Ok` if the service passed, `Err` if not.
type Seen = Result<String, Stop>;

/// Why a trial ended early.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Stop {
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
fn sentence(message: &str) -> String {
    format!("{}.", message.trim_end_matches('.'))
}

/// Runs these trials against a service; `say` gets each when it has ended.
///
/// # Errors
/// If an item cannot be created and read as the description says.
pub fn run(
    description: &Description,
    options: &Options,
    names: &[&str],
    mut say: impl FnMut(&Trial),
) -> Result<Vec<Trial>, Failed> {
    let service = Service::new(description, options)?;
    service.try_out()?;
    let mut trials = Vec::new();
    for name in TRIALS.into_iter().filter(|name| names.contains(name)) {
        let (done, seen) = match name {
            "lost-update" => (lost_update::done(options), lost_update::run(&service)),
            "read-skew" => (read_skew::done(options), read_skew::run(&service)),
            "own-write" => (own_write::done(options), own_write::run(&service)),
            "bystander" => (bystander::done(options), bystander::run(&service)),
            "idempotency" => (idempotency::done(options), idempotency::run(&service)),
            _ => (kill::done(options), kill::run(&service)),
        };
        let (seen, verdict) = match seen {
            Ok(seen) => (seen, Verdict::Passed),
            Err(Stop::Wrong(seen) | Stop::Broken(seen)) => (seen, Verdict::Failed),
            Err(Stop::Needs(seen)) => (seen, Verdict::NotApplicable),
        };
        // What was planned did not happen.
        let done = if verdict == Verdict::NotApplicable { NOTHING.to_owned() } else { done };
        let trial = Trial { name, done, seen, verdict };
        say(&trial);
        trials.push(trial);
    }
    service.clean_up();
    Ok(trials)
}
