//! Documents as answers: their texts and etags, and where items came from.

use std::time::{Duration, Instant};

use duet_document::{DocumentText, TextBuffer};

/// Where an item came from, as `X-Cache` says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CacheStatus {
    /// From memory.
    Hit,
    /// From the database, and kept since.
    Miss,
    /// From the database, without a look into memory.
    Bypass,
    /// From memory, because the database cannot be reached.
    Stale,
}

impl CacheStatus {
    /// The value of `X-Cache`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Hit => "hit",
            Self::Miss => "miss",
            Self::Bypass => "bypass",
            Self::Stale => "stale",
        }
    }
}

/// An item, and where it came from.
#[derive(Debug)]
pub struct ItemDocument {
    /// The item.
    pub document: Document<DocumentText>,
    /// Where it came from; `None` where the resource has no rowstore.
    pub source: Option<CacheStatus>,
    /// How far one from memory may be behind the database, where that is known.
    pub age: Option<Duration>,
    /// Its key as it is stored, where the database finds a row by several keys: those of its comparison.
    pub stored_key: Option<Vec<u8>>,
}

/// An answer: its text is whole, or that of an item, which may be given piece by piece.
#[derive(Debug)]
pub struct Document<T = TextBuffer> {
    /// The JSON text.
    pub body: T,
    /// The value of the `ETag` header, quotes included.
    pub etag: String,
    /// When the rows had arrived, for timings; `None` where none came from the store.
    pub fetched_at: Option<Instant>,
}
