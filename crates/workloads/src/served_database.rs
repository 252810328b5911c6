//! The database of a run as Duet serves it: by its store.

use std::path::Path;

use duet_bench::targets::sql::Database;
use duet_model::Result;
use duet_registry::DatabaseUrl;

/// The database, for what its store does. Environment variables such as `PGPASSWORD` apply.
///
/// # Errors
/// If no store takes it.
pub(crate) fn served_database(database: &Database) -> Result<DatabaseUrl> {
    match database {
        Database::Postgres(url) => DatabaseUrl::read(url, Path::new("")),
        Database::Sqlite { path, .. } => DatabaseUrl::file(path.clone()),
    }
}
