//! What happened to each transaction: its outcome and its two clocks.

mod dml;
mod outcome;
mod recorder;
pub(crate) mod wire;

pub use dml::Dml;
pub use outcome::{Failed, Outcome};
pub use recorder::{
    FailureKey, Measured, Recorder, Sample, Tally, Totals, Work, histogram, record,
};
pub use wire::{Packed, pack, unpack};
