//! Servers that are killed, lose power or stop under load: what was acknowledged is there.

mod broken_log;
mod document_writers;
mod drain;
mod ingest_writers;
mod keyed_writers;
mod kill;
mod power;
mod writers;
