//! The sessions of the console that were ended in this process or in one beside it. The state has them too where it outlives
//! the run, for other servers and later processes.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use duet_auth::{SESSION_IDLE, SessionId};

/// The sessions that were ended, and the second in which they would have ended by themselves.
#[derive(Debug, Default)]
pub(crate) struct EndedSessions(Mutex<HashMap<SessionId, u64>>);

impl EndedSessions {
    /// Ends one, and forgets those whose cookies have all ended by themselves.
    pub(crate) fn end(&self, id: SessionId, now: u64) {
        let mut ended = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        ended.retain(|_, until| now < *until);
        // Another process may have given its cookie again until it was told.
        ended.insert(id, now + 2 * u64::from(SESSION_IDLE));
    }

    /// Whether one was ended.
    pub(crate) fn has(&self, id: SessionId) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ended_sessions_are_forgotten_when_no_cookie_is_left() {
        let sessions = EndedSessions::default();
        let [one, other, never] = [(); 3].map(|()| SessionId::random().unwrap());
        let idle = u64::from(SESSION_IDLE);
        sessions.end(one, 100);
        sessions.end(other, 100 + idle);
        assert!(sessions.has(one) && sessions.has(other) && !sessions.has(never));
        sessions.end(never, 100 + 2 * idle);
        assert!(!sessions.has(one) && sessions.has(other));
    }
}
