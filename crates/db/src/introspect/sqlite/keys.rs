//! Indexes, unique keys and foreign keys of SQLite tables.

use std::collections::{BTreeMap, HashMap, HashSet};

use duet_model::catalog::{ForeignKey, Index, PrefixOrder, UniqueKey};
use rusqlite::Connection;

use super::super::effects::{Graph, Rule};
use super::ddl::Ddl;
use super::schema_text::SchemaText;
use super::{Draft, parts};

/// The only kind of index that SQLite has.
pub(super) const METHOD: &str = "btree";

/// An index as the pragmas show it.
pub(super) struct DeclaredIndex {
    name: String,
    pub(super) unique: bool,
    pub(super) primary: bool,
    pub(super) partial: bool,
    pub(super) parts: Vec<Part>,
    /// The first key as it is spelled, where it is an expression.
    key: Option<String>,
}

/// One key column of an index.
pub(super) struct Part {
    /// `None` is an expression.
    pub(super) column: Option<String>,
    pub(super) collation: String,
}

impl DeclaredIndex {
    pub(super) fn has_only_columns(&self) -> bool {
        self.parts.iter().all(|part| part.column.is_some())
    }

    fn positions(&self, position: impl Fn(&str) -> Option<usize>) -> Vec<usize> {
        // An expression ends the list.
        self.parts.iter().map_while(|part| position(part.column.as_deref()?)).collect()
    }

    pub(super) fn catalog_index(
        &self,
        position: impl Fn(&str) -> Option<usize>,
        collations: &[String],
    ) -> Index {
        if self.partial {
            return Index::partial(self.name.clone(), METHOD.to_owned());
        }
        let first = self.parts.first();
        let at = first.and_then(|part| position(part.column.as_deref()?));
        let collation = at.and_then(|at| collations.get(at));
        let prefixes = first
            .zip(collation)
            .filter(|(part, collation)| part.collation.eq_ignore_ascii_case(collation))
            .map(|_| PrefixOrder::Own);
        Index {
            name: self.name.clone(),
            unique: self.unique,
            method: METHOD.to_owned(),
            deferred: false,
            deferrable: false,
            nulls_equal: false,
            part: self.key.as_deref().and_then(|key| parts::json_value(key, &position)),
            columns: self.positions(position),
            prefixes,
        }
    }

    /// The key under its constraint's name; without one it is named as PostgreSQL would.
    pub(super) fn unique_key(
        &self,
        table: &str,
        ddl: &Ddl,
        position: impl Fn(&str) -> Option<usize>,
    ) -> UniqueKey {
        let names: Vec<_> = self.parts.iter().filter_map(|part| part.column.as_deref()).collect();
        let name = if self.name.starts_with("sqlite_autoindex_") {
            let declared = ddl.unique_name(&names).map(str::to_owned);
            declared.unwrap_or_else(|| format!("{table}_{}_key", names.join("_")))
        } else {
            self.name.clone()
        };
        UniqueKey { name, columns: self.positions(position) }
    }
}

/// The indexes of a table.
pub(super) fn indexes(
    connection: &Connection,
    table: &str,
    text: &SchemaText,
) -> rusqlite::Result<Vec<DeclaredIndex>> {
    let mut statement = connection.prepare_cached(
        "SELECT name, \"unique\", origin = 'pk', partial FROM pragma_index_list(?1, 'main') ORDER BY seq",
    )?;
    let rows = statement.query_map([table], |row| {
        let name: String = row.get(0)?;
        let parts = columns(connection, &name)?;
        let is_expression = parts.first().is_some_and(|part| part.column.is_none());
        let key = text.index(&name).filter(|_| is_expression).and_then(parts::first_key);
        Ok(DeclaredIndex {
            name,
            unique: row.get(1)?,
            primary: row.get(2)?,
            partial: row.get(3)?,
            parts,
            key,
        })
    })?;
    rows.collect()
}

fn columns(connection: &Connection, index: &str) -> rusqlite::Result<Vec<Part>> {
    let mut statement = connection.prepare_cached(
        "SELECT name, coll FROM pragma_index_xinfo(?1, 'main') WHERE key ORDER BY seqno",
    )?;
    let rows = statement.query_map([index], |row| {
        let collation: Option<String> = row.get(1)?;
        Ok(Part { column: row.get(0)?, collation: collation.unwrap_or_default() })
    })?;
    rows.collect()
}

/// A foreign key as written: the target's names may differ in case or be left out.
pub(super) struct DeclaredForeignKey {
    name: Option<String>,
    table: String,
    columns: Vec<String>,
    /// `None` is the target's primary key.
    targets: Option<Vec<String>>,
    /// What happens to its rows when the target is deleted, and when its columns are updated.
    rules: (Rule, Rule),
}

/// The foreign keys of a table, in the order of their declaration.
pub(super) fn foreign_keys(
    connection: &Connection,
    table: &str,
    ddl: &Ddl,
) -> rusqlite::Result<Vec<DeclaredForeignKey>> {
    let mut statement = connection.prepare_cached(
        "SELECT id, \"table\", \"from\", \"to\", on_delete, on_update \
         FROM pragma_foreign_key_list(?1, 'main') ORDER BY id DESC, seq",
    )?;
    let mut rows = statement.query([table])?;
    // The pragma counts from the last declared key to the first.
    let mut keys: BTreeMap<std::cmp::Reverse<i64>, DeclaredForeignKey> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let (target, column): (String, String) = (row.get(1)?, row.get(2)?);
        let to: Option<String> = row.get(3)?;
        let rule = |at: usize| row.get::<_, String>(at).map(|text| Rule::of(&text));
        let rules = (rule(4)?, rule(5)?);
        let key = keys.entry(std::cmp::Reverse(row.get(0)?)).or_insert_with(|| {
            let targets = to.is_some().then(Vec::new);
            DeclaredForeignKey { name: None, table: target, columns: Vec::new(), targets, rules }
        });
        key.columns.push(column);
        key.targets.iter_mut().for_each(|targets| targets.extend(to.clone()));
    }
    let mut keys: Vec<_> = keys.into_values().collect();
    if keys.len() == ddl.foreign_key_names.len() {
        for (key, name) in keys.iter_mut().zip(&ddl.foreign_key_names) {
            key.name.clone_from(name);
        }
    }
    Ok(keys)
}

/// Ties every foreign key to the table and columns it means.
pub(super) fn resolve(drafts: &mut [Draft], notes: &mut Vec<String>) {
    let by_name: HashMap<String, usize> = drafts
        .iter()
        .enumerate()
        .map(|(at, draft)| (draft.relation.name.to_ascii_lowercase(), at))
        .collect();
    let mut followed: BTreeMap<usize, HashSet<String>> = BTreeMap::new();
    for at in 0..drafts.len() {
        let mut resolved = Vec::new();
        for declared in &drafts[at].foreign_keys {
            let target = by_name.get(&declared.table.to_ascii_lowercase()).copied();
            let tied = target.and_then(|to| Some((to, tie(&drafts[at], declared, &drafts[to])?)));
            match tied {
                Some((target, key)) => {
                    if declared.rules.1 != Rule::Refuse {
                        let columns = followed.entry(target).or_default();
                        columns.extend(key.references_columns.iter().cloned());
                    }
                    resolved.push(key);
                }
                None => notes.push(format!(
                    "table {}: the foreign key ({}) to {} is left out: it has no such target",
                    drafts[at].relation.name,
                    declared.columns.join(", "),
                    declared.table
                )),
            }
        }
        resolved.sort_by(|a, b| a.name.cmp(&b.name));
        drafts[at].relation.foreign_keys = resolved;
    }
    for (target, names) in followed {
        let columns = drafts[target].relation.columns.iter_mut();
        columns.filter(|it| names.contains(&it.name)).for_each(|column| column.followed = true);
    }
}

/// Says of each table what else changes when it is written.
pub(super) fn add_effects(drafts: &mut [Draft]) {
    let mut graph = Graph::default();
    let mut by_name = HashMap::new();
    for (at, Draft { relation, triggers, .. }) in (0..).zip(&*drafts) {
        graph.table(at, &relation.schema, &relation.name, *triggers);
        by_name.insert(relation.name.to_ascii_lowercase(), at);
    }
    for (at, draft) in (0..).zip(&*drafts) {
        for key in &draft.foreign_keys {
            if let Some(&parent) = by_name.get(&key.table.to_ascii_lowercase()) {
                graph.key(parent, at, key.rules);
            }
        }
        if draft.replaces {
            graph.replaces(at);
        }
    }
    for (at, draft) in (0..).zip(drafts) {
        draft.relation.effects = graph.effects(at);
    }
}

fn tie(from: &Draft, declared: &DeclaredForeignKey, to: &Draft) -> Option<ForeignKey> {
    let (from, to) = (&from.relation, &to.relation);
    let column = |name: &String| from.column_index(name);
    let columns: Vec<usize> = declared.columns.iter().map(column).collect::<Option<_>>()?;
    let targets: Vec<usize> = match &declared.targets {
        Some(names) => names.iter().map(|name| to.column_index(name)).collect::<Option<_>>()?,
        None => to.primary_key.clone(),
    };
    if targets.len() != columns.len() {
        return None;
    }
    let names: Vec<_> = columns.iter().map(|&at| from.columns[at].name.as_str()).collect();
    Some(ForeignKey {
        // As PostgreSQL would name it.
        name: declared
            .name
            .clone()
            .unwrap_or_else(|| format!("{}_{}_fkey", from.name, names.join("_"))),
        references_schema: to.schema.clone(),
        references_table: to.name.clone(),
        references_columns: targets.iter().map(|&at| to.columns[at].name.clone()).collect(),
        on_delete: declared.rules.0.into(),
        columns,
    })
}
