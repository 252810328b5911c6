//! What happened to each transaction: its outcome and its two clocks.

mod outcome;

pub use outcome::Outcome;
