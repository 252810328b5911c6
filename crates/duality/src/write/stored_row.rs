//! Rows as they are before a write.

use duet_model::RowTree;

/// A row that is stored.
#[derive(Clone, Copy)]
pub(super) struct StoredRow<'r, 't> {
    /// The row.
    pub(super) row: &'r RowTree<'t>,
    /// Whether it is at this position of the stored document; otherwise it was found elsewhere.
    pub(super) in_place: bool,
}

impl<'r, 't> StoredRow<'r, 't> {
    pub(super) fn in_place(row: &'r RowTree<'t>) -> Self {
        Self { row, in_place: true }
    }

    pub(super) fn elsewhere(row: &'r RowTree<'t>) -> Self {
        Self { row, in_place: false }
    }
}
