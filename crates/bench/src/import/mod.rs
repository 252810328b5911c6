//! Imports: scripts of pgbench and OpenAPI documents become a workload file. What cannot be taken is a
//! [`Problem`] that names the construct and its line.

mod expression;
mod json_lines;
mod openapi;
mod pgbench;
mod statements;
mod write;

pub use openapi::openapi;
pub use pgbench::{Options, Script, pgbench};

/// A construct that cannot be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The number of the file, from 0.
    pub file: usize,
    /// Its line, from 1.
    pub line: usize,
    /// What it is, as a sentence.
    pub message: String,
}

impl Problem {
    fn new(line: usize, message: impl Into<String>) -> Self {
        Self { file: 0, line, message: message.into() }
    }
}
