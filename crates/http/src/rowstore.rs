//! `/admin/rowstore`: the items in memory, by resource; and their metrics.

use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use duet_model::{Code, Error, Place, Result};
use duet_service::query::Parameters;
use duet_service::rowstore::Usage;
use duet_service::{Resource, Service};
use serde_json::{Value, json};

use crate::reply::Reply;
use crate::worker::Shared;

/// What is kept of a resource.
pub(crate) struct Kept {
    path: String,
    resource: Arc<Resource>,
    longest: Option<Duration>,
}

/// The resources of an application that have keys.
pub(crate) fn of(service: &Service) -> Vec<Kept> {
    let longest = service.limits().rowstore_max_age;
    let snapshot = service.snapshot();
    let each = snapshot.mounts.iter().flat_map(|mount| {
        let keyed = mount.resources().iter().filter(|resource| !resource.shape.key.is_empty());
        keyed.map(move |resource| Kept {
            path: format!("{}/{}", mount.path, resource.name),
            resource: Arc::clone(resource),
            longest,
        })
    });
    each.collect()
}

/// The answer to `GET /admin/rowstore`: the resources that keep items.
pub(crate) fn list(shared: &Shared) -> Reply {
    let services = shared.applications.services().iter();
    let rowstores: Vec<Value> = services
        .flat_map(|service| {
            let kept = of(service).into_iter();
            kept.filter_map(|kept| kept.json(service.name())).collect::<Vec<_>>()
        })
        .collect();
    Reply::json(json!({ "rowstores": rowstores }).to_string().into_bytes())
}

/// `POST /admin/rowstore?resource=PATH&bytes=N`: sets the room of one resource; 0 drops its items and
/// switches it off.
///
/// # Errors
/// Where there is no such resource, and for wrong parameters.
pub(crate) async fn resize(shared: &Shared, query: Option<&str>) -> Result<Reply> {
    let parameters = Parameters::parse(query, &["resource", "bytes"])?;
    let needed = |name: &str| {
        let message = format!("`{name}` is missing: give `?resource=PATH&bytes=NUMBER`.");
        let error = Error::new(Code::BadParameter, message).at(Place::Parameter(name.to_owned()));
        parameters.text(name)?.ok_or(error)
    };
    let (path, bytes) = (needed("resource")?, needed("bytes")?);
    let bytes = bytes.parse().map_err(|_| {
        let message = "`bytes` must be a whole number; 0 switches the rowstore off.";
        Error::new(Code::BadParameter, message).at(Place::Parameter("bytes".to_owned()))
    })?;
    for service in shared.applications.services() {
        let named = of(service).into_iter().find(|kept| kept.path == path.trim_end_matches('/'));
        if let Some(kept) = named {
            service.resize_rowstore(&kept.resource, bytes).await?;
            return Ok(list(shared));
        }
    }
    let message = "There is no resource with items at this path.";
    Err(Error::new(Code::NotServed, message).at(Place::Parameter("resource".to_owned())))
}

impl Kept {
    /// `None` where it is off.
    fn json(&self, application: &str) -> Option<Value> {
        let Usage { capacity, bytes, entries, counts } = self.resource.rowstore.usage()?;
        let mut kept = json!({
            "resource": self.path,
            "application": application,
            "state": if self.longest.is_some() { "degraded" } else { "ready" },
            "capacityBytes": capacity,
            "bytes": bytes,
            "entries": entries,
            "hits": counts.hits,
            "misses": counts.misses,
            "bypasses": counts.bypasses,
            "filled": counts.filled,
            "outdated": counts.outdated,
            "evicted": counts.evicted,
            "changed": counts.changed,
            "dropped": counts.dropped,
        });
        if let Some(longest) = self.longest {
            kept["maxAgeSeconds"] = longest.as_secs_f64().into();
            kept["reason"] = "Other programs may write to the database, so items are served for \
                              `rowstore_max_age` only."
                .into();
        }
        Some(kept)
    }
}

/// A metric by resource: name, kind, help, value.
type Metric = (&'static str, &'static str, &'static str, fn(&Usage) -> u64);

const METRICS: [Metric; 11] = [
    ("duet_rowstore_capacity_bytes", "gauge", "Bytes that items may take in memory.", |it| {
        it.capacity
    }),
    ("duet_rowstore_bytes", "gauge", "Bytes that items take in memory.", |it| it.bytes),
    ("duet_rowstore_entries", "gauge", "Items in memory.", |it| it.entries),
    ("duet_rowstore_hits_total", "counter", "Items answered from memory.", |it| it.counts.hits),
    ("duet_rowstore_misses_total", "counter", "Items that were not in memory.", |it| {
        it.counts.misses
    }),
    ("duet_rowstore_bypasses_total", "counter", "Items read without a look into memory.", |it| {
        it.counts.bypasses
    }),
    ("duet_rowstore_filled_total", "counter", "Items put into memory.", |it| it.counts.filled),
    (
        "duet_rowstore_outdated_total",
        "counter",
        "Items not put into memory because they had changed meanwhile.",
        |it| it.counts.outdated,
    ),
    ("duet_rowstore_evicted_total", "counter", "Items that had to go for lack of room.", |it| {
        it.counts.evicted
    }),
    ("duet_rowstore_changed_total", "counter", "Items that changed.", |it| it.counts.changed),
    ("duet_rowstore_dropped_total", "counter", "Times that all items were dropped.", |it| {
        it.counts.dropped
    }),
];

/// Prints the metrics of each rowstore, which is named by its labels; nothing where there are none.
pub(crate) fn render(out: &mut String, rowstores: &[(String, Usage)]) {
    if rowstores.is_empty() {
        return;
    }
    // Writing to a String cannot fail.
    for (name, kind, help, value) in METRICS {
        let _ = write!(out, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
        for (labels, usage) in rowstores {
            let _ = writeln!(out, "{name}{{{labels}}} {}", value(usage));
        }
    }
}

/// The rowstores of an application that are on, by the path of their resource.
pub(crate) fn usages(service: &Service) -> Vec<(String, Usage)> {
    let each = of(service).into_iter();
    each.filter_map(|kept| Some((kept.path, kept.resource.rowstore.usage()?))).collect()
}
