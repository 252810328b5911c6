//! What happened to each transaction: its outcome and its two clocks.

mod blame;
mod failed;
mod recorder;
mod window;
pub(crate) mod wire;

pub use duet_verdict::dml::Dml;
pub use duet_verdict::outcome::Outcome;
pub use duet_verdict::times::{histogram, pack, pack_some, record, unpack};

pub use blame::Blame;
pub use failed::{Failed, outcome_of};
pub use recorder::{FailureKey, Recorder, Sample, Tally, Totals, Work};
pub use window::{Begun, Measured, Unfinished};
pub use wire::Packed;
