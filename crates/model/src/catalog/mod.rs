//! The catalog: the database's description of itself, as one immutable snapshot.
//!
//! Introspection builds it, everything else reads it. A reload builds a new catalog and replaces the
//! old one as a unit; a catalog is never modified in place.

pub mod by_name;
pub(crate) mod index_kind;
mod media_aggregate;
mod placement;
pub mod query;
mod view_keys;

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use duet_text::error::Violation;
use duet_text::fold::Fold;
use duet_text::name;

use crate::catalog::by_name::CatalogIndex;
use crate::catalog::index_kind::IndexKind;
pub use crate::catalog::media_aggregate::{ANY_MEDIA, MediaAggregate, is_media_type};
pub use crate::catalog::placement::Placement;
use crate::catalog::query::ServiceQuery;
pub use crate::catalog::view_keys::{KeyEnd, KeyName, KeySide, ViewKeys, ViewWrites};
use crate::steps;
use crate::values::pair::Pair;
use crate::values::types::{DomainCasts, NativeType, Type};

/// What is read in place of a relation of the database.
#[derive(Clone, Debug)]
pub enum Derivation {
    /// The result of a service's statement.
    Statement(Arc<ServiceQuery>),
    /// Rows that are made of others, such as [groups](crate::Groups) of the rows of a shape.
    Rows(Arc<dyn DerivedRows>),
}

impl PartialEq for Derivation {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Statement(one), Self::Statement(other)) => one == other,
            (Self::Rows(one), Self::Rows(other)) => one.is_same(&**other),
            _ => false,
        }
    }
}

/// Rows that are made of others. What they are is above the catalog, which knows shapes as little as it knows
/// statements.
pub trait DerivedRows: Any + fmt::Debug + Send + Sync {
    /// Whether both are the same.
    fn is_same(&self, other: &dyn DerivedRows) -> bool;
}

/// A table or view, shared by catalog and shapes.
pub type TableRef = Arc<Relation>;

/// A snapshot of one database's schema.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Catalog {
    /// Tables and views, ordered by schema, then name.
    pub relations: Vec<TableRef>,
    /// Functions and procedures, ordered by schema, then name.
    pub routines: Vec<Routine>,
    /// Aggregates whose results are answers, ordered by schema, then name.
    pub media_aggregates: Vec<MediaAggregate>,
    /// Foreign keys of partitions that their tables do not have.
    pub partition_keys: Vec<PartitionKey>,
    /// What views show of the keys of tables, ordered by schema, then name; only those that show something, or take writes.
    pub view_keys: Vec<ViewKeys>,
    /// Warnings for the operator about objects that introspection could not use.
    pub notes: Vec<String>,
    /// The relations by name, made when it is first needed.
    pub index: CatalogIndex,
}

/// A foreign key that partitions have and the partitioned table has not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartitionKey {
    /// The partitioned table.
    pub table: RelationName,
    /// Names of its columns.
    pub columns: Vec<String>,
    /// The referenced table.
    pub references: RelationName,
    /// Names of the referenced columns, in the order of `columns`.
    pub references_columns: Vec<String>,
}

impl Catalog {
    /// Whether both describe the same schema. Row estimates, which change constantly, are ignored.
    pub fn describes_same(&self, other: &Self) -> bool {
        let relations = self.relations.iter().zip(&other.relations);
        self.relations.len() == other.relations.len()
            && (&self.routines, &self.notes) == (&other.routines, &other.notes)
            && self.media_aggregates == other.media_aggregates
            && self.partition_keys == other.partition_keys
            && self.view_keys == other.view_keys
            && relations.into_iter().all(|(a, b)| a.same_but_estimate(b))
    }

    /// What it has of one schema, and nothing of any other.
    #[must_use]
    pub fn of_schema(&self, schema: &str) -> Self {
        Self {
            relations: part(&self.relations, schema, |one| &one.schema).to_vec(),
            routines: part(&self.routines, schema, |one| &one.schema).to_vec(),
            media_aggregates: part(&self.media_aggregates, schema, |one| &one.schema).to_vec(),
            partition_keys: part(&self.partition_keys, schema, |one| &one.table.schema).to_vec(),
            view_keys: part(&self.view_keys, schema, |one| &one.view.schema).to_vec(),
            // They name objects of all schemas.
            notes: Vec::new(),
            index: CatalogIndex::default(),
        }
    }

    /// The relations of one schema.
    pub fn relations_of(&self, schema: &str) -> &[TableRef] {
        part(&self.relations, schema, |one| &one.schema)
    }

    /// What a view shows of the keys of tables.
    pub fn keys_of_view(&self, view: &Relation) -> Option<&ViewKeys> {
        let name = (&view.schema, &view.name);
        let found =
            self.view_keys.binary_search_by(|one| (&one.view.schema, &one.view.name).cmp(&name));
        found.ok().and_then(|at| self.view_keys.get(at))
    }

    /// The routines of one schema.
    pub fn routines_of(&self, schema: &str) -> &[Routine] {
        part(&self.routines, schema, |one| &one.schema)
    }

    /// The relations with this name, as the database spells it or as it is served, ignoring case; in the
    /// catalog's order.
    pub fn called(&self, name: &str) -> impl Iterator<Item = &TableRef> {
        let all = || self.relations.iter().map(|one| (one.name.as_str(), one.alias.as_deref()));
        let found = self.index.called(name, all).iter();
        found.inspect(|_| steps::step()).map(|&at| &self.relations[at])
    }

    /// The relation with exactly this schema and name.
    pub fn relation(&self, schema: &str, name: &str) -> Option<&TableRef> {
        self.called(name).find(|relation| relation.schema == schema && relation.name == name)
    }

    /// Finds a relation by name in any schema: by served name, then by database name, then ignoring
    /// case. `name` may be qualified as `schema.name`.
    pub fn find(&self, name: &str) -> Option<&TableRef> {
        let (schema, bare) = match name.split_once('.') {
            Some((schema, bare)) => (Some(schema), bare),
            None => (None, name),
        };
        let in_schema = |relation: &&TableRef| {
            schema.is_none_or(|schema| relation.schema.eq_ignore_ascii_case(schema))
        };
        let candidates = || self.called(bare).filter(in_schema);
        candidates()
            .find(|relation| relation.alias.as_ref().unwrap_or(&relation.name) == bare)
            .or_else(|| candidates().find(|relation| relation.name == bare))
            .or_else(|| candidates().find(|relation| same_name(&relation.served_name(), bare)))
            .or_else(|| candidates().find(|relation| same_name(&relation.name, bare)))
    }
}

/// The part of a schema, of objects in the order of their schemas.
fn part<'a, T>(all: &'a [T], schema: &str, schema_of: impl Fn(&T) -> &str) -> &'a [T] {
    let compare = |one: &T| {
        steps::step();
        schema_of(one).cmp(schema)
    };
    let from = all.partition_point(|one| compare(one).is_lt());
    let length = all[from..].partition_point(|one| compare(one).is_le());
    &all[from..from + length]
}

/// Whether two identifiers are equal, ignoring case.
pub fn same_name(a: &str, b: &str) -> bool {
    steps::step();
    a == b || a.to_lowercase() == b.to_lowercase()
}

/// The kind of a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelationKind {
    /// An ordinary, partitioned or foreign table.
    Table,
    /// A view.
    View,
    /// A materialized view.
    MaterializedView,
}

/// A table or a view.
#[derive(Clone, Debug, PartialEq)]
pub struct Relation {
    /// Schema as the database spells it; `main` on SQLite.
    pub schema: String,
    /// Name as the database spells it.
    pub name: String,
    /// The served name, where it is not `name` in lower case.
    pub alias: Option<String>,
    /// Table, view or materialized view.
    pub kind: RelationKind,
    /// Columns in the database's order.
    pub columns: Vec<Column>,
    /// Columns of the primary key, in key order; empty without a primary key.
    pub primary_key: Vec<usize>,
    /// Unique constraints and unique indexes that are not partial, without the primary key.
    pub unique_keys: Vec<UniqueKey>,
    /// Declared foreign keys out of this table.
    pub foreign_keys: Vec<ForeignKey>,
    /// Indexes, the primary key's included.
    pub indexes: Vec<Index>,
    /// Check constraints.
    pub checks: Vec<Check>,
    /// The comment on the relation.
    pub comment: Option<String>,
    /// The planner's estimate of the number of rows, if known.
    pub estimated_rows: Option<u64>,
    /// Whether one statement may insert the rows of several requests with a separate result for each:
    /// a table without triggers or rules on insert, and without deferrable constraints.
    pub batchable: bool,
    /// Whether an update has no side effects and the old and new row are visible to every reader: a
    /// local table without triggers, rules, row security and inheriting tables.
    pub plain: bool,
    /// The columns whose values link rows to each other and to documents, in ascending order: those of
    /// keys, of foreign keys, and those that foreign keys refer to.
    pub links: Vec<usize>,
    /// The side effects of writing its rows.
    pub effects: Effects,
    /// What is read in its place; `None` for a relation of the database.
    pub query: Option<Derivation>,
    /// The writes that the database withholds from the user of the connection and from every role that it may take.
    pub withheld: Withheld,
    /// Where its rows are, in an engine that spreads tables over machines.
    pub placement: Placement,
}

/// Writes of a relation's rows that no user of the connection may do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Withheld {
    /// No row can be inserted.
    pub insert: bool,
    /// No column of a row can be updated, nor can a row be locked.
    pub update: bool,
    /// No row can be deleted.
    pub delete: bool,
}

/// The name of a relation, as the database spells it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelationName {
    /// Its schema.
    pub schema: String,
    /// Its name.
    pub name: String,
}

/// The relations that a statement may change besides the rows that it names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// No other rows.
    #[default]
    Own,
    /// Any row of these relations may change: by foreign keys that cascade, or by inheritance.
    Relations(Arc<[Arc<RelationName>]>),
    /// Any row of any relation may change: by triggers and rules.
    Everything,
}

/// The side effects of writing a relation's rows, by kind of statement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// Of an insert.
    pub insert: Reach,
    /// Of an update.
    pub update: Reach,
    /// Of an update that changes a column with dependent rows ([`Column::followed`]).
    pub follow: Reach,
    /// Of a delete.
    pub delete: Reach,
    /// The relations whose rows may forbid a delete: they refer to this one by foreign keys that do not cascade.
    pub held_by: Arc<[Arc<RelationName>]>,
}

impl Relation {
    /// A table with these columns, the first of which is its key; for tests and builders.
    ///
    /// ```
    /// use duet_model::{Column, Relation, Shape, Type};
    ///
    /// let columns = vec![Column::new("ID", Type::Integer { bits: 64 }), Column::new("Name", Type::Text)];
    /// let table = Relation::table("main", "Team", columns);
    /// assert_eq!((table.served_name().as_str(), table.identity()), ("team", &[0][..]));
    /// let shape = Shape::of_relation(&table.into());
    /// assert_eq!(shape.fields()[1].path, "name");
    /// ```
    pub fn table(schema: &str, name: &str, columns: Vec<Column>) -> Self {
        Self {
            schema: schema.to_owned(),
            name: name.to_owned(),
            alias: None,
            kind: RelationKind::Table,
            primary_key: (0..columns.len().min(1)).collect(),
            columns,
            unique_keys: Vec::new(),
            foreign_keys: Vec::new(),
            indexes: Vec::new(),
            checks: Vec::new(),
            comment: None,
            estimated_rows: None,
            batchable: false,
            plain: false,
            links: Vec::new(),
            effects: Effects::default(),
            query: None,
            withheld: Withheld::default(),
            placement: Placement::default(),
        }
    }

    /// Whether both are equal except for the row estimate.
    pub fn same_but_estimate(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
            || self == other
            || *self == Self { estimated_rows: self.estimated_rows, ..other.clone() }
    }

    /// The served name.
    pub fn served_name(&self) -> String {
        self.alias.clone().unwrap_or_else(|| name::served(&self.name))
    }

    /// The position of a column by name: by served name, then by database name, then ignoring case.
    pub fn column_index(&self, name: &str) -> Option<usize> {
        let find = |test: &dyn Fn(&Column) -> bool| self.columns.iter().position(test);
        find(&|column| column.alias.as_ref().unwrap_or(&column.name) == name)
            .or_else(|| find(&|column| column.name == name))
            .or_else(|| find(&|column| same_name(&column.served_name(), name)))
            .or_else(|| find(&|column| same_name(&column.name, name)))
    }

    /// The full-text index of a column: its name, its configuration and its row number column.
    pub fn words_of(&self, column: usize) -> Option<(&str, &str, &str)> {
        self.indexes.iter().find_map(|index| match &index.part {
            Some(IndexedPart::Words { column: known, configuration, row_number })
                if *known == column =>
            {
                Some((index.name.as_str(), configuration.as_str(), row_number.as_str()))
            }
            _ => None,
        })
    }

    /// The search index of this kind over a column's folded texts: its name, and the name of the
    /// row's number.
    pub fn search_index_of(
        &self,
        column: usize,
        kind: IndexKind,
        fold: Option<Fold>,
    ) -> Option<(&str, &'static str)> {
        self.indexes.iter().find_map(|index| match index.part {
            Some(IndexedPart::Search { column: known, kind: of, fold: without, row_number })
                if (known, of, without) == (column, kind, fold) =>
            {
                Some((index.name.as_str(), row_number))
            }
            _ => None,
        })
    }

    /// The index on a JSON path of a column: its name, and the path as the index spells it.
    pub fn json_value_of(&self, column: usize, path: &[String]) -> Option<(&str, &str)> {
        self.indexes.iter().find_map(|index| match &index.part {
            Some(IndexedPart::JsonValue { column: known, path: steps, literal })
                if (*known, steps.as_slice()) == (column, path) =>
            {
                Some((index.name.as_str(), literal.as_str()))
            }
            _ => None,
        })
    }

    /// The columns that identify a row: the primary key, else the first unique key whose columns
    /// are all NOT NULL, else empty.
    pub fn identity(&self) -> &[usize] {
        if !self.primary_key.is_empty() {
            return &self.primary_key;
        }
        self.unique_keys
            .iter()
            .find(|key| key.columns.iter().all(|&column| self.columns[column].not_null))
            .map_or(&[], |key| &key.columns)
    }

    /// The columns that a violation concerns, from the violation or the catalog; empty if unknown.
    pub fn violated_columns(&self, violation: &Violation) -> Vec<usize> {
        if !self.is_of(violation) {
            // A trigger wrote to another table.
            return Vec::new();
        }
        if !violation.columns.is_empty() {
            let position = |name: &String| self.columns.iter().position(|it| it.name == *name);
            return violation.columns.iter().filter_map(position).collect();
        }
        let Some(name) = self.rule_of(violation) else { return Vec::new() };
        let reference = self.foreign_keys.iter().find(|key| key.name == name);
        let unique = || self.unique_keys.iter().find(|key| key.name == name);
        let index = || self.indexes.iter().find(|index| index.name == name);
        reference
            .map(|key| key.columns.clone())
            .or_else(|| unique().map(|key| key.columns.clone()))
            .or_else(|| index().map(|index| index.columns.clone()))
            .unwrap_or_default()
    }

    /// The columns in the condition of the check constraint that a violation names.
    pub fn checked_columns(&self, violation: &Violation) -> Vec<usize> {
        let Some(name) = self.rule_of(violation) else { return Vec::new() };
        // SQLite reports the condition of an unnamed constraint.
        let is_it = |check: &&Check| check.name == name || check.condition == name;
        let checks = self.checks.iter().filter(is_it);
        let mut found: Vec<usize> =
            checks.flat_map(|check| self.named_in(&check.condition)).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The columns that a condition uses, in column order.
    pub fn named_in(&self, condition: &str) -> Vec<usize> {
        let words = words(condition);
        let is_named = |column: &Column| words.iter().any(|word| same_name(word, &column.name));
        (0..self.columns.len()).filter(|&at| is_named(&self.columns[at])).collect()
    }

    /// The unique indexes on exactly these columns, in any order.
    pub fn unique_indexes(&self, columns: &[usize]) -> impl Iterator<Item = &Index> {
        self.indexes
            .iter()
            .filter(move |index| index.unique && same_columns(&index.columns, columns))
    }

    /// Whether the database lets no two rows have the same values in these columns, as one of its keys, in any order.
    pub fn checks_key(&self, columns: &[usize]) -> bool {
        let same = |key: &[usize]| !key.is_empty() && same_columns(key, columns);
        same(&self.primary_key)
            || self.unique_keys.iter().any(|key| !key.is_declared && same(&key.columns))
            || self.unique_indexes(columns).next().is_some()
    }

    /// Whether these columns form a primary or unique key, in any order.
    pub fn is_key(&self, columns: &[usize]) -> bool {
        let same = |key: &[usize]| same_columns(key, columns);
        (!self.primary_key.is_empty() && same(&self.primary_key))
            || self.unique_keys.iter().any(|key| same(&key.columns))
    }
}

/// The identifiers in a condition, except strings, functions and cast types.
fn words(condition: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut rest = condition;
    let mut is_type = false;
    while let Some(next) = rest.chars().next() {
        let closing = match next {
            '\'' | '"' | '`' => next,
            '[' => ']',
            _ => '\0',
        };
        let length = if closing != '\0' {
            rest[1..].find(closing).map_or(rest.len(), |end| end + 2)
        } else if next.is_alphanumeric() || next == '_' {
            rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())
        } else {
            is_type = rest.starts_with("::") || (is_type && (next == ':' || next == ' '));
            rest = &rest[next.len_utf8()..];
            continue;
        };
        let (word, after) = rest.split_at(length);
        let is_call = after.trim_start().starts_with('(') && closing == '\0';
        if next != '\'' && !is_type && !is_call {
            found.push(word.trim_matches(['"', '`', '[', ']']).to_owned());
        }
        (rest, is_type) = (after, false);
    }
    found
}

/// Whether a key has exactly these columns, in any order.
fn same_columns(key: &[usize], columns: &[usize]) -> bool {
    key.len() == columns.len() && columns.iter().all(|column| key.contains(column))
}

/// How a column gets a generated value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GeneratedValue {
    /// An ordinary column.
    #[default]
    No,
    /// An identity, serial or rowid column: generated if no value is given.
    Identity,
    /// Computed from other columns: not writable.
    Computed,
}

/// One column.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Name as the database spells it.
    pub name: String,
    /// The served name, where it is not `name` in lower case.
    pub alias: Option<String>,
    /// Duet's type.
    pub ty: Type,
    /// The type as the database declares it.
    pub declared: String,
    /// Whether the column is NOT NULL.
    pub not_null: bool,
    /// The default as SQL text.
    pub default: Option<String>,
    /// Identity or computed.
    pub generated: GeneratedValue,
    /// Whether equal values may differ in their bytes (case-insensitive or nondeterministic
    /// collations, `citext`): the database must then match rows to keys.
    pub loose_equality: bool,
    /// Whether the type is a range or multirange.
    pub ranges: bool,
    /// The text search configuration of a computed `tsvector` column, such as `english`.
    pub words: Option<String>,
    /// Whether updates of it change other rows: a foreign key references it with `ON UPDATE CASCADE`,
    /// `SET NULL` or `SET DEFAULT`.
    pub followed: bool,
    /// Whether a constraint keeps every value a text whose byte order is the order of the type, with
    /// one text for each value, although texts of this type are in general compared by a function.
    pub sorts_as_text: bool,
    /// The comment on the column.
    pub comment: Option<String>,
    /// The casts of its domain, which some profiles follow.
    pub casts: Option<Arc<DomainCasts>>,
    /// What the function of the row may do that computes it, where it is no column of the table: `row.function`.
    pub computed_by: Option<Volatility>,
}

impl Column {
    /// Whether its values are the words of a text search of PostgreSQL, perhaps as those of a domain.
    pub fn is_vector(&self) -> bool {
        let is_native = |native: &NativeType| native.cast == "pg_catalog.tsvector";
        self.declared == "tsvector" || matches!(&self.ty, Type::Native(native) if is_native(native))
    }

    /// The served name.
    pub fn served_name(&self) -> String {
        self.alias.clone().unwrap_or_else(|| name::served(&self.name))
    }

    /// A nullable column with this name and type; for tests and builders.
    pub fn new(name: impl Into<String>, ty: Type) -> Self {
        Self {
            name: name.into(),
            alias: None,
            declared: ty.name().to_lowercase(),
            ty,
            not_null: false,
            default: None,
            generated: GeneratedValue::No,
            loose_equality: false,
            ranges: false,
            words: None,
            followed: false,
            sorts_as_text: false,
            comment: None,
            casts: None,
            computed_by: None,
        }
    }
}

/// A unique constraint or index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UniqueKey {
    /// Its name.
    pub name: String,
    /// Its columns, in key order.
    pub columns: Vec<usize>,
    /// Whether the application alone declares it, so that the database does not check it.
    pub is_declared: bool,
}

/// A foreign key out of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignKey {
    /// Its name; generated from the columns if the database has none.
    pub name: String,
    /// Columns of this table.
    pub columns: Vec<usize>,
    /// Schema of the referenced table.
    pub references_schema: String,
    /// Name of the referenced table.
    pub references_table: String,
    /// Names of the referenced columns, in the order of `columns`.
    pub references_columns: Vec<String>,
    /// What becomes of the rows of this table when the row that they refer to is deleted.
    pub on_delete: OnDelete,
}

/// What a foreign key does to the rows that refer to a deleted row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnDelete {
    /// They forbid it: `NO ACTION` and `RESTRICT`.
    #[default]
    Refuse,
    /// They are deleted too.
    Cascade,
    /// They stay, and refer to nothing or to a default row.
    Unlink,
}

/// An index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index {
    /// Its name.
    pub name: String,
    /// Its leading columns in order, up to the first expression; none of an index of some rows alone, which serves
    /// only those searches that have its condition.
    pub columns: Vec<usize>,
    /// Whether it is unique, of all rows.
    pub unique: bool,
    /// Access method: `btree`, `gin`, …
    pub method: String,
    /// Whether it is checked only at the end of a transaction (`INITIALLY DEFERRED`).
    pub deferred: bool,
    /// Whether it may be (`DEFERRABLE`): no row can replace another one by such a key in one statement.
    pub deferrable: bool,
    /// Whether NULLs are equal, so that only one row may have NULL (`NULLS NOT DISTINCT`).
    pub nulls_equal: bool,
    /// The order in which texts with a common prefix are adjacent; `None` if they are not, or the first
    /// column is not text.
    pub prefixes: Option<PrefixOrder>,
    /// The leading expression, if Duet supports it; `None` for a column.
    pub part: Option<IndexedPart>,
}

impl Index {
    /// An index of those rows alone of which its condition holds.
    pub fn partial(name: String, method: String) -> Self {
        Self {
            name,
            columns: Vec::new(),
            unique: false,
            method,
            deferred: false,
            deferrable: false,
            nulls_equal: false,
            prefixes: None,
            part: None,
        }
    }
}

/// A supported index expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IndexedPart {
    /// SQLite's `json_extract` of a JSON column.
    JsonValue {
        /// The column.
        column: usize,
        /// The path of member names.
        path: Vec<String>,
        /// The path as spelled in the index, without quotes.
        literal: String,
    },
    /// The full text of a text column.
    Words {
        /// The column.
        column: usize,
        /// How text is split into words: PostgreSQL's text search configuration, such as `english`; on
        /// SQLite the tokenizer of the FTS5 table.
        configuration: String,
        /// The column with the row numbers of an FTS5 table; empty on PostgreSQL.
        row_number: String,
    },
    /// The words or the parts of a collection's texts in an FTS5 table that triggers keep.
    Search {
        /// The column.
        column: usize,
        /// What it can find.
        kind: IndexKind,
        /// What it leaves out of the texts.
        fold: Option<Fold>,
        /// The name by which the table numbers its rows.
        row_number: &'static str,
    },
    /// What two members of a collection's documents are together, in an R-tree of SQLite that triggers keep.
    Pair {
        /// The members.
        pair: Pair,
        /// The name by which the table numbers its rows.
        row_number: &'static str,
    },
    /// The number of a collection's documents by values, in a table that triggers keep.
    Totals {
        /// The paths of the values, member names joined by dots, in the order of the table's columns.
        paths: Vec<String>,
    },
}

/// An index order in which texts with a common prefix are adjacent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrefixOrder {
    /// The column's own collation.
    Own,
    /// By bytes, with the operators of PostgreSQL's `text_pattern_ops`.
    Pattern,
    /// By bytes, with the collation `C`, which is not the column's.
    C,
}

/// A check constraint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// Its name.
    pub name: String,
    /// Its condition as SQL text.
    pub condition: String,
}

/// The kind of a routine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoutineKind {
    /// A function.
    Function,
    /// A procedure.
    Procedure,
}

/// A function or procedure of the database.
#[derive(Clone, Debug, PartialEq)]
pub struct Routine {
    /// Schema.
    pub schema: String,
    /// Name.
    pub name: String,
    /// Function or procedure.
    pub kind: RoutineKind,
    /// Arguments in order.
    pub arguments: Vec<Argument>,
    /// The declared result type, as the database spells it.
    pub returns: Option<String>,
    /// Duet's type of the result; [`Type::Other`] for rows without declared columns, `None` without a result.
    pub result: Option<Type>,
    /// Whether it returns a set of rows.
    pub returns_set: bool,
    /// Whether it gives one row at most: it returns no set, or is declared with `ROWS 1`.
    pub one_row: bool,
    /// Whether it runs with its owner's privileges (`SECURITY DEFINER`): served only if named in settings.
    pub security_definer: bool,
    /// Whether an extension owns it: served only if named in settings.
    pub from_extension: bool,
    /// Whether it is a trigger function: served only if named in settings.
    pub is_trigger: bool,
    /// Whether it ends transactions by itself, which no transaction around it allows.
    pub commits: bool,
    /// What it may do to the database.
    pub volatility: Volatility,
    /// The relation whose rows it gives, if it is one.
    pub rows_of: Option<RelationName>,
    /// The relation of which it takes a row, as its only argument, where statements find it without its schema.
    pub row_of: Option<RelationName>,
    /// The comment on the routine.
    pub comment: Option<String>,
}

/// What a function may do to the database, as it is declared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Volatility {
    /// It gives the same for the same arguments.
    Immutable,
    /// It only reads.
    Stable,
    /// It may write.
    #[default]
    Volatile,
}

/// One argument of a routine.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// Name; empty if unnamed.
    pub name: String,
    /// Duet's type.
    pub ty: Type,
    /// The type as the database declares it.
    pub declared: String,
    /// `i`, `o`, `b` (in and out), `v` (variadic) or `t` (table column).
    pub mode: char,
    /// Whether it is optional.
    pub has_default: bool,
}
