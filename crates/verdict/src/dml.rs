//! Counts of SQL statements, as declared by a workload.

use serde::{Deserialize, Serialize};

/// Counts of SQL statements, as declared by a workload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Dml {
    /// SELECT.
    pub selects: u64,
    /// INSERT.
    pub inserts: u64,
    /// UPDATE.
    pub updates: u64,
    /// DELETE.
    pub deletes: u64,
    /// COMMIT.
    pub commits: u64,
    /// ROLLBACK.
    pub rollbacks: u64,
}

impl Dml {
    /// Adds the counts of another.
    pub fn add(&mut self, other: &Self) {
        self.selects += other.selects;
        self.inserts += other.inserts;
        self.updates += other.updates;
        self.deletes += other.deletes;
        self.commits += other.commits;
        self.rollbacks += other.rollbacks;
    }
}
