//! Which index has the rows of a table in an order.

use duet_model::{
    CollectionDocument, CollectionIndex, Compare, DocumentField, Expr, IndexKind, NodeId, Relation,
    Shape,
};
use duet_text::Fold;

/// The index from which a page in the order of this value is read: its leading value is this one, or the filter
/// leaves one value of those before.
pub fn order_index<'s>(shape: &'s Shape, filter: &Expr, value: &Expr) -> Option<&'s str> {
    let (inner, fold) = folded(value)?;
    let node = inner.first_field()?.column_at(0).node;
    let table = &shape.nodes[node].table;
    let of_column = || {
        let column = inner.whole_column().filter(|_| fold.is_none())?;
        let is_it = |index: &&duet_model::catalog::Index| {
            index.method == "btree" && index.columns.first() == Some(&column.column)
        };
        table.indexes.iter().find(is_it).map(|index| index.name.as_str())
    };
    let declared = shape.document_of(node).and_then(|document| {
        let name = declared_index(document, table, filter, inner, fold)?;
        table.indexes.iter().map(|index| index.name.as_str()).find(|known| *known == name)
    });
    declared.or_else(of_column)
}

/// The declared index whose documents are in the order of a value: of several, that in which the filter leaves the
/// fewest documents.
fn declared_index(
    document: &CollectionDocument,
    table: &Relation,
    filter: &Expr,
    value: &Expr,
    fold: Option<Fold>,
) -> Option<String> {
    let field = document.field_of(value)?;
    let fixed_before = |index: &CollectionIndex| {
        let place = index.fields().position(|own| own.path == field.path)?;
        let fixed =
            |own: &DocumentField| has_one_value(document, filter, &own.path, index.folded(own));
        let sorts = index.kind.is_ordered()
            && document.is_covered(index, filter)
            && index.fields().nth(place).is_some_and(|own| index.folded(own) == fold)
            && index.fields().take(place).all(fixed)
            && index.is_in(table);
        sorts.then_some((place, index.condition.is_some()))
    };
    let found = document.indexes.iter().filter_map(|index| Some((fixed_before(index)?, index)));
    // The first of those that are alike.
    let best = found.reduce(|best, next| if next.0 > best.0 { next } else { best });
    best.map(|(_, index)| index.name(&table.name))
}

/// The index in which the texts or points nearest to another one follow each other, where a value is the distance from
/// it; and the node of its table.
pub fn nearest_index<'s>(
    shape: &'s Shape,
    filter: &Expr,
    value: &Expr,
) -> Option<(NodeId, &'s CollectionIndex)> {
    let Expr::Function(name @ ("distance" | "point_distance"), operands) = value else {
        return None;
    };
    let (kind, (inner, fold)) = match *name {
        "distance" => (IndexKind::Nearest, folded(operands.first()?)?),
        _ => (IndexKind::Point, (operands.first()?, None)),
    };
    let node = inner.first_field()?.column_at(0).node;
    let (document, table) = (shape.document_of(node)?, &shape.nodes[node].table);
    let field = document.field_of(inner)?;
    let is_it = |index: &&CollectionIndex| {
        index.kind == kind
            && index.field.path == field.path
            && index.holds(fold)
            && document.is_covered(index, filter)
            && index.is_in(table)
    };
    document.indexes.iter().find(is_it).map(|index| (node, index))
}

/// A value, and what it is without.
fn folded(value: &Expr) -> Option<(&Expr, Option<Fold>)> {
    match value {
        Expr::Function(name, arguments) => Some((arguments.first()?, Some(Fold::named(name)?))),
        value => Some((value, None)),
    }
}

/// Whether a filter leaves documents with one value at a path alone.
fn has_one_value(
    document: &CollectionDocument,
    filter: &Expr,
    path: &str,
    fold: Option<Fold>,
) -> bool {
    let is_it = |value: &Expr| {
        folded(value).is_some_and(|(value, without)| {
            without == fold && document.field_of(value).is_some_and(|own| own.path == path)
        })
    };
    match filter {
        Expr::And(parts) => parts.iter().any(|part| has_one_value(document, part, path, fold)),
        Expr::Compare(Compare::Eq, value, other) if matches!(**other, Expr::Operand(..)) => {
            is_it(value)
        }
        // A label that a search names.
        Expr::In(value, list) if matches!(list.as_slice(), [Expr::Operand(..)]) => is_it(value),
        _ => false,
    }
}
