//! What else changes when a table is written. Tables that are not served are read too: effects reach
//! through them.

use tokio_postgres::{Error, Row};

use super::super::effects::{Code, Graph, Rule};
use super::relations::Relations;
use super::{CatalogReader, SEEN};

/// Tables that may have effects, with the bits of their enabled triggers and the statements of their rules
/// (2 UPDATE, 3 INSERT, 4 DELETE). The triggers of foreign keys are internal, and Duet's
/// own write nothing that is served.
const CODE: &str = "
SELECT c.oid, n.nspname::text, c.relname::text, c.relkind = 'f' AS elsewhere,
       coalesce(f.enabled, 0)::int4,
       coalesce((SELECT string_agg(r.ev_type::text, '') FROM pg_catalog.pg_rewrite r
                  WHERE r.ev_class = c.oid), '')
  FROM pg_catalog.pg_class c
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  LEFT JOIN fired f ON f.relid = c.oid
 WHERE c.relkind IN ('r', 'p', 'f') AND NOT c.relispartition AND c.relpersistence <> 't'
   AND (c.relhastriggers OR c.relhasrules OR c.relhassubclass OR c.relkind = 'f'
        OR EXISTS (SELECT FROM pg_catalog.pg_inherits i WHERE i.inhrelid = c.oid))";

/// Foreign keys that change rows. A key of a partition, or to one, counts as the whole table's.
const CASCADES: &str = "
SELECT coalesce(pg_catalog.pg_partition_root(k.confrelid)::oid, k.confrelid),
       coalesce(pg_catalog.pg_partition_root(k.conrelid)::oid, k.conrelid),
       k.confdeltype::text, k.confupdtype::text
  FROM pg_catalog.pg_constraint k
 WHERE k.contype = 'f' AND k.conparentid = 0
   AND (k.confdeltype IN ('c', 'n', 'd') OR k.confupdtype IN ('c', 'n', 'd'))";

/// Rows of a table are seen through the tables that it inherits from.
const FAMILIES: &str = "
SELECT i.inhparent, i.inhrelid
  FROM pg_catalog.pg_inherits i
  JOIN pg_catalog.pg_class c ON c.oid = i.inhrelid
 WHERE c.relkind IN ('r', 'f') AND NOT c.relispartition";

pub(super) async fn read(
    source: &CatalogReader<'_>,
    relations: &mut Relations,
) -> Result<(), Error> {
    let mut graph = Graph::default();
    source.each(&format!("{SEEN}{CODE}"), |row| take_table(&mut graph, row)).await?;
    let key = |row: &Row| {
        let (deleted, updated): (String, String) = (row.try_get(2)?, row.try_get(3)?);
        graph.key(id(row, 0)?, id(row, 1)?, (Rule::of(&deleted), Rule::of(&updated)));
        Ok(())
    };
    source.each(&format!("{SEEN}{CASCADES}"), key).await?;
    let family = |row: &Row| {
        graph.share(id(row, 0)?, id(row, 1)?);
        Ok(())
    };
    source.each(&format!("{SEEN}{FAMILIES}"), family).await?;
    graph.close_shared();
    relations.add_effects(&graph);
    Ok(())
}

fn id(row: &Row, at: usize) -> Result<u64, Error> {
    row.try_get::<_, u32>(at).map(u64::from)
}

fn take_table(graph: &mut Graph, row: &Row) -> Result<(), Error> {
    let (triggers, rules): (i32, String) = (row.try_get(4)?, row.try_get(5)?);
    let code = Code {
        insert: triggers & 4 != 0 || rules.contains('3'),
        update: triggers & 16 != 0 || rules.contains('2'),
        delete: triggers & (8 | 32) != 0 || rules.contains('4'),
    };
    // What another server does is not known.
    let code = if row.try_get(3)? { Code::ALWAYS } else { code };
    let (schema, name): (&str, &str) = (row.try_get(1)?, row.try_get(2)?);
    graph.table(id(row, 0)?, schema, name, code);
    Ok(())
}
