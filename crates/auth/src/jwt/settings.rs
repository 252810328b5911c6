//! What the operator asks of the tokens of another issuer.

use crate::identity::RoleClaim;
use crate::pointer::Pointer;

use super::signature::Algorithm;

/// The longest skew of clocks that settings may ask for, in seconds.
pub const MAX_SKEW: u64 = 60;

/// What is asked of a token, besides a signature by one of the issuer's keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// What `iss` must be, exactly.
    pub issuer: String,
    /// One of these must be in `aud`.
    pub audiences: Vec<String>,
    /// The algorithms that are taken.
    pub algorithms: Vec<Algorithm>,
    /// How far the issuer's clock may be off, in seconds; [`MAX_SKEW`] at most.
    pub skew: u64,
    /// The age since `iat` at which a token ends, whatever its `exp` says, in seconds.
    pub max_age: Option<u64>,
    /// Where the roles are; `None` takes the words of `scope` or `scp`.
    pub roles: Option<Pointer>,
    /// Where a database role is; with it, every token has to name one that is allowed.
    pub db_role: Option<RoleClaim>,
    /// Bytes of a token at most.
    pub max_bytes: usize,
}
