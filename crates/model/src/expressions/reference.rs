//! References to the rows and columns of a shape.

/// Position of a node in [`Shape::nodes`](crate::Shape::nodes); the root is 0, and parents come
/// before children.
pub type NodeId = usize;

/// A column of a node of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ColumnRef {
    /// The node.
    pub node: NodeId,
    /// Position of the column in the node's table.
    pub column: usize,
}

/// The row that a reference reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The expression's own row, the only one in row filters and generated fields.
    Row,
    /// The row of a node, reached from the document's root. Below an array there are several, and
    /// a condition holds if any of them satisfies it.
    Node(NodeId),
    /// An element of an array, in the condition of [`Expr::AnyElement`](crate::Expr::AnyElement).
    Element,
}

/// A reference to a value: a column, or a path inside a JSON column.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FieldRef {
    /// The row.
    pub scope: Scope,
    /// Position of the column in the table.
    pub column: usize,
    /// Member names inside a JSON column, outermost first; empty for the column itself.
    pub path: Vec<String>,
}

impl FieldRef {
    /// A column of the expression's own row.
    pub fn row(column: usize) -> Self {
        Self { scope: Scope::Row, column, path: Vec::new() }
    }

    /// The column, if `row` is the node of the expression's own row.
    pub fn column_at(&self, row: NodeId) -> ColumnRef {
        let node = match self.scope {
            Scope::Row | Scope::Element => row,
            Scope::Node(node) => node,
        };
        ColumnRef { node, column: self.column }
    }

    /// The column of a node; `None` for a JSON path and for a row without a node.
    pub fn whole_column(&self) -> Option<ColumnRef> {
        match self.scope {
            Scope::Node(node) if self.path.is_empty() => {
                Some(ColumnRef { node, column: self.column })
            }
            _ => None,
        }
    }
}

impl From<ColumnRef> for FieldRef {
    fn from(ColumnRef { node, column }: ColumnRef) -> Self {
        Self { scope: Scope::Node(node), column, path: Vec::new() }
    }
}
