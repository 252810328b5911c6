//! What happened to each transaction: its outcome and its two clocks.

mod blame;
mod dml;
mod outcome;
mod recorder;
mod window;
pub(crate) mod wire;

pub use blame::Blame;
pub use dml::Dml;
pub use outcome::{Failed, Outcome};
pub use recorder::{FailureKey, Recorder, Sample, Tally, Totals, Work, histogram, record};
pub use window::{Begun, Measured, Unfinished};
pub use wire::{Packed, pack, pack_some, unpack};
