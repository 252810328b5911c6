//! The indexes of a database as it describes them itself, with their sizes and how often each was used.

use std::path::Path;

use duet_model::{Code, Error, IndexKind, Result};
use duet_sql::SearchIndex;
use duet_store::setup::indexes::IndexEntry;
use rusqlite::{Connection, OpenFlags};

use crate::catalog::search_indexes::SearchIndexes;
use crate::functions;

/// The indexes of a SQLite file, by table and name. SQLite does not count how often one is used.
///
/// # Errors
/// `Setting` where the file cannot be read.
pub(crate) fn of_sqlite(path: &Path) -> Result<Vec<IndexEntry>> {
    const LIST: &str = "
        SELECT t.name, x.name, s.sql, x.\"unique\",
               (SELECT group_concat('\"' || replace(c.name, '\"', '\"\"') || '\"', ', ')
                FROM pragma_index_info(x.name) c),
               coalesce((SELECT sum(d.pgsize) FROM dbstat d WHERE d.name = x.name), 0)
        FROM sqlite_schema t, pragma_index_list(t.name) x
        LEFT JOIN sqlite_schema s ON s.type = 'index' AND s.name = x.name
        WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
        AND NOT EXISTS (SELECT 1 FROM pragma_table_list(t.name) l
                        WHERE l.schema = 'main' AND l.type = 'shadow')";
    let failed = |error: rusqlite::Error| {
        Error::new(Code::Setting, format!("{} cannot be read: {error}.", path.display()))
            .cause(error)
    };
    let connection =
        Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(failed)?;
    functions::register(&connection).map_err(failed)?;
    let mut statement = connection.prepare(LIST).map_err(failed)?;
    let entry = |row: &rusqlite::Row<'_>| -> rusqlite::Result<IndexEntry> {
        let (sql, columns): (Option<String>, Option<String>) = (row.get(2)?, row.get(4)?);
        let values = sql.as_deref().and_then(|sql| sql.find('(').map(|at| sql[at..].to_owned()));
        Ok(IndexEntry {
            schema: "main".to_owned(),
            table: row.get(0)?,
            name: row.get(1)?,
            definition: values.unwrap_or_else(|| format!("({})", columns.unwrap_or_default())),
            unique: row.get(3)?,
            bytes: row.get::<_, i64>(5)?.cast_unsigned(),
            uses: None,
        })
    };
    let rows = statement.query_map([], entry).map_err(failed)?;
    let mut found = rows.collect::<rusqlite::Result<Vec<_>>>().map_err(failed)?;
    found.extend(search_indexes(&connection).map_err(failed)?);
    found.sort_by(|a, b| (&a.table, &a.name).cmp(&(&b.table, &b.name)));
    Ok(found)
}

/// The search indexes of collections, each with the size of the tables behind it.
fn search_indexes(connection: &Connection) -> rusqlite::Result<Vec<IndexEntry>> {
    const SIZE: &str = "SELECT coalesce(sum(pgsize), 0) FROM dbstat \
        WHERE name IN (?1 || '_data', ?1 || '_idx', ?1 || '_docsize', ?1 || '_config', \
        ?1 || '_node', ?1 || '_parent', ?1 || '_rowid')";
    let mut size = connection.prepare(SIZE)?;
    let mut entry = |index: &SearchIndex| -> rusqlite::Result<IndexEntry> {
        let of = match (index.kind, &index.pair) {
            (IndexKind::FullText, _) => format!("words of \"{}\"", index.column),
            (_, Some(pair)) => format!("{} of {:?}", pair.kind.function(), pair.members),
            _ => format!("trigrams of \"{}\"", index.column),
        };
        Ok(IndexEntry {
            schema: "main".to_owned(),
            table: index.table.clone(),
            name: index.name.clone(),
            definition: format!("{} ({of})", index.method()),
            unique: false,
            bytes: size.query_row([&index.name], |row| row.get::<_, i64>(0))?.cast_unsigned(),
            uses: None,
        })
    };
    SearchIndexes::read(connection, "main")?.all().iter().map(&mut entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_lists_its_indexes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let connection = Connection::open(&path).unwrap();
        let script = "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT UNIQUE, b TEXT);
            CREATE INDEX t_b ON t (b DESC, lower(a))";
        connection.execute_batch(script).unwrap();
        let found = of_sqlite(&path).unwrap();
        let names: Vec<_> =
            found.iter().map(|it| (it.name.as_str(), it.definition.as_str(), it.unique)).collect();
        assert_eq!(
            names,
            [("sqlite_autoindex_t_1", "(\"a\")", true), ("t_b", "(b DESC, lower(a))", false)]
        );
        assert!(found.iter().all(|it| it.bytes > 0 && it.uses.is_none()));
        assert!(of_sqlite(&folder.path().join("none.db")).is_err());
    }
}
