//! Makes the tables of the ingest journal: marks, and rows that the database has refused.

use std::path::Path;

use duet_model::Result;
use duet_sql::{Dialect, Postgres, Sqlite};

use crate::own_tables::OwnTables;
use crate::postgres::connect::Settings;

/// Makes the schema `duet` and the tables in a PostgreSQL database; `false` where the tables exist.
///
/// # Errors
/// `Setting` where the user may not make them; others where the database cannot be reached.
pub async fn prepare_postgres(settings: &Settings) -> Result<bool> {
    of(&Postgres { icu: false }).make_in_postgres(settings).await
}

/// Makes the tables in a SQLite file; `false` where the tables exist.
///
/// # Errors
/// `Setting` where there is no such file or it cannot be written.
pub fn prepare_sqlite(path: &Path) -> Result<bool> {
    of(&Sqlite).make_in_sqlite(path)
}

fn of(dialect: &dyn Dialect) -> OwnTables {
    let tables = dialect.journal_tables();
    OwnTables { what: "The tables of the journal", create: tables.create, exists: tables.exists }
}

#[cfg(test)]
mod tests {
    use duet_model::Code;
    use rusqlite::Connection;

    use super::*;

    #[test]
    fn a_file_gets_its_tables_once_and_they_are_not_served() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        assert_eq!(prepare_sqlite(&path).unwrap_err().code, Code::Setting);
        assert!(!path.exists());
        Connection::open(&path).unwrap().execute_batch("CREATE TABLE t (a)").unwrap();
        assert!(prepare_sqlite(&path).unwrap());
        assert!(!prepare_sqlite(&path).unwrap());
        let connection = Connection::open(&path).unwrap();
        let catalog = crate::introspect::sqlite::introspect(&connection).unwrap();
        let names: Vec<&str> = catalog.relations.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["t"], "its tables are not served");
    }
}
