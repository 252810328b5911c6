//! The statements of a file's tables, indexes and triggers, read once: `sqlite_schema` has no index, so a
//! search of it for each table would read all of it each time.

use std::collections::HashMap;

use rusqlite::Connection;

/// The texts of a schema by the names of their objects.
#[derive(Debug, Default)]
pub(super) struct SchemaText {
    tables: HashMap<String, String>,
    indexes: HashMap<String, String>,
    /// Names and texts of triggers by the lower-case name of their table.
    triggers: HashMap<String, Vec<(String, String)>>,
}

impl SchemaText {
    /// Those of schema `main`.
    pub(super) fn read(connection: &Connection) -> rusqlite::Result<Self> {
        let mut found = Self::default();
        let mut statement = connection.prepare(
            "SELECT type, name, tbl_name, sql FROM main.sqlite_schema WHERE sql IS NOT NULL",
        )?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let (name, sql): (String, String) = (row.get(1)?, row.get(3)?);
            match row.get_ref(0)?.as_bytes()? {
                b"table" => drop(found.tables.insert(name, sql)),
                b"index" => drop(found.indexes.insert(name, sql)),
                b"trigger" => {
                    let table: String = row.get::<_, String>(2)?.to_ascii_lowercase();
                    found.triggers.entry(table).or_default().push((name, sql));
                }
                _ => {}
            }
        }
        Ok(found)
    }

    /// The statement that made a table; empty where there is none.
    pub(super) fn table(&self, name: &str) -> &str {
        self.tables.get(name).map_or("", String::as_str)
    }

    /// The statement that made an index; `None` for one that belongs to a constraint.
    pub(super) fn index(&self, name: &str) -> Option<&str> {
        self.indexes.get(name).map(String::as_str)
    }

    /// Names and statements of the triggers of a table.
    pub(super) fn triggers(&self, table: &str) -> &[(String, String)] {
        self.triggers.get(&table.to_ascii_lowercase()).map_or(&[], Vec::as_slice)
    }
}
