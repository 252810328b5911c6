//! Servers that are killed, lose power or stop under load: what was acknowledged is there.

pub(crate) mod broken_log;
pub(crate) mod document_writers;
pub(crate) mod drain;
pub(crate) mod ingest_writers;
pub(crate) mod keyed_writers;
pub(crate) mod kill;
pub(crate) mod power;
pub(crate) mod writers;
