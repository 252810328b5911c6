//! Columns in the forms in which a store compares, orders or returns them.

use crate::parts::affixes::Affixes;
use duet_model::{Column, ColumnRef, Shape};

use crate::dialect::Dialect;
use crate::writer::Writer;

/// The SQL text around a column by which pages are ordered.
pub(crate) fn sortable(dialect: &dyn Dialect, column: &Column) -> Affixes {
    if column.sorts_as_text { Affixes::NONE } else { dialect.sortable(&column.ty) }
}

/// Whether an order by the column is one that an index of the column has.
pub fn is_ordered_by_index(dialect: &dyn Dialect, column: &Column) -> bool {
    sortable(dialect, column) == Affixes::NONE
}

/// A column in the form in which it compares by its type's meaning.
pub(crate) fn comparable(writer: &mut Writer<'_>, shape: &Shape, column: ColumnRef) {
    let form = writer.dialect.comparable(shape.column_type(column));
    in_form(writer, shape, column, form);
}

/// A column in a form.
pub(crate) fn in_form(writer: &mut Writer<'_>, shape: &Shape, column: ColumnRef, form: Affixes) {
    writer.text(form.before);
    writer.column(column.node, &shape.column(column).name);
    writer.text(form.after);
}
