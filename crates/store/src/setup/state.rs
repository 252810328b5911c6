//! Duet's own state (clients and keys) in a database, made only on request.

use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;
use duet_auth::{DbRole, State};
use duet_model::{Error, Result};

use crate::news::News;

/// The table that holds the state of one database, which may not exist.
#[async_trait]
pub trait StateTable: Debug + Send + Sync {
    /// The database without its secrets, for messages.
    fn describe(&self) -> &str;

    /// Makes the table if it does not exist, with a new key and no clients. `now` is in seconds since the epoch. Whether
    /// it was made.
    ///
    /// # Errors
    /// `Setting` where the user may not make it; others where the database cannot be reached.
    async fn create(&self, now: u64) -> Result<bool>;

    /// The state, or none if it was not created.
    ///
    /// # Errors
    /// `Setting` where the user may not read it or it is damaged; others where the database cannot be reached.
    async fn load(&self) -> Result<Option<State>>;

    /// The state with its version, or none if it was not created or the user may not read it, as what is served may
    /// be another's database; see [`StateTable::version`].
    ///
    /// # Errors
    /// As [`StateTable::load`].
    async fn load_version(&self) -> Result<Option<(State, u64)>>;

    /// A number that changes with the content, whatever has changed it: cheap enough for every second. None where
    /// there is no state that the user may read.
    ///
    /// # Errors
    /// As [`StateTable::load`].
    async fn version(&self) -> Result<Option<u64>>;

    /// Changes the state; see [`update`](#method.update), which callers use.
    ///
    /// # Errors
    /// What `change` returns; `Setting` where there is no state or the user may not change it.
    async fn change(&self, change: Change<'_>) -> Result<()>;

    /// Whether the database lets its user take a role.
    ///
    /// # Errors
    /// [`Code::RoleUnusable`](duet_model::Code) where it does not, in words for the operator; others where the database
    /// cannot be queried.
    async fn check_role(&self, role: &DbRole) -> Result<()>;

    /// What the database tells of changes of the state, where it can.
    fn news(&self) -> Option<&Arc<News>> {
        None
    }

    /// The error if clients are requested and the table does not exist.
    fn missing(&self) -> Error;
}

/// A change of the state; nothing is kept if it fails. It is called once at most.
pub type Change<'c> = &'c mut (dyn FnMut(&mut State) -> Result<()> + Send);

impl dyn StateTable {
    /// Changes the state: reads it under a lock, lets `change` work on it, keeps the result.
    /// Nothing is kept if `change` fails. Other writers wait.
    ///
    /// # Errors
    /// What `change` returns; `Setting` where there is no state or the user may not change it.
    pub async fn update<T: Send>(
        &self,
        change: impl FnOnce(&mut State) -> Result<T> + Send,
    ) -> Result<T> {
        let (mut change, mut changed) = (Some(change), None);
        self.change(&mut |state| {
            if let Some(change) = change.take() {
                changed = Some(change(state)?);
            }
            Ok(())
        })
        .await?;
        changed.ok_or_else(|| Error::internal("the state was not changed"))
    }
}
