//! What an issuer's token endpoint gives: for the code of a sign-in, and for a refresh token.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use duet_console::address::encoded;
use http_body_util::Full;
use hyper::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use hyper::{Request, StatusCode};
use serde_json::Value;

use crate::options::console::IssuerLogin;
use crate::sockets::outbound;

/// Bytes of an answer of the issuer at most.
const ANSWER: usize = 64 * 1024;
/// Why an issuer gives nothing, in words.
#[derive(Debug)]
pub(super) enum TokenFailure {
    /// It refuses: asked again, it would refuse again.
    Refused(String),
    /// It does not answer, or says that something is wrong with itself.
    Unanswered(String),
}

impl fmt::Display for TokenFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Refused(why) | Self::Unanswered(why)) = self;
        f.write_str(why)
    }
}

/// What the issuer gives for a code, or for a refresh token.
///
/// # Errors
/// Why it gives nothing.
pub(super) async fn tokens(
    login: &IssuerLogin,
    pairs: &[(&str, &str)],
) -> Result<Value, TokenFailure> {
    let (status, answer) = asked(login, pairs).await.map_err(TokenFailure::Unanswered)?;
    if status == StatusCode::OK {
        return Ok(answer);
    }
    let error = answer["error"].as_str().unwrap_or("no `error`");
    let description = answer["error_description"].as_str().unwrap_or_default();
    let why = format!("The issuer gives no token ({status}, {error}). {description}");
    Err(match status.is_client_error() && status != StatusCode::TOO_MANY_REQUESTS {
        true => TokenFailure::Refused(why),
        false => TokenFailure::Unanswered(why),
    })
}

/// The issuer's answer to a form: an object, where it has the status 200.
async fn asked(login: &IssuerLogin, pairs: &[(&str, &str)]) -> Result<(StatusCode, Value), String> {
    let mut form = form_urlencoded::Serializer::new(String::new());
    form.extend_pairs(pairs).append_pair("client_id", &login.client);
    let mut request = Request::post(&login.token_url)
        .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
        .header(ACCEPT, "application/json");
    if let Some(secret) = &login.secret {
        // RFC 6749 §2.3.1: both are encoded as in a form.
        let pair = format!("{}:{}", encoded(&login.client), encoded(secret.expose()));
        request = request.header(AUTHORIZATION, format!("Basic {}", STANDARD.encode(pair)));
    }
    let body = Full::new(Bytes::from(form.finish()));
    let request = request.body(body).map_err(|error| error.to_string())?;
    let (status, body) = outbound::send(request, ANSWER).await.map_err(|why| {
        format!("The issuer does not answer at `console_login_token_url`: {why}.")
    })?;
    let answer: Value = serde_json::from_slice(&body).unwrap_or_default();
    match status == StatusCode::OK && !answer.is_object() {
        true => Err("The issuer's answer is no JSON object.".to_owned()),
        false => Ok((status, answer)),
    }
}
