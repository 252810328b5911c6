//! The checks of every response, for users and for cold runs.

/// The checks of every response, by their names in results.
pub(super) const CHECKS: [&str; 3] = ["is found", "is the key's value", "is from memory"];
/// Their indexes.
pub(super) const FOUND: usize = 0;
pub(super) const VALUE: usize = 1;
pub(super) const MEMORY: usize = 2;
