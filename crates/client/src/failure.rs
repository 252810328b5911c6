//! Why a statement of a plain connection failed, in the kinds that a load test counts.

use std::fmt;

use crate::sqlstate;

/// What kind of failure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FailureKind {
    /// The database ended one of two transactions that waited for each other (40P01).
    Deadlock,
    /// Transactions could not be put in an order (40001), or SQLite's file was locked for too long.
    Serialization,
    /// A time limit ended the statement (57014, 55P03).
    Timeout,
    /// A key, a foreign key or a check refused a row (class 23).
    Constraint,
    /// The connection broke, or none could be made.
    Connection,
    /// The user of the database has not the right to do that (42501).
    Denied,
    /// Anything else: a wrong statement, a full disk.
    Other,
}

/// A failure, with the database's words for the operator's log.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Its kind.
    pub kind: FailureKind,
    /// What the driver or the database said. It may quote values; it never holds a password.
    pub message: String,
}

impl Failure {
    /// A failure of this kind.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    pub(super) fn foreign_statement() -> Self {
        Self::new(FailureKind::Other, "the statement was prepared by another database's connection")
    }

    pub(super) fn connecting(error: &duet_model::Error) -> Self {
        Self::new(FailureKind::Connection, error.to_string())
    }

    pub(super) fn postgres(error: &tokio_postgres::Error) -> Self {
        let message = sqlstate::chain(error);
        let kind = match error.as_db_error() {
            Some(error) => by_state(error.code().code()),
            None => FailureKind::Connection,
        };
        Self::new(kind, message)
    }

    pub(super) fn sqlite(error: &rusqlite::Error) -> Self {
        use rusqlite::ErrorCode;
        let kind = match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => FailureKind::Serialization,
            Some(ErrorCode::ConstraintViolation) => FailureKind::Constraint,
            Some(ErrorCode::OperationInterrupted) => FailureKind::Timeout,
            Some(ErrorCode::CannotOpen | ErrorCode::NotADatabase) => FailureKind::Connection,
            _ => FailureKind::Other,
        };
        Self::new(kind, error.to_string())
    }
}

/// SQLSTATEs, PostgreSQL's manual, appendix A.
fn by_state(state: &str) -> FailureKind {
    match state {
        "40P01" => FailureKind::Deadlock,
        "40001" => FailureKind::Serialization,
        "42501" => FailureKind::Denied,
        "57014" | "55P03" | "25P03" | "25P04" => FailureKind::Timeout,
        "57P01" | "57P02" | "57P03" | "57P05" | "53300" => FailureKind::Connection,
        _ if state.starts_with("23") => FailureKind::Constraint,
        _ if state.starts_with("08") => FailureKind::Connection,
        _ => FailureKind::Other,
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_by_kind() {
        for (state, kind) in [
            ("40P01", FailureKind::Deadlock),
            ("40001", FailureKind::Serialization),
            ("57014", FailureKind::Timeout),
            ("23505", FailureKind::Constraint),
            ("08006", FailureKind::Connection),
            ("42601", FailureKind::Other),
            ("42501", FailureKind::Denied),
        ] {
            assert_eq!(by_state(state), kind, "{state}");
        }
    }
}
