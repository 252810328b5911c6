//! Foreign keys that partitions have and their table has not.

use duet_model::catalog::{PartitionKey, RelationName};
use tokio_postgres::Error;

use super::{CatalogReader, SEEN};

/// Partitions take the keys of their table, which then have a parent; these have none.
const KEYS: &str = "
SELECT DISTINCT s.nspname::text, s.relname::text,
       ARRAY(SELECT a.attname::text
               FROM unnest(k.conkey) WITH ORDINALITY AS f (number, place)
               JOIN pg_catalog.pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = f.number
              ORDER BY f.place) AS own,
       n.nspname::text, t.relname::text,
       ARRAY(SELECT a.attname::text
               FROM unnest(k.confkey) WITH ORDINALITY AS f (number, place)
               JOIN pg_catalog.pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = f.number
              ORDER BY f.place) AS referenced
  FROM seen s
 CROSS JOIN LATERAL pg_catalog.pg_partition_tree(s.oid) l
  JOIN pg_catalog.pg_constraint k ON k.conrelid = l.relid
  JOIN pg_catalog.pg_class t ON t.oid = k.confrelid
  JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
 WHERE s.relkind = 'p' AND s.may_enter AND l.level > 0 AND k.contype = 'f' AND k.conparentid = 0
 ORDER BY 1, 2, 3, 4, 5, 6";

/// The keys, ordered by table and columns.
pub(super) async fn read(source: &CatalogReader<'_>) -> Result<Vec<PartitionKey>, Error> {
    let mut keys = Vec::new();
    source
        .each(&format!("{SEEN}{KEYS}"), |row| {
            keys.push(PartitionKey {
                table: RelationName { schema: row.try_get(0)?, name: row.try_get(1)? },
                columns: row.try_get(2)?,
                references: RelationName { schema: row.try_get(3)?, name: row.try_get(4)? },
                references_columns: row.try_get(5)?,
            });
            Ok(())
        })
        .await?;
    // By bytes, whatever the database's collation.
    keys.sort_by(|a, b| a.table.cmp(&b.table));
    Ok(keys)
}
