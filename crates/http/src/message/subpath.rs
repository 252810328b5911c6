//! Paths that are no items: below a collection, and below a mount.

/// The path of a search by `POST`.
pub(crate) const SEARCH: &str = "search";
/// The path of a bulk load.
const BATCHLOAD: &str = "batchload";

/// How the path of lists of writes beside a collection ends.
pub(crate) const LIST_BATCH: &str = "-batch";
/// The path below `{mount}/_/` of several writes in one transaction.
pub(crate) const TRANSACTION: &str = "transaction";

/// The path of a batch, below `_` so that it is the path of no item.
pub(crate) const BATCH: &str = "_/batch";

/// Below a resource: what became of rows that were acknowledged from the journal.
pub(crate) const JOURNAL: &str = "_/journal";

/// Below a view with `NOTIFY`: its events.
pub(crate) const EVENTS: &str = "_/events";

/// Whether a path below a resource is that of its events.
pub(crate) fn is_events(tail: &str) -> bool {
    tail.strip_suffix('/').unwrap_or(tail) == EVENTS
}

/// The name of rows that a path below a resource is about.
pub(crate) fn rows_of_journal(tail: &str) -> Option<&str> {
    let id = tail.strip_prefix(JOURNAL)?.strip_prefix('/')?;
    Some(id.strip_suffix('/').unwrap_or(id))
}

/// Whether a path below a resource takes batches.
pub(crate) fn is_batch(tail: &str) -> bool {
    tail.strip_suffix('/').unwrap_or(tail) == BATCH
}

/// Whether a path below a resource takes searches; it may be the path of an item too.
pub(crate) fn is_search(tail: &str) -> bool {
    tail.strip_suffix('/').unwrap_or(tail) == SEARCH
}

/// Whether a path below a resource takes bulk loads; it may be the path of an item too.
pub(crate) fn is_batchload(tail: &str) -> bool {
    tail.strip_suffix('/').unwrap_or(tail) == BATCHLOAD
}
