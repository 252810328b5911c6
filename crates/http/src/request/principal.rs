//! The caller: the credential of a request, checked without a query.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use duet_auth::bearer::{Challenge, HeaderError};
use duet_auth::{Peer, Principal, RateLimiter, TokenError};
use duet_model::{Code, Error};
use duet_service::Auth;

use super::credential::Credential;
use crate::answer::refusal::Refusal;

/// Seconds since the Unix epoch. Read for each check: a cached clock has let expired tokens pass
/// elsewhere.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |passed| passed.as_secs())
}

/// Whether a token whose key is not known is looked at again, when the keys of its issuer were fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyWait {
    /// It is: this refusal is not the last word.
    Ahead,
    /// It is not.
    Over,
}

impl KeyWait {
    /// Whether what was refused is to be looked at again.
    pub(crate) fn allows(self, refused: &Refusal) -> bool {
        let is_unknown = Some(Challenge::InvalidJwt(TokenError::UnknownKey));
        self == Self::Ahead && refused.challenge == is_unknown
    }
}

/// The principal of a request. Without a credential it is anonymous; one that is not good is
/// refused even where everybody may read.
pub(crate) fn principal(
    credential: Result<Credential<'_>, HeaderError>,
    auth: &Auth,
    peer: Peer,
    limiter: &RateLimiter,
    keys: KeyWait,
) -> Result<Arc<Principal>, Refusal> {
    let credential = credential.map_err(|error| {
        let code = if error.status() == 400 { Code::BadRequest } else { Code::Unauthorized };
        let message = format!("{}.", error.description());
        Refusal::challenging(Error::new(code, message), Challenge::from(error))
    })?;
    let now = now();
    let who = credential.verify(auth, now).map_err(|error| {
        let is_looked_at_again = keys == KeyWait::Ahead && error == TokenError::UnknownKey;
        if error.is_suspicious()
            && !is_looked_at_again
            && let Err(seconds) = limiter.take(peer, now)
        {
            let message = "Too many wrong tokens came from this address. Try again later.";
            let error = Error::new(Code::TooManyRequests, message).retry_after(seconds);
            return Refusal::from(error);
        }
        match error {
            // The token may be valid: the server cannot verify it now.
            TokenError::NoKeys => Refusal::from(Error::from(error)),
            _ if credential.is_jwt_for(auth) => {
                Refusal::challenging(error.of_jwt(), Challenge::InvalidJwt(error))
            }
            _ => Refusal::challenging(Error::from(error), Challenge::Invalid(error)),
        }
    })?;
    Ok(who.unwrap_or_else(|| Arc::clone(auth.anonymous())))
}
