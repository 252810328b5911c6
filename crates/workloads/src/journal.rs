//! A server of the run's own that acknowledges rows from a journal: the tables and the folder for it.

use duet_bench::targets::sql::Database;
use duet_bench::workload::cannot;
use duet_db::journal::{prepare_postgres, prepare_sqlite};
use duet_db::postgres::connect::Settings;
use duet_model::Result;

use crate::blocking;

/// Makes the journal's tables in a database, unless they exist, as `duet journal prepare` does.
///
/// # Errors
/// If the database cannot be reached, or its user may not make tables.
pub fn prepare(database: &Database) -> Result<()> {
    match database {
        Database::Sqlite { path, .. } => prepare_sqlite(path).map(drop),
        Database::Postgres(url) => {
            let settings = Settings::from_url(url, &|name| std::env::var(name).ok());
            let settings = settings.map_err(|error| {
                cannot("The database", &duet_bench::workload::Failed::check(error.to_string()))
            })?;
            blocking(prepare_postgres(&settings))?.map(drop)
        }
    }
}
