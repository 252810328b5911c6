//! Tokens that were verified a moment ago, by their hash: a client sends the same token again and
//! again, and an RSA signature takes a hundred times as long as a look into a table.
//!
//! Two tables of half the size: the younger takes what is new, and when it is full it becomes the
//! older, whose content is forgotten. What is found in the older one moves to the younger. So it is
//! bounded, and what is used stays.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use super::claims::Verified;

/// How long an entry counts, in seconds: so long may a change outside of the token go unnoticed.
const LIFETIME: u64 = 60;

type Hash = [u8; 32];

/// Verified tokens, until the keys change.
pub struct Cache {
    half: usize,
    tables: Mutex<Tables>,
}

#[derive(Default)]
struct Tables {
    /// What the entries were verified against.
    version: u64,
    young: HashMap<Hash, Entry>,
    old: HashMap<Hash, Entry>,
}

#[derive(Clone)]
struct Entry {
    verified: Verified,
    at: u64,
}

impl Cache {
    /// A cache of so many tokens.
    pub fn new(size: usize) -> Self {
        Self { half: (size / 2).max(1), tables: Mutex::default() }
    }

    /// The key of a token in this cache.
    pub fn hash(token: &str) -> Hash {
        *blake3::hash(token.as_bytes()).as_bytes()
    }

    /// A token that was verified not long ago against the same `version` of keys and roles. Whether
    /// it is still good at this time is the caller's to check.
    pub fn find(&self, hash: &Hash, version: u64, now: u64) -> Option<Verified> {
        // A panic elsewhere cannot leave a table half changed.
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        tables.renew(version);
        let fresh = |entry: &Entry| (entry.at..=entry.at.saturating_add(LIFETIME)).contains(&now);
        if let Some(entry) = tables.young.get(hash) {
            return fresh(entry).then(|| entry.verified.clone());
        }
        let entry = tables.old.remove(hash).filter(fresh)?;
        tables.insert(*hash, entry.clone(), self.half);
        Some(entry.verified)
    }

    /// Keeps a token that was verified against this `version` at this time.
    pub fn keep(&self, hash: Hash, verified: Verified, version: u64, now: u64) {
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        tables.renew(version);
        tables.insert(hash, Entry { verified, at: now }, self.half);
    }
}

impl Tables {
    /// Forgets everything that was verified against something else.
    fn renew(&mut self, version: u64) {
        if self.version != version {
            *self = Self { version, ..Self::default() };
        }
    }

    fn insert(&mut self, hash: Hash, entry: Entry, half: usize) {
        if self.young.len() >= half && !self.young.contains_key(&hash) {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(hash, entry);
    }
}

impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cache").field("half", &self.half).finish_non_exhaustive()
    }
}
