//! Secrets, their hashes and signing keys: types whose `Debug` output is redacted.
//!
//! A client secret is random, so one fast hash protects it as well as a slow one: dictionary attacks
//! do not apply. The client's id is the salt. A secret that the operator provides must look random
//! too.

use std::fmt;

use duet_model::{Code, Error, Result};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use subtle::{Choice, ConstantTimeEq};
use zeroize::Zeroizing;

use crate::encoding;

/// Bytes of randomness in a client secret; 24 give 32 characters and 192 bits.
const SECRET_BYTES: usize = 24;

/// Limits for a provided secret: length, and the minimum number of distinct characters.
const MIN_BYTES: usize = 16;
const MAX_BYTES: usize = 256;
const MIN_DISTINCT: usize = 8;

/// Domain separation from other uses of the same hash function.
const HASH_CONTEXT: &str = "duet client secret, version 1";

/// A client secret, shown once and never stored in plain text.
#[derive(Clone)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// A new random secret of 32 base64url characters.
    ///
    /// # Errors
    /// `Internal` if the operating system has no random source.
    pub fn random() -> Result<Self> {
        let bytes = Zeroizing::new(encoding::random::<SECRET_BYTES>()?);
        Ok(Self(Zeroizing::new(encoding::base64url(&*bytes))))
    }

    /// The provided secret, or a new random one.
    ///
    /// # Errors
    /// `Setting` if the provided secret is too short, too long, too simple, or has characters that are
    /// not allowed in a header.
    pub fn given_or_random(given: Option<&str>) -> Result<Self> {
        let Some(text) = given else { return Self::random() };
        let refused = |why: &str| {
            let hint = format!(
                "Take at least {MIN_BYTES} random characters, such as those of `openssl rand -base64 24`."
            );
            Err(Error::new(Code::Setting, format!("The secret {why}.")).hint(hint))
        };
        if text.len() < MIN_BYTES {
            return refused("is too short");
        }
        if text.len() > MAX_BYTES {
            return refused("is too long");
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return refused("has characters that are not printable ASCII, or spaces");
        }
        let mut different: Vec<u8> = text.bytes().collect();
        different.sort_unstable();
        different.dedup();
        // 16 random characters practically never have so few distinct ones.
        if different.len() < MIN_DISTINCT {
            return refused("is too simple: it has too few different characters");
        }
        Ok(Self(Zeroizing::new(text.to_owned())))
    }

    /// A secret text of several parts.
    pub(crate) fn of_parts(parts: &[&str]) -> Self {
        Self(Zeroizing::new(parts.concat()))
    }

    /// The plain text, to show it once to its owner.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// What is stored of a client secret: BLAKE3 over the client's id and the secret.
#[derive(Clone, Eq)]
pub struct SecretHash([u8; 32]);

impl SecretHash {
    /// The hash of a client's secret.
    pub fn of(client_id: &str, secret: &str) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key(HASH_CONTEXT);
        // The length prefix separates (id, secret) pairs with equal concatenations.
        hasher.update(&(client_id.len() as u64).to_le_bytes());
        hasher.update(client_id.as_bytes());
        hasher.update(secret.as_bytes());
        Self(*hasher.finalize().as_bytes())
    }

    /// Compares in constant time.
    pub(crate) fn matches(&self, other: &Self) -> Choice {
        self.0.ct_eq(&other.0)
    }

    /// A placeholder for clients that do not exist or were removed.
    pub(crate) const PLACEHOLDER: Self = Self([0; 32]);
}

impl PartialEq for SecretHash {
    /// Compares in constant time.
    fn eq(&self, other: &Self) -> bool {
        self.matches(other).into()
    }
}

impl fmt::Debug for SecretHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretHash(…)")
    }
}

impl Serialize for SecretHash {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        encoding::serialize_32(&self.0, to)
    }
}

impl<'de> Deserialize<'de> for SecretHash {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        encoding::deserialize_32(from).map(Self)
    }
}

/// The bytes of a signing key, with which tokens can be created.
#[derive(Clone, Eq)]
pub struct KeyBytes(Zeroizing<[u8; 32]>);

impl KeyBytes {
    /// A new random key of 256 bits.
    ///
    /// # Errors
    /// `Internal` if the operating system has no random source.
    pub fn random() -> Result<Self> {
        encoding::random().map(|bytes| Self(Zeroizing::new(bytes)))
    }

    /// The bytes, for the cipher.
    pub(crate) fn expose(&self) -> &[u8; 32] {
        &self.0
    }
}

impl PartialEq for KeyBytes {
    /// Compares in constant time.
    fn eq(&self, other: &Self) -> bool {
        self.0.ct_eq(&*other.0).into()
    }
}

impl fmt::Debug for KeyBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyBytes(…)")
    }
}

impl Serialize for KeyBytes {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        encoding::serialize_32(&self.0, to)
    }
}

impl<'de> Deserialize<'de> for KeyBytes {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        encoding::deserialize_32(from).map(|bytes| Self(Zeroizing::new(bytes)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_output_is_redacted() {
        let secret = Secret::random().unwrap();
        let hash = SecretHash::of("id", secret.expose());
        let key = KeyBytes::random().unwrap();
        let shown = format!("{secret:?} {hash:?} {key:?}");
        assert_eq!(shown, "Secret(…) SecretHash(…) KeyBytes(…)");
    }

    #[test]
    fn random_secrets_are_long_and_distinct() {
        let (a, b) = (Secret::random().unwrap(), Secret::random().unwrap());
        assert_eq!(a.expose().len(), 32);
        assert_ne!(a.expose(), b.expose());
    }

    #[test]
    fn hash_depends_on_id_secret_and_their_boundary() {
        let hash = SecretHash::of("ab", "c");
        assert!(bool::from(hash.matches(&SecretHash::of("ab", "c"))));
        for (id, secret) in [("a", "bc"), ("abc", ""), ("ab", "d"), ("", "abc")] {
            assert!(!bool::from(hash.matches(&SecretHash::of(id, secret))), "{id} {secret}");
        }
    }

    #[test]
    fn refuses_a_key_of_the_wrong_length_without_showing_it() {
        for text in ["\"\"", "\"c2hvcnQ\"", "\"####\"", "7"] {
            let error = serde_json::from_str::<KeyBytes>(text).unwrap_err().to_string();
            assert!(!error.contains("c2hvcnQ"), "{error}");
        }
    }
}
