//! What renews the session of an issuer's person: the refresh token in a cookie of its own, sealed by the server's keys, and
//! what people read where a session has ended.

use std::sync::Arc;

use duet_auth::{Principal, Secret};
use duet_service::Auth;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::cookies::{COOKIE_ROOM, cookie_of, renewal_cookie_name};
use crate::request::arrived::ArrivedRequest;
use crate::request::principal::now;

/// Seconds after which a session ends, however it is renewed.
const LONGEST: u64 = 12 * 60 * 60;
/// What the second cookie is sealed for.
const PURPOSE: &str = "console: renewal of a session";

/// What renews a session.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Renewal {
    /// The refresh token.
    pub(super) refresh: String,
    /// The session's own id, which stays: forms of its pages are known by it.
    pub(super) id: String,
    /// Whose session it is.
    pub(super) who: String,
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
        let sealed = cookie_of(arrived, renewal_cookie_name(arrived))?;
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

    /// The same with the next refresh token.
    pub(super) fn with(&self, refresh: String) -> Self {
        Self { refresh, ..self.clone() }
    }

    /// Whether it is as old as a session may be.
    pub(super) fn is_over(&self, now: u64) -> bool {
        now.saturating_sub(self.since) >= LONGEST
    }
}

/// Whose session it is: another one's token must not go on with it.
pub(super) fn name_of(who: &Principal) -> String {
    format!("{} {}", who.client_id().unwrap_or_default(), who.name())
}

/// The clients beside which the issuer's people are taken.
fn issuer_auth(arrived: &ArrivedRequest) -> Option<Arc<Auth>> {
    let auths = arrived.worker.shared.applications.auths();
    auths.into_iter().find(|auth| auth.issuer().is_some()).map(Arc::clone)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_over_after_its_limit() {
        let text = String::new;
        let renewal = Renewal { refresh: text(), id: text(), who: text(), since: 1_000 };
        assert!(!renewal.is_over(1_000 + LONGEST - 1) && renewal.is_over(1_000 + LONGEST));
        assert!(!renewal.is_over(0));
    }

    #[test]
    fn ends_have_texts() {
        for end in [SessionEnd::Limit, SessionEnd::Issuer] {
            let text = SessionEnd::text(end.name());
            assert!(text.is_some_and(|text| text.contains("Sign in again")));
        }
        assert_eq!(SessionEnd::text("<b>"), None);
    }
}
