//! The identity of a request in the database: a role of it, and claims that its policies can ask
//! for.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;
use std::sync::Arc;

use duet_model::{Code, Error, Result};
use serde::{Deserialize, Serialize};

use crate::pointer::Pointer;

/// The longest name of a role, in bytes. PostgreSQL cuts longer ones, which could make them another
/// role's.
const MAX_NAME_BYTES: usize = 63;

/// Words that stand for no role, or for every one, where PostgreSQL takes a role's name: `SET ROLE
/// "none"` would give back what a role is to take away.
const NO_ROLES: [&str; 2] = ["none", "public"];

/// The name of a role of the database, in its spelling there.
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

/// Where the tokens of another issuer name a database role, and which ones they may name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoleClaim {
    /// Where the name is.
    pub at: Pointer,
    /// The roles that may be named.
    pub allowed: Vec<DbRole>,
}

/// A role and claims. Requests share a statement only where both are equal.
pub struct Identity {
    role: DbRole,
    claims: Box<str>,
}

impl Identity {
    /// A role, and the claims as a JSON object.
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
    /// Claims may hold names and addresses of people, which belong in no log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Identity({}, …)", self.role)
    }
}

/// The identity of a principal in the database.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum DbIdentity {
    /// As Duet's own user.
    #[default]
    Service,
    /// Under a role.
    Role(Arc<Identity>),
    /// None: the token must name a role, and names none that is allowed.
    Denied,
}

impl DbIdentity {
    /// The identity that the claims of a token name: an allowed role, or none.
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

    /// Under a role with these claims, if there is a role.
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
    fn names_that_are_no_roles_are_refused() {
        for name in ["", "none", "public", "a\0b", "a\nb", &"x".repeat(64)] {
            assert_eq!(name.parse::<DbRole>().unwrap_err().code, Code::Setting, "{name:?}");
            assert!(serde_json::from_value::<DbRole>(json!(name)).is_err(), "{name:?}");
        }
        for name in ["None", "web anon", "a\"b; DROP", "é", &"x".repeat(63)] {
            assert_eq!(name.parse::<DbRole>().unwrap().as_str(), name);
        }
    }

    #[test]
    fn identities_are_equal_by_what_they_say() {
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
        let stands = |claims: serde_json::Value| {
            DbIdentity::of_token(Some(&claim), &claims, &claims.to_string())
        };
        let right = json!({"db": {"role": "shop"}});
        let expected = Identity::new("shop".parse().unwrap(), right.to_string());
        assert_eq!(stands(right.clone()), DbIdentity::Role(expected));
        assert_eq!(DbIdentity::of_token(None, &right, "{}"), DbIdentity::Service);
        for wrong in [
            json!({}),
            json!({"db": {"role": "postgres"}}),
            json!({"db": {"role": "Shop"}}),
            json!({"db": {"role": ["shop"]}}),
            json!({"db": {"role": null}}),
        ] {
            assert_eq!(stands(wrong.clone()), DbIdentity::Denied, "{wrong}");
        }
    }
}
