//! One SQLite table: its columns and their facts from the pragmas.

use std::collections::BTreeSet;
use std::ffi::CStr;

use duet_model::Type;
use duet_model::catalog::{Check, Column, GeneratedValue, RelationKind};
use rusqlite::Connection;

use super::ddl::Ddl;
use super::declared::type_of;
use super::foreign_keys;
use super::keys::{self, DeclaredIndex};
use super::listed::{Kind, Listed, TableOptions};
use super::schema_text::SchemaText;
use super::{Draft, StatementKinds, empty};
use super::{text_order, triggers};

/// A table as the pragmas and its own text describe it.
pub(super) struct Table {
    name: String,
    columns: Vec<Column>,
    /// Positions of the primary key's columns, in key order.
    primary_key: Vec<usize>,
    /// The collation of each column.
    collations: Vec<String>,
    indexes: Vec<DeclaredIndex>,
    ddl: Ddl,
    /// An ordinary table without triggers.
    plain: bool,
    triggers: StatementKinds,
}

/// A column as `PRAGMA table_xinfo` shows it.
struct Listing {
    name: String,
    declared: String,
    not_null: bool,
    default: Option<String>,
    /// Place in the primary key, from 1; 0 outside.
    key_place: u32,
    /// 0 ordinary, 1 hidden column of a virtual table, 2 and 3 generated.
    hidden: u8,
}

impl Table {
    /// Reads a table; triggers of these names do nothing to other rows.
    pub(super) fn read(
        connection: &Connection,
        listed: &Listed,
        text: &SchemaText,
        own_triggers: &BTreeSet<String>,
    ) -> rusqlite::Result<Self> {
        let name = listed.name.clone();
        let mut listings = listings(connection, &name)?;
        listings.retain(|column| column.hidden != 1);
        let mut key: Vec<_> =
            (0..listings.len()).filter(|&at| listings[at].key_place > 0).collect();
        key.sort_by_key(|&at| listings[at].key_place);
        let indexes = keys::indexes(connection, &name, text)?;
        let options = listed.options(text);
        let rowid = rowid_alias(listed.kind, options, &listings, &key, &indexes);
        // Only here is NOT NULL implied: elsewhere SQLite lets NULL into primary keys.
        let implied = options.without_rowid || options.strict;
        let collations = listings
            .iter()
            .map(|column| collation(connection, &name, &column.name))
            .collect::<rusqlite::Result<Vec<_>>>()?;
        let columns = listings.into_iter().enumerate().map(|(at, listing)| {
            let is_key = key.contains(&at);
            let loose = !collations[at].eq_ignore_ascii_case("BINARY");
            column(listing, rowid == Some(at), is_key && implied, loose)
        });
        let mut columns: Vec<Column> = columns.collect();
        let ddl = Ddl::parse(text.made_by(&name));
        for (column, collation) in columns.iter_mut().zip(&collations) {
            let conditions = ddl.checks.iter().map(|check| check.condition.as_str());
            column.sorts_as_text =
                collation.eq_ignore_ascii_case("BINARY") && text_order::is_kept(column, conditions);
        }
        let is_ordinary = listed.kind == Kind::Table;
        // A virtual table is code.
        let triggers = match is_ordinary {
            true => triggers::of(text.triggers(&name), own_triggers),
            false => StatementKinds::ALWAYS,
        };
        let plain = is_ordinary && triggers == StatementKinds::default();
        Ok(Self { name, columns, primary_key: key, collations, indexes, ddl, plain, triggers })
    }

    pub(super) fn into_draft(self, connection: &Connection) -> rusqlite::Result<Draft> {
        let foreign_keys = foreign_keys::declared(connection, &self.name, &self.ddl)?;
        let mut relation = empty(&self.name, RelationKind::Table);
        relation.unique_keys = self.unique_keys();
        relation.indexes = self.catalog_indexes();
        relation.checks = self.checks();
        relation.columns = self.columns;
        relation.primary_key = self.primary_key;
        relation.batchable = self.plain;
        relation.plain = self.plain;
        let (triggers, replaces) = (self.triggers, self.ddl.replaces);
        Ok(Draft { relation, foreign_keys, triggers, replaces })
    }

    fn checks(&self) -> Vec<Check> {
        let name = |at: usize| format!("{}_check{}", self.name, at + 1);
        let checks = self.ddl.checks.iter().enumerate();
        checks
            .map(|(at, check)| Check {
                name: check.name.clone().unwrap_or_else(|| name(at)),
                condition: check.condition.clone(),
            })
            .collect()
    }

    fn position(&self, column: &str) -> Option<usize> {
        self.columns.iter().position(|known| known.name.eq_ignore_ascii_case(column))
    }

    /// Full unique indexes that compare as their columns do, without the primary key's.
    fn unique_keys(&self) -> Vec<duet_model::catalog::UniqueKey> {
        let usable = |index: &&DeclaredIndex| {
            index.unique && !index.partial && !index.primary && index.has_only_columns()
        };
        let mut keys: Vec<_> = self
            .indexes
            .iter()
            .filter(usable)
            .filter(|index| self.compares_alike(index))
            .map(|index| index.unique_key(&self.name, &self.ddl, |name| self.position(name)))
            .collect();
        keys.sort_by(|a, b| a.name.cmp(&b.name));
        keys
    }

    /// An index that distinguishes `a` from `A` is no key for a column that does not.
    fn compares_alike(&self, index: &DeclaredIndex) -> bool {
        index.parts.iter().all(|part| {
            let column = part.column.as_deref().and_then(|name| self.position(name));
            let collation = column.map(|at| self.collations[at].as_str()).unwrap_or_default();
            part.collation.eq_ignore_ascii_case(collation)
                || collation.eq_ignore_ascii_case("BINARY")
        })
    }

    fn catalog_indexes(&self) -> Vec<duet_model::catalog::Index> {
        let mut indexes: Vec<_> = self
            .indexes
            .iter()
            .map(|index| index.catalog_index(|name| self.position(name), &self.collations))
            .collect();
        if !self.primary_key.is_empty() && !self.indexes.iter().any(|index| index.primary) {
            // The table itself is ordered by its rowid.
            indexes.push(duet_model::catalog::Index {
                name: "rowid".to_owned(),
                columns: self.primary_key.clone(),
                unique: true,
                method: keys::METHOD.to_owned(),
                deferred: false,
                deferrable: false,
                nulls_equal: false,
                prefixes: None,
                part: None,
            });
        }
        indexes.sort_by(|a, b| a.name.cmp(&b.name));
        indexes
    }
}

/// The column that is another name of the rowid: a sole primary key column declared exactly
/// `INTEGER` for which SQLite keeps no index. (`INTEGER PRIMARY KEY DESC` has one.)
fn rowid_alias(
    kind: Kind,
    options: TableOptions,
    columns: &[Listing],
    key: &[usize],
    indexes: &[DeclaredIndex],
) -> Option<usize> {
    let &[only] = key else { return None };
    let is_alias = kind == Kind::Table
        && !options.without_rowid
        && columns[only].declared.eq_ignore_ascii_case("INTEGER")
        && !indexes.iter().any(|index| index.primary);
    is_alias.then_some(only)
}

fn column(listing: Listing, is_rowid: bool, implied_not_null: bool, loose: bool) -> Column {
    let generated = match listing.hidden {
        2 | 3 => GeneratedValue::Computed,
        _ if is_rowid => GeneratedValue::Identity,
        _ => GeneratedValue::No,
    };
    let ty = type_of(&listing.declared);
    Column {
        declared: listing.declared,
        not_null: listing.not_null || is_rowid || implied_not_null,
        default: listing.default,
        generated,
        // 1 and 1.0 are equal, and so are the number and the text in a key of a path.
        loose_equality: loose || ty == Type::Dynamic,
        ..Column::new(listing.name, ty)
    }
}

fn listings(connection: &Connection, table: &str) -> rusqlite::Result<Vec<Listing>> {
    let mut statement = connection.prepare_cached(
        "SELECT name, type, \"notnull\", dflt_value, pk, hidden \
         FROM pragma_table_xinfo(?1, 'main') ORDER BY cid",
    )?;
    let rows = statement.query_map([table], |row| {
        Ok(Listing {
            name: row.get(0)?,
            declared: row.get::<_, Option<String>>(1)?.unwrap_or_default(),
            not_null: row.get(2)?,
            default: row.get(3)?,
            key_place: row.get(4)?,
            hidden: row.get(5)?,
        })
    })?;
    rows.collect()
}

/// The collation that `=` on the column uses.
fn collation(connection: &Connection, table: &str, column: &str) -> rusqlite::Result<String> {
    let (_, collation, ..) = connection.column_metadata(Some("main"), table, column)?;
    Ok(collation.map(CStr::to_string_lossy).unwrap_or("BINARY".into()).into_owned())
}
