//! The proof key of an authorization code flow (PKCE), for a program that sends people to another issuer.

use ring::digest::{SHA256, digest};

use crate::encoding::base64url;

/// The challenge of a verifier by the method `S256` (RFC 7636 §4.2).
///
/// ```
/// // The example of RFC 7636, appendix B.
/// let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
/// let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
/// assert_eq!(duet_auth::oauth::code_challenge(verifier), challenge);
/// ```
pub fn code_challenge(verifier: &str) -> String {
    base64url(digest(&SHA256, verifier.as_bytes()).as_ref())
}
