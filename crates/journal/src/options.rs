//! How a journal is kept.

use std::fmt;
use std::sync::Arc;

/// Is told the last durable sequence id.
type Notify = Arc<dyn Fn(u64) + Send + Sync>;

/// How a journal is kept.
#[derive(Clone)]
pub struct Options {
    /// Bytes of records that are not applied yet; beyond it [`Journal::append`](crate::Journal::append) answers [`Failure::Full`](crate::Failure::Full).
    pub bytes: u64,
    /// Bytes from which on a segment is followed by another.
    pub segment_bytes: u64,
    /// Is told the last durable sequence id after each sync, on the thread that writes.
    pub notify: Option<Notify>,
    /// The last sequence id that is known to be applied: nothing up to it is missed.
    pub applied: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { bytes: 256 << 20, segment_bytes: 16 << 20, notify: None, applied: 0 }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}
