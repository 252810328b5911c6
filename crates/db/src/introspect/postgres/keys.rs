//! Keys, foreign keys, indexes and check constraints.

use duet_model::catalog::{Check, ForeignKey, Index, UniqueKey};
use tokio_postgres::{Error, Row};

use super::super::unwrapped;
use super::relations::{Draft, Relations};
use super::{SEEN, Source};

/// Full, valid indexes: a partial one serves only some rows, one under construction none. A key
/// that holds for a moment only after the statement (deferrable) still holds between statements.
/// `is_key`: nothing but columns, each compared as the column itself is.
const INDEXES: &str = "
SELECT x.indrelid, i.relname::text, x.indkey::int2[], x.indnkeyatts, x.indisunique,
       x.indisprimary, m.amname::text,
       x.indisunique AND NOT x.indisexclusion AND x.indexprs IS NULL
         AND NOT EXISTS (
           SELECT FROM unnest(x.indkey::int2[], x.indcollation::oid[]) AS k (number, sorted)
             JOIN pg_catalog.pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = k.number
            WHERE k.sorted <> 0 AND k.sorted <> a.attcollation) AS is_key
  FROM seen s
  JOIN pg_catalog.pg_index x ON x.indrelid = s.oid
  JOIN pg_catalog.pg_class i ON i.oid = x.indexrelid
  JOIN pg_catalog.pg_am m ON m.oid = i.relam
 WHERE x.indisvalid AND x.indpred IS NULL
 ORDER BY x.indrelid, i.relname";

/// A foreign key to a partitioned table has a row for each partition; those have a parent.
const FOREIGN_KEYS: &str = "
SELECT k.conrelid, k.conname::text, k.conkey, n.nspname::text, t.relname::text,
       ARRAY(SELECT a.attname::text
               FROM unnest(k.confkey) WITH ORDINALITY AS f (number, place)
               JOIN pg_catalog.pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = f.number
              ORDER BY f.place)
  FROM seen s
  JOIN pg_catalog.pg_constraint k ON k.conrelid = s.oid
  JOIN pg_catalog.pg_class t ON t.oid = k.confrelid
  JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
 WHERE k.contype = 'f' AND k.conparentid = 0
 ORDER BY k.conrelid, k.conname";

const CHECKS: &str = "
SELECT k.conrelid, k.conname::text, pg_catalog.pg_get_expr(k.conbin, k.conrelid)
  FROM seen s
  JOIN pg_catalog.pg_constraint k ON k.conrelid = s.oid
 WHERE k.contype = 'c'";

pub(super) async fn read(source: &Source<'_>, relations: &mut Relations) -> Result<(), Error> {
    for (query, take) in [
        (INDEXES, take_index as fn(&mut Draft, &Row) -> Result<(), Error>),
        (FOREIGN_KEYS, take_foreign_key),
        (CHECKS, take_check),
    ] {
        let take = |row: &Row| match relations.of(row.try_get(0)?) {
            Some(draft) => take(draft, row),
            None => Ok(()),
        };
        source.each(&format!("{SEEN}{query}"), take).await?;
    }
    Ok(())
}

fn take_index(draft: &mut Draft, row: &Row) -> Result<(), Error> {
    let name: String = row.try_get(1)?;
    let mut numbers: Vec<i16> = row.try_get(2)?;
    // The columns after the key's are only carried along (INCLUDE).
    numbers.truncate(usize::try_from(row.try_get::<_, i16>(3)?).unwrap_or_default());
    let is_key: bool = row.try_get(7)?;
    if let Some(columns) = draft.positions(&numbers).filter(|_| is_key) {
        if row.try_get(5)? {
            draft.relation.primary_key = columns;
        } else {
            draft.relation.unique_keys.push(UniqueKey { name: name.clone(), columns });
        }
    }
    let columns = numbers.iter().map_while(|&number| draft.position(number)).collect();
    let (unique, method) = (row.try_get(4)?, row.try_get(6)?);
    draft.relation.indexes.push(Index { name, columns, unique, method });
    Ok(())
}

fn take_foreign_key(draft: &mut Draft, row: &Row) -> Result<(), Error> {
    let numbers: Vec<i16> = row.try_get(2)?;
    // A key whose columns may not be read cannot be followed.
    if let Some(columns) = draft.positions(&numbers) {
        draft.relation.foreign_keys.push(ForeignKey {
            name: row.try_get(1)?,
            columns,
            references_schema: row.try_get(3)?,
            references_table: row.try_get(4)?,
            references_columns: row.try_get(5)?,
        });
    }
    Ok(())
}

fn take_check(draft: &mut Draft, row: &Row) -> Result<(), Error> {
    let condition: String = row.try_get(2)?;
    let condition = unwrapped(&condition).to_owned();
    draft.relation.checks.push(Check { name: row.try_get(1)?, condition });
    Ok(())
}
