//! A transaction that did not end well, and what a database's failure counts as.

use duet_db::raw::{Failure, FailureKind};

use duet_model::{Code, Error};
use duet_verdict::outcome::Outcome;

/// A transaction that did not end well.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// Why.
    pub outcome: Outcome,
    /// The words of what noticed it. They must hold no secret.
    pub said: String,
}

impl Failed {
    /// A failure in these words.
    pub fn new(outcome: Outcome, said: impl Into<String>) -> Self {
        Self { outcome, said: said.into() }
    }

    /// An answer that was not the right one.
    pub fn check(said: impl Into<String>) -> Self {
        Self::new(Outcome::Check, said)
    }
}

impl From<Failure> for Failed {
    fn from(failure: Failure) -> Self {
        Self { outcome: outcome_of(failure.kind), said: failure.said }
    }
}

/// What cannot be done, in the words of the side that noticed, as commands report it.
pub fn cannot(what: &str, failed: &Failed) -> Error {
    Error::new(Code::Setting, format!("{what}: {}.", failed.said.trim_end_matches('.')))
}

/// What was asked for and cannot be, as commands report it: `said` as a sentence.
pub fn refused(said: &str) -> Error {
    let mut chars = said.chars();
    let first = chars.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    Error::new(Code::Setting, format!("{first}{}.", chars.as_str()))
}

/// How a transaction ended that failed so in the database.
pub fn outcome_of(kind: FailureKind) -> Outcome {
    match kind {
        FailureKind::Deadlock => Outcome::Deadlock,
        FailureKind::Serialization => Outcome::Serialization,
        FailureKind::Timeout => Outcome::Timeout,
        FailureKind::Constraint => Outcome::Constraint,
        FailureKind::Connection => Outcome::Connection,
        FailureKind::Other => Outcome::Other,
    }
}
