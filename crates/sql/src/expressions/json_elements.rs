//! The values at a path inside a document as an array, which an index can have.

use duet_model::{ColumnRef, Shape};

use crate::writer::Writer;

/// Writes them; the texts are those of [`JsonSyntax::json_elements`](crate::JsonSyntax::json_elements).
pub(crate) fn array(
    writer: &mut Writer<'_>,
    shape: &Shape,
    column: ColumnRef,
    path: &[String],
    [before, between, after]: [&'static str; 3],
) {
    let path = writer.dialect.json_elements_path(path);
    writer.text(before);
    writer.column(column.node, &shape.column(column).name);
    writer.text(between);
    writer.quoted(&path);
    writer.text(after);
}
