//! What a SQLite file lacks of what is declared, and how it gets it.

mod additions;
mod prepare;
mod run;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::time::Duration;

use duet_model::CollectionTable;
use duet_sql::{
    IndexStatement, IndexSyntax as _, SearchIndex, Sqlite, TextSyntax as _, Totals,
    collection_column_statements, collection_table_statement, in_order_of_references,
};
use duet_store::setup::migrate::{
    Action, Blocks, DeclaredObjects, Indexes, MigrationStatement, Object, Options, Plan, Step,
    names,
};
use rusqlite::Connection;

use crate::catalog::search_indexes::SearchIndexes;
use crate::catalog::totals::StoredTotals;
use crate::functions;

pub(crate) use prepare::prepare_sqlite;
pub(crate) use run::{apply_sqlite, try_sqlite};

/// How long another program's lock on the file is waited for.
pub(super) const BUSY: Duration = Duration::from_secs(30);

pub(super) fn plan(
    connection: &Connection,
    declared: DeclaredObjects,
    options: Options,
) -> rusqlite::Result<Plan> {
    let mut plan = Plan::default();
    additions::plan_additions(connection, &declared.additions, &mut plan)?;
    for table in in_order_of_references(declared.collections) {
        let table = CollectionTable { schema: None, ..table };
        Planned::read(connection, &table, options)?.steps(&mut plan);
    }
    Ok(plan)
}

/// A table of a collection, and what the file has of it.
struct Planned<'t> {
    table: &'t CollectionTable,
    /// The statement of the table; `None` where there is none.
    sql: Option<String>,
    rows: Option<u64>,
    bytes: Option<u64>,
    columns: Vec<String>,
    /// The names of all tables of the file.
    tables: Vec<String>,
    /// The statements of its indexes by their names.
    indexes: BTreeMap<String, String>,
    searched: Vec<SearchIndex>,
    totals: Vec<Totals>,
    wanted: Vec<Wanted>,
    /// The names of indexes that are declared and not to be there.
    unwanted: Vec<String>,
    /// Columns with a foreign key, and the tables that they refer to.
    keys: Vec<(String, String)>,
    options: Options,
}

/// A declared index.
struct Wanted {
    statement: IndexStatement,
    /// Its statement as SQLite keeps it; `None` of a search index.
    kept: Option<String>,
}

impl<'t> Planned<'t> {
    fn read(
        connection: &Connection,
        table: &'t CollectionTable,
        options: Options,
    ) -> rusqlite::Result<Self> {
        let name = &table.name;
        let texts = |sql: &str| -> rusqlite::Result<Vec<String>> {
            connection.prepare(sql)?.query_map([name], |row| row.get(0))?.collect()
        };
        let sql = texts("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?1")?.pop();
        let (mut rows, mut bytes) = (None, None);
        if sql.is_some() {
            let number = |sql: &str, given: &[&str]| {
                connection.query_row(sql, rusqlite::params_from_iter(given), |row| {
                    row.get::<_, i64>(0).map(i64::cast_unsigned)
                })
            };
            rows = Some(number(&format!("SELECT count(*) FROM {}", quoted(name)), &[])?);
            let size = "SELECT coalesce(sum(pgsize), 0) FROM dbstat WHERE name = ?1";
            bytes = Some(number(size, &[name])?);
        }
        let listed = "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = ?1 AND sql IS NOT NULL";
        let indexes = connection
            .prepare(listed)?
            .query_map([name], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<rusqlite::Result<_>>()?;
        let keys = connection
            .prepare("SELECT \"from\", \"table\" FROM pragma_foreign_key_list(?1)")?
            .query_map([name], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<rusqlite::Result<_>>()?;
        let searched = SearchIndexes::read(connection, "main")?;
        let totals = StoredTotals::read(connection)?;
        Ok(Self {
            columns: texts("SELECT name FROM pragma_table_xinfo(?1)")?,
            tables: connection
                .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")?
                .query_map([], |row| row.get(0))?
                .collect::<rusqlite::Result<_>>()?,
            searched: searched.of(name).cloned().collect(),
            totals: totals.all().iter().filter(|it| it.table == *name).cloned().collect(),
            wanted: wanted(table, options.indexes)?,
            unwanted: options.indexes.unwanted(&Sqlite, table),
            options,
            table,
            sql,
            rows,
            bytes,
            indexes,
            keys,
        })
    }

    fn steps(&self, plan: &mut Plan) {
        let before = plan.steps.len();
        // Indexes whose column is made anew are dropped with it.
        let mut dropped: Vec<String> = Vec::new();
        match &self.sql {
            None => {
                let make = collection_table_statement(&Sqlite, self.table);
                plan.steps.push(self.step(Action::Create, Object::Table, &self.table.name, &make));
            }
            Some(sql) => self.all_columns(sql, plan, &mut dropped),
        }
        for wanted in &self.wanted {
            self.index(wanted, plan, &dropped);
        }
        self.undeclared(plan, &dropped);
        self.all_totals(plan);
        if plan.steps[before..].iter().any(|step| step.action != Action::Drop) {
            let analyze = format!("ANALYZE {}", quoted(&self.table.name));
            plan.steps.push(self.step(Action::Analyze, Object::Table, &self.table.name, &analyze));
        }
    }

    fn step(&self, action: Action, object: Object, name: &str, sql: &str) -> Step {
        Step {
            action,
            object,
            name: name.to_owned(),
            schema: String::new(),
            table: self.table.name.clone(),
            reason: None,
            statements: vec![MigrationStatement::online(sql)],
            rows: self.rows,
            bytes: self.bytes,
            blocks: Blocks::Writes,
        }
    }

    fn all_columns(&self, sql: &str, plan: &mut Plan, dropped: &mut Vec<String>) {
        for column in collection_column_statements(&Sqlite, self.table) {
            let refers = self.table.references.iter().any(|it| it.column() == column.name);
            let object = if refers { Object::Reference } else { Object::Column };
            if !self.columns.contains(&column.name) {
                let step = self.step(Action::Create, object, &column.name, &column.sql);
                plan.steps.push(step);
                continue;
            }
            // A statement that adds a column adds its text to that of the table.
            let defined = column.sql.split_once(" ADD COLUMN ").map_or("", |(_, behind)| behind);
            let ends = [format!("{defined},"), format!("{defined})")];
            if ends.iter().any(|text| sql.contains(text)) {
                continue;
            }
            if refers {
                plan.notes.push(format!(
                    "The reference by {:?} of {} has changed. SQLite cannot change a foreign key: load the documents into a new file.",
                    column.name, self.table.name
                ));
                continue;
            }
            plan.steps.push(self.changed_column(&column, dropped));
        }
        let is_declared = |name: &str| self.table.references.iter().any(|it| it.column() == name);
        for (column, table) in self.keys.iter().filter(|(column, _)| !is_declared(column)) {
            plan.notes.push(format!(
                "The column {column:?} of {} refers to {table}, which no reference declares. It stays.",
                self.table.name
            ));
        }
    }

    /// The step that makes a column of another definition, and drops the indexes over it.
    fn changed_column(&self, column: &IndexStatement, dropped: &mut Vec<String>) -> Step {
        let own = quoted(&column.name);
        let mut script = String::new();
        for index in self.searched.iter().filter(|index| index.column == column.name) {
            script.push_str(&format!("{};\n", index.drop_script()));
            dropped.push(index.name.clone());
        }
        for (name, _) in self.indexes.iter().filter(|(_, sql)| sql.contains(&own)) {
            script.push_str(&format!("DROP INDEX {};\n", quoted(name)));
            dropped.push(name.clone());
        }
        let table = quoted(&self.table.name);
        script.push_str(&format!("ALTER TABLE {table} DROP COLUMN {own};\n{}", column.sql));
        let mut step = self.step(Action::Replace, Object::Column, &column.name, &script);
        step.reason = Some("its definition has changed".to_owned());
        step
    }

    fn index(&self, wanted: &Wanted, plan: &mut Plan, dropped: &[String]) {
        let Wanted { statement: IndexStatement { name, sql }, kept } = wanted;
        let is_dropped = dropped.contains(name);
        let action = match kept {
            None if self.searched.iter().any(|it| it.script() == *sql) && !is_dropped => return,
            // The script drops what is there.
            None if self.searched.iter().any(|it| it.name == *name) => Action::Replace,
            None => Action::Create,
            Some(kept) => match self.indexes.get(name).filter(|_| !is_dropped) {
                Some(found) if found == kept => return,
                Some(_) => Action::Replace,
                None => Action::Create,
            },
        };
        let script = match (action, kept) {
            (Action::Replace, Some(_)) => format!("DROP INDEX {};\n{sql}", quoted(name)),
            _ => sql.clone(),
        };
        let mut step = self.step(action, Object::Index, name, &script);
        step.reason = (action == Action::Replace).then(|| "its definition has changed".to_owned());
        plan.steps.push(step);
    }

    /// Drops the indexes of earlier declarations.
    fn undeclared(&self, plan: &mut Plan, dropped: &[String]) {
        let is_unwanted = |name: &str| self.unwanted.iter().any(|it| it == name);
        let is_open = |name: &str| {
            let is_wanted = self.wanted.iter().any(|it| it.statement.name == name);
            let is_dropped = dropped.iter().any(|it| it == name);
            !is_wanted && !is_dropped && (self.options.drops || is_unwanted(name))
        };
        let unwanted = self.unwanted_searches();
        let is_former = |it: &&SearchIndex| is_open(&it.name) && !is_unwanted(&it.name);
        for index in unwanted.iter().chain(self.searched.iter().filter(is_former)) {
            let drop = index.drop_script();
            plan.steps.push(self.step(Action::Drop, Object::Index, &index.name, &drop));
        }
        let is_own = |name: &str, sql: &str| is_unwanted(name) || self.is_own(name, sql);
        let own = self.indexes.iter().filter(|(name, sql)| is_own(name, sql));
        for (name, _) in own.filter(|(name, _)| is_open(name)) {
            let drop = format!("DROP INDEX {}", quoted(name));
            plan.steps.push(self.step(Action::Drop, Object::Index, name, &drop));
        }
    }

    /// The search indexes that are declared and not to be there, whole or not.
    fn unwanted_searches(&self) -> Vec<SearchIndex> {
        let declared = self.table.indexes.iter();
        let declared = declared.filter_map(|index| SearchIndex::declared(self.table, index));
        let is_there = |it: &SearchIndex| self.tables.contains(&it.name);
        declared.filter(|it| self.unwanted.contains(&it.name) && is_there(it)).collect()
    }

    fn all_totals(&self, plan: &mut Plan) {
        let declared = Totals::all(self.table);
        let wanted = self.options.indexes.totals(&declared);
        for totals in wanted.iter().filter(|it| !self.totals.contains(it)) {
            let make = Sqlite.totals_script(totals);
            plan.steps.push(self.step(Action::Create, Object::Totals, &totals.name, &make));
        }
        let is_open = |it: &&Totals| {
            let is_declared = declared.iter().any(|one| one.name == it.name);
            let is_wanted = wanted.iter().any(|one| one.name == it.name);
            !is_wanted && (self.options.drops || is_declared)
        };
        for totals in self.totals.iter().filter(is_open) {
            let drop = Sqlite.totals_drop_script(totals);
            plan.steps.push(self.step(Action::Drop, Object::Totals, &totals.name, &drop));
        }
    }

    /// Whether an index is one that Duet makes for some declaration: of its name, and letter by letter of its
    /// definition.
    fn is_own(&self, name: &str, sql: &str) -> bool {
        // Which documents a partial index has may be anything.
        let condition = sql.split_once(") WHERE ");
        let is_partial = condition.is_some();
        let sql = condition.map_or_else(|| sql.to_owned(), |(sql, _)| format!("{sql})"));
        let table = quoted(&self.table.name);
        let heads = ["CREATE INDEX", "CREATE UNIQUE INDEX"];
        let keys = heads.iter().find_map(|head| {
            let head = format!("{head} {} ON {table} (", quoted(name));
            sql.strip_prefix(&head)?.strip_suffix(')')
        });
        let Some(keys) = keys else { return false };
        let named: Vec<&str> = keys.split(", ").map(|key| self.column_of(key)).collect();
        let kinds = names::kinds(&self.table.name, name, &named.join("_"), is_partial);
        !named.contains(&"") && !kinds.is_empty()
    }

    /// The column of an index's key that Duet writes, or nothing.
    fn column_of(&self, key: &str) -> &str {
        let is_it = |column: &&String| {
            let own = quoted(column);
            let folded = |fold| {
                let [before, after] = Sqlite.fold(fold);
                format!("{before}{own}{after}")
            };
            let folds = [duet_text::Fold::Case, duet_text::Fold::Accents, duet_text::Fold::Both];
            own == key || folds.into_iter().any(|fold| folded(fold) == key)
        };
        self.columns.iter().find(is_it).map_or("", String::as_str)
    }
}

/// The declared indexes of a table, each with its statement as SQLite keeps it.
fn wanted(table: &CollectionTable, indexes: Indexes) -> rusqlite::Result<Vec<Wanted>> {
    let model = Connection::open_in_memory()?;
    functions::register(&model)?;
    model.execute_batch(&collection_table_statement(&Sqlite, table))?;
    let kept = |statement: IndexStatement| {
        let is_search =
            [" USING fts5(", " USING rtree("].iter().any(|it| statement.sql.contains(it));
        if is_search {
            return Ok(Wanted { statement, kept: None });
        }
        model.execute_batch(&statement.sql)?;
        let find = "SELECT sql FROM sqlite_schema WHERE type = 'index' AND name = ?1";
        let kept = model.query_row(find, [&statement.name], |row| row.get(0))?;
        Ok(Wanted { statement, kept: Some(kept) })
    };
    indexes.wanted(&Sqlite, table, false).into_iter().map(kept).collect()
}

/// A quoted name.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
