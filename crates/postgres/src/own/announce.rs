//! Event triggers by which every change of the schema is announced to the servers that listen by any program.

use duet_client::connect::Settings;
use duet_client::sqlstate;
use duet_model::{Code, Error, Result};

const ANNOUNCE: &str = include_str!("announce.sql");

/// Makes them, or makes them anew.
///
/// # Errors
/// `Setting` where the user may not: it takes a superuser. Others where the database cannot be reached.
pub(crate) async fn announce_schema(settings: &Settings) -> Result<()> {
    let (client, connection) = settings.connector()?.connect().await?;
    let running = tokio::spawn(connection);
    // Connections of this program only read unless they say otherwise. Sent as one, it is one transaction.
    let made = client.batch_execute(&format!("BEGIN READ WRITE; {ANNOUNCE} COMMIT")).await;
    drop(client);
    // It ends with the client; how it ends says nothing more.
    drop(running.await);
    made.map_err(|error| {
        let message = "The event triggers that tell of changes of the schema cannot be made.";
        Error::new(Code::Setting, message)
            .hint("Connect as a superuser. Without them, changes that other programs make are seen every `--schema-poll`.")
            .cause(sqlstate::chain(&error))
    })
}
