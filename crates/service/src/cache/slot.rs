//! The place for a resource's items in memory: looking one up, and keeping one that was read.
//!
//! Kept is the text up to the links, which depend on the client's address and rights, with the etag
//! and the key as the links have it. An answer that depends on the caller in any other way is neither
//! kept nor taken from memory: those of a role of the database or with claims, and expanded ones.

use std::cell::Cell;
use std::io;
use std::os::fd::AsFd;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use duet_document::{DocumentEtags, DocumentText, Etag, Links, TextBuffer};
use duet_model::Value;
use duet_model::dependents::AffectedDocuments;
use duet_rowstore::{
    Definitions, DocumentVersions, Entry, Fill, FinishedDocument, KeyBytes, Lookup, Rowstore,
    Usage, Versions,
};

use super::currency::{Currency, Use};
use super::population::{Phase, Population, PopulationProgress, RowstoreState};
use crate::documents::{CacheStatus, Document, ItemDocument};

/// Bytes of an etag in the head of an entry.
const ETAG: usize = 16;

/// The versions of all keys of the process, or of all instances: each rowstore spreads its keys over them in
/// its own way.
static VERSIONS: OnceLock<Arc<Versions>> = OnceLock::new();

/// Bytes of the file in memory by which instances know of each other's writes.
pub const SHARED_BYTES: usize = Versions::SHARED_BYTES;

/// Shares the versions of items with the other instances that have this file; to be called before an
/// application is opened.
///
/// # Errors
/// If the file cannot be mapped into memory.
pub fn share_versions(file: impl AsFd) -> io::Result<()> {
    let shared = Arc::new(Versions::shared(file)?);
    VERSIONS.set(shared).map_err(|_| io::Error::other("items are in memory already"))
}

/// The versions of the process.
pub(crate) fn versions() -> &'static Arc<Versions> {
    VERSIONS.get_or_init(Arc::default)
}

/// The place for the rowstore of a resource, which may be set, resized and taken away while it serves.
#[derive(Debug, Default)]
pub struct Slot(ArcSwapOption<Rowstore>, Population, Currency, OnceLock<Arc<DocumentVersions>>);

impl Slot {
    /// The rowstore; `None` where it is off.
    pub fn get(&self) -> Option<Arc<Rowstore>> {
        self.0.load_full()
    }

    /// Looks an item up in a representation: the `fields` as they were given, if they were.
    pub(crate) fn look(&self, fields: Option<&str>, key: &[Value], now: Instant) -> CacheLookup {
        // The count of references, which all threads share, is left alone where the item is found.
        let rowstore = self.0.load();
        let Some(rowstore) = &*rowstore else { return CacheLookup::Off };
        let Use::Within(longest) = self.currency().at(now) else {
            rowstore.bypass();
            return CacheLookup::Bypassed;
        };
        // Instances with other definitions do not say which of its items they change.
        if !self.versions().are_known() {
            rowstore.bypass();
            return CacheLookup::Bypassed;
        }
        let (number, bytes) = (number_of(key), KeyBytes::of(key));
        match rowstore.look(fields.unwrap_or_default(), &bytes, now, longest) {
            Lookup::Found(entry) => {
                let age = match (self.currency().lag(now), longest) {
                    (Some(lag), _) => Some(lag),
                    (None, Some(_)) => Some(rowstore.age(&entry, now)),
                    (None, None) => None,
                };
                CacheLookup::Found(CachedItem { entry, number, age, source: CacheStatus::Hit })
            }
            Lookup::Miss(fill) => {
                let rowstore = Arc::clone(rowstore);
                let outdated = Cell::new(false);
                CacheLookup::Unknown(Keeper { rowstore, key: bytes, number, fill, now, outdated })
            }
        }
    }

    /// The item of a key while the database is down, however old, if it may be served then.
    pub(crate) fn stale(
        &self,
        fields: Option<&str>,
        key: &[Value],
        now: Instant,
    ) -> Option<CachedItem> {
        let rowstore = self.get()?;
        let entry = rowstore.find(fields.unwrap_or_default(), &KeyBytes::of(key))?;
        // That there was no item is no answer while the database is down.
        entry.document()?;
        let age = Some(self.currency().staleness(now, rowstore.age(&entry, now))?);
        rowstore.stale();
        Some(CachedItem { entry, number: number_of(key), age, source: CacheStatus::Stale })
    }

    /// Counts a read that does not look.
    pub(crate) fn bypass(&self) -> CacheLookup {
        let Some(rowstore) = &*self.0.load() else { return CacheLookup::Off };
        rowstore.bypass();
        CacheLookup::Bypassed
    }

    /// Sets its limit in bytes; 0 switches it off. Another limit ends a running population.
    pub(crate) fn resize(&self, bytes: u64) {
        if self.usage().map_or(0, |usage| usage.capacity) != bytes {
            self.population().cancel();
        }
        match (bytes, self.get()) {
            (0, _) => self.0.store(None),
            (_, Some(rowstore)) => rowstore.resize(bytes),
            (_, None) => {
                versions().use_them();
                let versions = Arc::clone(self.versions());
                self.0.store(Some(Arc::new(Rowstore::new(versions, bytes))));
            }
        }
    }

    /// The versions of its items; the name of the resource is given by [`Slot::name`].
    pub(crate) fn versions(&self) -> &Arc<DocumentVersions> {
        self.3.get_or_init(|| Arc::new(DocumentVersions::new(Arc::clone(versions()), "")))
    }

    /// Whether it has got the name that the resource has in every instance.
    pub(crate) fn is_named(&self) -> bool {
        self.3.get().is_some()
    }

    /// Takes the name that the resource has in every instance, and the definitions that it is among; the first ones
    /// count.
    pub(crate) fn name(&self, name: &str, definitions: &Arc<Definitions>) {
        self.3.get_or_init(|| {
            let versions = DocumentVersions::new(Arc::clone(versions()), name);
            Arc::new(versions.among(definitions))
        });
    }

    /// Makes known which of its items have changed, to all instances, whether this one keeps any or not.
    pub(crate) fn changed(&self, affected: &AffectedDocuments) {
        let (rowstore, versions) = (self.get(), self.versions());
        match (affected, rowstore) {
            (AffectedDocuments::Any, Some(rowstore)) => rowstore.changed_all(),
            (AffectedDocuments::Any, None) => versions.changed_all(),
            (AffectedDocuments::Keys(keys), Some(rowstore)) => {
                keys.iter().for_each(|key| rowstore.changed(&KeyBytes::of(key)));
            }
            (AffectedDocuments::Keys(keys), None) => {
                keys.iter().for_each(|key| versions.changed(&KeyBytes::of(key)));
            }
        }
    }

    /// Any of its items may have changed by what every instance finds out by itself.
    pub(crate) fn changed_all_here(&self) {
        if let Some(rowstore) = self.get() {
            rowstore.changed_all_here();
        }
    }

    /// The tasks that bring items into it.
    pub(crate) fn population(&self) -> &Population {
        &self.1
    }

    /// How long its items are of use.
    pub(crate) fn currency(&self) -> &Currency {
        &self.2
    }

    /// How far its items may be behind the commits of others; `None` where these are not captured.
    pub fn lag(&self, now: Instant) -> Option<Duration> {
        self.currency().lag(now)
    }

    /// How old an item may be that is served from memory; `None`: of any age.
    pub fn longest(&self, now: Instant) -> Option<Duration> {
        match self.currency().at(now) {
            Use::Within(longest) => longest,
            Use::Nothing => None,
        }
    }

    /// How far these are.
    pub fn progress(&self) -> PopulationProgress {
        self.population().progress()
    }

    /// What it is doing.
    pub fn state(&self, now: Instant) -> RowstoreState {
        let progress = self.progress();
        match (self.get(), progress.phase, self.currency().complaint(now)) {
            (None, ..) => RowstoreState::Off,
            (_, Phase::Waiting | Phase::Running, _) => RowstoreState::Populating,
            (_, Phase::Failed, _) => {
                let why = progress.failure.unwrap_or_default();
                RowstoreState::Degraded(format!(
                    "The items could not all be brought into memory. {why}"
                ))
            }
            (_, _, Some(complaint)) => RowstoreState::Degraded(complaint),
            (_, _, None) => RowstoreState::Ready,
        }
    }

    /// How full it is; `None` where it is off.
    pub fn usage(&self) -> Option<Usage> {
        self.get().map(|rowstore| rowstore.usage())
    }
}

/// What a lookup gave.
pub(crate) enum CacheLookup {
    /// The resource has no rowstore.
    Off,
    /// It was not looked up.
    Bypassed,
    /// The item, or that there is none.
    Found(CachedItem),
    /// It must be read.
    Unknown(Keeper),
}

/// Stores an item that was not in memory after it is read.
pub(crate) struct Keeper {
    rowstore: Arc<Rowstore>,
    key: KeyBytes,
    /// The key where it is one whole number: links have its digits.
    number: Option<i64>,
    fill: Fill,
    now: Instant,
    /// Whether the item may have changed while it was read, so that it was not kept.
    outdated: Cell<bool>,
}

/// An item from memory.
pub(crate) struct CachedItem {
    entry: Entry,
    number: Option<i64>,
    /// How far it may be behind the database, where that is known.
    age: Option<Duration>,
    source: CacheStatus,
}

impl Keeper {
    /// For an item that is read from now on, whether it is in memory or not.
    pub(crate) fn begin(rowstore: Arc<Rowstore>, key: &[Value]) -> Self {
        let (number, key) = (number_of(key), KeyBytes::of(key));
        let fill = rowstore.begin("", &key);
        let (now, outdated) = (Instant::now(), Cell::new(false));
        Self { rowstore, key, number, fill, now, outdated }
    }

    /// Whether the item may have changed while it was read, so that it was not kept.
    pub(crate) fn is_outdated(&self) -> bool {
        self.outdated.get()
    }

    /// Keeps an item that was read since: its text up to the links, and its key in them.
    pub(crate) fn keep(&self, written: &DocumentEtags, key: &[u8], text: &[u8]) {
        let digits = self.number.is_some_and(|number| number.to_string().as_bytes() == key);
        let text_of_key = if digits { &[][..] } else { key };
        let form = EntryFlags { unchecked: written.unchecked.is_some(), digits };
        let mut head = Vec::with_capacity(1 + 2 * ETAG + text_of_key.len());
        head.push(form.byte());
        head.extend_from_slice(&written.etag.bytes());
        written.unchecked.iter().for_each(|etag| head.extend_from_slice(&etag.bytes()));
        head.extend_from_slice(text_of_key);
        let finished = FinishedDocument { head: &head, body: text };
        self.fill(Some(finished));
    }

    /// Keeps that there is no such item.
    pub(crate) fn keep_absence(&self) {
        self.fill(None);
    }

    fn fill(&self, finished: Option<FinishedDocument<'_>>) {
        let filled = self.rowstore.fill(self.fill, &self.key, finished, self.now);
        self.outdated.set(!filled);
    }
}

/// The key where it is one whole number.
fn number_of(key: &[Value]) -> Option<i64> {
    match key {
        [Value::Int(number)] => Some(*number),
        _ => None,
    }
}

/// What the head of an entry has behind its first byte: the etag, and what this byte says.
#[derive(Clone, Copy)]
struct EntryFlags {
    /// The etag of the unchecked members follows.
    unchecked: bool,
    /// The key in links is the digits of the number that it is; else it follows.
    digits: bool,
}

impl EntryFlags {
    fn byte(self) -> u8 {
        u8::from(self.unchecked) | u8::from(self.digits) << 1
    }

    fn of_byte(byte: u8) -> Self {
        Self { unchecked: byte & 1 != 0, digits: byte & 2 != 0 }
    }
}

impl CachedItem {
    /// The item with links; `None` where there is none. `with_key`: and its key as it is stored.
    pub(crate) fn document(&self, links: &Links<'_>, with_key: bool) -> Option<ItemDocument> {
        let FinishedDocument { head, body } = self.entry.document()?;
        let (written, key) = read_head(head);
        let mut digits = itoa::Buffer::new();
        let key = match key {
            Some(key) => key,
            None => digits.format(self.number.unwrap_or_default()).as_bytes(),
        };
        let stored_key = with_key.then(|| key.to_vec());
        let addresses = 2 * (links.collection.len() + key.len()) + links.described_by.len();
        let mut text = Vec::with_capacity(body.len() + addresses + links.collection.len() + 160);
        text.extend_from_slice(body);
        links.write(|out| out.extend_from_slice(key), &mut text);
        let body = DocumentText::Whole(TextBuffer { text, lease: None });
        let document = Document { body, etag: written.header(), fetched_at: None };
        Some(ItemDocument { document, source: Some(self.source), age: self.age, stored_key })
    }
}

/// Reads a head as [`Keeper::keep`] has written it: the etag, and the key if present.
fn read_head(head: &[u8]) -> (DocumentEtags, Option<&[u8]>) {
    let etag = |from: usize| {
        let mut bytes = [0; ETAG];
        bytes.copy_from_slice(&head[from..from + ETAG]);
        Etag::of_bytes(bytes)
    };
    let form = EntryFlags::of_byte(head[0]);
    let unchecked = form.unchecked.then(|| etag(1 + ETAG));
    let key = 1 + ETAG + unchecked.map_or(0, |_| ETAG);
    (DocumentEtags { etag: etag(1), unchecked }, (!form.digits).then(|| &head[key..]))
}
