//! What commands run on: a runtime on the calling thread, and the clock.

use duet_model::{Error, Result};

/// A runtime on the calling thread.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Error::internal)
}

/// Seconds since the epoch.
pub(crate) fn now() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}
