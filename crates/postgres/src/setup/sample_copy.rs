//! Copies of some documents of collections, in which indexes are tried without touching the tables themselves: a schema
//! of its own.

use duet_client::connect::Settings;
use duet_client::sqlstate;
use duet_model::{CollectionTable, Result};
use duet_store::setup::sample_copy::{copies, quoted};

use super::collections::run;

/// The schema of the copies.
pub(crate) const SCHEMA: &str = "duet_advise";

/// Copies documents into the tables of [`SCHEMA`].
///
/// # Errors
/// `Setting` if the user may not read or write one of them.
pub(crate) async fn copy_postgres(
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
pub(crate) async fn drop_postgres(settings: &Settings) -> Result<()> {
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
pub(crate) async fn counted_since(settings: &Settings) -> Result<Option<String>> {
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
