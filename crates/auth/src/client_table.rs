//! An immutable snapshot of clients and keys that checks tokens and secrets. It is built from a
//! [`State`]; its owner replaces the snapshot as a unit.
//!
//! A token issued by a process with a newer state may be unknown here until this process has read that
//! state too; a check never waits for it and never does IO.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use duet_model::{Error, Result, steps};
use subtle::Choice;

use crate::api_key::{self, ApiKey, Form, KeyInForce, KeyUse};
use crate::identity::DbRole;
use crate::link::AccessLink;
use crate::principal::{Open, Principal};
use crate::secret::SecretHash;
use crate::session::{self, BrowserSession, SessionId};
use crate::state::{RegisteredClient, State};
use crate::token::{IssuedToken, Keyring, TokenError};

/// Clients and keys, indexed for checks.
pub struct ClientTable {
    revision: u64,
    keyring: Keyring,
    /// Sorted by client number.
    members: Box<[Member]>,
    /// Positions in `members`.
    by_id: HashMap<Box<str>, usize>,
    /// The sessions of browsers that were ended.
    ended: HashSet<SessionId>,
}

struct Member {
    number: u32,
    generation: u32,
    secret_hash: SecretHash,
    principal: Arc<Principal>,
    key: Option<KeyInForce>,
    link: Option<AccessLink>,
}

impl Member {
    /// A link acts for one of `all`, which are sorted by their numbers.
    fn new(client: &RegisteredClient, all: &[&RegisteredClient], open: Open) -> Self {
        steps::step();
        let owner = |link: &AccessLink| all.binary_search_by_key(&link.of, |it| it.number).ok();
        let principal = match &client.link {
            None => Principal::of_client(client, open),
            Some(link) => {
                let owner = owner(link).map(|place| all[place]);
                Principal::of_link(client, link, owner, open)
            }
        };
        let is_dead = |link: &AccessLink| owner(link).is_none();
        Self {
            number: client.number,
            generation: client.generation,
            secret_hash: client.secret_hash.clone(),
            principal: Arc::new(principal),
            key: client.key.map(KeyInForce::new),
            link: client.link.clone().map(|link| match is_dead(&link) {
                true => AccessLink { expires: 0, ..link },
                false => link,
            }),
        }
    }
}

impl ClientTable {
    /// Seals a text that a client keeps for the server and neither reads nor changes. Only the same purpose opens it.
    ///
    /// # Errors
    /// `Internal` where no key is valid.
    pub fn seal_text(&self, purpose: &str, text: &str, now: u64) -> Result<String> {
        self.keyring.seal_text(purpose, text, now)
    }

    /// Opens such a text; `None` where it was not sealed for this purpose, or by a key that is not known any more.
    pub fn open_text(&self, purpose: &str, sealed: &str, now: u64) -> Option<String> {
        self.keyring.open_text(purpose, sealed, now)
    }

    /// Seals a session of a browser for its cookie.
    ///
    /// # Errors
    /// `Internal` where no key is valid.
    pub fn seal_session(&self, session: &BrowserSession, now: u64) -> Result<String> {
        self.keyring.seal_bytes(session::PURPOSE, &session.to_bytes(), now)
    }

    /// The session of a cookie; `None` where there is none, it was idle for too long, or was ended.
    pub fn open_session(&self, sealed: &str, now: u64) -> Option<BrowserSession> {
        let bytes = self.keyring.open_bytes(session::PURPOSE, sealed, now)?;
        let session = BrowserSession::from_bytes(&bytes)?;
        (!session.is_idle_at(now) && !self.has_ended(session.id)).then_some(session)
    }

    /// Whether the state says that a session was ended.
    pub fn has_ended(&self, id: SessionId) -> bool {
        self.ended.contains(&id)
    }

    /// Indexes a state. Clients may do at least what `open` allows requests without a token.
    pub fn new(state: &State, open: Open) -> Self {
        let mut clients: Vec<&RegisteredClient> = state.clients().collect();
        clients.sort_unstable_by_key(|client| client.number);
        let by_id = clients.iter().enumerate();
        Self {
            revision: state.revision(),
            keyring: Keyring::new(state),
            by_id: by_id.map(|(place, client)| (client.id.as_str().into(), place)).collect(),
            members: clients.iter().map(|client| Member::new(client, &clients, open)).collect(),
            ended: state.ended_sessions().iter().map(|ended| ended.id).collect(),
        }
    }

    /// The same table, which goes on counting the uses of keys where the one before it has counted.
    #[must_use]
    pub fn following(mut self, before: &Self) -> Self {
        for member in &mut self.members {
            let place = before.members.binary_search_by_key(&member.number, |it| it.number);
            let known = place.ok().and_then(|place| before.members[place].key.as_ref());
            if let (Some(key), Some(known)) = (&mut member.key, known) {
                key.follow(known);
            }
        }
        self
    }

    /// The API key of a client, with its last use as far as this process knows it; `None` for other clients.
    pub fn api_key(&self, id: &str) -> Option<ApiKey> {
        let key = self.members[*self.by_id.get(id)?].key.as_ref()?;
        Some(ApiKey { last_used: key.last_used(), ..key.key })
    }

    /// The uses of keys that are to be stored: those of keys whose stored use is older by [`crate::USE_GRAIN`].
    pub fn unstored_uses(&self) -> Vec<KeyUse> {
        let due = |member: &Member| {
            let at = member.key.as_ref()?.unstored()?;
            Some(KeyUse { client: member.number, at })
        };
        self.members.iter().filter_map(due).collect()
    }

    /// The revision of the state that the snapshot was built from.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// The clients that have a database role: name and role.
    pub fn db_roles(&self) -> impl Iterator<Item = (&str, &DbRole)> {
        self.members.iter().filter_map(|member| {
            let identity = member.principal.identity().ok().flatten()?;
            Some((member.principal.name(), identity.role()))
        })
    }

    /// The clients, in the order in which they were added.
    pub fn principals(&self) -> impl Iterator<Item = &Principal> {
        self.members.iter().map(|member| &*member.principal)
    }

    /// The number of clients.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there are no clients.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Checks a token's format, key, tag, expiry, client and generation, or an API key: its form alone says which of
    /// them a text is. Does no IO and no allocation.
    ///
    /// # Errors
    /// Why the token is invalid; the response is always 401.
    #[inline]
    pub fn verify(&self, token: &str, now: u64) -> Result<&Arc<Principal>, TokenError> {
        if let Some((id, secret)) = api_key::parts(Form::Key, token) {
            return self.verify_key(id, secret, now);
        }
        let claims = self.keyring.open(token, now)?;
        let place = self.members.binary_search_by(|member| {
            steps::step();
            member.number.cmp(&claims.client)
        });
        let member = &self.members[place.map_err(|_| TokenError::ClientRemoved)?];
        if member.generation != claims.generation {
            return Err(TokenError::Superseded);
        }
        Ok(&member.principal)
    }

    /// Checks an API key, which must have the form of one.
    ///
    /// # Errors
    /// As [`ClientTable::verify`].
    pub fn verify_api_key(&self, text: &str, now: u64) -> Result<&Arc<Principal>, TokenError> {
        let (id, secret) = api_key::parts(Form::Key, text).ok_or(TokenError::WrongKey)?;
        self.verify_key(id, secret, now)
    }

    /// Checks the token in the address of a link. Nothing is said of its end without the secret, and an unknown one costs
    /// the same work.
    ///
    /// # Errors
    /// Why it is not good.
    pub fn verify_link(&self, text: &str, now: u64) -> Result<&Arc<Principal>, TokenError> {
        let (id, secret) = api_key::parts(Form::Link, text).ok_or(TokenError::WrongLink)?;
        let member = self.by_id.get(id).map(|place| &self.members[*place]);
        let member = member.filter(|member| member.link.is_some());
        let member = self.matching(member, id, secret).ok_or(TokenError::WrongLink)?;
        match &member.link {
            Some(link) if link.is_valid_at(now) => Ok(&member.principal),
            _ => Err(TokenError::LinkEnded),
        }
    }

    /// The name of the client of this number.
    pub fn name_of(&self, number: u32) -> Option<&str> {
        let place = self.members.binary_search_by_key(&number, |it| it.number).ok()?;
        Some(self.members[place].principal.name())
    }

    /// The link of this id, as it is stored; `None` for other clients.
    pub fn link(&self, id: &str) -> Option<&AccessLink> {
        self.members[*self.by_id.get(id)?].link.as_ref()
    }

    /// An unknown id costs the same work as a wrong secret, and nothing is said of a key's expiry without the secret.
    fn verify_key(&self, id: &str, secret: &str, now: u64) -> Result<&Arc<Principal>, TokenError> {
        let member = self.by_id.get(id).map(|place| &self.members[*place]);
        let member = member.filter(|member| member.key.is_some());
        let member = self.matching(member, id, secret).ok_or(TokenError::WrongKey)?;
        match &member.key {
            Some(key) if key.key.is_valid_at(now) => key.note(now),
            _ => return Err(TokenError::KeyExpired),
        }
        Ok(&member.principal)
    }

    /// The member, if the secret is its. The secret is hashed and compared in constant time, also without a member.
    fn matching<'m>(
        &self,
        member: Option<&'m Member>,
        id: &str,
        secret: &str,
    ) -> Option<&'m Member> {
        let expected = member.map_or(&SecretHash::PLACEHOLDER, |member| &member.secret_hash);
        let known = Choice::from(u8::from(member.is_some()));
        let matches = expected.matches(&SecretHash::of(id, secret)) & known;
        member.filter(|_| matches.into())
    }

    /// The client with this id and secret, if there is one; none of an API key or a link, which get no tokens, as these
    /// could outlive them. The secret is hashed and compared in constant time; unknown ids cost the same work.
    pub fn authenticate(&self, id: &str, secret: &str) -> Option<&Arc<Principal>> {
        let member = self.by_id.get(id).map(|place| &self.members[*place]);
        let member = member.filter(|member| member.key.is_none() && member.link.is_none());
        self.matching(member, id, secret).map(|member| &member.principal)
    }

    /// Issues a token for a client. It expires `lifetime` seconds after `now`, at most
    /// [`crate::MAX_LIFETIME`], and not after its key.
    ///
    /// # Errors
    /// `Internal` if the principal is anonymous, or if there is no random source or no valid key.
    pub fn issue(&self, principal: &Principal, now: u64, lifetime: u32) -> Result<IssuedToken> {
        let subject = principal.token_subject();
        let subject = subject.ok_or_else(|| Error::internal("a token for an anonymous principal"));
        let (client, generation) = subject?;
        self.keyring.seal(client, generation, now, lifetime)
    }
}

impl fmt::Debug for ClientTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientTable")
            .field("revision", &self.revision)
            .field("keys", &self.keyring)
            .field("clients", &self.members.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::secret::Secret;
    use crate::state::ClientCredentials;

    const NOW: u64 = 1_700_000_000;

    struct Setup {
        state: State,
        client: RegisteredClient,
        secret: Secret,
        token: String,
    }

    fn setup() -> Setup {
        let mut state = State::new(NOW - 100).unwrap();
        state.add("other", &[], NOW).unwrap();
        let (client, secret) = state.add("a", &["driver"], NOW).unwrap();
        let table = ClientTable::new(&state, Open::No);
        let principal = table.authenticate(client.id.as_str(), secret.expose()).unwrap();
        let token = table.issue(principal, NOW, 3_600).unwrap().text;
        Setup { state, client, secret, token }
    }

    fn verify(state: &State, token: &str) -> Result<String, TokenError> {
        let table = ClientTable::new(state, Open::No);
        table.verify(token, NOW).map(|principal| principal.name().to_owned())
    }

    #[test]
    fn a_token_identifies_its_client() {
        let Setup { state, client, token, .. } = setup();
        let table = ClientTable::new(&state, Open::No);
        let principal = table.verify(&token, NOW).unwrap();
        assert_eq!(principal.client_id(), Some(client.id.as_str()));
        assert_eq!(principal.role_names(), ["driver"]);
        assert!(!principal.is_anonymous());
        assert_eq!((table.len(), table.is_empty()), (2, false));
    }

    #[test]
    fn rotation_and_removal_revoke_tokens() {
        let Setup { mut state, token, .. } = setup();
        assert_eq!(verify(&state, &token).unwrap(), "a");
        state.rotate("a").unwrap();
        assert_eq!(verify(&state, &token), Err(TokenError::Superseded));
        state.remove("a", NOW).unwrap();
        assert_eq!(verify(&state, &token), Err(TokenError::ClientRemoved));
        state.add("a", &["driver"], NOW).unwrap();
        assert_eq!(verify(&state, &token), Err(TokenError::ClientRemoved));
    }

    #[test]
    fn tokens_survive_a_restart_and_the_rotation_of_keys() {
        let Setup { mut state, token, .. } = setup();
        state.rotate_key(NOW, 4_000).unwrap();
        let state = State::from_json(&state.to_json().unwrap()).unwrap();
        assert_eq!(verify(&state, &token).unwrap(), "a");
    }

    #[test]
    fn accepts_only_the_clients_own_secret() {
        let Setup { mut state, client, secret, .. } = setup();
        let id = client.id.as_str();
        let table = ClientTable::new(&state, Open::No);
        let other = state.find("other").unwrap().id.clone();
        for (id, secret) in [
            (id, ""),
            (id, "wrong"),
            ("", secret.expose()),
            ("unknown", secret.expose()),
            (other.as_str(), secret.expose()),
            ("a", secret.expose()),
        ] {
            assert!(table.authenticate(id, secret).is_none(), "{id}");
        }
        assert!(table.authenticate(id, secret.expose()).is_some());
        let (_, new) = state.rotate("a").unwrap();
        let table = ClientTable::new(&state, Open::No);
        assert!(table.authenticate(id, secret.expose()).is_none());
        assert!(table.authenticate(id, new.expose()).is_some());
        state.remove("a", NOW).unwrap();
        let table = ClientTable::new(&state, Open::No);
        assert!(table.authenticate(id, new.expose()).is_none());
    }

    /// The table of some clients, and a check of a token of each, against those of twice as many.
    #[test]
    fn clients_cost_as_much_as_there_are() {
        let steps_of = |count: usize| {
            let mut state = State::new(NOW - 100).unwrap();
            for number in 0..count {
                state.add(&format!("c{number}"), &["driver"], NOW).unwrap();
            }
            let state = State::from_json(&state.to_json().unwrap()).unwrap();
            let all = || {
                let table = ClientTable::new(&state, Open::No);
                for member in &table.members {
                    let token = table.issue(&member.principal, NOW, 60).unwrap();
                    assert!(table.verify(&token.text, NOW).is_ok());
                }
            };
            steps::counted(all).1
        };
        let (once, twice) = (steps_of(2_000), steps_of(4_000));
        assert!(once > 2_000 && twice * 10 <= once * 22, "{once} steps, then {twice}");
    }

    #[test]
    fn an_api_key_authenticates_until_it_expires_or_changes() {
        let Setup { mut state, client, secret, .. } = setup();
        let (key, text) = state.add_key("etl", &["driver"], NOW, Some(NOW + 60)).unwrap();
        let table = ClientTable::new(&state, Open::No);
        assert_eq!(table.verify(text.expose(), NOW + 59).unwrap().name(), "etl");
        assert_eq!(table.verify(text.expose(), NOW + 60), Err(TokenError::KeyExpired));
        let id = key.id.as_str();
        let inner = api_key::parts(Form::Key, text.expose()).unwrap().1;
        assert!(table.authenticate(id, inner).is_none(), "a key gets no token");
        for (id, secret) in [(id, secret.expose()), ("duk_AAAAAAAAAAAA", inner), (id, "")] {
            let other = format!("{id}_{secret}");
            assert!(table.verify(&other, NOW).unwrap_err().is_suspicious(), "{other}");
        }
        assert_eq!(table.verify_api_key(secret.expose(), NOW), Err(TokenError::WrongKey));
        assert_eq!(table.api_key(id).unwrap().last_used, Some(NOW + 59));
        assert_eq!(table.api_key(client.id.as_str()), None);
        let used = KeyUse { client: key.number, at: NOW + 59 };
        assert_eq!(table.unstored_uses(), [used]);
        state.note_uses(&[used]);
        let after = ClientTable::new(&state, Open::No).following(&table);
        assert_eq!(after.unstored_uses(), []);
        state.rotate("etl").unwrap();
        let after = ClientTable::new(&state, Open::No);
        assert_eq!(after.verify(text.expose(), NOW), Err(TokenError::WrongKey));
    }

    /// A plain client whose id looks like a key's has no key.
    #[test]
    fn a_clients_secret_is_no_key() {
        let mut state = State::new(NOW).unwrap();
        let id = crate::ClientId::given_or_random(Some("duk_AAAAAAAAAAAA")).unwrap();
        let credentials = ClientCredentials { id, secret: Secret::random().unwrap() };
        let (_, secret) = state.add_with("a", &[], NOW, credentials).unwrap();
        let table = ClientTable::new(&state, Open::No);
        let text = format!("duk_AAAAAAAAAAAA_{}", secret.expose());
        assert_eq!(table.verify(&text, NOW), Err(TokenError::WrongKey));
    }

    #[test]
    fn the_placeholder_hash_never_authenticates() {
        // Even if a secret had this hash, an unknown client stays unknown.
        let table = ClientTable::new(&State::new(NOW).unwrap(), Open::No);
        assert!(bool::from(SecretHash::PLACEHOLDER.matches(&SecretHash::PLACEHOLDER)));
        assert!(table.authenticate("unknown", "anything").is_none());
    }

    #[test]
    fn debug_shows_no_secret() {
        let Setup { state, secret, token, .. } = setup();
        let shown = format!("{:?}", ClientTable::new(&state, Open::No));
        assert!(!shown.contains(secret.expose()) && !shown.contains(&token));
    }

    #[test]
    fn issues_no_token_to_an_anonymous_principal() {
        let table = ClientTable::new(&State::new(NOW).unwrap(), Open::All);
        assert!(table.issue(&Principal::anonymous(Open::All, None), NOW, 60).is_err());
    }

    proptest! {
        #[test]
        fn no_input_panics(id in ".*", secret in ".*", token in ".*", now: u64) {
            let Setup { state, .. } = setup();
            let table = ClientTable::new(&state, Open::No);
            prop_assert!(table.authenticate(&id, &secret).is_none());
            prop_assert!(table.verify(&token, now).is_err());
        }
    }
}
