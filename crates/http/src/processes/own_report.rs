//! What this process reports to those that serve with it, by subject.

use duet_service::QueueCounts;
use serde_json::{Map, Value, json};

use super::{journal, rowstore, schema, tenant_answer};
use crate::observe::latencies::this_minute;
use crate::observe::metrics::{self, ApplicationMetrics};
use crate::observe::{capture, tenant_metrics, webhook_metrics};
use crate::recent_log::RecentLog;
use crate::worker::ServerState;

/// What a process reports on.
pub(crate) const METRICS: &str = "metrics";
pub(crate) const SUMMARY: &str = "summary";
pub(crate) const SERVICES: &str = "services";
pub(crate) const QUEUES: &str = "queues";
pub(crate) const JOURNALS: &str = "journals";
pub(crate) const ROWSTORES: &str = "rowstores";
pub(crate) const LOG: &str = "log";
pub(crate) const LATENCIES: &str = "latencies";
pub(crate) const SCHEMA_CHANGES: &str = "schema-changes";

/// What this process reports of a subject; null if the subject is unknown, as to an older binary.
pub(crate) fn report(shared: &ServerState, subject: &str) -> Value {
    match subject {
        METRICS => metrics_text(shared).into(),
        SUMMARY => summary(shared),
        SERVICES => metrics::service_times(&shared.metrics).into(),
        QUEUES => queues(shared),
        LATENCIES => shared.latencies.report(this_minute(), &metrics::by_route(&shared.metrics)),
        SCHEMA_CHANGES => schema::changes(shared),
        JOURNALS => journal::report(shared),
        ROWSTORES => rowstore::report(shared),
        LOG => shared.options.recent_log.as_ref().map_or(Value::Null, RecentLog::json),
        _ => tenant_answer::answer(shared, subject),
    }
}

/// What `/admin/instances` has beside the facts about a process.
fn summary(shared: &ServerState) -> Value {
    let queues = queues_of(shared);
    let sum = |pick: fn(&QueueCounts) -> u64| -> u64 {
        queues.iter().map(|(_, _, counted)| pick(counted)).sum()
    };
    let [succeeded, refused, failed] = metrics::outcomes(&shared.metrics);
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "succeeded": succeeded,
        "refused": refused,
        "failed": failed,
        "waiting": sum(|it| it.waiting),
        "running": sum(|it| it.running),
    })
}

fn queues_of(shared: &ServerState) -> Vec<(&str, &'static str, QueueCounts)> {
    let services = shared.applications.services().iter();
    services
        .flat_map(|service| {
            let queues = service.queues().into_iter();
            queues.map(move |(queue, counted)| (service.name(), queue, counted))
        })
        .collect()
}

fn queues(shared: &ServerState) -> Value {
    let queues = queues_of(shared).into_iter().map(|(application, queue, counted)| {
        let members = [
            ("waiting", counted.waiting),
            ("running", counted.running),
            ("admitted", counted.admitted),
            ("full", counted.full),
            ("expired", counted.expired),
            ("cancelled", counted.cancelled),
        ];
        let numbers = members.into_iter().map(|(name, value)| (name.to_owned(), value.into()));
        let mut object: Map<String, Value> = numbers.collect();
        object.insert("application".to_owned(), application.into());
        object.insert("queue".to_owned(), queue.into());
        Value::Object(object)
    });
    queues.collect()
}

/// The metrics of this process alone.
pub(crate) fn metrics_text(shared: &ServerState) -> String {
    let applications = shared.applications.services().iter().enumerate();
    let applications: Vec<_> = applications
        .map(|(number, service)| ApplicationMetrics {
            name: service.name(),
            store: service.store_counted(),
            queues: service.queues(),
            rowstores: rowstore::usages(service),
            capture: capture::report(service),
            standbys: service.store().standbys(),
            generation: service.snapshot().generation,
            is_up: shared.databases[number].is_up(),
            commits: shared.commits[number].counted(),
            clients_readable: service.auth().health().error.is_none(),
            listening: [service.news().is_listening(), service.auth().health().listening],
            live: service.live_counts().all(),
            journal: service.ingest().and_then(|ingest| journal::metrics(&ingest.state())),
            webhooks: webhook_metrics::report(service),
        })
        .collect();
    let process = shared.process_metrics();
    let mut text = metrics::render(&shared.metrics, &applications, &process);
    tenant_metrics::render(&shared.applications, metrics::escaped, &mut text);
    text
}
