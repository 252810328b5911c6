//! Whose commits subscribers see.

use duet_model::Shape;
use duet_store::SharedStore;

/// Whose commits are seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sight {
    /// All of the database.
    Database,
    /// Those of this process alone.
    Process,
}

impl Sight {
    /// Whose commits of what a shape shows are seen now.
    pub(crate) fn of(store: &SharedStore, shape: &Shape) -> Self {
        let Some(freshness) = store.freshness() else { return Self::Database };
        let coverage = freshness.coverage();
        match shape.nodes.iter().all(|node| coverage.covers(&node.table)) {
            true => Self::Database,
            false => Self::Process,
        }
    }

    /// The members that say so.
    pub(crate) fn json(self) -> serde_json::Value {
        match self {
            Self::Database => serde_json::json!({ "sees": "database" }),
            Self::Process => serde_json::json!({
                "sees": "process",
                "reason": "Commits of other programs, servers and instances are not captured.",
            }),
        }
    }
}
