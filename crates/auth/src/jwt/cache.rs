//! A cache of recently verified tokens, by hash: clients send the same token repeatedly, and checking
//! an RSA signature takes a hundred times as long as a table lookup.
//!
//! The cache has two generations of half the size. New entries go to the younger; when it is full it
//! replaces the older, which is dropped. A hit in the older moves the entry to the younger, so the
//! cache is bounded and keeps recently used entries.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use super::claims::VerifiedToken;

/// How long an entry is valid, in seconds; changes outside the token may go unnoticed for this long.
const LIFETIME: u64 = 60;

type Hash = [u8; 32];

/// Verified tokens; a change of the keys clears the cache.
pub struct Cache {
    half: usize,
    tables: Mutex<Tables>,
}

#[derive(Default)]
struct Tables {
    /// The version of keys and roles that the entries were verified with.
    version: u64,
    young: HashMap<Hash, Entry>,
    old: HashMap<Hash, Entry>,
}

#[derive(Clone)]
struct Entry {
    verified: VerifiedToken,
    at: u64,
}

impl Cache {
    /// A cache of at most `size` tokens.
    pub fn new(size: usize) -> Self {
        Self { half: (size / 2).max(1), tables: Mutex::default() }
    }

    /// The cache key of a token.
    pub fn hash(token: &str) -> Hash {
        *blake3::hash(token.as_bytes()).as_bytes()
    }

    /// A token that was recently verified with the same `version` of keys and roles. The caller must
    /// check whether it has expired ([`VerifiedToken::check_time`]).
    pub fn find(&self, hash: &Hash, version: u64, now: u64) -> Option<VerifiedToken> {
        // A panic elsewhere cannot leave a table inconsistent, so a poisoned lock is usable.
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

    /// Stores a token that was verified with this `version` at this time.
    pub fn keep(&self, hash: Hash, verified: VerifiedToken, version: u64, now: u64) {
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        tables.renew(version);
        tables.insert(hash, Entry { verified, at: now }, self.half);
    }
}

impl Tables {
    /// Drops all entries that were verified with another version.
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
