//! The catalog: what the database says of itself, as one immutable snapshot.
//!
//! Introspection builds it, everything else reads it. A reload builds a new one beside the old
//! and swaps it in whole; nothing here is ever changed in place.

use std::sync::Arc;

use crate::error::Violation;
use crate::name;
use crate::types::Type;

/// A table or view as shapes hold it.
pub type TableRef = Arc<Relation>;

/// Everything known of one database at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Catalog {
    /// Tables and views, ordered by schema, then name.
    pub relations: Vec<TableRef>,
    /// Functions and procedures, ordered by schema, then name.
    pub routines: Vec<Routine>,
    /// What introspection met and could not use, in words for the operator.
    pub notes: Vec<String>,
}

impl Catalog {
    /// Whether both describe the same schema. Estimates of rows, which change all the time, are left
    /// out.
    pub fn describes_same(&self, other: &Self) -> bool {
        let relations = self.relations.iter().zip(&other.relations);
        self.relations.len() == other.relations.len()
            && (&self.routines, &self.notes) == (&other.routines, &other.notes)
            && relations.into_iter().all(|(a, b)| a.same_but_estimate(b))
    }

    /// The relation of exactly this schema and name.
    pub fn relation(&self, schema: &str, name: &str) -> Option<&TableRef> {
        self.relations.iter().find(|relation| relation.schema == schema && relation.name == name)
    }

    /// The relation of this name in any schema: as it is served first, then as the database spells
    /// it, then without case. `name` may be qualified as `schema.name`.
    pub fn find(&self, name: &str) -> Option<&TableRef> {
        let (schema, bare) = match name.split_once('.') {
            Some((schema, bare)) => (Some(schema), bare),
            None => (None, name),
        };
        let in_schema = |relation: &&TableRef| {
            schema.is_none_or(|schema| relation.schema.eq_ignore_ascii_case(schema))
        };
        let candidates = || self.relations.iter().filter(in_schema);
        candidates()
            .find(|relation| relation.alias.as_deref() == Some(bare))
            .or_else(|| candidates().find(|relation| relation.name == bare))
            .or_else(|| candidates().find(|relation| same_name(&relation.served_name(), bare)))
            .or_else(|| candidates().find(|relation| same_name(&relation.name, bare)))
    }
}

/// Whether two identifiers are the same without case.
pub fn same_name(a: &str, b: &str) -> bool {
    a == b || a.to_lowercase() == b.to_lowercase()
}

/// What kind of relation it is.
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
    /// The name it is served under; `None` until names have been given: then it is `name` in
    /// lower case.
    pub alias: Option<String>,
    /// Table, view or materialized view.
    pub kind: RelationKind,
    /// Columns in the database's order.
    pub columns: Vec<Column>,
    /// Columns of the primary key, in key order; empty where there is none.
    pub primary_key: Vec<usize>,
    /// Unique constraints and full unique indexes, without the primary key.
    pub unique_keys: Vec<UniqueKey>,
    /// Declared foreign keys out of this table.
    pub foreign_keys: Vec<ForeignKey>,
    /// Indexes, the primary key's included.
    pub indexes: Vec<Index>,
    /// Check constraints.
    pub checks: Vec<Check>,
    /// The comment on the relation.
    pub comment: Option<String>,
    /// The planner's estimate of the number of rows, where there is one.
    pub estimated_rows: Option<u64>,
    /// Whether one statement may insert the rows of several requests, and each can be told what
    /// became of its own: a table without triggers or rules on insert, and without constraints that
    /// may be deferred to the end of a transaction.
    pub batchable: bool,
    /// Whether an update of a row does what it says and nothing else, and a client that may read a row may
    /// see it before and after: a table of the database's own without triggers and rules, row
    /// security, and tables that inherit from it.
    pub plain: bool,
    /// The columns whose values link rows to each other and to documents, in ascending order: those of
    /// keys, of foreign keys, and those that foreign keys refer to.
    pub links: Vec<usize>,
    /// What else may change when its rows are written.
    pub effects: Effects,
}

/// The name of a relation, as the database spells it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RelationName {
    /// Its schema.
    pub schema: String,
    /// Its name.
    pub name: String,
}

/// How far the effects of a statement reach beyond the rows that it names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// No further.
    #[default]
    Own,
    /// Any row of these relations may change: by foreign keys that cascade, or by inheritance.
    Relations(Arc<[Arc<RelationName>]>),
    /// Any row of any relation may change: by triggers and rules.
    Everything,
}

/// What else may change when rows of a relation are written, by the kind of statement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// By an insert.
    pub insert: Reach,
    /// By an update.
    pub update: Reach,
    /// By an update that changes a column which other rows follow ([`Column::followed`]).
    pub follow: Reach,
    /// By a delete.
    pub delete: Reach,
}

impl Relation {
    /// A table of these columns, the first of which is its key; for tests and builders.
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
        }
    }

    /// Whether both are the same but for the estimate of rows.
    pub fn same_but_estimate(&self, other: &Self) -> bool {
        self == other || *self == Self { estimated_rows: self.estimated_rows, ..other.clone() }
    }

    /// The name it is served under.
    pub fn served_name(&self) -> String {
        self.alias.clone().unwrap_or_else(|| name::served(&self.name))
    }

    /// The position of the column of this name: as it is served first, then as the database
    /// spells it, then without case.
    pub fn column_index(&self, name: &str) -> Option<usize> {
        let find = |test: &dyn Fn(&Column) -> bool| self.columns.iter().position(test);
        find(&|column| column.alias.as_deref() == Some(name))
            .or_else(|| find(&|column| column.name == name))
            .or_else(|| find(&|column| same_name(&column.served_name(), name)))
            .or_else(|| find(&|column| same_name(&column.name, name)))
    }

    /// The index of a column's words: its name, its configuration and its column of row numbers.
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

    /// The index of the value at a path inside a column: its name, and the path as it spells it.
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
    /// are all NOT NULL, else nothing.
    pub fn identity(&self) -> &[usize] {
        if !self.primary_key.is_empty() {
            return &self.primary_key;
        }
        self.unique_keys
            .iter()
            .find(|key| key.columns.iter().all(|&column| self.columns[column].not_null))
            .map_or(&[], |key| &key.columns)
    }

    /// The columns that a violation is about, where it or the catalog tells.
    pub fn violated_columns(&self, violation: &Violation) -> Vec<usize> {
        if violation.table.as_ref().is_some_and(|name| *name != self.name) {
            // A trigger has written to another one.
            return Vec::new();
        }
        if !violation.columns.is_empty() {
            let position = |name: &String| self.columns.iter().position(|it| it.name == *name);
            return violation.columns.iter().filter_map(position).collect();
        }
        let Some(name) = &violation.constraint else { return Vec::new() };
        let reference = self.foreign_keys.iter().find(|key| key.name == *name);
        let unique = || self.unique_keys.iter().find(|key| key.name == *name);
        let index = || self.indexes.iter().find(|index| index.name == *name);
        reference
            .map(|key| key.columns.clone())
            .or_else(|| unique().map(|key| key.columns.clone()))
            .or_else(|| index().map(|index| index.columns.clone()))
            .unwrap_or_default()
    }

    /// The columns of the check constraint that a violation names: those of its condition.
    pub fn checked_columns(&self, violation: &Violation) -> Vec<usize> {
        let Some(name) = &violation.constraint else { return Vec::new() };
        // SQLite reports the condition of a constraint that has no name.
        let is_it = |check: &&Check| check.name == *name || check.condition == *name;
        let checks = self.checks.iter().filter(is_it);
        let mut found: Vec<usize> =
            checks.flat_map(|check| self.named_in(&check.condition)).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The columns that a condition of the table names, in their order.
    pub fn named_in(&self, condition: &str) -> Vec<usize> {
        let words = words(condition);
        let is_named = |column: &Column| words.iter().any(|word| same_name(word, &column.name));
        (0..self.columns.len()).filter(|&at| is_named(&self.columns[at])).collect()
    }

    /// The unique indexes of exactly these columns, in any order.
    pub fn unique_indexes(&self, columns: &[usize]) -> impl Iterator<Item = &Index> {
        self.indexes
            .iter()
            .filter(move |index| index.unique && same_columns(&index.columns, columns))
    }

    /// Whether these columns are exactly a primary or unique key, in any order.
    pub fn is_key(&self, columns: &[usize]) -> bool {
        let same = |key: &[usize]| same_columns(key, columns);
        (!self.primary_key.is_empty() && same(&self.primary_key))
            || self.unique_keys.iter().any(|key| same(&key.columns))
    }
}

/// The identifiers of a condition, without strings, functions and the types of casts.
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

/// How a generated column gets its value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Generated {
    /// It is an ordinary column.
    #[default]
    No,
    /// An identity, serial or rowid column: a value appears when none is given.
    Identity,
    /// Computed from other columns: it can never be written.
    Computed,
}

/// One column.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Name as the database spells it.
    pub name: String,
    /// The name it is served under; `None` until names have been given: then it is `name` in
    /// lower case.
    pub alias: Option<String>,
    /// Duet's type.
    pub ty: Type,
    /// The type as the database declares it.
    pub declared: String,
    /// Whether NULL is refused.
    pub not_null: bool,
    /// The default as SQL text.
    pub default: Option<String>,
    /// Identity or computed.
    pub generated: Generated,
    /// Whether equal values may differ in their bytes (case-insensitive or nondeterministic
    /// collations, `citext`): rows must then be matched to keys by the database.
    pub loose_equality: bool,
    /// Whether it holds ranges, or sets of ranges, which can overlap.
    pub ranges: bool,
    /// How a computed column of words cuts its text into them, such as `english`.
    pub words: Option<String>,
    /// Whether other rows change with it: a foreign key that refers to it says what an update does
    /// (`ON UPDATE CASCADE`, `SET NULL`, `SET DEFAULT`).
    pub followed: bool,
    /// The comment on the column.
    pub comment: Option<String>,
}

impl Column {
    /// The name it is served under.
    pub fn served_name(&self) -> String {
        self.alias.clone().unwrap_or_else(|| name::served(&self.name))
    }

    /// A nullable column of this name and type; for tests and builders.
    pub fn new(name: impl Into<String>, ty: Type) -> Self {
        Self {
            name: name.into(),
            alias: None,
            declared: ty.name().to_lowercase(),
            ty,
            not_null: false,
            default: None,
            generated: Generated::No,
            loose_equality: false,
            ranges: false,
            words: None,
            followed: false,
            comment: None,
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
}

/// A foreign key out of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignKey {
    /// Its name; made up from the columns where the database has none.
    pub name: String,
    /// Columns of this table.
    pub columns: Vec<usize>,
    /// Schema of the referenced table.
    pub references_schema: String,
    /// Name of the referenced table.
    pub references_table: String,
    /// Names of the referenced columns, in the order of `columns`.
    pub references_columns: Vec<String>,
}

/// An index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index {
    /// Its name.
    pub name: String,
    /// Its plain columns in order; an expression ends the list.
    pub columns: Vec<usize>,
    /// Whether it is unique.
    pub unique: bool,
    /// Access method: `btree`, `gin`, …
    pub method: String,
    /// Whether it is looked at only at the end of a transaction (`INITIALLY DEFERRED`).
    pub deferred: bool,
    /// Whether NULL is a value like any other, that only one row may have (`NULLS NOT DISTINCT`).
    pub nulls_equal: bool,
    /// In which order the texts that begin with a prefix are together in it; `None` where they are
    /// not, or the first column is no text.
    pub prefixes: Option<PrefixOrder>,
    /// What it holds first where that is no column, as far as it is understood.
    pub part: Option<IndexedPart>,
}

/// What an index holds of a column beside its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IndexedPart {
    /// What SQLite's `json_extract` gives of a JSON column.
    JsonValue {
        /// The column.
        column: usize,
        /// The member names that lead to it.
        path: Vec<String>,
        /// The path as the index spells it, without quotes.
        literal: String,
    },
    /// The words of a text column.
    Words {
        /// The column.
        column: usize,
        /// How texts are cut into words: the configuration of PostgreSQL, such as `english`; on SQLite
        /// the tokenizer of the FTS5 table that the index is.
        configuration: String,
        /// The column that holds the numbers of rows in an FTS5 table; empty on PostgreSQL.
        row_number: String,
    },
}

/// An order of an index in which the texts that begin with a prefix are together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrefixOrder {
    /// The order in which the column itself compares.
    Own,
    /// By bytes, by the operators of PostgreSQL's `text_pattern_ops`.
    Pattern,
    /// By bytes, by the collation `C` where that is not the column's.
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

/// What a routine is.
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
    /// Duet's type of the result; [`Type::Other`] where it is a row, `None` where there is none.
    pub result: Option<Type>,
    /// Whether it returns a set of rows.
    pub returns_set: bool,
    /// Whether it runs with its owner's rights (`SECURITY DEFINER`): served only when named.
    pub security_definer: bool,
    /// Whether an extension owns it: served only when named.
    pub from_extension: bool,
    /// Whether it is a trigger function: served only when named.
    pub is_trigger: bool,
    /// The comment on the routine.
    pub comment: Option<String>,
}

/// One argument of a routine.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// Name; empty where it has none.
    pub name: String,
    /// Duet's type.
    pub ty: Type,
    /// The type as the database declares it.
    pub declared: String,
    /// `i`, `o`, `b` (in and out), `v` (variadic) or `t` (table column).
    pub mode: char,
    /// Whether it may be left out.
    pub has_default: bool,
}
