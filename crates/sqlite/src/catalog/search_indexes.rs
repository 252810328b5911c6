//! The search indexes of collections: FTS5 tables and R-trees that triggers keep. One counts only where its table and its
//! triggers are, letter by letter, those that `duet collection prepare` makes: any other would find too little.

use std::collections::{BTreeMap, BTreeSet};

use duet_model::catalog::{Index, IndexedPart, Relation};
use duet_sql::SearchIndex;
use rusqlite::Connection;

use super::parts::positions;

/// The search indexes of a file that are whole.
#[derive(Debug, Default)]
pub(crate) struct SearchIndexes(Vec<SearchIndex>);

impl SearchIndexes {
    /// Those of all tables of a schema, `main` or that of an attached file.
    pub(crate) fn read(connection: &Connection, schema: &str) -> rusqlite::Result<Self> {
        let mut statement = connection.prepare(&format!(
            "SELECT name, sql FROM {schema}.sqlite_schema \
             WHERE type = 'table' AND (sql LIKE 'CREATE VIRTUAL TABLE%USING fts5(text,%' \
             OR sql LIKE 'CREATE VIRTUAL TABLE%USING rtree(id, low%')"
        ))?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let tables: BTreeMap<String, String> = rows.collect::<rusqlite::Result<_>>()?;
        if tables.is_empty() {
            return Ok(Self::default());
        }
        let mut statement = connection.prepare(&format!(
            "SELECT name, tbl_name, coalesce(sql, '') FROM {schema}.sqlite_schema \
             WHERE type = 'trigger'"
        ))?;
        let rows = statement
            .query_map([], |row| Ok((row.get(0)?, (row.get(1)?, row.get::<_, String>(2)?))))?;
        let triggers: BTreeMap<String, (String, String)> = rows.collect::<rusqlite::Result<_>>()?;
        let mut found = Vec::new();
        for (name, sql) in &tables {
            let Some((table, trigger)) = triggers.get(&format!("{name}_insert")) else { continue };
            let is_whole = |index: &SearchIndex| {
                let mut wanted = index.triggers().into_iter();
                index.virtual_table() == *sql
                    && wanted.all(|(own, sql)| triggers.get(&own) == Some(&(table.clone(), sql)))
            };
            let columns = columns(connection, table, schema)?;
            let of_pair = SearchIndex::of_pair(table, name, &columns, trigger);
            let mut named = of_pair.into_iter().chain(SearchIndex::named(table, name, &columns));
            found.extend(named.find(is_whole));
        }
        Ok(Self(found))
    }

    /// Those of a table.
    pub(crate) fn of<'s>(&'s self, table: &'s str) -> impl Iterator<Item = &'s SearchIndex> {
        self.0.iter().filter(move |index| index.table == table)
    }

    /// All of them.
    pub(crate) fn all(&self) -> &[SearchIndex] {
        &self.0
    }

    /// The names of their tables.
    pub(crate) fn tables(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|index| index.name.as_str())
    }

    /// The names of the triggers, which change nothing that is served.
    pub(crate) fn triggers(&self) -> BTreeSet<String> {
        self.0.iter().flat_map(SearchIndex::triggers).map(|(name, _)| name).collect()
    }

    /// Adds each to the indexes of its table.
    pub(super) fn add_to(&self, relations: &mut [&mut Relation]) {
        let at = positions(relations, str::to_owned);
        for index in &self.0 {
            let Some(&at) = at.get(&index.table) else { continue };
            let relation = &mut relations[at];
            let column = relation.columns.iter().position(|known| known.name == index.column);
            let Some(column) = column else { continue };
            relation.indexes.push(Index {
                name: index.name.clone(),
                columns: Vec::new(),
                unique: false,
                method: index.method().to_owned(),
                deferred: false,
                deferrable: false,
                nulls_equal: false,
                prefixes: None,
                part: Some(match &index.pair {
                    Some(pair) => {
                        IndexedPart::Pair { pair: pair.clone(), row_number: index.row_number }
                    }
                    None => IndexedPart::Search {
                        column,
                        kind: index.kind,
                        fold: index.fold,
                        row_number: index.row_number,
                    },
                }),
            });
        }
    }
}

fn columns(connection: &Connection, table: &str, schema: &str) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare_cached("SELECT name FROM pragma_table_xinfo(?1, ?2)")?;
    statement.query_map([table, schema], |row| row.get(0))?.collect()
}
