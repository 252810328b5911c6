//! Request filters as SQL conditions.
//!
//! Fields reached by to-one links are columns of joined tables. A predicate on a field below an
//! array becomes `EXISTS` over the tables from the array down: any element satisfies it.

use std::collections::BTreeSet;

use duet_model::{
    Cardinality, Compare, Expr, FieldRef, JsonPredicate, NodeId, RelationKind, Shape, Type, Value,
};

use crate::spellings::{self, PrefixRange};
use crate::{Writer, read};

/// Writes a condition, in parentheses where it needs them.
pub(crate) fn write(writer: &mut Writer<'_>, shape: &Shape, expr: &Expr) {
    condition(writer, shape, expr, Context::Selecting);
}

/// What becomes of a condition's truth.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Context {
    /// Only what is true counts: false and unknown are the same.
    Selecting,
    /// It is negated: false becomes true, unknown does not.
    Negated,
}

fn condition(writer: &mut Writer<'_>, shape: &Shape, expr: &Expr, context: Context) {
    match expr {
        Expr::And(members) if members.is_empty() => truth(writer, true),
        Expr::Or(members) if members.is_empty() => truth(writer, false),
        Expr::In(_, values) if values.is_empty() => truth(writer, false),
        Expr::And(members) => group(writer, shape, members, " AND ", context),
        Expr::Or(members) => group(writer, shape, members, " OR ", context),
        Expr::Not(inner) => {
            writer.text("(NOT ");
            condition(writer, shape, inner, Context::Negated);
            writer.text(")");
        }
        Expr::Compare(field, ..)
        | Expr::In(field, _)
        | Expr::Between(field, ..)
        | Expr::Contains(field, _)
        | Expr::Regex(field, _)
        | Expr::IsNull(field)
        | Expr::Json(field, _)
        | Expr::Like { field, .. } => predicate(writer, shape, *field, expr, context),
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
        | Expr::Regex(field, _)
        | Expr::IsNull(field)
        | Expr::Json(field, _)
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

fn group(
    writer: &mut Writer<'_>,
    shape: &Shape,
    members: &[Expr],
    separator: &'static str,
    context: Context,
) {
    writer.text("(");
    writer.list(members, separator, |writer, member| condition(writer, shape, member, context));
    writer.text(")");
}

fn predicate(
    writer: &mut Writer<'_>,
    shape: &Shape,
    field: FieldRef,
    expr: &Expr,
    context: Context,
) {
    let (_, below) = split_chain(shape, field.node);
    if below.is_empty() {
        return test(writer, shape, field, expr, context);
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
    // EXISTS is false where nothing is true.
    test(writer, shape, field, expr, Context::Selecting);
    writer.text(")");
}

/// The predicate itself, on a column that is in reach.
fn test(writer: &mut Writer<'_>, shape: &Shape, field: FieldRef, expr: &Expr, context: Context) {
    let column = &shape.nodes[field.node].table.columns[field.column];
    let bind = |writer: &mut Writer<'_>, value: &Value| {
        let ty = operand_type(&column.ty, value);
        let form = writer.dialect.comparable(&ty);
        writer.bind_in(form, value.clone(), &ty, &column.declared);
    };
    if narrowed(writer, shape, field, expr) {
        return;
    }
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
            let may_narrow = !ignore_case && context == Context::Selecting;
            let range = may_narrow.then(|| prefix_range(writer, shape, field, pattern)).flatten();
            if let Some(range) = range {
                writer.text("(");
                begins(writer, shape, field, range);
                call(writer, shape, field, parts, pattern);
                writer.text(")");
            } else {
                call(writer, shape, field, parts, pattern);
            }
        }
        Expr::Contains(_, text) => {
            let parts = writer.dialect.contains();
            call(writer, shape, field, parts, text);
        }
        Expr::Regex(_, pattern) => {
            let parts = writer.dialect.regex(column);
            call(writer, shape, field, parts, pattern);
        }
        Expr::IsNull(_) => {
            writer.column(field.node, &column.name);
            writer.text(" IS NULL");
        }
        Expr::Json(_, predicate) => inside(writer, shape, field, predicate, context),
        Expr::And(_) | Expr::Or(_) | Expr::Not(_) => condition(writer, shape, expr, context),
    }
}

/// A test of the values inside a JSON column; where it is negated, NULL has none of them.
fn inside(
    writer: &mut Writer<'_>,
    shape: &Shape,
    field: FieldRef,
    predicate: &JsonPredicate,
    context: Context,
) {
    let column = &shape.nodes[field.node].table.columns[field.column];
    let [before, between, after] = writer.dialect.json_test();
    let operand = writer.dialect.json_operand(predicate);
    writer.text(if context == Context::Negated { "coalesce(" } else { "(" });
    writer.text(before);
    writer.column(field.node, &column.name);
    writer.text(between);
    writer.bind(Value::Text(operand), &Type::Text, "text");
    writer.text(after);
    if context == Context::Negated {
        writer.text(", ");
        truth(writer, false);
    }
    writer.text(")");
}

/// The range in which an index of the column finds all that a pattern matches, where the store's
/// `LIKE` does not find it by itself. Columns of tables alone: what a view computes has any type.
fn prefix_range(
    writer: &Writer<'_>,
    shape: &Shape,
    field: FieldRef,
    pattern: &str,
) -> Option<PrefixRange> {
    let table = &shape.nodes[field.node].table;
    let column = &table.columns[field.column];
    let leads = |index: &&duet_model::catalog::Index| index.columns.first() == Some(&field.column);
    let order = table.indexes.iter().filter(leads).find_map(|index| index.prefixes);
    (table.kind == RelationKind::Table)
        .then(|| writer.dialect.prefix_range(column, order, &spellings::literal_prefix(pattern)))
        .flatten()
}

/// The conditions of such a range, each with `AND` behind it.
fn begins(writer: &mut Writer<'_>, shape: &Shape, field: FieldRef, range: PrefixRange) {
    let column = &shape.nodes[field.node].table.columns[field.column];
    let PrefixRange { operators, collation, low, behind } = range;
    for (op, end) in operators.into_iter().zip([Some(low), behind]) {
        let Some(end) = end else { continue };
        writer.column(field.node, &column.name);
        writer.text(op);
        writer.bind(Value::Text(end), &Type::Text, "text");
        writer.text(collation);
        writer.text(" AND ");
    }
}

/// How many values of a list are looked for one by one; more are held against every row.
const LISTED: usize = 16;

/// Writes a predicate on a column that compares by a function so that an index of the column can narrow
/// what the function is asked of; false, with nothing written, where that cannot be.
fn narrowed(writer: &mut Writer<'_>, shape: &Shape, field: FieldRef, expr: &Expr) -> bool {
    match expr {
        Expr::Compare(_, Compare::Eq, value) => equal(writer, shape, field, value),
        Expr::In(_, values) if (1..=LISTED).contains(&values.len()) => {
            let ty = shape.field_type(field);
            let known = |value| !writer.dialect.spellings(ty, value).is_empty();
            if writer.dialect.window(ty).is_none() && !values.iter().all(known) {
                return false;
            }
            writer.text("(");
            writer.list(values, " OR ", |writer, value| {
                equal(writer, shape, field, value);
            });
            writer.text(")");
            true
        }
        Expr::Compare(_, Compare::Ne, value) => {
            if writer.dialect.window(shape.field_type(field)).is_none() {
                return false;
            }
            // A number that is stored is no moment, even where it is the function's for one.
            writer.text("NOT ");
            equal(writer, shape, field, value)
        }
        Expr::Compare(_, op, value) => {
            let (low, high) = match op {
                Compare::Lt | Compare::Lte => (None, Some(value)),
                Compare::Gt | Compare::Gte => (Some(value), None),
                Compare::Eq | Compare::Ne => return false,
            };
            let strict = matches!(op, Compare::Lt | Compare::Gt);
            between(writer, shape, field, (low, high), strict)
        }
        Expr::Between(_, low, high) if low.is_some() || high.is_some() => {
            between(writer, shape, field, (low.as_ref(), high.as_ref()), false)
        }
        _ => false,
    }
}

/// Equality by what may be stored for the value, and then by what it means.
fn equal(writer: &mut Writer<'_>, shape: &Shape, field: FieldRef, value: &Value) -> bool {
    let column = &shape.nodes[field.node].table.columns[field.column];
    if writer.dialect.window(&column.ty).is_some() {
        return in_window(writer, shape, field, &mut |writer, form| {
            writer.bind_in(form, value.clone(), &column.ty, &column.declared);
        });
    }
    let spellings = writer.dialect.spellings(&column.ty, value);
    if spellings.is_empty() {
        return false;
    }
    writer.text("((");
    writer.list(spellings, " OR ", |writer, (low, high, ty)| {
        writer.column(field.node, &column.name);
        if low == high {
            writer.text(" = ");
            return writer.bind(low, &ty, &column.declared);
        }
        writer.text(" BETWEEN ");
        writer.bind(low, &ty, &column.declared);
        writer.text(" AND ");
        writer.bind(high, &ty, &column.declared);
    });
    writer.text(") AND ");
    comparable(writer, shape, field);
    writer.text(" = ");
    let form = writer.dialect.comparable(&column.ty);
    writer.bind_in(form, value.clone(), &column.ty, &column.declared);
    writer.text(")");
    true
}

/// Equality of a column whose type has a [`Window`](crate::Window) with an operand, which `operand`
/// writes in a form; false, with nothing written, for other types.
pub(crate) fn in_window(
    writer: &mut Writer<'_>,
    shape: &Shape,
    field: FieldRef,
    operand: &mut dyn FnMut(&mut Writer<'_>, (&'static str, &'static str)),
) -> bool {
    let ty = shape.field_type(field);
    let Some(window) = writer.dialect.window(ty) else { return false };
    let means = writer.dialect.comparable(ty);
    let parts = [("", "", " >= ", window.earliest), ("", "", " <= ", window.latest)];
    let parts = parts.into_iter().chain([(means.0, means.1, " = ", means)]);
    writer.text("(");
    writer.list(parts, " AND ", |writer, (before, after, op, form)| {
        in_form(writer, shape, field, (before, after));
        writer.text(op);
        operand(writer, form);
    });
    writer.text(")");
    true
}

/// A range of a column whose type has a [`Window`](crate::Window), `strict` without its ends. What means
/// nothing of the type is in no range; and that is false, not unknown, as long as it is not NULL.
fn between(
    writer: &mut Writer<'_>,
    shape: &Shape,
    field: FieldRef,
    (low, high): (Option<&Value>, Option<&Value>),
    strict: bool,
) -> bool {
    let column = &shape.nodes[field.node].table.columns[field.column];
    let Some(window) = writer.dialect.window(&column.ty) else { return false };
    let means = writer.dialect.comparable(&column.ty);
    let bind = |writer: &mut Writer<'_>, form, value: &Value| {
        writer.bind_in(form, value.clone(), &column.ty, &column.declared);
    };
    writer.text("(");
    writer.column(field.node, &column.name);
    writer.text(" >= ");
    match low {
        Some(low) => bind(writer, window.earliest, low),
        None => writer.text(window.least),
    }
    if let Some(high) = high {
        writer.text(" AND ");
        writer.column(field.node, &column.name);
        writer.text(" <= ");
        bind(writer, window.latest, high);
    }
    writer.text(" AND ");
    comparable(writer, shape, field);
    if let Some(low) = low {
        writer.text(" BETWEEN ");
        bind(writer, means, low);
        writer.text(if strict { " + 1 AND " } else { " AND " });
    } else {
        writer.text(" <= ");
    }
    match high {
        Some(high) => bind(writer, means, high),
        None => writer.text(window.most),
    }
    writer.text(if strict && high.is_some() { " - 1)" } else { ")" });
    true
}

/// An integer column compared with a decimal text is compared as a decimal.
fn operand_type(column: &Type, value: &Value) -> Type {
    match (column, value) {
        (Type::Integer { .. }, Value::Text(_)) => Type::Decimal { scale: None },
        (Type::Integer { .. }, Value::Float(_)) => Type::Float { bits: 64 },
        _ => column.clone(),
    }
}

/// A function of a column's text and another one; the column's text is what is selected of it.
fn call(
    writer: &mut Writer<'_>,
    shape: &Shape,
    field: FieldRef,
    [before, between, after]: [&'static str; 3],
    text: &str,
) {
    writer.text(before);
    let form = match shape.field_type(field) {
        Type::Inet => writer.dialect.selected(&Type::Inet),
        _ => ("", ""),
    };
    in_form(writer, shape, field, form);
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
