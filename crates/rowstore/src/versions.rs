//! Which keys have changed: a table of counters, one for many keys.
//!
//! A change of a key raises its counter, so an entry that carries another number is of no use. Keys that
//! share a counter are invalidated together, which costs a miss and nothing else: with 65,536 counters and
//! 1,000 changes between two reads of a key, that is one read in 66.

use std::sync::atomic::{AtomicU32, Ordering};

/// How many counters there are: 256 KiB of them.
const COUNTERS: usize = 1 << 16;

/// The version of every key.
#[derive(Debug)]
pub struct Versions(Box<[AtomicU32]>);

impl Default for Versions {
    fn default() -> Self {
        Self::with_counters(COUNTERS)
    }
}

impl Versions {
    /// With at least this many counters, of 4 bytes each.
    pub fn with_counters(counters: usize) -> Self {
        Self((0..counters.next_power_of_two()).map(|_| AtomicU32::new(0)).collect())
    }

    /// The version of a key with this hash.
    ///
    /// Rows that are read after this call are those of this version or of a later one: a write raises the
    /// version after its commit and before its answer.
    pub(crate) fn of(&self, hash: u64) -> u32 {
        self.counter(hash).load(Ordering::SeqCst)
    }

    /// A key with this hash has changed.
    pub(crate) fn raise(&self, hash: u64) {
        self.counter(hash).fetch_add(1, Ordering::SeqCst);
    }

    #[expect(clippy::cast_possible_truncation, reason = "the low bits choose the counter")]
    fn counter(&self, hash: u64) -> &AtomicU32 {
        &self.0[hash as usize & (self.0.len() - 1)]
    }
}
