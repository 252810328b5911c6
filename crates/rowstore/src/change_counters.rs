//! What has changed: counters that a change raises, of one process or of several that share them.
//!
//! A change of a key raises its counter, so an entry that carries another number is of no use. Keys that
//! share a counter are invalidated together, which costs a miss and nothing else: with 65,536 counters and
//! 1,000 changes between two reads of a key, that is one read in 66.
//!
//! Several processes over one database share the counters, in memory that each of them maps
//! ([`Versions::shared`]). So a change is known to all of them as soon as the process that wrote has raised
//! its counter, which it does before it answers. It sends no message and waits for no other process; a process that is
//! busy, stopped or gone keeps none from its answer. A read costs what it does in one process: it loads the
//! same counters.
//!
//! ```text
//! word        0  processes that have ended: raised by their supervisor, which does not use this crate
//!             1  whether a process keeps documents
//!          2, 3  the seed of hashes, which all processes must agree on
//!          16 …  how often all documents of a resource were dropped, by its hash
//!       4,112 …  the versions of keys, by their hash
//!     266,256 …  which process serves which definitions; see `definitions.rs`
//! ```

use std::hash::{BuildHasher, RandomState as SystemRandom};
use std::io;
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicU32, Ordering};

use foldhash::SharedSeed;
use foldhash::quality::SeedableRandomState;

use crate::mapped::{self, Words};

/// How many counters of keys a process has for itself: 256 KiB of them.
const COUNTERS: usize = 1 << 16;
/// How many are shared by several processes.
const SHARED_COUNTERS: usize = 1 << 18;

/// Counts processes that have ended: what such a one has committed, it may not have made known.
const ENDED: usize = 0;
const IN_USE: usize = 1;
const SEED: [usize; 2] = [2, 3];
/// The first counter of a resource.
const RESOURCES: usize = 16;
/// How many there are.
pub(crate) const RESOURCE_COUNTERS: usize = 1 << 12;
/// The first counter of a key.
const KEYS: usize = RESOURCES + RESOURCE_COUNTERS;

/// Words of the table behind the keys: see [`crate::definitions`].
pub(crate) const DEFINITIONS: usize = 3 * (1 << 12) + 1 + (1 << 10);

/// The counters of all resources of a process, or of several processes.
#[derive(Debug)]
pub struct Versions {
    words: Words,
    pub(crate) seed: &'static SharedSeed,
    /// How many counters of keys there are.
    counters: usize,
    is_shared: bool,
}

impl Default for Versions {
    fn default() -> Self {
        Self::with_counters(COUNTERS)
    }
}

impl Versions {
    /// Bytes of the memory that processes share, which is all zero at first.
    pub const SHARED_BYTES: usize = (KEYS + SHARED_COUNTERS + DEFINITIONS) * size_of::<u32>();

    /// Of this process alone, with at least this many counters of keys, of 4 bytes each.
    pub fn with_counters(counters: usize) -> Self {
        let counters = counters.next_power_of_two();
        let words = (0..KEYS + counters).map(|_| AtomicU32::new(0)).collect();
        Self::over(Words::Own(words), counters, false)
    }

    /// Of all processes that map this file in memory, of [`Self::SHARED_BYTES`].
    ///
    /// # Errors
    /// If the file is shorter, may become so, or cannot be mapped.
    pub fn shared(file: impl AsFd) -> io::Result<Self> {
        Ok(Self::over(mapped::map(file.as_fd(), Self::SHARED_BYTES)?, SHARED_COUNTERS, true))
    }

    fn over(words: Words, counters: usize, is_shared: bool) -> Self {
        let random = SystemRandom::new();
        let agree = |word: usize| {
            let own = random.hash_one(word).to_ne_bytes();
            let own = u32::from_ne_bytes([own[0], own[1], own[2], own[3]]) | 1;
            match words[word].compare_exchange(0, own, Ordering::SeqCst, Ordering::SeqCst) {
                Ok(_) => own,
                Err(others) => others,
            }
        };
        let [high, low] = SEED.map(agree);
        let seed = SharedSeed::from_u64(u64::from(high) << 32 | u64::from(low));
        // One of a process; hashers borrow it for ever.
        Self { words, seed: Box::leak(Box::new(seed)), counters, is_shared }
    }

    /// Whether other processes share them.
    pub fn are_shared(&self) -> bool {
        self.is_shared
    }

    /// Says that documents are kept from now on, before the first one is.
    pub fn use_them(&self) {
        self.words[IN_USE].store(1, Ordering::SeqCst);
    }

    /// Whether any of the processes keeps documents, or has.
    pub fn are_in_use(&self) -> bool {
        self.words[IN_USE].load(Ordering::SeqCst) != 0
    }

    /// The table of definitions, where other processes share it.
    pub(crate) fn table(&self) -> Option<&[AtomicU32]> {
        self.is_shared.then(|| &self.words[KEYS + self.counters..])
    }

    /// The hash of a name, which is the same in all processes.
    pub(crate) fn hash_name(&self, name: &str) -> u32 {
        let hash = SeedableRandomState::with_seed(1, self.seed).hash_one(name);
        u32::try_from(hash >> 32).unwrap_or_default()
    }

    /// The counter of a key with this hash.
    pub(crate) fn key(&self, hash: u64) -> &AtomicU32 {
        &self.words[KEYS + (low_bits(hash) & (self.counters - 1))]
    }

    /// The counter of a resource with this hash.
    pub(crate) fn resource(&self, hash: u64) -> &AtomicU32 {
        &self.words[RESOURCES + low_bits(hash) % RESOURCE_COUNTERS]
    }

    /// How many processes have ended.
    pub(crate) fn ended(&self) -> u32 {
        self.words[ENDED].load(Ordering::SeqCst)
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the low bits choose the counter")]
fn low_bits(hash: u64) -> usize {
    hash as usize
}
