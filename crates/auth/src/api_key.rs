//! API keys: clients whose credential goes into each request as it is, without a token.
//!
//! A key is `duk_`, 12 characters that anybody may see, `_` and a secret of 32. The first two parts are the id of the
//! client: it finds the hash, and names the key in lists and logs. The hash is that of every client's secret, fast and
//! not slow by design: the secret has 192 random bits, which are not found by trying, and each request pays for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use duet_model::Result;
use serde::{Deserialize, Serialize};

use crate::encoding;
use crate::secret::Secret;

/// What a credential of this form is, by what it begins with: for people, and for programs that look for leaked secrets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// An API key.
    Key,
    /// The token in the address of a link.
    Link,
}

impl Form {
    fn prefix(self) -> &'static str {
        match self {
            Self::Key => "duk_",
            Self::Link => "dul_",
        }
    }
}

/// Characters of every prefix.
const PREFIX_CHARS: usize = 4;

/// Random bytes in the visible part; 9 give 12 characters.
const ID_BYTES: usize = 9;

/// Characters of the id: the prefix, and the random ones.
const ID_CHARS: usize = PREFIX_CHARS + ID_BYTES / 3 * 4;

/// Characters of a whole key. No sealed token has as many, so the form alone says what a text is.
const KEY_CHARS: usize = ID_CHARS + 1 + 32;

/// The last use is stored to the hour: storing it for each request would make each one a write.
pub const USE_GRAIN: u64 = 3_600;

/// What a client has in addition if its credential is an API key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApiKey {
    /// The first second in which it is no longer valid, since the epoch; `None` if it does not expire.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<u64>,
    /// When it was last used, in seconds since the epoch, up to [`USE_GRAIN`] before the truth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_used: Option<u64>,
}

impl ApiKey {
    /// Whether it is valid at the time `now`, in seconds since the epoch.
    pub fn is_valid_at(self, now: u64) -> bool {
        self.expires.is_none_or(|end| now < end)
    }
}

/// A use of a key: the number of its client, and when, in seconds since the epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyUse {
    /// The number of the client.
    pub client: u32,
    /// The time.
    pub at: u64,
}

/// A new id of a credential.
///
/// # Errors
/// `Internal` if the operating system has no random source.
pub(crate) fn random_id(form: Form) -> Result<String> {
    Ok(format!("{}{}", form.prefix(), encoding::base64url(&encoding::random::<ID_BYTES>()?)))
}

/// The whole credential.
pub(crate) fn key_of(id: &str, secret: &Secret) -> Secret {
    Secret::of_parts(&[id, "_", secret.expose()])
}

/// The id and the secret of a text that has this form.
pub(crate) fn parts(form: Form, text: &str) -> Option<(&str, &str)> {
    let has_form = text.len() == KEY_CHARS && text.starts_with(form.prefix()) && text.is_ascii();
    let (id, rest) = has_form.then(|| text.split_at(ID_CHARS))?;
    Some((id, rest.strip_prefix('_')?))
}

/// What a log may have of a text that is an API key or the token of a link, or almost one: the part that anybody may
/// see. `None` for any other text.
///
/// ```
/// use duet_auth::visible_part;
/// assert_eq!(visible_part("dul_AAAABBBBCCCC_secret"), Some("dul_AAAABBBBCCCC"));
/// assert_eq!(visible_part("dul_short"), None);
/// ```
pub fn visible_part(text: &str) -> Option<&str> {
    let is_one = [Form::Key, Form::Link].iter().any(|form| text.starts_with(form.prefix()));
    let (id, rest) = is_one.then(|| text.split_at_checked(ID_CHARS))??;
    (!rest.is_empty()).then_some(id)
}

/// A key in a table in memory.
#[derive(Debug)]
pub(crate) struct KeyInForce {
    pub(crate) key: ApiKey,
    /// The last use that this process knows, shared with the tables before this one; 0 for none.
    used: Arc<AtomicU64>,
}

impl KeyInForce {
    pub(crate) fn new(key: ApiKey) -> Self {
        Self { key, used: Arc::new(AtomicU64::new(key.last_used.unwrap_or(0))) }
    }

    /// Goes on counting where another table has counted.
    pub(crate) fn follow(&mut self, before: &Self) {
        before.used.fetch_max(self.key.last_used.unwrap_or(0), Ordering::Relaxed);
        self.used = Arc::clone(&before.used);
    }

    /// Notes a use. Most requests find the second noted already and write nothing.
    pub(crate) fn note(&self, now: u64) {
        if self.used.load(Ordering::Relaxed) < now {
            self.used.fetch_max(now, Ordering::Relaxed);
        }
    }

    /// The last use, to the second where this process has seen it.
    pub(crate) fn last_used(&self) -> Option<u64> {
        Some(self.used.load(Ordering::Relaxed)).filter(|used| *used > 0)
    }

    /// The last use, if what is stored is older by the grain.
    pub(crate) fn unstored(&self) -> Option<u64> {
        let stored = self.key.last_used.map_or(0, |stored| stored + USE_GRAIN);
        self.last_used().filter(|used| *used >= stored)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_a_form_of_its_own() {
        let id = random_id(Form::Key).unwrap();
        let key = key_of(&id, &Secret::random().unwrap());
        let text = key.expose();
        assert_eq!(parts(Form::Key, text).unwrap().0, id);
        assert_eq!(format!("{}_{}", id, parts(Form::Key, text).unwrap().1), text);
        let longer = format!("{text}a");
        let other = text.replacen("duk_", "duc_", 1);
        for wrong in ["", "duk_", &text[1..], &longer, &other, &"é".repeat(KEY_CHARS)] {
            assert_eq!(parts(Form::Key, wrong), None, "{wrong}");
        }
    }

    #[test]
    fn uses_are_to_be_stored_once_an_hour() {
        let mut key = KeyInForce::new(ApiKey::default());
        assert_eq!((key.last_used(), key.unstored()), (None, None));
        key.note(10_000);
        key.note(9_000);
        assert_eq!((key.last_used(), key.unstored()), (Some(10_000), Some(10_000)));
        let mut stored = KeyInForce::new(ApiKey { expires: None, last_used: Some(10_000) });
        stored.follow(&key);
        stored.note(10_000 + USE_GRAIN - 1);
        assert_eq!(stored.unstored(), None);
        stored.note(10_000 + USE_GRAIN);
        assert_eq!(stored.unstored(), Some(10_000 + USE_GRAIN));
        // The table before it still counts for both.
        key.follow(&stored);
        assert_eq!(key.last_used(), Some(10_000 + USE_GRAIN));
    }
}
