//! Advice on indexes: those to declare, and those that nothing uses.

use std::time::Duration;

use duet_service::definition::DeclaredIndex;

use super::trial::Built;

/// What is proposed.
#[derive(Debug, Default)]
pub(super) struct Advice {
    pub(super) requests: u64,
    pub(super) others: u64,
    pub(super) unreadable: u64,
    pub(super) add: Vec<Proposal>,
    /// Tried, and of too little use.
    pub(super) useless: Vec<Proposal>,
    pub(super) unused: Vec<Unused>,
    /// Since when uses are counted.
    pub(super) since: Option<String>,
}

/// An index to declare.
#[derive(Debug)]
pub(super) struct Proposal {
    pub(super) collection: String,
    pub(super) index: DeclaredIndex,
    /// The requests that lack it, and their share of the time of all.
    pub(super) count: u64,
    pub(super) share: f64,
    pub(super) example: String,
    pub(super) before: Duration,
    pub(super) after: Duration,
    pub(super) built: Built,
    /// The documents of the copy.
    pub(super) rows: u64,
}

impl Proposal {
    pub(super) fn gain(&self) -> f64 {
        self.before.as_secs_f64() / self.after.as_secs_f64().max(1e-9)
    }
}

/// A declared index that no request of the log used.
#[derive(Debug)]
pub(super) struct Unused {
    pub(super) collection: String,
    pub(super) name: String,
    pub(super) bytes: Option<u64>,
    pub(super) uses: Option<u64>,
}
