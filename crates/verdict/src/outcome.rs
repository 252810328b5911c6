//! Outcomes of transactions, classified for operators.

use serde::{Deserialize, Serialize};

/// The outcome of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It succeeded with a correct response.
    Ok,
    /// It succeeded with a correct response, but no row matched.
    OkEmpty,
    /// It succeeded after at least one retry because of a deadlock or a conflict.
    Retried,
    /// The database rolled it back to resolve a deadlock.
    Deadlock,
    /// It failed with a serialization error.
    Serialization,
    /// A timeout ended it.
    Timeout,
    /// A key, foreign key or check constraint refused it.
    Constraint,
    /// The connection failed or could not be opened.
    Connection,
    /// The response was wrong in status, type or content.
    Check,
    /// Any other error of the server.
    Other,
}

impl Outcome {
    /// All outcomes, in report order.
    pub const ALL: [Self; 10] = [
        Self::Ok,
        Self::OkEmpty,
        Self::Retried,
        Self::Deadlock,
        Self::Serialization,
        Self::Timeout,
        Self::Constraint,
        Self::Connection,
        Self::Check,
        Self::Other,
    ];

    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::OkEmpty => "ok-empty",
            Self::Retried => "retried",
            Self::Deadlock => "deadlock",
            Self::Serialization => "serialization",
            Self::Timeout => "timeout",
            Self::Constraint => "constraint",
            Self::Connection => "connection",
            Self::Check => "check",
            Self::Other => "other",
        }
    }

    /// Whether the transaction counts as completed: goodput.
    pub fn is_success(self) -> bool {
        matches!(self, Self::Ok | Self::OkEmpty | Self::Retried)
    }

    /// Its position in [`Outcome::ALL`].
    pub fn index(self) -> usize {
        self as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_outcome_has_its_position() {
        for (index, outcome) in Outcome::ALL.iter().enumerate() {
            assert_eq!(outcome.index(), index);
            let json = serde_json::to_string(outcome).unwrap();
            assert_eq!(json, format!("\"{}\"", outcome.name()));
        }
    }
}
