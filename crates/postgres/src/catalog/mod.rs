//! Introspection of PostgreSQL (13 or later): a handful of set-based queries over the system
//! catalogs in one snapshot, so that 60,000 tables cost seconds, not minutes.
//!
//! Left out: PostgreSQL's own schemas, temporary tables, partitions (their parent is included), the
//! tables of extensions, and objects that the user may not read or run.

mod composites;
mod effects;
mod keys;
mod marks;
mod memory;
mod partitions;
pub(crate) mod placements;
mod relations;
mod routines;
pub(crate) mod statement;
pub(crate) mod totals;
mod types;
mod view_tree;
mod views;

use std::collections::{HashMap, HashSet};
use std::io;
use std::pin::pin;
use std::sync::Arc;

use duet_model::catalog::{Catalog, Relation};
use duet_model::{Code, Error, Result};
use futures_util::TryStreamExt;
use futures_util::future::LocalBoxFuture;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Row};

use crate::own::rights;
use effects::Nodes;
use marks::{Difference, Marks};
pub use memory::Memory;
use memory::{Known, Part};
use relations::Entry;
use types::Types;

/// Which schemas of a PostgreSQL database are looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SchemaFilter {
    /// All but PostgreSQL's own.
    #[default]
    All,
    /// These, by exact name.
    Only(Vec<String>),
}

/// One snapshot for all queries; names of types and functions come out qualified unless they are
/// PostgreSQL's own, whatever the user's `search_path` is.
const BEGIN: &str = "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY; \
                     SET LOCAL search_path TO pg_catalog, pg_temp; SET LOCAL jit TO off";

/// The relations that are looked at, as a table expression `seen`; `$1` is the schema filter, `$2` the only ones by their
/// number, or NULL for all.
const SEEN: &str = "
WITH seen AS (
  SELECT c.oid, n.nspname, c.relname, c.relkind, c.reltuples,
         has_schema_privilege(n.oid, 'USAGE') AS may_enter,
         has_table_privilege(c.oid, 'SELECT') AS may_read
    FROM pg_catalog.pg_class c
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
   WHERE c.relkind IN ('r', 'p', 'f', 'v', 'm') AND NOT c.relispartition
     AND ($2::oid[] IS NULL OR c.oid = ANY ($2))
     AND c.relpersistence <> 't'
     AND CASE WHEN $1::text[] IS NULL
              THEN n.nspname !~ '^pg_' AND n.nspname NOT IN ('information_schema', 'duet')
              ELSE n.nspname = ANY ($1) AND n.nspname <> 'duet' END
     AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d
                      WHERE d.classid = 'pg_catalog.pg_class'::regclass
                        AND d.objid = c.oid AND d.deptype = 'e')
     AND NOT EXISTS (SELECT FROM pg_catalog.pg_description d
                      WHERE d.objoid = c.oid AND d.classoid = 'pg_catalog.pg_class'::regclass
                        AND d.objsubid = 0 AND d.description LIKE '/* duet totals %')),
     -- Triggers that capture changes, fill the outbox of webhooks or keep totals write nothing that is served. Their function is found in the
     -- catalog, because to look up its name takes the right to use its schema.
     own_code AS (
  SELECT p.oid FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
   WHERE n.nspname = 'duet' AND (p.proname = 'capture_change' OR p.proname LIKE 'webhook\\_%') AND p.pronargs = 0 OR p.prosrc LIKE '/* duet totals %'),
     -- The statements that run triggers of a table, or of one of its partitions: 4 INSERT, 8 DELETE, 16 UPDATE,
     -- 32 TRUNCATE.
     fired AS (
  SELECT coalesce(pg_catalog.pg_partition_root(g.tgrelid)::oid, g.tgrelid) AS relid,
         bit_or(g.tgtype) AS declared, coalesce(bit_or(g.tgtype) FILTER (WHERE g.tgenabled <> 'D'), 0) AS enabled
    FROM pg_catalog.pg_trigger g
   WHERE NOT g.tgisinternal AND g.tgfoid NOT IN (SELECT oid FROM own_code) GROUP BY 1)
";

/// Reads the catalog of a database.
///
/// The connection must be outside of a transaction; it must not be shared while this runs, and
/// not be used again if this future is dropped before its end.
///
/// # Errors
/// [`Code::DatabaseUnavailable`] if the connection is lost, [`Code::Timeout`] if the server's
/// statement timeout ends it, [`Code::DatabaseDenied`] if the system catalogs cannot be read.
pub async fn introspect(client: &Client, schemas: &SchemaFilter) -> Result<Catalog> {
    in_snapshot(client, Box::pin(read_once(client, schemas))).await
}

/// The same of a database whose catalog was read before, with the same schemas: relations that are as they are remembered
/// are shared with it. After an error, or where this future is dropped, nothing is remembered.
///
/// # Errors
/// As [`introspect`].
pub async fn introspect_again(
    client: &Client,
    schemas: &SchemaFilter,
    memory: &mut Memory,
) -> Result<Catalog> {
    in_snapshot(client, Box::pin(read_again(client, schemas, memory))).await
}

/// Boxed, so that callers hold neither its code nor its state.
type Reading<'a> = LocalBoxFuture<'a, Result<Catalog, tokio_postgres::Error>>;

async fn in_snapshot(client: &Client, read: Reading<'_>) -> Result<Catalog> {
    client.batch_execute(BEGIN).await.map_err(|error| failed(&error))?;
    let read = read.await;
    // After an error the transaction must still be left; the first error is the one that counts.
    let end = client.batch_execute("ROLLBACK").await;
    let catalog = read.map_err(|error| failed(&error))?;
    end.map_err(|error| failed(&error))?;
    Ok(catalog)
}

async fn read_once(
    client: &Client,
    schemas: &SchemaFilter,
) -> Result<Catalog, tokio_postgres::Error> {
    let source = CatalogReader { client, schemas, only: None };
    let (mut known, _) = read_all(&source, Marks::default()).await?;
    if placements::has_citus(client).await? {
        known.place(&placements::read(client).await?);
    }
    known.catalog(&source, true).await
}

async fn read_again(
    client: &Client,
    schemas: &SchemaFilter,
    memory: &mut Memory,
) -> Result<Catalog, tokio_postgres::Error> {
    let source = CatalogReader { client, schemas, only: None };
    let before = memory.known.take();
    let (marks, difference) =
        Marks::read(client, before.as_ref().map(|before| &before.marks)).await?;
    let relations = before.as_ref().map(Known::relations).unwrap_or_default();
    let (mut known, read) = match (before, difference) {
        (Some(before), Difference::Relations(changed)) => {
            read_changed(&source, before, marks, &changed).await?
        }
        _ => read_all(&source, marks).await?,
    };
    memory.read = read;
    let placements = match known.marks.has_citus() {
        true => placements::read(client).await?,
        false => placements::Placements::new(),
    };
    known.place(&placements);
    let estimates = known.marks.estimates();
    known.share(&relations, &estimates);
    let catalog = known.catalog(&source, known.marks.has_partitions()).await?;
    memory.known = Some(known);
    Ok(catalog)
}

/// Reads everything; with the number of relations.
async fn read_all(
    source: &CatalogReader<'_>,
    marks: Marks,
) -> Result<(Known, usize), tokio_postgres::Error> {
    let types = Types::read(source).await?;
    let Part { entries, nodes } = Part::read(source, &types).await?;
    let routines = routines::all(source, &types).await?;
    let all: HashSet<u32> = entries.iter().map(|entry| entry.id).collect();
    let view_keys = views::read(source).await?;
    let mut known = Known { marks, types, routines, entries, nodes, view_keys };
    known.join(&all, &Nodes::new());
    Ok((known, all.len()))
}

/// Reads what depends on relations that have changed; with the number of relations that were read.
async fn read_changed(
    source: &CatalogReader<'_>,
    mut known: Known,
    marks: Marks,
    changed: &HashSet<u32>,
) -> Result<(Known, usize), tokio_postgres::Error> {
    known.marks = marks;
    if changed.is_empty() {
        return Ok((known, 0));
    }
    let nodes = known.nodes.clone();
    let Some(read) = known.read_again(source, changed).await? else {
        return read_all(source, known.marks).await;
    };
    known.join(&read, &nodes);
    if !known.routines.relations.is_disjoint(changed) {
        known.routines = routines::all(source, &known.types).await?;
    }
    known.view_keys = views::read(source).await?;
    let read = known.entries.iter().filter(|entry| read.contains(&entry.id)).count();
    Ok((known, read))
}

impl Known {
    /// The relations by their numbers.
    fn relations(&self) -> HashMap<u32, Arc<Relation>> {
        let relation = |entry: &Entry| Some((entry.id, Arc::clone(entry.relation.as_ref()?)));
        self.entries.iter().filter_map(relation).collect()
    }

    /// The whole catalog, with what is read each time.
    async fn catalog(
        &self,
        source: &CatalogReader<'_>,
        has_partitions: bool,
    ) -> Result<Catalog, tokio_postgres::Error> {
        let mut notes = self.routines.notes.clone();
        notes.extend(self.entries.iter().flat_map(|entry| entry.notes.iter().cloned()));
        notes.extend(relations::forbidden_notes(&self.entries));
        let partition_keys = match has_partitions {
            true => partitions::read(source).await?,
            false => Vec::new(),
        };
        let own = |row: &Row| {
            notes.extend(rights::note(row.try_get(0)?, row.try_get(1)?));
            Ok(())
        };
        source.each(&rights::lacking(), own).await?;
        let relations = self.entries.iter().filter_map(|entry| entry.relation.clone()).collect();
        let routines = self.routines.all.clone();
        Ok(Catalog {
            relations,
            routines,
            media_aggregates: self.routines.media_aggregates.clone(),
            partition_keys,
            view_keys: self.view_keys.clone(),
            notes,
            ..Catalog::default()
        })
    }
}

/// Reads rows of the system catalogs.
struct CatalogReader<'a> {
    client: &'a Client,
    schemas: &'a SchemaFilter,
    /// The only relations that are looked at; `None` for all.
    only: Option<Vec<u32>>,
}

impl CatalogReader<'_> {
    /// The same for these relations alone.
    fn only(&self, relations: &HashSet<u32>) -> Self {
        let mut only: Vec<u32> = relations.iter().copied().collect();
        only.sort_unstable();
        CatalogReader { client: self.client, schemas: self.schemas, only: Some(only) }
    }

    /// Hands every row of a query to `take`, one at a time: there may be millions. `$1` is the
    /// schema filter, `$2` the only relations.
    async fn each(
        &self,
        query: &str,
        take: impl FnMut(&Row) -> Result<(), tokio_postgres::Error>,
    ) -> Result<(), tokio_postgres::Error> {
        let schemas = match self.schemas {
            SchemaFilter::All => None,
            SchemaFilter::Only(names) => Some(names),
        };
        rows_of(
            self.client,
            query,
            &[(&schemas, Type::TEXT_ARRAY), (&self.only, Type::OID_ARRAY)],
            take,
        )
        .await
    }
}

/// Hands every row of a query to `take`.
async fn rows_of(
    client: &Client,
    query: &str,
    parameters: &[(&(dyn ToSql + Sync), Type)],
    mut take: impl FnMut(&Row) -> Result<(), tokio_postgres::Error>,
) -> Result<(), tokio_postgres::Error> {
    let parameters = parameters.iter().map(|(value, ty)| (*value, ty.clone()));
    // Typed, so that nothing is prepared under a name: there may be a pooler in between.
    let mut rows = pin!(client.query_typed_raw(query, parameters).await?);
    while let Some(row) = rows.try_next().await? {
        take(&row)?;
    }
    Ok(())
}

/// Whether the server could not be reached or was lost, rather than gave an unexpected answer.
fn is_of_connection(error: &tokio_postgres::Error) -> bool {
    let source = std::error::Error::source(error);
    error.is_closed() || source.and_then(|source| source.downcast_ref::<io::Error>()).is_some()
}

/// The message for a lost server.
const LOST: (Code, &str) =
    (Code::DatabaseUnavailable, "The connection was lost while reading the schema.");

fn failed(error: &tokio_postgres::Error) -> Error {
    // The driver's own text is only "db error".
    let cause = error.as_db_error().map_or_else(|| error.to_string(), ToString::to_string);
    let (code, message) = match error.code() {
        Some(state) if *state == SqlState::INSUFFICIENT_PRIVILEGE => {
            (Code::DatabaseDenied, "The database user may not read the system catalogs.")
        }
        Some(state) if *state == SqlState::QUERY_CANCELED => {
            return duet_store::catalog::too_slow(cause);
        }
        // The server goes down or throws the session out.
        Some(state) if state.code().starts_with("57P") || state.code().starts_with("08") => LOST,
        Some(_) => return Error::internal(cause),
        // Objects that are being dropped have unusual NULLs.
        None if !is_of_connection(error) => return Error::internal(cause),
        None => LOST,
    };
    Error::new(code, message).cause(cause)
}

#[cfg(test)]
mod tests {
    use duet_testkit::postgres::Server;

    use super::*;

    #[test]
    fn objects_dropped_meanwhile_are_no_lost_connection() {
        let url = Server::shared().database("introspect_dropped").url();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let codes = runtime.block_on(async {
            let (client, connection) =
                tokio_postgres::connect(&url, tokio_postgres::NoTls).await.unwrap();
            let driver = tokio::spawn(connection);
            // So are the privileges of a table that was dropped since it was listed.
            let sql = "SELECT has_column_privilege(0::oid, 1::int2, 'SELECT')";
            let row = client.query_one(sql, &[]).await.unwrap();
            let null = failed(&row.try_get::<_, bool>(0).unwrap_err());
            let sql = "SELECT pg_terminate_backend(pg_backend_pid())";
            let ended = client.batch_execute(sql).await.unwrap_err();
            assert!(driver.await.unwrap().is_err());
            let closed = client.batch_execute("SELECT 1").await.unwrap_err();
            [null.code, failed(&ended).code, failed(&closed).code]
        });
        let gone = Code::DatabaseUnavailable;
        assert_eq!(codes, [Code::Internal, gone, gone]);
    }
}
