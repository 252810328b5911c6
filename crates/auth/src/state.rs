//! Duet's own state: clients and signing keys, and all operations that change them.
//!
//! Storage is separate: [`crate::state_file`] stores the state in a file, a table of one row with
//! `revision` and the JSON of [`State::to_json`] stores it in a database, and `serve` without clients
//! holds it only in memory.

use std::fmt;

use duet_model::tenant::TenantName;
use duet_model::{Code, Error, Result};
use duet_text::name;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::api_key::{self, ApiKey, Form, KeyUse};
use crate::encoding;
use crate::identity::DbRole;
use crate::link::AccessLink;
use crate::role;
use crate::secret::{KeyBytes, Secret, SecretHash};
use crate::session::{self, EndedSession, SessionId};

/// The version of the JSON without later additions.
const FIRST_VERSION: u32 = 1;

/// The version of a state whose clients have database roles. An older program would run such a
/// client's requests as Duet's own user, so it must refuse the state.
const WITH_DB_ROLES: u32 = 2;

/// The version of a state whose clients belong to tenants. An older program would let such a client reach
/// every tenant, so it must refuse the state.
const WITH_TENANTS: u32 = 3;

/// The version of a state with API keys. An older program would not know them, and that they expire.
const WITH_KEYS: u32 = 4;

/// The version of a state with links. An older program would take one for a client.
const WITH_LINKS: u32 = 5;

/// The version of a state with ended sessions. An older program would let them go on.
const WITH_SESSIONS: u32 = 6;

/// The maximum number of ended sessions in the record.
const MAX_ENDED: usize = 10_000;

/// The maximum number of removed clients in the record; the oldest are dropped first.
const MAX_REMOVED: usize = 1_000;

/// The longest name of a client, in characters.
const MAX_NAME_CHARS: usize = 100;

/// The maximum number of valid signing keys: the current one and, during rotation, the previous one.
const MAX_KEYS: usize = 2;

/// The longest id of a client.
const MAX_ID_BYTES: usize = 100;

/// A client's public id: 22 base64url characters of 16 random bytes, unless provided.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ClientId(String);

impl ClientId {
    /// A new random id. It begins with a letter or digit, so that a command line does not parse it as
    /// an option.
    ///
    /// # Errors
    /// `Internal` if the operating system has no random source.
    fn random() -> Result<Self> {
        loop {
            let text = encoding::base64url(&encoding::random::<16>()?);
            if text.starts_with(|first: char| first.is_ascii_alphanumeric()) {
                return Ok(Self(text));
            }
        }
    }

    /// The provided id, or a new random one.
    ///
    /// # Errors
    /// `Setting` if the provided id is invalid. It must have 1 to 100 letters, digits, `-`, `_`, `.`, `~`
    /// and `@`, the first a letter or digit.
    pub fn given_or_random(given: Option<&str>) -> Result<Self> {
        let Some(text) = given else { return Self::random() };
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~@".contains(&byte);
        let begins = text.starts_with(|first: char| first.is_ascii_alphanumeric());
        if !begins || text.len() > MAX_ID_BYTES || !text.bytes().all(fits) {
            let message = format!("{text:?} cannot be a client's id.");
            let hint = format!(
                "It has 1 to {MAX_ID_BYTES} letters, digits, `-`, `_`, `.`, `~` and `@`, the first a letter or digit."
            );
            return Err(Error::new(Code::Setting, message).hint(hint));
        }
        Ok(Self(text.to_owned()))
    }

    /// A new random one that says what it is the id of.
    pub(crate) fn of_form(form: Form) -> Result<Self> {
        api_key::random_id(form).map(Self)
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ClientId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A client that may request tokens, or a removed one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegisteredClient {
    /// A number that is never reused; tokens contain it.
    pub number: u32,
    /// The public id.
    pub id: ClientId,
    /// The operator's name for it, unique among clients that are not removed.
    pub name: String,
    /// The hash of the secret.
    pub secret_hash: SecretHash,
    /// The names of its roles, sorted.
    pub roles: Vec<String>,
    /// The database role under which all its requests run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub db_role: Option<DbRole>,
    /// The tenant to which its tokens belong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// What it has if its credential is an API key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<ApiKey>,
    /// What it has if it is a link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<AccessLink>,
    /// Incremented by each rotation; tokens of other generations are refused.
    pub generation: u32,
    /// When it was added, in seconds since the epoch.
    pub created: u64,
    /// When it was removed, in seconds since the epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed: Option<u64>,
}

/// A key that seals tokens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SigningKey {
    /// The first, unencrypted byte of a token; unique among the keys of a state.
    pub id: u8,
    /// The key itself.
    pub key: KeyBytes,
    /// When it was created, in seconds since the epoch.
    pub created: u64,
    /// When it stops opening tokens, in seconds since the epoch; `None` for the current key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retired_at: Option<u64>,
}

impl SigningKey {
    /// Whether the key opens tokens at the time `now`, in seconds since the epoch.
    pub fn opens_at(&self, now: u64) -> bool {
        self.retired_at.is_none_or(|end| now < end)
    }
}

/// All clients and keys.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    version: u32,
    revision: u64,
    next_number: u32,
    clients: Vec<RegisteredClient>,
    keys: Vec<SigningKey>,
    /// Sessions of browsers that were ended; none that has ended by itself since.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    ended: Vec<EndedSession>,
}

/// What a client authenticates with.
#[derive(Debug)]
pub struct ClientCredentials {
    /// Its id.
    pub id: ClientId,
    /// Its secret.
    pub secret: Secret,
}

impl ClientCredentials {
    /// An id with a random secret.
    fn of(id: ClientId) -> Result<Self> {
        Ok(Self { id, secret: Secret::random()? })
    }
}

impl State {
    /// A state without clients and with one new signing key.
    ///
    /// # Errors
    /// `Internal` if the operating system has no random source.
    pub fn new(now: u64) -> Result<Self> {
        let key = SigningKey { id: 1, key: KeyBytes::random()?, created: now, retired_at: None };
        Ok(Self {
            version: FIRST_VERSION,
            revision: 0,
            next_number: 1,
            clients: Vec::new(),
            keys: vec![key],
            ended: Vec::new(),
        })
    }

    /// The sessions that were ended.
    pub(crate) fn ended_sessions(&self) -> &[EndedSession] {
        &self.ended
    }

    /// Ends a session of a browser, and forgets those that no cookie can begin again.
    ///
    /// # Errors
    /// `Setting` if more sessions than the record keeps were ended within half an hour.
    pub fn end_session(&mut self, id: SessionId, now: u64) -> Result<()> {
        self.ended.retain(|ended| now < ended.until && ended.id != id);
        if self.ended.len() >= MAX_ENDED {
            let message = format!("{MAX_ENDED} sessions were ended within half an hour.");
            return Err(Error::new(Code::Setting, message)
                .hint("`duet client rotate` ends those of a client."));
        }
        self.ended.push(EndedSession { id, until: now.saturating_add(session::REMEMBERED) });
        self.version = self.version.max(WITH_SESSIONS);
        Ok(())
    }

    /// Incremented by each stored change; a re-read compares it.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Called by a store once per change, before it writes the new state.
    pub fn next_revision(&mut self) {
        self.revision = self.revision.wrapping_add(1);
    }

    /// The clients that are not removed, in the order in which they were added.
    pub fn clients(&self) -> impl Iterator<Item = &RegisteredClient> {
        self.clients.iter().filter(|client| client.removed.is_none())
    }

    /// The removed clients that are still in the record.
    pub fn removed_clients(&self) -> impl Iterator<Item = &RegisteredClient> {
        self.clients.iter().filter(|client| client.removed.is_some())
    }

    /// The one or two signing keys, oldest first.
    pub fn keys(&self) -> &[SigningKey] {
        &self.keys
    }

    /// Finds a client by its id or name.
    ///
    /// # Errors
    /// `Setting` if there is none, with the nearest name.
    pub fn find(&self, id_or_name: &str) -> Result<&RegisteredClient> {
        let by_id = self.clients().find(|client| client.id.as_str() == id_or_name);
        by_id.or_else(|| self.clients().find(|client| client.name == id_or_name)).ok_or_else(|| {
            let names = self.clients().map(|client| client.name.as_str());
            let hint = name::nearest(id_or_name, names)
                .map(|near| format!("Did you mean `{near}`?"))
                .unwrap_or_else(|| "`duet client list` shows all.".to_owned());
            let message = format!("There is no client with the id or name {id_or_name:?}.");
            Error::new(Code::Setting, message).hint(hint)
        })
    }

    /// Adds a client. The secret is returned only here; the state stores its hash.
    ///
    /// # Errors
    /// `Setting` if the name is taken or invalid, or a role name is invalid (see [`role::check`]).
    pub fn add(
        &mut self,
        name: &str,
        roles: &[&str],
        now: u64,
    ) -> Result<(RegisteredClient, Secret)> {
        self.add_with(name, roles, now, ClientCredentials::of(ClientId::random()?)?)
    }

    /// Adds a client with an existing id and secret.
    ///
    /// # Errors
    /// As [`State::add`], and `Setting` if another client has this id or name.
    pub fn add_with(
        &mut self,
        name: &str,
        roles: &[&str],
        now: u64,
        credentials: ClientCredentials,
    ) -> Result<(RegisteredClient, Secret)> {
        let ClientCredentials { id, secret } = credentials;
        self.check_name(name)?;
        if self.clients().any(|client| client.id == id || client.name == id.as_str()) {
            let message = format!("The id {:?} is another client's.", id.as_str());
            let hint = "Take another id, or remove that client first.";
            return Err(Error::new(Code::Setting, message).hint(hint));
        }
        for role in roles {
            role::check(role)?;
        }
        let mut roles: Vec<String> = roles.iter().map(|role| (*role).to_owned()).collect();
        roles.sort_unstable();
        roles.dedup();
        let number = self.next_number;
        let next_number = number.checked_add(1).ok_or_else(|| {
            Error::new(Code::Setting, "All client numbers are used up: start a new state.")
        })?;
        let client = RegisteredClient {
            number,
            name: name.to_owned(),
            secret_hash: SecretHash::of(id.as_str(), secret.expose()),
            id,
            roles,
            db_role: None,
            tenant: None,
            key: None,
            link: None,
            generation: 1,
            created: now,
            removed: None,
        };
        self.next_number = next_number;
        self.clients.push(client.clone());
        Ok((client, secret))
    }

    /// Adds a client whose credential is an API key, which is returned only here. It is valid until `expires`, in
    /// seconds since the epoch.
    ///
    /// # Errors
    /// As [`State::add`].
    pub fn add_key(
        &mut self,
        name: &str,
        roles: &[&str],
        now: u64,
        expires: Option<u64>,
    ) -> Result<(RegisteredClient, Secret)> {
        let credentials = ClientCredentials::of(ClientId::of_form(Form::Key)?)?;
        let (client, secret) = self.add_with(name, roles, now, credentials)?;
        self.version = self.version.max(WITH_KEYS);
        let added = self.find_mut(client.id.as_str())?;
        added.key = Some(ApiKey { expires, last_used: None });
        let shown = api_key::key_of(client.id.as_str(), &secret);
        Ok((added.clone(), shown))
    }

    /// Adds a link. Its token is returned only here.
    ///
    /// # Errors
    /// `Setting` if the name is taken or invalid, the client that it acts for is a link itself, or what is given of the link
    /// is wrong.
    pub fn add_link(
        &mut self,
        name: &str,
        link: AccessLink,
        now: u64,
    ) -> Result<(RegisteredClient, Secret)> {
        link.check(now)?;
        if self.clients().any(|client| client.number == link.of && client.link.is_some()) {
            let message = "A link cannot act for another link.";
            return Err(
                Error::new(Code::Setting, message).hint("Name the client that one acts for.")
            );
        }
        let credentials = ClientCredentials::of(ClientId::of_form(Form::Link)?)?;
        let (client, secret) = self.add_with(name, &[], now, credentials)?;
        self.version = self.version.max(WITH_LINKS);
        let added = self.find_mut(client.id.as_str())?;
        added.link = Some(link);
        let shown = api_key::key_of(added.id.as_str(), &secret);
        Ok((added.clone(), shown))
    }

    /// Counts a request by a link whose uses are limited; whether it may be made.
    pub fn use_link(&mut self, number: u32, now: u64) -> bool {
        let client = self.clients.iter_mut().find(|it| it.number == number && it.removed.is_none());
        let link = client.and_then(|client| client.link.as_mut());
        let Some(link) = link.filter(|link| link.is_valid_at(now)) else { return false };
        link.used = link.used.saturating_add(1);
        true
    }

    /// Stores the last uses of API keys. Later ones that are stored already stay.
    pub fn note_uses(&mut self, uses: &[KeyUse]) {
        for client in &mut self.clients {
            let used = uses.iter().filter(|used| used.client == client.number).map(|used| used.at);
            if let (Some(key), Some(at)) = (&mut client.key, used.max()) {
                key.last_used = key.last_used.max(Some(at));
            }
        }
    }

    /// Sets the database role under which all requests of a client run. It takes effect immediately,
    /// also for existing tokens.
    ///
    /// # Errors
    /// `Setting` if there is no such client.
    pub fn set_db_role(&mut self, id_or_name: &str, role: DbRole) -> Result<RegisteredClient> {
        let client = self.find_plain(id_or_name)?;
        client.db_role = Some(role);
        let client = client.clone();
        self.version = self.version.max(WITH_DB_ROLES);
        Ok(client)
    }

    /// Sets the tenant to which the tokens of a client belong. It takes effect immediately, also for existing
    /// tokens.
    ///
    /// # Errors
    /// `Setting` if there is no such client.
    pub fn set_tenant(
        &mut self,
        id_or_name: &str,
        tenant: &TenantName,
    ) -> Result<RegisteredClient> {
        let client = self.find_plain(id_or_name)?;
        client.tenant = Some(tenant.as_str().to_owned());
        let client = client.clone();
        self.version = self.version.max(WITH_TENANTS);
        Ok(client)
    }

    fn check_name(&self, name: &str) -> Result<()> {
        let fits = !name.trim().is_empty()
            && name.chars().count() <= MAX_NAME_CHARS
            && !name.chars().any(char::is_control);
        if !fits {
            let message = format!(
                "A client's name has 1 to {MAX_NAME_CHARS} characters and no control characters."
            );
            return Err(Error::new(Code::Setting, message));
        }
        if self.clients().any(|client| client.name == name) {
            let message = format!("There is already a client with the name {name:?}.");
            let hint = "Take another name, or rotate or remove that client.";
            return Err(Error::new(Code::Setting, message).hint(hint));
        }
        Ok(())
    }

    /// Gives a client other roles. They take effect immediately, also for existing tokens.
    ///
    /// # Errors
    /// `Setting` if there is no such client, or a role name is invalid.
    pub fn set_roles(&mut self, id_or_name: &str, roles: &[&str]) -> Result<RegisteredClient> {
        for role in roles {
            role::check(role)?;
        }
        let client = self.find_plain(id_or_name)?;
        client.roles = roles.iter().map(|role| (*role).to_owned()).collect();
        client.roles.sort_unstable();
        client.roles.dedup();
        Ok(client.clone())
    }

    /// Gives a client a new secret and revokes all its tokens; of an API key and of a link the whole of it is returned.
    ///
    /// # Errors
    /// `Setting` if there is no such client.
    pub fn rotate(&mut self, id_or_name: &str) -> Result<(RegisteredClient, Secret)> {
        let secret = Secret::random()?;
        let client = self.find_mut(id_or_name)?;
        client.generation = client.generation.checked_add(1).ok_or_else(|| {
            Error::new(Code::Setting, "This client was rotated too often: remove it and add it.")
        })?;
        client.secret_hash = SecretHash::of(client.id.as_str(), secret.expose());
        let shown = match client.key.is_some() || client.link.is_some() {
            true => api_key::key_of(client.id.as_str(), &secret),
            false => secret,
        };
        Ok((client.clone(), shown))
    }

    /// Removes a client and revokes all its tokens.
    ///
    /// # Errors
    /// `Setting` if there is no such client.
    pub fn remove(&mut self, id_or_name: &str, now: u64) -> Result<RegisteredClient> {
        let client = self.find_mut(id_or_name)?;
        client.removed = Some(now);
        client.secret_hash = SecretHash::PLACEHOLDER;
        let client = client.clone();
        self.forget_oldest_removed();
        Ok(client)
    }

    /// A client that has rights of its own, as a link has not.
    fn find_plain(&mut self, id_or_name: &str) -> Result<&mut RegisteredClient> {
        let client = self.find_mut(id_or_name)?;
        if client.link.is_some() {
            let message =
                "A link has the rights of the client that it acts for, and none of its own.";
            return Err(Error::new(Code::Setting, message).hint("Change that client."));
        }
        Ok(client)
    }

    fn find_mut(&mut self, id_or_name: &str) -> Result<&mut RegisteredClient> {
        let number = self.find(id_or_name)?.number;
        self.clients
            .iter_mut()
            .find(|client| client.number == number)
            .ok_or_else(|| Error::internal("a client that was found is missing"))
    }

    fn forget_oldest_removed(&mut self) {
        let mut surplus = self.removed_clients().count().saturating_sub(MAX_REMOVED);
        self.clients.retain(|client| {
            let forget = surplus > 0 && client.removed.is_some();
            surplus -= usize::from(forget);
            !forget
        });
    }

    /// Creates a new signing key. The previous key opens tokens for another `overlap` seconds: pass a
    /// little more than the longest token lifetime, or 0 if the key is compromised. A key from an
    /// earlier rotation ends immediately, because at most two are valid.
    ///
    /// # Errors
    /// `Internal` if the operating system has no random source.
    pub fn rotate_key(&mut self, now: u64, overlap: u64) -> Result<u8> {
        let key = KeyBytes::random()?;
        let surplus = (self.keys.len() + 1).saturating_sub(MAX_KEYS);
        self.keys.drain(..surplus);
        let end = now.saturating_add(overlap);
        for old in &mut self.keys {
            old.retired_at = Some(old.retired_at.map_or(end, |retired| retired.min(end)));
        }
        let id = self.keys.last().map_or(1, |last| last.id.wrapping_add(1));
        self.keys.push(SigningKey { id, key, created: now, retired_at: None });
        Ok(id)
    }

    /// The state as JSON. It contains the signing keys and must stay secret.
    ///
    /// # Errors
    /// `Internal` if serialization fails, which these types do not do.
    pub fn to_json(&self) -> Result<Zeroizing<String>> {
        serde_json::to_string_pretty(self).map(Zeroizing::new).map_err(Error::internal)
    }

    /// Parses the output of [`State::to_json`].
    ///
    /// # Errors
    /// `Setting` if the JSON is invalid, inconsistent, or of a newer version of Duet.
    pub fn from_json(json: &str) -> Result<Self> {
        let version: OnlyVersion = serde_json::from_str(json).map_err(not_a_state)?;
        if !(FIRST_VERSION..=WITH_SESSIONS).contains(&version.version) {
            let message = format!(
                "Duet's state has version {}, this program knows versions up to {WITH_SESSIONS}.",
                version.version
            );
            let hint = "It was written by another version of Duet: use that one or a newer one.";
            return Err(Error::new(Code::Setting, message).hint(hint));
        }
        let state: Self = serde_json::from_str(json).map_err(not_a_state)?;
        state.check().map_err(unreadable)?;
        Ok(state)
    }

    /// Checks the invariants that the functions above maintain.
    fn check(&self) -> Result<(), &'static str> {
        if self.keys.is_empty() || self.keys.len() > MAX_KEYS {
            return Err("there must be one or two signing keys");
        }
        if let [old, new] = &*self.keys
            && old.id == new.id
        {
            return Err("two signing keys have the same id");
        }
        if self.clients.iter().any(|client| client.number >= self.next_number) {
            return Err("a client's number is not below `next_number`");
        }
        let roles = self.clients.iter().any(|client| client.db_role.is_some());
        if roles && self.version < WITH_DB_ROLES {
            return Err("a client has a database role, which this version does not support");
        }
        if self.version < WITH_KEYS && self.clients.iter().any(|client| client.key.is_some()) {
            return Err("a client is an API key, which this version does not support");
        }
        if self.version < WITH_LINKS && self.clients.iter().any(|client| client.link.is_some()) {
            return Err("a client is a link, which this version does not support");
        }
        if self.version < WITH_SESSIONS && !self.ended.is_empty() {
            return Err("a session was ended, which this version does not support");
        }
        let tenants = self.clients.iter().filter_map(|client| client.tenant.as_ref());
        for tenant in tenants {
            if self.version < WITH_TENANTS {
                return Err("a client has a tenant, which this version does not support");
            }
            if tenant.parse::<TenantName>().is_err() {
                return Err("a client's tenant has no valid name");
            }
        }
        let mut numbers: Vec<_> = self.clients.iter().map(|client| client.number).collect();
        let mut ids: Vec<_> = self.clients().map(|client| &client.id).collect();
        numbers.sort_unstable();
        ids.sort_unstable();
        if numbers.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err("two clients have the same number");
        }
        if ids.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err("two clients have the same id");
        }
        Ok(())
    }
}

/// Parsed first, so that a newer version gives a better error than "unknown field".
#[derive(Deserialize)]
struct OnlyVersion {
    version: u32,
}

/// The error for invalid JSON. It only gives the position, because serde's messages may contain
/// values, which may be keys.
#[expect(clippy::needless_pass_by_value, reason = "the form that `map_err` wants")]
fn not_a_state(error: serde_json::Error) -> Error {
    let what = if error.is_data() { "it does not fit" } else { "it is not JSON" };
    unreadable(format!("{what} at line {}, column {}", error.line(), error.column()))
}

/// The error for a damaged state.
fn unreadable(cause: impl fmt::Display) -> Error {
    Error::new(Code::Setting, format!("Duet's state cannot be read: {cause}."))
        .hint("Restore it from a backup, or start with a new one and add the clients again.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_with_tenants_is_refused_by_older_programs() {
        let mut state = State::new(0).unwrap();
        let (client, _) = state.add("ledger", &[], 0).unwrap();
        let tenant = "diku".parse().unwrap();
        let client = state.set_tenant(client.id.as_str(), &tenant).unwrap();
        assert_eq!(client.tenant.as_deref(), Some("diku"));
        // A role that is set later does not take the version back.
        state.set_db_role(client.id.as_str(), "reader".parse().unwrap()).unwrap();
        assert_eq!(state.version, WITH_TENANTS);
        let json = state.to_json().unwrap();
        assert_eq!(State::from_json(&json).unwrap(), state);
        let older = json.replace("\"version\": 3", "\"version\": 2");
        assert!(State::from_json(&older).is_err());
        let invalid = json.replace("\"diku\"", "\"../diku\"");
        assert!(State::from_json(&invalid).is_err());
    }

    #[test]
    fn a_key_raises_the_version_and_is_shown_once() {
        let mut state = state();
        let (client, key) = state.add_key("etl", &["duet.read"], 5, Some(99)).unwrap();
        assert_eq!(client.key, Some(ApiKey { expires: Some(99), last_used: None }));
        assert!(key.expose().starts_with(&format!("{}_", client.id)));
        state.set_tenant("etl", &"diku".parse().unwrap()).unwrap();
        let use_at = |at| KeyUse { client: client.number, at };
        state.note_uses(&[use_at(70), use_at(60)]);
        state.note_uses(&[use_at(50), KeyUse { client: 77, at: 90 }]);
        assert_eq!(state.find("etl").unwrap().key.unwrap().last_used, Some(70));
        let json = state.to_json().unwrap();
        assert!(json.contains("\"version\": 4") && !json.contains(key.expose()));
        assert_eq!(State::from_json(&json).unwrap(), state);
        assert!(State::from_json(&json.replace("\"version\": 4", "\"version\": 3")).is_err());
        let (rotated, second) = state.rotate("etl").unwrap();
        assert_eq!(rotated.id, client.id);
        assert!(
            second.expose().starts_with(rotated.id.as_str()) && second.expose() != key.expose()
        );
    }

    fn state() -> State {
        State::new(1_000).unwrap()
    }

    #[test]
    fn add_stores_the_hash_and_lists_the_client() {
        let mut state = state();
        let (client, secret) =
            state.add("pit wall", &["duet.read", "driver", "driver"], 1_001).unwrap();
        assert_eq!(client.id.as_str().len(), 22);
        assert_eq!(client.roles, ["driver", "duet.read"]);
        assert_eq!(client.secret_hash, SecretHash::of(client.id.as_str(), secret.expose()));
        assert_eq!(state.clients().collect::<Vec<_>>(), [&client]);
        let json = state.to_json().unwrap();
        assert!(!json.contains(secret.expose()));
        assert!(!format!("{state:?} {client:?} {secret:?}").contains(secret.expose()));
    }

    #[test]
    fn json_round_trips() {
        let mut state = state();
        state.add("a", &[], 1).unwrap();
        state.add("b", &["duet.admin"], 2).unwrap();
        state.remove("a", 3).unwrap();
        state.rotate_key(4, 3_600).unwrap();
        state.next_revision();
        assert_eq!(State::from_json(&state.to_json().unwrap()).unwrap(), state);
    }

    #[test]
    fn names_and_roles_are_checked() {
        let mut state = state();
        state.add("taken", &[], 1).unwrap();
        for bad in ["", "  ", "taken", "line\nbreak", &"x".repeat(101)] {
            assert_eq!(state.add(bad, &[], 1).unwrap_err().code, Code::Setting, "{bad}");
        }
        assert!(state.add("new", &["duet.everything"], 1).is_err());
        assert_eq!(state.clients().count(), 1);
        let hint = state.find("takne").unwrap_err().hint.unwrap();
        assert_eq!(hint, "Did you mean `taken`?");
    }

    #[test]
    fn a_database_role_raises_the_version() {
        let mut state = state();
        state.add("a", &[], 1).unwrap();
        assert!(state.to_json().unwrap().contains("\"version\": 1"));
        assert!(state.set_db_role("b", "shop".parse().unwrap()).is_err());
        let client = state.set_db_role("a", "shop".parse().unwrap()).unwrap();
        assert_eq!(client.db_role.unwrap().as_str(), "shop");
        let json = state.to_json().unwrap();
        assert!(json.contains("\"version\": 2"));
        assert_eq!(State::from_json(&json).unwrap(), state);
        assert!(State::from_json(&json.replace("\"shop\"", "\"none\"")).is_err());
    }

    #[test]
    fn rotate_changes_secret_and_generation() {
        let mut state = state();
        let (before, first) = state.add("a", &[], 1).unwrap();
        let (after, second) = state.rotate(before.id.as_str()).unwrap();
        assert_eq!((before.generation, after.generation), (1, 2));
        assert_eq!(before.id, after.id);
        assert_ne!(first.expose(), second.expose());
        assert_ne!(before.secret_hash, after.secret_hash);
    }

    #[test]
    fn names_of_removed_clients_are_reusable_but_numbers_are_not() {
        let mut state = state();
        let (first, _) = state.add("a", &[], 1).unwrap();
        let removed = state.remove("a", 2).unwrap();
        assert_eq!(removed.removed, Some(2));
        assert_eq!(state.clients().count(), 0);
        assert!(state.rotate("a").is_err() && state.remove("a", 3).is_err());
        let (second, _) = state.add("a", &[], 4).unwrap();
        assert!(second.number > first.number);
    }

    #[test]
    fn the_record_of_removed_clients_is_bounded() {
        let mut state = state();
        for i in 0..MAX_REMOVED + 3 {
            state.add("a", &[], i as u64).unwrap();
            state.remove("a", i as u64).unwrap();
        }
        assert_eq!(state.removed_clients().count(), MAX_REMOVED);
        assert_eq!(state.removed_clients().next().unwrap().number, 4);
    }

    #[test]
    fn at_most_two_keys_are_valid() {
        let mut state = state();
        assert_eq!(state.rotate_key(2_000, 100).unwrap(), 2);
        assert_eq!(state.keys()[0].retired_at, Some(2_100));
        assert_eq!(state.rotate_key(2_001, 100).unwrap(), 3);
        let ids: Vec<_> = state.keys().iter().map(|key| key.id).collect();
        assert_eq!(ids, [2, 3]);
        for _ in 0..300 {
            state.rotate_key(3_000, 100).unwrap();
            state.check().unwrap();
        }
    }

    #[test]
    fn refuses_foreign_and_damaged_json_with_a_reason() {
        let good = state().to_json().unwrap().to_string();
        let newer = good.replace("\"version\": 1", "\"version\": 99");
        assert!(State::from_json(&newer).unwrap_err().message.contains("version 99"));
        let unknown = good.replace("\"revision\"", "\"extra\": 1, \"revision\"");
        let no_keys = r#"{"version":1,"revision":0,"next_number":1,"clients":[],"keys":[]}"#;
        for bad in ["", "{}", "[]", "null", &good[..good.len() - 2], &unknown, no_keys] {
            assert_eq!(State::from_json(bad).unwrap_err().code, Code::Setting, "{bad}");
        }
    }

    #[test]
    fn errors_do_not_contain_values() {
        let good = state().to_json().unwrap().to_string();
        for bad in ["\"revision\": \"hush\"", "\"revision\": 0, \"hush\": 1", "\"revision\": hush"]
        {
            let error = State::from_json(&good.replace("\"revision\": 0", bad)).unwrap_err();
            assert!(error.message.contains("line 3"), "{error}");
            assert!(!format!("{error:?}").contains("hush"), "{error:?}");
        }
    }

    #[test]
    fn refuses_duplicate_clients() {
        let mut state = state();
        let (client, _) = state.add("a", &[], 1).unwrap();
        state.clients.push(client);
        assert!(State::from_json(&state.to_json().unwrap()).is_err());
    }
}
