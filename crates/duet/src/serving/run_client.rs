//! The client that is created for a run if there is no other: in memory alone.

use duet_auth::{ClientCredentials, ClientId, RegisteredClient, Secret, State, role};
use duet_model::{Error, Result};
use serde::Deserialize as _;
use serde_json::{Value, json};
use zeroize::Zeroizing;

/// Its name in logs and lists.
const NAME: &str = "this run";

/// Its roles: all.
const ROLES: [&str; 4] = [role::READ, role::WRITE, role::EXECUTE, role::ADMIN];

/// The id and the secret that the operator has fixed, for programs that know them already.
#[derive(Debug, Default)]
pub(crate) struct FixedCredentials {
    /// The id; without one it is random.
    pub(crate) id: Option<String>,
    /// The secret; without one it is random.
    pub(crate) secret: Option<Zeroizing<String>>,
}

/// A client for one run, and the state that only holds it.
#[derive(Debug)]
pub(crate) struct RunClient {
    /// The client.
    pub(crate) client: RegisteredClient,
    /// Its secret.
    pub(crate) secret: Secret,
    /// Whether the operator has fixed the secret, so that it need not be shown.
    pub(crate) is_given: bool,
    /// The state with it and its own key.
    pub(crate) state: State,
}

impl RunClient {
    /// Creates one. `now` is in seconds since the epoch.
    ///
    /// # Errors
    /// `Setting` if a fixed id or secret cannot be one, `Internal` if the operating system has no random
    /// source.
    pub(crate) fn new(now: u64, fixed: &FixedCredentials) -> Result<Self> {
        let mut state = State::new(now)?;
        let id = ClientId::given_or_random(fixed.id.as_deref())?;
        let secret = Secret::given_or_random(fixed.secret.as_deref().map(String::as_str))?;
        let (client, secret) =
            state.add_with(NAME, &ROLES, now, ClientCredentials { id, secret })?;
        Ok(Self { client, secret, is_given: fixed.secret.is_some(), state })
    }

    /// For the instances of this run; it holds the secret.
    pub(crate) fn handed_on(&self) -> Value {
        json!({
            "client": self.client,
            "secret": self.secret.expose(),
            "given": self.is_given,
            "state": self.state,
        })
    }

    /// The client of the run, as an instance receives it.
    ///
    /// # Errors
    /// `Internal` if the message is malformed.
    pub(crate) fn from_handed_on(message: &Value) -> Result<Self> {
        let client = RegisteredClient::deserialize(&message["client"]).map_err(Error::internal)?;
        let secret = Secret::given_or_random(message["secret"].as_str())?;
        let state = State::deserialize(&message["state"]).map_err(Error::internal)?;
        let is_given = message["given"].as_bool().unwrap_or(false);
        Ok(Self { client, secret, is_given, state })
    }
}
