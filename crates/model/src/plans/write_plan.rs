//! Write plans: the ordered row operations of a request, as data.

use duet_text::error::Error;

use crate::expressions::reference::NodeId;
use crate::values::value::Value;

/// Row operations in an order that satisfies the constraints between them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WritePlan {
    /// The operations.
    pub operations: Vec<RowOperation>,
}

/// The kind of a row operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowAction {
    /// Inserts a row.
    Insert,
    /// Changes columns of a row.
    Update,
    /// Temporarily frees a unique value, which another row gets before this row gets its new value.
    Park,
    /// Removes a row from its parent's array by setting its link to NULL.
    Unlink,
    /// Deletes a row.
    Delete,
}

impl RowAction {
    /// Its name.
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
    /// The node of the row.
    pub node: NodeId,
    /// The kind of operation.
    pub action: RowAction,
    /// The columns that identify the row; empty for an insert.
    pub key: Vec<(usize, Operand)>,
    /// The columns to write.
    pub set: Vec<(usize, Operand)>,
    /// The position in the new document that causes it, as a JSON pointer; for a removed row, where it
    /// is missing.
    pub pointer: String,
    /// Why it is not allowed; `None` if it is.
    pub refused: Option<Error>,
}

/// A value of a row operation.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A value.
    Value(Value),
    /// The column's default.
    Default,
    /// The value that the database generates for a column of a row inserted by an earlier operation.
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
    /// The first reason why the plan is not allowed.
    pub fn refusal(&self) -> Option<&Error> {
        self.operations.iter().find_map(|operation| operation.refused.as_ref())
    }

    /// For every operation, the columns of its row that later operations reference.
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
