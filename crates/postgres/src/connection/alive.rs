//! What is known of the server's liveness. A connection whose other end is gone says nothing for ever:
//! so a waiting request checks that the server is alive, and gives up when a new connection would; see
//! [`Database::watched`](crate::database::Database).
//!
//! The result of a check is shared, and for a moment after a failed one no other request tries to
//! connect. Every wait for a response of the server goes through `watched`.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use duet_model::Result;

use crate::connection::stop::unavailable;

/// For so long after the server was found to be gone no other task tries to connect.
const BACK_OFF: Duration = Duration::from_millis(200);

/// What is known of the server.
#[derive(Debug, Default)]
pub(crate) struct Liveness {
    /// When the server last gave a sign of life.
    pub(crate) checked: tokio::sync::Mutex<Option<Instant>>,
    /// When it was last found to be gone.
    gone: Mutex<Option<Instant>>,
    /// Of several hosts the one of the last connection, and when another one took its place.
    host: Mutex<(Option<usize>, Option<Instant>)>,
}

impl Liveness {
    /// The server has given no sign of life for too long.
    pub(crate) fn note_gone(&self) {
        *self.gone.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// A connection was made to this host of the list. Another one than before has taken its place: what still
    /// waits for that one would wait in vain, since signs of life come from the new one.
    pub(crate) fn connected(&self, host: usize) {
        let mut known = self.host.lock().unwrap_or_else(PoisonError::into_inner);
        if known.0.replace(host).is_some_and(|before| before != host) {
            known.1 = Some(Instant::now());
        }
    }

    /// The host of the last connection, where there are several.
    pub(crate) fn host(&self) -> Option<usize> {
        self.host.lock().unwrap_or_else(PoisonError::into_inner).0
    }

    /// Connections that were made before are of no use.
    pub(crate) fn lost_at(&self) -> Option<Instant> {
        let moved = self.host.lock().unwrap_or_else(PoisonError::into_inner).1;
        self.gone_at().max(moved)
    }

    pub(super) fn gone_at(&self) -> Option<Instant> {
        *self.gone.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the server has just been found to be gone.
    pub(crate) fn is_gone(&self) -> bool {
        self.gone_at().is_some_and(|at| at.elapsed() < BACK_OFF)
    }
}

/// Waits no longer than until this moment.
///
/// # Errors
/// [`DatabaseUnavailable`](duet_model::Code::DatabaseUnavailable) from then on.
pub(crate) async fn until<T>(end: Option<Instant>, work: impl Future<Output = T>) -> Result<T> {
    let Some(end) = end else { return Ok(work.await) };
    let ended = tokio::time::timeout_at(end.into(), work).await;
    ended.map_err(|_| unavailable("the server gave no sign of life within connect_timeout"))
}
