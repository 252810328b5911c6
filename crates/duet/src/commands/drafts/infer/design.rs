//! Tables and views that hold the samples: what the decisions amount to, before it is text.

use std::collections::HashSet;

use super::names::Names;
use super::values::ColumnType;

/// All tables, and a view for each collection.
#[derive(Debug, Default)]
pub(super) struct Design {
    /// The tables.
    pub(super) tables: Vec<Table>,
    /// The views.
    pub(super) views: Vec<View>,
}

/// A table.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// Its name.
    pub(super) name: String,
    /// What it holds and why it is one, a line each.
    pub(super) comments: Vec<String>,
    /// Its columns.
    pub(super) columns: Vec<Column>,
    /// The columns of the primary key.
    pub(super) key: Vec<String>,
    /// Whether the database makes the key.
    pub(super) is_generated: bool,
    /// The foreign keys.
    pub(super) references: Vec<Reference>,
    /// The names of columns that are taken.
    pub(super) names: Names,
}

/// A column.
#[derive(Clone, Debug)]
pub(super) struct Column {
    /// Its name.
    pub(super) name: String,
    /// Its type.
    pub(super) ty: ColumnType,
    /// Whether it must have a value.
    pub(super) not_null: bool,
    /// Why it is so.
    pub(super) comment: String,
}

/// A foreign key.
#[derive(Debug)]
pub(super) struct Reference {
    /// Own columns.
    pub(super) columns: Vec<String>,
    /// The position of the other table.
    pub(super) table: usize,
}

/// A duality view.
#[derive(Debug)]
pub(super) struct View {
    /// Its name, which is the collection's.
    pub(super) name: String,
    /// What it holds, a line each.
    pub(super) comments: Vec<String>,
    /// The root.
    pub(super) root: Node,
    /// Names of members that the samples do not have: keys that were invented.
    pub(super) invented: HashSet<String>,
}

/// A table at one place of a document.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// The position of the table.
    pub(super) table: usize,
    /// The members of its object.
    pub(super) members: Vec<Member>,
    /// Whether its rows belong to the document alone, so that they are deleted with it.
    pub(super) is_owned: bool,
}

/// A member of an object.
#[derive(Clone, Debug)]
pub(super) enum Member {
    /// A column.
    Column {
        /// The member.
        name: String,
        /// The column.
        column: String,
    },
    /// Columns of the same table, as an object.
    Group {
        /// The member.
        name: String,
        /// The members of the object.
        members: Vec<Member>,
    },
    /// All members that no other member names, in a JSON column.
    Flex {
        /// The column.
        column: String,
    },
    /// Another table.
    Nested {
        /// The member; unused where the rows are merged into the parent's.
        name: String,
        /// The rows.
        node: Node,
        /// How they appear.
        form: Form,
    },
}

/// How a nested table appears.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// An array of rows that refer to the parent.
    Array,
    /// An object: the one row that refers to the parent.
    Own,
    /// An object: the row that the parent refers to by this column.
    Shared(String),
    /// The members of the row that the parent refers to by this column, among the parent's own.
    Merged(String),
}

impl Design {
    /// The names of the tables of a document, each once, the outer ones first.
    pub(super) fn tables_of(&self, node: &Node) -> Vec<&str> {
        let mut found = vec![self.tables[node.table].name.as_str()];
        for member in &node.members {
            let Member::Nested { node, .. } = member else { continue };
            for name in self.tables_of(node) {
                if !found.contains(&name) {
                    found.push(name);
                }
            }
        }
        found
    }

    /// The positions of the tables, each behind those that it refers to.
    pub(super) fn in_order(&self) -> Vec<usize> {
        let mut done: Vec<usize> = Vec::new();
        while done.len() < self.tables.len() {
            let is_ready = |at: &usize| {
                let others = self.tables[*at].references.iter().map(|reference| reference.table);
                !done.contains(at) && others.into_iter().all(|other| done.contains(&other))
            };
            let next = (0..self.tables.len()).find(is_ready);
            // Nothing refers to itself over others; if it did, the order of the design would do.
            let next = next.or_else(|| (0..self.tables.len()).find(|at| !done.contains(at)));
            done.extend(next);
        }
        done
    }
}

impl Table {
    /// Adds a column under a name that is not taken, which is given back.
    pub(super) fn add(
        &mut self,
        wanted: &str,
        ty: ColumnType,
        not_null: bool,
        comment: String,
    ) -> String {
        let name = self.names.free(wanted);
        self.columns.push(Column { name: name.clone(), ty, not_null, comment });
        name
    }

    /// The columns of the key.
    pub(super) fn key_columns(&self) -> Vec<Column> {
        let of_key = |name: &String| self.columns.iter().find(|column| column.name == *name);
        self.key.iter().filter_map(of_key).cloned().collect()
    }
}
