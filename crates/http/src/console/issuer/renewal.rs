//! Sessions of an issuer's people that go on: before its access token expires, a session gets another one by the refresh token
//! that the issuer has given (RFC 6749 §6), until the console's own limit.
//!
//! The refresh token is in a second cookie, which scripts cannot read, sealed by the server's keys, so that the browser does
//! not know it either. Nothing is stored in the server but the answers of the last minute: several requests of a browser come
//! with the same refresh token, and an issuer may take each only once.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use duet_auth::TokenError;
use serde_json::Value;

use super::tokens::{TokenFailure, tokens};
use crate::console::cookies::COOKIE_ROOM;
use crate::console::cookies::renewal::{Renewal, SessionEnd, issuer_auth, name_of};
use crate::console::session::{Session, end};
use crate::options::console::{ConsoleOptions, IssuerLogin};
use crate::request::arrived::ArrivedRequest;
use crate::request::principal::now;

/// Seconds before the end of an access token when it is replaced.
const AHEAD: u64 = 60;

/// Who asks, after what could be renewed was.
pub(in crate::console) struct RenewedSession {
    pub(in crate::console) session: Option<Session>,
    /// Why there is none any more.
    pub(in crate::console) end: Option<SessionEnd>,
    /// Whether there is none because the issuer does not answer: asked again, it may.
    pub(in crate::console) waits: bool,
}

impl RenewedSession {
    /// A session as it was, or none.
    pub(in crate::console) fn of(session: Option<Session>) -> Self {
        Self { session, end: None, waits: false }
    }
}

/// The session of a request, renewed where that is due.
pub(in crate::console) async fn session(
    arrived: &ArrivedRequest,
    options: &ConsoleOptions,
) -> RenewedSession {
    let session = Session::of(arrived);
    let Some(login) = options.login.as_deref() else { return RenewedSession::of(session) };
    let Some(renewal) = Renewal::of(arrived) else { return RenewedSession::of(session) };
    let ended = |end| RenewedSession { end: Some(end), ..RenewedSession::of(None) };
    if renewal.is_over(now()) {
        return ended(SessionEnd::Limit);
    }
    let is_due = session.as_ref().is_none_or(|it| expires(it.token()) <= now() + AHEAD);
    if !is_due {
        return RenewedSession::of(session);
    }
    let renewals = &arrived.worker.shared.renewals;
    let asks = answer(login, &renewal.refresh);
    let answer = renewals.once(&renewal.refresh, |answer| is_good(answer, now()), asks).await;
    let waits = answer.is_err();
    let answer = answer.ok().flatten();
    if let (Some(answer), Some(auth)) = (&answer, issuer_auth(arrived))
        && let Some(issuer) = auth.issuer()
    {
        for token in [&answer["access_token"], &answer["id_token"]] {
            issuer.keys_for(token.as_str().unwrap_or_default(), now()).await;
        }
    }
    let is_same = |answer: &Arc<Value>| is_of_same_person(arrived, login, &renewal, answer);
    let renewed = match answer.as_ref().map(is_same).transpose() {
        Ok(is_same) => answer
            .filter(|_| is_same == Some(true))
            .and_then(|answer| renewed(&renewal, arrived, &answer)),
        Err(why) => {
            tracing::warn!("a session of the console is ended: {why}");
            if let Some(auth) = issuer_auth(arrived) {
                end(arrived, &auth, renewal.id).await;
            }
            return ended(SessionEnd::Issuer);
        }
    };
    match (renewed, session) {
        (Some(renewed), _) => RenewedSession::of(Some(renewed)),
        // It may have been renewed by another process, whose cookies are on their way.
        (None, Some(good)) => RenewedSession::of(Some(good.without_cookies())),
        (None, None) if waits => RenewedSession { waits, ..RenewedSession::of(None) },
        (None, None) => ended(SessionEnd::Issuer),
    }
}

/// What the issuer answers to a refresh token; `None` where it gives no token.
///
/// # Errors
/// Where it does not answer.
async fn answer(login: &IssuerLogin, refresh: &str) -> Result<Option<Value>, IssuerSilence> {
    let form = [("grant_type", "refresh_token"), ("refresh_token", refresh)];
    let failure = match tokens(login, &form).await {
        Ok(answer) => return Ok(Some(answer).filter(|answer| answer["access_token"].is_string())),
        Err(failure) => failure,
    };
    tracing::info!("a session of the console is not renewed: {failure}");
    match failure {
        TokenFailure::Refused(_) => Ok(None),
        TokenFailure::Unanswered(_) => Err(IssuerSilence),
    }
}

/// The issuer does not answer; the log says why.
struct IssuerSilence;

/// Whether the token of an answer has not expired.
fn is_good(answer: &Value, now: u64) -> bool {
    answer["access_token"].as_str().is_some_and(|token| expires(token) > now)
}

/// The session with what the issuer has answered.
fn renewed(renewal: &Renewal, arrived: &ArrivedRequest, answer: &Value) -> Option<Session> {
    let token = answer["access_token"].as_str().filter(|it| it.len() <= COOKIE_ROOM)?;
    // An issuer that rotates refresh tokens gives the next one.
    let refresh = answer["refresh_token"].as_str().unwrap_or(&renewal.refresh).to_owned();
    let next = renewal.with(refresh);
    next.sealed(arrived)?;
    let session = Session::renewed(arrived, token, next)?;
    (name_of(session.principal()) == renewal.who).then_some(session)
}

/// Checks the `id_token` that an issuer may give with the next access token: another person must not go on with the session
/// (OpenID Connect Core 1.0 §12.2). False where its key is not known yet.
///
/// # Errors
/// Why the session must not go on.
fn is_of_same_person(
    arrived: &ArrivedRequest,
    login: &IssuerLogin,
    renewal: &Renewal,
    answer: &Value,
) -> Result<bool, String> {
    let token = match &answer["id_token"] {
        Value::Null => return Ok(true),
        token => token.as_str().ok_or("The issuer's `id_token` is no text.")?,
    };
    let auth = issuer_auth(arrived).ok_or("No issuer of tokens is known.")?;
    let issuer = auth.issuer().ok_or("No issuer of tokens is known.")?;
    let before = renewal.signed_in();
    let checked = issuer.verify_renewed_id_token(token, &login.client, &before, now());
    match checked {
        Ok(()) => Ok(true),
        Err(TokenError::UnknownKey) => Ok(false),
        Err(TokenError::MissingClaim) => Err(
            "The `id_token` of its renewal lacks `iat`, or names another person (`sub`) or sign-in (`nonce`, `azp`)."
                .to_owned(),
        ),
        Err(other) => {
            Err(format!("The `id_token` of its renewal is refused: {}.", other.description_of_id_token()))
        }
    }
}

/// When a token expires, in seconds since 1970, as it says itself; it was verified. Never, where it does not say.
fn expires(token: &str) -> u64 {
    let claims = token.split('.').nth(1).and_then(|part| URL_SAFE_NO_PAD.decode(part).ok());
    let claims: Value = claims.and_then(|it| serde_json::from_slice(&it).ok()).unwrap_or_default();
    claims["exp"].as_u64().unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_say_when_they_expire() {
        let claims = URL_SAFE_NO_PAD.encode(r#"{"exp": 7}"#);
        assert_eq!(expires(&format!("a.{claims}.c")), 7);
        assert_eq!(expires("no token"), u64::MAX);
        let answer = serde_json::json!({ "access_token": format!("a.{claims}.c") });
        assert!(is_good(&answer, 6) && !is_good(&answer, 7));
    }
}
