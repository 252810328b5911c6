//! A file as the source of a copy to another store. It is locked against writers while it is copied.

mod misfits;
mod rows;
mod standard;
mod tables;

use std::path::{Path, PathBuf};
use std::time::Duration;

use duet_model::{Code, Error, Result};
use duet_store::setup::copy::{CopiedRows, CopiedTable, CopySource, Misfit, Original};
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::functions;

/// How long another program's lock is waited for.
const WAIT: Duration = Duration::from_secs(5);

/// A file that is being copied.
#[derive(Debug)]
pub(crate) struct SqliteSource {
    connection: Connection,
    path: PathBuf,
}

impl SqliteSource {
    /// Opens a file, and keeps others from writing it. A read-only file is read as it is.
    ///
    /// # Errors
    /// If the file does not exist, is none of SQLite's, or is locked by a writer.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let failed = |error| cannot_open(path, error);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).map_err(failed)?;
        let prepare = || {
            connection.busy_timeout(WAIT)?;
            // Generated columns and indexes of collections call them.
            functions::register(&connection)?;
            misfits::register(&connection)?;
            match connection.execute_batch("BEGIN IMMEDIATE") {
                Err(error) if error.sqlite_error_code() == Some(ErrorCode::ReadOnly) => {
                    connection.execute_batch("BEGIN")
                }
                other => other,
            }?;
            connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))
        };
        prepare().map_err(failed)?;
        Ok(Self { connection, path: path.to_owned() })
    }
}

impl CopySource for SqliteSource {
    fn original(&self, without: &[String]) -> Result<Original> {
        tables::read(&self.connection, without)
    }

    fn misfits(&self, table: &CopiedTable) -> Result<Vec<Misfit>> {
        misfits::of(&self.connection, table).map_err(unreadable)
    }

    fn has_table(&self, name: &str) -> Result<bool> {
        let sql = "SELECT count(*) FROM main.sqlite_schema WHERE type = 'table' AND name = ?1";
        self.connection.query_row(sql, [name], |row| row.get(0)).map_err(unreadable)
    }

    fn rows<'s>(
        &'s self,
        table: &str,
        columns: &[String],
        behind: u64,
    ) -> Result<Box<dyn CopiedRows + 's>> {
        let rows = rows::TableRows::new(&self.connection, table, columns, behind);
        Ok(Box::new(rows.map_err(|error| cannot_open(&self.path, error))?))
    }
}

fn cannot_open(path: &Path, error: rusqlite::Error) -> Error {
    let (code, why) = match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            (Code::DatabaseLocked, "is being written by another program; stop it")
        }
        Some(ErrorCode::NotADatabase) => (Code::Setting, "is not a SQLite database"),
        Some(ErrorCode::CannotOpen) => (Code::Setting, "does not exist, or may not be read"),
        _ => (Code::Setting, "cannot be read"),
    };
    Error::new(code, format!("{} {why}. Nothing was copied.", path.display())).cause(error)
}

fn unreadable(error: rusqlite::Error) -> Error {
    Error::new(Code::DatabaseUnavailable, "The file cannot be read further.").cause(error)
}
