//! The token endpoint as a function: a request in, a token or an error of RFC 6749 §5.2 out.
//!
//! Client credentials is the only grant (RFC 6749 §4.4). A client sends its id and secret in a
//! `Basic` header or in the form, not in both. Parameters in the URL are ignored, because URLs are
//! logged.
//!
//! A token carries all roles of its client. `scope` may name roles that the client has; the response
//! then lists the roles that the token carries, as RFC 6749 §3.3 requires.

mod attempts;
mod code_challenge;
mod credentials;
mod error;
mod form;

use std::fmt;
use std::sync::Arc;

use serde::Serialize;

pub use attempts::FailedLogins;
pub use code_challenge::code_challenge;
pub use error::{ErrorCode, OAuthError};

use crate::client_table::ClientTable;
use crate::principal::Principal;
use form::FormBody;
pub use form::MAX_BODY_BYTES;

/// Headers of every response of the token endpoint (RFC 6749 §5.1).
pub const NO_STORE: [(&str, &str); 2] = [("cache-control", "no-store"), ("pragma", "no-cache")];

/// The parts of a POST request that the token endpoint needs.
#[derive(Clone, Copy)]
pub struct TokenRequest<'a> {
    /// All values of the `Authorization` header.
    pub authorization: &'a [&'a [u8]],
    /// The `Content-Type` header.
    pub content_type: Option<&'a [u8]>,
    /// The body; of a larger one, the first [`MAX_BODY_BYTES`] + 1 bytes.
    pub body: &'a [u8],
}

impl fmt::Debug for TokenRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenRequest(…)")
    }
}

/// A granted token.
#[derive(Clone)]
pub struct TokenResponse {
    access_token: String,
    expires_in: u64,
    scope: Option<String>,
    principal: Arc<Principal>,
}

/// The members of the JSON body, in output order.
#[derive(Serialize)]
struct Body<'a> {
    access_token: &'a str,
    token_type: &'static str,
    expires_in: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<&'a str>,
}

impl TokenResponse {
    /// The token.
    pub fn access_token(&self) -> &str {
        &self.access_token
    }

    /// Seconds until the token expires.
    pub fn expires_in(&self) -> u64 {
        self.expires_in
    }

    /// The client, for the log.
    pub fn principal(&self) -> &Arc<Principal> {
        &self.principal
    }

    /// The JSON body, for status 200 and `application/json`.
    pub fn body(&self) -> Vec<u8> {
        let body = Body {
            access_token: &self.access_token,
            token_type: "bearer",
            expires_in: self.expires_in,
            scope: self.scope.as_deref(),
        };
        error::json(&body)
    }
}

impl fmt::Debug for TokenResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TokenResponse(…, {} s, {})", self.expires_in, self.principal.name())
    }
}

/// Handles a token request.
///
/// # Errors
/// The error of RFC 6749 §5.2.
pub fn grant(
    request: &TokenRequest<'_>,
    clients: &ClientTable,
    now: u64,
    lifetime: u32,
) -> Result<TokenResponse, OAuthError> {
    let form = FormBody::parse(request.content_type, request.body)?;
    check_grant_type(form.get("grant_type"))?;
    let principal = credentials::authenticate(request.authorization, &form, clients)?;
    let scope = form.get("scope").map(|requested| scope(requested, principal)).transpose()?;
    let token = clients.issue(principal, now, lifetime).map_err(OAuthError::server)?;
    Ok(TokenResponse {
        access_token: token.text,
        expires_in: token.expires_in,
        scope,
        principal: Arc::clone(principal),
    })
}

fn check_grant_type(grant_type: Option<&str>) -> Result<(), OAuthError> {
    match grant_type {
        Some("client_credentials") => Ok(()),
        Some(_) => Err(OAuthError::new(
            ErrorCode::UnsupportedGrantType,
            "The only grant_type here is client_credentials",
        )),
        None => Err(OAuthError::invalid_request(
            "The form needs the parameter grant_type=client_credentials",
        )),
    }
}

/// Checks the requested scope and returns the scope of the token.
fn scope(requested: &str, principal: &Principal) -> Result<String, OAuthError> {
    let has = |role: &str| principal.role_names().iter().any(|name| name == role);
    if requested.split(' ').filter(|role| !role.is_empty()).all(has) {
        return Ok(principal.role_names().join(" "));
    }
    let description = "The scope names a role that the client does not have";
    Err(OAuthError::new(ErrorCode::InvalidScope, description))
}

#[cfg(test)]
mod tests;
