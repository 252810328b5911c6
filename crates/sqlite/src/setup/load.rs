//! Loading into a SQLite file.

use std::collections::BTreeSet;
use std::path::Path;

use duet_model::{Code, Error, Result};
use rusqlite::{Connection, OptionalExtension as _, Transaction};

use crate::catalog::search_indexes::SearchIndexes;
use crate::functions;

use duet_store::setup::load::{Load, LoadSource, LoadedRows, failed, quoted, refused};

/// Loads into a SQLite file; one that does not exist is made, in write-ahead logging.
///
/// # Errors
/// `Setting` if a table of the same name exists and is not to be replaced, or a script
/// fails; other codes where the file cannot be written. The file is then as it was before.
pub(crate) fn into_sqlite(path: &Path, load: &Load) -> Result<LoadedRows> {
    let is_new = !path.exists();
    let result = open(path, is_new).and_then(|mut connection| run(&mut connection, path, load));
    if is_new && result.is_err() {
        // The unused file; if it cannot be removed, the error is sufficient.
        for suffix in ["", "-wal", "-shm", "-journal"] {
            let mut name = path.as_os_str().to_owned();
            name.push(suffix);
            let _ = std::fs::remove_file(name);
        }
    }
    result
}

fn open(path: &Path, is_new: bool) -> Result<Connection> {
    let connection = Connection::open(path).map_err(|error| cannot_write(path, &error))?;
    let prepare = || {
        connection.busy_timeout(std::time::Duration::from_secs(5))?;
        // Indexes of collections call them.
        functions::register(&connection)?;
        // The file is only looked at now.
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
        if is_new {
            connection.pragma_update(None, "journal_mode", "wal")?;
        }
        // Room for the indexes of random keys, which would otherwise be written again and again.
        connection.pragma_update(None, "cache_size", -131_072)?;
        // Checked as a whole at the end: scripts may load in any order.
        connection.pragma_update(None, "foreign_keys", false)
    };
    prepare().map_err(|error| cannot_write(path, &error))?;
    Ok(connection)
}

/// What keeps the file from being written.
fn cannot_write(path: &Path, error: &rusqlite::Error) -> Error {
    use rusqlite::ErrorCode as Sqlite;
    let (code, why) = match error.sqlite_error_code() {
        Some(Sqlite::DatabaseBusy | Sqlite::DatabaseLocked) => {
            (Code::DatabaseLocked, "is locked by another program")
        }
        Some(Sqlite::NotADatabase) => (Code::Setting, "is not a SQLite database"),
        Some(Sqlite::ReadOnly | Sqlite::PermissionDenied) => (Code::Setting, "may not be written"),
        _ => (Code::Setting, "cannot be written"),
    };
    Error::new(code, format!("{} {why}. Nothing was loaded.", path.display())).cause(error)
}

fn run(connection: &mut Connection, path: &Path, load: &Load) -> Result<LoadedRows> {
    attach(connection, load)?;
    let sql = |error: rusqlite::Error| cannot_write(path, &error);
    let transaction = connection
        .transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)
        .map_err(sql)?;
    make_room(&transaction, path, load)?;
    for (index, source) in load.sources.iter().enumerate() {
        match source {
            LoadSource::Script { name, text } => transaction
                .execute_batch(text)
                .map_err(|error| failed(name, None, &error.to_string()))?,
            LoadSource::Database(_) => {
                copy(&transaction, &schema_name(index)).map_err(sql)?;
            }
        }
    }
    check_foreign_keys(&transaction, path)?;
    let loaded = count(&transaction, load).map_err(sql)?;
    transaction.commit().map_err(sql)?;
    // Fresh statistics; without them everything works, only slower.
    let _ = connection.execute_batch("ANALYZE; PRAGMA wal_checkpoint(TRUNCATE)");
    Ok(loaded)
}

/// What a database that is copied from is called meanwhile.
fn schema_name(index: usize) -> String {
    format!("source{index}")
}

fn attach(connection: &Connection, load: &Load) -> Result<()> {
    for (index, source) in load.sources.iter().enumerate() {
        let LoadSource::Database(file) = source else { continue };
        let statement = format!("ATTACH DATABASE ?1 AS {}", schema_name(index));
        connection
            .execute(&statement, [file.to_string_lossy()])
            .map_err(|error| failed(&file.display().to_string(), None, &error.to_string()))?;
    }
    Ok(())
}

/// Finds existing tables of the same names, and drops them on request.
fn make_room(transaction: &Transaction<'_>, path: &Path, load: &Load) -> Result<()> {
    let sql = |error: rusqlite::Error| cannot_write(path, &error);
    let mut existing = Vec::new();
    for table in &load.tables {
        let found: Option<(String, String)> = transaction
            .query_row(
                "SELECT name, type FROM main.sqlite_schema
                 WHERE type IN ('table', 'view') AND lower(name) = lower(?1)",
                [table],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )
            .optional()
            .map_err(sql)?;
        existing.extend(found);
    }
    if !existing.is_empty() && !load.replace {
        let names: Vec<String> = existing.into_iter().map(|(name, _)| name).collect();
        return Err(refused(&names, &format!("SQLite {}", path.display())));
    }
    let searched = SearchIndexes::read(transaction, "main").map_err(sql)?;
    for (name, kind) in existing {
        // They are tables of their own, which do not go with this one.
        for index in searched.of(&name) {
            transaction.execute_batch(&index.drop_script()).map_err(sql)?;
        }
        let statement = format!("DROP {kind} main.{}", quoted(&name));
        transaction.execute_batch(&statement).map_err(sql)?;
    }
    Ok(())
}

/// Copies all tables, then their rows, then indexes, views and triggers, so that no trigger runs. Search indexes of
/// collections are created again.
fn copy(transaction: &Transaction<'_>, from: &str) -> rusqlite::Result<()> {
    let statement = format!(
        "SELECT type, name, sql FROM {from}.sqlite_schema s
         WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND NOT EXISTS
             (SELECT 1 FROM pragma_table_list(s.name) l WHERE l.schema = '{from}' AND l.type = 'shadow')
         ORDER BY s.rowid"
    );
    let searched = SearchIndexes::read(transaction, from)?;
    let (own_triggers, own_tables) =
        (searched.triggers(), searched.tables().collect::<BTreeSet<&str>>());
    let mut objects: Vec<(String, String, String)> = transaction
        .prepare(&statement)?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<rusqlite::Result<_>>()?;
    objects
        .retain(|(_, name, _)| !own_tables.contains(name.as_str()) && !own_triggers.contains(name));
    let (tables, others): (Vec<_>, Vec<_>) =
        objects.into_iter().partition(|(kind, _, _)| kind == "table");
    // The database computes generated columns.
    let stored = "SELECT group_concat('\"' || replace(name, '\"', '\"\"') || '\"', ', ') \
                  FROM pragma_table_xinfo(?1, ?2) WHERE hidden = 0";
    for (_, name, sql) in &tables {
        let columns: Option<String> =
            transaction.query_row(stored, [name.as_str(), from], |row| row.get(0))?;
        let (name, columns) = (quoted(name), columns.unwrap_or_default());
        transaction.execute_batch(sql)?;
        transaction.execute_batch(&format!(
            "INSERT INTO main.{name} ({columns}) SELECT {columns} FROM {from}.{name}"
        ))?;
    }
    others.iter().try_for_each(|(_, _, sql)| transaction.execute_batch(sql))?;
    searched.all().iter().try_for_each(|index| transaction.execute_batch(&index.script()))
}

fn check_foreign_keys(transaction: &Transaction<'_>, path: &Path) -> Result<()> {
    let first: Option<(String, String)> = transaction
        .query_row("PRAGMA foreign_key_check", [], |row| Ok((row.get(0)?, row.get(2)?)))
        .optional()
        .map_err(|error| cannot_write(path, &error))?;
    match first {
        None => Ok(()),
        Some((table, parent)) => {
            let message = format!(
                "A row of `{table}` would point to a row of `{parent}` that does not exist. Nothing was loaded."
            );
            Err(Error::new(Code::Setting, message))
        }
    }
}

fn count(transaction: &Transaction<'_>, load: &Load) -> rusqlite::Result<LoadedRows> {
    let rows = |table: &String| {
        let statement = format!("SELECT count(*) FROM main.{}", quoted(table));
        let rows: i64 = transaction.query_row(&statement, [], |row| row.get(0))?;
        Ok((table.clone(), rows.unsigned_abs()))
    };
    load.tables.iter().map(rows).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(script: &str, replace: bool) -> Load {
        let text = script.to_owned();
        Load {
            sources: vec![LoadSource::Script { name: "a.sql".into(), text }],
            tables: vec!["t".into()],
            replace,
            ..Load::default()
        }
    }

    const SCRIPT: &str = "CREATE TABLE t (a INTEGER PRIMARY KEY, b REFERENCES t);
        INSERT INTO t VALUES (1, 2), (2, NULL);";

    #[test]
    fn made_refused_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        assert_eq!(into_sqlite(&path, &load(SCRIPT, false)).unwrap(), [("t".to_owned(), 2)]);
        let refusal = into_sqlite(&path, &load(SCRIPT, false)).unwrap_err();
        assert!(refusal.message.starts_with("`t` is already in SQLite "), "{refusal}");
        assert!(refusal.hint.unwrap().contains("--replace"));
        assert_eq!(into_sqlite(&path, &load(SCRIPT, true)).unwrap(), [("t".to_owned(), 2)]);
        let connection = Connection::open(&path).unwrap();
        let mode: String =
            connection.query_row("PRAGMA journal_mode", [], |row| row.get(0)).unwrap();
        assert_eq!(mode, "wal");
    }

    #[test]
    fn nothing_remains_of_a_failure() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let broken = format!("{SCRIPT} INSERT INTO nowhere VALUES (1);");
        let error = into_sqlite(&path, &load(&broken, false)).unwrap_err();
        assert!(error.message.starts_with("a.sql failed: no such table: nowhere"), "{error}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        let dangling = format!("{SCRIPT} INSERT INTO t VALUES (3, 9);");
        let error = into_sqlite(&path, &load(&dangling, false)).unwrap_err();
        assert!(error.message.contains("`t` would point to a row of `t`"), "{error}");
        assert!(!path.exists());
    }

    #[test]
    fn a_database_is_copied_whole() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from.db"), folder.path().join("to.db"));
        let connection = Connection::open(&from).unwrap();
        let script = "CREATE TABLE [T x] (a, b); INSERT INTO [T x] VALUES (1, 2), (3, 4);
            CREATE INDEX ix ON [T x] (b); CREATE VIEW v AS SELECT b FROM [T x];
            CREATE TRIGGER tr AFTER INSERT ON [T x] BEGIN UPDATE [T x] SET b = 0; END;";
        connection.execute_batch(script).unwrap();
        drop(connection);
        let load = Load {
            sources: vec![LoadSource::Database(from)],
            tables: vec!["T x".into()],
            ..Load::default()
        };
        assert_eq!(into_sqlite(&to, &load).unwrap(), [("T x".to_owned(), 2)]);
        let connection = Connection::open(&to).unwrap();
        let sum: i64 = connection.query_row("SELECT sum(b) FROM v", [], |row| row.get(0)).unwrap();
        assert_eq!(sum, 6);
        let objects: i64 = connection
            .query_row(
                "SELECT count(*) FROM sqlite_schema WHERE name IN ('ix', 'v', 'tr')",
                [],
                |row| row.get(0),
            )
            .unwrap();
        assert_eq!(objects, 3);
    }
}
