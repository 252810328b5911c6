//! Columns in the forms in which a store compares, orders or returns them.

use duet_model::{ColumnRef, Shape};

use crate::writer::Writer;

/// A column in the form in which it compares by its type's meaning.
pub(crate) fn comparable(writer: &mut Writer<'_>, shape: &Shape, column: ColumnRef) {
    let form = writer.dialect.comparable(shape.column_type(column));
    in_form(writer, shape, column, form);
}

/// A column in a form.
pub(crate) fn in_form(
    writer: &mut Writer<'_>,
    shape: &Shape,
    column: ColumnRef,
    (before, after): (&'static str, &'static str),
) {
    writer.text(before);
    writer.column(column.node, &shape.column(column).name);
    writer.text(after);
}
