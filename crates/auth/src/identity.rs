//! The identity under which a request runs in the database: a database role, and claims that row
//! security policies can read.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;
use std::sync::Arc;

use duet_model::{Code, Error, Result};
use serde::{Deserialize, Serialize};

use crate::pointer::Pointer;

/// The longest role name, in bytes. PostgreSQL truncates longer names, and the result could be the name
/// of another role.
const MAX_NAME_BYTES: usize = 63;

/// Keywords that PostgreSQL accepts in place of a role name, meaning no role or every role: `SET ROLE
/// "none"` would restore the privileges of the session user.
const NO_ROLES: [&str; 2] = ["none", "public"];

/// The name of a database role, spelled as in the database.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct DbRole(String);

impl DbRole {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for DbRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for DbRole {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::try_from(text.to_owned())
    }
}

impl TryFrom<String> for DbRole {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        let fits = !text.is_empty()
            && text.len() <= MAX_NAME_BYTES
            && !text.chars().any(char::is_control)
            && !NO_ROLES.contains(&text.as_str());
        if fits {
            return Ok(Self(text));
        }
        Err(Error::new(
            Code::Setting,
            format!(
                "{text:?} cannot be a database role: a name has 1 to {MAX_NAME_BYTES} bytes, no \
                 control characters, and is neither `none` nor `public`."
            ),
        ))
    }
}

/// The claim of an external JWT that names a database role, and the roles that it may name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoleClaim {
    /// The location of the name in the claims.
    pub at: Pointer,
    /// The roles that may be named.
    pub allowed: Vec<DbRole>,
}

/// A role and claims. Requests share a statement only if both are equal.
pub struct Identity {
    role: DbRole,
    claims: Box<str>,
}

impl Identity {
    /// An identity from a role and the claims as a JSON object.
    pub fn new(role: DbRole, claims: impl Into<Box<str>>) -> Arc<Self> {
        Arc::new(Self { role, claims: claims.into() })
    }

    /// The role.
    pub fn role(&self) -> &DbRole {
        &self.role
    }

    /// The claims, a JSON object.
    pub fn claims(&self) -> &str {
        &self.claims
    }
}

impl PartialEq for Identity {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other) || self.role == other.role && self.claims == other.claims
    }
}

impl Eq for Identity {}

impl Hash for Identity {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.role.hash(state);
        self.claims.hash(state);
    }
}

impl fmt::Debug for Identity {
    /// Omits the claims, which may contain personal data that must not be logged.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Identity({}, …)", self.role)
    }
}

/// The identity of a principal in the database.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum DbIdentity {
    /// Duet's own database user.
    #[default]
    Service,
    /// A database role.
    Role(Arc<Identity>),
    /// No identity: the token must name a role and names none that is allowed.
    Denied,
}

impl DbIdentity {
    /// The identity named by the claims of a token: an allowed role, or `Denied`.
    pub(crate) fn of_token(
        claim: Option<&RoleClaim>,
        claims: &serde_json::Value,
        json: &str,
    ) -> Self {
        let Some(claim) = claim else { return Self::Service };
        let named = claim.at.find(claims).and_then(serde_json::Value::as_str);
        match claim.allowed.iter().find(|role| Some(role.as_str()) == named) {
            Some(role) => Self::Role(Identity::new(role.clone(), json)),
            None => Self::Denied,
        }
    }

    /// The role with these claims; `Service` if there is no role.
    pub(crate) fn under(
        role: Option<&DbRole>,
        claims: impl FnOnce(&DbRole) -> serde_json::Value,
    ) -> Self {
        match role {
            Some(role) => Self::Role(Identity::new(role.clone(), claims(role).to_string())),
            None => Self::Service,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn refuses_invalid_role_names() {
        for name in ["", "none", "public", "a\0b", "a\nb", &"x".repeat(64)] {
            assert_eq!(name.parse::<DbRole>().unwrap_err().code, Code::Setting, "{name:?}");
            assert!(serde_json::from_value::<DbRole>(json!(name)).is_err(), "{name:?}");
        }
        for name in ["None", "web anon", "a\"b; DROP", "é", &"x".repeat(63)] {
            assert_eq!(name.parse::<DbRole>().unwrap().as_str(), name);
        }
    }

    #[test]
    fn identities_are_equal_by_role_and_claims() {
        let of = |role: &str, claims: &str| Identity::new(role.parse().unwrap(), claims);
        assert_eq!(of("a", "{}"), of("a", "{}"));
        assert_ne!(of("a", "{}"), of("b", "{}"));
        assert_ne!(of("a", "{}"), of("a", "{\"sub\":1}"));
        assert!(!format!("{:?}", of("a", "{\"sub\":1}")).contains("sub"));
    }

    #[test]
    fn a_token_names_an_allowed_role_or_is_denied() {
        let claim =
            RoleClaim { at: "/db/role".parse().unwrap(), allowed: vec!["shop".parse().unwrap()] };
        let identity_of = |claims: serde_json::Value| {
            DbIdentity::of_token(Some(&claim), &claims, &claims.to_string())
        };
        let right = json!({"db": {"role": "shop"}});
        let expected = Identity::new("shop".parse().unwrap(), right.to_string());
        assert_eq!(identity_of(right.clone()), DbIdentity::Role(expected));
        assert_eq!(DbIdentity::of_token(None, &right, "{}"), DbIdentity::Service);
        for wrong in [
            json!({}),
            json!({"db": {"role": "postgres"}}),
            json!({"db": {"role": "Shop"}}),
            json!({"db": {"role": ["shop"]}}),
            json!({"db": {"role": null}}),
        ] {
            assert_eq!(identity_of(wrong.clone()), DbIdentity::Denied, "{wrong}");
        }
    }
}
