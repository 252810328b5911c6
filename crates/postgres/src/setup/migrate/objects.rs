//! The objects of a table in a PostgreSQL database, as its catalog describes them.

use duet_model::Result;
use tokio_postgres::Client;

use duet_client::sqlstate;

/// An index of a database.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) name: String,
    /// Whether it was built to its end.
    pub(super) is_valid: bool,
    /// Whether it belongs to a constraint.
    pub(super) is_constraint: bool,
    /// Whether it is unique, the method and all behind it.
    pub(super) definition: String,
    /// Each key alone.
    pub(super) keys: Vec<String>,
}

/// A foreign key of one column.
pub(super) struct ForeignKey {
    pub(super) name: String,
    pub(super) column: String,
    pub(super) table: String,
    pub(super) cascades: bool,
    pub(super) is_valid: bool,
}

/// The indexes of a table.
pub(super) async fn indexes_of(client: &Client, schema: &str, table: &str) -> Result<Vec<Found>> {
    const LIST: &str = "SELECT c.relname::text, x.indisvalid, x.indisunique, pg_catalog.pg_get_indexdef(c.oid), \
            EXISTS (SELECT FROM pg_catalog.pg_constraint k WHERE k.conindid = c.oid AND k.contype <> 'f'), \
            ARRAY(SELECT pg_catalog.pg_get_indexdef(c.oid, n, false) \
                  FROM pg_catalog.generate_series(1, x.indnkeyatts::integer) n) \
        FROM pg_catalog.pg_index x JOIN pg_catalog.pg_class c ON c.oid = x.indexrelid \
        WHERE x.indrelid = pg_catalog.to_regclass($1) ORDER BY 1";
    let relation = format!("{}.{}", quoted(schema), quoted(table));
    let rows = client.query(LIST, &[&relation]).await;
    let rows = rows.map_err(|error| sqlstate::error_of(&error))?;
    let found = |row: &tokio_postgres::Row| -> std::result::Result<Found, tokio_postgres::Error> {
        let text: String = row.try_get(3)?;
        let definition = text.split_once(" USING ").map_or("", |(_, rest)| rest);
        let unique = if row.try_get(2)? { "unique " } else { "" };
        Ok(Found {
            name: row.try_get(0)?,
            is_valid: row.try_get(1)?,
            is_constraint: row.try_get(4)?,
            definition: format!("{unique}{definition}"),
            keys: row.try_get(5)?,
        })
    };
    let found: std::result::Result<_, _> = rows.iter().map(found).collect();
    found.map_err(|error| sqlstate::error_of(&error))
}

/// The foreign keys of one generated column each.
pub(super) async fn foreign_keys(client: &Client, relation: &str) -> Result<Vec<ForeignKey>> {
    const LIST: &str = "SELECT k.conname::text, a.attname::text, t.relname::text, k.confdeltype = 'c', k.convalidated \
        FROM pg_catalog.pg_constraint k JOIN pg_catalog.pg_class t ON t.oid = k.confrelid \
        JOIN pg_catalog.pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1] \
        WHERE k.contype = 'f' AND pg_catalog.cardinality(k.conkey) = 1 AND a.attgenerated = 's' \
        AND k.conrelid = pg_catalog.to_regclass($1) ORDER BY 2, 1";
    let rows = client.query(LIST, &[&relation]).await;
    let rows = rows.map_err(|error| sqlstate::error_of(&error))?;
    let key =
        |row: &tokio_postgres::Row| -> std::result::Result<ForeignKey, tokio_postgres::Error> {
            Ok(ForeignKey {
                name: row.try_get(0)?,
                column: row.try_get(1)?,
                table: row.try_get(2)?,
                cascades: row.try_get(3)?,
                is_valid: row.try_get(4)?,
            })
        };
    let keys: std::result::Result<_, _> = rows.iter().map(key).collect();
    keys.map_err(|error| sqlstate::error_of(&error))
}

/// A quoted name.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
