//! Reports: results and verdicts for people and for other tools. Nothing here measures or opens a
//! connection.
//!
//! | module | makes |
//! |---|---|
//! | [`summary`](mod@summary) | the text of a result at the end of a run |
//! | [`export`] | CSV, HdrHistogram, JMeter, k6 and Swingbench's files |
//! | [`html`] | the page of results or of a search |
//! | [`replay`] | the pages of published reports that were repeated |

pub mod export;
pub mod html;
pub mod replay;
pub mod summary;

#[cfg(test)]
#[path = "../../verdict/tests/example/mod.rs"]
mod example;
