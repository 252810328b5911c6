//! Which index has the rows of a table in an order.

use duet_model::{CollectionIndex, Compare, Document, DocumentField, Expr, Fold, Shape};

/// The index from which a page in the order of this value is read: its leading value is this one, or the filter
/// leaves one value of those before.
pub fn order_index<'s>(shape: &'s Shape, filter: &Expr, value: &Expr) -> Option<&'s str> {
    let (inner, fold) = folded(value)?;
    let node = inner.first_field()?.column_at(0).node;
    let table = &shape.nodes[node].table;
    let of_column = inner.whole_column().filter(|_| fold.is_none()).and_then(|column| {
        let is_it = |index: &&duet_model::catalog::Index| {
            index.method == "btree" && index.columns.first() == Some(&column.column)
        };
        table.indexes.iter().find(is_it)
    });
    of_column.map(|index| index.name.as_str()).or_else(|| {
        let document = shape.document_of(node)?;
        let field = document.field_of(inner)?;
        let sorts = |index: &&CollectionIndex| {
            let Some(place) = index.fields().position(|own| own.path == field.path) else {
                return false;
            };
            let fixed =
                |own: &DocumentField| has_one_value(document, filter, &own.path, index.folded(own));
            index.kind.is_ordered()
                && index.fields().nth(place).is_some_and(|own| index.folded(own) == fold)
                && index.fields().take(place).all(fixed)
        };
        let declared = document.indexes.iter().filter(sorts);
        let mut names = declared.map(|index| index.name(&table.name));
        names.find_map(|name| {
            table.indexes.iter().map(|index| index.name.as_str()).find(|known| *known == name)
        })
    })
}

/// A value, and what it is without.
fn folded(value: &Expr) -> Option<(&Expr, Option<Fold>)> {
    match value {
        Expr::Function(name, arguments) => Some((arguments.first()?, Some(Fold::named(name)?))),
        value => Some((value, None)),
    }
}

/// Whether a filter leaves documents with one value at a path alone.
fn has_one_value(document: &Document, filter: &Expr, path: &str, fold: Option<Fold>) -> bool {
    match filter {
        Expr::And(parts) => parts.iter().any(|part| has_one_value(document, part, path, fold)),
        Expr::Compare(Compare::Eq, value, other) if matches!(**other, Expr::Operand(..)) => {
            folded(value).is_some_and(|(value, without)| {
                without == fold && document.field_of(value).is_some_and(|own| own.path == path)
            })
        }
        _ => false,
    }
}
