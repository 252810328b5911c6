//! The bench: what its commands print, write and leave, and how they end.

mod agents;
mod charbench;
mod ends;
mod import;
mod ingest;
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod jmeter;
mod left;
mod orders;
mod otlp;
pub(crate) mod pages;
mod results;
mod runs;
mod samples;
mod series;
mod signals;
mod torture;
mod trust;
mod txn;
pub(crate) mod verdicts;
mod wire;
