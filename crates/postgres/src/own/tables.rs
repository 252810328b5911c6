//! Makes tables of Duet's own, on request alone, and lets the role of `duet serve` use them.

use duet_client::connect::Settings;
use duet_client::sqlstate;
use duet_model::{Code, Error, Result};
use duet_sql::Postgres;
use duet_store::setup::own_part::{OwnPart, OwnTables};
use tokio_postgres::Client;

use super::rights::grants;

/// Grants a role what it needs to serve with tables of Duet's own in a PostgreSQL database.
///
/// # Errors
/// `Setting` where the user may not grant it or there is no such role; others where the database cannot be reached.
pub(crate) async fn grant_to_server(settings: &Settings, part: OwnPart, role: &str) -> Result<()> {
    let (client, connection) = settings.connector()?.connect().await?;
    let running = tokio::spawn(connection);
    let script = format!("BEGIN READ WRITE; {}; COMMIT", grants(part, role).join("; "));
    let granted = client.batch_execute(&script).await;
    drop(client);
    // It ends with the client; how it ends says nothing more.
    drop(running.await);
    granted.map_err(|error| {
        Error::new(Code::Setting, format!("The role {role:?} cannot be given its rights."))
            .hint("Name an existing role, and connect as the owner of the schema `duet`.")
            .cause(sqlstate::chain(&error))
    })
}

/// Makes the schema `duet` and tables in it; `false` where they exist.
///
/// # Errors
/// `Setting` where the user may not make them, or a command of their own does; others where the database cannot be
/// reached.
pub(crate) async fn make_own(settings: &Settings, part: OwnPart) -> Result<bool> {
    let tables = OwnTables::of(part, &Postgres { icu: false }).ok_or_else(|| {
        Error::new(Code::Setting, "These tables are made by commands of their own.")
    })?;
    let (client, connection) = settings.connector()?.connect().await?;
    let running = tokio::spawn(connection);
    let made = make_by(tables, &client).await;
    drop(client);
    // It ends with the client; how it ends says nothing more.
    drop(running.await);
    made
}

/// Runs the statements of a script in one transaction.
///
/// # Errors
/// `Setting` where the user may not; others where the database cannot be reached.
pub(crate) async fn run_script(settings: &Settings, script: &str) -> Result<()> {
    let (client, connection) = settings.connector()?.connect().await?;
    let running = tokio::spawn(connection);
    let done = client.batch_execute(&format!("BEGIN READ WRITE; {script} COMMIT")).await;
    drop(client);
    // It ends with the client; how it ends says nothing more.
    drop(running.await);
    done.map_err(|error| {
        Error::new(Code::Setting, "The database cannot be prepared. Nothing was changed.")
            .hint("Connect as the owner of the tables and of the schema `duet`, or as a superuser.")
            .cause(sqlstate::chain(&error))
    })
}

/// The error of tables that exist, and that the user of the connection may not use.
fn not_allowed(what: &str) -> Error {
    let message = format!("{what} cannot be used by the user of the connection.");
    Error::new(Code::Setting, message).hint(
        "They exist: let their owner grant what the server needs, by the same command with `--server-role`.",
    )
}

async fn make_by(tables: OwnTables, client: &Client) -> Result<bool> {
    let found = client.query_opt(tables.exists, &[]).await;
    if found.map_err(|error| sqlstate::error_of(&error))?.is_some() {
        let usable = client.query_opt(tables.usable, &[]).await;
        return match usable.map_err(|error| sqlstate::error_of(&error))? {
            Some(_) => Ok(false),
            None => Err(not_allowed(tables.what)),
        };
    }
    // Connections of this program only read unless they say otherwise. Sent as one, it is one transaction.
    let sql = format!("BEGIN READ WRITE; {}; COMMIT", tables.create);
    client.batch_execute(&sql).await.map_err(|error| {
        Error::new(Code::Setting, format!("{} cannot be made.", tables.what))
            .hint("The user of the connection needs CREATE on the database, or on the schema `duet` where it exists.")
            .cause(sqlstate::chain(&error))
    })?;
    Ok(true)
}
