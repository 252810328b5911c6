//! The statements of a file's tables, indexes and triggers, read once: `sqlite_schema` has no index, so a
//! search of it for each table would read all of it each time.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use rusqlite::Connection;

/// The texts of a schema by the names of their objects.
#[derive(Debug, Default)]
pub(super) struct SchemaText {
    /// Those of tables and views; whether it is that of a view.
    made_by: HashMap<String, (String, bool)>,
    /// The names of virtual tables by those in lower case.
    virtual_tables: HashMap<String, String>,
    indexes: HashMap<String, String>,
    /// Names and texts of triggers by the lower-case name of their table.
    triggers: HashMap<String, Vec<(String, String)>>,
    /// The sum of the hashes of all rows about a relation, by its lower-case name.
    digests: HashMap<String, u64>,
}

impl SchemaText {
    /// Those of schema `main`.
    pub(super) fn read(connection: &Connection, hasher: &RandomState) -> rusqlite::Result<Self> {
        let mut found = Self::default();
        let mut statement = connection.prepare(
            "SELECT type, name, tbl_name, coalesce(sql, '') FROM main.sqlite_schema ORDER BY rowid",
        )?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let (name, sql): (String, String) = (row.get(1)?, row.get(3)?);
            let (kind, of) = (row.get_ref(0)?.as_str()?, row.get_ref(2)?.as_str()?);
            let of = of.to_ascii_lowercase();
            let digest = found.digests.entry(of.clone()).or_default();
            *digest = digest.wrapping_add(hash(hasher, kind, &name, &sql));
            match kind {
                // It belongs to a constraint.
                _ if sql.is_empty() => {}
                "table" | "view" => {
                    if sql.starts_with("CREATE VIRTUAL TABLE") {
                        found.virtual_tables.insert(of, name.clone());
                    }
                    found.made_by.insert(name, (sql, kind == "view"));
                }
                "index" => drop(found.indexes.insert(name, sql)),
                "trigger" => found.triggers.entry(of).or_default().push((name, sql)),
                _ => {}
            }
        }
        Ok(found)
    }

    /// Adds something that a relation is made of besides.
    pub(super) fn add(&mut self, relation: &str, digest: u64) {
        let sum = self.digests.entry(relation.to_ascii_lowercase()).or_default();
        *sum = sum.wrapping_add(digest);
    }

    /// The sum of the hashes of all that a relation is made of.
    pub(super) fn digest(&self, relation: &str) -> u64 {
        self.digests.get(&relation.to_ascii_lowercase()).copied().unwrap_or_default()
    }

    /// The statement that made a table or view; empty where there is none.
    pub(super) fn made_by(&self, name: &str) -> &str {
        self.made_by.get(name).map_or("", |(sql, _)| sql.as_str())
    }

    /// All tables and views: name, whether it is a view, and the statement that made it.
    pub(super) fn relations(&self) -> impl Iterator<Item = (&str, bool, &str)> {
        self.made_by.iter().map(|(name, (sql, is_view))| (name.as_str(), *is_view, sql.as_str()))
    }

    /// The statement that made a virtual table, if it is one.
    pub(super) fn virtual_table(&self, name: &str) -> Option<&str> {
        let name = self.virtual_tables.get(&name.to_ascii_lowercase())?;
        Some(self.made_by(name))
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

impl SchemaText {
    /// All triggers: the lower-case name of the table, and the name.
    pub(super) fn all_triggers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.triggers
            .iter()
            .flat_map(|(table, all)| all.iter().map(|(name, _)| (table.as_str(), name.as_str())))
    }
}

/// The hash of one text and what it belongs to.
pub(super) fn hash(hasher: &RandomState, kind: &str, name: &str, text: &str) -> u64 {
    hasher.hash_one((kind, name, text))
}
