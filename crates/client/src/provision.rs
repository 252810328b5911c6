//! Founding a database: its role and itself, made by an administrator's connection where they are absent.

use duet_model::{Error, Result};
use tokio_postgres::Client;
use tokio_postgres::error::SqlState;

use super::connect::Settings;
use super::sqlstate;

/// What was made; all else was there already and is as it was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProvisionedObjects {
    /// The role.
    pub role: bool,
    /// The database, owned by the role.
    pub database: bool,
}

/// Makes the role and the database that `wanted` connects with, where they are absent. A role that is
/// there keeps its password, a database its owner. Safe to repeat, and to run concurrently.
///
/// The password leaves as a SCRAM verifier (RFC 5803), so that no log of the server contains it.
///
/// # Errors
/// As [`PostgresConnector::connect`](super::connect::PostgresConnector::connect) with the administrator's settings, and
/// `DatabaseDenied` where the administrator may not make them.
pub async fn provision(administrator: &Settings, wanted: &Settings) -> Result<ProvisionedObjects> {
    let (client, connection) = administrator.connector()?.connect().await?;
    let running = tokio::spawn(connection);
    let provisioned = both(&client, wanted).await;
    drop(client);
    // It ends with the client; how it ends says nothing more.
    drop(running.await);
    provisioned
}

async fn both(client: &Client, wanted: &Settings) -> Result<ProvisionedObjects> {
    // Connections of this program only read unless they say otherwise.
    run(client, "SET default_transaction_read_only = off").await?;
    let (role, database) = (quoted(wanted.user()), quoted(wanted.database()));
    let mut provisioned = ProvisionedObjects::default();
    let known = "SELECT FROM pg_catalog.pg_roles WHERE rolname = $1";
    if !is_there(client, known, wanted.user()).await? {
        // A verifier has letters, digits and `$:+/=-` alone: nothing of it ends a literal.
        let password = wanted.verifier().map_or(String::new(), |it| format!(" PASSWORD '{it}'"));
        provisioned.role = run(client, &format!("CREATE ROLE {role} LOGIN{password}")).await?;
    }
    let known = "SELECT FROM pg_catalog.pg_database WHERE datname = $1";
    if !is_there(client, known, wanted.database()).await? {
        provisioned.database =
            run(client, &format!("CREATE DATABASE {database} OWNER {role}")).await?;
    }
    Ok(provisioned)
}

async fn is_there(client: &Client, sql: &str, name: &str) -> Result<bool> {
    let rows = client.query(sql, &[&name]).await;
    Ok(!rows.map_err(|error| sqlstate::error_of(&error))?.is_empty())
}

/// Runs a statement; `false` where another session made the same at this moment.
async fn run(client: &Client, sql: &str) -> Result<bool> {
    let Err(error) = client.batch_execute(sql).await else { return Ok(true) };
    let known =
        [SqlState::DUPLICATE_OBJECT, SqlState::DUPLICATE_DATABASE, SqlState::UNIQUE_VIOLATION];
    match error.code() {
        Some(state) if known.contains(state) => Ok(false),
        _ => Err(refused(&error)),
    }
}

fn refused(error: &tokio_postgres::Error) -> Error {
    sqlstate::error_of(error).hint("Roles and databases are created by a superuser of PostgreSQL.")
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
