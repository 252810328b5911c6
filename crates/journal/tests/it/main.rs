//! The journal from outside, on a disk in memory.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

mod losses;
mod power;
mod simulated;
