//! The database that a command names.

use duet_bench::targets::sql::DatabaseAddress;
use duet_model::Result;
pub(crate) use duet_registry::DatabaseUrl;
use duet_store::PlainTarget;

use crate::report::warn;

/// Prints what is to be said of a database's connection string before the database is used.
///
/// # Errors
/// `Setting` if the connection string is wrong.
pub(crate) fn warn_of(database: &DatabaseUrl) -> Result<()> {
    database.warnings()?.iter().for_each(|warning| warn(warning));
    Ok(())
}

/// A database as target of the bench.
///
/// # Errors
/// `Setting` if its store has no plain connections. What is wrong with a connection string is said where it is used.
pub(crate) fn target_of(database: &DatabaseUrl) -> Result<DatabaseAddress> {
    Ok(match database.plain()? {
        PlainTarget::Libpq(text) => DatabaseAddress::Postgres(text),
        PlainTarget::File(path) => DatabaseAddress::sqlite(path),
    })
}
