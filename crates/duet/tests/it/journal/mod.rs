//! Rows that are acknowledged from a journal, and its files.

pub(crate) mod files;
pub(crate) mod ingest;
pub(crate) mod losses;
