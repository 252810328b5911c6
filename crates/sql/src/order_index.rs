//! Which index has the rows of a table in an order.

use duet_model::{Expr, Fold, Shape};

/// The index whose leading value is this one, so that a page in its order is read from it.
pub fn order_index<'s>(shape: &'s Shape, value: &Expr) -> Option<&'s str> {
    let (inner, fold) = match value {
        Expr::Function(name, arguments) => (arguments.first()?, Some(Fold::named(name)?)),
        value => (value, None),
    };
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
        let mut declared = document.indexes.iter().filter(|index| index.kind.is_ordered());
        let declared = declared.find(|it| it.field.path == field.path && it.holds(fold))?;
        let name = declared.name(&table.name);
        table.indexes.iter().map(|index| index.name.as_str()).find(|known| *known == name)
    })
}
