//! Tests of the crate: table-driven cases and properties.

mod docs;
mod errors;
mod grammar;
mod limits;
mod ords;
pub(crate) mod print;
mod properties;
pub(crate) mod sample;
