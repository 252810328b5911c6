//! Introspection of PostgreSQL (13 or later): a handful of set-based queries over the system
//! catalogs in one snapshot, so that 60,000 tables cost seconds, not minutes.
//!
//! Left out: PostgreSQL's own schemas, temporary tables, partitions (their parent is included), the
//! tables of extensions, and objects that the user may not read or run.

mod composites;
mod effects;
mod keys;
mod partitions;
mod relations;
mod routines;
pub(crate) mod statement;
pub(crate) mod totals;
mod types;

use std::io;
use std::pin::pin;
use std::sync::Arc;

use duet_model::catalog::Catalog;
use duet_model::{Code, Error, Result};
use futures_util::TryStreamExt;
use futures_util::future::LocalBoxFuture;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Row};

use super::SchemaFilter;
use crate::own_rights;
use composites::Composites;
use relations::Relations;
use types::Types;

/// One snapshot for all queries; names of types and functions come out qualified unless they are
/// PostgreSQL's own, whatever the user's `search_path` is.
const BEGIN: &str = "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY; \
                     SET LOCAL search_path TO pg_catalog, pg_temp; SET LOCAL jit TO off";

/// The relations that are looked at, as a table expression `seen`; `$1` is the schema filter.
const SEEN: &str = "
WITH seen AS (
  SELECT c.oid, n.nspname, c.relname, c.relkind, c.reltuples,
         has_schema_privilege(n.oid, 'USAGE') AS may_enter,
         has_table_privilege(c.oid, 'SELECT') AS may_read
    FROM pg_catalog.pg_class c
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
   WHERE c.relkind IN ('r', 'p', 'f', 'v', 'm') AND NOT c.relispartition
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
     -- Triggers that capture changes or keep totals write nothing that is served. Their function is found in the
     -- catalog, because to look up its name takes the right to use its schema.
     own_code AS (
  SELECT p.oid FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
   WHERE n.nspname = 'duet' AND p.proname = 'capture_change' AND p.pronargs = 0 OR p.prosrc LIKE '/* duet totals %'),
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
/// statement timeout strikes, [`Code::DatabaseDenied`] if the system catalogs cannot be read.
pub async fn introspect(client: &Client, schemas: &SchemaFilter) -> Result<Catalog> {
    client.batch_execute(BEGIN).await.map_err(|error| failed(&error))?;
    let read = read(client, schemas).await;
    // After an error the transaction must still be left; the first error is the one that counts.
    let end = client.batch_execute("ROLLBACK").await;
    let catalog = read.map_err(|error| failed(&error))?;
    end.map_err(|error| failed(&error))?;
    Ok(catalog)
}

/// Boxed here, so that callers hold neither its code nor its state.
fn read<'a>(
    client: &'a Client,
    schemas: &'a SchemaFilter,
) -> LocalBoxFuture<'a, Result<Catalog, tokio_postgres::Error>> {
    Box::pin(read_catalog(client, schemas))
}

async fn read_catalog(
    client: &Client,
    schemas: &SchemaFilter,
) -> Result<Catalog, tokio_postgres::Error> {
    let source = CatalogReader { client, schemas };
    let types = Types::read(&source).await?;
    let mut relations = Relations::read(&source, &types).await?;
    keys::read(&source, &mut relations).await?;
    totals::read(&source, &mut relations).await?;
    effects::read(&source, &mut relations).await?;
    let mut notes = Vec::new();
    let composites = Composites::read(&source).await?;
    let routines = routines::read(&source, (&types, &composites), &mut notes).await?;
    let mut relations = relations.finish(&mut notes);
    super::effects::link(&mut relations);
    let partition_keys = partitions::read(&source).await?;
    let own = |row: &Row| {
        notes.extend(own_rights::note(row.try_get(0)?, row.try_get(1)?));
        Ok(())
    };
    source.each(&format!("{SEEN}{}", own_rights::lacking()), own).await?;
    let relations = relations.into_iter().map(Arc::new).collect();
    Ok(Catalog { relations, routines, partition_keys, notes, ..Catalog::default() })
}

/// Reads rows of the system catalogs.
struct CatalogReader<'a> {
    client: &'a Client,
    schemas: &'a SchemaFilter,
}

impl CatalogReader<'_> {
    /// Hands every row of a query to `take`, one at a time: there may be millions. `$1` is the
    /// schema filter.
    async fn each(
        &self,
        query: &str,
        mut take: impl FnMut(&Row) -> Result<(), tokio_postgres::Error>,
    ) -> Result<(), tokio_postgres::Error> {
        let schemas = match self.schemas {
            SchemaFilter::All => None,
            SchemaFilter::Only(names) => Some(names),
        };
        let parameters = [(schemas, Type::TEXT_ARRAY)];
        // Typed, so that nothing is prepared under a name: there may be a pooler in between.
        let mut rows = pin!(self.client.query_typed_raw(query, parameters).await?);
        while let Some(row) = rows.try_next().await? {
            take(&row)?;
        }
        Ok(())
    }
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
            (Code::Timeout, "Reading the schema took longer than the user's statement_timeout.")
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
