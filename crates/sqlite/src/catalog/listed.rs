//! The tables and views of a file, as `PRAGMA table_list` shows them, from their texts.
//!
//! The pragma itself looks for views without columns from the beginning, again after each, so that its time grows with the
//! square of their number.

use super::ddl;
use super::schema_text::SchemaText;

/// A table or view that is looked at.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Listed {
    pub(super) name: String,
    pub(super) kind: Kind,
}

/// What follows the columns of a table's statement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct TableOptions {
    pub(super) without_rowid: bool,
    pub(super) strict: bool,
}

/// What a relation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Table,
    View,
    Virtual,
}

impl Kind {
    /// The word for it, as the pragma has it.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::View => "view",
            Self::Virtual => "virtual",
        }
    }
}

/// The tables that virtual ones of a module keep their data in, by what follows the name and `_`: the functions
/// `xShadowName` of SQLite's own modules.
const SHADOWS: [(&str, &[&str]); 6] = [
    ("fts3", &["content", "docsize", "segdir", "segments", "stat"]),
    ("fts4", &["content", "docsize", "segdir", "segments", "stat"]),
    ("fts5", &["config", "content", "data", "docsize", "idx"]),
    ("geopoly", &["node", "parent", "rowid"]),
    ("rtree", &["node", "parent", "rowid"]),
    ("rtree_i32", &["node", "parent", "rowid"]),
];

/// Tables of Duet's own.
const OWN: [&str; 7] = [
    "duet_idempotency",
    "duet_journal_marks",
    "duet_journal_dead_letters",
    "duet_journal_heads",
    "duet_journal_losses",
    "duet_webhook_outbox",
    "duet_webhook_endpoints",
];

/// All that are looked at, by name.
pub(super) fn list(text: &SchemaText) -> Vec<Listed> {
    let mut listed: Vec<Listed> = text
        .relations()
        .filter(|(name, ..)| !is_of_sqlite(name) && !OWN.contains(name))
        .filter(|(name, ..)| !is_shadow(name, text))
        .map(|(name, is_view, sql)| Listed::of(name, is_view, sql))
        .collect();
    listed.sort_unstable_by(|one, other| one.name.cmp(&other.name));
    listed
}

impl Listed {
    fn of(name: &str, is_view: bool, sql: &str) -> Self {
        let kind = match (is_view, module(sql)) {
            (true, _) => Kind::View,
            (false, Some(_)) => Kind::Virtual,
            (false, None) => Kind::Table,
        };
        Self { name: name.to_owned(), kind }
    }

    /// The options of a table in its statement.
    pub(super) fn options(&self, text: &SchemaText) -> TableOptions {
        if self.kind != Kind::Table {
            return TableOptions::default();
        }
        let words = ddl::table_options(text.made_by(&self.name));
        TableOptions {
            without_rowid: words.windows(2).any(|words| words == ["WITHOUT", "ROWID"]),
            strict: words.iter().any(|word| word == "STRICT"),
        }
    }
}

/// The module of a virtual table, in lower case.
fn module(sql: &str) -> Option<String> {
    // So begins what SQLite stores, however it was written.
    let rest = sql.strip_prefix("CREATE VIRTUAL TABLE")?;
    let words = ddl::words(rest);
    let using = words.iter().position(|(word, is_bare)| *is_bare && word == "using")?;
    words.get(using + 1).map(|(word, _)| word.clone())
}

fn is_of_sqlite(name: &str) -> bool {
    name.get(.."sqlite_".len()).is_some_and(|start| start.eq_ignore_ascii_case("sqlite_"))
}

fn is_shadow(name: &str, text: &SchemaText) -> bool {
    let Some((of, suffix)) = name.rsplit_once('_') else { return false };
    let Some(module) = text.virtual_table(of).and_then(module) else { return false };
    let suffixes = SHADOWS.iter().find(|(known, _)| *known == module).map(|(_, suffixes)| suffixes);
    let is_it = |known: &&str| known.eq_ignore_ascii_case(suffix);
    suffixes.is_some_and(|suffixes| suffixes.iter().any(is_it))
}

#[cfg(test)]
mod tests {
    use std::hash::RandomState;

    use rusqlite::Connection;

    use super::*;

    /// What the pragma shows of tables that are looked at.
    fn shown(connection: &Connection) -> Vec<(Listed, TableOptions)> {
        let mut statement = connection
            .prepare(
                "SELECT name, type, wr, strict FROM pragma_table_list
                  WHERE schema = 'main' AND type IN ('table', 'view', 'virtual')
                    AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
            )
            .unwrap();
        let rows = statement.query_map([], |row| {
            let kind: String = row.get(1)?;
            let all = [Kind::Table, Kind::View, Kind::Virtual];
            let kind = all.into_iter().find(|known| known.word() == kind).unwrap();
            let options = TableOptions { without_rowid: row.get(2)?, strict: row.get(3)? };
            Ok((Listed { name: row.get(0)?, kind }, options))
        });
        rows.unwrap().map(Result::unwrap).collect()
    }

    #[test]
    fn tables_are_listed_as_the_pragma_does() {
        let connection = Connection::open_in_memory().unwrap();
        connection
            .execute_batch(
                "CREATE TABLE plain (id integer PRIMARY KEY, \"without rowid\" text CHECK (')' <> 'strict'));
                 CREATE TABLE \"with (name\" (a text PRIMARY KEY) /* ) STRICT */ WITHOUT /* a */ ROWID;
                 CREATE TABLE hard(a text) strict;
                 CREATE TABLE both(a text PRIMARY KEY) STRICT, without rowid;
                 CREATE TABLE copied AS SELECT * FROM plain;
                 CREATE TEMP TABLE passing (a);
                 CREATE VIEW \"strict\" AS SELECT 1 AS a;
                 CREATE VIEW broken AS SELECT * FROM gone;
                 CREATE VIRTUAL TABLE words USING fts5(a);
                 CREATE VIRTUAL TABLE IF NOT EXISTS \"using it\" using FTS5 (a, b, content='plain');
                 CREATE VIRTUAL TABLE \"Boxes\" USING rtree(id, x, y);
                 CREATE TABLE words_other (a);
                 CREATE TABLE boxes_more_node (a);
                 CREATE TABLE plain_data (a);
                 CREATE TABLE sqlitex (a);",
            )
            .unwrap();
        for module in ["fts3(a)", "fts4(a)", "rtree_i32(id, x, y)", "geopoly(a)"] {
            // Not all of them are in every build.
            let name = module.split('(').next().unwrap();
            let _ =
                connection.execute_batch(&format!("CREATE VIRTUAL TABLE of_{name} USING {module}"));
        }
        let text = SchemaText::read(&connection, &RandomState::new()).unwrap();
        let listed = list(&text).into_iter().map(|one| {
            let options = one.options(&text);
            (one, options)
        });
        assert_eq!(listed.collect::<Vec<_>>(), shown(&connection));
        assert!(list(&text).len() > 12);
    }

    #[test]
    fn own_tables_are_left_out() {
        let connection = Connection::open_in_memory().unwrap();
        for table in OWN {
            connection.execute_batch(&format!("CREATE TABLE {table} (a)")).unwrap();
        }
        let text = SchemaText::read(&connection, &RandomState::new()).unwrap();
        assert_eq!(list(&text), []);
    }
}
