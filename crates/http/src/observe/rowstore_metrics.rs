//! Metrics of the items in memory, by resource.

use std::fmt::Write;

use duet_service::rowstore::{PopulationProgress, Usage};

/// A metric by resource: name, kind, help, value.
type Metric = (&'static str, &'static str, &'static str, fn(&Usage, &PopulationProgress) -> u64);

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
pub(crate) fn render(out: &mut String, rowstores: &[(String, Usage, PopulationProgress)]) {
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
