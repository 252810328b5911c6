//! The totals of collections: tables that triggers keep. Those count whose function has the code that `duet collection
//! prepare` gives it and whose triggers are all enabled: any others could be wrong.

use duet_sql::{Postgres, TOTALS_MARK, Totals, postgres_code};
use duet_store::catalog::totals::as_index;
use tokio_postgres::{Client, Error, Row};

use super::relations::{Draft, Relations};
use super::{CatalogReader, SEEN};

/// Functions of totals with the triggers that call them: 4 INSERT, 8 DELETE, 16 UPDATE, 32 TRUNCATE. Under row security
/// another user may see fewer rows.
fn query() -> String {
    format!(
        "{SEEN} SELECT s.oid, s.nspname::text, s.relname::text, p.proname::text, p.prosrc
           FROM seen s
           JOIN pg_catalog.pg_class t ON t.oid = s.oid
           JOIN pg_catalog.pg_trigger g ON g.tgrelid = s.oid AND NOT g.tgisinternal AND g.tgenabled IN ('O', 'A')
           JOIN pg_catalog.pg_proc p ON p.oid = g.tgfoid
           JOIN pg_catalog.pg_class k ON k.relname = p.proname AND k.relnamespace = p.pronamespace
          WHERE p.prosrc LIKE '{TOTALS_MARK}%' AND p.pronamespace = t.relnamespace
            AND NOT t.relrowsecurity AND NOT t.relhassubclass AND has_table_privilege(k.oid, 'SELECT')
          GROUP BY 1, 2, 3, 4, 5
         HAVING bit_or(g.tgtype) & 60 = 60"
    )
}

pub(super) async fn read(
    source: &CatalogReader<'_>,
    relations: &mut Relations,
) -> Result<(), Error> {
    let take = |row: &Row| match relations.of(row.try_get(0)?) {
        Some(draft) => add(draft, row),
        None => Ok(()),
    };
    source.each(&query(), take).await
}

fn add(draft: &mut Draft, row: &Row) -> Result<(), Error> {
    let (schema, table): (&str, &str) = (row.try_get(1)?, row.try_get(2)?);
    let (name, code): (&str, &str) = (row.try_get(3)?, row.try_get(4)?);
    // Values are extracted alike whatever the collations of the server.
    let totals = whole(schema, table, &Postgres { icu: true }, name, code);
    draft.relation.indexes.extend(totals.as_ref().map(as_index));
    Ok(())
}

/// The totals of a table that are whole, for those who make and drop them.
///
/// # Errors
/// Of the driver.
pub(crate) async fn stored(
    client: &Client,
    dialect: &Postgres,
    schema: &str,
    table: &str,
) -> Result<Vec<Totals>, Error> {
    let query = format!(
        "SELECT p.proname::text, p.prosrc FROM pg_catalog.pg_proc p \
         JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace \
         JOIN pg_catalog.pg_trigger g ON g.tgfoid = p.oid AND g.tgenabled IN ('O', 'A') \
         JOIN pg_catalog.pg_class t ON t.oid = g.tgrelid AND t.relnamespace = n.oid \
         WHERE n.nspname = $1 AND t.relname = $2 AND p.prosrc LIKE '{TOTALS_MARK}%' \
         GROUP BY 1, 2 HAVING bit_or(g.tgtype) & 60 = 60 ORDER BY 1"
    );
    let mut found = Vec::new();
    for row in client.query(&query, &[&schema, &table]).await? {
        let (name, code): (&str, &str) = (row.try_get(0)?, row.try_get(1)?);
        found.extend(whole(schema, table, dialect, name, code));
    }
    Ok(found)
}

/// The totals of a function, if it has the code that they must have.
fn whole(schema: &str, table: &str, dialect: &Postgres, name: &str, code: &str) -> Option<Totals> {
    let totals = Totals::of_code(Some(schema), table, name, code)?;
    let quoted = format!("\"{}\"", schema.replace('"', "\"\""));
    (postgres_code(&totals, dialect, &quoted) == code).then_some(totals)
}
