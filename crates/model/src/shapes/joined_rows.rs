//! Filters of joined lists: all conditions on the rows of a joined to-many node hold for one row.
//!
//! A joined list has a document for each row of its root, found by conditions on the root and on rows
//! that refer to it. The conditions mean what they mean for an outer join of both: `a and b` finds a
//! document that has a row with `a` and `b`, and a document without rows has one row of NULLs.

use super::shape::{MemberKind, Shape};
use crate::expressions::expr::Expr;
use crate::expressions::reference::{ColumnRef, NodeId};

impl Shape {
    /// The to-many node whose rows are joined to those of the root, if there is one.
    pub fn joined_rows(&self) -> Option<NodeId> {
        let joined = self.root().members.iter().filter_map(|member| match member.kind {
            MemberKind::Related(node) if member.name.is_empty() => Some(node),
            _ => None,
        });
        joined.into_iter().find(|node| self.is_many(*node))
    }

    /// The nodes from this one up to the root, which is left out.
    fn below_root(&self, mut node: NodeId) -> Vec<NodeId> {
        let mut nodes = Vec::new();
        while let Some(link) = self.nodes.get(node).and_then(|node| node.link.as_ref()) {
            nodes.push(node);
            node = link.parent;
        }
        nodes
    }

    /// The filter with its conditions on joined rows put together, so that they are about one row.
    ///
    /// ```
    /// use duet_model::{Column, Expr, Relation, Shape, Type};
    ///
    /// // A table alone has no joined rows: its filters stay as they are.
    /// let columns = vec![Column::new("open", Type::Boolean)];
    /// let shape = Shape::of_relation(&Relation::table("main", "item", columns).into());
    /// assert!(shape.over_joined_rows(Expr::all()).is_all());
    /// ```
    #[must_use]
    pub fn over_joined_rows(&self, filter: Expr) -> Expr {
        let Some(joined) = self.joined_rows() else { return filter };
        let is_joined = |node: &NodeId| self.below_root(*node).contains(&joined);
        let about_rows = |expr: &Expr| expr.nodes().iter().any(is_joined);
        let parts = match filter {
            Expr::And(parts) => parts,
            other => vec![other],
        };
        let (rows, mut others): (Vec<_>, Vec<_>) = parts.into_iter().partition(about_rows);
        if rows.is_empty() {
            return Expr::And(others);
        }
        let rows = flat(Expr::And(rows), &about_rows);
        let without = Absent { about_rows: &about_rows }.holds(&rows, false);
        let of_one_row = Expr::SameRow(Box::new(rows));
        others.push(match without {
            Truth::Never => of_one_row,
            Truth::Always => of_one_row.or(self.has_no_row(joined)),
            Truth::Depends(expr) => of_one_row.or(self.has_no_row(joined).and(expr)),
        });
        if others.len() == 1 { others.remove(0) } else { Expr::And(others) }
    }

    fn has_no_row(&self, node: NodeId) -> Expr {
        let column = self.nodes[node].link.as_ref().map_or(0, |link| link.child_columns[0]);
        let missing = Expr::IsNull(Box::new(ColumnRef { node, column }.into()));
        Expr::NotTrue(Box::new(Expr::SameRow(Box::new(missing.negated()))))
    }
}

/// The condition without groups of its own about the joined row: all of it is about one.
fn flat(expr: Expr, about_rows: &dyn Fn(&Expr) -> bool) -> Expr {
    let all = |parts: Vec<Expr>| parts.into_iter().map(|part| flat(part, about_rows)).collect();
    match expr {
        Expr::SameRow(inner) if about_rows(&inner) => flat(*inner, about_rows),
        Expr::And(parts) => Expr::And(all(parts)),
        Expr::Or(parts) => Expr::Or(all(parts)),
        Expr::Not(inner) => Expr::Not(Box::new(flat(*inner, about_rows))),
        Expr::NotTrue(inner) => Expr::NotTrue(Box::new(flat(*inner, about_rows))),
        other => other,
    }
}

/// Whether a condition holds.
enum Truth {
    Always,
    Never,
    Depends(Expr),
}

impl Truth {
    /// What holds where this is not true.
    fn complement(self) -> Self {
        match self {
            Self::Always => Self::Never,
            Self::Never => Self::Always,
            Self::Depends(expr) => Self::Depends(Expr::NotTrue(Box::new(expr))),
        }
    }
}

/// Conditions where the joined row is one of NULLs.
struct Absent<'a> {
    about_rows: &'a dyn Fn(&Expr) -> bool,
}

impl Absent<'_> {
    /// Whether a condition is true; where `denied`, whether it is false.
    fn holds(&self, expr: &Expr, denied: bool) -> Truth {
        match (expr, denied) {
            (Expr::And(parts), false) | (Expr::Or(parts), true) => self.all(parts, denied),
            (Expr::Or(parts), false) | (Expr::And(parts), true) => self.any(parts, denied),
            (Expr::Not(inner), _) => self.holds(inner, !denied),
            (Expr::NotTrue(inner), false) => self.holds(inner, false).complement(),
            (Expr::NotTrue(inner), true) => self.holds(inner, false),
            (condition, _) if (self.about_rows)(condition) => {
                let is_null =
                    matches!(condition, Expr::IsNull(value) if value.whole_column().is_some());
                if is_null && !denied { Truth::Always } else { Truth::Never }
            }
            (condition, false) => Truth::Depends(condition.clone()),
            (condition, true) => Truth::Depends(condition.clone().negated()),
        }
    }

    fn all(&self, parts: &[Expr], denied: bool) -> Truth {
        let mut rest = Vec::new();
        for part in parts {
            match self.holds(part, denied) {
                Truth::Always => {}
                Truth::Never => return Truth::Never,
                Truth::Depends(expr) => rest.push(expr),
            }
        }
        if rest.is_empty() { Truth::Always } else { Truth::Depends(Expr::And(rest)) }
    }

    fn any(&self, parts: &[Expr], denied: bool) -> Truth {
        let mut rest = Vec::new();
        for part in parts {
            match self.holds(part, denied) {
                Truth::Always => return Truth::Always,
                Truth::Never => {}
                Truth::Depends(expr) => rest.push(expr),
            }
        }
        if rest.is_empty() { Truth::Never } else { Truth::Depends(Expr::Or(rest)) }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::catalog::{Column, Relation};
    use crate::expressions::compare::Compare;
    use crate::shapes::shape::{Cardinality, Link, Member, Node};
    use crate::values::types::Type;
    use crate::values::value::Value;

    /// Orders with the lines that refer to them.
    fn shape() -> Shape {
        let integer = || Type::Integer { bits: 64 };
        let table = |name: &str| {
            let columns = vec![Column::new("id", integer()), Column::new("n", integer())];
            Arc::new(Relation::table("main", name, columns))
        };
        let mut shape = Shape::of_relation(&table("orders"));
        let link = Link {
            parent: 0,
            parent_columns: vec![0],
            child_columns: vec![0],
            cardinality: Cardinality::Many,
        };
        let line = Shape::of_relation(&table("line"));
        shape.nodes.push(Node { link: Some(link), ..line.nodes[0].clone() });
        let kind = MemberKind::Related(1);
        shape.nodes[0].members.push(Member { name: String::new(), kind });
        shape
    }

    fn is(node: NodeId, value: i64) -> Expr {
        let operand = Expr::operand(Value::Int(value), &Type::Integer { bits: 64 });
        Expr::compare(Compare::Eq, ColumnRef { node, column: 1 }, operand)
    }

    #[test]
    fn conditions_on_rows_are_about_one_row() {
        let shape = shape();
        let of_lines = Expr::And(vec![is(1, 2), is(1, 3)]);
        let filter = Expr::And(vec![is(1, 2), is(0, 1), is(1, 3)]);
        let joined = Expr::And(vec![is(0, 1), Expr::SameRow(Box::new(of_lines))]);
        assert_eq!(shape.over_joined_rows(filter), joined);
        assert_eq!(shape.over_joined_rows(is(0, 1)), Expr::And(vec![is(0, 1)]));
    }

    #[test]
    fn a_document_without_rows_has_one_of_nulls() {
        let shape = shape();
        let one_row = |expr| Expr::SameRow(Box::new(expr));
        let none = shape.has_no_row(1);
        let not_line = Expr::NotTrue(Box::new(is(1, 2)));
        let filter = shape.over_joined_rows(not_line.clone());
        assert_eq!(filter, one_row(Expr::And(vec![not_line])).or(none.clone()));
        let either = is(0, 1).or(is(1, 2));
        let filter = shape.over_joined_rows(either.clone());
        let alone = none.and(Expr::Or(vec![is(0, 1)]));
        assert_eq!(filter, one_row(Expr::And(vec![either])).or(alone));
    }
}
