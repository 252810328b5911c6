//! Counts failed logins by address and by client id.
//!
//! The secret is checked before the count: a correct secret always passes, even while an attacker
//! guesses from the same address or for the same client. A check is one hash of at most
//! [`super::MAX_BODY_BYTES`] bytes, which costs less than reading the request.

use super::error::{ErrorCode, OAuthError};
use crate::rate::{Peer, RateLimiter, RateSettings, ShownId};

/// Counts failed token requests.
#[derive(Debug)]
pub struct FailedLogins {
    peers: RateLimiter<Peer>,
    clients: RateLimiter<ShownId>,
}

impl FailedLogins {
    /// Uses the same limits for each address and for each client id.
    pub fn new(settings: RateSettings) -> Self {
        Self { peers: RateLimiter::new(settings), clients: RateLimiter::new(settings) }
    }

    /// Counts a failure and returns its response: the failure itself, or 429 after too many.
    #[must_use]
    pub fn count(&self, error: OAuthError, peer: Peer, now: u64) -> OAuthError {
        if error.error == ErrorCode::ServerError {
            return error;
        }
        // Both limiters count every failure, even if the first one already refuses.
        let by_peer = self.peers.take(peer, now);
        let by_client = error.shown.map_or(Ok(()), |id| self.clients.take(id, now));
        match (by_peer, by_client) {
            (Err(seconds), _) => OAuthError::too_many_requests(
                "Too many failed token requests from this address: try again later",
                seconds,
            ),
            (Ok(()), Err(seconds)) => OAuthError::too_many_requests(
                "Too many wrong secrets for this client: try again later",
                seconds,
            ),
            (Ok(()), Ok(())) => error,
        }
    }
}
