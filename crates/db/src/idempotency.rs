//! Makes the table of idempotency keys.

use std::path::Path;

use duet_model::Result;
use duet_sql::{Dialect, Postgres, Sqlite};

use crate::own_tables::OwnTables;
use crate::postgres::connect::Settings;

/// Makes the schema `duet` and the table in a PostgreSQL database; `false` where the table exists.
///
/// # Errors
/// `Setting` where the user may not make them; others where the database cannot be reached.
pub async fn prepare_postgres(settings: &Settings) -> Result<bool> {
    of(&Postgres { icu: false }).make_in_postgres(settings).await
}

/// Makes the table in a SQLite file; `false` where the table exists.
///
/// # Errors
/// `Setting` where there is no such file or it cannot be written.
pub fn prepare_sqlite(path: &Path) -> Result<bool> {
    of(&Sqlite).make_in_sqlite(path)
}

fn of(dialect: &dyn Dialect) -> OwnTables {
    let tables = dialect.key_table();
    OwnTables {
        what: "The table of idempotency keys",
        create: tables.create,
        exists: tables.exists,
    }
}

#[cfg(test)]
mod tests {
    use duet_model::Code;
    use rusqlite::Connection;

    use super::*;

    #[test]
    fn a_file_gets_its_table_once_and_no_file_is_made() {
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
        assert_eq!(names, ["t"], "the table of keys is not served");
    }
}
