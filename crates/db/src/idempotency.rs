//! Makes the table of idempotency keys, on request alone: `serve` makes nothing in a user's database.

use std::path::Path;
use std::time::Duration;

use duet_model::{Code, Error, Result};
use duet_sql::{Dialect, Postgres, Sqlite};
use rusqlite::{Connection, OpenFlags};

use crate::postgres::connect::Settings;
use crate::postgres::sqlstate;

/// How long another program's lock on a SQLite file is waited for.
const BUSY: Duration = Duration::from_secs(5);

/// Makes the schema `duet` and the table in a PostgreSQL database; `false` where the table exists.
///
/// # Errors
/// `Setting` where the user may not make them; others where the database cannot be reached.
pub async fn prepare_postgres(settings: &Settings) -> Result<bool> {
    let (client, connection) = settings.connector()?.connect().await?;
    let running = tokio::spawn(connection);
    let prepared = in_postgres(&client).await;
    drop(client);
    // It ends with the client; how it ends says nothing more.
    drop(running.await);
    prepared
}

async fn in_postgres(client: &tokio_postgres::Client) -> Result<bool> {
    let table = Postgres { icu: false }.key_table();
    let found = client.query_one(table.exists, &[]).await;
    let found = found.map_err(|error| sqlstate::error_of(&error))?;
    if found.get::<_, Option<&str>>(0).is_some() {
        return Ok(false);
    }
    // Connections of this program only read unless they say otherwise. Sent as one, it is one transaction.
    let sql = format!("SET default_transaction_read_only = off; BEGIN; {}; COMMIT", table.create);
    client.batch_execute(&sql).await.map_err(|error| {
        Error::new(Code::Setting, "The table duet.idempotency cannot be made.")
            .hint("The user of the connection needs CREATE on the database, or on the schema `duet` where it exists.")
            .cause(sqlstate::chain(&error))
    })?;
    Ok(true)
}

/// Makes the table in a SQLite file; `false` where it exists.
///
/// # Errors
/// `Setting` where there is no such file or it cannot be written.
pub fn prepare_sqlite(path: &Path) -> Result<bool> {
    let failed = |error: rusqlite::Error| {
        let message = format!("{} cannot be written. Nothing was made.", path.display());
        Error::new(Code::Setting, message)
            .hint("Name an existing SQLite file that no other program has locked.")
            .cause(error)
    };
    let connection =
        Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(failed)?;
    connection.busy_timeout(BUSY).map_err(failed)?;
    let table = Sqlite.key_table();
    let mut exists = connection.prepare(table.exists).map_err(failed)?;
    if exists.exists([]).map_err(failed)? {
        return Ok(false);
    }
    connection
        .execute_batch(&format!("BEGIN IMMEDIATE; {}; COMMIT", table.create))
        .map_err(failed)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_gets_its_table_once_and_no_file_is_made() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        assert_eq!(prepare_sqlite(&path).unwrap_err().code, Code::Setting);
        assert!(!path.exists());
        Connection::open(&path).unwrap().execute_batch("CREATE TABLE t (a)").unwrap();
        assert!(prepare_sqlite(&path).unwrap());
        assert!(!prepare_sqlite(&path).unwrap());
        let connection = Connection::open(&path).unwrap();
        let catalog = crate::introspect::sqlite::introspect(&connection).unwrap();
        let names: Vec<&str> = catalog.relations.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["t"], "the table of keys is not served");
    }
}
