//! What capturing needs in a database, made on request alone: `serve` makes nothing there.

use duet_client::connect::Settings;
use duet_model::Result;
use duet_store::commits::captured::CaptureSetup;
use duet_store::commits::freshness::Means;
use duet_store::limits::Capture;
use tokio_postgres::Client;

use super::prepared::{ELSEWHERE, WRITING, distributed, failed, refused};
use super::triggers;
use crate::connection::role::quoted;

/// The publication that the change stream reads.
pub(super) const PUBLICATION: &str = "duet_rowstore";
/// The command that makes it.
pub(super) const PREPARE: &str = "`duet rowstore prepare`";

/// The permanent tables that the user may publish. Tables without a replica identity are left out: while
/// they were published, the server would refuse to update them.
const TABLES: &str = "
SELECT c.oid, n.nspname::text, c.relname::text,
       c.relpersistence = 'p' AND (c.relreplident IN ('f', 'i')
         OR c.relreplident = 'd' AND EXISTS (SELECT FROM pg_catalog.pg_index AS i WHERE i.indrelid = c.oid AND i.indisprimary)),
       pg_catalog.pg_has_role(c.relowner, 'USAGE')
  FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
 WHERE c.relkind = 'r' AND c.relpersistence <> 't'
   AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast', 'duet')
 ORDER BY n.nspname, c.relname";

/// Makes the means, or completes them for tables that were made since; of `auto`, the publication where
/// the server has a logical log, else the change table. Safe to repeat.
///
/// # Errors
/// `Setting` where the user may not make them; others where the database cannot be reached.
pub async fn prepare(settings: &Settings, means: Capture) -> Result<CaptureSetup> {
    connected(settings, async |client| {
        let level =
            client.query_one("SHOW wal_level", &[]).await.map_err(|error| failed(&error))?;
        let is_logical = level.get::<_, &str>(0) == "logical";
        match means {
            Capture::Table => triggers::make(client).await,
            Capture::Auto if !is_logical => triggers::make(client).await,
            _ => publish(client, is_logical).await,
        }
    })
    .await
}

/// Removes all that [`prepare`] makes; the parts that were there.
///
/// # Errors
/// As [`prepare`].
pub async fn remove(settings: &Settings) -> Result<Vec<&'static str>> {
    connected(settings, async |client| {
        let mut removed = Vec::new();
        if triggers::remove(client).await? {
            removed.push("the change table with its triggers");
        }
        if has_publication(client).await? {
            let drop = format!("{WRITING}; DROP PUBLICATION {PUBLICATION}; COMMIT");
            client.batch_execute(&drop).await.map_err(|error| refused(&error))?;
            removed.push("the publication");
        }
        Ok(removed)
    })
    .await
}

async fn connected<T>(
    settings: &Settings,
    work: impl AsyncFnOnce(&mut Client) -> Result<T>,
) -> Result<T> {
    let (mut client, connection) = settings.connector()?.connect().await?;
    let running = tokio::spawn(connection);
    let done = work(&mut client).await;
    drop(client);
    // It ends with the client; how it ends says nothing more.
    drop(running.await);
    done
}

async fn has_publication(client: &Client) -> Result<bool> {
    let known = "SELECT EXISTS (SELECT FROM pg_catalog.pg_publication WHERE pubname = $1)";
    Ok(client.query_one(known, &[&PUBLICATION]).await.map_err(|error| failed(&error))?.get(0))
}

async fn publish(client: &Client, is_logical: bool) -> Result<CaptureSetup> {
    let is_new = !has_publication(client).await?;
    let rows = client.query(TABLES, &[]).await.map_err(|error| failed(&error))?;
    let mut prepared =
        CaptureSetup { means: Some(Means::Stream), is_new, ..CaptureSetup::default() };
    let spread = distributed(client).await.map_err(|error| failed(&error))?;
    let (mut tables, mut unnamed, mut foreign) = (Vec::new(), Vec::new(), Vec::new());
    let mut elsewhere = Vec::new();
    for row in &rows {
        let (schema, name): (&str, &str) = (row.get(1), row.get(2));
        let table = format!("{}.{}", quoted(schema), quoted(name));
        match (row.get(3), row.get(4)) {
            _ if spread.contains(&row.get(0)) => elsewhere.push(table),
            (true, true) => tables.push(table),
            (false, _) => unnamed.push(table),
            (true, false) => foreign.push(table),
        }
    }
    prepared.tables = tables.len();
    let list = tables.iter().map(|table| format!("ONLY {table}")).collect::<Vec<_>>().join(", ");
    let change = match (is_new, list.is_empty()) {
        (true, true) => format!("CREATE PUBLICATION {PUBLICATION}"),
        (true, false) => format!("CREATE PUBLICATION {PUBLICATION} FOR TABLE {list}"),
        (false, true) => String::new(),
        (false, false) => format!("ALTER PUBLICATION {PUBLICATION} SET TABLE {list}"),
    };
    client
        .batch_execute(&format!("{WRITING}; {change}; COMMIT"))
        .await
        .map_err(|error| refused(&error))?;
    if !is_logical {
        prepared.notes.push(
            "`wal_level` is not `logical`: set `wal_level = logical` in postgresql.conf and restart the server.".to_owned(),
        );
    }
    prepared.left_out(
        "rows of these tables cannot be named: give them a primary key or `REPLICA IDENTITY FULL`",
        &unnamed,
    );
    prepared.left_out(
        "the user does not own these tables: run the command as their owner or as a superuser",
        &foreign,
    );
    prepared.left_out(ELSEWHERE, &elsewhere);
    Ok(prepared)
}
