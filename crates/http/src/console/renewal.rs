//! Sessions of an issuer's people that go on: before its access token expires, a session gets another one by the refresh token
//! that the issuer has given (RFC 6749 §6), until the console's own limit.
//!
//! The refresh token is in a second cookie, which scripts cannot read, sealed by the server's keys, so that the browser does
//! not know it either. Nothing is stored in the server but the answers of the last minute: several requests of a browser come
//! with the same refresh token, and an issuer may take each only once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use duet_auth::{Principal, Secret};
use duet_service::Auth;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::OnceCell;

use super::issuer_login;
use super::session::{self, COOKIE_ROOM, Session};
use crate::console_options::{ConsoleOptions, IssuerLogin};
use crate::request::arrived::ArrivedRequest;
use crate::request::principal::now;

/// Seconds after which a session ends, however it is renewed.
pub(super) const LONGEST: u64 = 12 * 60 * 60;
/// Seconds before the end of an access token when it is replaced.
const AHEAD: u64 = 60;
/// How long an answer of the issuer is kept for requests that come with the same refresh token.
const KEPT: Duration = Duration::from_secs(60);
/// What the second cookie is sealed for.
const PURPOSE: &str = "console: renewal of a session";

/// What renews a session.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Renewal {
    /// The refresh token.
    refresh: String,
    /// The session's own id, which stays: forms of its pages are known by it.
    pub(super) id: String,
    /// Whose session it is.
    who: String,
    /// When they signed in, in seconds since 1970.
    since: u64,
}

/// Why a session has ended that could be renewed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SessionEnd {
    /// It is as old as a session may be.
    Limit,
    /// The issuer has not renewed it.
    Issuer,
}

/// The ends of sessions: as addresses have them, and what people read.
const ENDS: [(SessionEnd, &str, &str); 2] = [
    (
        SessionEnd::Limit,
        "limit",
        "A session ends 12 hours after its sign-in. Sign in again: what you typed is kept.",
    ),
    (
        SessionEnd::Issuer,
        "issuer",
        "The issuer has not renewed your session, so it has ended. Sign in again: what you typed is kept.",
    ),
];

impl SessionEnd {
    /// What an address has for it.
    pub(super) fn name(self) -> &'static str {
        ENDS.iter().find(|(end, ..)| *end == self).map_or("", |(_, name, _)| name)
    }

    /// What people read where an address has this.
    pub(super) fn text(name: &str) -> Option<&'static str> {
        ENDS.iter().find(|(_, known, _)| *known == name).map(|(.., text)| *text)
    }
}

/// Who asks, after what could be renewed was.
pub(super) struct RenewedSession {
    pub(super) session: Option<Session>,
    /// Why there is none any more.
    pub(super) end: Option<SessionEnd>,
}

impl Renewal {
    /// What a sign-in begins with; `None` where the issuer gave no refresh token, or one that no cookie has room for.
    pub(super) fn begun(arrived: &ArrivedRequest, answer: &Value, who: &Principal) -> Option<Self> {
        let refresh = answer["refresh_token"].as_str()?.to_owned();
        let id = Secret::random().ok()?.expose().to_owned();
        let renewal = Self { refresh, id, who: name_of(who), since: now() };
        renewal.sealed(arrived).is_some().then_some(renewal)
    }

    /// That of a request's cookie.
    pub(super) fn of(arrived: &ArrivedRequest) -> Option<Self> {
        let sealed = session::cookie_of(arrived, session::renewal_cookie_name(arrived))?;
        let auth = issuer_auth(arrived)?;
        let text = auth.table().open_text(PURPOSE, sealed, now())?;
        serde_json::from_str(&text).ok()
    }

    /// As the cookie has it.
    pub(super) fn sealed(&self, arrived: &ArrivedRequest) -> Option<String> {
        let text = serde_json::to_string(self).ok()?;
        let sealed = issuer_auth(arrived)?.table().seal_text(PURPOSE, &text, now()).ok()?;
        (sealed.len() <= COOKIE_ROOM).then_some(sealed)
    }

    fn is_over(&self, now: u64) -> bool {
        now.saturating_sub(self.since) >= LONGEST
    }

    /// The session with what the issuer has answered.
    fn renewed(&self, arrived: &ArrivedRequest, answer: &Value) -> Option<Session> {
        let token = answer["access_token"].as_str().filter(|it| it.len() <= COOKIE_ROOM)?;
        // An issuer that rotates refresh tokens gives the next one.
        let refresh = answer["refresh_token"].as_str().unwrap_or(&self.refresh).to_owned();
        let next = Self { refresh, ..self.clone() };
        next.sealed(arrived)?;
        let session = Session::with(arrived, token, Some(next))?;
        (name_of(session.principal()) == self.who).then_some(session)
    }
}

/// Whose session it is: another one's token must not go on with it.
fn name_of(who: &Principal) -> String {
    format!("{} {}", who.client_id().unwrap_or_default(), who.name())
}

/// The clients beside which the issuer's people are taken.
fn issuer_auth(arrived: &ArrivedRequest) -> Option<Arc<Auth>> {
    let auths = arrived.worker.shared.applications.auths();
    auths.into_iter().find(|auth| auth.issuer().is_some()).map(Arc::clone)
}

/// The session of a request, renewed where that is due.
pub(super) async fn session(arrived: &ArrivedRequest, options: &ConsoleOptions) -> RenewedSession {
    let session = Session::of(arrived);
    let as_it_was = |session| RenewedSession { session, end: None };
    let Some(login) = options.login.as_deref() else { return as_it_was(session) };
    let Some(renewal) = Renewal::of(arrived) else { return as_it_was(session) };
    let ended = |end| RenewedSession { session: None, end: Some(end) };
    if renewal.is_over(now()) {
        return ended(SessionEnd::Limit);
    }
    let is_due = session.as_ref().is_none_or(|it| expires(it.token()) <= now() + AHEAD);
    if !is_due {
        return as_it_was(session);
    }
    let answer = arrived.worker.shared.renewals.ask(login, &renewal.refresh).await;
    match (answer.and_then(|answer| renewal.renewed(arrived, &answer)), session) {
        (Some(renewed), _) => as_it_was(Some(renewed)),
        // It may have been renewed by another process, whose cookie is on its way.
        (None, Some(good)) => as_it_was(Some(good)),
        (None, None) => ended(SessionEnd::Issuer),
    }
}

/// When a token expires, in seconds since 1970, as it says itself; it was verified. Never, where it does not say.
fn expires(token: &str) -> u64 {
    let claims = token.split('.').nth(1).and_then(|part| URL_SAFE_NO_PAD.decode(part).ok());
    let claims: Value = claims.and_then(|it| serde_json::from_slice(&it).ok()).unwrap_or_default();
    claims["exp"].as_u64().unwrap_or(u64::MAX)
}

/// The issuer's answer for one refresh token, asked for once.
type Answer = Arc<OnceCell<Option<Arc<Value>>>>;

/// The issuer's answers of the last minute, by the hash of the refresh token.
#[derive(Debug, Default)]
pub(crate) struct Renewals(Mutex<HashMap<blake3::Hash, (Instant, Answer)>>);

impl Renewals {
    /// What the issuer answers to a refresh token; `None` where it gives no token.
    async fn ask(&self, login: &IssuerLogin, refresh: &str) -> Option<Arc<Value>> {
        let answer = self.of(blake3::hash(refresh.as_bytes()));
        let asked = answer.get_or_init(|| async {
            let form = [("grant_type", "refresh_token"), ("refresh_token", refresh)];
            match issuer_login::tokens(login, &form).await {
                Ok(answer) => Some(Arc::new(answer)),
                Err(why) => {
                    tracing::info!("a session of the console is not renewed: {why}");
                    None
                }
            }
        });
        asked.await.clone()
    }

    fn of(&self, key: blake3::Hash) -> Answer {
        let mut answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        answers.retain(|_, (begun, _)| begun.elapsed() < KEPT);
        Arc::clone(&answers.entry(key).or_insert_with(|| (Instant::now(), Answer::default())).1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_over_after_its_limit() {
        let text = || String::new();
        let renewal = Renewal { refresh: text(), id: text(), who: text(), since: 1_000 };
        assert!(!renewal.is_over(1_000 + LONGEST - 1) && renewal.is_over(1_000 + LONGEST));
        assert!(!renewal.is_over(0));
    }

    #[test]
    fn ends_have_texts() {
        for end in [SessionEnd::Limit, SessionEnd::Issuer] {
            assert!(
                SessionEnd::text(end.name()).is_some_and(|text| text.contains("Sign in again"))
            );
        }
        assert_eq!(SessionEnd::text("<b>"), None);
    }

    #[test]
    fn tokens_say_when_they_expire() {
        let claims = URL_SAFE_NO_PAD.encode(r#"{"exp": 7}"#);
        assert_eq!(expires(&format!("a.{claims}.c")), 7);
        assert_eq!(expires("no token"), u64::MAX);
    }

    #[test]
    fn one_answer_serves_all_requests_with_a_token() {
        let renewals = Renewals::default();
        let key = |text: &str| blake3::hash(text.as_bytes());
        let (one, same, other) =
            (renewals.of(key("a")), renewals.of(key("a")), renewals.of(key("b")));
        assert!(Arc::ptr_eq(&one, &same) && !Arc::ptr_eq(&one, &other));
    }
}
