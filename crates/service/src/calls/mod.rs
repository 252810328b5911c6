//! Calls of services and routines.

mod routine;
pub(crate) mod service;
