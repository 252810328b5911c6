//! The token endpoint: `POST /oauth/token` and `POST {mount}/oauth/token` (RFC 6749 §4.4).

use duet_auth::oauth::{self, OAuthError, TokenRequest, TokenResponse};
use duet_model::Code;
use duet_service::Auth;
use hyper::body::Bytes;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue, WWW_AUTHENTICATE};
use hyper::{Method, StatusCode};

use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::message::media::JSON;
use crate::message::methods::Methods;
use crate::observe::event::Event;
use crate::request::arrived::ArrivedRequest;
use crate::request::principal::now;
use crate::worker::Worker;

/// Answers a token request for the clients of the process or of an application.
pub(crate) async fn token(arrived: &ArrivedRequest, auth: &Auth) -> Result<Reply, Refusal> {
    if arrived.request.method() != Method::POST {
        return Err(Refusal::method(Methods::POST));
    }
    let result = grant(arrived, auth).await;
    answer(arrived, result, |granted| Reply::json(granted.body())).await
}

/// Answers for the result of a login, and counts the refused ones.
pub(crate) async fn answer(
    arrived: &ArrivedRequest,
    result: Result<TokenResponse, OAuthError>,
    reply: impl FnOnce(&TokenResponse) -> Reply,
) -> Result<Reply, Refusal> {
    let ArrivedRequest { worker, remote, request, .. } = arrived;
    let peer = worker.peer(remote, request.headers());
    let failed = &worker.shared.failed_logins;
    let mut reply = match result.map_err(|error| failed.count(error, peer, now())) {
        Ok(granted) => {
            worker.events.emit(&Event::TokenIssued);
            reply(&granted)
        }
        Err(error) => {
            let (peer, status) = (remote.text.as_str(), error.status());
            let cause = error.cause.as_deref();
            worker.events.emit(&Event::LoginRefused { peer, status, cause });
            refused(&error)
        }
    };
    for (name, value) in oauth::NO_STORE {
        reply = reply.with(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    Ok(reply)
}

fn refused(error: &OAuthError) -> Reply {
    let status = StatusCode::from_u16(error.status()).unwrap_or(StatusCode::BAD_REQUEST);
    let mut reply = Reply::new(status, Some(JSON), error.body());
    if let Some(challenge) = error.www_authenticate() {
        reply = reply.with(WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
    }
    if let Some(seconds) = error.retry_after {
        reply = reply.retry_after(seconds);
    }
    reply
}

async fn grant(arrived: &ArrivedRequest, auth: &Auth) -> Result<TokenResponse, OAuthError> {
    let ArrivedRequest { worker, request, .. } = arrived;
    let body = body(arrived).await?;
    let headers = request.headers();
    let authorization: Vec<&[u8]> =
        headers.get_all(AUTHORIZATION).iter().map(HeaderValue::as_bytes).collect();
    let content_type = headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes);
    granted(worker, auth, &authorization, content_type, &body)
}

/// The body of a login.
pub(crate) async fn body(arrived: &ArrivedRequest) -> Result<Bytes, OAuthError> {
    let patience = arrived.worker.shared.options.limits.header_timeout;
    let body = arrived.request.body();
    let body = body.read(oauth::MAX_BODY_BYTES, patience, arrived.body_memory()).await;
    body.map_err(|error| match error.code {
        Code::BodyTimeout => OAuthError::body_too_slow(),
        Code::BodyTooLarge => OAuthError::body_too_large(),
        _ => OAuthError::body_broken_off(),
    })
}

/// A token for credentials: those in `Authorization`, or in a form with its media type.
pub(crate) fn granted(
    worker: &Worker,
    auth: &Auth,
    authorization: &[&[u8]],
    content_type: Option<&[u8]>,
    body: &[u8],
) -> Result<TokenResponse, OAuthError> {
    let request = TokenRequest { authorization, content_type, body };
    oauth::grant(&request, &auth.table(), now(), worker.shared.options.token_lifetime)
}
