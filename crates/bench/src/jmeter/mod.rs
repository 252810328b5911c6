//! Plans of JMeter: read from their XML, and compiled into the language of workload files, which the engine runs.
//!
//! A plan is read whole before anything runs: all that cannot be taken is refused together, each with its line. One
//! [`table`] says what is taken.

mod assertion;
mod compile;
mod condition;
mod controller;
mod element;
mod expand;
mod extractor;
mod group;
mod place;
mod sampler;
mod scope;
mod script;
pub mod table;
#[cfg(test)]
mod tests;
mod text;

pub use compile::{CompileOptions, Compiled, compile};

pub use crate::xml::Problem;
