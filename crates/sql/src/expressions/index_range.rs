//! Conditions on a column that an index of it can narrow, where the column compares by a function or
//! `LIKE` alone does not find a prefix.

use crate::parts::affixes::Affixes;
use duet_model::catalog::Index;
use duet_model::{ColumnRef, Compare, Expr, RelationKind, Shape, Type, Value};

use super::form::{comparable, in_form};
use crate::parts::spellings::{self, PrefixRange};
use crate::writer::Writer;

/// The range in which an index of the column finds all that a pattern matches, where the store's
/// `LIKE` does not use it. Only columns of tables: a view's computed columns have any type.
pub(crate) fn prefix_range(
    writer: &Writer<'_>,
    shape: &Shape,
    field: ColumnRef,
    pattern: &str,
) -> Option<PrefixRange> {
    let table = &shape.nodes[field.node].table;
    let column = &table.columns[field.column];
    let leads = |index: &&Index| index.columns.first() == Some(&field.column);
    let order = table.indexes.iter().filter(leads).find_map(|index| index.prefixes);
    (table.kind == RelationKind::Table)
        .then(|| writer.dialect.prefix_range(column, order, &spellings::literal_prefix(pattern)))
        .flatten()
}

/// The conditions of such a range, each followed by `AND`.
pub(crate) fn begins(writer: &mut Writer<'_>, shape: &Shape, field: ColumnRef, range: PrefixRange) {
    let column = shape.column(field);
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

/// How many values of a list are looked for one by one; more are compared with every row.
const LISTED: usize = 16;

/// Writes a predicate on a column that compares by a function so that an index of the column can narrow
/// the rows for the function; false, with nothing written, if that is impossible.
pub(crate) fn write_index_range(
    writer: &mut Writer<'_>,
    shape: &Shape,
    field: ColumnRef,
    expr: &Expr,
) -> bool {
    match expr {
        Expr::Compare(operator, _, operand) => {
            constant(operand).is_some_and(|value| compared(writer, shape, field, *operator, value))
        }
        Expr::In(_, list) => one_of(writer, shape, field, list),
        Expr::Between(_, low, high) => {
            let [low, high] = [low, high].map(|end| match end {
                None => Some(None),
                Some(end) => constant(end).map(Some),
            });
            match (low, high) {
                (Some(None), Some(None)) | (None, _) | (_, None) => false,
                (Some(low), Some(high)) => {
                    between(writer, shape, field, &ValueRange { low, high, strict: false })
                }
            }
        }
        _ => false,
    }
}

/// The value of a request or a definition.
fn constant(expr: &Expr) -> Option<&Value> {
    match expr {
        Expr::Operand(value, _) | Expr::Literal(value) if !value.is_null() => Some(value),
        _ => None,
    }
}

fn one_of(writer: &mut Writer<'_>, shape: &Shape, field: ColumnRef, list: &[Expr]) -> bool {
    if !(1..=LISTED).contains(&list.len()) {
        return false;
    }
    let Some(values) = list.iter().map(constant).collect::<Option<Vec<_>>>() else { return false };
    let ty = shape.column_type(field);
    let known = |value: &&Value| !writer.dialect.stored_forms(ty, value).is_empty();
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

fn compared(
    writer: &mut Writer<'_>,
    shape: &Shape,
    field: ColumnRef,
    operator: Compare,
    value: &Value,
) -> bool {
    let (low, high) = match operator {
        Compare::Eq => return equal(writer, shape, field, value),
        Compare::Ne => {
            if writer.dialect.window(shape.column_type(field)).is_none() {
                return false;
            }
            // A stored number is not a point in time, even if it equals the function's value for one.
            writer.text("NOT ");
            return equal(writer, shape, field, value);
        }
        Compare::Lt | Compare::Lte => (None, Some(value)),
        Compare::Gt | Compare::Gte => (Some(value), None),
    };
    let strict = matches!(operator, Compare::Lt | Compare::Gt);
    between(writer, shape, field, &ValueRange { low, high, strict })
}

/// Equality by the stored forms of the value, and then by its meaning.
fn equal(writer: &mut Writer<'_>, shape: &Shape, field: ColumnRef, value: &Value) -> bool {
    let column = shape.column(field);
    if writer.dialect.window(&column.ty).is_some() {
        return in_window(writer, shape, field, &mut |writer, form| {
            writer.bind_in(form, value.clone(), &column.ty, &column.declared);
        });
    }
    let spellings = writer.dialect.stored_forms(&column.ty, value);
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

/// Equality of a column whose type has a [`IndexRange`](crate::dialect::IndexRange) with an operand, which `operand`
/// writes in a form; false, with nothing written, for other types.
pub(crate) fn in_window(
    writer: &mut Writer<'_>,
    shape: &Shape,
    field: ColumnRef,
    operand: &mut dyn FnMut(&mut Writer<'_>, Affixes),
) -> bool {
    let ty = shape.column_type(field);
    let Some(window) = writer.dialect.window(ty) else { return false };
    let means = writer.dialect.comparable(ty);
    let parts = [
        (Affixes::NONE, " >= ", window.earliest),
        (Affixes::NONE, " <= ", window.latest),
        (means, " = ", means),
    ];
    writer.text("(");
    writer.list(parts, " AND ", |writer, (of_column, op, form)| {
        in_form(writer, shape, field, of_column);
        writer.text(op);
        operand(writer, form);
    });
    writer.text(")");
    true
}

/// The values between two ends, of which one may be missing.
struct ValueRange<'v> {
    low: Option<&'v Value>,
    high: Option<&'v Value>,
    /// Whether the ends are left out.
    strict: bool,
}

/// A range of a column whose type has a [`IndexRange`](crate::dialect::IndexRange). What means
/// texts that are no value of the type are in no range; that is false, not unknown, unless it is NULL.
fn between(
    writer: &mut Writer<'_>,
    shape: &Shape,
    field: ColumnRef,
    range: &ValueRange<'_>,
) -> bool {
    let ValueRange { low, high, strict } = *range;
    let column = shape.column(field);
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
