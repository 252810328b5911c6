//! What stops a statement, and its message for the client.

use duet_client::sqlstate;
use duet_model::{Code, Error};
use duet_store::refusal::role_unusable;

use crate::connection::gate::refused;

/// What stopped a run.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The server or the connection.
    Server(tokio_postgres::Error),
    /// The server does not let the transaction's role be taken.
    Role(tokio_postgres::Error),
    /// The rows are more than there is room for; the rest of them is still on its way, or the connection has ended.
    Over(Box<Error>),
    /// The columns are of other types than the catalog says.
    OtherTypes,
    /// The write waited for locks until its limit.
    Locked,
    /// One of several statements.
    Call(usize, Box<Stop>),
}

impl Stop {
    /// The message for the client.
    pub(crate) fn error(self) -> Error {
        match self {
            Self::Server(error) => sqlstate::error_of(&error),
            Self::Role(error) => role_unusable().cause(sqlstate::chain(&error)),
            Self::Over(error) => *error,
            Self::Locked => sqlstate::locked().cause("one lock after the other blocked it"),
            Self::Call(at, stop) => stop.error().of_call(at),
            Self::OtherTypes => Error::new(
                Code::SchemaChanged,
                "The schema has just changed. Try again in a moment.",
            )
            .retry_after(sqlstate::RETRY_SECONDS)
            .cause("a column's type is not the catalog's any more"),
        }
    }
}

impl From<Error> for Stop {
    /// Of a [`RowLimit`](duet_store::memory::row_limit::RowLimit).
    fn from(error: Error) -> Self {
        Self::Over(Box::new(error))
    }
}

impl From<tokio_postgres::Error> for Stop {
    fn from(error: tokio_postgres::Error) -> Self {
        match refused(&error) {
            Some(refused) => Self::from(refused),
            None => Self::Server(error),
        }
    }
}

/// The error of a server that cannot be reached.
pub(crate) fn unavailable(cause: &str) -> Error {
    Error::new(
        Code::DatabaseUnavailable,
        "The database cannot be reached at the moment. Try again in a moment.",
    )
    .retry_after(1)
    .cause(cause)
}
