//! Request filters as SQL conditions.
//!
//! Fields reached by to-one links are columns of joined tables. A predicate on a field below an
//! array becomes `EXISTS` over the tables from the array down: any element satisfies it.

use std::collections::BTreeSet;

use duet_model::{Cardinality, Compare, Expr, FieldRef, NodeId, Shape, Type, Value};

use crate::{Writer, read};

/// Writes a condition, in parentheses where it needs them.
pub(crate) fn write(writer: &mut Writer<'_>, shape: &Shape, expr: &Expr) {
    match expr {
        Expr::And(members) if members.is_empty() => truth(writer, true),
        Expr::Or(members) if members.is_empty() => truth(writer, false),
        Expr::In(_, values) if values.is_empty() => truth(writer, false),
        Expr::And(members) => group(writer, shape, members, " AND "),
        Expr::Or(members) => group(writer, shape, members, " OR "),
        Expr::Not(inner) => {
            writer.text("(NOT ");
            write(writer, shape, inner);
            writer.text(")");
        }
        Expr::Compare(field, ..)
        | Expr::In(field, _)
        | Expr::Between(field, ..)
        | Expr::Contains(field, _)
        | Expr::IsNull(field)
        | Expr::Like { field, .. } => predicate(writer, shape, *field, expr),
    }
}

/// The nodes that must be joined to the root for this filter: those reached by to-one links.
pub(crate) fn joined_nodes(shape: &Shape, expr: &Expr, out: &mut BTreeSet<NodeId>) {
    match expr {
        Expr::And(members) | Expr::Or(members) => {
            members.iter().for_each(|member| joined_nodes(shape, member, out));
        }
        Expr::Not(inner) => joined_nodes(shape, inner, out),
        Expr::Compare(field, ..)
        | Expr::In(field, _)
        | Expr::Between(field, ..)
        | Expr::Contains(field, _)
        | Expr::IsNull(field)
        | Expr::Like { field, .. } => {
            let (outside, _) = split_chain(shape, field.node);
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

fn truth(writer: &mut Writer<'_>, value: bool) {
    let truth = writer.dialect.truth(value);
    writer.text(truth);
}

fn group(writer: &mut Writer<'_>, shape: &Shape, members: &[Expr], separator: &'static str) {
    writer.text("(");
    writer.list(members, separator, |writer, member| write(writer, shape, member));
    writer.text(")");
}

fn predicate(writer: &mut Writer<'_>, shape: &Shape, field: FieldRef, expr: &Expr) {
    let (_, below) = split_chain(shape, field.node);
    if below.is_empty() {
        return test(writer, shape, field, expr);
    }
    writer.text("EXISTS (SELECT 1 FROM ");
    let first = below[0];
    read::table(writer, shape, first);
    for &node in &below[1..] {
        read::join(writer, shape, node, " JOIN ");
    }
    writer.text(" WHERE ");
    read::link_condition(writer, shape, first);
    read::row_filter(writer, shape, first, " AND ");
    writer.text(" AND ");
    test(writer, shape, field, expr);
    writer.text(")");
}

/// The predicate itself, on a column that is in reach.
fn test(writer: &mut Writer<'_>, shape: &Shape, field: FieldRef, expr: &Expr) {
    let column = &shape.nodes[field.node].table.columns[field.column];
    let bind = |writer: &mut Writer<'_>, value: &Value| {
        let ty = operand_type(&column.ty, value);
        let form = writer.dialect.comparable(&ty);
        writer.bind_in(form, value.clone(), &ty, &column.declared);
    };
    match expr {
        Expr::Compare(_, op, value) => {
            comparable(writer, shape, field);
            writer.text(compare(*op));
            bind(writer, value);
        }
        Expr::In(_, values) => {
            comparable(writer, shape, field);
            writer.text(" IN (");
            writer.list(values, ", ", |writer, value| bind(writer, value));
            writer.text(")");
        }
        Expr::Between(_, low, high) => {
            let ends = [(low, " >= "), (high, " <= ")];
            let given = ends.iter().filter_map(|(end, op)| end.as_ref().map(|end| (end, *op)));
            writer.text("(");
            if low.is_none() && high.is_none() {
                comparable(writer, shape, field);
                writer.text(" IS NOT NULL");
            }
            writer.list(given, " AND ", |writer, (end, op)| {
                comparable(writer, shape, field);
                writer.text(op);
                bind(writer, end);
            });
            writer.text(")");
        }
        Expr::Like { pattern, ignore_case, .. } => {
            let parts = writer.dialect.like(*ignore_case);
            call(writer, field, &column.name, parts, pattern);
        }
        Expr::Contains(_, text) => {
            let parts = writer.dialect.contains();
            call(writer, field, &column.name, parts, text);
        }
        Expr::IsNull(_) => {
            writer.column(field.node, &column.name);
            writer.text(" IS NULL");
        }
        Expr::And(_) | Expr::Or(_) | Expr::Not(_) => write(writer, shape, expr),
    }
}

/// An integer column compared with a decimal text is compared as a decimal.
fn operand_type(column: &Type, value: &Value) -> Type {
    match (column, value) {
        (Type::Integer { .. }, Value::Text(_)) => Type::Decimal { scale: None },
        (Type::Integer { .. }, Value::Float(_)) => Type::Float { bits: 64 },
        _ => column.clone(),
    }
}

fn call(
    writer: &mut Writer<'_>,
    field: FieldRef,
    column: &str,
    [before, between, after]: [&'static str; 3],
    text: &str,
) {
    writer.text(before);
    writer.column(field.node, column);
    writer.text(between);
    writer.bind(Value::Text(text.to_owned()), &Type::Text, "text");
    writer.text(after);
}

/// A column in the form in which it compares by its type's meaning.
pub(crate) fn comparable(writer: &mut Writer<'_>, shape: &Shape, field: FieldRef) {
    let form = writer.dialect.comparable(shape.field_type(field));
    in_form(writer, shape, field, form);
}

/// A column in a form.
pub(crate) fn in_form(
    writer: &mut Writer<'_>,
    shape: &Shape,
    field: FieldRef,
    (before, after): (&'static str, &'static str),
) {
    let column = &shape.nodes[field.node].table.columns[field.column];
    writer.text(before);
    writer.column(field.node, &column.name);
    writer.text(after);
}

pub(crate) fn compare(op: Compare) -> &'static str {
    match op {
        Compare::Eq => " = ",
        Compare::Ne => " <> ",
        Compare::Lt => " < ",
        Compare::Lte => " <= ",
        Compare::Gt => " > ",
        Compare::Gte => " >= ",
    }
}
