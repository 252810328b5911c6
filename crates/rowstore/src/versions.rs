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
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use foldhash::SharedSeed;
use foldhash::quality::SeedableRandomState;

use crate::definitions::{self, Definitions};
use crate::key::KeyBytes;
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
const RESOURCE_COUNTERS: usize = 1 << 12;
/// The first counter of a key.
const KEYS: usize = RESOURCES + RESOURCE_COUNTERS;

/// The counters of all resources of a process, or of several processes.
#[derive(Debug)]
pub struct Versions {
    words: Words,
    seed: &'static SharedSeed,
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
    pub const SHARED_BYTES: usize =
        (KEYS + SHARED_COUNTERS + definitions::WORDS) * size_of::<u32>();

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

    fn key(&self, hash: u64) -> &AtomicU32 {
        &self.words[KEYS + (low_bits(hash) & (self.counters - 1))]
    }

    fn resource(&self, hash: u64) -> &AtomicU32 {
        &self.words[RESOURCES + low_bits(hash) % RESOURCE_COUNTERS]
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the low bits choose the counter")]
fn low_bits(hash: u64) -> usize {
    hash as usize
}

/// The versions of one resource's documents.
#[derive(Debug)]
pub struct DocumentVersions {
    versions: Arc<Versions>,
    hasher: SeedableRandomState,
    /// The hash of the resource's name.
    resource: u64,
    /// How often this process alone has dropped all documents.
    drops: AtomicU32,
    /// Those of the resource's application.
    definitions: Option<Arc<Definitions>>,
}

/// What has changed until now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// How often all documents of the resource had been dropped.
    pub(crate) epoch: u32,
    /// The version of the key.
    pub(crate) version: u32,
}

impl DocumentVersions {
    /// Those of the resource of this name, which it has in every process.
    pub fn new(versions: Arc<Versions>, name: &str) -> Self {
        let resource = SeedableRandomState::with_seed(0, versions.seed).hash_one(name);
        let hasher = SeedableRandomState::with_seed(resource, versions.seed);
        Self { versions, hasher, resource, drops: AtomicU32::new(0), definitions: None }
    }

    /// The same of a resource of the application of these definitions: it is of use only while all processes serve the
    /// same ones.
    #[must_use]
    pub fn among(self, definitions: &Arc<Definitions>) -> Self {
        Self { definitions: Some(Arc::clone(definitions)), ..self }
    }

    /// Whether what has changed is known: all processes serve the same definitions of the application.
    pub fn are_known(&self) -> bool {
        self.definitions.as_ref().is_none_or(|definitions| definitions.agree())
    }

    /// The counters that they are among.
    pub fn all(&self) -> &Arc<Versions> {
        &self.versions
    }

    /// The document of a key has changed, in every representation. To be called after the commit and
    /// before the write is answered.
    pub fn changed(&self, key: &KeyBytes) {
        self.versions.key(self.hash(key.bytes())).fetch_add(1, Ordering::SeqCst);
    }

    /// Any document may have changed.
    pub fn changed_all(&self) {
        self.versions.resource(self.resource).fetch_add(1, Ordering::SeqCst);
    }

    /// Any document may have changed by what every process that shares the counters learns by itself.
    pub fn changed_all_here(&self) {
        self.drops.fetch_add(1, Ordering::SeqCst);
    }

    pub(crate) fn hash(&self, value: impl std::hash::Hash) -> u64 {
        self.hasher.hash_one(value)
    }

    /// What has changed until now, for a key with this hash.
    ///
    /// Rows that are read after this call are those of this stamp or of a later one: a write raises a counter
    /// after its commit and before its answer. Counters are added, as each of them only grows: the sum is
    /// the same while all are.
    pub(crate) fn stamp(&self, hash: u64) -> Stamp {
        let epoch = self.epoch();
        Stamp { epoch, version: self.versions.key(hash).load(Ordering::SeqCst) }
    }

    /// How often all documents were dropped.
    pub(crate) fn epoch(&self) -> u32 {
        let shared = self.versions.resource(self.resource).load(Ordering::SeqCst);
        let ended = self.versions.words[ENDED].load(Ordering::SeqCst);
        let changes = self.definitions.as_ref().map_or(0, |definitions| definitions.epoch());
        let drops = self.drops.load(Ordering::SeqCst).wrapping_add(shared);
        drops.wrapping_add(ended).wrapping_add(changes)
    }
}

#[cfg(test)]
mod tests {
    use duet_model::Value;

    use super::*;

    fn key(value: i64) -> KeyBytes {
        KeyBytes::of(&[Value::Int(value)])
    }

    fn stamp(of: &DocumentVersions, value: i64) -> Stamp {
        of.stamp(of.hash(key(value).bytes()))
    }

    #[test]
    fn processes_share_what_changes() {
        let file = mapped::tests::file(Versions::SHARED_BYTES);
        let process = || Arc::new(Versions::shared(&file).unwrap());
        let [first, second] = [process(), process()];
        assert!(first.are_shared() && !second.are_in_use());
        first.use_them();
        assert!(second.are_in_use());
        let [here, there] = [first, second].map(|all| DocumentVersions::new(all, "/hr/team"));
        assert_eq!(stamp(&here, 7), stamp(&there, 7));
        for change in
            [|of: &DocumentVersions| of.changed(&key(7)), |of: &DocumentVersions| of.changed_all()]
        {
            let before = stamp(&there, 7);
            change(&here);
            assert_ne!(stamp(&there, 7), before);
            assert_eq!(stamp(&here, 7), stamp(&there, 7));
        }
        let before = stamp(&there, 7);
        here.changed_all_here();
        assert_eq!(stamp(&there, 7), before);
        assert_ne!(stamp(&here, 7), before);
    }

    /// The supervisor writes to the file, not to memory.
    #[test]
    fn a_process_that_ended_has_dropped_everything() {
        use std::os::unix::fs::FileExt as _;
        let file = mapped::tests::file(Versions::SHARED_BYTES);
        let versions = Arc::new(Versions::shared(&file).unwrap());
        let team = DocumentVersions::new(versions, "/hr/team");
        let before = stamp(&team, 7);
        file.write_all_at(&1_u32.to_ne_bytes(), 0).unwrap();
        assert_ne!(stamp(&team, 7), before);
    }

    #[test]
    fn a_file_that_is_too_short_or_may_shrink_is_refused() {
        let short = mapped::tests::file(Versions::SHARED_BYTES - 1);
        assert!(Versions::shared(&short).is_err());
        let open = mapped::tests::unsealed(Versions::SHARED_BYTES);
        assert!(Versions::shared(&open).is_err());
    }

    #[test]
    fn resources_have_counters_of_their_own() {
        let versions: Arc<Versions> = Arc::default();
        let [team, driver] =
            ["/hr/team", "/hr/driver"].map(|it| DocumentVersions::new(Arc::clone(&versions), it));
        let before = stamp(&driver, 7);
        team.changed(&key(7));
        team.changed_all();
        // By chance they may share one, in one of thousands of runs; then the key is another.
        let is_shared =
            team.resource % RESOURCE_COUNTERS as u64 == driver.resource % RESOURCE_COUNTERS as u64;
        assert!(is_shared || stamp(&driver, 7).epoch == before.epoch);
    }
}
