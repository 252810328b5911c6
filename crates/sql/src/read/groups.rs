//! The statement that makes groups of rows: a column for each key, then one for each aggregate.

use std::collections::BTreeSet;

use crate::parts::affixes::Affixes;
use duet_model::group_function::MEAN_DECIMALS;
use duet_model::groups::{ELEMENT, column_name};
use duet_model::{
    Expr, FieldRef, GroupAggregate, GroupFunction, GroupedElements, GroupedValue, Groups, Scope,
    Type,
};

use crate::expressions::condition;
use crate::expressions::expr::Printer;
use crate::expressions::joins::{row_filter, table};
use crate::parts::joined::JoinedPiece;
use crate::writer::Writer;

/// Writes the statement without parentheses.
pub(crate) fn write(writer: &mut Writer<'_>, groups: &Groups) {
    let shape = &*groups.shape;
    let of_aggregates = groups.aggregates.iter().filter_map(|aggregate| aggregate.of.as_ref());
    let mut nodes = BTreeSet::new();
    condition::joined_nodes(shape, &groups.filter, &mut nodes);
    for value in groups.keys.iter().chain(of_aggregates) {
        condition::joined_nodes(shape, &value.value, &mut nodes);
    }
    writer.text("SELECT ");
    columns(writer, groups);
    writer.text(" FROM ");
    table(writer, shape, 0);
    condition::join_nodes(writer, shape, &groups.filter, &nodes);
    if let Some(of) = &groups.elements {
        elements(writer, groups, of);
    }
    writer.text(" WHERE ");
    condition::write(writer, shape, &groups.filter);
    row_filter(writer, shape, 0, " AND ");
    if groups.keys.is_empty() {
        return;
    }
    writer.text(" GROUP BY ");
    writer.list(groups.keys.iter().enumerate(), ", ", |writer, (at, key)| {
        // By its position: a value that is a parameter would be another expression here.
        if is_compared_as_stored(writer, key) {
            return writer.number(at + 1);
        }
        compared(writer, groups, key);
    });
}

/// The source of the elements.
fn elements(writer: &mut Writer<'_>, groups: &Groups, of: &GroupedElements) {
    let scope = Scope::Node(of.column.node);
    let document = FieldRef { scope, column: of.column.column, path: Vec::new() };
    for piece in writer.dialect.element_values(&of.path) {
        match piece {
            JoinedPiece::Text(text) => writer.text(text),
            JoinedPiece::Document => {
                Printer::of(&groups.shape, of.column.node).document(writer, &document);
            }
            JoinedPiece::Quoted(text) => writer.quoted(&text),
        }
    }
}

fn columns(writer: &mut Writer<'_>, groups: &Groups) {
    let aliased = |writer: &mut Writer<'_>, at: usize| {
        writer.text(" AS ");
        writer.identifier(&column_name(at));
    };
    writer.list(groups.keys.iter().enumerate(), ", ", |writer, (at, key)| {
        // Values that are the same may be stored in several forms, of which one is shown.
        let is_as_stored = is_compared_as_stored(writer, key);
        writer.text(if is_as_stored { "" } else { "min(" });
        value(writer, groups, key);
        writer.text(if is_as_stored { "" } else { ")" });
        aliased(writer, at);
    });
    let first = groups.keys.len();
    writer.text(if first > 0 && !groups.aggregates.is_empty() { ", " } else { "" });
    writer.list(groups.aggregates.iter().enumerate(), ", ", |writer, (at, one)| {
        aggregate(writer, groups, one);
        aliased(writer, first + at);
    });
}

fn is_compared_as_stored(writer: &Writer<'_>, value: &GroupedValue) -> bool {
    writer.dialect.comparable(&value.ty) == Affixes::NONE
}

/// A value in the form in which its type compares.
fn compared(writer: &mut Writer<'_>, groups: &Groups, of: &GroupedValue) {
    let Affixes { before, after } = writer.dialect.comparable(&of.ty);
    writer.text(before);
    value(writer, groups, of);
    writer.text(after);
}

fn value(writer: &mut Writer<'_>, groups: &Groups, of: &GroupedValue) {
    if matches!(of.value, Expr::Function(ELEMENT, _)) {
        let element = writer.dialect.element_value();
        return writer.text(element);
    }
    let printer = Printer::of(&groups.shape, 0);
    match of.value.whole_column() {
        Some(_) => printer.value(writer, &of.value),
        None => printer.computed(writer, &of.value, &of.ty),
    }
}

fn aggregate(writer: &mut Writer<'_>, groups: &Groups, aggregate: &GroupAggregate) {
    let Some(of) = &aggregate.of else { return writer.text("count(*)") };
    match aggregate.function {
        GroupFunction::Count => {
            writer.text("count(");
            value(writer, groups, of);
            writer.text(")");
        }
        GroupFunction::CountDistinct => {
            writer.text("count(DISTINCT ");
            compared(writer, groups, of);
            writer.text(")");
        }
        GroupFunction::Sum => number(writer, groups, "sum(", of, Decimals::of_sum(&of.ty)),
        GroupFunction::Average => {
            number(writer, groups, "avg(", of, Decimals::AtMost(MEAN_DECIMALS));
        }
        GroupFunction::Min => extreme(writer, groups, "min(", of),
        GroupFunction::Max => extreme(writer, groups, "max(", of),
    }
}

/// How many decimals a sum or a mean of exact numbers has.
#[derive(Clone, Copy)]
enum Decimals {
    /// None: it is a sum of integers.
    None,
    /// As many as its values.
    Exactly(u8),
    /// So many, without zeros at its end.
    AtMost(u8),
}

impl Decimals {
    /// Those of a sum of numbers of a type.
    fn of_sum(ty: &Type) -> Self {
        match ty {
            Type::Integer { .. } => Self::None,
            Type::Decimal { scale: Some(scale) } => Self::Exactly(*scale),
            // As many as computed numbers have.
            _ => Self::AtMost(10),
        }
    }
}

fn number(
    writer: &mut Writer<'_>,
    groups: &Groups,
    function: &'static str,
    of: &GroupedValue,
    decimals: Decimals,
) {
    let syntax = writer.dialect.groups();
    let form = match (&of.ty, decimals) {
        (Type::Float { .. }, _) => &syntax.of_floats,
        (_, Decimals::None) => &syntax.of_integers,
        (_, Decimals::Exactly(_)) => &syntax.with_decimals,
        (_, Decimals::AtMost(_)) => &syntax.rounded,
    };
    writer.text(form.before);
    writer.text(function);
    writer.text(form.before_value);
    value(writer, groups, of);
    writer.text(form.after);
    if let (Some(end), Decimals::Exactly(digits) | Decimals::AtMost(digits)) =
        (form.digits, decimals)
    {
        writer.number(usize::from(digits));
        writer.text(end);
    }
}

fn is_moment(ty: &Type) -> bool {
    matches!(ty, Type::Timestamp | Type::TimestampTz)
}

/// The least or the greatest value, which is one of those that are stored.
fn extreme(writer: &mut Writer<'_>, groups: &Groups, function: &'static str, of: &GroupedValue) {
    let moments = writer.dialect.groups().moments.filter(|_| is_moment(&of.ty));
    let Some([before, before_value, between, after]) = moments else {
        writer.text(function);
        value(writer, groups, of);
        return writer.text(")");
    };
    writer.text(before);
    writer.text(function);
    writer.text(before_value);
    value(writer, groups, of);
    writer.text(between);
    value(writer, groups, of);
    writer.text(after);
}
