//! What a rowstore counts.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counters of one rowstore, apart from what others write.
#[derive(Debug, Default)]
#[repr(align(64))]
pub(crate) struct Counters {
    hits: AtomicU64,
    misses: AtomicU64,
    bypasses: AtomicU64,
    stale: AtomicU64,
    filled: AtomicU64,
    outdated: AtomicU64,
    evicted: AtomicU64,
    changed: AtomicU64,
    dropped: AtomicU64,
}

/// What a rowstore has counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Lookups that were answered, also with the knowledge that there is no document.
    pub hits: u64,
    /// Lookups that were not.
    pub misses: u64,
    /// Reads that did not look.
    pub bypasses: u64,
    /// Reads that the database could not answer, and that were answered from memory.
    pub stale: u64,
    /// Documents that were stored.
    pub filled: u64,
    /// Documents that were not stored, because their key had changed since their rows were read.
    pub outdated: u64,
    /// Documents that had to go for lack of room.
    pub evicted: u64,
    /// Keys that changed.
    pub changed: u64,
    /// How often all documents were dropped.
    pub dropped: u64,
}

macro_rules! count {
    ($($name:ident)*) => {
        impl Counters {
            $(pub(crate) fn $name(&self) {
                self.$name.fetch_add(1, Ordering::Relaxed);
            })*

            pub(crate) fn read(&self) -> Counts {
                Counts { $($name: self.$name.load(Ordering::Relaxed)),* }
            }
        }
    };
}

count! { hits misses bypasses stale filled outdated evicted changed dropped }
