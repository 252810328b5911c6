//! Which relations have changed since the catalogs were last read.
//!
//! Every row of a catalog has the transaction that wrote it (`xmin`). A row of a transaction that had ended before the
//! snapshot of the last time, and that was there then, is as it was. So a relation is unchanged where none of its rows is
//! newer and none is missing: they are counted. What else descriptions are made of, such as types, functions and roles, is
//! compared as a whole; where it differs, everything is read.

use std::collections::{BTreeMap, HashMap, HashSet};

use tokio_postgres::types::Type;
use tokio_postgres::{Client, Error, Row};

use super::placements::HAS_CITUS;
use super::rows_of;

/// The server and the session: another one, or one with other rights, says nothing of what was read before. Roles are
/// compared by what they are, as their catalog is not public. That there is Citus is asked in the same statement.
const SESSION: &str = "
SELECT concat_ws(' ', pg_catalog.pg_postmaster_start_time(), current_setting('server_version_num'), session_user, current_user,
         (SELECT d.oid || ' ' || d.xmin::text FROM pg_catalog.pg_database d WHERE d.datname = current_database()),
         (SELECT s.reset_val FROM pg_catalog.pg_settings s WHERE s.name = 'search_path'),
         (SELECT count(*) || ' ' || sum(hashtextextended(concat_ws(' ', r.oid, r.rolname, r.rolsuper, r.rolinherit), 0))
            FROM pg_catalog.pg_roles r)),
       pg_catalog.pg_is_in_recovery(),
       pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot())::text, {HAS_CITUS}";

/// How many rows each of the other catalogs has, and how many transactions ago the newest of them was written. Left out are
/// the types of tables' rows, which follow their tables, and what is temporary.
const SHARED: &str = "
WITH passing AS MATERIALIZED (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname ~ '^pg_(toast_)?temp_')
SELECT string_agg(name || n, ' ' ORDER BY name), min(newest) FROM (
  SELECT 'am' AS name, count(*) AS n, min(age(xmin)) AS newest FROM pg_catalog.pg_am
  UNION ALL SELECT 'amop', count(*), min(age(xmin)) FROM pg_catalog.pg_amop
  UNION ALL SELECT 'cast', count(*), min(age(xmin)) FROM pg_catalog.pg_cast
  UNION ALL SELECT 'collation', count(*), min(age(xmin)) FROM pg_catalog.pg_collation
  UNION ALL SELECT 'comment', count(*), min(age(xmin)) FROM pg_catalog.pg_description
             WHERE classoid = 'pg_catalog.pg_proc'::regclass
  UNION ALL SELECT 'constraint', count(*), min(age(xmin)) FROM pg_catalog.pg_constraint WHERE contypid <> 0
  UNION ALL SELECT 'enum', count(*), min(age(xmin)) FROM pg_catalog.pg_enum
  UNION ALL SELECT 'extension', count(*), min(age(xmin)) FROM pg_catalog.pg_extension
  UNION ALL SELECT 'language', count(*), min(age(xmin)) FROM pg_catalog.pg_language
  UNION ALL SELECT 'member', count(*), min(age(xmin)) FROM pg_catalog.pg_auth_members
  UNION ALL SELECT 'namespace', count(*), min(age(xmin)) FROM pg_catalog.pg_namespace
             WHERE oid NOT IN (SELECT oid FROM passing)
  UNION ALL SELECT 'opclass', count(*), min(age(xmin)) FROM pg_catalog.pg_opclass
  UNION ALL SELECT 'operator', count(*), min(age(xmin)) FROM pg_catalog.pg_operator
  UNION ALL SELECT 'opfamily', count(*), min(age(xmin)) FROM pg_catalog.pg_opfamily
  UNION ALL SELECT 'part', count(*), min(age(xmin)) FROM pg_catalog.pg_depend WHERE deptype = 'e'
  UNION ALL SELECT 'proc', count(*), min(age(xmin)) FROM pg_catalog.pg_proc
             WHERE pronamespace NOT IN (SELECT oid FROM passing)
  UNION ALL SELECT 'tsconfig', count(*), min(age(xmin)) FROM pg_catalog.pg_ts_config
  UNION ALL SELECT 'tsdict', count(*), min(age(xmin)) FROM pg_catalog.pg_ts_dict
  UNION ALL SELECT 'type', count(*), min(age(t.xmin)) FROM pg_catalog.pg_type t
             WHERE t.typrelid = 0 AND t.typnamespace NOT IN (SELECT oid FROM passing)
               AND NOT EXISTS (SELECT FROM pg_catalog.pg_type e WHERE e.oid = t.typelem AND e.typrelid <> 0)
) AS catalogs";

/// Of each relation: its kind, the table that it is a partition of, how many rows of catalogs it has, how many transactions
/// ago the newest of these was written, its estimate, and what is changed in its row without writing it anew. Of an index
/// the same: `indisvalid` before PostgreSQL 14. Columns are left out, of which there are many and none is ever deleted.
const RELATIONS: &str = "
SELECT c.oid, c.relkind::text,
       CASE WHEN c.relispartition THEN pg_catalog.pg_partition_root(c.oid)::oid END,
       coalesce(r.n, 0)::int8, least(age(c.xmin), r.newest), c.reltuples::float8,
       (c.relhasrules::int4 << 1) | c.relhastriggers::int4
  FROM pg_catalog.pg_class c
  LEFT JOIN (
    SELECT relid, sum(n) AS n, min(newest) AS newest FROM (
      SELECT conrelid AS relid, count(*) AS n, min(age(xmin)) AS newest
        FROM pg_catalog.pg_constraint WHERE conrelid <> 0 GROUP BY 1
      UNION ALL SELECT x.indrelid, count(*) + count(*) FILTER (WHERE x.indisvalid), min(least(age(x.xmin), age(i.xmin)))
        FROM pg_catalog.pg_index x JOIN pg_catalog.pg_class i ON i.oid = x.indexrelid
       WHERE i.relnamespace <> 'pg_toast'::regnamespace GROUP BY 1
      UNION ALL SELECT tgrelid, count(*), min(age(xmin)) FROM pg_catalog.pg_trigger WHERE NOT tgisinternal GROUP BY 1
      UNION ALL SELECT ev_class, count(*), min(age(xmin)) FROM pg_catalog.pg_rewrite GROUP BY 1
      UNION ALL SELECT objoid, count(*), min(age(xmin)) FROM pg_catalog.pg_description
                 WHERE classoid = 'pg_catalog.pg_class'::regclass GROUP BY 1
      UNION ALL SELECT inhrelid, count(*), min(age(xmin)) FROM pg_catalog.pg_inherits GROUP BY 1
    ) AS parts GROUP BY relid) AS r ON r.relid = c.oid
 WHERE c.relkind IN ('r', 'p', 'f', 'v', 'm', 'S', 'c') AND c.relpersistence <> 't'";

/// The relations of which a column, or a default of one, was written at most so many transactions ago. To drop a column is
/// to mark its row, and to drop a default too.
const COLUMNS: &str = "
SELECT attrelid FROM pg_catalog.pg_attribute WHERE attnum > 0 AND age(xmin) <= $1
 UNION SELECT adrelid FROM pg_catalog.pg_attrdef WHERE age(xmin) <= $1";

/// How many transactions ago that of this number was.
const AGE: &str = "SELECT pg_catalog.age($1::text::xid)";

/// Numbers of transactions are compared as 32 bits, which half of these may be behind each other.
const FARTHEST: u64 = 1 << 30;

/// What the catalogs are as of one snapshot.
#[derive(Debug, Default)]
pub(super) struct Marks {
    session: String,
    in_recovery: bool,
    has_citus: bool,
    /// All transactions before this one had ended.
    horizon: u64,
    shared: String,
    relations: BTreeMap<u32, Mark>,
}

/// What one relation is.
#[derive(Debug, PartialEq)]
struct Mark {
    kind: u8,
    /// The partitioned table that its rows are in; itself otherwise.
    whole: u32,
    rows: i64,
    flags: i32,
    /// The planner's estimate of its rows, which is no part of what it is.
    estimate: f64,
}

impl Mark {
    fn is_same(&self, other: &Self) -> bool {
        (self.kind, self.whole, self.rows, self.flags)
            == (other.kind, other.whole, other.rows, other.flags)
    }
}

/// How the catalogs differ from those of the last time.
pub(super) enum Difference {
    /// In more than relations.
    Everything,
    /// In these relations, by their numbers; partitions by those of their whole tables.
    Relations(HashSet<u32>),
}

impl Marks {
    /// Reads them in the snapshot of a transaction, and how they differ from those before.
    pub(super) async fn read(
        client: &Client,
        before: Option<&Self>,
    ) -> Result<(Self, Difference), Error> {
        let mut now = Self::default();
        rows_of(client, &SESSION.replace("{HAS_CITUS}", HAS_CITUS), &[], |row: &Row| {
            (now.session, now.in_recovery) = (row.try_get(0)?, row.try_get(1)?);
            now.horizon = row.try_get::<_, String>(2)?.parse().unwrap_or_default();
            now.has_citus = row.try_get(3)?;
            Ok(())
        })
        .await?;
        let before = before.filter(|before| before.is_comparable(&now));
        let farthest = match before {
            Some(before) => before.age(client).await?,
            None => 0,
        };
        let mut has_new = false;
        rows_of(client, SHARED, &[], |row: &Row| {
            now.shared = row.try_get(0)?;
            has_new = row.try_get::<_, i32>(1)? <= farthest;
            Ok(())
        })
        .await?;
        let mut written = HashSet::new();
        if before.is_some() && !has_new {
            rows_of(client, COLUMNS, &[(&farthest, Type::INT4)], |row: &Row| {
                written.insert(row.try_get(0)?);
                Ok(())
            })
            .await?;
        }
        rows_of(client, RELATIONS, &[], |row: &Row| {
            let id: u32 = row.try_get(0)?;
            let kind = row.try_get::<_, &str>(1)?.bytes().next().unwrap_or_default();
            if row.try_get::<_, i32>(4)? <= farthest {
                written.insert(id);
            }
            let whole = row.try_get::<_, Option<u32>>(2)?.unwrap_or(id);
            let (rows, estimate, flags) = (row.try_get(3)?, row.try_get(5)?, row.try_get(6)?);
            now.relations.insert(id, Mark { kind, whole, rows, flags, estimate });
            Ok(())
        })
        .await?;
        let difference = match before.filter(|before| !has_new && before.shared == now.shared) {
            Some(before) => now.difference(before, &written),
            None => Difference::Everything,
        };
        Ok((now, difference))
    }

    /// Whether the same server says it to the same user. A standby follows the numbers of another server.
    fn is_comparable(&self, now: &Self) -> bool {
        let distance = now.horizon.checked_sub(self.horizon);
        self.session == now.session
            && !now.in_recovery
            && self.horizon > 0
            && distance.is_some_and(|distance| distance < FARTHEST)
    }

    /// How many transactions ago the horizon was.
    async fn age(&self, client: &Client) -> Result<i32, Error> {
        let horizon = (self.horizon & u64::from(u32::MAX)).to_string();
        let mut age = i32::MAX;
        rows_of(client, AGE, &[(&horizon, Type::TEXT)], |row: &Row| {
            age = row.try_get(0)?;
            Ok(())
        })
        .await?;
        Ok(age)
    }

    fn difference(&self, before: &Self, written: &HashSet<u32>) -> Difference {
        let mut changed = HashSet::new();
        for (id, now) in &self.relations {
            let known = before.relations.get(id);
            if written.contains(id) || !known.is_some_and(|known| known.is_same(now)) {
                changed.extend([*id, now.whole]);
                changed.extend(known.map(|known| known.whole));
            }
        }
        for (id, known) in
            before.relations.iter().filter(|(id, _)| !self.relations.contains_key(id))
        {
            changed.extend([*id, known.whole]);
        }
        // The columns of composite types, which functions give, are found with these.
        let kind = |id| [self, before].into_iter().find_map(|marks| marks.relations.get(id));
        match changed.iter().any(|id| kind(id).is_some_and(|mark| mark.kind == b'c')) {
            true => Difference::Everything,
            false => Difference::Relations(changed),
        }
    }

    /// The table that a relation is a partition of, or itself.
    pub(super) fn whole(&self, id: u32) -> u32 {
        self.relations.get(&id).map_or(id, |mark| mark.whole)
    }

    /// Whether tables may be spread over machines.
    pub(super) fn has_citus(&self) -> bool {
        self.has_citus
    }

    /// Whether there are partitioned tables.
    pub(super) fn has_partitions(&self) -> bool {
        self.relations.values().any(|mark| mark.kind == b'p')
    }

    /// The estimates of rows of all relations, as [`RELATIONS`](super::relations) has them: a partitioned table has that of
    /// its leaves.
    pub(super) fn estimates(&self) -> HashMap<u32, Option<u64>> {
        let mut leaves: HashMap<u32, f64> = HashMap::new();
        for (id, mark) in &self.relations {
            if mark.whole != *id && mark.kind != b'p' && mark.estimate >= 0.0 {
                *leaves.entry(mark.whole).or_default() += mark.estimate;
            }
        }
        let estimate = |(id, mark): (&u32, &Mark)| {
            let rows = match mark.kind {
                b'v' => None,
                b'p' if mark.estimate <= 0.0 => leaves.get(id).copied(),
                _ => Some(mark.estimate),
            };
            (*id, rows.filter(|rows| *rows >= 0.0).map(|rows| rows as u64))
        };
        self.relations.iter().map(estimate).collect()
    }
}
