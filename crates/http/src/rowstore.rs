//! `/admin/rowstore`: the items in memory, by resource; and their metrics.

use std::fmt::Write;
use std::sync::Arc;
use std::time::Instant;

use duet_model::{Code, Error, Place, Result};
use duet_service::query::Parameters;
use duet_service::rowstore::{Progress, State, Usage};
use duet_service::{Resource, Service};
use serde_json::{Value, json};

use crate::reply::Reply;
use crate::worker::Shared;
use crate::{capture, processes};

/// What is kept of a resource.
pub(crate) struct RowstoreResource {
    path: String,
    resource: Arc<Resource>,
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

/// The answer to `GET /admin/rowstore`: the resources that keep items, of all processes.
pub(crate) async fn list(shared: &Shared) -> Reply {
    Reply::json(all(shared).await.to_string().into_bytes())
}

/// What every process keeps, with its number where there are several.
async fn all(shared: &Shared) -> Value {
    let processes = processes::rowstores(shared).await;
    let several = processes.len() > 1;
    let of = |list: &str| -> Vec<Value> {
        let each = processes.iter().flat_map(|process| {
            let entries = process["report"][list].as_array().into_iter().flatten();
            entries.map(|entry| {
                let mut entry = entry.clone();
                if several {
                    entry["instance"] = process["instance"].clone();
                }
                entry
            })
        });
        each.collect()
    };
    let (rowstores, captures) = (of("rowstores"), of("captures"));
    let mut all = json!({ "rowstores": rowstores });
    if !captures.is_empty() {
        all["captures"] = captures.into();
    }
    all
}

/// What this process keeps.
pub(crate) fn report(shared: &Shared) -> Value {
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

/// `POST /admin/rowstore?resource=PATH`, with `&bytes=N` to set the room of one resource (0 drops its items
/// and switches it off), with `&populate` to bring its items into memory; in all processes.
///
/// # Errors
/// As for [`change`].
pub(crate) async fn change_everywhere(shared: &Shared, query: Option<&str>) -> Result<Reply> {
    change(shared, query).await?;
    let others = processes::change_rowstores(shared, query.unwrap_or_default()).await;
    let mut all = all(shared).await;
    if let Some(others) = others {
        all["instances"] = others.into();
    }
    Ok(Reply::json(all.to_string().into_bytes()))
}

/// The same in this process.
///
/// # Errors
/// Where there is no such resource, and for wrong parameters.
pub(crate) async fn change(shared: &Shared, query: Option<&str>) -> Result<()> {
    let parameters = Parameters::parse(query, &["resource", "bytes", "populate"])?;
    let wrong = |name: &str, message: &str| {
        Error::new(Code::BadParameter, message).at(Place::Parameter(name.to_owned()))
    };
    let missing =
        |name| wrong(name, "Give `?resource=PATH` with `&bytes=NUMBER`, `&populate`, or both.");
    let path = parameters.text("resource")?.ok_or_else(|| missing("resource"))?;
    let populate = match parameters.text("populate")?.as_deref() {
        None => false,
        Some("" | "1" | "true") => true,
        Some(_) => return Err(wrong("populate", "`populate` takes no value.")),
    };
    let whole = "`bytes` must be a whole number; 0 switches the rowstore off.";
    let bytes = parameters.text("bytes")?.map(|bytes| bytes.parse());
    let bytes = bytes.transpose().map_err(|_| wrong("bytes", whole))?;
    if bytes.is_none() && !populate {
        return Err(missing("bytes"));
    }
    for service in shared.applications.services() {
        let named = of(service).into_iter().find(|kept| kept.path == path.trim_end_matches('/'));
        let Some(kept) = named else { continue };
        if let Some(bytes) = bytes {
            service.resize_rowstore(&kept.resource, bytes).await?;
        }
        if populate {
            service.populate(&kept.resource)?;
        }
        return Ok(());
    }
    let message = "There is no resource with items at this path.";
    Err(Error::new(Code::NotServed, message).at(Place::Parameter("resource".to_owned())))
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
        if let State::Degraded(reason) = state {
            kept["reason"] = reason.into();
        }
        Some(kept)
    }
}

/// A metric by resource: name, kind, help, value.
type Metric = (&'static str, &'static str, &'static str, fn(&Usage, &Progress) -> u64);

const METRICS: [Metric; 17] = [
    ("duet_rowstore_capacity_bytes", "gauge", "Bytes that items may take in memory.", |it, _| {
        it.capacity
    }),
    ("duet_rowstore_bytes", "gauge", "Bytes that items take in memory.", |it, _| it.bytes),
    ("duet_rowstore_entries", "gauge", "Items in memory.", |it, _| it.entries),
    ("duet_rowstore_hits_total", "counter", "Items answered from memory.", |it, _| it.counts.hits),
    ("duet_rowstore_misses_total", "counter", "Items that were not in memory.", |it, _| {
        it.counts.misses
    }),
    (
        "duet_rowstore_bypasses_total",
        "counter",
        "Items read without a look into memory.",
        |it, _| it.counts.bypasses,
    ),
    (
        "duet_rowstore_stale_total",
        "counter",
        "Items answered from memory because the database could not be reached.",
        |it, _| it.counts.stale,
    ),
    ("duet_rowstore_filled_total", "counter", "Items put into memory.", |it, _| it.counts.filled),
    (
        "duet_rowstore_outdated_total",
        "counter",
        "Items not put into memory because they had changed meanwhile.",
        |it, _| it.counts.outdated,
    ),
    (
        "duet_rowstore_evicted_total",
        "counter",
        "Items that had to go for lack of room.",
        |it, _| it.counts.evicted,
    ),
    ("duet_rowstore_changed_total", "counter", "Items that changed.", |it, _| it.counts.changed),
    ("duet_rowstore_dropped_total", "counter", "Times that all items were dropped.", |it, _| {
        it.counts.dropped
    }),
    ("duet_rowstore_lookups_total", "counter", "Items that were looked up in memory.", |it, _| {
        it.counts.hits + it.counts.misses
    }),
    (
        "duet_rowstore_populating",
        "gauge",
        "Whether items are being brought into memory.",
        |_, it| u64::from(it.phase.is_under_way()),
    ),
    (
        "duet_rowstore_populated_total",
        "counter",
        "Items that were brought into memory before they were asked for.",
        |_, it| it.populated,
    ),
    (
        "duet_rowstore_populate_accepted_total",
        "counter",
        "Tasks accepted that bring items into memory.",
        |_, it| it.accepted,
    ),
    (
        "duet_rowstore_populate_rejected_total",
        "counter",
        "Tasks rejected that bring items into memory.",
        |_, it| it.rejected,
    ),
];

/// Prints the metrics of each rowstore, with its labels; nothing if there are none.
pub(crate) fn render(out: &mut String, rowstores: &[(String, Usage, Progress)]) {
    if rowstores.is_empty() {
        return;
    }
    // Writing to a String cannot fail.
    for (name, kind, help, value) in METRICS {
        let _ = write!(out, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
        for (labels, usage, progress) in rowstores {
            let _ = writeln!(out, "{name}{{{labels}}} {}", value(usage, progress));
        }
    }
}

/// The rowstores of an application that are on, by the path of their resource.
pub(crate) fn usages(service: &Service) -> Vec<(String, Usage, Progress)> {
    let each = of(service).into_iter();
    each.filter_map(|RowstoreResource { path, resource, .. }| {
        Some((path, resource.rowstore.usage()?, resource.rowstore.progress()))
    })
    .collect()
}
