//! What is measured, and how it is spoken to.

pub mod http;
pub mod sql;
