//! The clients of a server as its administrators change them. An administrator gives no right that it lacks: it makes clients
//! with roles of its own, and takes over, by a new secret, none that may do more.

use duet_auth::{
    AccessLink, ApiKey, ClientTable, DbRole, Operation, Principal, RegisteredClient, RoleSet,
    Secret, State, TokenTenant,
};
use duet_model::{Code, Error, Place, Result};
use duet_text::problem::quoted;

use super::auth::Auth;

/// A client in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientSummary {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its roles.
    pub roles: Vec<String>,
    /// The role of the database that its requests have.
    pub db_role: Option<String>,
    /// Its tenant.
    pub tenant: Option<String>,
    /// What it has if its credential is an API key; the id is the visible part of it.
    pub key: Option<ApiKey>,
    /// What it has if it is a link.
    pub link: Option<LinkSummary>,
}

/// A link in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkSummary {
    /// What it leads to.
    pub link: AccessLink,
    /// The name of the client that it acts for, unless that one was removed.
    pub of: Option<String>,
}

/// A link that an administrator makes.
#[derive(Clone, Debug)]
pub struct NewLink<'a> {
    /// Its name.
    pub name: &'a str,
    /// The id or name of the client that it acts for.
    pub of: &'a str,
    /// The path of the resource or item.
    pub path: &'a str,
    /// What requests may do there.
    pub operations: Vec<Operation>,
    /// Until when it is valid, in seconds since the epoch.
    pub expires: u64,
    /// How many requests it is good for.
    pub uses: Option<u32>,
}

impl Auth {
    /// The clients in force, in the order in which they were added.
    pub fn clients(&self) -> Vec<ClientSummary> {
        let table = self.table();
        table.principals().map(|client| summary(&table, client)).collect()
    }

    /// Adds a client with roles of the administrator. Its secret is known here alone.
    ///
    /// # Errors
    /// [`Code::Forbidden`] for other roles; [`Code::BadParameter`] where the name or a role is wrong or taken; others where
    /// the clients cannot be changed.
    pub async fn add_client(
        &self,
        by: &Principal,
        name: &str,
        roles: &[&str],
        now: u64,
    ) -> Result<(RegisteredClient, Secret)> {
        check_roles(by, roles.iter().copied())?;
        let db_role = own_db_role(by)?;
        let added = self.change(move |state: &mut State| {
            let (client, secret) = state.add(name, roles, now)?;
            Ok(match db_role {
                Some(role) => (state.set_db_role(client.id.as_str(), role)?, secret),
                None => (client, secret),
            })
        });
        added.await.map_err(of_request)
    }

    /// Adds a link that acts for a client. Its token is known here alone.
    ///
    /// # Errors
    /// [`Code::Forbidden`] where that client has rights that the administrator lacks; [`Code::BadParameter`] where there is
    /// none, or what is given of the link is wrong; others where the clients cannot be changed.
    pub async fn add_link(
        &self,
        by: &Principal,
        new: NewLink<'_>,
        now: u64,
    ) -> Result<(RegisteredClient, Secret)> {
        let db_role = own_db_role(by)?;
        let added = self.change(move |state: &mut State| {
            let of = state.find(new.of)?;
            check_equal(by, of, db_role.as_ref(), "which may make no link for it")?;
            let (of, path, NewLink { operations, expires, uses, .. }) =
                (of.number, new.path.to_owned(), new.clone());
            state.add_link(
                new.name,
                AccessLink { of, path, operations, expires, uses, used: 0 },
                now,
            )
        });
        added.await.map_err(of_request)
    }

    /// Gives a client a new secret, and ends its tokens.
    ///
    /// # Errors
    /// [`Code::Forbidden`] where it has rights that the administrator lacks; [`Code::BadParameter`] where there is none;
    /// others where the clients cannot be changed.
    pub async fn rotate_client(
        &self,
        by: &Principal,
        id: &str,
    ) -> Result<(RegisteredClient, Secret)> {
        let db_role = own_db_role(by)?;
        let rotated = self.change(|state: &mut State| {
            let client = state.find(id)?;
            let of = client.link.as_ref().map_or(client.number, |link| link.of);
            let owner = state.clients().find(|it| it.number == of).unwrap_or(client);
            check_equal(by, owner, db_role.as_ref(), "which may not know its secret")?;
            state.rotate(id)
        });
        rotated.await.map_err(of_request)
    }

    /// Gives a client other roles, which its tokens have at once. It may keep those that it has.
    ///
    /// # Errors
    /// [`Code::Forbidden`] for further roles that the administrator lacks; [`Code::BadParameter`] where there is no such client,
    /// it is the administrator itself, or a role is wrong; others where the clients cannot be changed.
    pub async fn set_client_roles(
        &self,
        by: &Principal,
        id: &str,
        roles: &[&str],
    ) -> Result<RegisteredClient> {
        let changed = self.change(|state: &mut State| {
            let client = state.find(id)?;
            if is_own(by, client) {
                let message =
                    "A client cannot change its own roles: let another administrator do it.";
                return Err(wrong("set", message));
            }
            let known = |role: &&&str| client.roles.iter().any(|known| known == **role);
            check_roles(by, roles.iter().filter(|role| !known(role)).copied())?;
            state.set_roles(id, roles)
        });
        changed.await.map_err(of_request)
    }

    /// Removes a client, and ends its tokens.
    ///
    /// # Errors
    /// [`Code::BadParameter`] where there is none, or it is the administrator itself; others where the clients cannot be
    /// changed.
    pub async fn remove_client(
        &self,
        by: &Principal,
        id: &str,
        now: u64,
    ) -> Result<RegisteredClient> {
        let removed = self.change(|state: &mut State| {
            if is_own(by, state.find(id)?) {
                let message = "A client cannot remove itself: let another administrator do it.";
                return Err(wrong("remove", message));
            }
            state.remove(id, now)
        });
        removed.await.map_err(of_request)
    }
}

/// Refuses a client that may do more than the administrator, or something else.
fn check_equal(
    by: &Principal,
    client: &RegisteredClient,
    db_role: Option<&DbRole>,
    why: &str,
) -> Result<()> {
    check_roles(by, client.roles.iter().map(String::as_str))?;
    if client.db_role.as_ref() == db_role {
        return Ok(());
    }
    let name = quoted(&client.name);
    let message =
        format!("{name} runs under another role of the database than this client, {why}.");
    Err(Error::new(Code::Forbidden, message))
}

/// Whether a client is the caller, whether it was named or given by its id.
fn is_own(by: &Principal, client: &RegisteredClient) -> bool {
    by.client_id() == Some(client.id.as_str())
}

fn wrong(parameter: &str, message: &str) -> Error {
    Error::new(Code::BadParameter, message).at(Place::Parameter(parameter.into()))
}

fn summary(table: &ClientTable, client: &Principal) -> ClientSummary {
    let db_role = client.identity().ok().flatten().map(|identity| identity.role().to_string());
    let tenant = match client.tenant() {
        TokenTenant::Named(tenant) => Some(tenant.to_string()),
        TokenTenant::None | TokenTenant::Invalid(_) => None,
    };
    ClientSummary {
        id: client.client_id().unwrap_or_default().to_owned(),
        name: client.name().to_owned(),
        roles: client.role_names().to_vec(),
        db_role,
        tenant,
        key: client.client_id().and_then(|id| table.api_key(id)),
        link: client.client_id().and_then(|id| table.link(id)).map(|link| {
            let of = table.name_of(link.of).map(str::to_owned);
            LinkSummary { link: link.clone(), of }
        }),
    }
}

/// The role of the database that an administrator's requests have, which its clients get too.
fn own_db_role(by: &Principal) -> Result<Option<DbRole>> {
    Ok(by.identity()?.map(|identity| identity.role().clone()))
}

/// Refuses roles that an administrator lacks. Who writes reads too.
fn check_roles<'r>(by: &Principal, roles: impl Iterator<Item = &'r str>) -> Result<()> {
    let mut own = by.roles().clone();
    if own.meets(&RoleSet::of(["duet.write"])) {
        own.extend(&RoleSet::of(["duet.read"]));
    }
    let lacking = roles.filter(|role| !own.meets(&RoleSet::known([*role])));
    let lacking: Vec<String> = lacking.map(quoted).collect();
    if lacking.is_empty() {
        return Ok(());
    }
    let message = format!(
        "An administrator gives no role that it lacks: this client does not have {}.",
        lacking.join(", ")
    );
    Err(Error::new(Code::Forbidden, message)
        .hint("`duet client` at the server's command line gives every role."))
}

/// What is wrong with a name or a role is wrong with the request.
fn of_request(mut error: Error) -> Error {
    if error.code == Code::Setting {
        error.code = Code::BadParameter;
    }
    error
}
