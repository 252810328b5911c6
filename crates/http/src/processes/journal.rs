//! What the journals of this process's applications are doing: for the operator, and as metrics.

use std::sync::Arc;

use duet_service::Service;
use duet_service::journal::JournalState;
use serde_json::{Value, json};

use crate::observe::metrics::Metric;
use crate::worker::ServerState;

/// The journals of this process's applications.
pub(crate) fn report(shared: &ServerState) -> Value {
    let services = shared.applications.services().iter();
    let journal =
        |service: &Arc<Service>| Some(state_json(service.name(), &service.ingest()?.state()));
    services.filter_map(journal).collect()
}

fn state_json(application: &str, state: &JournalState) -> Value {
    let word = match (&state.owner, &state.trouble, &state.broken) {
        (.., Some(broken)) => broken.word,
        (Some(_), None, None) => "ready",
        (Some(_), Some(_), None) => "degraded",
        (None, _, None) => "closed",
    };
    let reason = state.broken.as_ref().map(|broken| &broken.reason).or(state.trouble.as_ref());
    json!({
        "application": application,
        "state": word,
        "reason": reason,
        "host": state.host,
        "folder": state.folder.display().to_string(),
        "journal": state.owner.as_ref().map(|(id, _)| id),
        "epoch": state.owner.as_ref().map(|(_, epoch)| epoch),
        "writeHwm": state.write_hwm,
        "applyHwm": state.apply_hwm,
        "waiting": state.write_hwm.saturating_sub(state.apply_hwm),
        "oldestSeconds": state.oldest.as_secs_f64(),
        "limitBytes": state.usage.limit,
        "bytes": state.usage.bytes,
        "segments": state.usage.segments,
        "accepted": state.accepted,
        "applied": state.applied,
        "rejected": state.rejected,
        "refused": state.usage.refused,
        "syncs": state.usage.syncs,
        "failures": state.usage.failures,
        "batches": state.batches,
        "retries": state.retries,
    })
}

/// The metrics of a journal that this process has opened.
pub(crate) fn metrics(state: &JournalState) -> Option<[Metric; 15]> {
    let (usage, was_opened) = (state.usage, state.owner.is_some() || state.write_hwm > 0);
    was_opened.then(|| {
        [
            (
                "duet_journal_up",
                "gauge",
                "Whether the journal is open.",
                u64::from(state.owner.is_some()),
            ),
            (
                "duet_journal_write_hwm",
                "gauge",
                "The last sequence id that is durable in the journal.",
                state.write_hwm,
            ),
            (
                "duet_journal_apply_hwm",
                "gauge",
                "The last sequence id whose row is in the database or a dead letter.",
                state.apply_hwm,
            ),
            ("duet_journal_limit_bytes", "gauge", "Bytes that waiting rows may take.", usage.limit),
            ("duet_journal_bytes", "gauge", "Bytes of segments with waiting rows.", usage.bytes),
            ("duet_journal_segments", "gauge", "Segments on the disk.", usage.segments as u64),
            (
                "duet_journal_oldest_seconds",
                "gauge",
                "How long the oldest waiting row has waited.",
                state.oldest.as_secs(),
            ),
            ("duet_journal_accepted_total", "counter", "Rows acknowledged.", state.accepted),
            (
                "duet_journal_applied_total",
                "counter",
                "Rows written to the database.",
                state.applied,
            ),
            (
                "duet_journal_rejected_total",
                "counter",
                "Rows that became dead letters.",
                state.rejected,
            ),
            (
                "duet_journal_refused_total",
                "counter",
                "Requests refused because the journal was full.",
                usage.refused,
            ),
            ("duet_journal_syncs_total", "counter", "Syncs of the journal.", usage.syncs),
            (
                "duet_journal_failures_total",
                "counter",
                "Groups of rows that the disk did not take.",
                usage.failures,
            ),
            (
                "duet_journal_batches_total",
                "counter",
                "Transactions with rows of the journal.",
                state.batches,
            ),
            (
                "duet_journal_retries_total",
                "counter",
                "Such transactions that failed.",
                state.retries,
            ),
        ]
    })
}
