//! The tables of a file, as far as another store can have them, and what stays behind.

use std::collections::{BTreeSet, HashMap};

use duet_model::catalog::{
    Catalog, Check, Column, GeneratedValue, Relation, RelationKind, UniqueKey,
};
use duet_model::{Error, Result, Type};
use duet_store::setup::copy::remainder::{Remainder, RemainderKind};
use duet_store::setup::copy::{CopiedColumn, CopiedIndex, CopiedReference, CopiedTable, Original};
use rusqlite::Connection;

use super::standard;
use crate::catalog::{ObjectText, ddl, introspect, objects};

/// Reads what there is, but for tables of these names.
///
/// # Errors
/// If the schema cannot be read.
pub(super) fn read(connection: &Connection, without: &[String]) -> Result<Original> {
    let catalog = introspect(connection)?;
    if let Some(note) = catalog.notes.first() {
        return Err(Error::new(duet_model::Code::Setting, format!("Nothing is copied: {note}.")));
    }
    let own = objects(connection).map_err(super::unreadable)?;
    let is_left = |name: &str| without.iter().any(|other| other.eq_ignore_ascii_case(name));
    let mut found = Original::default();
    for relation in catalog.relations.iter().filter(|one| !is_left(&one.name)) {
        match relation.kind {
            RelationKind::Table if own.is_virtual(&relation.name) => {
                found.remainders.push(remainder(
                    RemainderKind::VirtualTables,
                    &relation.name,
                    "a module keeps it",
                ));
            }
            RelationKind::Table => {
                let mut reader = TableReader {
                    connection,
                    catalog: &catalog,
                    relation,
                    text: own.text(&relation.name),
                    positions: positions(relation),
                    last_number: last_number(connection, &relation.name),
                    left: &mut found.remainders,
                };
                let table = reader.read().map_err(super::unreadable)?;
                found.tables.push(table);
            }
            RelationKind::View | RelationKind::MaterializedView => {
                let why = "its query is SQLite's";
                found.remainders.push(remainder(RemainderKind::Views, &relation.name, why));
            }
        }
    }
    let triggers = own.triggers.iter().filter(|trigger| !is_left(&trigger.table));
    found.remainders.extend(triggers.map(|ObjectText { name, table }| {
        let place = format!("{name} of {table}");
        remainder(RemainderKind::Triggers, &place, "its statements are SQLite's")
    }));
    found.remainders.sort();
    Ok(found)
}

fn remainder(kind: RemainderKind, place: &str, why: &str) -> Remainder {
    Remainder { kind, place: place.to_owned(), why: why.to_owned() }
}

/// What `AUTOINCREMENT` keeps of a table; 0 where it keeps nothing.
fn last_number(connection: &Connection, table: &str) -> i64 {
    let sql = "SELECT seq FROM main.sqlite_sequence WHERE name = ?1";
    // Without any such table there is no list of them.
    connection.query_row(sql, [table], |row| row.get(0)).unwrap_or(0)
}

/// Where the columns of a relation are among those that are stored.
fn positions(relation: &Relation) -> HashMap<usize, usize> {
    let stored = relation
        .columns
        .iter()
        .enumerate()
        .filter(|(_, it)| it.generated != GeneratedValue::Computed);
    stored.enumerate().map(|(to, (from, _))| (from, to)).collect()
}

/// Reads one table.
struct TableReader<'a> {
    connection: &'a Connection,
    catalog: &'a Catalog,
    relation: &'a Relation,
    /// The statement that made it.
    text: &'a str,
    positions: HashMap<usize, usize>,
    /// The highest row number that was ever given, where the table keeps it.
    last_number: i64,
    left: &'a mut Vec<Remainder>,
}

impl TableReader<'_> {
    fn read(&mut self) -> rusqlite::Result<CopiedTable> {
        let columns = self.columns();
        self.conflicts();
        Ok(CopiedTable {
            name: self.relation.name.clone(),
            columns,
            primary_key: self.stored(&self.relation.primary_key).unwrap_or_default(),
            unique_keys: self.unique_keys(),
            references: self.references()?,
            checks: self.checks(),
            indexes: self.indexes()?,
        })
    }

    fn leave(&mut self, kind: RemainderKind, part: &str, why: &str) {
        let place = format!("{}.{part}", self.relation.name);
        self.left.push(remainder(kind, &place, why));
    }

    /// Positions among the columns that are stored, where all of them are.
    fn stored(&self, columns: &[usize]) -> Option<Vec<usize>> {
        columns.iter().map(|at| self.positions.get(at).copied()).collect()
    }

    fn columns(&mut self) -> Vec<CopiedColumn> {
        let relation = self.relation;
        relation.columns.iter().filter_map(|column| self.column(column)).collect()
    }

    fn column(&mut self, column: &Column) -> Option<CopiedColumn> {
        if column.generated == GeneratedValue::Computed {
            self.leave(RemainderKind::Computed, &column.name, "its values are computed by SQLite");
            return None;
        }
        if column.ty == Type::Dynamic {
            let why =
                "any value may be in it: make the table yourself, and copy with --tables kept";
            self.leave(RemainderKind::Types, &column.name, why);
        } else if column.loose_equality {
            self.leave(RemainderKind::Collations, &column.name, "its collation is SQLite's");
        }
        let default =
            match column.default.as_deref().map(|text| standard::default(text, &column.ty)) {
                Some(Err(())) => {
                    let text = column.default.as_deref().unwrap_or_default();
                    self.leave(RemainderKind::Defaults, &column.name, &format!("DEFAULT {text}"));
                    None
                }
                Some(Ok(default)) => default,
                None => None,
            };
        let digits = column.declared.split_once('(').and_then(|(_, rest)| rest.split_once(')'));
        let digits = digits.filter(|_| matches!(column.ty, Type::Decimal { scale: Some(_) }));
        Some(CopiedColumn {
            name: column.name.clone(),
            ty: column.ty.clone(),
            digits: digits.map(|(digits, _)| digits.to_owned()).unwrap_or_default(),
            not_null: column.not_null,
            default,
            is_identity: column.generated == GeneratedValue::Identity,
            last_number: self.last_number,
        })
    }

    fn conflicts(&mut self) {
        let words = ddl::bare_words(self.text);
        let clauses = words.windows(3).filter(|words| words[..2] == ["ON", "CONFLICT"]);
        let others: BTreeSet<&str> =
            clauses.map(|words| words[2].as_str()).filter(|word| *word != "ABORT").collect();
        if !others.is_empty() {
            let others: Vec<&str> = others.into_iter().collect();
            self.left.push(remainder(
                RemainderKind::Conflicts,
                &self.relation.name,
                &format!("ON CONFLICT {}", others.join(", ")),
            ));
        }
    }

    fn unique_keys(&mut self) -> Vec<UniqueKey> {
        let keys = self.relation.unique_keys.iter().filter_map(|key| {
            let columns = self.stored(&key.columns)?;
            Some(UniqueKey { name: key.name.clone(), columns, is_declared: false })
        });
        keys.collect()
    }

    fn checks(&mut self) -> Vec<Check> {
        let relation = self.relation;
        let mut checks = Vec::new();
        for check in &relation.checks {
            match standard::condition(&check.condition, &relation.columns) {
                Ok(Some(condition)) => checks.push(Check { name: check.name.clone(), condition }),
                Ok(None) => {}
                Err(why) => {
                    let why = format!("CHECK ({}): {why}", check.condition);
                    self.leave(RemainderKind::Checks, &check.name, &why);
                }
            }
        }
        checks
    }

    fn references(&mut self) -> rusqlite::Result<Vec<CopiedReference>> {
        let ddl = ddl::Ddl::parse(self.text);
        let keys = crate::catalog::declared_keys(self.connection, &self.relation.name, &ddl)?;
        let mut statement = self.connection.prepare(
            "SELECT on_delete, on_update FROM pragma_foreign_key_list(?1, 'main') WHERE seq = 0 ORDER BY id DESC",
        )?;
        let rules =
            statement.query_map([&self.relation.name], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let rules = rules.collect::<rusqlite::Result<Vec<(String, String)>>>()?;
        let words = ddl::bare_words(self.text);
        let deferred: Vec<bool> =
            words.split(|word| word == "REFERENCES").skip(1).map(is_deferred).collect();
        let mut references = Vec::new();
        for (at, (key, (on_delete, on_update))) in keys.into_iter().zip(rules).enumerate() {
            let target =
                self.catalog.called(&key.table).find(|one| one.kind == RelationKind::Table);
            let name = |name: &String| match self.relation.column_index(name) {
                Some(at) => self.relation.columns[at].name.clone(),
                None => name.clone(),
            };
            let targets = target_columns(target.map(|target| &**target), key.targets.as_deref());
            let columns: Vec<String> = key.columns.iter().map(name).collect();
            let table = target.map_or(key.table, |target| target.name.clone());
            if !target.is_some_and(|target| is_key(target, &targets, columns.len())) {
                let to = format!("{table} ({})", targets.join(", "));
                let why = format!("REFERENCES {to}: that is no key of a table");
                self.leave(RemainderKind::References, &columns.join(", "), &why);
                continue;
            }
            references.push(CopiedReference {
                name: key.name,
                columns,
                table,
                targets,
                on_delete,
                on_update,
                is_deferred: deferred.get(at).copied().unwrap_or_default(),
            });
        }
        Ok(references)
    }

    fn indexes(&mut self) -> rusqlite::Result<Vec<CopiedIndex>> {
        let mut statement = self.connection.prepare(
            "SELECT i.name, i.\"unique\", coalesce(s.sql, '') FROM pragma_index_list(?1, 'main') i
              JOIN main.sqlite_schema s ON s.name = i.name AND s.type = 'index' WHERE i.origin = 'c' ORDER BY 1",
        )?;
        let rows = statement
            .query_map([&self.relation.name], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        let mut indexes = Vec::new();
        for row in rows {
            let (name, is_unique, text): (String, bool, String) = row?;
            if self.relation.unique_keys.iter().any(|key| key.name == name) {
                continue;
            }
            match self.index(&name, &text)? {
                Ok((columns, condition)) => {
                    indexes.push(CopiedIndex { name, is_unique, columns, condition });
                }
                Err(why) => self.leave(RemainderKind::Indexes, &name, &why),
            }
        }
        Ok(indexes)
    }

    /// The columns and the condition of an index, or why it has no standard form.
    fn index(&self, name: &str, text: &str) -> rusqlite::Result<Result<IndexParts, String>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT cid, \"desc\", coll FROM pragma_index_xinfo(?1, 'main') WHERE key ORDER BY seqno",
        )?;
        let rows = statement.query_map([name], |row| {
            Ok((row.get::<_, i64>(0)?, row.get(1)?, row.get::<_, Option<String>>(2)?))
        })?;
        let mut columns = Vec::new();
        for row in rows {
            let (column, is_descending, collation) = row?;
            let relation_at = usize::try_from(column).ok();
            let Some(at) = relation_at.and_then(|at| self.positions.get(&at)) else {
                return Ok(Err("it is of an expression or a generated column".to_owned()));
            };
            let own_is_binary =
                relation_at.is_some_and(|at| !self.relation.columns[at].loose_equality);
            if own_is_binary && collation.is_some_and(|it| !it.eq_ignore_ascii_case("BINARY")) {
                return Ok(Err("it has a collation".to_owned()));
            }
            columns.push((*at, is_descending));
        }
        Ok(match ddl::condition_of_index(text) {
            None => Ok((columns, None)),
            Some(condition) => standard::condition(condition, &self.relation.columns)
                .map(|condition| (columns, condition))
                .map_err(|why| format!("WHERE {condition}: {why}")),
        })
    }
}

/// The columns of an index, each with whether it is descending, and its condition.
type IndexParts = (Vec<(usize, bool)>, Option<String>);

/// The words behind `REFERENCES`, up to the next one.
fn is_deferred(words: &[String]) -> bool {
    let is_initial = words.windows(2).any(|two| two == ["INITIALLY", "DEFERRED"]);
    let is_never = words.windows(2).any(|two| two == ["NOT", "DEFERRABLE"]);
    is_initial && !is_never
}

/// Whether these columns of a table are its primary key or another one, which the copy has too.
fn is_key(target: &Relation, columns: &[String], width: usize) -> bool {
    let at = |name: &String| {
        let at = target.column_index(name)?;
        (target.columns[at].generated != GeneratedValue::Computed).then_some(at)
    };
    let Some(columns) = columns.iter().map(at).collect::<Option<BTreeSet<usize>>>() else {
        return false;
    };
    let keys = target.unique_keys.iter().map(|key| &key.columns).chain([&target.primary_key]);
    let is_it = |key: &Vec<usize>| key.iter().copied().collect::<BTreeSet<_>>() == columns;
    columns.len() == width && keys.into_iter().any(is_it)
}

/// The columns that a foreign key leads to, as their table spells them.
fn target_columns(target: Option<&Relation>, named: Option<&[String]>) -> Vec<String> {
    let Some(target) = target else { return named.unwrap_or_default().to_vec() };
    let name = |at: usize| target.columns[at].name.clone();
    match named {
        None => target.primary_key.iter().map(|&at| name(at)).collect(),
        Some(named) => {
            let own = |given: &String| target.column_index(given).map_or(given.clone(), name);
            named.iter().map(own).collect()
        }
    }
}
