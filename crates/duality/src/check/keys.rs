//! Keys of tables: what they make unique.

use duet_model::Relation;

/// Whether the columns contain a key, so that they name one row at most.
pub(super) fn unique(table: &Relation, columns: &[usize]) -> bool {
    let contained =
        |key: &[usize]| !key.is_empty() && key.iter().all(|column| columns.contains(column));
    contained(&table.primary_key) || table.unique_keys.iter().any(|key| contained(&key.columns))
}
