//! The client that is created for a run if there is no other: in memory alone.

use duet_auth::{Client, Secret, State, role};
use duet_model::{Error, Result};
use serde::Deserialize as _;
use serde_json::{Value, json};

/// Its name in logs and lists.
const NAME: &str = "this run";

/// Its roles: all.
const ROLES: [&str; 4] = [role::READ, role::WRITE, role::EXECUTE, role::ADMIN];

/// A client for one run, and the state that only holds it.
#[derive(Debug)]
pub(crate) struct RunClient {
    /// The client.
    pub(crate) client: Client,
    /// Its secret.
    pub(crate) secret: Secret,
    /// The state with it and its own key.
    pub(crate) state: State,
}

impl RunClient {
    /// Creates one. `now` is in seconds since the epoch.
    ///
    /// # Errors
    /// `Internal` if the operating system has no random source.
    pub(crate) fn new(now: u64) -> Result<Self> {
        let mut state = State::new(now)?;
        let (client, secret) = state.add(NAME, &ROLES, now)?;
        Ok(Self { client, secret, state })
    }

    /// For the instances of this run; it holds the secret.
    pub(crate) fn handed_on(&self) -> Value {
        json!({ "client": self.client, "secret": self.secret.expose(), "state": self.state })
    }

    /// The client of the run, as an instance receives it.
    ///
    /// # Errors
    /// `Internal` if the message is malformed.
    pub(crate) fn from_handed_on(message: &Value) -> Result<Self> {
        let client = Client::deserialize(&message["client"]).map_err(Error::internal)?;
        let secret = Secret::given_or_random(message["secret"].as_str())?;
        let state = State::deserialize(&message["state"]).map_err(Error::internal)?;
        Ok(Self { client, secret, state })
    }
}
