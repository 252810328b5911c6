//! Keys, foreign keys, indexes and check constraints.

use duet_model::catalog::{Check, Column, ForeignKey, Index, IndexedPart, PrefixOrder, UniqueKey};
use duet_store::catalog::effects::ReferentialAction;
use duet_store::catalog::unwrapped;
use tokio_postgres::{Error, Row};

use super::relations::{Draft, Relations};
use super::types::configuration_of;
use super::{CatalogReader, SEEN};

/// Valid indexes: one under construction serves nothing, and a partial one no condition on its columns alone. A key
/// that holds for a moment only after the statement (deferrable) still holds between statements.
/// `is_key`: nothing but columns, each compared as the column itself is. NULLs are equal in some from
/// PostgreSQL 15 on.
/// `over_periods`: a key WITHOUT OVERLAPS of PostgreSQL 18, which compares its last column by overlap.
const INDEXES: &str = "
SELECT x.indrelid, i.relname::text, x.indkey::int2[], x.indnkeyatts, x.indisunique,
       x.indisprimary, m.amname::text,
       x.indisunique AND NOT x.indisexclusion AND x.indexprs IS NULL AND x.indpred IS NULL
         AND NOT EXISTS (
           SELECT FROM unnest(x.indkey::int2[], x.indcollation::oid[]) AS k (number, sorted)
             JOIN pg_catalog.pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = k.number
            WHERE k.sorted <> 0 AND k.sorted <> a.attcollation) AS is_key,
       EXISTS (SELECT FROM pg_catalog.pg_constraint k
                WHERE k.conindid = x.indexrelid AND k.contype IN ('p', 'u') AND k.condeferred)
         AS deferred,
       x.indisunique AND NOT x.indisprimary
         AND coalesce(to_jsonb(x) ->> 'indnullsnotdistinct' = 'true', false) AS nulls_equal,
       CASE WHEN m.amname <> 'btree' THEN NULL
            WHEN EXISTS (SELECT FROM pg_catalog.pg_opclass o
                          WHERE o.oid = x.indclass[0]
                            AND o.opcname IN ('text_pattern_ops', 'varchar_pattern_ops')) THEN 'pattern'
            ELSE (SELECT CASE WHEN c.collname = 'C' THEN 'c'
                              WHEN c.collprovider = 'd' AND d.datcollate IN ('C', 'POSIX')
                                   AND coalesce(to_jsonb(d) ->> 'datlocprovider', 'c') = 'c' THEN 'own' END
                    FROM pg_catalog.pg_collation c, pg_catalog.pg_database d
                   WHERE c.oid = x.indcollation[0] AND d.datname = current_database()) END
         AS prefixes,
       x.indisunique AND x.indisexclusion AS over_periods,
       CASE WHEN x.indkey[0] = 0 THEN pg_catalog.pg_get_indexdef(x.indexrelid, 1, true) END AS first_key,
       x.indpred IS NOT NULL AS is_partial, NOT x.indimmediate AS deferrable
  FROM seen s
  JOIN pg_catalog.pg_index x ON x.indrelid = s.oid
  JOIN pg_catalog.pg_class i ON i.oid = x.indexrelid
  JOIN pg_catalog.pg_am m ON m.oid = i.relam
 WHERE x.indisvalid
 ORDER BY x.indrelid, i.relname";

/// A foreign key to a partitioned table has a row for each partition; those have a parent.
const FOREIGN_KEYS: &str = "
SELECT k.conrelid, k.conname::text, k.conkey, n.nspname::text, t.relname::text,
       ARRAY(SELECT a.attname::text
               FROM unnest(k.confkey) WITH ORDINALITY AS f (number, place)
               JOIN pg_catalog.pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = f.number
              ORDER BY f.place), k.confdeltype::text
  FROM seen s
  JOIN pg_catalog.pg_constraint k ON k.conrelid = s.oid
  JOIN pg_catalog.pg_class t ON t.oid = k.confrelid
  JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
 WHERE k.contype = 'f' AND k.conparentid = 0
 ORDER BY k.conrelid, k.conname";

/// The columns whose updates other rows follow: (c)ascade, set (n)ull, set (d)efault. The table with
/// the key need not be served.
const FOLLOWED: &str = "
SELECT k.confrelid, k.confkey
  FROM seen s
  JOIN pg_catalog.pg_constraint k ON k.confrelid = s.oid
 WHERE k.contype = 'f' AND k.confupdtype IN ('c', 'n', 'd')";

const CHECKS: &str = "
SELECT k.conrelid, k.conname::text, pg_catalog.pg_get_expr(k.conbin, k.conrelid)
  FROM seen s
  JOIN pg_catalog.pg_constraint k ON k.conrelid = s.oid
 WHERE k.contype = 'c'";

pub(super) async fn read(
    source: &CatalogReader<'_>,
    relations: &mut Relations,
) -> Result<(), Error> {
    for (query, take) in [
        (INDEXES, take_index as fn(&mut Draft, &Row) -> Result<(), Error>),
        (FOREIGN_KEYS, take_foreign_key),
        (FOLLOWED, take_followed),
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
    if row.try_get(13)? {
        draft.relation.indexes.push(Index::partial(name, row.try_get(6)?));
        return Ok(());
    }
    let mut numbers: Vec<i16> = row.try_get(2)?;
    // The columns after the key's are only carried along (INCLUDE).
    numbers.truncate(usize::try_from(row.try_get::<_, i16>(3)?).unwrap_or_default());
    let is_key: bool = row.try_get(7)?;
    let columns = draft.positions(&numbers).filter(|_| is_key);
    if let Some(columns) = columns.filter(|columns| draft.finds_rows_by(columns)) {
        if row.try_get(5)? {
            draft.relation.primary_key = columns;
        } else {
            draft.relation.unique_keys.push(UniqueKey {
                name: name.clone(),
                columns,
                is_declared: false,
            });
        }
    }
    if row.try_get(11)? {
        draft.over_periods = Some(name.clone());
    }
    let columns = numbers.iter().map_while(|&number| draft.position(number)).collect();
    let first_key: Option<String> = row.try_get(12)?;
    let part = first_key.as_deref().and_then(|key| words_of(key, &draft.relation.columns));
    draft.relation.indexes.push(Index {
        name,
        columns,
        unique: row.try_get(4)?,
        method: row.try_get(6)?,
        deferred: row.try_get(8)?,
        deferrable: row.try_get(14)?,
        nulls_equal: row.try_get(9)?,
        prefixes: match row.try_get(10)? {
            Some("pattern") => Some(PrefixOrder::Pattern),
            Some("c") => Some(PrefixOrder::C),
            Some("own") => Some(PrefixOrder::Own),
            _ => None,
        },
        part,
    });
    Ok(())
}

/// The words of a column that an index of the form `to_tsvector('english', column)` holds.
fn words_of(key: &str, columns: &[Column]) -> Option<IndexedPart> {
    let configuration = configuration_of(key)?;
    let column = key.strip_prefix("to_tsvector(")?.split_once("::regconfig, ")?.1;
    let column = column.strip_suffix(')')?;
    let column = column.strip_suffix("::text").unwrap_or(column);
    let inner = column.strip_prefix('(').and_then(|inner| inner.strip_suffix(')'));
    let column = inner.unwrap_or(column);
    let name = match column.strip_prefix('"').and_then(|quoted| quoted.strip_suffix('"')) {
        Some(quoted) => quoted.replace("\"\"", "\""),
        None => column.to_owned(),
    };
    let column = columns.iter().position(|known| known.name == name)?;
    Some(IndexedPart::Words { column, configuration, row_number: String::new() })
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
            on_delete: ReferentialAction::of(row.try_get(6)?).into(),
        });
    }
    Ok(())
}

fn take_followed(draft: &mut Draft, row: &Row) -> Result<(), Error> {
    for number in row.try_get::<_, Vec<i16>>(1)? {
        if let Some(column) = draft.position(number) {
            draft.relation.columns[column].followed = true;
        }
    }
    Ok(())
}

fn take_check(draft: &mut Draft, row: &Row) -> Result<(), Error> {
    let condition: String = row.try_get(2)?;
    let condition = unwrapped(&condition).to_owned();
    draft.relation.checks.push(Check { name: row.try_get(1)?, condition });
    Ok(())
}
