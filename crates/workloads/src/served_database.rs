//! The database of a run as Duet serves it: by its store.

use std::path::Path;

use duet_bench::targets::sql::DatabaseAddress;
use duet_client::confinement;
use duet_model::{Code, Error, Result};
use duet_registry::DatabaseUrl;

/// The database, for what its store does. Environment variables such as `PGPASSWORD` apply.
///
/// # Errors
/// If no store takes it, or this process is confined: it measures a machine of its own.
pub(crate) fn served_database(database: &DatabaseAddress) -> Result<DatabaseUrl> {
    confinement::allows_own_database("Duet in process")
        .map_err(|why| Error::new(Code::Setting, why))?;
    match database {
        DatabaseAddress::Postgres(url) => DatabaseUrl::read(url, Path::new("")),
        DatabaseAddress::Sqlite { path, .. } => DatabaseUrl::file(path.clone()),
    }
}
