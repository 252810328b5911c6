//! Write plans: what a request will do to rows, in order, as data.

use crate::error::Error;
use crate::reference::NodeId;
use crate::value::Value;

/// Row operations in the order in which they satisfy the constraints between them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WritePlan {
    /// The operations.
    pub operations: Vec<RowOperation>,
}

/// What is done to a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowAction {
    /// A row is added.
    Insert,
    /// Columns of a row get other values.
    Update,
    /// A row lets go of a unique value that another one gets before this one gets its own.
    Park,
    /// A row is taken out of its parent's array: its link becomes NULL.
    Unlink,
    /// A row is removed.
    Delete,
}

impl RowAction {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Insert => "insert",
            Self::Update => "update",
            Self::Park => "park",
            Self::Unlink => "unlink",
            Self::Delete => "delete",
        }
    }
}

/// One operation on one row.
#[derive(Clone, Debug, PartialEq)]
pub struct RowOperation {
    /// The place of its table in the shape.
    pub node: NodeId,
    /// What is done.
    pub action: RowAction,
    /// The columns that identify the row; empty for an insert.
    pub key: Vec<(usize, Operand)>,
    /// The columns that are written.
    pub set: Vec<(usize, Operand)>,
    /// Where in the wanted document it comes from, as a JSON pointer; of a row that goes, where it
    /// is missing.
    pub pointer: String,
    /// Why it may not be done; `None` where it may.
    pub refused: Option<Error>,
}

/// A value of a row operation.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A value.
    Value(Value),
    /// The column's default.
    Default,
    /// What the database gave to a column of a row that an earlier operation inserts.
    Generated {
        /// The operation's position in the plan.
        operation: usize,
        /// The column.
        column: usize,
    },
}

impl Operand {
    /// NULL.
    pub const NULL: Self = Self::Value(Value::Null);
}

impl WritePlan {
    /// The first reason why the plan may not be carried out.
    pub fn refusal(&self) -> Option<&Error> {
        self.operations.iter().find_map(|operation| operation.refused.as_ref())
    }

    /// For every operation, the columns of its row whose values later operations need.
    pub fn wanted(&self) -> Vec<Vec<usize>> {
        let mut wanted = vec![Vec::new(); self.operations.len()];
        for later in &self.operations {
            for (_, operand) in later.set.iter().chain(&later.key) {
                if let Operand::Generated { operation, column } = operand
                    && let Some(columns) = wanted.get_mut(*operation)
                    && !columns.contains(column)
                {
                    columns.push(*column);
                }
            }
        }
        wanted
    }
}
