//! Copies of some documents of collections, in which indexes are tried without touching the tables themselves: a schema
//! of its own on PostgreSQL, a file of its own on SQLite.

use std::path::Path;

use duet_model::collection::{DOCUMENT, KEY};
use duet_model::{Code, CollectionTable, Error, Result};
use duet_sql::in_order_of_references;
use rusqlite::Connection;

use crate::collections::run;
use crate::postgres::connect::Settings;
use crate::postgres::sqlstate;
use crate::sqlite::functions;

/// The schema of the copies on PostgreSQL.
pub const SCHEMA: &str = "duet_advise";

/// The statements that copy up to so many documents of each table, those alone whose references are in the copy.
fn copies(tables: Vec<CollectionTable>, [to, from]: [&str; 2], rows: u64) -> Vec<String> {
    let copy = |table: &CollectionTable| {
        let name = quoted(&table.name);
        let (own, columns) =
            (format!("{to}.{name}"), format!("{}, {}", quoted(KEY), quoted(DOCUMENT)));
        let condition = |column: String, other: &str| {
            let (column, other) = (quoted(&column), quoted(other));
            format!(
                "(s.{column} IS NULL OR s.{column} IN (SELECT o.{} FROM {to}.{other} o))",
                quoted(KEY)
            )
        };
        // Rows that refer to their own table may refer to any of its rows.
        let others = table.references.iter().filter(|one| one.table != table.name);
        let conditions: Vec<String> =
            others.map(|one| condition(one.column(), &one.table)).collect();
        let conditions = match conditions.is_empty() {
            true => String::new(),
            false => format!(" WHERE {}", conditions.join(" AND ")),
        };
        let columns_of = format!("s.{}, s.{}", quoted(KEY), quoted(DOCUMENT));
        format!(
            "INSERT INTO {own} ({columns}) SELECT {columns_of} FROM {from}.{name} s{conditions} LIMIT {rows}"
        )
    };
    in_order_of_references(tables).iter().map(copy).collect()
}

/// Copies documents into the tables of a file.
///
/// # Errors
/// `Setting` if one of the files cannot be read or written.
pub fn copy_sqlite(to: &Path, from: &Path, tables: Vec<CollectionTable>, rows: u64) -> Result<()> {
    let failed = |error: rusqlite::Error| {
        let message = format!("The documents of {} cannot be copied: {error}.", from.display());
        Error::new(Code::Setting, message).cause(error)
    };
    let copy = || -> rusqlite::Result<()> {
        let connection = Connection::open(to)?;
        functions::register(&connection)?;
        // Only rows of the copy are checked, and the file is of no use after a failure.
        connection.execute_batch("PRAGMA synchronous = off; PRAGMA foreign_keys = off")?;
        connection.execute("ATTACH ?1 AS origin", [format!("{}", from.display())])?;
        for statement in copies(tables, ["main", "origin"], rows) {
            connection.execute_batch(&statement)?;
        }
        connection.execute_batch("DETACH origin; ANALYZE")
    };
    copy().map_err(failed)
}

/// Copies documents into the tables of [`SCHEMA`].
///
/// # Errors
/// `Setting` if the user may not read or write one of them.
pub async fn copy_postgres(
    settings: &Settings,
    from: &str,
    tables: Vec<CollectionTable>,
    rows: u64,
) -> Result<()> {
    let mut statements = vec!["SET default_transaction_read_only = off".to_owned()];
    let names: Vec<String> = tables.iter().map(|table| quoted(&table.name)).collect();
    statements.extend(copies(tables, [SCHEMA, &quoted(from)], rows));
    statements.extend(names.iter().map(|name| format!("ANALYZE {SCHEMA}.{name}")));
    in_session(settings, &statements).await
}

/// Drops [`SCHEMA`] with all that is in it.
///
/// # Errors
/// `Setting` if the user may not.
pub async fn drop_postgres(settings: &Settings) -> Result<()> {
    let drop = format!("DROP SCHEMA IF EXISTS {SCHEMA} CASCADE");
    in_session(settings, &["SET default_transaction_read_only = off".to_owned(), drop]).await
}

async fn in_session(settings: &Settings, statements: &[String]) -> Result<()> {
    let (client, connection) = settings.connector()?.connect().await?;
    let running = tokio::spawn(connection);
    let mut done = Ok(());
    for statement in statements {
        done = run(&client, statement).await;
        if done.is_err() {
            break;
        }
    }
    drop(client);
    // It ends with the client; how it ends says nothing more.
    drop(running.await);
    done
}

/// Since when PostgreSQL counts the uses of indexes; `None` where it does not say.
///
/// # Errors
/// If the database cannot be reached.
pub async fn counted_since(settings: &Settings) -> Result<Option<String>> {
    const SINCE: &str = "SELECT to_char(stats_reset AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') \
        FROM pg_catalog.pg_stat_database WHERE datname = pg_catalog.current_database()";
    let (client, connection) = settings.connector()?.connect().await?;
    let running = tokio::spawn(connection);
    let row = client.query_one(SINCE, &[]).await;
    drop(client);
    drop(running.await);
    let row = row.map_err(|error| sqlstate::error_of(&error))?;
    Ok(row.try_get(0).ok().flatten())
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
