//! What views show of the keys of the tables that they read.

use super::RelationName;

/// A view, as far as its columns are those of tables with keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewKeys {
    /// The view.
    pub view: RelationName,
    /// The names of the columns with the primary key of the only table that it reads, so that no two of its rows have
    /// the same values in them; empty where it reads several tables, or lacks a part of the key.
    pub primary_key: Vec<String>,
    /// The ends of foreign keys among its columns.
    pub ends: Vec<KeyEnd>,
    /// The writes that it takes: those of its table, where that is the only one, or of its triggers.
    pub writes: ViewWrites,
}

/// One end of a foreign key in the columns of a view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyEnd {
    /// The key.
    pub key: KeyName,
    /// The table that it refers to.
    pub references: RelationName,
    /// The names of the referenced columns of that table, in the order of the key.
    pub references_columns: Vec<String>,
    /// Which end it is.
    pub side: KeySide,
    /// The names of the columns of the view, in the same order.
    pub columns: Vec<String>,
    /// Whether no two rows of the view have the same values in them.
    pub is_unique: bool,
}

/// The end of a foreign key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeySide {
    /// The columns that refer.
    Referring,
    /// Those that are referred to.
    Referenced,
}

/// A foreign key, by the table that has it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyName {
    /// The table.
    pub table: RelationName,
    /// The name of the key.
    pub name: String,
}

/// Writes that a view takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ViewWrites {
    /// Rows can be inserted.
    pub insert: bool,
    /// Rows can be changed.
    pub update: bool,
    /// Rows can be deleted.
    pub delete: bool,
}
