//! The issuer's keys: a JWK Set (RFC 7517), or a secret that is shared with it.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use duet_model::{Code, Error, Result};
use ring::hmac;
use serde::Deserialize;

use super::signature::{Algorithm, Key};
use crate::token::TokenError;

/// The shortest secret for HS256, in bytes (RFC 7518 §3.2).
pub const MIN_SECRET_BYTES: usize = 32;

/// The maximum number of keys that are read from a set; more than any issuer has.
const MAX_KEYS: usize = 100;

/// The accepted size of an RSA modulus in bits: smaller keys are too weak, larger ones too slow.
const RSA_BITS: std::ops::RangeInclusive<usize> = 2_048..=8_192;

/// A snapshot of an issuer's keys.
#[derive(Clone, Default)]
pub struct KeySet {
    keys: Vec<IdentifiedKey>,
}

#[derive(Clone)]
struct IdentifiedKey {
    id: Option<String>,
    /// The algorithm (`alg`) that the set restricts the key to.
    algorithm: Option<Algorithm>,
    key: Key,
}

impl IdentifiedKey {
    fn fits(&self, algorithm: Algorithm) -> bool {
        self.algorithm.is_none_or(|own| own == algorithm) && self.key.fits(algorithm)
    }
}

/// A JWK Set as serialized.
#[derive(Deserialize)]
struct Written {
    keys: Vec<serde_json::Value>,
}

/// A JWK as serialized. Members of private keys are not read.
#[derive(Deserialize)]
struct Jwk {
    kty: String,
    kid: Option<String>,
    alg: Option<String>,
    #[serde(rename = "use")]
    usage: Option<String>,
    key_ops: Option<Vec<String>>,
    crv: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

impl KeySet {
    /// Reads a JWK Set. Skips keys for algorithms that are not `wanted`, for encryption, and of unknown
    /// kinds, as RFC 7517 §5 requires; skips secrets too, which do not belong in a published set.
    ///
    /// # Errors
    /// `IssuerKeys` if it is not a JWK Set, or contains no usable key.
    pub fn parse(json: &[u8], wanted: &[Algorithm]) -> Result<Self> {
        let written: Written = serde_json::from_slice(json).map_err(|error| {
            let place = format!("line {}, column {}", error.line(), error.column());
            Error::new(Code::IssuerKeys, format!("This is no JWK Set (RFC 7517 §5): {place}."))
        })?;
        let read = written.keys.into_iter().take(MAX_KEYS).filter_map(named);
        let keys: Vec<IdentifiedKey> =
            read.filter(|key| wanted.iter().any(|algorithm| key.fits(*algorithm))).collect();
        if keys.is_empty() {
            let names: Vec<String> = wanted.iter().map(ToString::to_string).collect();
            let message = format!("The JWK Set holds no key for {}.", names.join(", "));
            return Err(Error::new(Code::IssuerKeys, message));
        }
        Ok(Self { keys })
    }

    /// A secret for HS256.
    ///
    /// # Errors
    /// `Setting` if the secret is shorter than [`MIN_SECRET_BYTES`].
    pub fn of_secret(secret: &[u8]) -> Result<Self> {
        if secret.len() < MIN_SECRET_BYTES {
            let message =
                format!("A secret for HS256 has {MIN_SECRET_BYTES} bytes or more (RFC 7518 §3.2).");
            return Err(Error::new(Code::IssuerKeys, message));
        }
        let key = Key::Secret(hmac::Key::new(hmac::HMAC_SHA256, secret));
        Ok(Self { keys: vec![IdentifiedKey { id: None, algorithm: Some(Algorithm::Hs256), key }] })
    }

    /// The union of both sets.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.keys.extend(other.keys);
        self
    }

    /// The number of keys.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there are no keys.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Checks a signature with the key of this id; if the token names no key, with the only key for
    /// its algorithm. A secret has no id and matches any.
    pub(super) fn check(
        &self,
        algorithm: Algorithm,
        id: Option<&str>,
        signed: &[u8],
        signature: &[u8],
    ) -> Result<(), TokenError> {
        if self.keys.is_empty() {
            return Err(TokenError::NoKeys);
        }
        let fitting = self.keys.iter().filter(|key| key.fits(algorithm));
        let named = |key: &&IdentifiedKey| match (id, &key.key) {
            (None, _) | (_, Key::Secret(_)) => true,
            (Some(id), _) => key.id.as_deref() == Some(id),
        };
        let mut candidates = fitting.filter(named);
        let (Some(key), None) = (candidates.next(), candidates.next()) else {
            return Err(TokenError::UnknownKey);
        };
        match key.key.verifies(algorithm, signed, signature) {
            true => Ok(()),
            false => Err(TokenError::Forged),
        }
    }
}

impl fmt::Debug for KeySet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.keys.iter().map(|key| &key.id)).finish()
    }
}

/// Parses a key of a set; `None` if it cannot verify signatures.
fn named(value: serde_json::Value) -> Option<IdentifiedKey> {
    let jwk: Jwk = serde_json::from_value(value).ok()?;
    let for_signatures = jwk.usage.as_deref().is_none_or(|usage| usage == "sig")
        && jwk.key_ops.as_ref().is_none_or(|ops| ops.iter().any(|op| op == "verify"));
    if !for_signatures {
        return None;
    }
    // A key for an unknown algorithm must not be used for another one.
    let algorithm = match jwk.alg.as_deref() {
        // The name for EdDSA with this curve in RFC 9864.
        Some("Ed25519") => Some(Algorithm::EdDsa),
        Some(name) => Some(Algorithm::named(name)?),
        None => None,
    };
    let key = key(&jwk)?;
    Some(IdentifiedKey { id: jwk.kid, algorithm, key })
}

fn key(jwk: &Jwk) -> Option<Key> {
    let curve = jwk.crv.as_deref().unwrap_or("");
    match (jwk.kty.as_str(), curve) {
        ("RSA", _) => {
            let (modulus, exponent) = (number(jwk.n.as_ref()?)?, number(jwk.e.as_ref()?)?);
            let bits = modulus.len() * 8 - modulus.first()?.leading_zeros() as usize;
            RSA_BITS.contains(&bits).then_some(Key::Rsa { modulus, exponent })
        }
        ("EC", "P-256") => Some(Key::Curve(Algorithm::Es256, point(jwk, 32)?)),
        ("EC", "P-384") => Some(Key::Curve(Algorithm::Es384, point(jwk, 48)?)),
        ("OKP", "Ed25519") => {
            let x = bytes(jwk.x.as_ref()?)?;
            (x.len() == 32).then_some(Key::Curve(Algorithm::EdDsa, x))
        }
        _ => None,
    }
}

/// An uncompressed point (SEC 1 §2.3.3); both coordinates have their full length (RFC 7518 §6.2.1).
fn point(jwk: &Jwk, length: usize) -> Option<Vec<u8>> {
    let (x, y) = (bytes(jwk.x.as_ref()?)?, bytes(jwk.y.as_ref()?)?);
    let fits = x.len() == length && y.len() == length;
    fits.then(|| [&[4], &*x, &*y].concat())
}

/// A number without leading zeros; some issuers include them.
fn number(text: &str) -> Option<Vec<u8>> {
    let bytes = bytes(text)?;
    let start = bytes.iter().position(|byte| *byte != 0)?;
    Some(bytes[start..].to_vec())
}

fn bytes(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).ok()
}
