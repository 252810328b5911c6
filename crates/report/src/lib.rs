//! Reports: results and verdicts for people and for other tools. Nothing here measures or opens a
//! connection.
//!
//! | module | makes |
//! |---|---|
//! | [`summary`](mod@summary) | the text of a result at the end of a run |
//! | [`ci`] | a comparison as JUnit's XML and as Markdown |
//! | [`export`] | CSV, HdrHistogram, JMeter, k6 and Swingbench's files |
//! | [`html`] | the page of results or of a search |
//! | [`replay`] | the pages of published reports that were repeated |
//!
//! ```
//! use duet_verdict::result::RunResult;
//!
//! let mut result = RunResult::default();
//! (result.totals.completed, result.window.measured_s) = (6_000, 10.0);
//! result.totals.tps = 600.0;
//! assert!(duet_report::summary::summary(&result).contains("600"));
//! ```

pub mod ci;
pub mod export;
pub mod html;
pub mod replay;
pub mod summary;

#[cfg(test)]
#[path = "../../verdict/tests/example/mod.rs"]
mod example;
