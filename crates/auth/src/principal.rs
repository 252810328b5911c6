//! Who asks: a client with its roles, or nobody in particular.

use std::str::FromStr;

use duet_model::{Code, Error, Result};

use crate::role::{self, RoleSet};
use crate::state::Client;

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
    /// The built-in roles that everybody gets.
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

/// Who asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Principal {
    client: Option<ClientNames>,
    role_names: Box<[String]>,
    roles: RoleSet,
}

/// What the log and the issuer need of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ClientNames {
    number: u32,
    generation: u32,
    id: Box<str>,
    name: Box<str>,
}

impl Principal {
    /// A request without a token.
    pub fn anonymous(open: Open) -> Self {
        Self {
            client: None,
            role_names: Box::default(),
            roles: RoleSet::of(open.roles().iter().copied()),
        }
    }

    /// A client. It has its own roles and whatever everybody has, so that sending a token never
    /// takes anything away.
    pub(crate) fn of_client(client: &Client, open: Open) -> Self {
        let mut roles = RoleSet::of(client.roles.iter().map(String::as_str));
        roles.extend(&RoleSet::of(open.roles().iter().copied()));
        Self {
            client: Some(ClientNames {
                number: client.number,
                generation: client.generation,
                id: client.id.as_str().into(),
                name: client.name.as_str().into(),
            }),
            role_names: client.roles.clone().into(),
            roles,
        }
    }

    /// Whether there was no token.
    pub fn is_anonymous(&self) -> bool {
        self.client.is_none()
    }

    /// The client's id, for logs; `None` for a request without a token.
    pub fn client_id(&self) -> Option<&str> {
        self.client.as_ref().map(|client| &*client.id)
    }

    /// The name that the operator gave the client, for logs.
    pub fn name(&self) -> &str {
        self.client.as_ref().map_or("anonymous", |client| &client.name)
    }

    /// The roles granted to the client by name, without what everybody has.
    pub fn role_names(&self) -> &[String] {
        &self.role_names
    }

    /// Every role in force.
    pub fn roles(&self) -> &RoleSet {
        &self.roles
    }

    /// The client's number and generation, as they go into a token.
    pub(crate) fn token_subject(&self) -> Option<(u32, u32)> {
        self.client.as_ref().map(|client| (client.number, client.generation))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_is_read_from_text() {
        assert_eq!("read".parse::<Open>().unwrap(), Open::Read);
        assert_eq!("all".parse::<Open>().unwrap(), Open::All);
        assert_eq!("no".parse::<Open>().unwrap(), Open::No);
        assert_eq!("yes".parse::<Open>().unwrap_err().code, Code::Setting);
    }

    #[test]
    fn anonymous_never_administrates() {
        for open in [Open::No, Open::Read, Open::All] {
            let roles = Principal::anonymous(open).roles;
            assert!(!roles.meets(&RoleSet::of([role::ADMIN])));
            assert!(roles.meets(&RoleSet::of([role::ANYONE])));
        }
    }
}
