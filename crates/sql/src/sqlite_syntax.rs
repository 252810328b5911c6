//! What statements of SQLite have in common with the triggers that keep its tables beside a collection's.

use duet_text::Fold;

/// The names of the row number; the first that is not a column's name is used.
pub(crate) const ROW_NUMBERS: &[&str] = &["rowid", "_rowid_", "oid"];

/// What is before and behind a text to fold it.
pub(crate) fn folding(fold: Fold) -> [&'static str; 2] {
    match fold {
        Fold::Case => ["duet_fold_case(", ")"],
        Fold::Accents => ["duet_fold_accents(", ")"],
        Fold::Both => ["duet_fold(", ")"],
    }
}
