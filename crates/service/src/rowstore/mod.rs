//! The rowstores of an application: which resources keep items in memory, and that every commit reaches these.

mod followed;
mod invalidation;
pub(crate) mod populations;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use duet_model::commit::CommitConsumer;
use duet_rowstore::Definitions;
use duet_store::{Commits, SharedStore};

use crate::build::snapshot::Snapshot;
use crate::cache::slot::versions;
use crate::resources::resource::Resource;
use crate::rowstore::invalidation::{ForOthers, Invalidation};
use crate::rowstore::populations::Populations;

pub use duet_rowstore::Usage;
pub use duet_store::{CaptureReport, Means};

pub use crate::cache::population::{Phase, PopulationProgress, RowstoreState};
pub use crate::cache::slot::Slot;
pub use crate::documents::CacheStatus;

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
        store: &SharedStore,
        tenant: Option<&str>,
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
