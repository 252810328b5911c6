//! What else changes when a table is written. Tables that are not served are read too: effects reach
//! through them.

use std::collections::{BTreeMap, BTreeSet};

use duet_model::catalog::{Effects, RelationName};
use duet_store::catalog::effects::{
    self, Cascade, Graph, ReferentialAction, StatementKinds, TableEffects,
};
use tokio_postgres::{Error, Row};

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
   AND ($2::oid[] IS NULL OR c.oid = ANY ($2))
   AND (c.relhastriggers OR c.relhasrules OR c.relhassubclass OR c.relkind = 'f'
        OR EXISTS (SELECT FROM pg_catalog.pg_inherits i WHERE i.inhrelid = c.oid))";

/// Foreign keys, and what they do. A key of a partition, or to one, counts as the whole table's.
const KEYS: &str = "
SELECT coalesce(pg_catalog.pg_partition_root(k.confrelid)::oid, k.confrelid),
       coalesce(pg_catalog.pg_partition_root(k.conrelid)::oid, k.conrelid),
       k.confdeltype::text, k.confupdtype::text
  FROM pg_catalog.pg_constraint k
 WHERE k.contype = 'f' AND k.conparentid = 0
   AND ($2::oid[] IS NULL OR coalesce(pg_catalog.pg_partition_root(k.conrelid)::oid, k.conrelid) = ANY ($2))";

/// Rows of a table are seen through the tables that it inherits from.
const FAMILIES: &str = "
SELECT i.inhparent, i.inhrelid
  FROM pg_catalog.pg_inherits i
  JOIN pg_catalog.pg_class c ON c.oid = i.inhrelid
 WHERE c.relkind IN ('r', 'f') AND NOT c.relispartition AND ($2::oid[] IS NULL OR i.inhrelid = ANY ($2))";

/// What tables have by which writes reach further, by the tables' numbers, with their schemas and names.
pub(super) type Nodes = BTreeMap<u64, (TableEffects, RelationName)>;

/// Reads those of the tables that are looked at.
pub(super) async fn read(source: &CatalogReader<'_>) -> Result<Nodes, Error> {
    let mut nodes = Nodes::new();
    source.each(&format!("{SEEN}{CODE}"), |row| take_table(&mut nodes, row)).await?;
    let key = |row: &Row| {
        let (deleted, updated): (String, String) = (row.try_get(2)?, row.try_get(3)?);
        let cascade = Cascade::of(ReferentialAction::of(&deleted), ReferentialAction::of(&updated));
        // A table with such a key has triggers of the key itself.
        if let Some((node, _)) = nodes.get_mut(&id(row, 1)?) {
            node.keys.push((id(row, 0)?, cascade));
        }
        Ok(())
    };
    source.each(&format!("{SEEN}{KEYS}"), key).await?;
    let family = |row: &Row| {
        if let Some((node, _)) = nodes.get_mut(&id(row, 1)?) {
            node.families.push(id(row, 0)?);
        }
        Ok(())
    };
    source.each(&format!("{SEEN}{FAMILIES}"), family).await?;
    for (node, _) in nodes.values_mut() {
        node.keys.sort_unstable();
        node.families.sort_unstable();
    }
    Ok(nodes)
}

/// The effects of writing these tables, where they may be other than before; by the tables' numbers.
pub(super) fn outdated(before: &Nodes, now: &Nodes) -> BTreeMap<u64, Effects> {
    let tables: BTreeSet<u64> = before.keys().chain(now.keys()).copied().collect();
    let changes: Vec<_> = (tables.iter())
        .map(|table| (*table, before.get(table), now.get(table)))
        .filter(|(_, before, now)| before != now)
        .collect();
    if changes.is_empty() {
        return BTreeMap::new();
    }
    let graph =
        Graph::of(now.iter().map(|(table, (node, name))| {
            (*table, node, (name.schema.as_str(), name.name.as_str()))
        }));
    let nodes = changes.into_iter().map(|(table, before, now)| {
        (table, before.map(|(node, _)| node), now.map(|(node, _)| node))
    });
    let outdated = effects::outdated(&graph, nodes);
    outdated.into_iter().map(|table| (table, graph.effects(table))).collect()
}

fn id(row: &Row, at: usize) -> Result<u64, Error> {
    row.try_get::<_, u32>(at).map(u64::from)
}

fn take_table(nodes: &mut Nodes, row: &Row) -> Result<(), Error> {
    let (triggers, rules): (i32, String) = (row.try_get(4)?, row.try_get(5)?);
    let code = StatementKinds {
        insert: triggers & 4 != 0 || rules.contains('3'),
        update: triggers & 16 != 0 || rules.contains('2'),
        delete: triggers & (8 | 32) != 0 || rules.contains('4'),
    };
    // What another server does is not known.
    let code = if row.try_get(3)? { StatementKinds::ALWAYS } else { code };
    let name = RelationName { schema: row.try_get(1)?, name: row.try_get(2)? };
    nodes.insert(id(row, 0)?, (TableEffects::new(code), name));
    Ok(())
}
