//! Writes: the one thread that writes, and the transactions that waiting writes share.

pub(crate) mod batch;
pub(crate) mod job;
pub(crate) mod progress;
pub(crate) mod session;
pub(crate) mod stored;
pub(crate) mod writer;
