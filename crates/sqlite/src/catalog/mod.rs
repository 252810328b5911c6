//! Introspection of SQLite: the pragmas give tables, columns and keys; the text of `CREATE TABLE`
//! gives check constraints and the names of constraints, as far as it can be followed.
//!
//! Only schema `main` is looked at. `sqlite_…` tables and the shadow tables of virtual tables are
//! left out.

pub(crate) mod ddl;
mod declared;
mod foreign_keys;
mod keys;
mod listed;
mod memory;
mod parts;
mod schema_text;
pub(crate) mod search_indexes;
pub(crate) mod statement;
mod table;
mod text_order;
pub(crate) mod totals;
mod triggers;
mod view;

use std::collections::{BTreeSet, HashMap};
use std::hash::RandomState;
use std::sync::Arc;

use duet_model::catalog::{Catalog, Relation, RelationKind};
use duet_model::{Code, Error, Result, steps};
use rusqlite::{Connection, ErrorCode};

use duet_store::catalog::effects::{StatementKinds, TableEffects};
use foreign_keys::DeclaredForeignKey;
pub(crate) use foreign_keys::declared as declared_keys;
use listed::{Kind, Listed};
use memory::Entry;
pub use memory::Memory;
use parts::Words;
use schema_text::SchemaText;
use search_indexes::SearchIndexes;
use table::Table;
use totals::StoredTotals;

/// Objects of a file by name, with what is written of them.
#[derive(Debug)]
pub(crate) struct Objects {
    text: SchemaText,
    /// Triggers other than those of Duet itself.
    pub(crate) triggers: Vec<ObjectText>,
}

/// Something that belongs to a table.
#[derive(Debug)]
pub(crate) struct ObjectText {
    /// Its name.
    pub(crate) name: String,
    /// The table.
    pub(crate) table: String,
}

impl Objects {
    /// The statement that made a table or view; empty where there is none.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.text.made_by(name)
    }

    /// Whether a table is kept by a module.
    pub(crate) fn is_virtual(&self, name: &str) -> bool {
        self.text.virtual_table(name).is_some()
    }
}

/// Reads the objects of a file.
///
/// # Errors
/// If the file cannot be read.
pub(crate) fn objects(connection: &Connection) -> rusqlite::Result<Objects> {
    let kept = Kept::read(connection)?;
    let text = SchemaText::read(connection, &RandomState::new())?;
    let mut triggers: Vec<ObjectText> = text
        .all_triggers()
        .filter(|(_, name)| !kept.triggers.contains(*name) && !triggers::is_of_webhooks(name))
        .map(|(table, name)| ObjectText { name: name.to_owned(), table: table.to_owned() })
        .collect();
    triggers.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(Objects { text, triggers })
}

/// Reads the catalog of a database, in one read transaction (the caller's, if one is open).
///
/// # Errors
/// [`Code::DatabaseLocked`] if another program's lock blocks it, [`Code::Timeout`] where the connection was
/// interrupted, [`Code::DatabaseUnavailable`] where the file is no database or cannot be read.
///
/// ```
/// let connection = rusqlite::Connection::open_in_memory().unwrap();
/// connection.execute_batch("CREATE TABLE team (team_id INTEGER PRIMARY KEY, name TEXT)").unwrap();
/// let catalog = duet_sqlite::catalog::introspect(&connection).unwrap();
/// assert_eq!(catalog.relation("main", "team").unwrap().primary_key, [0]);
/// ```
pub fn introspect(connection: &Connection) -> Result<Catalog> {
    introspect_again(connection, &mut Memory::default())
}

/// The same where the catalog was read before: relations that are as they are remembered are shared with it.
///
/// # Errors
/// As [`introspect`]; the memory then stays as it was.
pub fn introspect_again(connection: &Connection, memory: &mut Memory) -> Result<Catalog> {
    if connection.is_autocommit() {
        // Dropped without a commit: nothing was written.
        let _snapshot = connection.unchecked_transaction().map_err(failed)?;
        read(connection, memory)
    } else {
        read(connection, memory)
    }
}

/// A relation whose foreign keys still name their targets as written.
struct Draft {
    relation: Relation,
    foreign_keys: Vec<DeclaredForeignKey>,
    triggers: StatementKinds,
    /// Whether an insert or update may delete other rows (`ON CONFLICT REPLACE`).
    replaces: bool,
}

/// The tables and triggers that Duet itself keeps for others, and tables of words.
struct Kept {
    searched: SearchIndexes,
    totals: StoredTotals,
    words: Vec<Words>,
    triggers: BTreeSet<String>,
}

impl Kept {
    fn read(connection: &Connection) -> rusqlite::Result<Self> {
        let searched = SearchIndexes::read(connection, "main")?;
        let totals = StoredTotals::read(connection)?;
        let mut triggers = searched.triggers();
        triggers.extend(totals.triggers());
        Ok(Self { searched, totals, words: parts::words(connection)?, triggers })
    }

    /// The names of the tables that are not served.
    fn tables(&self) -> BTreeSet<&str> {
        self.searched.tables().chain(self.totals.tables()).collect()
    }

    /// Adds to the texts that relations are made of what is kept for them.
    fn add_digests(&self, text: &mut SchemaText, hasher: &RandomState) {
        for index in self.searched.all() {
            text.add(&index.table, schema_text::hash(hasher, "search", "", &format!("{index:?}")));
        }
        for totals in self.totals.all() {
            text.add(
                &totals.table,
                schema_text::hash(hasher, "totals", "", &format!("{totals:?}")),
            );
        }
        for words in &self.words {
            text.add(
                words.content(),
                schema_text::hash(hasher, "words", "", &format!("{words:?}")),
            );
        }
    }

    /// Adds each to the indexes of its table.
    fn add_to(&self, relations: &mut [&mut Relation]) {
        parts::add_words(&self.words, relations);
        self.searched.add_to(relations);
        self.totals.add_to(relations);
    }
}

fn read(connection: &Connection, memory: &mut Memory) -> Result<Catalog> {
    let before = memory.by_name();
    let (mut entries, is_read) = entries(connection, memory, &before)?;
    let joined = keys::joined(&entries, &is_read, &before);
    keys::resolve(&mut entries, &joined);
    keys::link(&mut entries, &joined);
    keys::set_nodes(&mut entries, &joined);
    keys::add_effects(&mut entries, &before);
    estimate(connection, &mut entries);
    for entry in &mut entries {
        entry.share(before.get(entry.name.as_str()).copied());
    }
    let left_out = entries.iter().filter_map(|entry| entry.left_out.clone());
    let mut notes: Vec<String> = left_out.collect();
    notes.extend(entries.iter().flat_map(|entry| entry.notes.iter().cloned()));
    let relations = entries.iter().filter_map(|entry| entry.relation.clone()).collect();
    memory.read = is_read.iter().filter(|read| **read).count();
    memory.numbered =
        memory.numbered.max(1 + entries.iter().map(|it| it.number).max().unwrap_or(0));
    memory.entries = entries;
    Ok(Catalog { relations, notes, ..Catalog::default() })
}

/// All relations by name, each with whether it was read rather than found as it was. What they are among others is still
/// that of the last time.
fn entries(
    connection: &Connection,
    memory: &Memory,
    before: &HashMap<&str, &Entry>,
) -> Result<(Vec<Entry>, Vec<bool>)> {
    let kept = Kept::read(connection).map_err(failed)?;
    let mut text = SchemaText::read(connection, &memory.hasher).map_err(failed)?;
    kept.add_digests(&mut text, &memory.hasher);
    let own_tables = kept.tables();
    let mut listed = listed::list(&text);
    listed.retain(|listed| !own_tables.contains(listed.name.as_str()));
    let digest = |listed: Listed| {
        let kind = schema_text::hash(&memory.hasher, "kind", &listed.name, listed.kind.word());
        let digest = text.digest(&listed.name).wrapping_add(kind);
        (listed, digest)
    };
    let listed: Vec<(Listed, u64)> = listed.into_iter().map(digest).collect();
    let outdated = memory::outdated(&listed, before, &text);
    let is_read = listed.iter().map(|(one, _)| outdated.contains(one.name.as_str()));
    let is_read: Vec<bool> = is_read.collect();
    let mut numbers = memory.numbered..;
    let mut entries = Vec::with_capacity(listed.len());
    for ((listed, digest), is_read) in listed.iter().zip(&is_read) {
        let known = before.get(listed.name.as_str()).copied();
        entries.push(match known.filter(|_| !is_read) {
            Some(known) => known.clone(),
            None => {
                let number = known.map(|known| known.number).or_else(|| numbers.next());
                let draft = draft(connection, listed, &text, &kept.triggers);
                entry_of(listed, number.unwrap_or_default(), *digest, draft)?
            }
        });
    }
    let read = entries.iter_mut().zip(&is_read).filter(|(_, is_read)| **is_read);
    let read = read.filter_map(|(entry, _)| entry.relation.as_mut().map(Arc::make_mut));
    kept.add_to(&mut read.collect::<Vec<_>>());
    Ok((entries, is_read))
}

/// A relation that was read, or could not be.
fn entry_of(
    listed: &Listed,
    number: u64,
    digest: u64,
    draft: rusqlite::Result<Draft>,
) -> Result<Entry> {
    steps::step();
    let name = listed.name.clone();
    let (relation, left_out, keys, node) = match draft {
        Ok(Draft { relation, foreign_keys, triggers, replaces }) => {
            let node = TableEffects { replaces, ..TableEffects::new(triggers) };
            (Some(Arc::new(relation)), None, Arc::from(foreign_keys), node)
        }
        Err(error) if is_lock(&error) || is_stopped(&error) => return Err(failed(error)),
        Err(error) => {
            let note = format!("{} {name} is left out: {error}", listed.kind.word());
            (None, Some(note), Arc::default(), TableEffects::default())
        }
    };
    let notes = Vec::new();
    Ok(Entry { name, number, digest, relation, left_out, keys, notes, node })
}

fn draft(
    connection: &Connection,
    listed: &Listed,
    text: &SchemaText,
    own_triggers: &BTreeSet<String>,
) -> rusqlite::Result<Draft> {
    if listed.kind == Kind::View {
        let columns = view::columns(connection, &listed.name)?;
        let relation = Relation { columns, ..empty(&listed.name, RelationKind::View) };
        let (foreign_keys, triggers) = (Vec::new(), StatementKinds::ALWAYS);
        return Ok(Draft { relation, foreign_keys, triggers, replaces: false });
    }
    Table::read(connection, listed, text, own_triggers)?.into_draft(connection)
}

fn empty(name: &str, kind: RelationKind) -> Relation {
    Relation {
        schema: "main".to_owned(),
        name: name.to_owned(),
        kind,
        columns: Vec::new(),
        primary_key: Vec::new(),
        unique_keys: Vec::new(),
        foreign_keys: Vec::new(),
        indexes: Vec::new(),
        checks: Vec::new(),
        comment: None,
        alias: None,
        estimated_rows: None,
        batchable: false,
        plain: false,
        links: Vec::new(),
        effects: duet_model::catalog::Effects::default(),
        query: None,
        withheld: duet_model::catalog::Withheld::default(),
        placement: duet_model::catalog::Placement::default(),
    }
}

/// The numbers of rows that `ANALYZE` noted, if it ever ran.
fn estimate(connection: &Connection, entries: &mut [Entry]) {
    let read = || -> rusqlite::Result<HashMap<String, i64>> {
        // `stat` is a list of numbers; the cast takes the first, the number of rows.
        let mut statement = connection.prepare(
            "SELECT tbl, max(CAST(stat AS INTEGER)) FROM main.sqlite_stat1 GROUP BY tbl",
        )?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        rows.collect()
    };
    // Without the table there are no estimates.
    let estimates = read().unwrap_or_default();
    for relation in entries.iter_mut().filter_map(|entry| entry.relation.as_mut()) {
        let rows = estimates.get(&relation.name).and_then(|&rows| rows.try_into().ok());
        if relation.estimated_rows != rows {
            Arc::make_mut(relation).estimated_rows = rows;
        }
    }
}

fn is_lock(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    matches!(code, Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// Whether it was stopped because its time was over.
fn is_stopped(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted)
}

fn failed(error: rusqlite::Error) -> Error {
    if is_stopped(&error) {
        return duet_store::catalog::too_slow(error);
    }
    if is_lock(&error) {
        let message = "Another program holds a lock on the database. Try again.";
        return Error::new(Code::DatabaseLocked, message).cause(error).retry_after(1);
    }
    let message = "The schema of the database cannot be read. Check that the file is SQLite's.";
    Error::new(Code::DatabaseUnavailable, message).cause(error)
}
