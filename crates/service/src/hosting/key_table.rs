//! What this process knows of the table of idempotency keys.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// Every so many writes with a key, one removes expired keys: a statement for all of them.
const WRITES: u32 = 4;

/// How many expired keys one write removes. More than are added meanwhile, so that the table shrinks to the keys in
/// force; few, so that no request waits long for those of others.
const EXPIRED_AT_ONCE: usize = 8 * WRITES as usize;

/// The table of idempotency keys of a database, as far as requests have found out.
#[derive(Debug, Default)]
pub(crate) struct KeyTableState {
    is_there: AtomicBool,
    written: AtomicU32,
}

impl KeyTableState {
    /// Whether the table was found.
    pub(crate) fn is_there(&self) -> bool {
        self.is_there.load(Ordering::Relaxed)
    }

    /// Remembers whether the table is there.
    pub(crate) fn found(&self, is_there: bool) {
        self.is_there.store(is_there, Ordering::Relaxed);
    }

    /// How many expired keys the next write removes; `None` where others do.
    pub(crate) fn removes(&self) -> Option<usize> {
        let written = self.written.fetch_add(1, Ordering::Relaxed);
        written.is_multiple_of(WRITES).then_some(EXPIRED_AT_ONCE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_keys_are_removed_than_are_added() {
        let state = KeyTableState::default();
        let removed: Vec<usize> = (0..8).filter_map(|_| state.removes()).collect();
        assert_eq!(removed, [32, 32]);
    }
}
