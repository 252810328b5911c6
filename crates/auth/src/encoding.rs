//! Base64url text for binary values, and bytes from the operating system's random source.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use duet_model::{Error, Result};
use serde::{Deserialize as _, Deserializer, Serializer, de};
use zeroize::Zeroizing;

/// Base64url without padding (RFC 4648 §5).
pub(crate) fn base64url(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// `N` bytes from the operating system's random source.
///
/// # Errors
/// `Internal` if the operating system has no random source.
pub(crate) fn random<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)
        .map_err(|error| Error::internal(format!("no random bytes: {error}")))?;
    Ok(bytes)
}

/// Serialises 32 bytes as base64url text.
pub(crate) fn serialize_32<S: Serializer>(bytes: &[u8; 32], to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&Zeroizing::new(base64url(bytes)))
}

/// Reads 32 bytes from base64url text. The error does not repeat the text, which may be a key.
pub(crate) fn deserialize_32<'de, D: Deserializer<'de>>(from: D) -> Result<[u8; 32], D::Error> {
    let text = Zeroizing::new(String::deserialize(from)?);
    let mut bytes = [0; 32];
    match URL_SAFE_NO_PAD.decode_slice(text.as_bytes(), &mut bytes) {
        Ok(32) => Ok(bytes),
        _ => Err(de::Error::custom("expected 32 bytes as base64url text of 43 characters")),
    }
}
