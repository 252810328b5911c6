//! Items from memory: the cached form of an item, and when it is cached.
//!
//! Kept is the text up to the links, which depend on the client's address and rights, with the etag
//! and the key as the links have it. An answer that depends on the caller in any other way is neither
//! kept nor taken from memory: those of a role of the database or with claims, and expanded ones.

mod followed;

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::io;
use std::os::fd::AsFd;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use duet_db::{Commits, Store};
use duet_document::{DocumentText, Etag, Links, TextBuffer, Written};
use duet_model::Value;
use duet_model::commit::CommitConsumer;
use duet_model::dependents::Affected;
use duet_rowstore::{
    Definitions, DocumentVersions, Entry, Fill, Finished, KeyBytes, Lookup, Rowstore, Versions,
};

pub use duet_db::{Means, Report as CaptureReport};
pub use duet_rowstore::Usage;

pub use crate::population::{Phase, Progress, State};

use crate::currency::{Currency, Use};
use crate::invalidation::{ForOthers, Invalidation};
use crate::populate::Populations;
use crate::population::Population;
use crate::read::{Document, ItemDocument};
use crate::resource::Resource;
use crate::snapshot::Snapshot;

/// Bytes of an etag in the head of an entry.
const ETAG: usize = 16;

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
    fn is_named(&self) -> bool {
        self.3.get().is_some()
    }

    /// Takes the name that the resource has in every instance, and the definitions that it is among; the first ones
    /// count.
    fn name(&self, name: &str, definitions: &Arc<Definitions>) {
        self.3.get_or_init(|| {
            let versions = DocumentVersions::new(Arc::clone(versions()), name);
            Arc::new(versions.among(definitions))
        });
    }

    /// Makes known which of its items have changed, to all instances, whether this one keeps any or not.
    pub(crate) fn changed(&self, affected: &Affected) {
        let (rowstore, versions) = (self.get(), self.versions());
        match (affected, rowstore) {
            (Affected::Any, Some(rowstore)) => rowstore.changed_all(),
            (Affected::Any, None) => versions.changed_all(),
            (Affected::Keys(keys), Some(rowstore)) => {
                keys.iter().for_each(|key| rowstore.changed(&KeyBytes::of(key)));
            }
            (Affected::Keys(keys), None) => {
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
    pub fn progress(&self) -> Progress {
        self.population().progress()
    }

    /// What it is doing.
    pub fn state(&self, now: Instant) -> State {
        let progress = self.progress();
        match (self.get(), progress.phase, self.currency().complaint(now)) {
            (None, ..) => State::Off,
            (_, Phase::Waiting | Phase::Running, _) => State::Populating,
            (_, Phase::Failed, _) => {
                let why = progress.failure.unwrap_or_default();
                State::Degraded(format!("The items could not all be brought into memory. {why}"))
            }
            (_, _, Some(complaint)) => State::Degraded(complaint),
            (_, _, None) => State::Ready,
        }
    }

    /// How full it is; `None` where it is off.
    pub fn usage(&self) -> Option<Usage> {
        self.get().map(|rowstore| rowstore.usage())
    }
}

/// The rowstores of an application: they are on only while they learn of every commit.
#[derive(Debug, Default)]
pub(crate) struct Rowstores {
    invalidation: Arc<Invalidation>,
    /// Whether the commits of the store are consumed for this process.
    consuming: Mutex<bool>,
    /// What consumes them for the other instances, once there is one.
    others: OnceLock<()>,
    /// What the instances serve of the application.
    definitions: OnceLock<Arc<Definitions>>,
    /// Tasks that bring items into memory.
    pub(crate) populations: Populations,
    /// What operators have set, also of resources that are not served just now.
    set: Mutex<HashMap<(String, String), Set>>,
}

/// The room that an operator has set for the items of a resource.
#[derive(Clone, Copy, Debug)]
struct Set {
    /// The declaration at that time: another number replaces the operator's setting.
    declared: u64,
    bytes: u64,
}

impl Rowstores {
    /// Goes over to a new snapshot, before it is served.
    /// `tenant`: what tells the application of a tenant from those of others.
    pub(crate) fn take(
        &self,
        snapshot: &Snapshot,
        before: Option<&Snapshot>,
        (store, tenant): (&Store, Option<&str>),
    ) {
        let commits = store.commits();
        let mut consuming = self.consuming.lock().unwrap_or_else(PoisonError::into_inner);
        let limits = &snapshot.application.limits;
        // What no commit reaches any more is off.
        let stays: HashSet<_> =
            snapshot.resources().map(|new| Arc::as_ptr(&new.rowstore)).collect();
        for old in before.iter().flat_map(|before| before.resources()) {
            if old.rowstore.get().is_some() && !stays.contains(&Arc::as_ptr(&old.rowstore)) {
                old.rowstore.resize(0);
            }
        }
        for resource in snapshot.resources() {
            let currency = resource.rowstore.currency();
            currency.take(limits, resource.serve_stale, store.freshness());
        }
        // Tenants have the same resources over other databases.
        let database = store.describe();
        let named = [&*database, &snapshot.application.name, tenant.unwrap_or_default()].join("\n");
        let define = || Arc::new(Definitions::new(Arc::clone(versions()), &named));
        let definitions = self.definitions.get_or_init(define);
        for mount in &snapshot.mounts {
            for resource in mount.resources() {
                if resource.rowstore.is_named() {
                    continue;
                }
                let schema = &resource.shape.root().table.schema;
                let parts = [&database, mount.path.as_str(), resource.name.as_str(), schema];
                let name = parts.join("\n");
                resource.rowstore.name(&name, definitions);
            }
        }
        self.invalidation.take(snapshot);
        if versions().are_shared() {
            let others = || Arc::new(ForOthers::new(&self.invalidation));
            self.others.get_or_init(|| commits.subscribe(others()));
            definitions.take(&followed::followed(snapshot));
        }
        let rooms = self.rooms(snapshot);
        if rooms.iter().any(|(_, bytes)| *bytes > 0) {
            self.consume(true, &mut consuming, commits);
        }
        for (resource, bytes) in rooms {
            let was_on = resource.rowstore.get().is_some();
            resource.rowstore.resize(bytes);
            if resource.rowstore_eager && !was_on && bytes > 0 {
                self.populations.push(resource);
            }
        }
        self.consume(self.invalidation.is_needed(), &mut consuming, commits);
    }

    /// Whether there is a rowstore that commits must reach.
    pub(crate) fn are_needed(&self) -> bool {
        self.invalidation.is_needed()
    }

    /// The memory of each resource: the operator's setting, or the declaration.
    fn rooms<'s>(&self, snapshot: &'s Snapshot) -> Vec<(&'s Arc<Resource>, u64)> {
        let mut set = self.set.lock().unwrap_or_else(PoisonError::into_inner);
        let mut rooms = Vec::new();
        for mount in &snapshot.mounts {
            for resource in mount.resources() {
                if set.is_empty() {
                    rooms.push((resource, resource.rowstore_declared));
                    continue;
                }
                let name = (mount.path.clone(), resource.name.clone());
                let bytes = match set.get(&name) {
                    Some(set) if set.declared == resource.rowstore_declared => set.bytes,
                    Some(_) => {
                        set.remove(&name);
                        resource.rowstore_declared
                    }
                    None => resource.rowstore_declared,
                };
                rooms.push((resource, bytes));
            }
        }
        rooms
    }

    /// Remembers what an operator has set for a resource of this mount.
    pub(crate) fn remember(&self, mount: &str, resource: &Resource, bytes: u64) {
        let mut set = self.set.lock().unwrap_or_else(PoisonError::into_inner);
        let name = (mount.to_owned(), resource.name.clone());
        set.insert(name, Set { declared: resource.rowstore_declared, bytes });
    }

    /// Changes the room of one resource, unless it is of a snapshot that is no longer served.
    pub(crate) fn resize(&self, resource: &Resource, bytes: u64, commits: &Commits) {
        let mut consuming = self.consuming.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.invalidation.reaches(&resource.rowstore) {
            return;
        }
        if bytes > 0 {
            self.consume(true, &mut consuming, commits);
            self.invalidation.cover();
        }
        resource.rowstore.resize(bytes);
        self.consume(self.invalidation.is_needed(), &mut consuming, commits);
    }

    fn consume(&self, wanted: bool, consuming: &mut bool, commits: &Commits) {
        if std::mem::replace(consuming, wanted) == wanted {
            return;
        }
        let consumer: Arc<dyn CommitConsumer> = Arc::clone(&self.invalidation) as _;
        match wanted {
            true => {
                commits.subscribe(consumer);
                self.invalidation.set_consuming(true);
            }
            false => {
                self.invalidation.set_consuming(false);
                commits.unsubscribe(&consumer);
            }
        }
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
    pub(crate) fn keep(&self, written: &Written, key: &[u8], text: &[u8]) {
        let digits = self.number.is_some_and(|number| number.to_string().as_bytes() == key);
        let text_of_key = if digits { &[][..] } else { key };
        let form = EntryFlags { unchecked: written.unchecked.is_some(), digits };
        let mut head = Vec::with_capacity(1 + 2 * ETAG + text_of_key.len());
        head.push(form.byte());
        head.extend_from_slice(&written.etag.bytes());
        written.unchecked.iter().for_each(|etag| head.extend_from_slice(&etag.bytes()));
        head.extend_from_slice(text_of_key);
        let finished = Finished { head: &head, body: text };
        self.fill(Some(finished));
    }

    /// Keeps that there is no such item.
    pub(crate) fn keep_absence(&self) {
        self.fill(None);
    }

    fn fill(&self, finished: Option<Finished<'_>>) {
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
    /// The item with links; `None` where there is none.
    pub(crate) fn document(&self, links: &Links<'_>) -> Option<ItemDocument> {
        let Finished { head, body } = self.entry.document()?;
        let (written, key) = read_head(head);
        let mut digits = itoa::Buffer::new();
        let key = match key {
            Some(key) => key,
            None => digits.format(self.number.unwrap_or_default()).as_bytes(),
        };
        let addresses = 2 * (links.collection.len() + key.len()) + links.described_by.len();
        let mut text = Vec::with_capacity(body.len() + addresses + links.collection.len() + 160);
        text.extend_from_slice(body);
        links.write(|out| out.extend_from_slice(key), &mut text);
        let body = DocumentText::Whole(TextBuffer { text, lease: None });
        let document = Document { body, etag: written.header(), fetched_at: None };
        Some(ItemDocument { document, source: Some(self.source), age: self.age })
    }
}

/// Reads a head as [`Keeper::keep`] has written it: the etag, and the key if present.
fn read_head(head: &[u8]) -> (Written, Option<&[u8]>) {
    let etag = |from: usize| {
        let mut bytes = [0; ETAG];
        bytes.copy_from_slice(&head[from..from + ETAG]);
        Etag::of_bytes(bytes)
    };
    let form = EntryFlags::of_byte(head[0]);
    let unchecked = form.unchecked.then(|| etag(1 + ETAG));
    let key = 1 + ETAG + unchecked.map_or(0, |_| ETAG);
    (Written { etag: etag(1), unchecked }, (!form.digits).then(|| &head[key..]))
}
