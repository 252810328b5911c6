//! The caller of a request: a client with its roles, or an anonymous caller.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use duet_model::tenant::TenantName;
use duet_model::{Code, Error, Result};
use serde_json::{Value, json};

use crate::identity::{DbIdentity, DbRole, Identity};
use crate::link::{AccessLink, LinkScope};
use crate::pointer::Pointer;
use crate::role::{self, RoleSet};
use crate::state::RegisteredClient;

/// What requests without a token may do everywhere, for trials (`--open`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Open {
    /// Nothing: locked, the default.
    #[default]
    No,
    /// Read every resource.
    Read,
    /// Read, write and execute; `/metrics` and `/admin` stay locked.
    All,
}

impl Open {
    /// The built-in roles that all callers get.
    fn roles(self) -> &'static [&'static str] {
        match self {
            Self::No => &[role::ANYONE],
            Self::Read => &[role::ANYONE, role::READ],
            Self::All => &[role::ANYONE, role::READ, role::WRITE, role::EXECUTE],
        }
    }
}

impl FromStr for Open {
    type Err = Error;

    /// Reads `no`, `read` or `all`.
    fn from_str(text: &str) -> Result<Self> {
        match text {
            "no" => Ok(Self::No),
            "read" => Ok(Self::Read),
            "all" => Ok(Self::All),
            _ => Err(Error::new(
                Code::Setting,
                format!("`open` cannot be {text:?}: use `read` or `all`."),
            )),
        }
    }
}

/// The caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Principal {
    who: Who,
    role_names: Box<[String]>,
    roles: RoleSet,
    db_identity: DbIdentity,
    tenant: TokenTenant,
    /// Where a link leads to.
    link: Option<Arc<LinkScope>>,
}

/// The tenant to which a token belongs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TokenTenant {
    /// The token, or the request without one, belongs to no tenant.
    #[default]
    None,
    /// To this one.
    Named(TenantName),
    /// The token names a tenant in a way that is no name of one, so it may reach none. The text says what is wrong,
    /// without the value.
    Invalid(Box<str>),
}

impl TokenTenant {
    /// The tenant of the claim at a pointer, which a token may lack. A claim that is null is there: a token that was
    /// to have a tenant must not become one that may reach all.
    pub(crate) fn of_claim(at: &Pointer, claims: &Value) -> Self {
        let wrong = |why: &str| Self::Invalid(format!("The token's claim {at} {why}.").into());
        match at.find(claims) {
            None => Self::None,
            Some(Value::Null) => wrong("is null, not the name of a tenant"),
            Some(claim) => claim
                .as_str()
                .and_then(|text| text.parse().ok())
                .map_or_else(|| wrong("is not the name of a tenant"), Self::Named),
        }
    }

    /// The tenant that a client was added with.
    fn of_client(name: Option<&str>) -> Self {
        let wrong = |_| Self::Invalid("The client's tenant is not the name of one.".into());
        name.map_or(Self::None, |name| name.parse().map_or_else(wrong, Self::Named))
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Who {
    /// The request had no token.
    Anonymous,
    /// A client of Duet's own.
    Client(ClientNames),
    /// The subject of an external JWT.
    Subject(Box<str>, Claims),
}

/// The verified claims of an external JWT.
#[derive(Clone, PartialEq, Eq)]
pub struct Claims {
    text: Box<str>,
    value: Value,
}

impl Claims {
    pub(crate) fn new(text: String, value: Value) -> Self {
        Self { text: text.into(), value }
    }

    /// The JSON object, byte for byte as in the token.
    pub fn json(&self) -> &str {
        &self.text
    }

    /// The parsed JSON object.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// Whose the token is: the text in `sub`, otherwise in `client_id` or `azp`.
    pub fn subject(&self) -> Option<&str> {
        ["sub", "client_id", "azp"].into_iter().find_map(|name| self.value.get(name)?.as_str())
    }
}

impl fmt::Debug for Claims {
    /// Omits the claims, which may contain personal data that must not be logged.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Claims(…)")
    }
}

/// The fields of a client that logs and token issuing need.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ClientNames {
    number: u32,
    generation: u32,
    id: Box<str>,
    name: Box<str>,
}

impl Principal {
    /// The caller of a request without a token; it runs under the database role, if one is given.
    pub fn anonymous(open: Open, db_role: Option<&DbRole>) -> Self {
        Self {
            who: Who::Anonymous,
            role_names: Box::default(),
            roles: RoleSet::of(open.roles().iter().copied()),
            db_identity: DbIdentity::under(db_role, |role| json!({ "role": role.as_str() })),
            tenant: TokenTenant::None,
            link: None,
        }
    }

    /// A client. It has its own roles and those of all callers, so sending a token never removes
    /// access.
    pub(crate) fn of_client(client: &RegisteredClient, open: Open) -> Self {
        let mut roles = RoleSet::of(client.roles.iter().map(String::as_str));
        roles.extend(&RoleSet::of(open.roles().iter().copied()));
        Self {
            who: Who::Client(ClientNames {
                number: client.number,
                generation: client.generation,
                id: client.id.as_str().into(),
                name: client.name.as_str().into(),
            }),
            role_names: client.roles.clone().into(),
            roles,
            tenant: TokenTenant::of_client(client.tenant.as_deref()),
            db_identity: identity_of(client),
            link: None,
        }
    }

    /// A link, which acts for another client. It never has the role of administrators, and where its client is gone it has
    /// no right at all.
    pub(crate) fn of_link(
        link: &RegisteredClient,
        to: &AccessLink,
        of: Option<&RegisteredClient>,
        open: Open,
    ) -> Self {
        let own = Self::of_client(link, Open::No);
        let scope = Some(LinkScope::of(link.number, to));
        let Some(of) = of else { return Self { link: scope, ..own } };
        let roles = of.roles.iter().map(String::as_str).chain(open.roles().iter().copied());
        Self {
            roles: RoleSet::of(roles.filter(|role| *role != role::ADMIN)),
            tenant: TokenTenant::of_client(of.tenant.as_deref()),
            db_identity: identity_of(of),
            link: scope,
            ..own
        }
    }

    /// The subject of an external JWT, with those of its roles that Duet knows.
    pub(crate) fn of_token(
        subject: &str,
        roles: &[String],
        claims: Claims,
        db_identity: DbIdentity,
        tenant: TokenTenant,
        open: Open,
    ) -> Self {
        let mut set = RoleSet::known(roles.iter().map(String::as_str));
        set.extend(&RoleSet::of(open.roles().iter().copied()));
        let who = Who::Subject(subject.into(), claims);
        Self { who, role_names: roles.into(), roles: set, db_identity, tenant, link: None }
    }

    /// Whether the request had no token.
    pub fn is_anonymous(&self) -> bool {
        self.who == Who::Anonymous
    }

    /// Where it may go, if it is a link.
    pub fn link(&self) -> Option<&LinkScope> {
        self.link.as_deref()
    }

    /// The number of a link whose uses are counted.
    pub fn counted_link(&self) -> Option<u32> {
        self.link.as_ref()?.counted()
    }

    /// The client's id or the token's subject, for logs; `None` for a request without a token.
    pub fn client_id(&self) -> Option<&str> {
        match &self.who {
            Who::Anonymous => None,
            Who::Client(client) => Some(&client.id),
            Who::Subject(subject, _) => Some(subject),
        }
    }

    /// The tenant to which the token belongs.
    pub fn tenant(&self) -> &TokenTenant {
        &self.tenant
    }

    /// The user of a verified token by its claim `user_id`, as FOLIO's tokens have it.
    pub fn claimed_user(&self) -> Option<&str> {
        self.claims()?.value().get("user_id")?.as_str()
    }

    /// The name that the operator gave the client, or the token's subject, for logs.
    pub fn name(&self) -> &str {
        match &self.who {
            Who::Anonymous => "anonymous",
            Who::Client(client) => &client.name,
            Who::Subject(subject, _) => subject,
        }
    }

    /// The claims of an external JWT.
    pub fn claims(&self) -> Option<&Claims> {
        match &self.who {
            Who::Subject(_, claims) => Some(claims),
            Who::Anonymous | Who::Client(_) => None,
        }
    }

    /// The database role and claims under which all requests of this principal run; `None` if they
    /// run as Duet's own user.
    ///
    /// # Errors
    /// [`Code::RoleNotAllowed`] if the token must name a role and names none that is allowed.
    pub fn identity(&self) -> Result<Option<&Arc<Identity>>> {
        match &self.db_identity {
            DbIdentity::Service => Ok(None),
            DbIdentity::Role(identity) => Ok(Some(identity)),
            DbIdentity::Denied => Err(Error::new(
                Code::RoleNotAllowed,
                "The token names no database role that is allowed here. Ask its issuer for one \
                 that does.",
            )),
        }
    }

    /// The roles granted to the client by name, without those of all callers.
    pub fn role_names(&self) -> &[String] {
        &self.role_names
    }

    /// All effective roles.
    pub fn roles(&self) -> &RoleSet {
        &self.roles
    }

    /// The client's number and generation, as encoded in a token.
    pub(crate) fn token_subject(&self) -> Option<(u32, u32)> {
        match &self.who {
            Who::Client(client) => Some((client.number, client.generation)),
            Who::Anonymous | Who::Subject(..) => None,
        }
    }
}

/// The role of the database and the claims of a client.
fn identity_of(client: &RegisteredClient) -> DbIdentity {
    DbIdentity::under(client.db_role.as_ref(), |role| {
        let id = client.id.as_str();
        json!({
            "sub": id,
            "client_id": id,
            "name": client.name,
            "role": role.as_str(),
            "roles": client.roles,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_open() {
        assert_eq!("read".parse::<Open>().unwrap(), Open::Read);
        assert_eq!("all".parse::<Open>().unwrap(), Open::All);
        assert_eq!("no".parse::<Open>().unwrap(), Open::No);
        assert_eq!("yes".parse::<Open>().unwrap_err().code, Code::Setting);
    }

    #[test]
    fn anonymous_callers_never_get_the_admin_role() {
        for open in [Open::No, Open::Read, Open::All] {
            let roles = Principal::anonymous(open, None).roles;
            assert!(!roles.meets(&RoleSet::of([role::ADMIN])));
            assert!(roles.meets(&RoleSet::of([role::ANYONE])));
        }
    }
}
