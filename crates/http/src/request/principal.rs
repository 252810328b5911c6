//! The caller: the bearer token of a request, checked without a query.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use duet_auth::bearer::{self, Challenge};
use duet_auth::{Peer, Principal, RateLimiter, TokenError};
use duet_model::{Code, Error};
use duet_service::Auth;
use hyper::HeaderMap;
use hyper::header::AUTHORIZATION;

use crate::answer::refusal::Refusal;

/// Seconds since the Unix epoch. Read for each check: a cached clock has let expired tokens pass
/// elsewhere.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |passed| passed.as_secs())
}

/// The principal of a request. Without a token it is anonymous; a token that is not good is
/// refused even where everybody may read. `own` is the one in the header of the application's login, which counts
/// without `Authorization`.
pub(crate) fn principal(
    headers: &HeaderMap,
    own: Option<&[u8]>,
    auth: &Auth,
    peer: Peer,
    limiter: &RateLimiter,
) -> Result<Arc<Principal>, Refusal> {
    let values = headers.get_all(AUTHORIZATION);
    let token = match bearer::token(values.iter().map(hyper::header::HeaderValue::as_bytes)) {
        Ok(None) => match own.map(str::from_utf8) {
            None => return Ok(Arc::clone(auth.anonymous())),
            Some(token) => token.unwrap_or_default(),
        },
        Ok(Some(token)) => token,
        Err(error) => {
            let code = if error.status() == 400 { Code::BadRequest } else { Code::Unauthorized };
            let message = format!("{}.", error.description());
            return Err(Refusal::challenging(Error::new(code, message), Challenge::from(error)));
        }
    };
    let now = now();
    auth.verify(token, now).map_err(|error| {
        if error.is_suspicious()
            && let Err(seconds) = limiter.take(peer, now)
        {
            let message = "Too many wrong tokens came from this address. Try again later.";
            let error = Error::new(Code::TooManyRequests, message).retry_after(seconds);
            return Refusal::from(error);
        }
        match error {
            // The token may be valid: the server cannot verify it now.
            TokenError::NoKeys => Refusal::from(Error::from(error)),
            _ if auth.issuer().is_some() && duet_auth::jwt::has_form(token) => {
                Refusal::challenging(error.of_jwt(), Challenge::InvalidJwt(error))
            }
            _ => Refusal::challenging(Error::from(error), Challenge::Invalid(error)),
        }
    })
}
