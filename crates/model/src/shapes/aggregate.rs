//! What generated members read of other rows.

use super::shape::{
    Aggregate, AggregateFunction, Cardinality, Link, Member, MemberKind, Node, Shape,
};
use crate::catalog::Relation;
use crate::expressions::expr::Expr;
use crate::expressions::reference::{FieldRef, NodeId};

impl AggregateFunction {
    /// Its name in SQL; that of the only row has none.
    pub fn name(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Sum => "sum",
            Self::Average => "avg",
            Self::Least => "min",
            Self::Greatest => "max",
            Self::Only => "",
            Self::List => "listagg",
        }
    }
}

impl Shape {
    /// Whether a generated member reads rows of other tables.
    pub fn has_aggregates(&self) -> bool {
        self.nodes.iter().any(|node| !node.aggregates.is_empty())
    }

    /// The aggregate that an expression over the row of a node is.
    pub fn aggregate(&self, node: NodeId, expr: &Expr) -> Option<&Aggregate> {
        let Expr::Aggregate(outer, at) = expr else { return None };
        let node = outer.first()?.first_field()?.column_at(node).node;
        self.nodes.get(node)?.aggregates.get(*at)
    }

    /// The same shape with nodes, without members, for the rows that generated members alone read: a change of
    /// such a row leads through their links to the documents that it changes. The tables of those rows that
    /// values other than columns select are returned beside it. For following changes, never for reads.
    pub fn with_aggregated_rows(&self) -> (Self, Vec<&Relation>) {
        let (mut shape, mut others) = (self.clone(), Vec::new());
        self.for_each_aggregate(&mut |node, outer, aggregate| {
            if self.joins_the_same(node, outer, aggregate) {
                return;
            }
            let own = |value: &Expr| match value {
                Expr::Field(field) if *field == FieldRef::row(field.column) => Some(field.column),
                _ => None,
            };
            let Some(parent_columns) = outer.iter().map(own).collect::<Option<Vec<_>>>() else {
                return others.extend(aggregate.rows.nodes.iter().map(|node| &*node.table));
            };
            let first = shape.nodes.len();
            for rows in &aggregate.rows.nodes {
                let link = match &rows.link {
                    None => Link {
                        parent: node,
                        parent_columns: parent_columns.clone(),
                        child_columns: aggregate.columns.clone(),
                        cardinality: Cardinality::Many,
                    },
                    Some(link) => Link { parent: first + link.parent, ..link.clone() },
                };
                shape.nodes.push(Node { link: Some(link), ..rows.clone() });
            }
        });
        (shape, others)
    }

    /// The tables whose rows generated members read and that no node joins in the same way.
    pub fn tables_beside(&self) -> Vec<&Relation> {
        let mut tables = Vec::new();
        self.for_each_aggregate(&mut |node, outer, aggregate| {
            if !self.joins_the_same(node, outer, aggregate) {
                tables.extend(aggregate.rows.nodes.iter().map(|node| &*node.table));
            }
        });
        tables
    }

    /// Whether the rows of an aggregate of a node are those of nodes below it, or of some of their rows.
    fn joins_the_same(&self, node: NodeId, outer: &[Expr], aggregate: &Aggregate) -> bool {
        let mut found: Vec<NodeId> = Vec::new();
        for (at, rows) in aggregate.rows.nodes.iter().enumerate() {
            let of_row = |column: &usize| Expr::from(FieldRef::row(*column));
            let is_it = |candidate: &NodeId| {
                let candidate = &self.nodes[*candidate];
                let Some(link) = &candidate.link else { return false };
                let same_table = (&candidate.table.schema, &candidate.table.name)
                    == (&rows.table.schema, &rows.table.name);
                same_table
                    && match &rows.link {
                        None => {
                            at == 0
                                && link.parent == node
                                && link.child_columns == aggregate.columns
                                && link.parent_columns.iter().map(of_row).eq(outer.iter().cloned())
                        }
                        Some(inner) => {
                            found.get(inner.parent) == Some(&link.parent)
                                && link.child_columns == inner.child_columns
                                && link.parent_columns == inner.parent_columns
                        }
                    }
            };
            match (0..self.nodes.len()).find(is_it) {
                Some(same) => found.push(same),
                None => return false,
            }
        }
        true
    }

    fn for_each_aggregate<'s>(&'s self, each: &mut dyn FnMut(NodeId, &'s [Expr], &'s Aggregate)) {
        for (node, of) in self.nodes.iter().enumerate() {
            of_members(&of.members, &mut |outer, at| {
                if let Some(aggregate) = of.aggregates.get(at) {
                    each(node, outer, aggregate);
                }
            });
        }
    }
}

/// Calls a function with each use of an aggregate in these members of a node, in their order.
fn of_members<'s>(members: &'s [Member], each: &mut dyn FnMut(&'s [Expr], usize)) {
    for member in members {
        match &member.kind {
            MemberKind::Group(inner) => of_members(inner, each),
            MemberKind::Generated { expr, .. } => of_expr(expr, each),
            _ => {}
        }
    }
}

fn of_expr<'s>(expr: &'s Expr, each: &mut dyn FnMut(&'s [Expr], usize)) {
    if let Expr::Aggregate(outer, at) = expr {
        each(outer, *at);
    }
    expr.parts().into_iter().for_each(|part| of_expr(part, each));
}

impl Node {
    /// Puts the aggregates in the order of their first use, each once, and leaves out what no member uses.
    pub fn order_aggregates(&mut self) {
        let mut order: Vec<usize> = Vec::new();
        of_members(&self.members, &mut |_, at| {
            if !order.contains(&at) {
                order.push(at);
            }
        });
        let place = |at: usize| order.iter().position(|known| *known == at).unwrap_or_default();
        renumber(&mut self.members, &place);
        let ordered = order.iter().filter_map(|&at| self.aggregates.get(at).cloned()).collect();
        self.aggregates = ordered;
    }
}

fn renumber(members: &mut [Member], place: &dyn Fn(usize) -> usize) {
    for member in members {
        match &mut member.kind {
            MemberKind::Group(inner) => renumber(inner, place),
            MemberKind::Generated { expr, .. } => renumber_in(expr, place),
            _ => {}
        }
    }
}

fn renumber_in(expr: &mut Expr, place: &dyn Fn(usize) -> usize) {
    if let Expr::Aggregate(_, at) = expr {
        *at = place(*at);
    }
    expr.parts_mut().into_iter().for_each(|part| renumber_in(part, place));
}
