//! Introspection of SQLite: the pragmas give tables, columns and keys; the text of `CREATE TABLE`
//! gives check constraints and the names of constraints, as far as it can be followed.
//!
//! Only schema `main` is looked at. `sqlite_…` tables and the shadow tables of virtual tables are
//! left out.

mod ddl;
mod declared;
mod keys;
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
use std::sync::Arc;

use duet_model::catalog::{Catalog, Relation, RelationKind};
use duet_model::{Code, Error, Result};
use rusqlite::{Connection, ErrorCode};

use super::effects::{self, Code as Triggers};
use keys::DeclaredForeignKey;
use schema_text::SchemaText;
use search_indexes::SearchIndexes;
use table::Table;
use totals::StoredTotals;

/// Reads the catalog of a database, in one read transaction (the caller's, if one is open).
///
/// # Errors
/// [`Code::DatabaseLocked`] if another program's lock blocks it,
/// [`Code::DatabaseUnavailable`] where the file is no database or cannot be read.
///
/// ```
/// let connection = rusqlite::Connection::open_in_memory().unwrap();
/// connection.execute_batch("CREATE TABLE team (team_id INTEGER PRIMARY KEY, name TEXT)").unwrap();
/// let catalog = duet_db::introspect::sqlite::introspect(&connection).unwrap();
/// assert_eq!(catalog.relation("main", "team").unwrap().primary_key, [0]);
/// ```
pub fn introspect(connection: &Connection) -> Result<Catalog> {
    if connection.is_autocommit() {
        // Dropped without a commit: nothing was written.
        let _snapshot = connection.unchecked_transaction().map_err(failed)?;
        read(connection)
    } else {
        read(connection)
    }
}

/// A table or view as `PRAGMA table_list` shows it.
struct Listed {
    name: String,
    kind: String,
    without_rowid: bool,
    strict: bool,
}

/// A relation whose foreign keys still name their targets as written.
struct Draft {
    relation: Relation,
    foreign_keys: Vec<DeclaredForeignKey>,
    triggers: Triggers,
    /// Whether an insert or update may delete other rows (`ON CONFLICT REPLACE`).
    replaces: bool,
}

fn read(connection: &Connection) -> Result<Catalog> {
    let mut notes = Vec::new();
    let mut drafts = Vec::new();
    let searched = SearchIndexes::read(connection, "main").map_err(failed)?;
    let totals = StoredTotals::read(connection).map_err(failed)?;
    let mut own_triggers = searched.triggers();
    own_triggers.extend(totals.triggers());
    let own_tables: BTreeSet<&str> = searched.tables().chain(totals.tables()).collect();
    let text = SchemaText::read(connection).map_err(failed)?;
    for listed in list(connection).map_err(failed)? {
        if own_tables.contains(listed.name.as_str()) {
            continue;
        }
        match draft(connection, &listed, &text, &own_triggers) {
            Ok(draft) => drafts.push(draft),
            Err(error) if is_lock(&error) => return Err(failed(error)),
            Err(error) => {
                notes.push(format!("{} {} is left out: {error}", listed.kind, listed.name));
            }
        }
    }
    keys::resolve(&mut drafts, &mut notes);
    keys::add_effects(&mut drafts);
    let mut tables: Vec<_> = drafts.iter_mut().map(|draft| &mut draft.relation).collect();
    parts::add_words(connection, &mut tables).map_err(failed)?;
    searched.add_to(&mut tables);
    totals.add_to(&mut tables);
    estimate(connection, &mut drafts);
    let mut relations: Vec<_> = drafts.into_iter().map(|draft| draft.relation).collect();
    effects::link(&mut relations);
    relations.sort_by(|a, b| a.name.cmp(&b.name));
    let relations = relations.into_iter().map(Arc::new).collect();
    Ok(Catalog { relations, notes, ..Catalog::default() })
}

fn list(connection: &Connection) -> rusqlite::Result<Vec<Listed>> {
    let mut statement = connection.prepare(
        "SELECT name, type, wr, strict FROM pragma_table_list \
         WHERE schema = 'main' AND type IN ('table', 'view', 'virtual') \
           AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT IN \
             ('duet_idempotency', 'duet_journal_marks', 'duet_journal_dead_letters', \
              'duet_journal_heads', 'duet_journal_losses') ORDER BY name",
    )?;
    let rows = statement.query_map([], |row| {
        Ok(Listed {
            name: row.get(0)?,
            kind: row.get(1)?,
            without_rowid: row.get(2)?,
            strict: row.get(3)?,
        })
    })?;
    rows.collect()
}

fn draft(
    connection: &Connection,
    listed: &Listed,
    text: &SchemaText,
    own_triggers: &BTreeSet<String>,
) -> rusqlite::Result<Draft> {
    if listed.kind == "view" {
        let columns = view::columns(connection, &listed.name)?;
        let relation = Relation { columns, ..empty(&listed.name, RelationKind::View) };
        let (foreign_keys, triggers) = (Vec::new(), Triggers::ALWAYS);
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
    }
}

/// The numbers of rows that `ANALYZE` noted, if it ever ran.
fn estimate(connection: &Connection, drafts: &mut [Draft]) {
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
    for draft in drafts {
        draft.relation.estimated_rows =
            estimates.get(&draft.relation.name).and_then(|&rows| rows.try_into().ok());
    }
}

fn is_lock(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    matches!(code, Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

fn failed(error: rusqlite::Error) -> Error {
    if is_lock(&error) {
        let message = "Another program holds a lock on the database. Try again.";
        return Error::new(Code::DatabaseLocked, message).cause(error).retry_after(1);
    }
    let message = "The schema of the database cannot be read. Check that the file is SQLite's.";
    Error::new(Code::DatabaseUnavailable, message).cause(error)
}
