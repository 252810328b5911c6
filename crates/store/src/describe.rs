//! What a statement of a service needs and gives, as the database sees it when it prepares the statement.

use duet_model::{Column, Result};

/// What the database says of a statement: the columns of its result, none where it gives no rows.
pub type StatementDescription = Result<Vec<Column>, StatementMistake>;

/// Why a statement cannot be prepared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatementMistake {
    /// The database's words; for the operator alone.
    pub message: String,
    /// The database's hint.
    pub hint: Option<String>,
    /// The place in the statement's text, in bytes.
    pub offset: Option<usize>,
}

/// The byte at which the character of this number begins, from 0.
pub fn byte_of_character(text: &str, number: usize) -> usize {
    text.char_indices().nth(number).map_or(text.len(), |(at, _)| at)
}
