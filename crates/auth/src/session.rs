//! Sessions of browsers: what the cookie of one holds, sealed by the keys of tokens, and those that were ended.
//!
//! A cookie is no token: it is opened for this purpose alone. It says when its session was last used, so that a copy of it
//! is worth nothing half an hour later, and the state keeps the ids of ended sessions for as long as a copy could be opened.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use duet_model::{Error, Result};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::encoding;

/// Seconds without a request after which a session ends.
pub const SESSION_IDLE: u32 = 30 * 60;

/// Seconds for which an ended session is remembered: other servers may give new copies of its cookie until they know of
/// its end.
pub(crate) const REMEMBERED: u64 = SESSION_IDLE as u64 + 60;

/// What the cookie is sealed for.
pub(crate) const PURPOSE: &str = "console: session";
const ID_BYTES: usize = 16;
const TIME_BYTES: usize = 8;

/// The id of a session. Alone it opens nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SessionId([u8; ID_BYTES]);

impl SessionId {
    /// A new one.
    ///
    /// # Errors
    /// `Internal` if the operating system has no random source.
    pub fn random() -> Result<Self> {
        encoding::random().map(Self)
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&encoding::base64url(&self.0))
    }
}

impl FromStr for SessionId {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text).unwrap_or_default();
        bytes.try_into().map(Self).map_err(|_| Error::internal("this is no id of a session"))
    }
}

impl Serialize for SessionId {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for SessionId {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        text.parse().map_err(|_| de::Error::custom("expected the id of a session"))
    }
}

/// A session that was ended before its time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EndedSession {
    /// Its id.
    pub id: SessionId,
    /// When every copy of its cookie has ended by itself, in seconds since the epoch.
    pub until: u64,
}

/// What the cookie of a session holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrowserSession {
    /// The session.
    pub id: SessionId,
    /// When it was last used, in seconds since the epoch.
    pub used: u64,
    /// The token that its requests have.
    pub token: String,
}

impl BrowserSession {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        [&self.id.0[..], &self.used.to_be_bytes(), &packed(&self.token)].concat()
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (id, rest) = bytes.split_first_chunk::<ID_BYTES>()?;
        let (used, token) = rest.split_first_chunk::<TIME_BYTES>()?;
        let (id, used) = (SessionId(*id), u64::from_be_bytes(*used));
        Some(Self { id, used, token: unpacked(token)? })
    }

    /// Whether it was not used for longer than a session may be idle.
    pub fn is_idle_at(&self, now: u64) -> bool {
        now.saturating_sub(self.used) >= u64::from(SESSION_IDLE)
    }
}

/// A token as bytes: tokens and JWTs are base64url, in parts between dots, and a cookie has no room for that of a base64url.
fn packed(token: &str) -> Vec<u8> {
    let parts: Option<Vec<Vec<u8>>> =
        token.split('.').map(|part| URL_SAFE_NO_PAD.decode(part).ok()).collect();
    let framed = |parts: Vec<Vec<u8>>| {
        let mut bytes = vec![u8::try_from(parts.len()).ok()?];
        for part in parts {
            bytes.extend(u16::try_from(part.len()).ok()?.to_be_bytes());
            bytes.extend(part);
        }
        Some(bytes)
    };
    // No text has no part.
    parts.and_then(framed).unwrap_or_else(|| [&[0], token.as_bytes()].concat())
}

fn unpacked(bytes: &[u8]) -> Option<String> {
    let (&count, mut rest) = bytes.split_first()?;
    if count == 0 {
        return String::from_utf8(rest.to_vec()).ok();
    }
    let mut parts = Vec::new();
    for _ in 0..count {
        let (length, behind) = rest.split_first_chunk::<2>()?;
        let (part, behind) = behind.split_at_checked(u16::from_be_bytes(*length).into())?;
        parts.push(encoding::base64url(part));
        rest = behind;
    }
    rest.is_empty().then(|| parts.join("."))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{ClientTable, Open, State};

    const NOW: u64 = 1_700_000_000;
    const IDLE: u64 = SESSION_IDLE as u64;

    fn session(token: &str) -> BrowserSession {
        BrowserSession { id: SessionId::random().unwrap(), used: NOW, token: token.to_owned() }
    }

    fn table(state: &State) -> ClientTable {
        ClientTable::new(state, Open::No)
    }

    #[test]
    fn a_cookie_ends_when_its_session_is_idle() {
        let state = State::new(NOW - 100).unwrap();
        let session = session("a.b.c");
        let sealed = table(&state).seal_session(&session, NOW).unwrap();
        let opened = table(&state).open_session(&sealed, NOW + IDLE - 1);
        assert_eq!(opened.as_ref(), Some(&session));
        assert_eq!(table(&state).open_session(&sealed, NOW + IDLE), None);
        assert!(table(&state).open_session(&sealed, NOW - 5).is_some(), "clocks differ");
        let other = table(&State::new(NOW).unwrap());
        assert_eq!(other.open_session(&sealed, NOW), None);
    }

    #[test]
    fn an_ended_session_is_remembered_as_long_as_it_could_go_on() {
        let mut state = State::new(NOW - 100).unwrap();
        let [one, other] = [session("a"), session("b")];
        let sealed = table(&state).seal_session(&one, NOW).unwrap();
        state.end_session(one.id, NOW + 5).unwrap();
        assert_eq!(table(&state).open_session(&sealed, NOW + 6), None);
        assert!(table(&state).has_ended(one.id) && !table(&state).has_ended(other.id));
        let json = state.to_json().unwrap();
        assert!(json.contains("\"version\": 6"), "{}", &*json);
        assert_eq!(State::from_json(&json).unwrap(), state);
        assert!(State::from_json(&json.replace("\"version\": 6", "\"version\": 5")).is_err());
        state.end_session(other.id, NOW + 5 + IDLE).unwrap();
        assert!(table(&state).has_ended(one.id), "other servers may be a little late");
        state.end_session(other.id, NOW + 5 + REMEMBERED).unwrap();
        assert!(!table(&state).has_ended(one.id) && table(&state).has_ended(other.id));
    }

    /// The longest token of an issuer has room in a cookie of 4,020 bytes.
    #[test]
    fn a_long_jwt_has_room_in_a_cookie() {
        let part = |length: usize| URL_SAFE_NO_PAD.encode(vec![0xa5; length]);
        let token = format!("{}.{}.{}", part(60), part(2_600), part(256));
        assert!((3_880..=3_900).contains(&token.len()), "{}", token.len());
        let state = State::new(NOW).unwrap();
        let sealed = table(&state).seal_session(&session(&token), NOW).unwrap();
        assert!(sealed.len() <= 4_020, "{}", sealed.len());
        assert_eq!(table(&state).open_session(&sealed, NOW).unwrap().token, token);
    }

    proptest! {
        #[test]
        fn every_token_is_read_again(token in "([A-Za-z0-9_-]{0,40}\\.){0,3}[A-Za-z0-9_-]{0,40}|.*") {
            prop_assert_eq!(unpacked(&packed(&token)), Some(token));
        }

        #[test]
        fn no_bytes_panic(bytes: Vec<u8>) {
            let _ = BrowserSession::from_bytes(&bytes);
        }
    }
}
