//! What a statement of a service needs and gives, as the database sees it when it prepares the statement.

use duet_model::{Column, Result};
use duet_sql::Statement;

use crate::store::{Store, blocking};

/// What the database says of a statement: the columns of its result, none where it gives no rows.
pub type Described = Result<Vec<Column>, StatementMistake>;

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

impl Store {
    /// Prepares statements and says what each gives; none of them is run.
    ///
    /// # Errors
    /// If the database cannot be queried. The mistake of a statement is in its element of the answer.
    pub async fn describe_statements(&self, statements: Vec<Statement>) -> Result<Vec<Described>> {
        if statements.is_empty() {
            return Ok(Vec::new());
        }
        match self {
            Self::Sqlite(database) => {
                let database = std::sync::Arc::clone(database);
                blocking(move || database.describe_statements(&statements)).await
            }
            Self::Postgres(database) => database.describe_statements(&statements).await,
        }
    }
}

/// The byte at which the character of this number begins, from 0.
pub(crate) fn byte_of_character(text: &str, number: usize) -> usize {
    text.char_indices().nth(number).map_or(text.len(), |(at, _)| at)
}
