//! The database that a command names.

pub(crate) use duet_db::DatabaseUrl;
use duet_model::Result;

use crate::report::warn;

/// Prints what is to be said of a database's connection string before the database is used.
///
/// # Errors
/// `Setting` if the connection string is wrong.
pub(crate) fn warn_of(database: &DatabaseUrl) -> Result<()> {
    database.warnings()?.iter().for_each(|warning| warn(warning));
    Ok(())
}
