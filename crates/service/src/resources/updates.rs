//! The updates of a shape's rows, prepared: one statement for the rows of a table, which gives them
//! back.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use duet_model::catalog::GeneratedValue;
use duet_model::{ColumnRef, LevelColumn, NodeId, ReadPlan, Shape, Type};
use duet_sql::Dialect;
use duet_store::RowsUpdate;

/// How many choices of columns are kept ready.
const KEPT: usize = 256;
/// A node, and the columns that are set.
pub(crate) type Name = (NodeId, Vec<usize>);

/// The updates of a shape's rows, by node and columns; `None` where they are not for the quick end.
#[derive(Debug, Default)]
pub(crate) struct Updates(Mutex<HashMap<Name, Option<Arc<RowsUpdate>>>>);

impl Updates {
    /// The update of a node's rows that sets these columns, of documents that are read so.
    pub(crate) fn of(
        &self,
        plan: &ReadPlan,
        node: NodeId,
        set: &[usize],
        dialect: &dyn Dialect,
    ) -> Option<Arc<RowsUpdate>> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let name = (node, set.to_vec());
        if let Some(update) = known.get(&name) {
            return update.clone();
        }
        if known.len() >= KEPT {
            return None;
        }
        let update = compiled(plan, node, set, dialect).map(Arc::new);
        known.insert(name, update.clone());
        update
    }
}

fn compiled(
    plan: &ReadPlan,
    node: NodeId,
    set: &[usize],
    dialect: &dyn Dialect,
) -> Option<RowsUpdate> {
    let shape = &plan.shape;
    // A changed row may change what other rows show.
    if shape.has_aggregates() {
        return None;
    }
    let shown_once = |at: &usize| {
        let same = |of: &NodeId| shape.nodes[*of].table == shape.nodes[*at].table;
        (0..shape.nodes.len()).filter(same).count() == 1
    };
    let all_shown_once = (0..shape.nodes.len()).all(|at| shown_once(&at));
    if !all_shown_once || !set.iter().all(|&column| stands_alone(shape, node, column)) {
        return None;
    }
    let key = key_of(shape, node);
    let table = &shape.nodes[node].table;
    let is_plain = |&column: &usize| {
        let column = &table.columns[column];
        !column.loose_equality
            && matches!(column.ty, Type::Integer { .. } | Type::Text | Type::Uuid)
    };
    if !key.iter().all(is_plain) || positions(plan, node, key).is_none() {
        return None;
    }
    RowsUpdate::new(plan, plan.level_of[node]?, key, set, dialect)
}

/// Whether a column affects only its row: it is neither part of a key nor of the
/// order, and nothing can refer to it.
fn stands_alone(shape: &Shape, node: NodeId, column: usize) -> bool {
    let table = &shape.nodes[node].table;
    let own =
        shape.nodes[node].link.as_ref().is_some_and(|link| link.child_columns.contains(&column));
    let below = shape.nodes.iter().filter_map(|below| below.link.as_ref());
    let below =
        below.into_iter().any(|link| link.parent == node && link.parent_columns.contains(&column));
    let in_key = table.primary_key.contains(&column)
        || table.unique_keys.iter().any(|key| key.columns.contains(&column))
        || key_of(shape, node).contains(&column);
    !own && !below && !in_key && table.columns[column].generated != GeneratedValue::Computed
}

/// The columns that say which row of a node it is.
pub(crate) fn key_of(shape: &Shape, node: NodeId) -> &[usize] {
    if node == 0 { &shape.key } else { shape.nodes[node].table.identity() }
}

/// The positions of the columns of a key in the level that the node heads.
pub(crate) fn positions(plan: &ReadPlan, node: NodeId, key: &[usize]) -> Option<Vec<usize>> {
    let level = plan.levels.get(plan.level_of[node]?).filter(|level| level.node == node)?;
    let at = |&column: &usize| level.position(&LevelColumn::Column(ColumnRef { node, column }));
    key.iter().map(at).collect()
}
