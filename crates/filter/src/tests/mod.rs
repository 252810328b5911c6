//! Tests of the whole crate: cases as data, and properties.

mod docs;
mod errors;
mod grammar;
mod print;
mod properties;
pub(crate) mod sample;
