//! Rows that are no longer wanted: deleted where the definition says so, else taken out of their
//! parent. Shared rows stay.

use duet_model::catalog::GeneratedValue;
use duet_model::{Operand, Result, RowAction, RowOperation, RowTree};

use super::keys::LinkValues;
use super::{Planner, refusal};

/// When a removal can happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Time {
    /// Before everything else, so that unique values are free again.
    First,
    /// Behind everything else, because rows below move elsewhere before.
    Last,
}

impl<'t> Planner<'_, 't> {
    /// The entire document.
    pub(super) fn delete_root(&mut self, stored: &RowTree<'t>) -> Result<()> {
        self.delete(stored, &[], None)?;
        Ok(())
    }

    /// Removes a row from below its parent. `pointer` is where the new document lacks it.
    pub(super) fn remove(
        &mut self,
        row: &RowTree<'t>,
        linked: &LinkValues,
        pointer: &str,
    ) -> Result<()> {
        self.removed(row, linked, Some(pointer))?;
        Ok(())
    }

    fn removed(
        &mut self,
        row: &RowTree<'t>,
        linked: &LinkValues,
        pointer: Option<&str>,
    ) -> Result<Time> {
        if self.shape.nodes[row.node].operations.delete {
            return self.delete(row, linked, pointer);
        }
        let Some(link) = self.keys.link(row.node) else { return Ok(Time::First) };
        let table = &self.shape.nodes[row.node].table;
        let identity = self.keys.identity(row.node);
        let set: Vec<_> = link
            .child_columns
            .iter()
            .filter(|&&column| !table.columns[column].not_null && !identity.contains(&column))
            .filter(|&&column| table.columns[column].generated != GeneratedValue::Computed)
            .map(|&column| (column, Operand::NULL))
            .collect();
        let operation = self.removal(row, linked, RowAction::Unlink, pointer);
        let refused = set
            .is_empty()
            .then(|| refusal::cannot_unlink(self.shape, row.node, &operation.pointer));
        self.removals.push(RowOperation { set, refused, ..operation });
        Ok(Time::First)
    }

    /// A row with everything that belongs to it, deepest first. What moves elsewhere stays, and the
    /// row goes only after that. Without a `pointer` its places are those of the stored document.
    fn delete(
        &mut self,
        row: &RowTree<'t>,
        linked: &LinkValues,
        pointer: Option<&str>,
    ) -> Result<Time> {
        let mut time = Time::First;
        for child in &row.children {
            if self.keys.parent_refers(child.node) {
                continue;
            }
            let below = self.keys.linked_below(row, linked, child.node)?;
            for inner in &child.rows {
                let moves = self.is_wanted_elsewhere(inner, &below);
                if moves || self.removed(inner, &below, pointer)? == Time::Last {
                    time = Time::Last;
                }
            }
        }
        let refused = (!self.shape.nodes[row.node].operations.delete)
            .then(|| refusal::not_deletable(self.shape, row));
        let operation = self.removal(row, linked, RowAction::Delete, pointer);
        let removals = if time == Time::First { &mut self.removals } else { &mut self.late };
        removals.push(RowOperation { refused, ..operation });
        Ok(time)
    }

    fn removal(
        &self,
        row: &RowTree<'_>,
        linked: &LinkValues,
        action: RowAction,
        pointer: Option<&str>,
    ) -> RowOperation {
        let key =
            self.keys.identity(row.node).iter().map(|&column| {
                (column, Operand::Value(self.keys.stored_value(row, linked, column)))
            });
        RowOperation {
            node: row.node,
            action,
            key: key.collect(),
            set: Vec::new(),
            pointer: pointer.unwrap_or(&row.pointer).to_owned(),
            refused: None,
        }
    }
}
