//! Results of runs, and what they allow to be said: limits, comparisons, series of runs.
//!
//! Pure: values in, values and texts out. Nothing here reads a file, a clock or a socket. The engine makes a
//! [`RunResult`](result::RunResult) and keeps it on the disk; reports draw it. Modules use only those above them:
//!
//! | module | holds |
//! |---|---|
//! | [`text`] | lines, tables, figures and lengths as texts |
//! | [`outcome`], [`dml`], [`times`] | how transactions ended, what they did, how long they took |
//! | [`judge`] | statistics over numbers: intervals, verdicts, laws |
//! | [`result`] | the result of a run, merged results, what must agree in each |
//! | [`threshold`], [`soundness`] | limits on a result; whether it can be trusted |
//! | [`compare`] | results side by side |
//! | [`series`] | several runs that answer one question |

pub mod compare;
pub mod dml;
pub mod judge;
pub mod outcome;
pub mod result;
pub mod series;
pub mod soundness;
pub mod text;
pub mod threshold;
pub mod times;

// The builder of example results names this crate as its other users do.
#[cfg(test)]
extern crate self as duet_verdict;
#[cfg(test)]
#[path = "../tests/example/mod.rs"]
mod example;
