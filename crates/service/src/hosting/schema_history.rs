//! When the snapshot of an application was replaced, and what it serves otherwise since: the last times, in memory.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use crate::build::difference::SnapshotDifference;

/// Changes that are kept; the oldest makes room.
const KEPT: usize = 50;

/// A snapshot that has replaced another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaChange {
    /// When.
    pub at: SystemTime,
    /// The generation in force since.
    pub generation: u64,
    /// What it serves otherwise.
    pub difference: SnapshotDifference,
}

/// The last changes, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct SchemaHistory(Mutex<VecDeque<SchemaChange>>);

impl SchemaHistory {
    /// A snapshot of this generation is in force from now on.
    pub(crate) fn add(&self, generation: u64, difference: SnapshotDifference) {
        let mut changes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if changes.len() >= KEPT {
            changes.pop_front();
        }
        changes.push_back(SchemaChange { at: SystemTime::now(), generation, difference });
    }

    /// The changes that are kept, the oldest first.
    pub(crate) fn list(&self) -> Vec<SchemaChange> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_changes_make_room() {
        let history = SchemaHistory::default();
        (0..2 * KEPT as u64).for_each(|it| history.add(it, SnapshotDifference::default()));
        let kept = history.list();
        assert_eq!((kept.len(), kept[0].generation), (KEPT, KEPT as u64));
    }
}
