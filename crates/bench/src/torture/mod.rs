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
mod trial;

pub use description::{Bystander, Description, Idempotency, Kill, Resource};
pub use trial::{TRIALS, Trial, TrialOptions, Verdict};

use crate::workload::Failed;
use items::Service;
use trial::Stop;

/// What was done in a trial that does not apply.
const NOTHING: &str = "Nothing was judged.";

/// Runs these trials against a service; `say` gets each when it has ended.
///
/// # Errors
/// If an item cannot be created and read as the description says.
pub fn run(
    description: &Description,
    options: &TrialOptions,
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
