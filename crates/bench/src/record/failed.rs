//! A failed transaction, and the outcome that a database failure counts as.

use duet_client::{Failure, FailureKind};

use duet_model::{Code, Error};
use duet_verdict::outcome::Outcome;

/// A failed transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// The kind of failure.
    pub outcome: Outcome,
    /// The error message. It must hold no secret.
    pub message: String,
}

impl Failed {
    /// A failure with this message.
    pub fn new(outcome: Outcome, message: impl Into<String>) -> Self {
        Self { outcome, message: message.into() }
    }

    /// A wrong response.
    pub fn check(message: impl Into<String>) -> Self {
        Self::new(Outcome::Check, message)
    }
}

impl From<Failure> for Failed {
    fn from(failure: Failure) -> Self {
        Self { outcome: outcome_of(failure.kind), message: failure.message }
    }
}

/// An operation that failed, with the message of the component that detected it, as commands report
/// it.
pub fn cannot(what: &str, failed: &Failed) -> Error {
    Error::new(Code::Setting, format!("{what}: {}.", failed.message.trim_end_matches('.')))
}

/// A request that cannot be met, as commands report it; `message` becomes a sentence.
pub fn refused(message: &str) -> Error {
    let mut chars = message.chars();
    let first = chars.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    Error::new(Code::CommandLine, format!("{first}{}.", chars.as_str()))
}

/// The outcome of a transaction that failed with this database error.
pub fn outcome_of(kind: FailureKind) -> Outcome {
    match kind {
        FailureKind::Deadlock => Outcome::Deadlock,
        FailureKind::Serialization => Outcome::Serialization,
        FailureKind::Timeout => Outcome::Timeout,
        FailureKind::Constraint => Outcome::Constraint,
        FailureKind::Connection => Outcome::Connection,
        FailureKind::Denied | FailureKind::Other => Outcome::Other,
    }
}
