//! The client that is created for a run if there is no other: in memory alone.

use duet_auth::{Client, Secret, State, role};
use duet_model::Result;

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
}
