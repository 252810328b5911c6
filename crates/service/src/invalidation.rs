//! What commits make of the rowstores: the items that show a changed row are no longer found.

use std::sync::Arc;

use arc_swap::ArcSwap;
use duet_model::commit::{CommitConsumer, CommitEvent};
use duet_model::dependents::{Affected, Dependents, unresolved};
use duet_rowstore::KeyBytes;

use crate::resource::Resource;
use crate::rowstore::Slot;
use crate::snapshot::Snapshot;

/// Consumes the commits of an application's store for its rowstores.
#[derive(Debug, Default)]
pub(crate) struct Invalidation(ArcSwap<KeyedResources>);

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
        self.0.store(Arc::new(KeyedResources { resources, index: Dependents::new(shapes) }));
        self.cover();
    }

    /// Goes over to what is captured now of the resources' relations.
    pub(crate) fn cover(&self) {
        for resource in &self.0.load().resources {
            let currency = resource.rowstore.currency();
            currency.set_covered(currency.covers(&resource.shape));
        }
    }

    /// Whether commits reach the items of this place.
    pub(crate) fn reaches(&self, slot: &Arc<Slot>) -> bool {
        self.0.load().resources.iter().any(|resource| Arc::ptr_eq(&resource.rowstore, slot))
    }

    /// Whether there is a rowstore that commits must reach.
    pub(crate) fn is_needed(&self) -> bool {
        self.0.load().resources.iter().any(|resource| resource.rowstore.get().is_some())
    }
}

impl CommitConsumer for Invalidation {
    fn committed(&self, event: &CommitEvent<'_>) {
        let known = self.0.load();
        for (at, affected) in known.index.affected(event, &mut unresolved) {
            let resource = &known.resources[at];
            // Behind such an event, other relations may be captured than before. Items that were kept under
            // another rule are dropped while the stricter one holds.
            let currency = resource.rowstore.currency();
            let is_covered = event.everything.then(|| currency.covers(&resource.shape));
            if is_covered == Some(false) {
                currency.set_covered(false);
            }
            if let Some(rowstore) = resource.rowstore.get() {
                match affected {
                    Affected::Any => rowstore.changed_all(),
                    Affected::Keys(keys) => {
                        keys.iter().for_each(|key| rowstore.changed(&KeyBytes::of(key)));
                    }
                }
            }
            if is_covered == Some(true) {
                currency.set_covered(true);
            }
        }
    }
}
