//! JMeter's plans: read from their XML, run with its rules, and reported with its figures.
//!
//! A plan is read whole before anything runs: what cannot be taken is a [`Problem`] with the construct and its line.
//! Threads of a plan are tasks of one thread here, each with a connection of its own.

mod assertion;
mod csv;
mod element;
mod extractor;
mod figures;
mod function;
mod functions;
mod json_path;
mod line;
mod plan;
mod read;
mod request;
mod run;
mod sample;
mod script;
mod shared;
mod template;
#[cfg(test)]
mod tests;
mod user;

use std::fmt;

pub use figures::{Figures, LabelFigures};
pub use plan::Plan;
pub use read::read;
pub use run::{Failure, Options, Ran, run};

/// What is wrong with a plan, or cannot be taken from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The line in the plan's XML, from 1.
    pub line: usize,
    /// What it is, as a sentence.
    pub message: String,
}

impl Problem {
    fn new(line: usize, message: impl Into<String>) -> Self {
        Self { line, message: message.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for Problem {}
