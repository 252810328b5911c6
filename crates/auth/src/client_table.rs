//! The clients and keys of one moment, ready to check tokens and secrets: an immutable snapshot
//! that is built from a [`State`] and swapped whole by its owner.
//!
//! A token of a process that has read a newer state may be unknown here until this one has read it
//! too; a check never waits for that and never causes IO.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use duet_model::{Error, Result};
use subtle::Choice;

use crate::identity::DbRole;
use crate::principal::{Open, Principal};
use crate::secret::SecretHash;
use crate::state::{Client, State};
use crate::token::{IssuedToken, Keyring, TokenError};

/// Clients and keys, ready for use.
pub struct ClientTable {
    revision: u64,
    keyring: Keyring,
    /// Sorted by number.
    members: Box<[Member]>,
    /// Places in `members`.
    by_id: HashMap<Box<str>, usize>,
}

struct Member {
    number: u32,
    generation: u32,
    secret_hash: SecretHash,
    principal: Arc<Principal>,
}

impl Member {
    fn new(client: &Client, open: Open) -> Self {
        Self {
            number: client.number,
            generation: client.generation,
            secret_hash: client.secret_hash.clone(),
            principal: Arc::new(Principal::of_client(client, open)),
        }
    }
}

impl ClientTable {
    /// Prepares a state. `open` is what requests without a token may do: clients may do no less.
    pub fn new(state: &State, open: Open) -> Self {
        let mut clients: Vec<&Client> = state.clients().collect();
        clients.sort_unstable_by_key(|client| client.number);
        let by_id = clients.iter().enumerate();
        Self {
            revision: state.revision(),
            keyring: Keyring::new(state),
            by_id: by_id.map(|(place, client)| (client.id.as_str().into(), place)).collect(),
            members: clients.iter().map(|client| Member::new(client, open)).collect(),
        }
    }

    /// The revision of the state it was built from.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// The clients that have a role of the database, by name.
    pub fn db_roles(&self) -> impl Iterator<Item = (&str, &DbRole)> {
        self.members.iter().filter_map(|member| {
            let identity = member.principal.identity().ok().flatten()?;
            Some((member.principal.name(), identity.role()))
        })
    }

    /// How many clients there are.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there is no client.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Checks a token: form, key, tag, expiry, client and generation. Without IO or allocation.
    ///
    /// # Errors
    /// Why the token is not good; the answer is 401 in every case.
    #[inline]
    pub fn verify(&self, token: &str, now: u64) -> Result<&Arc<Principal>, TokenError> {
        let claims = self.keyring.open(token, now)?;
        let place = self.members.binary_search_by_key(&claims.client, |member| member.number);
        let member = &self.members[place.map_err(|_| TokenError::ClientRemoved)?];
        if member.generation != claims.generation {
            return Err(TokenError::Superseded);
        }
        Ok(&member.principal)
    }

    /// The client with this id and secret, if there is one. The secret is hashed and compared in
    /// constant time, and just as much is done for an id that does not exist.
    pub fn authenticate(&self, id: &str, secret: &str) -> Option<&Arc<Principal>> {
        let member = self.by_id.get(id).map(|place| &self.members[*place]);
        let expected = member.map_or(&SecretHash::NOBODY, |member| &member.secret_hash);
        let known = Choice::from(u8::from(member.is_some()));
        let matches = expected.matches(&SecretHash::of(id, secret)) & known;
        member.filter(|_| matches.into()).map(|member| &member.principal)
    }

    /// A token for a client, for `lifetime` seconds from `now`, at most
    /// [`crate::MAX_LIFETIME`] and not beyond the end of its key.
    ///
    /// # Errors
    /// `Internal` if the principal is anonymous, or without a random source or valid key.
    pub fn issue(&self, principal: &Principal, now: u64, lifetime: u32) -> Result<IssuedToken> {
        let subject = principal.token_subject();
        let subject = subject.ok_or_else(|| Error::internal("a token for an anonymous principal"));
        self.keyring.seal(subject?, now, lifetime)
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

    const NOW: u64 = 1_700_000_000;

    struct Setup {
        state: State,
        client: Client,
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
    fn a_token_leads_to_its_client() {
        let Setup { state, client, token, .. } = setup();
        let table = ClientTable::new(&state, Open::No);
        let principal = table.verify(&token, NOW).unwrap();
        assert_eq!(principal.client_id(), Some(client.id.as_str()));
        assert_eq!(principal.role_names(), ["driver"]);
        assert!(!principal.is_anonymous());
        assert_eq!((table.len(), table.is_empty()), (2, false));
    }

    #[test]
    fn rotation_and_removal_end_tokens() {
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
    fn only_the_right_secret_of_the_right_client_is_good() {
        let Setup { mut state, client, secret, .. } = setup();
        let id = client.id.as_str();
        let table = ClientTable::new(&state, Open::No);
        let other = state.find("other").unwrap().id.clone();
        for (id, secret) in [
            (id, ""),
            (id, "wrong"),
            ("", secret.expose()),
            ("nobody", secret.expose()),
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

    #[test]
    fn the_hash_of_nobody_is_never_a_match() {
        // Even if some secret hashed to it, an unknown client stays unknown.
        let table = ClientTable::new(&State::new(NOW).unwrap(), Open::No);
        assert!(bool::from(SecretHash::NOBODY.matches(&SecretHash::NOBODY)));
        assert!(table.authenticate("nobody", "anything").is_none());
    }

    #[test]
    fn debug_shows_no_secret() {
        let Setup { state, secret, token, .. } = setup();
        let shown = format!("{:?}", ClientTable::new(&state, Open::No));
        assert!(!shown.contains(secret.expose()) && !shown.contains(&token));
    }

    #[test]
    fn nobody_gets_no_token() {
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
