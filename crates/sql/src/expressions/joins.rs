//! Tables and how the nodes of a shape are joined, each with its row filter.

use duet_model::{NodeId, Shape};

use super::expr;
use crate::writer::Writer;

/// `schema.table AS tN`.
pub(crate) fn table(writer: &mut Writer<'_>, shape: &Shape, node: NodeId) {
    writer.relation(&shape.nodes[node].table);
    writer.text(" AS ");
    writer.alias(node);
}

/// Joins a node to its parent, its row filter in the condition.
pub(crate) fn join(writer: &mut Writer<'_>, shape: &Shape, node: NodeId, kind: &'static str) {
    writer.text(kind);
    table(writer, shape, node);
    writer.text(" ON ");
    link_condition(writer, shape, node);
    row_filter(writer, shape, node, " AND ");
}

/// `child.column = parent.column AND …`.
pub(crate) fn link_condition(writer: &mut Writer<'_>, shape: &Shape, node: NodeId) {
    let Some(link) = &shape.nodes[node].link else { return };
    let pairs = link.child_columns.iter().zip(&link.parent_columns);
    writer.list(pairs, " AND ", |writer, (&child, &parent)| {
        writer.column(node, &shape.nodes[node].table.columns[child].name);
        writer.text(" = ");
        writer.column(link.parent, &shape.nodes[link.parent].table.columns[parent].name);
    });
}

/// The node's static row filter, if any, after the text `before`.
pub(crate) fn row_filter(
    writer: &mut Writer<'_>,
    shape: &Shape,
    node: NodeId,
    before: &'static str,
) {
    if let Some(expr) = &shape.nodes[node].filter {
        writer.text(before);
        expr::Printer::of(shape, node).write(writer, expr);
    }
}
