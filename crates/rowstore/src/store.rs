//! The documents of one resource.

use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use quick_cache::sync::Cache;
use quick_cache::{Lifecycle, Weighter};

use crate::counters::{Counters, Counts};
use crate::entry::{Entry, FinishedDocument};
use crate::key::KeyBytes;
use crate::versions::{DocumentVersions, Stamp};

/// Bytes of a slot of the cache: the hash, the pointer, its place in the order of eviction and in the
/// table, and its part of the room for growth.
const SLOT: usize = 56;
/// For how many bytes of a document the cache makes room at first.
const TYPICAL: u64 = 400;
/// A document that would take more than this part of the room is not stored.
const LARGEST_PART: u64 = 8;

/// The documents of one resource, in all its representations.
#[derive(Debug)]
pub struct Rowstore {
    versions: Arc<DocumentVersions>,
    cache: Cache<u64, Entry, Weight, BuildHasherDefault<Hashed>, Evicted>,
    capacity: AtomicU64,
    /// How often all documents had been dropped when the cache was last emptied.
    emptied: AtomicU32,
    born: Instant,
    counters: Arc<Counters>,
}

/// What a lookup gives.
#[derive(Debug)]
pub enum Lookup {
    /// The stored entry: a document, or its absence.
    Found(Entry),
    /// Nothing. The rows must be read now, not earlier, and may be stored with this.
    Miss(Fill),
}

/// The right to store a document whose rows are read after the lookup that gave it.
#[derive(Clone, Copy, Debug)]
pub struct Fill {
    hash: u64,
    key_hash: u64,
    stamp: Stamp,
    /// Whether what changes is known.
    is_known: bool,
}

/// The usage of a rowstore, and its counters.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    /// Bytes that it may take.
    pub capacity: u64,
    /// Bytes that it takes.
    pub bytes: u64,
    /// Documents, of which some may have changed since they were stored.
    pub entries: u64,
    /// Counters.
    pub counts: Counts,
}

impl Rowstore {
    /// A rowstore with this limit, in bytes.
    pub fn new(versions: Arc<DocumentVersions>, capacity: u64) -> Self {
        let counters = Arc::<Counters>::default();
        let estimate = usize::try_from(capacity / TYPICAL).unwrap_or(usize::MAX);
        let evicted = Evicted(Arc::clone(&counters));
        Self {
            emptied: AtomicU32::new(versions.epoch()),
            versions,
            cache: Cache::with(estimate, capacity, Weight, BuildHasherDefault::default(), evicted),
            capacity: AtomicU64::new(capacity),
            born: Instant::now(),
            counters,
        }
    }

    /// Looks up the document of a key in a representation, of any name. `longest`: how old an entry may
    /// be; `None`: it is of use until its key changes.
    pub fn look(
        &self,
        representation: &str,
        key: &KeyBytes,
        now: Instant,
        longest: Option<Duration>,
    ) -> Lookup {
        let fill @ Fill { hash, stamp, is_known, .. } = self.begin(representation, key);
        if is_known && let Some(entry) = self.cache.get(&hash) {
            let version = entry.version();
            let is_it = version == stamp.version && entry.is_of(key.bytes());
            if is_it && longest.is_none_or(|longest| self.age(&entry, now) < longest) {
                self.counters.hits();
                return Lookup::Found(entry);
            }
            // What is only old is replaced by what is read now.
            if !is_it {
                self.cache.remove_if(&hash, |entry| entry.version() == version);
            }
        }
        self.counters.misses();
        Lookup::Miss(fill)
    }

    /// The document of a key that has not changed, however old it is; counts nothing.
    pub fn find(&self, representation: &str, key: &KeyBytes) -> Option<Entry> {
        let Fill { hash, stamp, is_known, .. } = self.begin(representation, key);
        let entry = self.cache.get(&hash).filter(|_| is_known)?;
        (entry.version() == stamp.version && entry.is_of(key.bytes())).then_some(entry)
    }

    /// Counts a read that was answered from memory because the database could not answer it.
    pub fn stale(&self) {
        self.counters.stale();
    }

    /// How long ago the rows of an entry were read.
    pub fn age(&self, entry: &Entry, now: Instant) -> Duration {
        let age = self.millis(now).wrapping_sub(entry.made());
        // A request may have arrived before another one filled the entry.
        Duration::from_millis(u64::from(if age > u32::MAX / 2 { 0 } else { age }))
    }

    /// The right to store the document of a key whose rows are read from now on, without a lookup.
    pub fn begin(&self, representation: &str, key: &KeyBytes) -> Fill {
        let key_hash = self.versions.hash(key.bytes());
        let stamp = self.versions.stamp(key_hash);
        // What was stored before all was dropped is under another hash.
        let hash = self.versions.hash((representation, key_hash, stamp.epoch));
        Fill { hash, key_hash, stamp, is_known: self.versions.are_known() }
    }

    /// Counts a read that does not look.
    pub fn bypass(&self) {
        self.counters.bypasses();
    }

    /// Stores a document, or its absence, if there is room. False if its key may have changed since
    /// the lookup: then nothing is stored.
    pub fn fill(
        &self,
        fill: Fill,
        key: &KeyBytes,
        finished: Option<FinishedDocument<'_>>,
        now: Instant,
    ) -> bool {
        if !fill.is_known || self.versions.stamp(fill.key_hash) != fill.stamp {
            self.counters.outdated();
            return false;
        }
        let entry = Entry::new(fill.stamp.version, self.millis(now), key.bytes(), finished);
        if (entry.bytes() as u64) < self.capacity.load(Ordering::Relaxed) / LARGEST_PART {
            self.cache.insert(fill.hash, entry);
            self.counters.filled();
        }
        true
    }

    /// The document of a key has changed, in every representation. To be called after the commit and
    /// before the write is answered.
    pub fn changed(&self, key: &KeyBytes) {
        self.versions.changed(key);
        self.counters.changed();
    }

    /// Any document may have changed.
    pub fn changed_all(&self) {
        self.versions.changed_all();
        self.empty();
        self.counters.dropped();
    }

    /// Any document may have changed by what every process that shares the versions learns by itself.
    pub fn changed_all_here(&self) {
        self.versions.changed_all_here();
        self.empty();
        self.counters.dropped();
    }

    /// Gives back the memory of documents that another process has dropped: none is found any more.
    pub fn sweep(&self) {
        if self.emptied.load(Ordering::SeqCst) != self.versions.epoch() {
            self.empty();
        }
    }

    fn empty(&self) {
        self.emptied.store(self.versions.epoch(), Ordering::SeqCst);
        self.cache.clear();
    }

    /// Sets the limit in bytes; documents beyond it are evicted immediately.
    pub fn resize(&self, capacity: u64) {
        self.capacity.store(capacity, Ordering::Relaxed);
        self.cache.set_capacity(capacity);
    }

    /// Its usage, and its counters.
    pub fn usage(&self) -> Usage {
        Usage {
            capacity: self.capacity.load(Ordering::Relaxed),
            bytes: self.cache.weight(),
            entries: self.cache.len() as u64,
            counts: self.counters.read(),
        }
    }

    /// Milliseconds since the birth of the store.
    fn millis(&self, now: Instant) -> u32 {
        let age = now.saturating_duration_since(self.born);
        #[expect(clippy::cast_possible_truncation, reason = "ages are differences modulo 2^32")]
        let millis = age.as_millis() as u32;
        millis
    }
}

/// The weight of an entry is its size.
#[derive(Clone, Debug)]
struct Weight;

impl Weighter<u64, Entry> for Weight {
    fn weight(&self, _: &u64, entry: &Entry) -> u64 {
        (entry.bytes() + SLOT) as u64
    }
}

/// Counts evicted documents.
#[derive(Clone, Debug)]
struct Evicted(Arc<Counters>);

impl Lifecycle<u64, Entry> for Evicted {
    type RequestState = ();

    fn on_evict(&self, (): &mut (), _: u64, _: Entry) {
        self.0.evicted();
    }
}

/// The keys of the cache are hashes.
#[derive(Debug, Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = self.0.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

#[cfg(test)]
mod tests {
    use duet_model::Value;

    use super::*;
    use crate::change_counters::Versions;

    fn key(value: i64) -> KeyBytes {
        KeyBytes::of(&[Value::Int(value)])
    }

    fn opened(capacity: u64) -> (Rowstore, Instant) {
        let versions = DocumentVersions::new(Arc::default(), "");
        (Rowstore::new(Arc::new(versions), capacity), Instant::now())
    }

    /// Stores a text unless there is one; returns the stored one.
    fn read(store: &Rowstore, at: i64, text: &str, now: Instant) -> Vec<u8> {
        read_within(store, at, text, now, None)
    }

    fn read_within(
        store: &Rowstore,
        at: i64,
        text: &str,
        now: Instant,
        longest: Option<Duration>,
    ) -> Vec<u8> {
        match store.look("", &key(at), now, longest) {
            Lookup::Found(entry) => entry.document().unwrap().body.to_vec(),
            Lookup::Miss(fill) => {
                let finished = FinishedDocument { head: b"h", body: text.as_bytes() };
                store.fill(fill, &key(at), Some(finished), now);
                text.into()
            }
        }
    }

    #[test]
    fn documents_are_found_until_they_change() {
        let (store, now) = opened(1 << 20);
        assert_eq!(read(&store, 1, "a", now), b"a");
        assert_eq!(read(&store, 2, "b", now), b"b");
        assert_eq!(read(&store, 1, "c", now), b"a");
        store.changed(&key(1));
        assert_eq!(read(&store, 1, "c", now), b"c");
        assert_eq!(read(&store, 2, "c", now), b"b");
        store.changed_all();
        assert_eq!(read(&store, 2, "c", now), b"c");
        let counts = store.usage().counts;
        assert_eq!((counts.hits, counts.misses, counts.filled), (2, 4, 4));
        assert_eq!((counts.changed, counts.dropped, counts.evicted), (1, 1, 0));
    }

    #[test]
    fn representations_are_apart_and_change_together() {
        let (store, now) = opened(1 << 20);
        for representation in ["", "name"] {
            let Lookup::Miss(fill) = store.look(representation, &key(1), now, None) else {
                panic!()
            };
            store.fill(fill, &key(1), None, now);
            let Lookup::Found(entry) = store.look(representation, &key(1), now, None) else {
                panic!()
            };
            assert!(entry.document().is_none());
        }
        store.changed(&key(1));
        for representation in ["", "name"] {
            assert!(matches!(store.look(representation, &key(1), now, None), Lookup::Miss(_)));
        }
    }

    /// Whether the change comes before or after the store, older rows are not found.
    #[test]
    fn rows_read_before_a_change_are_not_found() {
        let (store, now) = opened(1 << 20);
        let finished = Some(FinishedDocument { head: b"", body: b"old" });
        let Lookup::Miss(fill) = store.look("", &key(1), now, None) else { panic!() };
        store.changed(&key(1));
        assert!(!store.fill(fill, &key(1), finished, now));
        assert!(matches!(store.look("", &key(1), now, None), Lookup::Miss(_)));
        assert_eq!(store.usage().counts.outdated, 1);
        let Lookup::Miss(fill) = store.look("", &key(1), now, None) else { panic!() };
        store.changed_all();
        assert!(!store.fill(fill, &key(1), finished, now));
        assert!(matches!(store.look("", &key(1), now, None), Lookup::Miss(_)));
    }

    /// Two processes, each with its documents, and one table of versions.
    #[test]
    fn a_change_in_one_process_is_known_in_the_other() {
        let all: Arc<Versions> = Arc::default();
        let [here, there] = [(); 2].map(|()| {
            let versions = DocumentVersions::new(Arc::clone(&all), "/hr/team");
            Rowstore::new(Arc::new(versions), 1 << 20)
        });
        let now = Instant::now();
        assert_eq!(read(&there, 1, "a", now), b"a");
        here.changed(&key(1));
        assert_eq!(read(&there, 1, "b", now), b"b");
        here.changed_all();
        assert_eq!(read(&there, 1, "c", now), b"c");
        assert_eq!(there.usage().entries, 2, "what was dropped elsewhere is still held");
        there.sweep();
        assert_eq!(there.usage().entries, 0);
        assert_eq!(read(&there, 1, "d", now), b"d");
        there.sweep();
        assert_eq!(there.usage().entries, 1);
        // What each process learns by itself is dropped in one of them alone.
        here.changed_all_here();
        assert_eq!(read(&there, 1, "e", now), b"d");
    }

    #[test]
    fn entries_expire() {
        let (store, now) = opened(1 << 20);
        let second = Some(Duration::from_secs(1));
        let after = |millis| now + Duration::from_millis(millis);
        assert_eq!(read_within(&store, 1, "a", now, second), b"a");
        assert_eq!(read_within(&store, 1, "b", after(999), second), b"a");
        let entry = store.find("", &key(1)).unwrap();
        assert!((998..=999).contains(&store.age(&entry, after(999)).as_millis()));
        assert_eq!(store.age(&entry, now - Duration::from_secs(1)), Duration::ZERO);
        assert_eq!(read_within(&store, 1, "b", after(1_001), second), b"b");
        assert_eq!(read(&store, 1, "c", after(1_000_000_000)), b"b");
        store.changed(&key(1));
        assert!(store.find("", &key(1)).is_none());
    }

    #[test]
    fn the_bound_is_kept_and_may_be_changed() {
        let (store, now) = opened(64 << 10);
        let text = "x".repeat(200);
        for at in 0..1_000 {
            read(&store, at, &text, now);
        }
        let usage = store.usage();
        assert!(usage.bytes <= 64 << 10 && usage.entries > 100, "{usage:?}");
        assert_eq!(usage.counts.evicted, 1_000 - usage.entries);
        store.resize(16 << 10);
        assert!(store.usage().bytes <= 16 << 10);
        store.resize(1 << 20);
        for at in 0..1_000 {
            read(&store, at, &text, now);
        }
        assert_eq!(store.usage().entries, 1_000);
        read(&store, 5_000, &"x".repeat(1 << 17), now);
        assert_eq!(store.usage().entries, 1_000, "too large to be kept");
    }
}
