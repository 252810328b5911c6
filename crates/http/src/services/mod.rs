//! Services and routines: SQL of the application or of the database, run by name.

pub(crate) mod batch;
pub(crate) mod declared_failure;
pub(crate) mod routine;
pub(crate) mod service;
