//! The tables of one type: its values in each way in which a column may have them.

use super::postgres_types::{Compares, TypeRow};

/// A type with its tables.
pub(super) struct Subject {
    pub(super) row: &'static TypeRow,
    /// What the names of its tables begin with.
    pub(super) name: String,
    /// The columns of its table beside the key.
    pub(super) columns: &'static [&'static str],
}

/// On PostgreSQL: the value itself, of a domain, in an array, and in one of the domain.
const POSTGRES: &[&str] = &["v", "d", "a", "ad"];
/// On SQLite: the value itself.
const SQLITE: &[&str] = &["v"];

impl Subject {
    pub(super) fn new(at: usize, row: &'static TypeRow) -> Self {
        Self { row, name: format!("t{at}_{}", row.name), columns: POSTGRES }
    }

    pub(super) fn of_sqlite(at: usize, row: &'static TypeRow) -> Self {
        Self { row, name: format!("t{at}"), columns: SQLITE }
    }

    /// The columns that are compared.
    pub(super) fn values(&self) -> impl Iterator<Item = &'static str> {
        // Domains over enums have no operators.
        let is_enum = self.row.name == "mood";
        let is_compared =
            move |column: &&str| !(column.starts_with('a') || is_enum && *column == "d");
        self.columns.iter().copied().filter(is_compared)
    }

    pub(super) fn has_functions(&self) -> bool {
        self.columns == POSTGRES
    }

    /// The statements that make its tables in SQLite, whose values are written in SQL.
    pub(super) fn sqlite_script(&self) -> String {
        let Self { row, name, .. } = self;
        let ty = row.declared;
        let values = row.values.iter().chain(&["NULL"]).enumerate();
        let rows: Vec<String> = values.map(|(at, v)| format!("({}, {v})", at + 1)).collect();
        let strict = if row.name == "strict" { " STRICT" } else { "" };
        let table = format!("(id INTEGER PRIMARY KEY, v {ty}){strict}");
        format!(
            "CREATE TABLE {name} {table}; CREATE TABLE {name}_csv {table}; CREATE TABLE {name}_lines {table};
             INSERT INTO {name} VALUES {};
             CREATE TABLE {name}_key (v {ty} NOT NULL PRIMARY KEY, n INTEGER){strict};
             CREATE TABLE {name}_two (n INTEGER NOT NULL, v {ty} NOT NULL, x INTEGER, PRIMARY KEY (n, v)){strict};
             INSERT OR IGNORE INTO {name}_key SELECT v, id FROM {name} WHERE v IS NOT NULL ORDER BY id;
             INSERT OR IGNORE INTO {name}_two SELECT id % 2, v, id FROM {name} WHERE v IS NOT NULL ORDER BY id;\n",
            rows.join(", ")
        )
    }

    /// The statements that make its tables. The row behind all values has NULL.
    pub(super) fn script(&self) -> String {
        let Self { row, name, .. } = self;
        let ty = row.declared;
        let literal = |value: &&str| format!("'{}'::{ty}", value.replace('\'', "''"));
        let mut rows: Vec<String> = row.values.iter().map(literal).collect();
        rows.push(format!("NULL::{ty}"));
        let rows: Vec<String> =
            rows.iter().enumerate().map(|(at, v)| format!("({}, {v})", at + 1)).collect();
        let mut script = format!(
            "CREATE DOMAIN {name}_d AS {ty};
             CREATE TABLE {name} (id int PRIMARY KEY, v {ty}, d {name}_d, a {ty}[], ad {name}_d[]);
             INSERT INTO {name} SELECT id, v, v, ARRAY[v, NULL, v], ARRAY[v, NULL, v]::{name}_d[]
               FROM (VALUES {}) AS given (id, v);
             CREATE TABLE {name}_csv (LIKE {name} INCLUDING ALL);
             CREATE TABLE {name}_lines (LIKE {name} INCLUDING ALL);
             CREATE FUNCTION {name}_f(given {ty}) RETURNS {ty} LANGUAGE sql AS 'SELECT given';\n",
            rows.join(", ")
        );
        if row.compares == Compares::Order {
            script += &format!(
                "CREATE TABLE {name}_key (v {ty} PRIMARY KEY, n int);
                 CREATE TABLE {name}_two (n int, v {ty}, x int, PRIMARY KEY (n, v));
                 INSERT INTO {name}_key SELECT v, id FROM {name} WHERE v IS NOT NULL ORDER BY id ON CONFLICT DO NOTHING;
                 INSERT INTO {name}_two SELECT id % 2, v, id FROM {name} WHERE v IS NOT NULL ORDER BY id ON CONFLICT DO NOTHING;\n"
            );
        }
        script
    }
}
