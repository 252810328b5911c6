//! External access tokens: signed JWTs (RFC 7519 in the compact serialization of RFC 7515), validated
//! as RFC 8725 recommends.
//!
//! Length and format are checked before any cryptography. The header only selects among the keys and algorithms that the
//! operator has allowed: the algorithm must be in the list, the key must be for that algorithm, and
//! keys or key URLs in the header are ignored. This excludes `none` and the use of a public key as a
//! secret. Claims are read after the signature is verified. The time is a parameter of every check.

mod cache;
mod claims;
mod keys;
mod settings;
mod signature;

#[cfg(test)]
mod tests;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;

pub use cache::Cache;
pub use claims::{LATEST_DATE, VerifiedToken};
pub use keys::{KeySet, MIN_SECRET_BYTES};
pub use settings::{MAX_SKEW, Settings};
pub use signature::Algorithm;

pub use crate::pointer::Pointer;
use crate::principal::Open;
use crate::token::TokenError;

/// Whether a token has the format of a JWT: it contains dots, which Duet's own tokens never do.
/// This alone decides which verifier checks a token.
pub fn has_form(token: &str) -> bool {
    token.contains('.')
}

/// Verifies external JWTs.
#[derive(Clone, Debug)]
pub struct Verifier {
    settings: Settings,
    open: Open,
}

/// The header of a token. Members that carry a key or its URL are not read.
#[derive(Deserialize)]
struct Header {
    alg: String,
    #[serde(default)]
    kid: Option<String>,
    #[serde(default)]
    typ: Option<String>,
    /// Critical extensions. None is supported, so the token is refused if the member is present.
    #[serde(default)]
    crit: Option<serde::de::IgnoredAny>,
    /// Compression, a member of encrypted tokens; the token is refused if it is present.
    #[serde(default)]
    zip: Option<serde::de::IgnoredAny>,
}

impl Verifier {
    /// A verifier. Clients may do at least what `open` allows requests without a token.
    pub fn new(settings: Settings, open: Open) -> Self {
        Self { settings, open }
    }

    /// The settings that tokens are verified with.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Verifies a token at the time `now`, in seconds since the epoch.
    ///
    /// # Errors
    /// Why the token is invalid; the response is 401, or 503 while the keys are not loaded.
    pub fn verify(
        &self,
        keys: &KeySet,
        token: &str,
        now: u64,
    ) -> Result<VerifiedToken, TokenError> {
        if token.len() > self.settings.max_bytes {
            return Err(TokenError::TooLong);
        }
        let mut parts = token.split('.');
        let (Some(header), Some(payload), Some(signature), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(TokenError::Malformed);
        };
        let signed = &token[..header.len() + 1 + payload.len()];
        let algorithm = self.algorithm(&decoded(header)?)?;
        let (signature, payload) = (decoded(signature)?, decoded(payload)?);
        keys.check(algorithm.0, algorithm.1.as_deref(), signed.as_bytes(), &signature)?;
        let verified = claims::check(&self.settings, payload, self.open)?;
        verified.check_time(now)?;
        Ok(verified)
    }

    /// The algorithm and key id that a header names, if they are allowed.
    fn algorithm(&self, header: &[u8]) -> Result<(Algorithm, Option<String>), TokenError> {
        let text = std::str::from_utf8(header).map_err(|_| TokenError::Malformed)?;
        claims::unique_members(text)?;
        let header: Header = serde_json::from_slice(header).map_err(|_| TokenError::Malformed)?;
        if header.crit.is_some() || header.zip.is_some() {
            return Err(TokenError::NotUnderstood);
        }
        if !header.typ.is_none_or(|typ| is_access_token(&typ)) {
            return Err(TokenError::NotUnderstood);
        }
        let algorithm = Algorithm::named(&header.alg).ok_or(TokenError::OtherAlgorithm)?;
        if !self.settings.algorithms.contains(&algorithm) {
            return Err(TokenError::OtherAlgorithm);
        }
        Ok((algorithm, header.kid))
    }
}

/// The types that an access token may have (RFC 9068 §2.1; RFC 8725 §3.11). Others, such as
/// `logout+jwt`, have a different purpose.
fn is_access_token(typ: &str) -> bool {
    let short = match typ.get(..12) {
        Some(start) if start.eq_ignore_ascii_case("application/") => &typ[12..],
        _ => typ,
    };
    short.eq_ignore_ascii_case("jwt") || short.eq_ignore_ascii_case("at+jwt")
}

fn decoded(part: &str) -> Result<Vec<u8>, TokenError> {
    URL_SAFE_NO_PAD.decode(part).map_err(|_| TokenError::Malformed)
}
