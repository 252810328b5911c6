//! Calls of services and routines.

pub(crate) mod routine;
pub(crate) mod service;
