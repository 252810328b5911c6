//! The indexes of a database as it describes them itself, with their sizes and how often each was used.

use duet_model::Result;

use duet_client::connect::Settings;
use duet_client::sqlstate;
use duet_store::setup::indexes::IndexEntry;

/// The indexes of all tables of users in a PostgreSQL database, by schema, table and name.
///
/// # Errors
/// If the database cannot be reached.
pub(crate) async fn of_postgres(settings: &Settings) -> Result<Vec<IndexEntry>> {
    const LIST: &str = "
        SELECT x.schemaname::text, x.relname::text, x.indexrelname::text,
               pg_catalog.pg_get_indexdef(x.indexrelid), i.indisunique,
               pg_catalog.pg_relation_size(x.indexrelid), x.idx_scan
        FROM pg_catalog.pg_stat_user_indexes x JOIN pg_catalog.pg_index i ON i.indexrelid = x.indexrelid
        ORDER BY 1, 2, 3";
    let (client, connection) = settings.connector()?.connect().await?;
    let running = tokio::spawn(connection);
    let listed = client.query(LIST, &[]).await;
    drop(client);
    // It ends with the client; how it ends says nothing more.
    drop(running.await);
    let listed = listed.map_err(|error| sqlstate::error_of(&error))?;
    let entry = |row: &tokio_postgres::Row| -> Result<IndexEntry, tokio_postgres::Error> {
        let definition: String = row.try_get(3)?;
        let number = |at: usize| row.try_get::<_, i64>(at).map(i64::cast_unsigned);
        Ok(IndexEntry {
            schema: row.try_get(0)?,
            table: row.try_get(1)?,
            name: row.try_get(2)?,
            definition: definition.split_once(" USING ").map_or("", |(_, rest)| rest).to_owned(),
            unique: row.try_get(4)?,
            bytes: number(5)?,
            uses: Some(number(6)?),
        })
    };
    let entries: Result<_, _> = listed.iter().map(entry).collect();
    entries.map_err(|error| sqlstate::error_of(&error))
}
