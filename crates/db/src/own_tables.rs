//! Makes tables of Duet's own, on request alone: `serve` makes nothing in a user's database.

use std::path::Path;
use std::time::Duration;

use duet_model::{Code, Error, Result};
use rusqlite::{Connection, OpenFlags};

use crate::own_rights::OwnPart;
use crate::postgres::connect::Settings;
use crate::postgres::sqlstate;

/// How long another program's lock on a SQLite file is waited for.
const BUSY: Duration = Duration::from_secs(5);

/// Grants a role what it needs to serve with tables of Duet's own in a PostgreSQL database.
///
/// # Errors
/// `Setting` where the user may not grant it or there is no such role; others where the database cannot be reached.
pub async fn grant_to_server(settings: &Settings, part: OwnPart, role: &str) -> Result<()> {
    let (client, connection) = settings.connector()?.connect().await?;
    let running = tokio::spawn(connection);
    let script = format!("BEGIN READ WRITE; {}; COMMIT", part.grants(role).join("; "));
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

/// Tables that belong together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwnTables {
    /// What messages call them: `The table duet.idempotency`.
    pub(crate) what: &'static str,
    /// Makes them, unless they exist.
    pub(crate) create: &'static str,
    /// A row if they exist, none if not.
    pub(crate) exists: &'static str,
}

impl OwnTables {
    /// Makes the schema `duet` and the tables in a PostgreSQL database; `false` where they exist.
    ///
    /// # Errors
    /// `Setting` where the user may not make them; others where the database cannot be reached.
    pub(crate) async fn make_in_postgres(self, settings: &Settings) -> Result<bool> {
        let (client, connection) = settings.connector()?.connect().await?;
        let running = tokio::spawn(connection);
        let prepared = self.make_by(&client).await;
        drop(client);
        // It ends with the client; how it ends says nothing more.
        drop(running.await);
        prepared
    }

    async fn make_by(self, client: &tokio_postgres::Client) -> Result<bool> {
        let found = client.query_opt(self.exists, &[]).await;
        if found.map_err(|error| sqlstate::error_of(&error))?.is_some() {
            return Ok(false);
        }
        // Connections of this program only read unless they say otherwise. Sent as one, it is one transaction.
        let sql = format!("BEGIN READ WRITE; {}; COMMIT", self.create);
        client.batch_execute(&sql).await.map_err(|error| {
            Error::new(Code::Setting, format!("{} cannot be made.", self.what))
                .hint("The user of the connection needs CREATE on the database, or on the schema `duet` where it exists.")
                .cause(sqlstate::chain(&error))
        })?;
        Ok(true)
    }

    /// Makes the tables in a SQLite file; `false` where they exist.
    ///
    /// # Errors
    /// `Setting` where there is no such file or it cannot be written.
    pub(crate) fn make_in_sqlite(self, path: &Path) -> Result<bool> {
        let failed = |error: rusqlite::Error| {
            let message = format!("{} cannot be written. Nothing was made.", path.display());
            Error::new(Code::Setting, message)
                .hint("Name an existing SQLite file that no other program has locked.")
                .cause(error)
        };
        let connection =
            Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(failed)?;
        connection.busy_timeout(BUSY).map_err(failed)?;
        let mut exists = connection.prepare(self.exists).map_err(failed)?;
        if exists.exists([]).map_err(failed)? {
            return Ok(false);
        }
        connection
            .execute_batch(&format!("BEGIN IMMEDIATE; {}; COMMIT", self.create))
            .map_err(failed)?;
        Ok(true)
    }
}
