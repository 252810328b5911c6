//! The login that an application declares: a client's id and secret in a JSON body, and the token in a header, which
//! requests send it back in.

use std::sync::Arc;

use duet_auth::oauth::{OAuthError, TokenResponse};
use duet_service::definition::Login;
use duet_service::{Auth, Snapshot};
use hyper::header::{HeaderName, HeaderValue};
use hyper::{Method, StatusCode};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use crate::arrived::Arrived;
use crate::declared_login::at;
use crate::methods::Methods;
use crate::refusal::Refusal;
use crate::reply::Reply;
use crate::token;

/// The form that the token endpoint takes, with its media type.
const FORM: &[u8] = b"application/x-www-form-urlencoded";

/// Answers a login.
///
/// # Errors
/// Another method than POST.
pub(crate) async fn login(
    arrived: &Arrived,
    auth: &Auth,
    snapshot: &Arc<Snapshot>,
) -> Result<Reply, Refusal> {
    let request = &arrived.request;
    if *request.method() != Method::POST {
        return Err(Refusal::method(Methods::POST));
    }
    let Some(login) = at(snapshot, request.uri().path()) else {
        return Err(duet_service::Service::nothing_here().into());
    };
    let granted = async {
        let body = token::body(&arrived.worker, request).await?;
        let form = form(&body, login)?;
        token::granted(&arrived.worker, auth, (&[], Some(FORM), form.as_bytes()))
    };
    token::answer(arrived, granted.await, |granted| reply(login, granted)).await
}

/// The credentials of a body, as the form of the token endpoint.
fn form(body: &[u8], login: &Login) -> Result<String, OAuthError> {
    let given: Value = serde_json::from_slice(body).unwrap_or_default();
    let text = |member: &str| {
        let text = given.get(member).and_then(Value::as_str);
        text.map(|text| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string())
    };
    match (text(&login.client), text(&login.secret)) {
        (Some(id), Some(secret)) => {
            Ok(format!("grant_type=client_credentials&client_id={id}&client_secret={secret}"))
        }
        _ => Err(OAuthError::invalid_request(
            "The body must be a JSON object with the client's id and secret, as the texts that the login declares",
        )),
    }
}

fn reply(login: &Login, granted: &TokenResponse) -> Reply {
    let status = StatusCode::from_u16(login.status).unwrap_or(StatusCode::OK);
    let reply = Reply { status, ..Reply::json(granted.body()) };
    let name = HeaderName::from_bytes(login.header.as_bytes());
    match (name, HeaderValue::from_str(granted.access_token())) {
        (Ok(name), Ok(token)) => reply.with(name, token),
        _ => reply,
    }
}
