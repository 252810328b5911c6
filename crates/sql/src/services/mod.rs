//! Statements of services and routines.

pub(crate) mod function;
pub(crate) mod query;
pub(crate) mod routine;
pub(crate) mod settings;
pub(crate) mod template;
