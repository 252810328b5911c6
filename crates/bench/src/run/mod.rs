//! Runs: processes, their users and their reports.
//!
//! A job (a workload with the data that its users need) and a plan (load model and phases) are
//! values that go to every process as JSON. All users connect before the first transaction; then
//! all processes begin at one moment of the monotonic clock. Seconds are taken out by a thread,
//! merged, and spooled to disk at once, so memory stays constant and a killed run can be recovered.
//! The load ends when what was due in the window has ended in all processes, after the grace period
//! at the latest.

mod assemble;
mod backoff;
#[cfg(test)]
mod blame_tests;
mod carried;
mod child;
mod collect;
mod conduct;
mod event;
mod figures;
mod group_user;
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
mod wire;

pub use assemble::{Assembly, Rates, Stop};
pub use child::{ChildProcesses, Workplace, serve as serve_process};
pub use collect::{Collector, Merged, Part};
pub use conduct::{Ready, Running, prepare};
pub use event::{Cost, Ended, Event};
pub use job::{Job, Registry};
pub use plan::{Model, Phases, Plan, SampleFiles, Share};
pub use prepared::{Prepared, Proof};
pub use process::Process;
pub use progress::Progress;
pub use recover::{before, is_unfinished, recover, so_far, unreadable};
pub use sample_log::{SampleCount, join_samples};
pub use spool::{LOG, RESULT, Spool, holds_run, is_under_way};
pub(crate) use wire::LEAD;
pub use wire::{Wire, Worker, Workers};
