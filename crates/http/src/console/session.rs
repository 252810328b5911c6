//! Sessions of browsers: a cookie that holds the token of the client which has signed in.
//!
//! Only pages of the console take it, and only over the connection's own site. Nothing is stored in the server, so every
//! worker and instance knows a session, and a client that is removed has none any more: the token is verified at each
//! request. It ends with the token, unless an issuer renews that, and where no page is asked for in half an hour.

use std::sync::Arc;

use duet_auth::{Decision, Principal};
use hyper::header::{HOST, HeaderName, ORIGIN};

use super::cookies::{cookie_of, name, renewal_cookie_name, set};
use super::renewal_cookie::Renewal;
use crate::answer::refusal::Refusal;
use crate::request::arrived::ArrivedRequest;
use crate::request::principal::now;

/// Seconds after which an idle session ends.
const IDLE: u32 = 30 * 60;

/// A caller who has signed in.
pub(super) struct Session {
    token: String,
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
    /// The session of a request, if its cookie holds a token that is good.
    pub(super) fn of(arrived: &ArrivedRequest) -> Option<Self> {
        let token = cookie_of(arrived, name(arrived))?;
        Self::with(arrived, token, Renewal::of(arrived))
    }

    /// The session that a token begins, or goes on with.
    pub(super) fn with(
        arrived: &ArrivedRequest,
        token: &str,
        renewal: Option<Renewal>,
    ) -> Option<Self> {
        let auths = arrived.worker.shared.applications.auths();
        let who = auths.iter().find_map(|auth| auth.verify(token, now()).ok())?;
        // Forms of a page that was open while the session was renewed are still its own.
        let own = renewal.as_ref().map_or(token, |renewal| &renewal.id);
        let csrf = blake3::derive_key("duet console: forms of a session", own.as_bytes());
        Some(Self {
            token: token.to_owned(),
            client: shown_name(&who),
            is_admin: duet_auth::admin(&who) == Decision::Allow,
            who,
            renewal,
            sets_cookies: true,
            csrf: csrf.iter().map(|byte| format!("{byte:02x}")).collect(),
        })
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

    /// The cookies, which an idle browser forgets: the token, and what renews it.
    pub(super) fn cookies(&self, arrived: &ArrivedRequest) -> [String; 2] {
        let sealed = self.renewal.as_ref().and_then(|renewal| renewal.sealed(arrived));
        let seconds = if sealed.is_some() { IDLE } else { 0 };
        let renewal =
            set(arrived, renewal_cookie_name(arrived), &sealed.unwrap_or_default(), seconds);
        [set(arrived, name(arrived), &self.token, IDLE), renewal]
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
