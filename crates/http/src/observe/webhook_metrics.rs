//! Metrics of webhooks, by endpoint, and what `/admin/status` says of them.

use std::fmt::Write as _;

use duet_service::Service;
use duet_service::webhooks::{EndpointReport, WebhookReport};
use serde_json::{Value, json};

/// A metric by endpoint: name, kind, help, value.
type EndpointMetric = (&'static str, &'static str, &'static str, fn(&EndpointReport) -> u64);

const METRICS: [EndpointMetric; 5] = [
    ("duet_webhook_enabled", "gauge", "Whether events are recorded and sent.", |it| {
        u64::from(it.disabled_at.is_none())
    }),
    ("duet_webhook_waiting", "gauge", "Events that wait, as of the last look.", |it| it.waiting),
    ("duet_webhook_dead", "gauge", "Events whose attempts are used up.", |it| it.dead),
    (
        "duet_webhook_accepted_total",
        "counter",
        "Attempts of this process that were accepted.",
        |it| it.accepted,
    ),
    ("duet_webhook_failed_total", "counter", "Attempts of this process that have failed.", |it| {
        it.failed
    }),
];

/// The report of an application with webhooks.
pub(crate) fn report(service: &Service) -> Option<WebhookReport> {
    let has_webhooks = !service.snapshot().webhooks().is_empty();
    has_webhooks.then(|| service.outbox().report())
}

/// Prints the metrics of the applications that have webhooks, each with its label.
pub(crate) fn render(out: &mut String, reports: &[(String, &WebhookReport)]) {
    if reports.is_empty() {
        return;
    }
    // Writing to a String cannot fail.
    for (name, kind, help, value) in METRICS {
        let _ = write!(out, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
        for (label, report) in reports {
            for endpoint in &report.endpoints {
                let webhook = &endpoint.name;
                let _ =
                    writeln!(out, "{name}{{{label},webhook=\"{webhook}\"}} {}", value(endpoint));
            }
        }
    }
    let name = "duet_webhook_lacking";
    let help = "What the database lacks, so that changes are not recorded.";
    let _ = write!(out, "# HELP {name} {help}\n# TYPE {name} gauge\n");
    for (label, report) in reports {
        let _ = writeln!(out, "{name}{{{label}}} {}", report.lacking.len());
    }
}

/// The report for `/admin/status`.
pub(crate) fn status(service: &Service) -> Option<Value> {
    let report = report(service)?;
    let endpoints = report.endpoints.iter().map(|it| {
        json!({
            "name": it.name,
            "enabled": it.disabled_at.is_none(),
            "disabledAt": it.disabled_at,
            "reason": it.reason,
            "acceptedAt": it.accepted_at,
            "waiting": it.waiting,
            "oldestAt": it.oldest_at,
            "dead": it.dead,
            "accepted": it.accepted,
            "failed": it.failed,
            "lastFailure": it.last_failure,
        })
    });
    Some(json!({ "endpoints": endpoints.collect::<Vec<_>>(), "lacking": report.lacking }))
}
