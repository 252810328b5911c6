//! Runs: processes, their users and their reports.

mod assemble;
mod backoff;
#[cfg(test)]
mod blame_tests;
mod child;
mod collect;
mod conduct;
mod event;
mod figures;
mod job;
mod limits;
mod plan;
mod prepared;
mod process;
mod progress;
mod recover;
mod sample_log;
mod sleep;
mod spool;
mod user;
#[cfg(test)]
mod window_tests;

pub use assemble::{Assembly, Rates};
pub use child::serve as serve_process;
pub use collect::{Collector, Merged};
pub(crate) use conduct::LEAD;
pub use conduct::{Ready, Running, prepare};
pub use event::{Cost, Ended, Event};
pub use job::{Job, Registry};
pub use plan::{Model, Phases, Plan, SampleFiles, Share};
pub use prepared::{Prepared, Proof};
pub use process::Process;
pub use progress::Progress;
pub use recover::{before, is_unfinished, recover, unreadable};
pub use sample_log::{SampleCount, join_samples};
pub use spool::{LOG, RESULT, Spool, holds_run, is_under_way};
