//! Tables and views that hold the samples: what the decisions amount to, before it is text.

use std::collections::{HashMap, HashSet};

use duet_model::catalog::TableRef;
use duet_model::steps;

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
    /// What the database has of it already; `None` of a new one.
    pub(super) stored: Option<StoredTable>,
}

/// A table that is there.
#[derive(Clone, Debug)]
pub(super) struct StoredTable {
    /// The table.
    pub(super) relation: TableRef,
    /// How many of the columns are there; the others are added.
    pub(super) columns: usize,
    /// How many of the references are there.
    pub(super) references: usize,
    /// Positions of the columns that the object of a view has already, while it gets more members.
    pub(super) shown: HashSet<usize>,
    /// Columns that were added, by what was wanted: other places that have the same rows use them too.
    pub(super) added: HashMap<String, AddedColumn>,
    /// The tables that refer to it, by their names in the singular.
    pub(super) children: HashMap<String, String>,
}

/// A column that was added to a table that is there.
#[derive(Clone, Debug)]
pub(super) struct AddedColumn {
    name: String,
    ty: ColumnType,
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
    /// The type as the database declares it, of a column that is there and of those that refer to it.
    pub(super) declared: Option<String>,
}

impl Column {
    /// The type in SQL.
    pub(super) fn sql_type(&self) -> &str {
        self.declared.as_deref().unwrap_or(self.ty.sql())
    }
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
    /// Whether documents of other views may have made a row of a document before it is written.
    pub(super) is_contained: bool,
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
    /// An array: the rows that refer to the parent by this column, which are documents of another view.
    Inverse(String),
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
        let mut order = Vec::with_capacity(self.tables.len());
        let mut seen = vec![false; self.tables.len()];
        // Tables on the way to one, each with the next of its references; none refers to itself over others.
        let mut way: Vec<(usize, usize)> = Vec::new();
        for first in 0..self.tables.len() {
            if !std::mem::replace(&mut seen[first], true) {
                way.push((first, 0));
            }
            while let Some((at, next)) = way.last_mut() {
                steps::step();
                let Some(reference) = self.tables[*at].references.get(*next) else {
                    order.push(*at);
                    way.pop();
                    continue;
                };
                *next += 1;
                if !std::mem::replace(&mut seen[reference.table], true) {
                    way.push((reference.table, 0));
                }
            }
        }
        order
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
        let declared = None;
        self.columns.push(Column { name: name.clone(), ty, not_null, comment, declared });
        name
    }

    /// The same for a member; of a table that is there the column that another place has added for it.
    pub(super) fn add_member(
        &mut self,
        wanted: &str,
        ty: ColumnType,
        not_null: bool,
        comment: String,
    ) -> String {
        let known = self.stored.as_ref().and_then(|stored| stored.added.get(wanted));
        if let Some(known) = known.filter(|known| known.ty == ty) {
            return known.name.clone();
        }
        let name = self.add(wanted, ty, not_null, comment);
        if let Some(stored) = &mut self.stored {
            let added = AddedColumn { name: name.clone(), ty };
            stored.added.entry(wanted.to_owned()).or_insert(added);
        }
        name
    }

    /// Adds a column that refers to another one.
    pub(super) fn add_reference(
        &mut self,
        wanted: &str,
        to: &Column,
        not_null: bool,
        comment: String,
    ) -> String {
        let name = self.add(wanted, to.ty, not_null, comment);
        if let Some(column) = self.columns.last_mut() {
            column.declared.clone_from(&to.declared);
        }
        name
    }

    /// The column of this name that refers to another table already.
    pub(super) fn stored_reference(&self, column: &str, to: usize) -> Option<String> {
        let stored = self.stored.as_ref()?;
        let is_it = |reference: &&Reference| {
            reference.table == to && reference.columns.len() == 1 && reference.columns[0] == column
        };
        let found = self.references[..stored.references].iter().find(is_it)?;
        let position = stored.relation.columns.iter().position(|one| one.name == column)?;
        (!stored.shown.contains(&position)).then(|| found.columns[0].clone())
    }

    /// The references that the database has.
    pub(super) fn stored_references(&self) -> &[Reference] {
        let stored = self.stored.as_ref().map_or(0, |stored| stored.references);
        &self.references[..stored]
    }

    /// The columns that the database does not have.
    pub(super) fn added(&self) -> &[Column] {
        let stored = self.stored.as_ref().map_or(0, |stored| stored.columns);
        &self.columns[stored..]
    }

    /// The references that the database does not have.
    pub(super) fn added_references(&self) -> &[Reference] {
        let stored = self.stored.as_ref().map_or(0, |stored| stored.references);
        &self.references[stored..]
    }

    /// The columns of the key.
    pub(super) fn key_columns(&self) -> Vec<Column> {
        let of_key = |name: &String| self.columns.iter().find(|column| column.name == *name);
        self.key.iter().filter_map(of_key).cloned().collect()
    }
}
