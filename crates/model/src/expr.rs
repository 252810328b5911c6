//! The one tree for request filters and orders. `q` JSON and CQL are two ways to write it.
//!
//! Fields are resolved and operands typed before a tree of this kind exists, so whoever prints or
//! evaluates it can trust it.

use crate::json_test::JsonPredicate;
use crate::shape::NodeId;
use crate::value::Value;

/// A field of a shape: a column of one of its nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FieldRef {
    /// The node.
    pub node: NodeId,
    /// Position of the column in the node's table.
    pub column: usize,
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compare {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Less.
    Lt,
    /// Less or equal.
    Lte,
    /// Greater.
    Gt,
    /// Greater or equal.
    Gte,
}

/// A filter. A predicate on a field below an array holds if any element satisfies it; NULL makes
/// a predicate unknown, as in SQL, and only what is true is selected.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// All hold. Empty: true.
    And(Vec<Expr>),
    /// At least one holds. Empty: false.
    Or(Vec<Expr>),
    /// The opposite; unknown stays unknown.
    Not(Box<Expr>),
    /// `field op value`; the value is never NULL.
    Compare(FieldRef, Compare, Value),
    /// `field IN (…)`; the values are never NULL. Empty: false.
    In(FieldRef, Vec<Value>),
    /// `low <= field <= high`; an absent end is open.
    Between(FieldRef, Option<Value>, Option<Value>),
    /// SQL `LIKE` with `%`, `_` and the escape character `\`.
    Like {
        /// The field, of a text type.
        field: FieldRef,
        /// The pattern.
        pattern: String,
        /// Without case, by Unicode simple lower-casing.
        ignore_case: bool,
    },
    /// The text contains this, case-sensitive.
    Contains(FieldRef, String),
    /// A part of the text matches this regular expression, in the form for both stores.
    Regex(FieldRef, String),
    /// The field is NULL.
    IsNull(FieldRef),
    /// Any value at a path inside the field, which is a JSON column, satisfies the test; never unknown.
    Json(FieldRef, JsonPredicate),
}

impl Expr {
    /// The filter that holds for every row.
    pub fn all() -> Self {
        Self::And(Vec::new())
    }

    /// Whether the filter is the empty conjunction.
    pub fn is_all(&self) -> bool {
        matches!(self, Self::And(members) if members.is_empty())
    }
}

/// Ascending or descending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Smallest first, NULLs last.
    Ascending,
    /// Largest first, NULLs last.
    Descending,
}

/// One term of an order. NULLs sort last in either direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OrderBy {
    /// The field: of the root, or of a node reached by to-one links only.
    pub field: FieldRef,
    /// The direction.
    pub direction: Direction,
}
