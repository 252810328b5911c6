//! Copies of some documents of collections, in which indexes are tried without touching the tables themselves: a file of
//! its own.

use std::path::Path;

use duet_model::{Code, CollectionTable, Error, Result};
use duet_store::setup::sample_copy::copies;
use rusqlite::Connection;

use crate::functions;

/// Copies documents into the tables of a file.
///
/// # Errors
/// `Setting` if one of the files cannot be read or written.
pub(crate) fn copy_sqlite(
    to: &Path,
    from: &Path,
    tables: Vec<CollectionTable>,
    rows: u64,
) -> Result<()> {
    let failed = |error: rusqlite::Error| {
        let message = format!("The documents of {} cannot be copied: {error}.", from.display());
        Error::new(Code::Setting, message).cause(error)
    };
    let copy = || -> rusqlite::Result<()> {
        let connection = Connection::open(to)?;
        functions::register(&connection)?;
        // Only rows of the copy are checked, and the file is of no use after a failure.
        connection.execute_batch("PRAGMA synchronous = off; PRAGMA foreign_keys = off")?;
        connection.execute("ATTACH ?1 AS origin", [format!("{}", from.display())])?;
        for statement in copies(tables, ["main", "origin"], rows) {
            connection.execute_batch(&statement)?;
        }
        connection.execute_batch("DETACH origin; ANALYZE")
    };
    copy().map_err(failed)
}
