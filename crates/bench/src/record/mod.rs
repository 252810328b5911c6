//! Records each transaction: its outcome, service time and response time.

mod blame;
mod due;
mod failed;
mod recorder;
mod window;
pub(crate) mod wire;

pub use blame::Blame;
pub use due::{CheckCount, run_as_due};
pub use failed::{Failed, cannot, outcome_of, refused};
pub use recorder::{
    FailureKey, ProcessTotals, Recorder, Rolled, Sample, Tallies, Tally, TransactionCost,
};
pub use window::{Begun, Measured, Unfinished};
pub use wire::Packed;
