//! Descriptions that were written: OpenAPI documents, catalog entries and JSON Schemas, kept for
//! the next clients.
//!
//! One is written once for each snapshot of the catalog and set of roles, beside the event loop;
//! concurrent requests wait for the same. The address that a client sees is inserted when it is
//! sent, so that no choice of `Host` makes another one. They take an eighth of the memory at most;
//! the least recently used one is removed first.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use duet_auth::RoleSet;
use duet_document::Etag;
use duet_model::memory::{Budget, Lease};
use duet_model::{Error, Result};
use tokio::sync::OnceCell;

use crate::offload::Offload;

/// The part of the memory that they may take.
const PART: usize = 8;
/// How many there may be, however small.
const ENTRIES: usize = 10_000;

/// What a description is of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    /// The application, and its snapshot.
    pub(crate) application: String,
    pub(crate) generation: u64,
    /// The path of the mount.
    pub(crate) mount: String,
    /// The path below the mount, without a slash at its end.
    pub(crate) path: String,
    /// The roles of the caller: they determine the described resources.
    pub(crate) roles: RoleSet,
}

/// A description, without the address that its client sees.
#[derive(Debug)]
pub(crate) struct Description {
    text: Bytes,
    /// Where the address goes.
    holes: Vec<usize>,
    etag: Etag,
    /// Length of the texts in the gaps.
    hole: usize,
    _lease: Lease,
}

#[derive(Debug, Default)]
struct Entries {
    slots: HashMap<Key, Slot>,
    /// Counts requests.
    uses: u64,
}

#[derive(Debug)]
struct Slot {
    description: Arc<OnceCell<Arc<Description>>>,
    last_use: u64,
}

impl Slot {
    fn bytes(&self) -> usize {
        self.description.get().map_or(0, |known| known.text.len())
    }
}

/// The descriptions of all workers.
#[derive(Debug)]
pub(crate) struct Descriptions {
    entries: Mutex<Entries>,
    budget: Budget,
    most: usize,
    /// The placeholder for the address: no comment of a table can contain it.
    placeholder: String,
    written: AtomicU64,
}

impl Descriptions {
    pub(crate) fn new(budget: &Budget) -> Self {
        let random = RandomState::new().build_hasher().finish();
        Self {
            entries: Mutex::default(),
            most: budget.usage().limit / PART,
            budget: budget.clone(),
            placeholder: format!("http://{random:016x}.invalid"),
            written: AtomicU64::new(0),
        }
    }

    /// How many were written.
    pub(crate) fn written(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }

    /// Bytes of those that are kept.
    pub(crate) fn bytes(&self) -> usize {
        self.lock().slots.values().map(Slot::bytes).sum()
    }

    /// The placeholder for the address while a description is written.
    pub(crate) fn placeholder(&self) -> &str {
        &self.placeholder
    }

    /// The description of a key; `write` creates an absent one.
    ///
    /// # Errors
    /// What `write` says, and where there is no thread or memory for it.
    pub(crate) async fn get(
        &self,
        key: Key,
        offload: &Offload,
        write: impl FnOnce() -> Result<String> + Send + 'static,
    ) -> Result<Arc<Description>> {
        let slot = self.slot(&key);
        if let Some(known) = slot.get() {
            return Ok(Arc::clone(known));
        }
        let description = slot.get_or_try_init(|| self.write(offload, write)).await.cloned();
        match &description {
            Ok(_) => self.forget_until_it_fits(&key),
            Err(_) => drop(self.lock().slots.remove(&key)),
        }
        description
    }

    /// Writes one that is not kept.
    ///
    /// # Errors
    /// As [`Descriptions::get`].
    pub(crate) async fn write(
        &self,
        offload: &Offload,
        write: impl FnOnce() -> Result<String> + Send + 'static,
    ) -> Result<Arc<Description>> {
        let placeholder = self.placeholder.clone();
        let written = offload.run(move || write().map(|text| found(text, &placeholder)));
        let (text, holes, etag) = written.await??;
        self.written.fetch_add(1, Ordering::Relaxed);
        let lease = self.budget.lease(text.len()).or_else(|_| self.make_room(text.len()))?;
        let hole = self.placeholder.len();
        Ok(Arc::new(Description { text, holes, etag, hole, _lease: lease }))
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        // A panic elsewhere cannot leave an entry half changed.
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn slot(&self, key: &Key) -> Arc<OnceCell<Arc<Description>>> {
        let mut entries = self.lock();
        entries.uses += 1;
        let uses = entries.uses;
        if let Some(known) = entries.slots.get_mut(key) {
            known.last_use = uses;
            return Arc::clone(&known.description);
        }
        // Those of an older snapshot of the same mount are not requested any more.
        entries
            .slots
            .retain(|known, _| known.mount != key.mount || known.generation >= key.generation);
        let description = Arc::default();
        let slot = Slot { description: Arc::clone(&description), last_use: uses };
        entries.slots.insert(key.clone(), slot);
        description
    }

    /// Removes the least recently used, until the rest fits; `key` is removed last.
    fn forget_until_it_fits(&self, key: &Key) {
        let mut entries = self.lock();
        let mut bytes: usize = entries.slots.values().map(Slot::bytes).sum();
        while bytes > self.most || entries.slots.len() > ENTRIES {
            let others = entries.slots.iter().filter(|(known, _)| *known != key);
            let oldest = others.min_by_key(|(_, slot)| slot.last_use);
            let oldest = oldest.map_or_else(|| key.clone(), |(known, _)| known.clone());
            match entries.slots.remove(&oldest) {
                Some(slot) => bytes -= slot.bytes(),
                None => return,
            }
        }
    }

    /// Forgets all of them for the sake of another one.
    fn make_room(&self, bytes: usize) -> Result<Lease, Error> {
        self.lock().slots.retain(|_, slot| slot.description.get().is_none());
        self.budget.lease(bytes)
    }
}

/// Finds where the address goes; the etag is of the text without it.
fn found(text: String, placeholder: &str) -> (Bytes, Vec<usize>, Etag) {
    let holes = text.match_indices(placeholder).map(|(at, _)| at).collect();
    let etag = Etag::of("catalog", text.replace(placeholder, "").as_bytes());
    (Bytes::from(text), holes, etag)
}

impl Description {
    /// The text for a client that sees this address, in pieces that are shared with all other
    /// clients, and the value of its `ETag`.
    pub(crate) fn for_client(&self, base: &str) -> (Vec<Bytes>, String) {
        let base = Bytes::copy_from_slice(base.as_bytes());
        let mut pieces = Vec::with_capacity(self.holes.len() * 2 + 1);
        let mut from = 0;
        for &hole in &self.holes {
            pieces.push(self.text.slice(from..hole));
            pieces.push(base.clone());
            from = hole + self.hole;
        }
        pieces.push(self.text.slice(from..));
        let mut whole = self.etag.digits().to_vec();
        whole.extend_from_slice(&base);
        (pieces, format!("\"{}\"", Etag::of("catalog", &whole)))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn key(path: &str, generation: u64) -> Key {
        let roles = RoleSet::of(["duet.read"]);
        let (application, mount) = ("hr".into(), "/ords/hr".into());
        Key { application, generation, mount, path: path.into(), roles }
    }

    fn text_of((pieces, _): &(Vec<Bytes>, String)) -> String {
        String::from_utf8(pieces.concat()).unwrap()
    }

    #[tokio::test]
    async fn written_once_and_sent_with_any_address() {
        let descriptions = Descriptions::new(&Budget::new(1 << 20));
        let offload = Offload::new(2, Duration::from_secs(60));
        let base = descriptions.placeholder().to_owned();
        let write = || {
            let text = format!("[\"{base}/a\",\"{base}\"]");
            descriptions.get(key("open-api-catalog", 1), &offload, move || Ok(text))
        };
        let (first, second) = tokio::join!(write(), write());
        let (first, second) = (first.unwrap(), second.unwrap());
        assert!(Arc::ptr_eq(&first, &second));
        assert_eq!(descriptions.written(), 1);
        let (a, b) = (first.for_client("https://a"), second.for_client("http://b:8080"));
        assert_eq!(text_of(&a), r#"["https://a/a","https://a"]"#);
        assert_eq!(text_of(&b), r#"["http://b:8080/a","http://b:8080"]"#);
        assert_ne!(a.1, b.1);
        assert_eq!(a.1, first.for_client("https://a").1);
    }

    #[tokio::test]
    async fn they_take_a_part_of_the_memory_and_the_oldest_goes_first() {
        let budget = Budget::new(8 * 100);
        let descriptions = Descriptions::new(&budget);
        let offload = Offload::new(1, Duration::from_secs(60));
        let get = |path: &'static str, bytes: usize, generation: u64| {
            descriptions.get(key(path, generation), &offload, move || Ok("x".repeat(bytes)))
        };
        for path in ["a", "b", "a", "c", "a"] {
            get(path, 40, 1).await.unwrap();
        }
        assert_eq!(descriptions.written(), 3);
        assert_eq!(budget.usage().used, 80, "b has gone");
        get("b", 40, 1).await.unwrap();
        assert_eq!(descriptions.written(), 4, "b was written again");
        get("large", 150, 1).await.unwrap();
        assert_eq!(budget.usage().used, 0, "what is too large is not kept");
        get("a", 40, 2).await.unwrap();
        get("b", 40, 1).await.unwrap();
        get("a", 40, 3).await.unwrap();
        assert_eq!(budget.usage().used, 40, "older snapshots are forgotten");
        let held = budget.lease(750).unwrap();
        get("c", 50, 3).await.unwrap();
        assert_eq!(budget.usage().used, 800, "others make room");
        assert!(get("d", 90, 3).await.is_err(), "there is none");
        drop(held);
    }
}
