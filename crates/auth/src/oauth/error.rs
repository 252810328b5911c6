//! Errors of the token endpoint (RFC 6749 §5.2) and their JSON.

use serde::Serialize;

use crate::rate::ShownId;

/// The error codes that a client may see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// A parameter is missing, repeated or malformed: 400.
    InvalidRequest,
    /// The client is unknown, or its secret is wrong or missing: 401.
    InvalidClient,
    /// A grant other than client credentials: 400.
    UnsupportedGrantType,
    /// A scope that the client does not have: 400.
    InvalidScope,
    /// Too many requests from this address: 429. RFC 6749 §5.2 has no code for it; this is the code of
    /// §4.1.2.1 for the same case.
    TemporarilyUnavailable,
    /// The server failed: 500. Also a code of §4.1.2.1.
    ServerError,
}

/// An error of the token endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OAuthError {
    /// The code.
    pub error: ErrorCode,
    /// What to do, in the characters that RFC 6749 allows. Never contains text of the request.
    pub description: &'static str,
    /// When to try again, in seconds, for `Retry-After`.
    pub retry_after: Option<u32>,
    /// The underlying error, for the log only.
    pub cause: Option<String>,
    /// The client id of a failed authentication.
    pub(super) shown: Option<ShownId>,
}

/// The members of the JSON body.
#[derive(Serialize)]
struct Body {
    error: ErrorCode,
    error_description: &'static str,
}

impl OAuthError {
    pub(super) fn new(error: ErrorCode, description: &'static str) -> Self {
        Self { error, description, retry_after: None, cause: None, shown: None }
    }

    /// The error of a request that lacks something, or has it in the wrong form.
    pub fn invalid_request(description: &'static str) -> Self {
        Self::new(ErrorCode::InvalidRequest, description)
    }

    pub(super) fn invalid_client(description: &'static str) -> Self {
        Self::new(ErrorCode::InvalidClient, description)
    }

    pub(super) fn server(error: duet_model::Error) -> Self {
        let description = "The server could not make a token: its log says why";
        let cause = Some(error.cause.map_or(error.message, String::from));
        Self { cause, ..Self::new(ErrorCode::ServerError, description) }
    }

    /// The error when the rate limit is exceeded.
    pub(super) fn too_many_requests(description: &'static str, retry_after: u32) -> Self {
        let error = Self::new(ErrorCode::TemporarilyUnavailable, description);
        Self { retry_after: Some(retry_after), ..error }
    }

    /// The error for a body larger than [`super::MAX_BODY_BYTES`].
    pub fn body_too_large() -> Self {
        Self::invalid_request("The body is too large for a token request")
    }

    /// The error for a body that did not arrive in time.
    pub fn body_too_slow() -> Self {
        Self::invalid_request("The body did not arrive in time")
    }

    /// The error for a truncated body, or one with wrong framing.
    pub fn body_broken_off() -> Self {
        Self::invalid_request("The body breaks off, or its length is not what the headers say")
    }

    /// The HTTP status.
    pub fn status(&self) -> u16 {
        match self.error {
            ErrorCode::InvalidClient => 401,
            ErrorCode::TemporarilyUnavailable => 429,
            ErrorCode::ServerError => 500,
            ErrorCode::InvalidRequest
            | ErrorCode::UnsupportedGrantType
            | ErrorCode::InvalidScope => 400,
        }
    }

    /// The `WWW-Authenticate` header, which every 401 has (RFC 9110 §15.5.2).
    pub fn www_authenticate(&self) -> Option<&'static str> {
        let challenge = r#"Basic realm="duet", charset="UTF-8""#;
        (self.error == ErrorCode::InvalidClient).then_some(challenge)
    }

    /// The JSON body, for `application/json`.
    pub fn body(&self) -> Vec<u8> {
        json(&Body { error: self.error, error_description: self.description })
    }
}

/// Serializes to JSON. Strings and numbers cannot fail; an empty body is still better than a panic.
pub(super) fn json(body: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(body).unwrap_or_default()
}
