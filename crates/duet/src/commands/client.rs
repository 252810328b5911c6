//! `duet client`: adds, lists, rotates and removes clients and renews their key, in a file or in a
//! database.

use std::fs::File;
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use duet_auth::{
    AccessLink, ApiKey, ClientCredentials, ClientId, DbRole, RegisteredClient, Secret, State,
    StateFile,
};
use duet_model::Result;
use duet_model::tenant::TenantName;
use duet_store::OwnPart;
use duet_store::setup::state::StateTable;
use duet_text::time::moment::rfc3339;
use serde_json::{Value, json};
use zeroize::Zeroizing;

use super::sources::server_role;
use crate::args::{ClientAction, ClientPlace};
use crate::command_error::CommandError;
use crate::configuration_error::{self, ConfigurationError};
use crate::database_url::{DatabaseUrl, warn_of};
use crate::report::{Outcome, note, print, warn};
use crate::runtime::now;

pub(super) fn run(action: ClientAction) -> Outcome {
    match action {
        ClientAction::Add {
            name,
            roles,
            db_role,
            tenant,
            id,
            secret_file,
            key,
            expires,
            server_role,
            place,
        } => {
            let credential = match key {
                true => NewCredential::Key { expires },
                false => {
                    let secret = secret_file.as_deref().map(read_secret).transpose()?;
                    NewCredential::Secret { id, secret }
                }
            };
            let client = NewClient { name, roles, db_role, tenant, credential };
            add(&client, server_role.as_deref(), &place)
        }
        ClientAction::Link { name, path, of, operations, expires, uses, place } => {
            let expires = now().saturating_add(expires.as_secs());
            let (client, token) = ClientStore::open(&place)?.update(|state| {
                let of = state.find(&of)?.number;
                let (path, operations) = (path.clone(), operations.clone());
                let link = AccessLink { of, path, operations, expires, uses, used: 0 };
                state.add_link(&name, link, now())
            })?;
            print_client(&client, Some(&token), "Added", place.json)
        }
        ClientAction::List { place } => list(&place),
        ClientAction::Rotate { id, place } => {
            let (client, secret) = ClientStore::open(&place)?.update(|state| state.rotate(&id))?;
            print_client(&client, Some(&secret), "New secret for", place.json)
        }
        ClientAction::RotateKey { overlap, place } => rotate_key(overlap, &place),
        ClientAction::Remove { id, place } => {
            let client = ClientStore::open(&place)?.update(|state| state.remove(&id, now()))?;
            print_client(&client, None, "Removed", place.json)
        }
    }
}

/// A client to be added.
struct NewClient {
    name: String,
    roles: Vec<String>,
    db_role: Option<DbRole>,
    tenant: Option<TenantName>,
    credential: NewCredential,
}

/// With what it authenticates.
enum NewCredential {
    /// An id and a secret, each as given or random.
    Secret { id: Option<String>, secret: Option<Zeroizing<String>> },
    /// An API key that is valid for so long.
    Key { expires: Option<Duration> },
}

impl NewClient {
    /// Adds it to a state. What is returned besides the client is shown once.
    fn add_to(&self, state: &mut State) -> Result<(RegisteredClient, Secret)> {
        let roles: Vec<&str> = self.roles.iter().map(String::as_str).collect();
        let (client, secret) = match &self.credential {
            NewCredential::Secret { id, secret } => {
                let id = ClientId::given_or_random(id.as_deref())?;
                let secret = Secret::given_or_random(secret.as_deref().map(String::as_str))?;
                state.add_with(&self.name, &roles, now(), ClientCredentials { id, secret })?
            }
            NewCredential::Key { expires } => {
                let end = expires.map(|valid| now().saturating_add(valid.as_secs()));
                state.add_key(&self.name, &roles, now(), end)?
            }
        };
        let id = client.id.as_str();
        if let Some(role) = &self.db_role {
            state.set_db_role(id, role.clone())?;
        }
        if let Some(tenant) = &self.tenant {
            state.set_tenant(id, tenant)?;
        }
        Ok((state.find(id)?.clone(), secret))
    }

    /// Refuses credentials that a state would refuse, before a place for one is made.
    fn check(&self) -> Result<()> {
        self.add_to(&mut State::new(now())?).map(drop)
    }
}

/// The longest file of a secret.
const SECRET_FILE_BYTES: u64 = 4_096;

/// The secret in a file, or on standard input.
pub(super) fn read_secret(path: &Path) -> configuration_error::Result<Zeroizing<String>> {
    let shown = path.display();
    let cannot = |error: std::io::Error| {
        ConfigurationError::file(format!("The secret cannot be read from {shown}: {error}."))
    };
    let mut text = Zeroizing::new(String::new());
    if path == Path::new("-") {
        let input = std::io::stdin().lock();
        input.take(SECRET_FILE_BYTES).read_to_string(&mut text).map_err(cannot)?;
    } else {
        let file = File::open(path).map_err(cannot)?;
        let mode = file.metadata().map_err(cannot)?.mode();
        if mode & 0o077 != 0 {
            warn(&format!(
                "{shown} can be read by others, and it holds a secret: `chmod 600 {shown}`"
            ));
        }
        file.take(SECRET_FILE_BYTES).read_to_string(&mut text).map_err(cannot)?;
    }
    let kept = text.strip_suffix('\n').unwrap_or(&text);
    Ok(Zeroizing::new(kept.strip_suffix('\r').unwrap_or(kept).to_owned()))
}

fn add(client: &NewClient, server_role: Option<&str>, place: &ClientPlace) -> Outcome {
    client.check()?;
    let kept = ClientStore::make(place, server_role)?;
    if let Some(role) = &client.db_role {
        kept.check_role(role)?;
    }
    let added = kept.update(|state| client.add_to(state))?;
    if client.roles.is_empty() {
        warn(
            "the client has no role, so it only has the rights of everybody; give it a role with --role",
        );
    }
    // The user knows a given secret: it is not shown.
    let is_given = matches!(&client.credential, NewCredential::Secret { secret: Some(_), .. });
    let shown = (!is_given).then_some(&added.1);
    print_client(&added.0, shown, "Added", place.json)
}

/// Creates a new key. The previous one ends after the overlap, one from an earlier rotation now.
fn rotate_key(overlap: Duration, place: &ClientPlace) -> Outcome {
    let now = now();
    // Rounded up to a whole second: no token ends earlier than requested.
    let seconds = overlap.as_secs() + u64::from(overlap.subsec_nanos() > 0);
    let place_of_keys = ClientStore::open(place)?;
    let (key, ended) = place_of_keys.update(|state| {
        let ended = state.keys().iter().rev().skip(1).any(|key| key.opens_at(now));
        Ok((state.rotate_key(now, seconds)?, ended))
    })?;
    if ended && seconds > 0 {
        warn("the key of the previous rotation ends at once, and with it the tokens of that key");
    }
    let until = rfc3339(now.saturating_add(seconds));
    if place.json {
        return print(&format!("{:#}\n", json!({ "key": key, "old_key_until": until })));
    }
    print(&format!("New key {key}\n  tokens of the old key are valid until {until} at most\n"))
}

fn list(place: &ClientPlace) -> Outcome {
    let state = ClientStore::open(place)?.load()?;
    if place.json {
        let listed = |client: &RegisteredClient| {
            let mut value = as_json(client, None);
            if let Some(link) = &client.link {
                value["link"]["for"] = owner(&state, link).into();
            }
            value
        };
        let clients: Vec<Value> = state.clients().map(listed).collect();
        return print(&format!("{:#}\n", Value::Array(clients)));
    }
    let clients: Vec<&RegisteredClient> = state.clients().collect();
    if clients.is_empty() {
        return print("There are no clients.\n");
    }
    let width = clients.iter().map(|client| client.name.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for client in clients {
        let (name, id, roles) = (&client.name, client.id.as_str(), client.roles.join(" "));
        let mut line = format!("{name:<width$}  {id}  {}  {roles}", rfc3339(client.created));
        if let Some(role) = &client.db_role {
            line.push_str(&format!("  as {role}"));
        }
        if let Some(tenant) = &client.tenant {
            line.push_str(&format!("  of {tenant}"));
        }
        if let Some(key) = client.key {
            line.push_str(&format!("  API key, {}, {}", validity(key), last_use(key)));
        }
        if let Some(link) = &client.link {
            let of = owner(&state, link).unwrap_or("a removed client");
            line.push_str(&format!("  link to {} for {of}, {}", link.path, of_link(link)));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    print(&text)
}

/// The name of the client that a link acts for, unless it was removed.
fn owner<'s>(state: &'s State, link: &AccessLink) -> Option<&'s str> {
    state.clients().find(|it| it.number == link.of).map(|it| it.name.as_str())
}

/// What a link allows, and for how long.
fn of_link(link: &AccessLink) -> String {
    let operations: Vec<_> = link.operations.iter().map(|it| it.as_str()).collect();
    let end = if now() < link.expires { "until" } else { "expired" };
    let uses = link.uses.map(|uses| format!(", {} of {uses} uses", link.used));
    let (operations, uses) = (operations.join(" "), uses.unwrap_or_default());
    format!("{operations}, {end} {}{uses}", rfc3339(link.expires))
}

/// Until when an API key is valid.
fn validity(key: ApiKey) -> String {
    match key.expires {
        None => "does not expire".to_owned(),
        Some(end) if key.is_valid_at(now()) => format!("until {}", rfc3339(end)),
        Some(end) => format!("expired {}", rfc3339(end)),
    }
}

/// When it was last used, up to an hour before the truth.
fn last_use(key: ApiKey) -> String {
    key.last_used.map_or("never used".to_owned(), |at| format!("last used {}", rfc3339(at)))
}

/// Prints what was done; a secret is shown only this once.
fn print_client(
    client: &RegisteredClient,
    secret: Option<&Secret>,
    what: &str,
    as_json_text: bool,
) -> Outcome {
    if as_json_text {
        return print(&format!("{:#}\n", as_json(client, secret)));
    }
    let mut text = format!("{what} {}\n  client_id      {}\n", client.name, client.id);
    if let Some((name, shown)) = secret.map(|secret| shown(client, secret)) {
        text.push_str(&format!("  {name:<13}  {}  (shown only now)\n", shown.expose()));
    }
    if let Some(link) = &client.link {
        text.push_str(&format!("  allows         {}\n", of_link(link)));
    }
    if let Some(key) = client.key {
        text.push_str(&format!("  validity       {}\n", validity(key)));
    }
    if !client.roles.is_empty() {
        text.push_str(&format!("  roles          {}\n", client.roles.join(" ")));
    }
    if let Some(role) = &client.db_role {
        text.push_str(&format!("  database role  {role}\n"));
    }
    if let Some(tenant) = &client.tenant {
        text.push_str(&format!("  tenant         {tenant}\n"));
    }
    print(&text)
}

fn as_json(client: &RegisteredClient, secret: Option<&Secret>) -> Value {
    let mut value = json!({
        "name": client.name,
        "client_id": client.id.as_str(),
        "roles": client.roles,
        "created": rfc3339(client.created),
    });
    if let (Some(role), Some(object)) = (&client.db_role, value.as_object_mut()) {
        object.insert("db_role".into(), role.as_str().into());
    }
    if let (Some(tenant), Some(object)) = (&client.tenant, value.as_object_mut()) {
        object.insert("tenant".into(), tenant.as_str().into());
    }
    if let Some(key) = client.key {
        value["expires"] = key.expires.map(rfc3339).into();
        value["last_used"] = key.last_used.map(rfc3339).into();
    }
    if let Some(secret) = secret {
        let (name, shown) = shown(client, secret);
        value[name] = shown.expose().into();
    }
    if let Some(link) = &client.link {
        value["link"] = json!({
            "path": link.path, "operations": link.operations, "expires": rfc3339(link.expires), "uses": link.uses,
            "used": link.used,
        });
    }
    value
}

/// What is shown of a new secret, and its name: of a link its address.
fn shown(client: &RegisteredClient, secret: &Secret) -> (&'static str, Secret) {
    match &client.link {
        Some(link) => ("address", link.address(secret)),
        None if client.key.is_some() => ("api_key", secret.clone()),
        None => ("client_secret", secret.clone()),
    }
}

/// The location of the clients.
enum ClientStore {
    File(StateFile),
    Database(Box<(tokio::runtime::Runtime, Box<dyn StateTable>)>),
}

impl ClientStore {
    /// The location, created if necessary. A role that is named is granted what serving takes; where the location is
    /// new and none is named, a warning says what that is.
    fn make(place: &ClientPlace, server_role: Option<&str>) -> Outcome<Self> {
        match wanted(place)? {
            StoreLocation::File(path) => Ok(Self::File(StateFile::open(&path, now())?)),
            StoreLocation::Database(url) => {
                let opened = database(&url)?;
                let is_new = opened.0.block_on(opened.1.create(now()))?;
                if is_new || server_role.is_some() {
                    let said = server_role::granted(&url, OwnPart::State, server_role)?;
                    note(said.trim_end());
                }
                Ok(Self::Database(Box::new(opened)))
            }
        }
    }

    /// The location, which must exist.
    fn open(place: &ClientPlace) -> Outcome<Self> {
        match wanted(place)? {
            StoreLocation::File(path) => match StateFile::open_existing(&path)? {
                Some(file) => Ok(Self::File(file)),
                None => {
                    let message = format!("There is no state file {}.", path.display());
                    let hint = "`duet client add NAME --state PATH` creates it.";
                    Err(CommandError::file(message).hint(hint))
                }
            },
            StoreLocation::Database(url) => Ok(Self::Database(Box::new(database(&url)?))),
        }
    }

    /// Whether the database allows clients to run under a role. For a file the database is not
    /// known yet: it is checked when the file is served.
    fn check_role(&self, role: &DbRole) -> Result<()> {
        match self {
            Self::File(_) => Ok(()),
            Self::Database(opened) => opened.0.block_on(opened.1.check_role(role)),
        }
    }

    fn load(&self) -> Result<State> {
        match self {
            Self::File(file) => Ok(file.load()?.0),
            Self::Database(opened) => {
                let (runtime, table) = &**opened;
                runtime.block_on(table.load())?.ok_or_else(|| table.missing())
            }
        }
    }

    fn update<T: Send>(&self, change: impl FnOnce(&mut State) -> Result<T> + Send) -> Result<T> {
        match self {
            Self::File(file) => file.update(change),
            Self::Database(opened) => opened.0.block_on(opened.1.update(change)),
        }
    }
}

/// A location as given.
enum StoreLocation {
    File(PathBuf),
    Database(DatabaseUrl),
}

fn wanted(place: &ClientPlace) -> Outcome<StoreLocation> {
    if let Some(url) = &place.in_database {
        return Ok(StoreLocation::Database(DatabaseUrl::read(url, Path::new(""))?));
    }
    let variable = || std::env::var_os("DUET_STATE").filter(|path| !path.is_empty());
    let path = place.state.clone().or_else(|| variable().map(PathBuf::from));
    path.map(StoreLocation::File).ok_or_else(|| {
        CommandError::refusal("Where are the clients kept?")
            .hint("Say `--state PATH`, or `--in-database URL` for PostgreSQL.")
    })
}

fn database(url: &DatabaseUrl) -> Outcome<(tokio::runtime::Runtime, Box<dyn StateTable>)> {
    warn_of(url)?;
    let table = url.state_table()?.ok_or_else(|| {
        CommandError::refusal(format!("{} keeps no clients.", url.title()))
            .hint("Say `--state PATH`, or `--in-database URL` for PostgreSQL.")
    })?;
    Ok((crate::runtime::runtime()?, table))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants() {
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_251_199, "2024-02-29T23:59:59Z"),
            (1_798_761_600, "2027-01-01T00:00:00Z"),
        ] {
            assert_eq!(rfc3339(seconds), expected);
        }
    }
}
