//! The totals of collections that a PostgreSQL database has, for those who make and drop them.

use duet_model::{Error, Result};
use duet_sql::{Postgres, TOTALS_MARK, Totals, postgres_code};
use tokio_postgres::Client;

use crate::postgres::sqlstate;

/// The totals of a table that are whole: with the code that Duet gives them, and with all triggers enabled (4 INSERT,
/// 8 DELETE, 16 UPDATE, 32 TRUNCATE).
pub(crate) async fn stored_in_postgres(
    client: &Client,
    dialect: &Postgres,
    (schema, table): (&str, &str),
) -> Result<Vec<Totals>> {
    let query = format!(
        "SELECT p.proname::text, p.prosrc FROM pg_catalog.pg_proc p \
         JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace \
         JOIN pg_catalog.pg_trigger g ON g.tgfoid = p.oid AND g.tgenabled IN ('O', 'A') \
         JOIN pg_catalog.pg_class t ON t.oid = g.tgrelid AND t.relnamespace = n.oid \
         WHERE n.nspname = $1 AND t.relname = $2 AND p.prosrc LIKE '{TOTALS_MARK}%' \
         GROUP BY 1, 2 HAVING bit_or(g.tgtype) & 60 = 60 ORDER BY 1"
    );
    let failed = |error: &tokio_postgres::Error| -> Error { sqlstate::error_of(error) };
    let rows = client.query(&query, &[&schema, &table]).await.map_err(|error| failed(&error))?;
    let quoted = format!("\"{}\"", schema.replace('"', "\"\""));
    let mut found = Vec::new();
    for row in rows {
        let name: String = row.try_get(0).map_err(|error| failed(&error))?;
        let code: String = row.try_get(1).map_err(|error| failed(&error))?;
        let totals = Totals::of_code(Some(schema), table, &name, &code);
        found.extend(totals.filter(|totals| postgres_code(totals, dialect, &quoted) == code));
    }
    Ok(found)
}
