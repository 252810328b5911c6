//! Keys of rows: the columns that identify rows of a node, and their values in a document.
//!
//! A value is in the row's own object or follows from the structure: the row repeats the key of its
//! parent, or the key of a to-one row below it.

use duet_document::value_of;
use duet_model::{
    Cardinality, Code, Error, Link, Member, MemberKind, NodeId, Result, RowTree, Shape, Value,
};
use duet_text::error::Place;
use duet_text::json::Json;

/// Values that a row's place below its parent gives to its columns.
pub(super) type LinkValues = [(usize, Value)];

/// The keys of a shape's nodes.
#[derive(Clone, Copy)]
pub(super) struct Keys<'a> {
    shape: &'a Shape,
}

impl<'a> Keys<'a> {
    pub(super) fn new(shape: &'a Shape) -> Self {
        Self { shape }
    }

    /// The keys of a node: the one it is identified by first, then its table's unique keys.
    pub(super) fn of(&self, node: NodeId) -> Vec<&'a [usize]> {
        let (table, first) = (&self.shape.nodes[node].table, self.first(node));
        let unique = table.unique_keys.iter().map(|key| &key.columns[..]);
        let others = std::iter::once(&table.primary_key[..]).chain(unique);
        let mut keys = vec![first];
        keys.extend(others.filter(|&key| key != first && !key.is_empty()));
        keys.retain(|key| !key.is_empty());
        keys
    }

    /// The columns that identify a node's rows.
    pub(super) fn identity(&self, node: NodeId) -> &'a [usize] {
        match self.first(node) {
            [] => self.of(node).first().copied().unwrap_or_default(),
            first => first,
        }
    }

    /// The key that a node's rows are identified by, if its table is not without one.
    fn first(&self, node: NodeId) -> &'a [usize] {
        let table = &self.shape.nodes[node].table;
        if node == 0 { &self.shape.key[..] } else { table.identity() }
    }

    /// Whether a column is a member of an object, or of a group of it.
    pub(super) fn has_member(&self, members: &[Member], column: usize) -> bool {
        members.iter().any(|member| match &member.kind {
            MemberKind::Column(member) => member.column == column && !member.hidden,
            MemberKind::Group(inner) => self.has_member(inner, column),
            _ => false,
        })
    }

    /// The value of a column in the document; `None` if it is missing or `null`.
    pub(super) fn value(
        &self,
        row: &RowTree<'_>,
        linked: &LinkValues,
        column: usize,
    ) -> Result<Option<Value>> {
        if let Some(field) = row.field(column) {
            if field.value.is_null() {
                return Ok(None);
            }
            return self.field_value(row.node, column, &field.value, &field.pointer).map(Some);
        }
        if let Some((_, value)) = linked.iter().find(|(linked, _)| *linked == column) {
            return Ok(Some(value.clone()));
        }
        for child in &row.children {
            let (Some(link), Some(inner)) = (self.link(child.node), child.rows.first()) else {
                continue;
            };
            if link.cardinality == Cardinality::Many || !self.parent_refers(child.node) {
                continue;
            }
            let pairs = link.parent_columns.iter().zip(&link.child_columns);
            for (_, &below) in pairs.filter(|(parent, _)| **parent == column) {
                if let Some(value) = self.value(inner, &[], below)? {
                    return Ok(Some(value));
                }
            }
        }
        Ok(None)
    }

    /// The values of a key's columns; `None` if one is missing.
    pub(super) fn values(
        &self,
        row: &RowTree<'_>,
        linked: &LinkValues,
        columns: &[usize],
    ) -> Result<Option<Vec<Value>>> {
        columns.iter().map(|&column| self.value(row, linked, column)).collect()
    }

    /// The first complete key of a row, with its values.
    pub(super) fn complete(
        &self,
        row: &RowTree<'_>,
        linked: &LinkValues,
    ) -> Result<Option<(&'a [usize], Vec<Value>)>> {
        for columns in self.of(row.node) {
            if let Some(values) = self.values(row, linked, columns)? {
                return Ok(Some((columns, values)));
            }
        }
        Ok(None)
    }

    /// What a row gives to the linking columns of the rows of a node below it, as far as it is known.
    pub(super) fn linked_below(
        &self,
        row: &RowTree<'_>,
        linked: &LinkValues,
        child: NodeId,
    ) -> Result<Vec<(usize, Value)>> {
        let Some(link) = self.link(child) else { return Ok(Vec::new()) };
        let mut below = Vec::new();
        for (&parent, &column) in link.parent_columns.iter().zip(&link.child_columns) {
            if let Some(value) = self.value(row, linked, parent)? {
                below.push((column, value));
            }
        }
        Ok(below)
    }

    pub(super) fn link(&self, node: NodeId) -> Option<&'a Link> {
        self.shape.nodes[node].link.as_ref()
    }

    /// Whether the row below is shared; see [`Shape::parent_refers`].
    pub(super) fn parent_refers(&self, node: NodeId) -> bool {
        self.shape.parent_refers(node)
    }

    /// Reads a value of a column.
    pub(super) fn field_value(
        &self,
        node: NodeId,
        column: usize,
        json: &Json<'_>,
        pointer: &str,
    ) -> Result<Value> {
        let column = &self.shape.nodes[node].table.columns[column];
        value_of(column, json).map_err(|expected| {
            let name = pointer.rsplit('/').next().unwrap_or("");
            let name = duet_text::problem::quoted(name);
            let message = duet_document::misfit(&name, column, &expected);
            Error::new(Code::MemberValue, message).at(Place::Pointer(pointer.to_owned()))
        })
    }

    /// The value of a stored column, which may not fit its own type.
    pub(super) fn stored_value(
        &self,
        row: &RowTree<'_>,
        linked: &LinkValues,
        column: usize,
    ) -> Value {
        match self.value(row, linked, column) {
            Ok(value) => value.unwrap_or(Value::Null),
            Err(_) => {
                let mut text = String::new();
                if let Some(value) = row.value(column) {
                    value.write(&mut text);
                }
                Value::Text(text.trim_matches('"').to_owned())
            }
        }
    }
}
