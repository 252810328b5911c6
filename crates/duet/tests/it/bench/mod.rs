//! The bench: what its commands print, write and leave, and how they end.

pub(crate) mod charbench;
pub(crate) mod ends;
pub(crate) mod import;
pub(crate) mod ingest;
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
pub(crate) mod jmeter;
pub(crate) mod left;
pub(crate) mod orders;
pub(crate) mod otlp;
pub(crate) mod pages;
pub(crate) mod results;
pub(crate) mod runs;
pub(crate) mod samples;
pub(crate) mod series;
pub(crate) mod signals;
pub(crate) mod torture;
pub(crate) mod trust;
pub(crate) mod txn;
pub(crate) mod verdicts;
pub(crate) mod wire;
