//! The result of a statement of a service, as SQLite prepares it.

use duet_sql::Statement;
use duet_store::describe::{StatementDescription, StatementMistake};
use rusqlite::{Connection, Error};

use super::view;

/// Prepares a statement and returns the columns of its result.
///
/// # Errors
/// If another program's lock blocks it.
pub(crate) fn describe(
    connection: &Connection,
    statement: &Statement,
) -> rusqlite::Result<StatementDescription> {
    let prepared = match connection.prepare(&statement.sql) {
        Ok(prepared) => prepared,
        Err(error) if super::is_lock(&error) => return Err(error),
        Err(error) => return Ok(Err(mistake(&error))),
    };
    view::columns_of(&prepared, &[]).map(Ok)
}

fn mistake(error: &Error) -> StatementMistake {
    match error {
        Error::SqlInputError { msg, offset, .. } => {
            let offset = usize::try_from(*offset).ok();
            StatementMistake { message: msg.clone(), hint: None, offset }
        }
        other => StatementMistake { message: other.to_string(), hint: None, offset: None },
    }
}
