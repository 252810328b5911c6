//! Comments of the database, as descriptions.

/// A comment with a full stop at its end.
pub(super) fn sentence(comment: &str) -> String {
    let comment = comment.trim();
    let dot = if comment.is_empty() || comment.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{comment}{dot}")
}
