//! Makes tables of Duet's own in a file, on request alone.

use std::path::Path;
use std::time::Duration;

use duet_model::{Code, Error, Result};
use duet_sql::Sqlite;
use rusqlite::{Connection, OpenFlags};

use duet_store::setup::own_part::{OwnPart, OwnTables};

/// How long another program's lock on the file is waited for.
const BUSY: Duration = Duration::from_secs(5);

/// Makes tables; `false` where they exist.
///
/// # Errors
/// `Setting` where there is no such file or it cannot be written, or SQLite has no such tables.
pub(crate) fn make_own(path: &Path, part: OwnPart) -> Result<bool> {
    let tables = OwnTables::of(part, &Sqlite)
        .ok_or_else(|| Error::new(Code::Setting, "SQLite has no such tables of Duet's own."))?;
    let failed = |error: rusqlite::Error| {
        let message = format!("{} cannot be written. Nothing was made.", path.display());
        Error::new(Code::Setting, message)
            .hint("Name an existing SQLite file that no other program has locked.")
            .cause(error)
    };
    let connection =
        Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(failed)?;
    connection.busy_timeout(BUSY).map_err(failed)?;
    let mut exists = connection.prepare(tables.exists).map_err(failed)?;
    if exists.exists([]).map_err(failed)? {
        return Ok(false);
    }
    connection
        .execute_batch(&format!("BEGIN IMMEDIATE; {}; COMMIT", tables.create))
        .map_err(failed)?;
    Ok(true)
}

/// Runs the statements of a script in one transaction.
///
/// # Errors
/// `Setting` where the file cannot be written, or a statement fails.
pub(crate) fn run_script(path: &Path, script: &str) -> Result<()> {
    let failed = |error: rusqlite::Error| {
        let message = format!("{} cannot be prepared. Nothing was changed.", path.display());
        Error::new(Code::Setting, message)
            .hint("Name an existing SQLite file that no other program has locked.")
            .cause(error)
    };
    let connection =
        Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(failed)?;
    connection.busy_timeout(BUSY).map_err(failed)?;
    connection.execute_batch(&format!("BEGIN IMMEDIATE; {script} COMMIT")).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_gets_its_tables_once_and_no_file_is_made() {
        for part in [OwnPart::Keys, OwnPart::Journal, OwnPart::Webhooks] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("a.db");
            assert_eq!(make_own(&path, part).unwrap_err().code, Code::Setting);
            assert!(!path.exists());
            Connection::open(&path).unwrap().execute_batch("CREATE TABLE t (a)").unwrap();
            assert!(make_own(&path, part).unwrap());
            assert!(!make_own(&path, part).unwrap());
            let connection = Connection::open(&path).unwrap();
            let catalog = crate::catalog::introspect(&connection).unwrap();
            let names: Vec<&str> = catalog.relations.iter().map(|one| one.name.as_str()).collect();
            assert_eq!(names, ["t"], "{part:?}: Duet's own tables are not served");
        }
    }
}
