//! How a transaction ended, told apart as its operator needs it.

use serde::{Deserialize, Serialize};

/// How a transaction ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It did its work, and its answer was right.
    Ok,
    /// It was answered rightly, but there was nothing to do: no row matched.
    OkEmpty,
    /// It did its work after it had been undone at least once by a deadlock or a conflict.
    Retried,
    /// The database undid it to end a deadlock.
    Deadlock,
    /// The database could not put it in an order with others.
    Serialization,
    /// A time limit ended it.
    Timeout,
    /// A key, a foreign key or a check refused it.
    Constraint,
    /// The connection broke, or none could be made.
    Connection,
    /// An answer came, and it was not the right one: status, type, content.
    Check,
    /// Anything else that the server said.
    Other,
}

impl Outcome {
    /// All of them, in the order of reports.
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

    /// Its place in [`Outcome::ALL`].
    pub fn index(self) -> usize {
        self as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_outcome_has_its_place() {
        for (index, outcome) in Outcome::ALL.iter().enumerate() {
            assert_eq!(outcome.index(), index);
            let json = serde_json::to_string(outcome).unwrap();
            assert_eq!(json, format!("\"{}\"", outcome.name()));
        }
    }
}
