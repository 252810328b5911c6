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

pub use figures::{Figures, LabelFigures};
pub use plan::Plan;
pub use read::read;
pub use run::{Failure, Options, Ran, run};

pub use crate::xml::Problem;
