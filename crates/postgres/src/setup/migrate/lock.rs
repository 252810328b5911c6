//! The lock that keeps two migrations of a PostgreSQL schema apart: an advisory lock of a transaction on a connection
//! of its own, which ends with the connection, whatever ends that, and which a pooler keeps with its transaction.

use duet_model::{Code, Error, Result};
use tokio_postgres::Client;

use duet_client::connect::{Running, Settings};
use duet_client::sqlstate;
use duet_store::setup::migrate::IN_PROGRESS;

/// The first number of the lock: the bytes `duet`.
const NUMBER: i32 = 0x6475_6574;

/// A lock that is held.
pub(super) struct Lock {
    client: Client,
    running: tokio::task::JoinHandle<<Running as Future>::Output>,
}

/// Takes the lock of a schema.
///
/// # Errors
/// `Setting` if another migration has it.
pub(super) async fn take(settings: &Settings, schema: &str) -> Result<Lock> {
    let (client, connection) = settings.connector()?.connect().await?;
    let running = tokio::spawn(connection);
    let lock = Lock { client, running };
    // Without a snapshot, concurrent builds of indexes do not wait for this transaction.
    let begin =
        "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL idle_in_transaction_session_timeout = 0";
    lock.client.batch_execute(begin).await.map_err(|error| sqlstate::error_of(&error))?;
    let attempt = "SELECT pg_catalog.pg_try_advisory_xact_lock($1, pg_catalog.hashtext($2))";
    let row = lock.client.query_one(attempt, &[&NUMBER, &schema]).await;
    let row = row.map_err(|error| sqlstate::error_of(&error))?;
    if row.try_get(0).unwrap_or(false) {
        return Ok(lock);
    }
    lock.release().await;
    Err(Error::new(Code::Setting, IN_PROGRESS).hint("Wait until it has ended, then run it again."))
}

impl Lock {
    /// Checks that the lock is still held.
    pub(super) async fn check(&self) -> Result<()> {
        self.client.batch_execute("SELECT").await.map_err(|error| {
            let message = "The connection that keeps other migrations away was lost.";
            Error::new(Code::DatabaseUnavailable, message)
                .hint("Run the command again: it continues.")
                .cause(sqlstate::chain(&error))
        })
    }

    /// Gives the lock back before this returns: the server takes a moment to end a connection.
    pub(super) async fn release(self) {
        // Where the connection is lost, so is the lock.
        drop(self.client.batch_execute("ROLLBACK").await);
        drop(self.client);
        // It ends with the client; how it ends says nothing more.
        drop(self.running.await);
    }
}
