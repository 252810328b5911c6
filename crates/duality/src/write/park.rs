//! Rows that let go of a unique value before another row of the same document gets it.
//!
//! Databases check unique keys row by row. Where a document gives a row the value of another one that
//! gets a new value itself only later, such as where two rows exchange theirs, the other one is *parked*
//! first: one of the key's columns becomes NULL, or, where it may not be NULL, a value that no row is
//! likely to have. Its own update then gives it the value that the document wants.
//!
//! That is for tables on which an update does nothing else (`Relation::plain`): a trigger would see the
//! row on its way, and so would rows of another table that follow the key. And only for keys that the document shows as a whole; otherwise the database
//! refuses what it would have refused anyway.

use std::collections::HashMap;

use duet_model::catalog::{Column, GeneratedValue};
use duet_model::{
    NodeId, Operand, Relation, RelationKind, RowAction, RowOperation, RowTree, Type, Value,
};

use super::Planner;
use super::keys::LinkValues;
use super::row_name::RowMap;

/// What an insert or an update does to the values that a row has in a unique key.
pub(super) struct Holding {
    /// The operation, counted as operands do.
    operation: usize,
    node: NodeId,
    key: Vec<usize>,
    /// Before; `None` for a new row, and where one of them is NULL or not known.
    before: Option<Vec<Value>>,
    /// After the other operations, likewise.
    after: Option<Vec<Value>>,
}

impl Planner<'_, '_> {
    /// Remembers what an operation does to unique keys. `row` is the stored row of an update, or the
    /// new one.
    pub(super) fn hold(&mut self, operation: usize, row: &RowTree<'_>, linked: &LinkValues) {
        if self.all_new {
            return;
        }
        let change = &self.changes[operation];
        let node = change.node;
        for key in self.keys.of(node) {
            let is_set = |column: &usize| change.set.iter().any(|(set, _)| set == column);
            if !key.iter().any(is_set) || is_deferred(&self.shape.nodes[node].table, key) {
                continue;
            }
            let stored = |&column: &usize| {
                Some(self.keys.stored_value(row, linked, column)).filter(|value| !value.is_null())
            };
            let given = |column: &usize| {
                match change.set.iter().find(|(set, _)| set == column) {
                    Some((_, Operand::Value(value))) => Some(value.clone()),
                    Some(_) => None,
                    None => stored(column),
                }
                .filter(|value| !value.is_null())
            };
            let is_new = change.action == RowAction::Insert;
            self.holdings.push(Holding {
                operation,
                node,
                key: key.to_vec(),
                before: if is_new { None } else { key.iter().map(stored).collect() },
                after: key.iter().map(given).collect(),
            });
        }
    }

    /// The operations that park rows; they come before all insertions and updates.
    pub(super) fn parked(&self) -> Vec<RowOperation> {
        let name = |holding: &Holding, values: &Option<Vec<Value>>| {
            let values = values.as_ref()?;
            Some(self.name(holding.node, &holding.key, values))
        };
        if self.holdings.iter().all(|holding| holding.before.is_none()) {
            // Such as those of a new document.
            return Vec::new();
        }
        // The first operation that gives a row these values.
        let mut comes: RowMap<usize> = RowMap::default();
        for holding in &self.holdings {
            if let Some(name) = name(holding, &holding.after) {
                comes.entry(name).or_insert(holding.operation);
            }
        }
        let mut parked: Vec<RowOperation> = Vec::new();
        // Where a row is parked already, for another of its keys.
        let mut rows: HashMap<usize, usize> = HashMap::new();
        for leaves in self.holdings.iter().filter(|holding| holding.before != holding.after) {
            let first = name(leaves, &leaves.before).and_then(|name| comes.get(&name));
            let Some(&first) = first.filter(|first| **first < leaves.operation) else { continue };
            let at = rows.get(&leaves.operation).copied().unwrap_or(parked.len());
            let Some((column, operand)) = self.place(leaves, at) else { continue };
            match parked.get_mut(at) {
                Some(row) if row.set.iter().any(|(known, _)| *known == column) => {}
                Some(row) => row.set.push((column, operand)),
                None => {
                    rows.insert(leaves.operation, at);
                    parked.push(self.park(leaves, first, column, operand));
                }
            }
        }
        parked
    }

    /// Parks the row that leaves its values to what another operation writes.
    fn park(
        &self,
        leaves: &Holding,
        first: usize,
        column: usize,
        operand: Operand,
    ) -> RowOperation {
        RowOperation {
            node: leaves.node,
            action: RowAction::Park,
            key: self.changes[leaves.operation].key.clone(),
            set: vec![(column, operand)],
            pointer: self.changes[first].pointer.clone(),
            refused: None,
        }
    }

    /// A column of the key that the row's own update sets, and its temporary value. `number` distinguishes
    /// parked rows. A column that other rows follow is not used: they would not be restored with it.
    fn place(&self, leaves: &Holding, number: usize) -> Option<(usize, Operand)> {
        let table = &self.shape.nodes[leaves.node].table;
        let moves =
            |column: &Column| column.followed && column.generated == GeneratedValue::Computed;
        if !table.plain || table.kind != RelationKind::Table || table.columns.iter().any(moves) {
            return None;
        }
        let change = &self.changes[leaves.operation];
        let is_given = |column: usize| {
            let is = |(set, operand): &(usize, Operand)| {
                *set == column && matches!(operand, Operand::Value(_))
            };
            change.set.iter().any(is) && !table.columns[column].followed
        };
        let mut columns: Vec<usize> =
            leaves.key.iter().copied().filter(|&column| is_given(column)).collect();
        // A spare value refers to nothing.
        columns.sort_by_key(|at| table.foreign_keys.iter().any(|key| key.columns.contains(at)));
        let nulls_equal = table.unique_indexes(&leaves.key).any(|index| index.nulls_equal);
        let nothing =
            columns.iter().find(|&&column| !nulls_equal && !table.columns[column].not_null);
        if let Some(&column) = nothing {
            return Some((column, Operand::NULL));
        }
        columns.into_iter().find_map(|column| {
            let value = spare(&table.columns[column].ty, number)?;
            Some((column, Operand::Value(value)))
        })
    }
}

/// Whether a key is looked at only when the transaction ends: then nothing needs to let go.
fn is_deferred(table: &Relation, key: &[usize]) -> bool {
    let mut indexes = table.unique_indexes(key).peekable();
    indexes.peek().is_some() && indexes.all(|index| index.deferred)
}

/// A value that rows are not likely to have: a text, or among the largest numbers of 32 bits, so that
/// it is the same on stores whose whole numbers have more.
fn spare(ty: &Type, number: usize) -> Option<Value> {
    let largest = match ty {
        Type::Integer { bits: 16 } => i64::from(i16::MAX),
        Type::Integer { .. } => i64::from(i32::MAX),
        Type::Text => return Some(Value::Text(format!("~parked~{number}"))),
        _ => return None,
    };
    largest.checked_sub(i64::try_from(number).ok()?).map(Value::Int)
}
