//! What renews the session of an issuer's person: the refresh token in a cookie of its own, sealed by the server's keys, and
//! what people read where a session has ended.

use std::sync::Arc;

use duet_auth::{Principal, SESSION_IDLE, SessionId};
use duet_service::{Auth, IssuerSubject};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{COOKIE_ROOM, cookie_of, renewal_cookie_name};
use crate::request::arrived::ArrivedRequest;
use crate::request::principal::now;

/// Seconds after which a session ends, however it is renewed.
const LONGEST: u64 = 12 * 60 * 60;
/// What the second cookie is sealed for.
const PURPOSE: &str = "console: renewal of a session";

/// What renews a session.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::console) struct Renewal {
    /// The refresh token.
    pub(in crate::console) refresh: String,
    /// The session, which stays the same.
    pub(in crate::console) id: SessionId,
    /// Whose session it is.
    pub(in crate::console) who: String,
    /// The person at the issuer, as its `id_token` said at the sign-in.
    subject: String,
    /// The nonce of that token.
    nonce: String,
    /// When they signed in, in seconds since 1970.
    since: u64,
    /// When the session was last used, in seconds since 1970.
    used: u64,
}

/// Why a session has ended that could be renewed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::console) enum SessionEnd {
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
    pub(in crate::console) fn name(self) -> &'static str {
        ENDS.iter().find(|(end, ..)| *end == self).map_or("", |(_, name, _)| name)
    }

    /// What people read where an address has this.
    pub(in crate::console) fn text(name: &str) -> Option<&'static str> {
        ENDS.iter().find(|(_, known, _)| *known == name).map(|(.., text)| *text)
    }
}

impl Renewal {
    /// What a sign-in begins with; `None` where the issuer gave no refresh token, or one that no cookie has room for.
    pub(in crate::console) fn begun(
        arrived: &ArrivedRequest,
        answer: &Value,
        id: SessionId,
        who: &Principal,
        signed_in: IssuerSubject,
    ) -> Option<Self> {
        let refresh = answer["refresh_token"].as_str()?.to_owned();
        let IssuerSubject { subject, nonce } = signed_in;
        let (who, since, used) = (name_of(who), now(), now());
        let renewal = Self { refresh, id, who, subject, nonce, since, used };
        renewal.sealed(arrived).is_some().then_some(renewal)
    }

    /// That of a request's cookie, while its session goes on.
    pub(in crate::console) fn of(arrived: &ArrivedRequest) -> Option<Self> {
        let sealed = cookie_of(arrived, renewal_cookie_name(arrived))?;
        let auth = issuer_auth(arrived)?;
        let text = auth.table().open_text(PURPOSE, sealed, now())?;
        let renewal: Self = serde_json::from_str(&text).ok()?;
        (!renewal.is_idle(now()) && !has_ended(arrived, renewal.id)).then_some(renewal)
    }

    /// As the cookie has it.
    pub(in crate::console) fn sealed(&self, arrived: &ArrivedRequest) -> Option<String> {
        let text = serde_json::to_string(&Self { used: now(), ..self.clone() }).ok()?;
        let sealed = issuer_auth(arrived)?.table().seal_text(PURPOSE, &text, now()).ok()?;
        (sealed.len() <= COOKIE_ROOM).then_some(sealed)
    }

    /// The same with the next refresh token.
    pub(in crate::console) fn with(&self, refresh: String) -> Self {
        Self { refresh, ..self.clone() }
    }

    /// Who has signed in.
    pub(in crate::console) fn signed_in(&self) -> IssuerSubject {
        IssuerSubject { subject: self.subject.clone(), nonce: self.nonce.clone() }
    }

    /// Whether no page was asked for in the time that a session may be idle.
    fn is_idle(&self, now: u64) -> bool {
        now.saturating_sub(self.used) >= u64::from(SESSION_IDLE)
    }

    /// Whether it is as old as a session may be.
    pub(in crate::console) fn is_over(&self, now: u64) -> bool {
        now.saturating_sub(self.since) >= LONGEST
    }
}

/// Whether a session was ended, here or at another server.
pub(in crate::console) fn has_ended(arrived: &ArrivedRequest, id: SessionId) -> bool {
    let shared = &arrived.worker.shared;
    let mut auths = shared.applications.auths().into_iter();
    shared.ended_sessions.has(id) || auths.any(|auth| auth.table().has_ended(id))
}

/// Whose session it is: another one's token must not go on with it.
pub(in crate::console) fn name_of(who: &Principal) -> String {
    format!("{} {}", who.client_id().unwrap_or_default(), who.name())
}

/// The clients beside which the issuer's people are taken.
pub(in crate::console) fn issuer_auth(arrived: &ArrivedRequest) -> Option<Arc<Auth>> {
    let auths = arrived.worker.shared.applications.auths();
    auths.into_iter().find(|auth| auth.issuer().is_some()).map(Arc::clone)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_over_after_its_limit() {
        let (text, id) = (String::new, SessionId::random().unwrap());
        let [refresh, who, subject, nonce] = std::array::from_fn(|_| text());
        let renewal = Renewal { refresh, id, who, subject, nonce, since: 1_000, used: 2_000 };
        assert!(!renewal.is_over(1_000 + LONGEST - 1) && renewal.is_over(1_000 + LONGEST));
        assert!(!renewal.is_over(0));
        let end = 2_000 + u64::from(SESSION_IDLE);
        assert!(!renewal.is_idle(end - 1) && renewal.is_idle(end) && !renewal.is_idle(0));
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
