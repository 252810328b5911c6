//! A server of the run's own that acknowledges rows from a journal: the tables and the folder for it.

use duet_bench::targets::sql::DatabaseAddress;
use duet_model::Result;
use duet_store::OwnPart;

use crate::blocking;
use crate::served_database::served_database;

/// Makes the journal's tables in a database, unless they exist, as `duet journal prepare` does.
///
/// # Errors
/// If the database cannot be reached, or its user may not make tables.
pub fn prepare(database: &DatabaseAddress) -> Result<()> {
    let database = served_database(database)?;
    blocking(database.make_own(OwnPart::Journal))?.map(drop)
}
