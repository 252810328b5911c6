//! The operator's requirements for external JWTs.

use crate::identity::RoleClaim;
use crate::pointer::Pointer;

use super::signature::Algorithm;

/// The maximum clock skew that settings may allow, in seconds.
pub const MAX_SKEW: u64 = 60;

/// The requirements for a token, besides a signature by one of the issuer's keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The required `iss`, an exact match.
    pub issuer: String,
    /// `aud` must contain at least one of these.
    pub audiences: Vec<String>,
    /// The accepted algorithms.
    pub algorithms: Vec<Algorithm>,
    /// The allowed clock skew of the issuer, in seconds; [`MAX_SKEW`] at most.
    pub skew: u64,
    /// The maximum age since `iat`, in seconds, regardless of `exp`.
    pub max_age: Option<u64>,
    /// The location of the roles; `None` uses the values of `scope` or `scp`.
    pub roles: Option<Pointer>,
    /// The location of the database role; if set, every token must name an allowed role.
    pub db_role: Option<RoleClaim>,
    /// The location of the tenant; without it, tokens belong to none.
    pub tenant: Option<Pointer>,
    /// The maximum length of a token, in bytes.
    pub max_bytes: usize,
}
