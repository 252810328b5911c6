//! What this process keeps in memory, by resource.

use std::sync::Arc;
use std::time::Instant;

use duet_service::rowstore::{PopulationProgress, RowstoreState, Usage};
use duet_service::{Resource, Service};
use serde_json::{Value, json};

use crate::observe::capture;
use crate::worker::ServerState;

/// What is kept of a resource.
pub(crate) struct RowstoreResource {
    pub(crate) path: String,
    pub(crate) resource: Arc<Resource>,
}

/// The resources of an application that have keys.
pub(crate) fn of(service: &Service) -> Vec<RowstoreResource> {
    let snapshot = service.snapshot();
    let each = snapshot.mounts.iter().flat_map(|mount| {
        let keyed = mount.resources().iter().filter(|resource| !resource.shape.key.is_empty());
        keyed.map(move |resource| RowstoreResource {
            path: format!("{}/{}", mount.path, resource.name),
            resource: Arc::clone(resource),
        })
    });
    each.collect()
}

/// What this process keeps.
pub(crate) fn report(shared: &ServerState) -> Value {
    let services = shared.applications.services().iter();
    let rowstores: Vec<Value> = services
        .clone()
        .flat_map(|service| {
            let kept = of(service).into_iter();
            kept.filter_map(|kept| kept.json(service.name())).collect::<Vec<_>>()
        })
        .collect();
    let captures: Vec<Value> = services.filter_map(|service| capture::json(service)).collect();
    json!({ "rowstores": rowstores, "captures": captures })
}

impl RowstoreResource {
    /// `None` where it is off.
    fn json(&self, application: &str) -> Option<Value> {
        let (slot, now) = (&self.resource.rowstore, Instant::now());
        let Usage { capacity, bytes, entries, counts } = slot.usage()?;
        let (state, progress) = (slot.state(now), slot.progress());
        let mut kept = json!({
            "resource": self.path,
            "application": application,
            "state": state.word(),
            "capacityBytes": capacity,
            "bytes": bytes,
            "entries": entries,
            "lookups": counts.hits + counts.misses,
            "hits": counts.hits,
            "misses": counts.misses,
            "bypasses": counts.bypasses,
            "stale": counts.stale,
            "filled": counts.filled,
            "outdated": counts.outdated,
            "evicted": counts.evicted,
            "changed": counts.changed,
            "dropped": counts.dropped,
            "populate": {
                "state": progress.phase.word(),
                "rows": progress.rows,
                "total": progress.total,
                "populated": progress.populated,
                "accepted": progress.accepted,
                "rejected": progress.rejected,
            },
        });
        if let Some(lag) = slot.lag(now) {
            kept["lagSeconds"] = lag.as_secs_f64().into();
        }
        if let Some(longest) = slot.longest(now) {
            kept["maxAgeSeconds"] = longest.as_secs_f64().into();
        }
        if let RowstoreState::Degraded(reason) = state {
            kept["reason"] = reason.into();
        }
        Some(kept)
    }
}

/// The rowstores of an application that are on, by the path of their resource.
pub(crate) fn usages(service: &Service) -> Vec<(String, Usage, PopulationProgress)> {
    let each = of(service).into_iter();
    each.filter_map(|RowstoreResource { path, resource, .. }| {
        Some((path, resource.rowstore.usage()?, resource.rowstore.progress()))
    })
    .collect()
}
