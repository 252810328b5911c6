//! Results of runs and their evaluation: thresholds, comparisons, series of runs.
//!
//! Pure functions without files, clocks or sockets. The engine creates a
//! [`RunResult`](result::RunResult) and writes it to disk; reports render it. Modules use only those above them:
//!
//! | module | holds |
//! |---|---|
//! | [`text`] | text formatting of lines, tables, figures and durations |
//! | [`outcome`], [`dml`], [`times`] | outcomes, statement counts and times of transactions |
//! | [`judge`] | statistics: intervals, verdicts, laws |
//! | [`result`] | the result of a run, merged results, consistency checks |
//! | [`threshold`], [`soundness`] | limits on a result; whether it is sound |
//! | [`stored_result`] | whether a result that was read from a file is whole, and its judgements those of its figures |
//! | [`compare`] | comparisons of results |
//! | [`series`] | alternating runs, sweeps and searches |
//!
//! ```
//! use duet_verdict::result::RunResult;
//! use duet_verdict::threshold::Rule;
//!
//! let mut result = RunResult::default();
//! (result.totals.completed, result.totals.failed) = (990, 10);
//! let rule: Rule = "errors<2%".parse()?;
//! assert!(rule.judge(&result).passed);
//! assert!("p99 under 20ms".parse::<Rule>().is_err());
//! # Ok::<_, String>(())
//! ```

pub mod compare;
pub mod dml;
pub mod judge;
pub mod outcome;
pub mod result;
pub mod series;
pub mod soundness;
pub mod stored_result;
pub mod text;
pub mod threshold;
pub mod times;

// The builder of example results refers to this crate by its external name.
#[cfg(test)]
extern crate self as duet_verdict;
#[cfg(test)]
#[path = "../tests/example/mod.rs"]
mod example;
