//! The change table and its triggers: made and removed on request.

use duet_model::{Result, catalog::Relation};
use duet_store::commits::captured::CaptureSetup;
use duet_store::commits::freshness::Means;
use tokio_postgres::Client;

use super::prepared::{ELSEWHERE, TRIGGERS, WRITING, distributed, failed, refused};
use crate::catalog::{SchemaFilter, introspect};
use crate::connection::role::quoted;

/// The table and the functions that fill it and remove what is old.
const CHANGE_TABLE: &str = include_str!("change_table.sql");

/// All permanent tables and partitioned ones, and whether the user may make triggers on them.
const TABLES: &str = "
SELECT c.oid, n.nspname::text, c.relname::text,
       pg_catalog.has_table_privilege(c.oid, 'TRIGGER') AND pg_catalog.pg_has_role(c.relowner, 'USAGE'),
       (SELECT array_agg(a.attname::text ORDER BY a.attnum) FROM pg_catalog.pg_attribute AS a
         WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
           AND EXISTS (SELECT FROM pg_catalog.pg_constraint AS k
                        WHERE k.conrelid = c.oid AND a.attnum = ANY (k.conkey) AND k.contype IN ('p', 'u', 'f')))
  FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
 WHERE c.relkind IN ('r', 'p') AND c.relpersistence <> 't'
   AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast', 'duet')
 ORDER BY n.nspname, c.relname";

/// The events of the triggers, with what each refers to.
const EVENTS: [(&str, &str); TRIGGERS] = [
    ("insert", "REFERENCING NEW TABLE AS new_rows"),
    ("update", "REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows"),
    ("delete", "REFERENCING OLD TABLE AS old_rows"),
    ("truncate", ""),
];

/// Makes the table, and the triggers of all tables.
pub(super) async fn make(client: &mut Client) -> Result<CaptureSetup> {
    let known = "SELECT pg_catalog.to_regclass('duet.change') IS NULL";
    let is_new = client.query_one(known, &[]).await.map_err(|error| failed(&error))?.get(0);
    let schemas = SchemaFilter::default();
    let catalog = introspect(client, &schemas).await?;
    let mut prepared =
        CaptureSetup { means: Some(Means::Table), is_new, ..CaptureSetup::default() };
    let rows = client.query(TABLES, &[]).await.map_err(|error| failed(&error))?;
    let mut script = format!("{WRITING}; {CHANGE_TABLE}");
    let spread = distributed(client).await.map_err(|error| failed(&error))?;
    let (mut foreign, mut elsewhere) = (Vec::new(), Vec::new());
    for row in &rows {
        let (schema, name): (&str, &str) = (row.get(1), row.get(2));
        let table = format!("{}.{}", quoted(schema), quoted(name));
        if spread.contains(&row.get(0)) {
            elsewhere.push(table);
            continue;
        }
        if !row.get::<_, bool>(3) {
            foreign.push(table);
            continue;
        }
        let served = catalog.relation(schema, name).map(|table| linking(table));
        let columns = served.unwrap_or_else(|| row.get::<_, Option<_>>(4).unwrap_or_default());
        script.push_str(&triggers(&table, &columns));
        prepared.tables += 1;
    }
    script.push_str(" COMMIT");
    client.batch_execute(&script).await.map_err(|error| refused(&error))?;
    prepared.left_out(
        "the user does not own these tables: run the command as their owner or as a superuser",
        &foreign,
    );
    prepared.left_out(ELSEWHERE, &elsewhere);
    Ok(prepared)
}

/// The columns that link a table's rows to documents.
fn linking(table: &Relation) -> Vec<String> {
    let mut columns: Vec<usize> = table.links.clone();
    columns.extend(table.identity());
    columns.sort_unstable();
    columns.dedup();
    columns.into_iter().map(|column| table.columns[column].name.clone()).collect()
}

/// The statements that make the triggers of a table. They fire for replicated changes, too.
fn triggers(table: &str, columns: &[String]) -> String {
    let literal = |name: &String| format!("'{}'", name.replace('\'', "''"));
    let columns = columns.iter().map(literal).collect::<Vec<_>>().join(", ");
    let each = EVENTS.iter().map(|(event, referencing)| {
        let trigger = format!("duet_capture_{event}");
        format!(
            "DROP TRIGGER IF EXISTS {trigger} ON {table};
             CREATE TRIGGER {trigger} AFTER {event} ON {table} {referencing}
                FOR EACH STATEMENT EXECUTE FUNCTION duet.capture_change({columns});
             ALTER TABLE {table} ENABLE ALWAYS TRIGGER {trigger};"
        )
    });
    each.collect()
}

/// Removes the table with the functions, and with these all triggers; whether it was there.
pub(super) async fn remove(client: &Client) -> Result<bool> {
    let known = "SELECT pg_catalog.to_regclass('duet.change') IS NOT NULL";
    let is_there: bool = client.query_one(known, &[]).await.map_err(|error| failed(&error))?.get(0);
    if is_there {
        let drop = format!(
            "{WRITING}; DROP FUNCTION duet.capture_change() CASCADE; DROP FUNCTION duet.forget_changes();
             DROP TABLE duet.change, duet.change_mark; COMMIT"
        );
        client.batch_execute(&drop).await.map_err(|error| refused(&error))?;
    }
    Ok(is_there)
}
