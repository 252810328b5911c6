//! Which tables Citus spreads over machines, and how; from its table `pg_dist_partition`, by the rules of its view
//! `citus_tables`.

use std::collections::HashMap;

use duet_model::catalog::Placement;
use tokio_postgres::{Client, Error, Row};

use super::rows_of;

/// Whether the database has Citus, as an expression: an extension alone can make a table in this schema.
pub(crate) const HAS_CITUS: &str =
    "pg_catalog.to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL";

/// A view is what the tables below it are: mixed, unless all are reference tables or on the coordinator alone.
/// `repmodel` is `t` where every machine has all rows. A table with neither column nor group stays on the coordinator.
const PLACEMENTS: &str = "
SELECT d.logicalrelid::oid, d.repmodel::text, d.colocationid::int8,
       CASE WHEN d.partmethod <> 'n' THEN pg_catalog.column_to_column_name(d.logicalrelid, d.partkey) END
  FROM pg_catalog.pg_dist_partition d
UNION ALL
(WITH RECURSIVE uses AS (
  SELECT r.ev_class AS view, d.refobjid AS used
    FROM pg_catalog.pg_rewrite r
    JOIN pg_catalog.pg_class c ON c.oid = r.ev_class AND c.relkind = 'v'
    JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_rewrite'::regclass AND d.objid = r.oid
     AND d.refclassid = 'pg_catalog.pg_class'::regclass AND d.refobjid <> r.ev_class),
 reached AS (
  SELECT view, used FROM uses UNION SELECT r.view, u.used FROM reached r JOIN uses u ON u.view = r.used)
SELECT r.view::oid, CASE WHEN bool_and(d.repmodel = 't') THEN 't' ELSE 'mixed' END, 0, NULL
  FROM reached r JOIN pg_catalog.pg_dist_partition d ON d.logicalrelid::oid = r.used
 GROUP BY r.view)";

/// The placements of the tables that are known to Citus, by their numbers.
pub(super) type Placements = HashMap<u32, Placement>;

/// Whether the database has Citus.
pub(crate) async fn has_citus(client: &Client) -> Result<bool, Error> {
    let mut found = false;
    rows_of(client, &format!("SELECT {HAS_CITUS}"), &[], |row: &Row| {
        found = row.try_get(0)?;
        Ok(())
    })
    .await?;
    Ok(found)
}

/// Reads them of a database that has Citus.
pub(super) async fn read(client: &Client) -> Result<Placements, Error> {
    let mut placements = Placements::new();
    rows_of(client, PLACEMENTS, &[], |row: &Row| {
        placements.insert(row.try_get(0)?, placement(row)?);
        Ok(())
    })
    .await?;
    Ok(placements)
}

fn placement(row: &Row) -> Result<Placement, Error> {
    let (model, group): (&str, i64) = (row.try_get(1)?, row.try_get(2)?);
    let group = u32::try_from(group).unwrap_or_default();
    let column: Option<String> = row.try_get(3)?;
    Ok(match (column, model) {
        (Some(column), _) => Placement::Distributed { column, group },
        (None, "t") => Placement::Reference,
        (None, "mixed") => Placement::Mixed,
        (None, _) if group > 0 => Placement::Single { group },
        (None, _) => Placement::Local,
    })
}
