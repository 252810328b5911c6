//! Request filters as SQL conditions.
//!
//! Fields reached by to-one links are columns of joined tables. A predicate on a field below an
//! array becomes `EXISTS` over the tables from the array down: any element satisfies it.

use std::collections::BTreeSet;

use duet_model::{Cardinality, Expr, NodeId, Shape};

use crate::expr::{Context, Printer, connect};
use crate::joins;
use crate::writer::Writer;

/// Writes a condition, in parentheses where it needs them.
pub(crate) fn write(writer: &mut Writer<'_>, shape: &Shape, expr: &Expr) {
    connect(writer, expr, Context::Selecting, &|writer, expr, context| {
        predicate(writer, shape, expr, context);
    });
}

/// The nodes that must be joined to the root for this filter: those reached by to-one links.
pub(crate) fn joined_nodes(shape: &Shape, expr: &Expr, out: &mut BTreeSet<NodeId>) {
    match expr {
        Expr::And(parts) | Expr::Or(parts) => {
            parts.iter().for_each(|part| joined_nodes(shape, part, out));
        }
        Expr::Not(inner) | Expr::NotTrue(inner) => joined_nodes(shape, inner, out),
        predicate => {
            let Some(field) = predicate.first_field() else { return };
            let (outside, _) = split_chain(shape, field.column_at(0).node);
            out.extend(outside.into_iter().filter(|node| *node != 0));
        }
    }
}

/// The nodes from the root to this one: first those reached by to-one links alone, then the rest,
/// which begins with a to-many node.
fn split_chain(shape: &Shape, node: NodeId) -> (Vec<NodeId>, Vec<NodeId>) {
    let mut chain = vec![node];
    let mut at = node;
    while let Some(link) = &shape.nodes[at].link {
        at = link.parent;
        chain.push(at);
    }
    chain.reverse();
    let many = |node: &NodeId| {
        shape.nodes[*node].link.as_ref().is_some_and(|link| link.cardinality == Cardinality::Many)
    };
    let first_many = chain.iter().position(many).unwrap_or(chain.len());
    let below = chain.split_off(first_many);
    (chain, below)
}

fn predicate(writer: &mut Writer<'_>, shape: &Shape, expr: &Expr, context: Context) {
    let printer = Printer::of(shape, 0);
    let node = expr.first_field().map_or(0, |field| field.column_at(0).node);
    let (_, below) = split_chain(shape, node);
    let Some(&first) = below.first() else { return printer.leaf(writer, expr, context) };
    writer.text("EXISTS (SELECT 1 FROM ");
    joins::table(writer, shape, first);
    for &node in &below[1..] {
        joins::join(writer, shape, node, " JOIN ");
    }
    writer.text(" WHERE ");
    joins::link_condition(writer, shape, first);
    joins::row_filter(writer, shape, first, " AND ");
    writer.text(" AND ");
    // EXISTS is false where nothing is true.
    printer.leaf(writer, expr, Context::Selecting);
    writer.text(")");
}
