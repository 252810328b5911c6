//! What a request shows of its caller: a token or an API key, in one of the headers that may have them, or a link.

use std::sync::Arc;

use duet_auth::bearer::{self, HeaderError};
use duet_auth::{Principal, TokenError};
use duet_service::Auth;
use hyper::HeaderMap;
use hyper::header::{AUTHORIZATION, CACHE_CONTROL, HeaderName, HeaderValue, VARY};

/// The credential of a request.
#[derive(Clone, Copy)]
pub(crate) enum Credential<'r> {
    /// None: the caller is anonymous.
    None,
    /// A bearer token, which may be an API key.
    Token(&'r str),
    /// What must be an API key.
    ApiKey(&'r str),
    /// The token in the path of a link.
    Link(&'r str),
}

impl<'r> Credential<'r> {
    /// The credential of a request. Without `Authorization` the header of API keys counts, and then `login`, the token in
    /// the header of the application's login.
    ///
    /// # Errors
    /// If `Authorization` has no bearer token.
    pub(crate) fn of(
        headers: &'r HeaderMap,
        keys: Option<&HeaderName>,
        login: Option<&'r [u8]>,
    ) -> Result<Self, HeaderError> {
        let values = headers.get_all(AUTHORIZATION);
        if let Some(token) = bearer::token(values.iter().map(HeaderValue::as_bytes))? {
            return Ok(Self::Token(token));
        }
        let text = |bytes: &'r [u8]| str::from_utf8(bytes).unwrap_or_default();
        let key = keys.and_then(|name| headers.get(name));
        Ok(match (key, login) {
            (Some(key), _) => Self::ApiKey(text(key.as_bytes())),
            (None, Some(token)) => Self::Token(text(token)),
            (None, None) => Self::None,
        })
    }

    /// Whether a request has one, in the headers that all applications have.
    pub(crate) fn is_in(headers: &HeaderMap, keys: Option<&HeaderName>) -> bool {
        headers.contains_key(AUTHORIZATION) || keys.is_some_and(|name| headers.contains_key(name))
    }

    /// Tells shared caches that the header of API keys chooses the answer, if anything of the caller does. They know it
    /// of `Authorization` (RFC 9111 §3.5), and not of a header of ours.
    pub(crate) fn tell_caches(
        request: &HeaderMap,
        keys: &HeaderName,
        answer: &mut HeaderMap,
        varies: bool,
    ) {
        if varies {
            answer.append(VARY, HeaderValue::from(keys.clone()));
        }
        if request.contains_key(keys) && !answer.contains_key(CACHE_CONTROL) {
            answer.insert(CACHE_CONTROL, HeaderValue::from_static("private"));
        }
    }

    /// The caller; `None` for an anonymous one.
    ///
    /// # Errors
    /// Why the credential is not good.
    pub(crate) fn verify(
        self,
        auth: &Auth,
        now: u64,
    ) -> Result<Option<Arc<Principal>>, TokenError> {
        match self {
            Self::None => Ok(None),
            Self::Token(token) => auth.verify(token, now).map(Some),
            Self::ApiKey(key) => auth.verify_api_key(key, now).map(Some),
            Self::Link(token) => auth.verify_link(token, now).map(Some),
        }
    }

    /// Whether it is for the other issuer to judge.
    pub(crate) fn is_jwt_for(self, auth: &Auth) -> bool {
        matches!(self, Self::Token(token) if auth.issuer().is_some() && duet_auth::jwt::has_form(token))
    }
}
