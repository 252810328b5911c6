//! Indexes and unique keys of SQLite tables, and what their foreign keys lead to.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use duet_model::catalog::{Column, ForeignKey, Index, PrefixOrder, UniqueKey};
use duet_model::steps;
use duet_store::catalog::effects::{self, Cascade, Graph, ReferentialAction};
use rusqlite::Connection;

use super::ddl::Ddl;
use super::foreign_keys::DeclaredForeignKey;
use super::memory::Entry;
use super::parts;
use super::schema_text::SchemaText;

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
        UniqueKey { name, columns: self.positions(position), is_declared: false }
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

/// Ties the foreign keys of these relations to the tables and columns they mean.
pub(super) fn resolve(entries: &mut [Entry], which: &BTreeSet<usize>) {
    let by_name = by_lower_name(entries);
    let mut found = Vec::new();
    for &at in which {
        steps::step();
        let (mut resolved, mut notes) = (Vec::new(), Vec::new());
        for declared in &*entries[at].keys {
            let target = by_name.get(declared.target.as_str());
            match target.and_then(|&to| tie(&entries[at], declared, &entries[to])) {
                Some(key) => resolved.push(key),
                None => notes.push(format!(
                    "table {}: the foreign key ({}) to {} is left out: it has no such target",
                    entries[at].name,
                    declared.columns.join(", "),
                    declared.table
                )),
            }
        }
        resolved.sort_by(|a, b| a.name.cmp(&b.name));
        found.push((at, resolved, notes));
    }
    for (at, resolved, notes) in found {
        let entry = &mut entries[at];
        entry.notes = notes;
        let Some(relation) = &mut entry.relation else { continue };
        if relation.foreign_keys != resolved {
            Arc::make_mut(relation).foreign_keys = resolved;
        }
    }
}

/// The relations by their names in lower case, as SQLite compares them.
fn by_lower_name(entries: &[Entry]) -> HashMap<String, usize> {
    let readable = entries.iter().enumerate().filter(|(_, entry)| entry.relation.is_some());
    readable.map(|(at, entry)| (entry.name.to_ascii_lowercase(), at)).collect()
}

/// The relations whose keys must be tied anew, and those whose columns may be linked otherwise, where these are read: they
/// themselves, those with a key to one of them or to one that is gone, and those to which their keys led and lead.
pub(super) fn joined(
    entries: &[Entry],
    is_read: &[bool],
    before: &HashMap<&str, &Entry>,
) -> BTreeSet<usize> {
    let now: HashSet<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
    let gone = before.values().filter(|entry| !now.contains(entry.name.as_str()));
    let gone: Vec<&Entry> = gone.copied().collect();
    let read = || entries.iter().zip(is_read).filter(|(_, read)| **read).map(|(entry, _)| entry);
    let changed: HashSet<String> =
        read().chain(gone.iter().copied()).map(|entry| entry.name.to_ascii_lowercase()).collect();
    let as_before = read().filter_map(|entry| before.get(entry.name.as_str()).copied());
    let targets = read().chain(as_before).chain(gone.iter().copied());
    let targets: HashSet<&str> =
        targets.flat_map(|entry| entry.keys.iter().map(|key| key.target.as_str())).collect();
    let is_joined = |(at, entry): &(usize, &Entry)| {
        let leads = |key: &DeclaredForeignKey| changed.contains(&key.target);
        is_read[*at]
            || entry.keys.iter().any(leads)
            || targets.contains(entry.name.to_ascii_lowercase().as_str())
    };
    entries.iter().enumerate().filter(is_joined).map(|(at, _)| at).collect()
}

/// What the keys of all relations make of the columns of these: which are links, and which other rows follow.
pub(super) fn link(entries: &mut [Entry], which: &BTreeSet<usize>) {
    let names: HashMap<String, usize> =
        which.iter().map(|&at| (entries[at].name.to_ascii_lowercase(), at)).collect();
    let mut referred: BTreeMap<usize, (BTreeSet<String>, BTreeSet<String>)> = BTreeMap::new();
    for entry in &*entries {
        for declared in &*entry.keys {
            let Some(&to) = names.get(&declared.target) else { continue };
            let Some(key) = tie(entry, declared, &entries[to]) else { continue };
            let (links, followed) = referred.entry(to).or_default();
            if declared.rules.1 != ReferentialAction::Refuse {
                followed.extend(key.references_columns.iter().cloned());
            }
            links.extend(key.references_columns);
        }
    }
    let none = Default::default();
    for &at in which {
        let Some(relation) = &mut entries[at].relation else { continue };
        let (referred, followed) = referred.get(&at).unwrap_or(&none);
        let links = effects::links(relation, referred.iter());
        let is_same = |column: &Column| column.followed == followed.contains(&column.name);
        if relation.links == links && relation.columns.iter().all(is_same) {
            continue;
        }
        let relation = Arc::make_mut(relation);
        relation.links = links;
        for column in &mut relation.columns {
            column.followed = followed.contains(&column.name);
        }
    }
}

/// By what writes of these relations reach further.
pub(super) fn set_nodes(entries: &mut [Entry], which: &BTreeSet<usize>) {
    let by_name = by_lower_name(entries);
    for &at in which {
        let keys = entries[at].keys.iter().filter_map(|key| {
            let parent = by_name.get(key.target.as_str())?;
            Some((entries[*parent].number, Cascade::of(key.rules.0, key.rules.1)))
        });
        entries[at].node.keys = keys.collect();
    }
}

/// Says of each table what else changes when it is written, where that may be other than before.
pub(super) fn add_effects(entries: &mut [Entry], before: &HashMap<&str, &Entry>) {
    let readable = |entry: &&Entry| entry.relation.is_some();
    let now: HashMap<u64, &Entry> =
        entries.iter().filter(readable).map(|entry| (entry.number, entry)).collect();
    let known: HashMap<u64, &Entry> =
        before.values().copied().filter(readable).map(|entry| (entry.number, entry)).collect();
    let old = |number: &u64| known.get(number).map(|entry| &entry.node);
    let gone = known.keys().filter(|number| !now.contains_key(number));
    let changes = now.iter().map(|(number, entry)| (*number, old(number), Some(&entry.node)));
    let changes = changes.chain(gone.map(|number| (*number, old(number), None)));
    let changes: Vec<_> = changes.filter(|(_, before, now)| before != now).collect();
    let outdated = match changes.is_empty() {
        true => BTreeMap::new(),
        false => {
            let nodes = now
                .iter()
                .map(|(number, entry)| (*number, &entry.node, ("main", entry.name.as_str())));
            let graph = Graph::of(nodes);
            let outdated = effects::outdated(&graph, changes.into_iter());
            outdated.into_iter().map(|table| (table, graph.effects(table))).collect()
        }
    };
    for entry in entries {
        let Some(relation) = &mut entry.relation else { continue };
        let before = || known.get(&entry.number)?.relation.as_ref();
        let effects = outdated.get(&entry.number).or_else(|| Some(&before()?.effects));
        if let Some(effects) = effects.filter(|effects| **effects != relation.effects) {
            let effects = effects.clone();
            Arc::make_mut(relation).effects = effects;
        }
    }
}

/// A key with the table and columns it means, where these are there.
fn tie(from: &Entry, declared: &DeclaredForeignKey, to: &Entry) -> Option<ForeignKey> {
    let (from, to) = (from.relation.as_ref()?, to.relation.as_ref()?);
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
