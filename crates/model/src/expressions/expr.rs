//! The expression tree: filters and orders of requests, row filters and generated fields of view
//! definitions. `q` JSON, CQL and the view language are its syntaxes.
//!
//! Names are resolved and operands typed before a tree is built, so code that prints or evaluates it
//! needs no checks.

use std::collections::BTreeSet;

use super::compare::Compare;
use super::json_test::JsonTest;
use super::reference::{ColumnRef, FieldRef, NodeId, Scope};
use super::text_test::TextTest;
use crate::values::types::Type;
use crate::values::value::Value;

/// A binary operator that computes a value.
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

/// A condition or a value. NULL makes a condition unknown, as in SQL; only rows for which it is true
/// are selected.
///
/// All references in a condition whose top operator is not `And`, `Or`, `Not` or `NotTrue` are to one row. Below
/// an array, such a condition holds if any element satisfies it, and is never unknown.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A conjunction. Empty: true.
    And(Vec<Expr>),
    /// A disjunction. Empty: false.
    Or(Vec<Expr>),
    /// The negation; unknown stays unknown.
    Not(Box<Expr>),
    /// The negation in which unknown counts as false; never unknown.
    NotTrue(Box<Expr>),
    /// A condition, with its parts joined and negated, of one row: below an array it holds if all of it
    /// holds for one element.
    SameRow(Box<Expr>),
    /// A comparison of two values.
    Compare(Compare, Box<Expr>, Box<Expr>),
    /// The value is one of the list. Empty: false.
    In(Box<Expr>, Vec<Expr>),
    /// `low <= value <= high`; a missing bound is unbounded.
    Between(Box<Expr>, Option<Box<Expr>>, Option<Box<Expr>>),
    /// SQL `LIKE` with `%`, `_` and the escape character `\`.
    Like {
        /// The text.
        operand: Box<Expr>,
        /// The pattern.
        pattern: Box<Expr>,
        /// Whether to ignore case, by Unicode simple lower-casing.
        ignore_case: bool,
    },
    /// A text search predicate on a value.
    Search(Box<Expr>, TextTest),
    /// The value is NULL.
    IsNull(Box<Expr>),
    /// Any value at the reference's path, inside a JSON column, satisfies the test; never unknown.
    Json(FieldRef, JsonTest),
    /// A value of a row.
    Field(FieldRef),
    /// The value at a path inside a JSON column, as a value of this type; NULL where there is none or
    /// one of another type. [`Type::Json`] is any value that is not `null`, as the text of a string and as
    /// the JSON text of other values in the form of PostgreSQL's `jsonb`.
    Extracted(FieldRef, Type),
    /// Some element of the array of objects at the reference's path satisfies the condition, whose
    /// references have [`Scope::Element`]; never unknown.
    AnyElement(FieldRef, Box<Expr>),
    /// A constant of a view definition.
    Literal(Value),
    /// A value of a request, never NULL, and the type of the value it is compared with.
    Operand(Value, Type),
    /// A binary operator with two operands.
    Arithmetic(Arithmetic, Box<Expr>, Box<Expr>),
    /// `-x`
    Negate(Box<Expr>),
    /// A function that both stores support: `lower`, `upper`, `length`, `trim`, `coalesce`,
    /// `abs`, `round`, `nullif`, `replace`, `substr`; those of [`Fold`](duet_text::Fold); `number` and
    /// `moment`, which a text is, NULL where it is none; `distance` of two texts by
    /// their trigrams; `relevance` of a text for words; those of [`PairKind`](crate::PairKind); and
    /// `point_distance` of a point from another one; `json_value`, `json_inside` and `json_inside_text`, what
    /// [`JsonStep`](duet_text::JsonStep)s lead to; and on PostgreSQL alone `cast to TYPE`, `shown`,
    /// what a domain's cast to JSON makes of a value, and functions of the database by their names.
    Function(&'static str, Vec<Expr>),
    /// A function over the rows of other tables that are joined to the row of a node by these values of it, never
    /// empty: the one at this position of [`Node::aggregates`](crate::Node::aggregates).
    Aggregate(Vec<Expr>, usize),
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
    /// The filter that matches every row.
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

    /// The conjunction of both; nested conjunctions are flattened.
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

    /// The disjunction of both; nested disjunctions are flattened.
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

    /// The negation.
    #[must_use]
    pub fn negated(self) -> Self {
        Self::Not(Box::new(self))
    }

    /// The direct subexpressions, in order.
    pub fn parts(&self) -> Vec<&Self> {
        match self {
            Self::And(parts)
            | Self::Or(parts)
            | Self::Function(_, parts)
            | Self::Aggregate(parts, _) => parts.iter().collect(),
            Self::Not(part)
            | Self::NotTrue(part)
            | Self::SameRow(part)
            | Self::Negate(part)
            | Self::IsNull(part)
            | Self::AnyElement(_, part)
            | Self::Search(part, _) => vec![part],
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
            Self::Json(..)
            | Self::Field(_)
            | Self::Extracted(..)
            | Self::Literal(_)
            | Self::Operand(..) => Vec::new(),
        }
    }

    pub(crate) fn parts_mut(&mut self) -> Vec<&mut Self> {
        match self {
            Self::And(parts)
            | Self::Or(parts)
            | Self::Function(_, parts)
            | Self::Aggregate(parts, _) => parts.iter_mut().collect(),
            Self::Not(part)
            | Self::NotTrue(part)
            | Self::SameRow(part)
            | Self::Negate(part)
            | Self::IsNull(part)
            | Self::AnyElement(_, part)
            | Self::Search(part, _) => vec![part],
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
            Self::Json(..)
            | Self::Field(_)
            | Self::Extracted(..)
            | Self::Literal(_)
            | Self::Operand(..) => Vec::new(),
        }
    }

    /// The first reference in it. Unless it is an `And`, `Or`, `Not` or `NotTrue`, all references are to one row.
    pub fn first_field(&self) -> Option<&FieldRef> {
        match self {
            Self::Field(field)
            | Self::Json(field, _)
            | Self::Extracted(field, _)
            | Self::AnyElement(field, _) => Some(field),
            other => other.parts().into_iter().find_map(Self::first_field),
        }
    }

    /// Whether it matches patterns: how long that takes is decided by the lengths of the texts, not by the rows alone.
    pub fn matches_patterns(&self) -> bool {
        let own = match self {
            Self::Like { .. } => true,
            Self::Search(_, test) => test.matches_pattern(),
            Self::Json(_, test) => test.matches_pattern(),
            _ => false,
        };
        own || self.parts().into_iter().any(Self::matches_patterns)
    }

    /// The nodes whose rows it refers to.
    pub fn nodes(&self) -> BTreeSet<NodeId> {
        let mut nodes = BTreeSet::new();
        self.collect_nodes(&mut nodes);
        nodes
    }

    fn collect_nodes(&self, out: &mut BTreeSet<NodeId>) {
        match self {
            Self::Field(field)
            | Self::Json(field, _)
            | Self::Extracted(field, _)
            | Self::AnyElement(field, _) => {
                out.insert(field.column_at(0).node);
            }
            other => other.parts().into_iter().for_each(|part| part.collect_nodes(out)),
        }
    }

    /// The expression with row references replaced by references to a node.
    #[must_use]
    pub fn at_node(mut self, node: NodeId) -> Self {
        self.move_to(node);
        self
    }

    fn move_to(&mut self, node: NodeId) {
        match self {
            Self::Field(field)
            | Self::Json(field, _)
            | Self::Extracted(field, _)
            | Self::AnyElement(field, _)
                if field.scope == Scope::Row =>
            {
                field.scope = Scope::Node(node);
            }
            other => other.parts_mut().into_iter().for_each(|part| part.move_to(node)),
        }
    }

    /// Calls a function with each value of a row in it.
    pub fn for_each_value(&mut self, change: &mut dyn FnMut(&mut Self)) {
        match self {
            Self::Field(_) | Self::Extracted(..) => change(self),
            other => {
                for part in other.parts_mut() {
                    part.for_each_value(change);
                }
            }
        }
    }

    /// The expression with each reference replaced by what `replace` gives for it; `None` where it gives nothing
    /// for one.
    #[must_use]
    pub fn with_references(mut self, replace: &dyn Fn(&Self) -> Option<Self>) -> Option<Self> {
        self.replace_references(replace).then_some(self)
    }

    fn replace_references(&mut self, replace: &dyn Fn(&Self) -> Option<Self>) -> bool {
        match self {
            Self::Field(_) | Self::Json(..) | Self::Extracted(..) | Self::AnyElement(..) => {
                let Some(replaced) = replace(self) else { return false };
                *self = replaced;
                true
            }
            other => other.parts_mut().into_iter().all(|part| part.replace_references(replace)),
        }
    }

    /// The column, if the expression is a plain column reference.
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
    /// Smallest first.
    Ascending,
    /// Largest first.
    Descending,
}

/// One term of an order.
#[derive(Clone, Debug, PartialEq)]
pub struct OrderBy {
    /// The value: of the root, or of a node reached only by to-one links.
    pub value: Expr,
    /// Its type.
    pub ty: Type,
    /// The direction.
    pub direction: Direction,
    /// Whether NULLs sort first; otherwise last, in either direction.
    pub nulls_first: bool,
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
    fn nested_conjunctions_are_flattened() {
        let field = |column| Expr::from(FieldRef::row(column));
        let all = field(0).and(field(1)).and(field(2).and(field(3)));
        assert_eq!(all.parts().len(), 4);
        assert_eq!(all.or(field(4)).parts().len(), 2);
    }
}
