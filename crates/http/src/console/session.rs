//! Sessions of browsers: a cookie with the session's id and the token of the client which has signed in, sealed by the
//! server's keys, so that it is no token itself.
//!
//! Only pages of the console take it, and only over the connection's own site. Every worker, instance and server opens it with
//! the keys that they share, and each page gives it again with the time. It ends where no page is asked for in half an hour,
//! with the token, unless an issuer renews that, with the client, and when its person signs out: the state keeps the ids of
//! ended sessions, so nothing is stored for those that go on.

use std::sync::Arc;

use duet_auth::{BrowserSession, Decision, Principal, SESSION_IDLE, SessionId};
use duet_service::Auth;
use hyper::header::{HOST, HeaderName, ORIGIN};

use super::cookies::renewal::{Renewal, has_ended};
use super::cookies::{SESSION_ROOM, cookie_of, name, renewal_cookie_name, set};
use crate::answer::refusal::Refusal;
use crate::processes::reports;
use crate::request::arrived::ArrivedRequest;
use crate::request::principal::now;

/// A caller who has signed in.
pub(super) struct Session {
    id: SessionId,
    token: String,
    /// The clients of which the caller is one; their keys seal the cookie.
    auth: Arc<Auth>,
    who: Arc<Principal>,
    client: String,
    csrf: String,
    is_admin: bool,
    /// What renews it, of people of an issuer.
    renewal: Option<Renewal>,
    /// Whether answers have its cookies.
    sets_cookies: bool,
}

impl Session {
    /// The session of a request, if its cookie is that of one that goes on, and its token is good.
    pub(super) fn of(arrived: &ArrivedRequest) -> Option<Self> {
        let sealed = cookie_of(arrived, name(arrived))?;
        let auths = arrived.worker.shared.applications.auths();
        let opened = auths.into_iter().find_map(|auth| {
            let session = auth.table().open_session(sealed, now())?;
            Some((Arc::clone(auth), auth.verify(&session.token, now()).ok()?, session))
        });
        let (auth, who, BrowserSession { id, token, .. }) = opened?;
        let renewal = Renewal::of(arrived).filter(|renewal| renewal.id == id);
        (!has_ended(arrived, id)).then(|| Self::new(id, token, auth, who).with_renewal(renewal))
    }

    /// The session that a token begins. None begins with an API key.
    pub(super) fn begun(arrived: &ArrivedRequest, token: &str) -> Option<Self> {
        Self::with(arrived, token, SessionId::random().ok()?)
    }

    /// The session that goes on with the next token.
    pub(super) fn renewed(arrived: &ArrivedRequest, token: &str, renewal: Renewal) -> Option<Self> {
        Some(Self::with(arrived, token, renewal.id)?.with_renewal(Some(renewal)))
    }

    fn with(arrived: &ArrivedRequest, token: &str, id: SessionId) -> Option<Self> {
        let auths = arrived.worker.shared.applications.auths();
        let verified = |auth: &Arc<Auth>| {
            let who = auth.verify(token, now()).ok()?;
            let is_key = who.client_id().is_some_and(|id| auth.table().api_key(id).is_some());
            (!is_key).then(|| (Arc::clone(auth), who))
        };
        let (auth, who) = auths.into_iter().find_map(verified)?;
        Some(Self::new(id, token.to_owned(), auth, who))
    }

    fn new(id: SessionId, token: String, auth: Arc<Auth>, who: Arc<Principal>) -> Self {
        // Forms of a page that was open while the session was renewed are still its own.
        let own = id.to_string();
        let csrf = blake3::derive_key("duet console: forms of a session", own.as_bytes());
        Self {
            id,
            token,
            auth,
            client: shown_name(&who),
            is_admin: duet_auth::admin(&who) == Decision::Allow,
            who,
            renewal: None,
            sets_cookies: true,
            csrf: csrf.iter().map(|byte| format!("{byte:02x}")).collect(),
        }
    }

    /// The same with what renews it.
    pub(super) fn with_renewal(self, renewal: Option<Renewal>) -> Self {
        Self { renewal, ..self }
    }

    /// Its id.
    pub(super) fn id(&self) -> SessionId {
        self.id
    }

    /// Ends it: in this process and those beside it at once, at other servers when they read the state again.
    pub(super) async fn end(&self, arrived: &ArrivedRequest) {
        end(arrived, &self.auth, self.id).await;
    }

    /// The bearer token.
    pub(super) fn token(&self) -> &str {
        &self.token
    }

    /// Who it is.
    pub(super) fn principal(&self) -> &Principal {
        &self.who
    }

    /// What the client is called.
    pub(super) fn client(&self) -> &str {
        &self.client
    }

    /// Whether the client may see how the server does.
    pub(super) fn is_admin(&self) -> bool {
        self.is_admin
    }

    /// What the forms of its pages carry.
    pub(super) fn csrf(&self) -> &str {
        &self.csrf
    }

    /// Whether a form is of this session. In constant time.
    pub(super) fn has_made(&self, csrf: &str) -> bool {
        let [own, sent] = [&*self.csrf, csrf].map(|text| blake3::hash(text.as_bytes()));
        // blake3 compares hashes in constant time.
        own == sent
    }

    /// The same, whose cookies stay as the browser has them.
    pub(super) fn without_cookies(self) -> Self {
        Self { sets_cookies: false, ..self }
    }

    /// Whether answers have its cookies.
    pub(super) fn sets_cookies(&self) -> bool {
        self.sets_cookies
    }

    /// The cookies, which an idle browser forgets: that of the session, and what renews it. `None` where a cookie has no
    /// room for the token.
    pub(super) fn cookies(&self, arrived: &ArrivedRequest) -> Option<[String; 2]> {
        let session = BrowserSession { id: self.id, used: now(), token: self.token.clone() };
        let sealed = self.auth.table().seal_session(&session, now()).ok()?;
        if sealed.len() > SESSION_ROOM {
            return None;
        }
        let renewal = self.renewal.as_ref().and_then(|renewal| renewal.sealed(arrived));
        let seconds = if renewal.is_some() { SESSION_IDLE } else { 0 };
        let renewal =
            set(arrived, renewal_cookie_name(arrived), &renewal.unwrap_or_default(), seconds);
        Some([set(arrived, name(arrived), &sealed, SESSION_IDLE), renewal])
    }
}

/// A client's name, or its id.
fn shown_name(who: &Principal) -> String {
    match (who.name(), who.client_id()) {
        ("", Some(id)) => id.to_owned(),
        (name, _) => name.to_owned(),
    }
}

/// The cookies that end a session.
pub(super) fn ended(arrived: &ArrivedRequest) -> [String; 2] {
    [name(arrived), renewal_cookie_name(arrived)].map(|name| set(arrived, name, "", 0))
}

/// Whether a form was sent by a page of this server: browsers say so themselves, old ones by the page's origin.
///
/// # Errors
/// As [`crate::message::origin::seen`].
pub(super) fn is_from_here(arrived: &ArrivedRequest) -> Result<bool, Refusal> {
    let headers = arrived.request.headers();
    let text = |name: &HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(site) = text(&HeaderName::from_static("sec-fetch-site")) {
        return Ok(site == "same-origin");
    }
    let own = arrived.origin()?.to_string();
    Ok(text(&ORIGIN).is_some_and(|origin| origin.eq_ignore_ascii_case(&own)))
}

/// Whether a request names this machine itself.
pub(super) fn is_for_this_machine(arrived: &ArrivedRequest) -> bool {
    let headers = arrived.request.headers();
    let host = headers.get(HOST).and_then(|value| value.to_str().ok());
    let host = arrived
        .request
        .uri()
        .authority()
        .map(hyper::http::uri::Authority::as_str)
        .or(host)
        .unwrap_or_default();
    is_local(host)
}

fn is_local(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split_once(']').map_or("", |(name, _)| name),
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    };
    let is_loopback =
        |name: &str| name.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback());
    name.eq_ignore_ascii_case("localhost") || is_loopback(name)
}

/// Ends a session, of which no token need be known: in this process and those beside it at once, at other servers when they
/// read the state again.
pub(super) async fn end(arrived: &ArrivedRequest, auth: &Auth, id: SessionId) {
    let shared = &arrived.worker.shared;
    shared.ended_sessions.end(id, now());
    if let Err(why) = auth.end_session(id, now()).await {
        tracing::warn!("other servers are not told that a session of the console has ended: {why}");
    }
    reports::end_session(shared, id).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_this_machine() {
        for host in
            ["localhost", "LOCALHOST:8080", "127.0.0.1:1", "127.9.0.1", "[::1]:8080", "[::1]"]
        {
            assert!(is_local(host), "{host}");
        }
        for host in [
            "",
            "example.org",
            "localhost.example.org:80",
            "10.0.0.1",
            "[::2]:1",
            "127.0.0.1.example.org",
        ] {
            assert!(!is_local(host), "{host}");
        }
    }
}
