//! What may be changed unless an annotation says otherwise.

use duet_model::Relation;
use duet_model::catalog::GeneratedValue;

/// Whether a column may be changed unless an annotation says otherwise.
pub(crate) fn updatable(table: &Relation, column: usize) -> bool {
    !table.identity().contains(&column)
        && table.columns[column].generated != GeneratedValue::Computed
}
