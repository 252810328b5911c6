//! What commits make of the rowstores: the items that show a changed row are no longer found.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arc_swap::ArcSwap;
use duet_model::commit::{Cause, CommitConsumer, CommitEvent};
use duet_model::dependents::{Dependents, unresolved};

use crate::build::snapshot::Snapshot;
use crate::cache::slot::{Slot, versions};
use crate::resources::resource::Resource;

/// Consumes the commits of an application's store for its rowstores.
#[derive(Debug, Default)]
pub(crate) struct Invalidation {
    known: ArcSwap<KeyedResources>,
    /// Whether it gets every commit with the rows that it changes.
    is_consuming: AtomicBool,
}

/// The resources with keys, and the index of their shapes, by the same positions.
#[derive(Debug, Default)]
struct KeyedResources {
    resources: Vec<Arc<Resource>>,
    index: Dependents,
}

impl Invalidation {
    /// Takes the resources of a snapshot, before it is served.
    pub(crate) fn take(&self, snapshot: &Snapshot) {
        let keyed = snapshot.resources().filter(|resource| !resource.shape.key.is_empty());
        let resources: Vec<_> = keyed.cloned().collect();
        let shapes = resources.iter().map(|resource| Arc::clone(&resource.shape)).collect();
        self.known.store(Arc::new(KeyedResources { resources, index: Dependents::new(shapes) }));
        self.cover();
    }

    /// Goes over to what is captured now of the resources' relations.
    pub(crate) fn cover(&self) {
        for resource in &self.known.load().resources {
            let currency = resource.rowstore.currency();
            currency.set_covered(currency.covers(&resource.shape));
        }
    }

    /// Whether commits reach the items of this place.
    pub(crate) fn reaches(&self, slot: &Arc<Slot>) -> bool {
        self.known.load().resources.iter().any(|resource| Arc::ptr_eq(&resource.rowstore, slot))
    }

    /// Whether there is a rowstore that commits must reach.
    pub(crate) fn is_needed(&self) -> bool {
        self.known.load().resources.iter().any(|resource| resource.rowstore.get().is_some())
    }

    /// Says whether it gets every commit: after it is subscribed, and before it is no longer.
    pub(crate) fn set_consuming(&self, is_consuming: bool) {
        self.is_consuming.store(is_consuming, Ordering::SeqCst);
    }

    /// Makes known what a commit changed: in this process, and in those that share the versions.
    fn consume(&self, event: &CommitEvent<'_>) {
        // What others than us may have changed anywhere, every instance finds out by itself.
        let is_local = event.cause == Cause::Foreign && event.everything;
        let known = self.known.load();
        for (at, affected) in known.index.affected(event, &mut unresolved) {
            let resource = &known.resources[at];
            // Behind such an event, other relations may be captured than before. Items that were kept under
            // another rule are dropped while the stricter one holds.
            let currency = resource.rowstore.currency();
            let is_covered = event.everything.then(|| currency.covers(&resource.shape));
            if is_covered == Some(false) {
                currency.set_covered(false);
            }
            match is_local {
                true => resource.rowstore.changed_all_here(),
                false => resource.rowstore.changed(&affected),
            }
            if is_covered == Some(true) {
                currency.set_covered(true);
            }
        }
    }
}

impl CommitConsumer for Invalidation {
    fn committed(&self, event: &CommitEvent<'_>) {
        self.consume(event);
    }
}

/// Consumes commits for the other instances while this one keeps no items itself, such as while an operator
/// switches rowstores on in one instance after the other. It needs no rows, so that writes cost nothing where
/// no instance keeps items; then all items of the resources that show a changed relation are dropped.
#[derive(Debug)]
pub(crate) struct ForOthers(Arc<Invalidation>);

impl ForOthers {
    pub(crate) fn new(invalidation: &Arc<Invalidation>) -> Self {
        Self(Arc::clone(invalidation))
    }
}

impl CommitConsumer for ForOthers {
    fn needs_rows(&self) -> bool {
        false
    }

    fn committed(&self, event: &CommitEvent<'_>) {
        if versions().are_in_use() && !self.0.is_consuming.load(Ordering::SeqCst) {
            self.0.consume(event);
        }
    }
}
