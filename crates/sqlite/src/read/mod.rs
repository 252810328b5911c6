//! Reads: what is bound and run, on the threads of workers, of readers and of streams.

pub(crate) mod counted_steps;
pub(crate) mod readers;
pub(crate) mod run;
pub(crate) mod snapshots;
pub(crate) mod stream;
