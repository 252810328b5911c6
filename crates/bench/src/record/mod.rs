//! What happened to each transaction: its outcome and its two clocks.

mod blame;
mod failed;
mod recorder;
mod window;
pub(crate) mod wire;

pub use blame::Blame;
pub use failed::{Failed, cannot, outcome_of, refused};
pub use recorder::{FailureKey, Recorder, Sample, Tally, Totals, Work};
pub use window::{Begun, Measured, Unfinished};
pub use wire::Packed;
