//! The checks of responses, for queries and for writes.

/// The checks of responses, by their names in results.
pub(super) const CHECKS: [&str; 3] =
    ["is answered as the first time", "finds the lines of a sale", "changes one row"];
/// Their indexes.
pub(super) const REPEATED: usize = 0;
pub(super) const FINDS: usize = 1;
pub(super) const CHANGES: usize = 2;
