//! The one tree for expressions: filters and orders of requests, row filters and generated fields of
//! view definitions. `q` JSON, CQL and the view language are ways to write it.
//!
//! Names are resolved and operands typed before a tree of this kind exists, so code that prints or
//! evaluates it can trust it.

use crate::compare::Compare;
use crate::json_test::JsonTest;
use crate::reference::{ColumnRef, FieldRef, NodeId, Scope};
use crate::text_test::TextTest;
use crate::types::Type;
use crate::value::Value;

/// An operator that computes a value of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arithmetic {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`, which is decimal.
    Divide,
    /// `||`
    Concat,
}

/// A condition or a value. NULL makes a condition unknown, as in SQL, and only what is true is
/// selected.
///
/// All references of a condition without `And`, `Or` and `Not` at its top are to one row. Where that
/// is below an array, the condition holds if any element satisfies it, and is never unknown.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// All hold. Empty: true.
    And(Vec<Expr>),
    /// At least one holds. Empty: false.
    Or(Vec<Expr>),
    /// The opposite; unknown stays unknown.
    Not(Box<Expr>),
    /// A comparison of two values.
    Compare(Compare, Box<Expr>, Box<Expr>),
    /// The value is one of the list. Empty: false.
    In(Box<Expr>, Vec<Expr>),
    /// `low <= value <= high`; an absent end is open.
    Between(Box<Expr>, Option<Box<Expr>>, Option<Box<Expr>>),
    /// SQL `LIKE` with `%`, `_` and the escape character `\`.
    Like {
        /// The text.
        operand: Box<Expr>,
        /// The pattern.
        pattern: Box<Expr>,
        /// Without case, by Unicode simple lower-casing.
        ignore_case: bool,
    },
    /// The text, or what the database takes for one, satisfies a test.
    Search(Box<Expr>, TextTest),
    /// The value is NULL.
    IsNull(Box<Expr>),
    /// Any value at the reference's path, inside a JSON column, satisfies the test; never unknown.
    Json(FieldRef, JsonTest),
    /// A value of a row.
    Field(FieldRef),
    /// A value of a definition.
    Literal(Value),
    /// A value of a request, never NULL, and the type of what it is compared with.
    Operand(Value, Type),
    /// Two values and an operator.
    Arithmetic(Arithmetic, Box<Expr>, Box<Expr>),
    /// `-x`
    Negate(Box<Expr>),
    /// One of the functions both stores have: `lower`, `upper`, `length`, `trim`, `coalesce`,
    /// `abs`, `round`, `nullif`, `replace`, `substr`.
    Function(&'static str, Vec<Expr>),
    /// `CASE WHEN … THEN … ELSE … END`.
    Case {
        /// Conditions with their results.
        branches: Vec<(Expr, Expr)>,
        /// The result when none holds.
        otherwise: Option<Box<Expr>>,
    },
}

impl From<FieldRef> for Expr {
    fn from(field: FieldRef) -> Self {
        Self::Field(field)
    }
}

impl From<ColumnRef> for Expr {
    fn from(column: ColumnRef) -> Self {
        Self::Field(column.into())
    }
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

    /// A value of a request.
    pub fn operand(value: Value, ty: &Type) -> Self {
        Self::Operand(value, ty.clone())
    }

    /// A comparison.
    pub fn compare(operator: Compare, left: impl Into<Self>, right: Self) -> Self {
        Self::Compare(operator, Box::new(left.into()), Box::new(right))
    }

    /// Both hold; a conjunction in a conjunction becomes one.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let parts = |part| match part {
            Self::And(parts) if !parts.is_empty() => parts,
            part => vec![part],
        };
        let mut joined = parts(self);
        joined.extend(parts(other));
        Self::And(joined)
    }

    /// One of both holds; a disjunction in a disjunction becomes one.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        let parts = |part| match part {
            Self::Or(parts) if !parts.is_empty() => parts,
            part => vec![part],
        };
        let mut joined = parts(self);
        joined.extend(parts(other));
        Self::Or(joined)
    }

    /// The opposite.
    #[must_use]
    pub fn negated(self) -> Self {
        Self::Not(Box::new(self))
    }

    /// The parts from which it is put together, in order.
    pub fn parts(&self) -> Vec<&Self> {
        match self {
            Self::And(parts) | Self::Or(parts) | Self::Function(_, parts) => parts.iter().collect(),
            Self::Not(part) | Self::Negate(part) | Self::IsNull(part) | Self::Search(part, _) => {
                vec![part]
            }
            Self::Compare(_, left, right)
            | Self::Arithmetic(_, left, right)
            | Self::Like { operand: left, pattern: right, .. } => vec![left, right],
            Self::In(operand, list) => std::iter::once(&**operand).chain(list).collect(),
            Self::Between(operand, low, high) => {
                let ends = [low, high].into_iter().flatten();
                std::iter::once(operand).chain(ends).map(|part| &**part).collect()
            }
            Self::Case { branches, otherwise } => {
                let pairs = branches.iter().flat_map(|(condition, result)| [condition, result]);
                pairs.chain(otherwise.as_deref()).collect()
            }
            Self::Json(..) | Self::Field(_) | Self::Literal(_) | Self::Operand(..) => Vec::new(),
        }
    }

    fn parts_mut(&mut self) -> Vec<&mut Self> {
        match self {
            Self::And(parts) | Self::Or(parts) | Self::Function(_, parts) => {
                parts.iter_mut().collect()
            }
            Self::Not(part) | Self::Negate(part) | Self::IsNull(part) | Self::Search(part, _) => {
                vec![part]
            }
            Self::Compare(_, left, right)
            | Self::Arithmetic(_, left, right)
            | Self::Like { operand: left, pattern: right, .. } => vec![left, right],
            Self::In(operand, list) => std::iter::once(&mut **operand).chain(list).collect(),
            Self::Between(operand, low, high) => {
                let ends = [low, high].into_iter().flatten();
                std::iter::once(operand).chain(ends).map(|part| &mut **part).collect()
            }
            Self::Case { branches, otherwise } => {
                let pairs = branches.iter_mut().flat_map(|(condition, result)| [condition, result]);
                pairs.chain(otherwise.as_deref_mut()).collect()
            }
            Self::Json(..) | Self::Field(_) | Self::Literal(_) | Self::Operand(..) => Vec::new(),
        }
    }

    /// A reference in it: all are to one row in what is no `And`, `Or` or `Not`.
    pub fn first_field(&self) -> Option<&FieldRef> {
        match self {
            Self::Field(field) | Self::Json(field, _) => Some(field),
            other => other.parts().into_iter().find_map(Self::first_field),
        }
    }

    /// The expression, its row being that of a node.
    #[must_use]
    pub fn at_node(mut self, node: NodeId) -> Self {
        self.move_to(node);
        self
    }

    fn move_to(&mut self, node: NodeId) {
        match self {
            Self::Field(field) | Self::Json(field, _) if field.scope == Scope::Row => {
                field.scope = Scope::Node(node);
            }
            other => other.parts_mut().into_iter().for_each(|part| part.move_to(node)),
        }
    }

    /// The column that it is, as it is stored.
    pub fn whole_column(&self) -> Option<ColumnRef> {
        match self {
            Self::Field(field) => field.whole_column(),
            _ => None,
        }
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
#[derive(Clone, Debug, PartialEq)]
pub struct OrderBy {
    /// The value: of the root, or of a node reached by to-one links only.
    pub value: Expr,
    /// Its type.
    pub ty: Type,
    /// The direction.
    pub direction: Direction,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_moves_to_a_node() {
        let sum = Expr::Arithmetic(
            Arithmetic::Add,
            Box::new(FieldRef::row(1).into()),
            Box::new(Expr::Literal(Value::Int(2))),
        );
        let test = Expr::compare(Compare::Gt, sum, Expr::Literal(Value::Int(5)));
        let moved = Expr::Case {
            branches: vec![(test, FieldRef::row(0).into())],
            otherwise: Some(Box::new(ColumnRef { node: 7, column: 3 }.into())),
        }
        .at_node(2);
        let fields = |expr: &Expr| {
            let mut open = vec![expr.clone()];
            let mut found = Vec::new();
            while let Some(next) = open.pop() {
                if let Expr::Field(field) = &next {
                    found.push((field.scope, field.column));
                }
                open.extend(next.parts().into_iter().rev().cloned());
            }
            found
        };
        let at = |node, column| (Scope::Node(node), column);
        assert_eq!(fields(&moved), [at(2, 1), at(2, 0), at(7, 3)]);
        assert_eq!(moved.first_field().map(|field| field.column_at(9).node), Some(2));
    }

    #[test]
    fn conjunctions_join() {
        let field = |column| Expr::from(FieldRef::row(column));
        let all = field(0).and(field(1)).and(field(2).and(field(3)));
        assert_eq!(all.parts().len(), 4);
        assert_eq!(all.or(field(4)).parts().len(), 2);
    }
}
