//! The totals of collections: tables that triggers keep. Those count whose table and triggers are, letter by letter, those that
//! `duet collection prepare` makes: any others could be wrong.

use std::collections::{BTreeMap, BTreeSet};

use duet_model::catalog::Relation;
use duet_sql::{Sqlite, TOTALS_MARK, Totals, sqlite_table, sqlite_triggers};
use duet_store::catalog::totals::as_index;
use rusqlite::Connection;

use super::parts::positions;

/// The totals of a file that are whole.
#[derive(Debug, Default)]
pub(crate) struct StoredTotals(Vec<Totals>);

impl StoredTotals {
    /// Those of all tables of the file.
    pub(crate) fn read(connection: &Connection) -> rusqlite::Result<Self> {
        let sql = format!(
            "SELECT name, tbl_name, coalesce(sql, '') FROM main.sqlite_schema \
             WHERE type = 'trigger' AND sql LIKE '%{TOTALS_MARK}%'"
        );
        let mut statement = connection.prepare(&sql)?;
        let rows = statement
            .query_map([], |row| Ok((row.get(0)?, (row.get(1)?, row.get::<_, String>(2)?))))?;
        let triggers: BTreeMap<String, (String, String)> = rows.collect::<rusqlite::Result<_>>()?;
        let made = match triggers.is_empty() {
            true => BTreeSet::new(),
            false => statements_of_tables(connection)?,
        };
        let mut found = Vec::new();
        for (trigger, (table, sql)) in &triggers {
            let Some(name) = trigger.strip_prefix("insert_") else { continue };
            let Some(totals) = Totals::of_code(None, table, name, sql) else { continue };
            let mut wanted = sqlite_triggers(&totals, &Sqlite).into_iter();
            let is_kept =
                wanted.all(|(own, sql)| triggers.get(&own) == Some(&(table.clone(), sql)));
            if is_kept && made.contains(&sqlite_table(&totals)) {
                found.push(totals);
            }
        }
        Ok(Self(found))
    }

    /// All of them.
    pub(crate) fn all(&self) -> &[Totals] {
        &self.0
    }

    /// The names of their tables.
    pub(super) fn tables(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|totals| totals.name.as_str())
    }

    /// The names of the triggers, which change nothing that is served.
    pub(crate) fn triggers(&self) -> impl Iterator<Item = String> {
        let names = |totals: &Totals| {
            ["insert", "update", "delete"].map(|statement| totals.trigger(statement))
        };
        self.0.iter().flat_map(names)
    }

    /// Adds each to the indexes of its table.
    pub(super) fn add_to(&self, relations: &mut [&mut Relation]) {
        let at = positions(relations, str::to_owned);
        for totals in &self.0 {
            let Some(&at) = at.get(&totals.table) else { continue };
            relations[at].indexes.push(as_index(totals));
        }
    }
}

fn statements_of_tables(connection: &Connection) -> rusqlite::Result<BTreeSet<String>> {
    let sql = "SELECT sql FROM main.sqlite_schema WHERE type = 'table' AND sql IS NOT NULL";
    connection.prepare(sql)?.query_map([], |row| row.get(0))?.collect()
}
