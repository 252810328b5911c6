//! Access tokens: encrypted blocks that any process with the key can open without a lookup.
//!
//! A token is 45 bytes, encoded as 60 base64url characters: the key's id, a random nonce, and
//! AES-256-GCM over client number, generation and expiry with a tag of 128 bits. The nonce is
//! random, so a key should seal fewer than 2^32 tokens (NIST SP 800-38D §8.3): 136 years at one per
//! second.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use duet_model::{Code, Error, Result};
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};

use crate::encoding;
use crate::state::{SigningKey, State};

/// The default lifetime of a token, in seconds.
pub const DEFAULT_LIFETIME: u32 = 3_600;

/// The longest lifetime of a token that settings may specify, in seconds: 30 days.
pub const MAX_LIFETIME: u32 = 30 * 24 * 3_600;

/// How long a new key waits before it seals tokens, in seconds: other processes re-read the state every
/// 2 s and must know the key before they receive its tokens.
const KEY_PROPAGATION: u64 = 5;

/// The format version of a token, authenticated by the tag.
const FORM: u8 = 1;

const NONCE_BYTES: usize = 12;
const CLAIM_BYTES: usize = 4 + 4 + 8;
const TAG_BYTES: usize = 16;
const TOKEN_BYTES: usize = 1 + NONCE_BYTES + CLAIM_BYTES + TAG_BYTES;
const TOKEN_CHARS: usize = TOKEN_BYTES / 3 * 4;

// Without unused bits in the encoding, no two texts decode to the same token.
const _: () = assert!(TOKEN_BYTES.is_multiple_of(3));

/// Why a token is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenError {
    /// It does not have the format of a token.
    Malformed,
    /// It names an unknown or retired key.
    UnknownKey,
    /// The tag or signature is wrong: the token was changed or forged.
    Forged,
    /// It has expired.
    Expired,
    /// Its client was removed.
    ClientRemoved,
    /// Its client's secret was rotated after it was issued.
    Superseded,
    /// It is too long.
    TooLong,
    /// Its header has an extension or a type that is not supported.
    NotUnderstood,
    /// Its header names an algorithm that is not accepted.
    OtherAlgorithm,
    /// It lacks a required claim.
    MissingClaim,
    /// Its issuer is not the configured one.
    OtherIssuer,
    /// Its audience is another service.
    OtherAudience,
    /// It is not valid yet.
    NotYet,
    /// It was issued too long ago.
    TooOld,
    /// The keys of its issuer are not loaded yet.
    NoKeys,
    /// It is no API key, or an unknown or replaced one.
    WrongKey,
    /// It is an API key that has expired.
    KeyExpired,
    /// It is the token of no link, or of a removed or replaced one.
    WrongLink,
    /// It is a link that has expired or is used up, or whose client was removed.
    LinkEnded,
}

impl TokenError {
    /// Whether it may be a guess, which the rate limiter counts. The other errors concern tokens with a
    /// valid tag or signature outside their period of validity.
    pub fn is_suspicious(self) -> bool {
        match self {
            Self::Malformed
            | Self::UnknownKey
            | Self::Forged
            | Self::TooLong
            | Self::NotUnderstood
            | Self::OtherAlgorithm
            | Self::MissingClaim
            | Self::OtherIssuer
            | Self::OtherAudience
            | Self::WrongKey
            | Self::WrongLink => true,
            Self::Expired
            | Self::ClientRemoved
            | Self::Superseded
            | Self::NotYet
            | Self::TooOld
            | Self::NoKeys
            | Self::KeyExpired
            | Self::LinkEnded => false,
        }
    }

    /// The message for the client of an external JWT: which check failed. The checks are public, and
    /// no claim is read before the signature is verified.
    pub fn description_of_jwt(self) -> &'static str {
        match self {
            Self::Malformed => "The access token is malformed",
            Self::UnknownKey => "The access token names a key that its issuer does not publish",
            Self::Forged => "The signature of the access token is wrong",
            Self::TooLong => "The access token is too long",
            Self::NotUnderstood => {
                "The access token is of a type or has an extension that is not accepted"
            }
            Self::OtherAlgorithm => "The algorithm of the access token is not accepted",
            Self::MissingClaim => "The access token lacks a claim that is needed",
            other => other.description(),
        }
    }

    /// The same of an issuer's `id_token`, which is no access token.
    pub fn description_of_id_token(self) -> String {
        self.description_of_jwt().replace("he access token", "he token")
    }

    /// The error for an external JWT, with the hint to get a new one from its issuer.
    pub fn of_jwt(self) -> Error {
        if self == Self::NoKeys {
            return self.into();
        }
        let message = format!("{}. Get a new one from its issuer.", self.description_of_jwt());
        Error::new(Code::Unauthorized, message).cause(format!("{self:?}"))
    }

    /// The message for the client. All possible guesses get the same message.
    pub fn description(self) -> &'static str {
        match self {
            Self::Malformed
            | Self::UnknownKey
            | Self::Forged
            | Self::TooLong
            | Self::NotUnderstood
            | Self::OtherAlgorithm
            | Self::MissingClaim => "The access token is not valid",
            Self::Expired => "The access token has expired",
            Self::ClientRemoved | Self::Superseded => "The access token was revoked",
            Self::OtherIssuer => "The access token was issued by another issuer",
            Self::OtherAudience => "The access token is for another audience",
            Self::NotYet => "The access token is not valid yet",
            Self::TooOld => "The access token is too old",
            Self::NoKeys => "The keys of the token issuer are not known yet",
            Self::WrongKey => "The API key is not valid",
            Self::KeyExpired => "The API key has expired",
            Self::WrongLink => "The link is not valid",
            Self::LinkEnded => "The link has expired or is used up",
        }
    }
}

/// `Retry-After` while the issuer's keys are missing, in seconds.
const KEYS_RETRY_AFTER: u32 = 5;

impl From<TokenError> for Error {
    fn from(error: TokenError) -> Self {
        if error == TokenError::NoKeys {
            let message = "The keys of the token issuer are not known yet. Try again in a moment.";
            return Self::new(Code::IssuerKeys, message).retry_after(KEYS_RETRY_AFTER);
        }
        let remedy = match error {
            TokenError::WrongKey | TokenError::KeyExpired => "ask an administrator for a new one",
            TokenError::WrongLink | TokenError::LinkEnded => "ask for a new one",
            _ => "ask the token endpoint for a new one",
        };
        Self::new(Code::Unauthorized, format!("{}: {remedy}.", error.description()))
            .cause(format!("{error:?}"))
    }
}

/// A newly issued token.
#[derive(Clone, PartialEq, Eq)]
pub struct IssuedToken {
    /// The token itself.
    pub text: String,
    /// Seconds until it expires.
    pub expires_in: u64,
}

impl fmt::Debug for IssuedToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "IssuedToken(…, {} s)", self.expires_in)
    }
}

/// The sealed content of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Claims {
    /// The client's number.
    pub(crate) client: u32,
    /// The client's generation when it was issued.
    pub(crate) generation: u32,
    /// The first second in which it is expired, since the epoch.
    pub(crate) expires: u64,
}

impl Claims {
    fn to_bytes(self) -> [u8; CLAIM_BYTES] {
        let mut bytes = [0; CLAIM_BYTES];
        bytes[..4].copy_from_slice(&self.client.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.generation.to_le_bytes());
        bytes[8..].copy_from_slice(&self.expires.to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: [u8; CLAIM_BYTES]) -> Self {
        let [a, b, c, d, e, f, g, h, expires @ ..] = bytes;
        Self {
            client: u32::from_le_bytes([a, b, c, d]),
            generation: u32::from_le_bytes([e, f, g, h]),
            expires: u64::from_le_bytes(expires),
        }
    }
}

/// The keys of a state with their ciphers initialized.
pub(crate) struct Keyring {
    keys: Vec<Key>,
}

pub(crate) struct Key {
    pub(crate) id: u8,
    created: u64,
    retired_at: Option<u64>,
    pub(crate) cipher: LessSafeKey,
}

impl Key {
    /// Nothing for a key of the wrong length, which the type of keys rules out.
    fn new(key: &SigningKey) -> Option<Self> {
        let cipher = LessSafeKey::new(UnboundKey::new(&AES_256_GCM, key.key.expose()).ok()?);
        Some(Self { id: key.id, created: key.created, retired_at: key.retired_at, cipher })
    }

    fn opens_at(&self, now: u64) -> bool {
        self.retired_at.is_none_or(|end| now < end)
    }
}

impl Keyring {
    pub(crate) fn new(state: &State) -> Self {
        Self { keys: state.keys().iter().filter_map(Key::new).collect() }
    }

    /// Seals a token for `lifetime` seconds, or less if its key ends before.
    pub(crate) fn seal(
        &self,
        client: u32,
        generation: u32,
        now: u64,
        lifetime: u32,
    ) -> Result<IssuedToken> {
        let key = self.sealing_key(now)?;
        let wanted = now.saturating_add(lifetime.min(MAX_LIFETIME).into());
        let expires = key.retired_at.map_or(wanted, |end| end.min(wanted));
        let claims = Claims { client, generation, expires };
        let text = seal(key, encoding::random()?, claims)?;
        Ok(IssuedToken { text, expires_in: expires.saturating_sub(now) })
    }

    /// The newest key that all processes know by now; otherwise the newest valid one.
    pub(crate) fn sealing_key(&self, now: u64) -> Result<&Key> {
        let good = || self.keys.iter().rev().filter(|key| key.opens_at(now));
        let settled = |key: &&Key| key.created.saturating_add(KEY_PROPAGATION) <= now;
        good()
            .find(settled)
            .or_else(|| good().next())
            .ok_or_else(|| Error::internal("no signing key is valid"))
    }

    /// The key with this id, while it opens what it has sealed.
    #[inline]
    pub(crate) fn known_key(&self, id: u8, now: u64) -> Option<&Key> {
        self.keys.iter().rev().find(|key| key.id == id && key.opens_at(now))
    }

    /// Opens a token: checks format, key, tag and expiry, but not the client. Does not allocate.
    #[inline]
    pub(crate) fn open(&self, token: &str, now: u64) -> Result<Claims, TokenError> {
        if token.len() != TOKEN_CHARS {
            return Err(TokenError::Malformed);
        }
        let mut bytes = [0; TOKEN_BYTES];
        URL_SAFE_NO_PAD.decode_slice(token, &mut bytes).map_err(|_| TokenError::Malformed)?;
        let key = self.known_key(bytes[0], now).ok_or(TokenError::UnknownKey)?;
        let (nonce, sealed) = parts(&mut bytes);
        let opened = key.cipher.open_in_place(nonce, Aad::from([FORM, key.id]), sealed);
        let claims = opened.ok().and_then(|claims| claims.try_into().ok());
        let claims = Claims::from_bytes(claims.ok_or(TokenError::Forged)?);
        if claims.expires <= now { Err(TokenError::Expired) } else { Ok(claims) }
    }
}

impl fmt::Debug for Keyring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.keys.iter().map(|key| key.id)).finish()
    }
}

/// Splits a token's bytes after the key's id: the nonce, and what it seals with the tag.
fn parts(bytes: &mut [u8; TOKEN_BYTES]) -> (Nonce, &mut [u8]) {
    let (front, sealed) = bytes[1..].split_at_mut(NONCE_BYTES);
    let mut nonce = [0; NONCE_BYTES];
    nonce.copy_from_slice(front);
    (Nonce::assume_unique_for_key(nonce), sealed)
}

/// Seals claims and encodes the token.
fn seal(key: &Key, nonce: [u8; NONCE_BYTES], claims: Claims) -> Result<String> {
    let mut sealed = claims.to_bytes();
    let unique = Nonce::assume_unique_for_key(nonce);
    let tag = key
        .cipher
        .seal_in_place_separate_tag(unique, Aad::from([FORM, key.id]), &mut sealed)
        .map_err(|_| Error::internal("a token cannot be sealed"))?;
    let mut bytes = [key.id; TOKEN_BYTES];
    bytes[1..=NONCE_BYTES].copy_from_slice(&nonce);
    bytes[1 + NONCE_BYTES..][..CLAIM_BYTES].copy_from_slice(&sealed);
    bytes[TOKEN_BYTES - TAG_BYTES..].copy_from_slice(tag.as_ref());
    Ok(encoding::base64url(&bytes))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: u64 = 1_700_000_000;

    fn state() -> State {
        State::new(NOW - 100).unwrap()
    }

    fn keyring() -> Keyring {
        Keyring::new(&state())
    }

    #[test]
    fn sealed_claims_round_trip() {
        let keyring = keyring();
        let token = keyring.seal(7, 3, NOW, 3_600).unwrap();
        assert_eq!((token.text.len(), token.expires_in), (60, 3_600));
        let claims = keyring.open(&token.text, NOW).unwrap();
        assert_eq!(claims, Claims { client: 7, generation: 3, expires: NOW + 3_600 });
        assert!(!format!("{token:?} {keyring:?}").contains(&token.text));
    }

    #[test]
    fn a_token_expires_at_its_expiry_second() {
        let keyring = keyring();
        let token = keyring.seal(1, 1, NOW, 60).unwrap().text;
        assert!(keyring.open(&token, NOW + 59).is_ok());
        assert_eq!(keyring.open(&token, NOW + 60), Err(TokenError::Expired));
        assert_eq!(keyring.open(&token, u64::MAX), Err(TokenError::Expired));
        let dead = keyring.seal(1, 1, NOW, 0).unwrap().text;
        assert_eq!(keyring.open(&dead, NOW), Err(TokenError::Expired));
    }

    #[test]
    fn tolerates_a_clock_that_is_slow_or_steps_back() {
        let keyring = keyring();
        let token = keyring.seal(1, 1, NOW, 60).unwrap().text;
        for earlier in [NOW - 1, NOW - 30, NOW - 1_000_000, 0] {
            assert!(keyring.open(&token, earlier).is_ok(), "{earlier}");
        }
        // Each check only uses its own time: no state remains from the previous one.
        assert!(keyring.open(&token, NOW + 60).is_err());
        assert!(keyring.open(&token, NOW).is_ok());
    }

    #[test]
    fn lifetimes_are_capped_and_never_overflow() {
        let keyring = keyring();
        let token = keyring.seal(1, 1, NOW, u32::MAX).unwrap();
        assert_eq!(token.expires_in, u64::from(MAX_LIFETIME));
        keyring.seal(1, 1, u64::MAX - 1, u32::MAX).unwrap();
    }

    #[test]
    fn both_keys_open_tokens_during_rotation() {
        let mut state = state();
        let old = Keyring::new(&state).seal(1, 1, NOW, 3_600).unwrap().text;
        state.rotate_key(NOW, 4_000).unwrap();
        let rotated = Keyring::new(&state);
        let new = rotated.seal(1, 1, NOW + 10, 3_600).unwrap().text;
        for now in [NOW + 10, NOW + 3_599] {
            assert!(rotated.open(&old, now).is_ok() && rotated.open(&new, now).is_ok());
        }
        assert_ne!(parse_key_id(&old), parse_key_id(&new));
        // A token of a stolen key ends with the overlap, regardless of its expiry.
        assert_eq!(rotated.open(&old, NOW + 4_000), Err(TokenError::UnknownKey));
        state.rotate_key(NOW + 20, 4_000).unwrap();
        let again = Keyring::new(&state);
        assert_eq!(again.open(&old, NOW + 20), Err(TokenError::UnknownKey));
        assert!(again.open(&new, NOW + 20).is_ok());
    }

    #[test]
    fn a_new_key_seals_after_all_processes_know_it() {
        let mut state = state();
        let before = Keyring::new(&state);
        state.rotate_key(NOW, 4_000).unwrap();
        let after = Keyring::new(&state);
        let early = after.seal(1, 1, NOW + KEY_PROPAGATION - 1, 60).unwrap().text;
        assert!(before.open(&early, NOW + 10).is_ok(), "a process that lags knows its key");
        let late = after.seal(1, 1, NOW + KEY_PROPAGATION, 60).unwrap().text;
        assert_eq!(before.open(&late, NOW + 10), Err(TokenError::UnknownKey));
    }

    #[test]
    fn without_overlap_the_old_key_ends_immediately() {
        let mut state = state();
        let old = Keyring::new(&state).seal(1, 1, NOW, 60).unwrap().text;
        state.rotate_key(NOW, 0).unwrap();
        let keyring = Keyring::new(&state);
        assert_eq!(keyring.open(&old, NOW), Err(TokenError::UnknownKey));
        let new = keyring.seal(1, 1, NOW, 60).unwrap().text;
        assert!(keyring.open(&new, NOW).is_ok());
    }

    #[test]
    fn a_token_expires_no_later_than_its_key() {
        let mut state = state();
        state.rotate_key(NOW, 100).unwrap();
        let token = Keyring::new(&state).seal(1, 1, NOW + 1, 3_600).unwrap();
        assert_eq!(token.expires_in, 99);
    }

    #[test]
    fn refuses_tokens_of_another_state() {
        let token = keyring().seal(1, 1, NOW, 60).unwrap().text;
        assert_eq!(keyring().open(&token, NOW), Err(TokenError::Forged));
    }

    #[test]
    fn tokens_are_unique() {
        let keyring = keyring();
        let tokens: std::collections::BTreeSet<_> =
            (0..100).map(|_| keyring.seal(1, 1, NOW, 60).unwrap().text).collect();
        assert_eq!(tokens.len(), 100);
    }

    #[test]
    fn clients_see_one_message_for_all_guesses() {
        let descriptions: std::collections::BTreeSet<_> =
            [TokenError::Malformed, TokenError::UnknownKey, TokenError::Forged]
                .map(|error| Error::from(error).message)
                .into();
        assert_eq!(descriptions.len(), 1);
        assert!(!TokenError::Expired.is_suspicious() && TokenError::Forged.is_suspicious());
    }

    #[test]
    fn an_id_token_is_no_access_token() {
        let said = TokenError::NotYet.description_of_id_token();
        assert_eq!(said, "The token is not valid yet");
        assert_eq!(
            TokenError::Forged.description_of_id_token(),
            "The signature of the token is wrong"
        );
    }

    fn parse_key_id(token: &str) -> u8 {
        URL_SAFE_NO_PAD.decode(token).unwrap()[0]
    }

    proptest! {
        #[test]
        fn every_flipped_bit_is_refused(byte in 0..TOKEN_BYTES, bit in 0u8..8) {
            let keyring = keyring();
            let token = keyring.seal(9, 4, NOW, 60).unwrap().text;
            let mut bytes = URL_SAFE_NO_PAD.decode(&token).unwrap();
            bytes[byte] ^= 1u8 << bit;
            let error = keyring.open(&encoding::base64url(&bytes), NOW).unwrap_err();
            prop_assert!(matches!(error, TokenError::Forged | TokenError::UnknownKey));
        }

        #[test]
        fn every_changed_character_is_refused(at in 0..TOKEN_CHARS, with in any::<char>()) {
            let keyring = keyring();
            let token = keyring.seal(9, 4, NOW, 60).unwrap().text;
            let mut changed: Vec<char> = token.chars().collect();
            prop_assume!(changed[at] != with);
            changed[at] = with;
            let changed: String = changed.into_iter().collect();
            prop_assert!(keyring.open(&changed, NOW).unwrap_err().is_suspicious());
        }

        #[test]
        fn no_text_panics_or_passes(text in ".{0,80}", now in any::<u64>()) {
            prop_assert!(keyring().open(&text, now).is_err());
        }

        #[test]
        fn no_text_of_the_right_form_passes(text in "[A-Za-z0-9_-]{60}", now in any::<u64>()) {
            prop_assert!(keyring().open(&text, now).unwrap_err().is_suspicious());
        }

        #[test]
        fn all_claims_survive(client: u32, generation: u32, now in 0..u64::MAX / 2, life in 1u32..) {
            let keyring = keyring();
            let token = keyring.seal(client, generation, now, life).unwrap();
            let claims = keyring.open(&token.text, now).unwrap();
            prop_assert_eq!((claims.client, claims.generation), (client, generation));
            prop_assert_eq!(claims.expires, now + token.expires_in);
        }
    }
}
