//! Counters and histograms, one set per worker so that counting costs no shared cache line, added
//! up when they are read. Printed in Prometheus's text format, version 0.0.4.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::SystemTime;

use duet_service::rowstore::{CaptureReport, PopulationProgress, Usage};
use duet_service::webhooks::WebhookReport;
use duet_service::{QueueCounts, StandbysReport, StoreCounts, WriteSteps, WriteTimes};
use serde_json::Value;

use super::counters::{BUCKETS, Counter, Histogram, bucket_bound};
use super::event::{ConnectionRefusal, Event, Exchange, ServedResource};
use super::latencies::RouteCounts;
use super::service_times::ServiceTimes;
use super::stage::Stage;
use super::turns::TurnMetrics;
use super::{capture, queue_metrics, routes, rowstore_metrics, standby_metrics, webhook_metrics};

/// The steps of a request, as `duet_step_seconds` names them.
const STEPS: [&str; 6] = ["authenticate", "route", "plan", "store", "write", "total"];

/// The parts of the step `store` of a write, which are counted with `--server-timing`: making row and statement, until
/// it has a connection, the statement with those of writes that share the transaction, the commit, making the answer.
/// Documents that share a transaction on PostgreSQL, or commit with their last statement, lack them.
const WRITE_STEPS: [&str; 5] = ["row", "queue", "statement", "commit", "document"];

/// What one worker counts of one resource.
#[derive(Debug, Default)]
pub(crate) struct ResourceMetrics {
    /// Answers by the first digit of their status; 304 counts as 3.
    statuses: [Counter; 6],
    steps: [Histogram; STEPS.len()],
    /// The duration of the requests of each route, made by its first one.
    routes: [OnceLock<Box<Histogram>>; routes::ROUTES],
    /// The longest, in nanoseconds.
    longest: Counter,
    /// The last one, in nanoseconds, and when it was answered, in microseconds since 1970.
    last: Counter,
    last_at: Counter,
    /// Made by the first write whose times are reported.
    write_steps: OnceLock<Box<[Histogram; WRITE_STEPS.len()]>>,
}

impl ResourceMetrics {
    /// Counts a response and the steps that it passed, in the order of [`STEPS`].
    fn answered(&self, exchange: &Exchange<'_>) {
        self.statuses[usize::from(exchange.status / 100).min(5)].add(1);
        let stages = &exchange.stages;
        let nanos = u64::try_from(stages.total().as_nanos()).unwrap_or(u64::MAX);
        self.longest.set(self.longest.get().max(nanos));
        self.last.set(nanos);
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        self.last_at.set(u64::try_from(now.as_micros()).unwrap_or(u64::MAX));
        let steps = [
            stages.get(Stage::Authenticate),
            stages.get(Stage::Route),
            stages.get(Stage::Plan),
            stages.store(),
            stages.write(),
            Some(stages.total()),
        ];
        for (histogram, took) in self.steps.iter().zip(steps) {
            if let Some(took) = took {
                histogram.record(took);
            }
        }
        if let Some(route) = routes::number(exchange) {
            self.routes[route].get_or_init(Box::default).record(stages.total());
        }
        if let Some(steps) = exchange.write.and_then(WriteTimes::steps) {
            self.wrote(&steps);
        }
    }

    /// How often and how fast it was answered.
    fn times(&self, (application, resource): &Labels) -> ServiceTimes {
        let [succeeded, refused, failed] = self.outcomes();
        let total = &self.steps[STEPS.len() - 1];
        ServiceTimes {
            application: application.clone(),
            resource: resource.clone(),
            succeeded,
            refused,
            failed,
            max: self.longest.get(),
            last_at: self.last_at.get(),
            last: self.last.get(),
            buckets: total.buckets.iter().map(Counter::get).collect(),
        }
    }

    /// Answers with a status below 400, with 4xx, and with 5xx.
    fn outcomes(&self) -> [u64; 3] {
        let of = |class: usize| self.statuses[class].get();
        [of(1) + of(2) + of(3), of(4), of(5)]
    }

    /// Counts the steps of a write, in the order of [`WRITE_STEPS`].
    fn wrote(&self, steps: &WriteSteps) {
        let WriteSteps { row, queue, statement, commit, document } = *steps;
        let histograms = self.write_steps.get_or_init(Box::default);
        for (histogram, took) in histograms.iter().zip([row, queue, statement, commit, document]) {
            histogram.record(took);
        }
    }
}

/// What one worker counts.
#[derive(Debug, Default)]
pub(crate) struct WorkerMetrics {
    pub(crate) connections_opened: Counter,
    pub(crate) connections_closed: Counter,
    connections_refused: Counter,
    /// Those of them refused because of their address.
    connections_refused_address: Counter,
    connections_evicted: Counter,
    stream_floods: Counter,
    access_log_lost: Counter,
    requests: Counter,
    bytes_sent: Counter,
    /// Bytes of what was compressed, before and after.
    compressed_from: Counter,
    compressed_to: Counter,
    streams_broken: Counter,
    tokens_issued: Counter,
    tokens_refused: Counter,
    pub(crate) turns: TurnMetrics,
    resources: Mutex<BTreeMap<Labels, Arc<ResourceMetrics>>>,
}

/// What the metrics of a resource are named by: its application and its path.
type Labels = (String, String);

/// What is counted of one application, apart from its resources.
#[derive(Debug)]
pub(crate) struct ApplicationMetrics<'a> {
    pub(crate) name: &'a str,
    pub(crate) store: StoreCounts,
    /// The queues in front of its database, by name.
    pub(crate) queues: Vec<(&'static str, QueueCounts)>,
    /// The rowstores that are on, by the path of their resource.
    pub(crate) rowstores: Vec<(String, Usage, PopulationProgress)>,
    /// How far the commits of others are known, where they can be captured.
    pub(crate) capture: Option<CaptureReport>,
    /// The standbys that answer reads, where there are some.
    pub(crate) standbys: Option<StandbysReport>,
    /// Snapshots of its catalog so far.
    pub(crate) generation: u64,
    /// The counters of its commits.
    pub(crate) commits: [Metric; 6],
    /// Whether its database answered at the last check.
    pub(crate) is_up: bool,
    /// Whether its clients could be read when they were last looked at.
    pub(crate) clients_readable: bool,
    /// Whether its database tells of changes of the schema, and whether it does of clients.
    pub(crate) listening: [bool; 2],
    /// Its journal, if it has one.
    pub(crate) journal: Option<[Metric; 15]>,
    /// Its webhooks, if it has some.
    pub(crate) webhooks: Option<WebhookReport>,
    /// What following queries has taken.
    pub(crate) live: Vec<Metric>,
}

impl WorkerMetrics {
    /// Counts an event. `resource` finds the metrics of a resource.
    pub(crate) fn observe(
        &self,
        event: &Event<'_>,
        resource: impl FnOnce(&ServedResource<'_>, &str) -> Arc<ResourceMetrics>,
    ) {
        match event {
            Event::Answered(exchange) => {
                self.requests.add(1);
                self.bytes_sent.add(exchange.bytes as u64);
                if let Some(tenant) = exchange.tenant {
                    let (status, bytes) = (exchange.status, exchange.bytes);
                    tenant.counters.answered(status, bytes, exchange.duration);
                }
                if let Some(served) = &exchange.resource {
                    resource(served, exchange.application).answered(exchange);
                }
            }
            Event::Compressed { before, after } => {
                self.compressed_from.add(*before as u64);
                self.compressed_to.add(*after as u64);
            }
            Event::StreamSent(bytes) => self.bytes_sent.add(*bytes as u64),
            Event::StreamBroken(_) => self.streams_broken.add(1),
            Event::ConnectionOpened(_) => self.connections_opened.add(1),
            Event::ConnectionRefused(_, why) => {
                self.connections_refused.add(1);
                if *why == ConnectionRefusal::Address {
                    self.connections_refused_address.add(1);
                }
            }
            Event::ConnectionEvicted(_) => self.connections_evicted.add(1),
            Event::StreamFlood(_) => self.stream_floods.add(1),
            Event::AccessLogLost { lines, .. } => self.access_log_lost.add(*lines),
            Event::ConnectionClosed(_) => self.connections_closed.add(1),
            Event::TokenIssued => self.tokens_issued.add(1),
            Event::TokenRefused { .. } => self.tokens_refused.add(1),
            _ => {}
        }
    }

    /// The metrics of a resource, by its application and path; kept across reloads.
    pub(crate) fn resource(&self, application: &str, path: String) -> Arc<ResourceMetrics> {
        let mut resources = self.resources.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(resources.entry((application.to_owned(), path)).or_default())
    }
}

/// One of a worker's counters.
type CounterOf = fn(&WorkerMetrics) -> &Counter;

/// What is counted by all workers together.
fn of_workers(workers: &[Arc<WorkerMetrics>]) -> [Metric; 14] {
    let sum = |pick: CounterOf| -> u64 { workers.iter().map(|worker| pick(worker).get()).sum() };
    let opened = sum(|w| &w.connections_opened);
    let closed = sum(|w| &w.connections_closed);
    [
        ("duet_requests_total", "counter", "Requests answered.", sum(|w| &w.requests)),
        (
            "duet_sent_bytes_total",
            "counter",
            "Bytes of bodies sent; of streams before they are compressed.",
            sum(|w| &w.bytes_sent),
        ),
        (
            "duet_compression_read_bytes_total",
            "counter",
            "Bytes of bodies that were compressed, before.",
            sum(|w| &w.compressed_from),
        ),
        (
            "duet_compression_written_bytes_total",
            "counter",
            "Bytes of bodies that were compressed, after.",
            sum(|w| &w.compressed_to),
        ),
        (
            "duet_streams_broken_total",
            "counter",
            "Streams that ended before all of them was sent because something failed.",
            sum(|w| &w.streams_broken),
        ),
        ("duet_connections_total", "counter", "Connections accepted.", opened),
        ("duet_connections", "gauge", "Connections open.", opened.saturating_sub(closed)),
        (
            "duet_connections_refused_total",
            "counter",
            "Connections refused because too many were open.",
            sum(|w| &w.connections_refused),
        ),
        ("duet_tokens_issued_total", "counter", "Access tokens issued.", sum(|w| &w.tokens_issued)),
        (
            "duet_tokens_refused_total",
            "counter",
            "Requests refused for a wrong token.",
            sum(|w| &w.tokens_refused),
        ),
        (
            "duet_connections_refused_address_total",
            "counter",
            "Connections refused because too many were open from their address.",
            sum(|w| &w.connections_refused_address),
        ),
        (
            "duet_connections_evicted_total",
            "counter",
            "Idle connections closed to make room for new ones.",
            sum(|w| &w.connections_evicted),
        ),
        (
            "duet_stream_floods_total",
            "counter",
            "HTTP/2 connections closed because their clients reset too many streams.",
            sum(|w| &w.stream_floods),
        ),
        (
            "duet_access_log_lost_lines_total",
            "counter",
            "Lines of the access log that could not be written to standard output.",
            sum(|w| &w.access_log_lost),
        ),
    ]
}

/// Prints the turns of each worker's event loop.
fn render_turns(out: &mut String, workers: &[Arc<WorkerMetrics>]) {
    let head = |out: &mut String, name: &str, kind: &str, help: &str| {
        let _ = write!(out, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
    };
    let name = "duet_worker_longest_turn_seconds";
    let help = "The longest turn of a worker's event loop in the last minute or two.";
    head(out, name, "gauge", help);
    for (number, worker) in workers.iter().enumerate() {
        let longest = worker.turns.longest().as_secs_f64();
        let _ = writeln!(out, "{name}{{worker=\"{number}\"}} {longest}");
    }
    let name = "duet_worker_long_turns_total";
    head(out, name, "counter", "Turns of a worker's event loop that took longer than 50 ms.");
    for (number, worker) in workers.iter().enumerate() {
        let _ = writeln!(out, "{name}{{worker=\"{number}\"}} {}", worker.turns.long());
    }
}

/// Prints everything that all workers have counted.
pub(crate) fn render(
    workers: &[Arc<WorkerMetrics>],
    applications: &[ApplicationMetrics<'_>],
    process: &[Metric],
) -> String {
    let mut out = String::with_capacity(16 << 10);
    for (name, kind, help, value) in of_workers(workers).into_iter().chain(process.iter().copied())
    {
        // Writing to a String cannot fail.
        let _ = write!(out, "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}\n");
    }
    render_turns(&mut out, workers);
    render_applications(&mut out, applications);
    let queues = applications.iter().flat_map(|application| {
        let name = escaped(application.name);
        let labels = move |queue| format!("application=\"{name}\",queue=\"{queue}\"");
        application.queues.iter().map(move |(queue, counted)| (labels(queue), *counted))
    });
    queue_metrics::render(&mut out, &queues.collect::<Vec<_>>());
    let rowstores = applications.iter().flat_map(|application| {
        let name = escaped(application.name);
        let labels =
            move |path: &str| format!("application=\"{name}\",resource=\"{}\"", escaped(path));
        let labelled = move |(path, usage, progress): &(String, Usage, PopulationProgress)| {
            (labels(path), *usage, progress.clone())
        };
        application.rowstores.iter().map(labelled)
    });
    rowstore_metrics::render(&mut out, &rowstores.collect::<Vec<_>>());
    let webhooks = applications.iter().filter_map(|application| {
        let label = format!("application=\"{}\"", escaped(application.name));
        Some((label, application.webhooks.as_ref()?))
    });
    webhook_metrics::render(&mut out, &webhooks.collect::<Vec<_>>());
    let reports = applications.iter().filter_map(|application| {
        let labels = format!("application=\"{}\"", escaped(application.name));
        Some((labels, application.capture.as_ref()?))
    });
    capture::render(&mut out, &reports.collect::<Vec<_>>());
    let standbys = applications.iter().filter_map(|application| {
        let labels = format!("application=\"{}\"", escaped(application.name));
        Some((labels, application.standbys.as_ref()?))
    });
    standby_metrics::render(&mut out, &standbys.collect::<Vec<_>>());
    render_resources(&mut out, &by_resource(workers));
    out
}

/// A counter or gauge: name, kind, help, value.
pub(crate) type Metric = (&'static str, &'static str, &'static str, u64);

/// Each metric of the applications, with a line for every one of them.
fn render_applications(out: &mut String, applications: &[ApplicationMetrics<'_>]) {
    let of = |application: &ApplicationMetrics<'_>| {
        let label = format!("application=\"{}\"", escaped(application.name));
        let metrics = of_application(application).into_iter().chain(of_store(&application.store));
        (
            label,
            metrics
                .chain(application.commits)
                .chain(application.live.iter().copied())
                .collect::<Vec<_>>(),
        )
    };
    let all: Vec<(String, Vec<Metric>)> = applications.iter().map(of).collect();
    let Some((_, first)) = all.first() else { return };
    for (index, (name, kind, help, _)) in first.iter().enumerate() {
        let _ = write!(out, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
        for (label, metrics) in &all {
            let _ = writeln!(out, "{name}{{{label}}} {}", metrics[index].3);
        }
    }
    render_journals(out, applications);
}

/// The metrics of the applications that have a journal.
fn render_journals(out: &mut String, applications: &[ApplicationMetrics<'_>]) {
    let all: Vec<(&str, &[Metric; 15])> = (applications.iter())
        .filter_map(|application| Some((application.name, application.journal.as_ref()?)))
        .collect();
    let Some((_, first)) = all.first() else { return };
    for (index, (name, kind, help, _)) in first.iter().enumerate() {
        let _ = write!(out, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
        for (application, metrics) in &all {
            let application = escaped(application);
            let _ = writeln!(out, "{name}{{application=\"{application}\"}} {}", metrics[index].3);
        }
    }
}

/// What is known of an application itself.
fn of_application(application: &ApplicationMetrics<'_>) -> [Metric; 5] {
    [
        (
            "duet_application_up",
            "gauge",
            "Whether the application's database answered when it was last asked.",
            u64::from(application.is_up),
        ),
        (
            "duet_clients_readable",
            "gauge",
            "Whether the clients could be read when last looked at.",
            u64::from(application.clients_readable),
        ),
        (
            "duet_schema_listening",
            "gauge",
            "Whether the database tells of changes of its schema (LISTEN).",
            u64::from(application.listening[0]),
        ),
        (
            "duet_clients_listening",
            "gauge",
            "Whether the database tells of changes of clients (LISTEN).",
            u64::from(application.listening[1]),
        ),
        ("duet_catalog_generation", "gauge", "Snapshots of the catalog.", application.generation),
    ]
}

/// What the store has done.
fn of_store(store: &StoreCounts) -> [Metric; 13] {
    [
        (
            "duet_store_connections_total",
            "counter",
            "Connections opened to the database.",
            store.connections,
        ),
        ("duet_store_batches_total", "counter", "Reads by key, a batch each.", store.batches),
        ("duet_store_keys_total", "counter", "Documents asked for by these.", store.keys),
        ("duet_store_pages_total", "counter", "Pages read.", store.pages),
        ("duet_store_streams_total", "counter", "Streams begun.", store.streams),
        (
            "duet_store_transactions_total",
            "counter",
            "Transactions committed that changed something.",
            store.transactions,
        ),
        ("duet_store_writes_total", "counter", "Writes in these.", store.writes),
        (
            "duet_store_rows_written_total",
            "counter",
            "Rows inserted, updated or deleted.",
            store.rows,
        ),
        (
            "duet_store_write_retries_total",
            "counter",
            "Writes, or batches of them, that were run again.",
            store.retries,
        ),
        (
            "duet_store_checkpoints_total",
            "counter",
            "Checkpoints of SQLite's write-ahead log.",
            store.checkpoints,
        ),
        (
            "duet_store_overloads_total",
            "counter",
            "Requests refused because too many waited for the database.",
            store.overloads,
        ),
        (
            "duet_store_schema_looks_total",
            "counter",
            "Looks for a changed schema.",
            store.schema_looks,
        ),
        (
            "duet_store_schema_sums_total",
            "counter",
            "Looks that had to read the system catalogs of PostgreSQL.",
            store.schema_sums,
        ),
    ]
}

/// What all workers of this process have counted of each resource: an array of [`ServiceTimes`].
pub(crate) fn service_times(workers: &[Arc<WorkerMetrics>]) -> Vec<Value> {
    let of_each = by_resource(workers).into_iter().map(|(labels, workers)| {
        let mut total = ServiceTimes::default();
        for metrics in workers {
            let times = metrics.times(&labels);
            match total.resource.is_empty() {
                true => total = times,
                false => total.add(&times),
            }
        }
        // It has nothing that JSON does not.
        serde_json::to_value(total).unwrap_or_default()
    });
    of_each.collect()
}

/// What all workers of this process have counted of each route.
pub(crate) fn by_route(workers: &[Arc<WorkerMetrics>]) -> RouteCounts {
    let mut counts = RouteCounts::new();
    let mut add = |labels: Labels, histogram: &Histogram| {
        let own = counts.entry(labels).or_insert([0; BUCKETS]);
        own.iter_mut().zip(&histogram.buckets).for_each(|(sum, bucket)| *sum += bucket.get());
    };
    for ((application, path), workers) in by_resource(workers) {
        for metrics in workers {
            for (number, histogram) in metrics.routes.iter().enumerate() {
                if let Some(histogram) = histogram.get() {
                    add((application.clone(), routes::template(number, &path)), histogram);
                }
            }
        }
    }
    counts
}

/// Answers of all resources with a status below 400, with 4xx, and with 5xx.
pub(crate) fn outcomes(workers: &[Arc<WorkerMetrics>]) -> [u64; 3] {
    let all = by_resource(workers).into_values().flatten();
    all.map(|metrics| metrics.outcomes())
        .fold([0; 3], |sums, more| std::array::from_fn(|at| sums[at] + more[at]))
}

/// All workers' metrics of each resource.
fn by_resource(workers: &[Arc<WorkerMetrics>]) -> BTreeMap<Labels, Vec<Arc<ResourceMetrics>>> {
    let mut merged: BTreeMap<Labels, Vec<Arc<ResourceMetrics>>> = BTreeMap::new();
    for worker in workers {
        let resources = worker.resources.lock().unwrap_or_else(PoisonError::into_inner);
        for (labels, metrics) in resources.iter() {
            merged.entry(labels.clone()).or_default().push(Arc::clone(metrics));
        }
    }
    merged
}

fn render_resources(out: &mut String, resources: &BTreeMap<Labels, Vec<Arc<ResourceMetrics>>>) {
    let name = "duet_resource_requests_total";
    let _ = write!(
        out,
        "# HELP {name} Requests by resource and class of status.\n# TYPE {name} counter\n"
    );
    for (labels, workers) in resources {
        let labels = labels_of(labels);
        for class in 2..6 {
            let total: u64 = workers.iter().map(|metrics| metrics.statuses[class].get()).sum();
            if total > 0 {
                let _ = writeln!(out, "{name}{{{labels},status=\"{class}xx\"}} {total}");
            }
        }
    }
    let name = "duet_step_seconds";
    let _ =
        write!(out, "# HELP {name} Duration of the steps of a request.\n# TYPE {name} histogram\n");
    for (labels, workers) in resources {
        let resource = labels_of(labels);
        for (index, step) in STEPS.iter().enumerate() {
            let labels = format!("{resource},step=\"{step}\"");
            let histograms: Vec<_> = workers.iter().map(|w| &w.steps[index]).collect();
            render_histogram(out, name, &labels, &histograms);
        }
        for (index, step) in WRITE_STEPS.iter().enumerate() {
            let labels = format!("{resource},step=\"{step}\"");
            let of_writes = workers.iter().filter_map(|worker| worker.write_steps.get());
            let histograms: Vec<_> = of_writes.map(|steps| &steps[index]).collect();
            render_histogram(out, name, &labels, &histograms);
        }
    }
}

/// `application="…",resource="…"`
fn labels_of((application, path): &Labels) -> String {
    format!("application=\"{}\",resource=\"{}\"", escaped(application), escaped(path))
}

fn render_histogram(out: &mut String, name: &str, labels: &str, parts: &[&Histogram]) {
    let mut count = 0;
    let buckets: Vec<u64> = (0..BUCKETS)
        .map(|bucket| parts.iter().map(|part| part.buckets[bucket].get()).sum())
        .collect();
    if buckets.iter().all(|bucket| *bucket == 0) {
        return;
    }
    for (bucket, amount) in buckets.iter().enumerate() {
        count += amount;
        if bucket + 1 < BUCKETS {
            let seconds = bucket_bound(bucket);
            let _ = writeln!(out, "{name}_bucket{{{labels},le=\"{seconds}\"}} {count}");
        }
    }
    let nanos: u64 = parts.iter().map(|part| part.nanos.get()).sum();
    #[expect(clippy::cast_precision_loss, reason = "a sum for reading")]
    let seconds = nanos as f64 / 1e9;
    let _ = writeln!(out, "{name}_bucket{{{labels},le=\"+Inf\"}} {count}");
    let _ = writeln!(out, "{name}_sum{{{labels}}} {seconds}");
    let _ = writeln!(out, "{name}_count{{{labels}}} {count}");
}

/// A label's value: backslash, quote and line feed are escaped.
pub(crate) fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::observe::commit_metrics::CommitMetrics;
    use crate::observe::stage::Stages;

    #[test]
    fn every_event_counts_once() {
        let worker = WorkerMetrics::default();
        let none = |_: &ServedResource<'_>, _: &str| Arc::default();
        let answered = Exchange::sample(200, Stages::default());
        let full = std::io::ErrorKind::StorageFull.into();
        let events = [
            Event::Answered(answered),
            Event::StreamSent(5),
            Event::StreamBroken(answered),
            Event::StreamEnded(answered),
            Event::ConnectionOpened(None),
            Event::ConnectionRefused(None, ConnectionRefusal::Full),
            Event::ConnectionRefused(None, ConnectionRefusal::Address),
            Event::ConnectionEvicted(None),
            Event::StreamFlood(None),
            Event::AccessLogLost { lines: 3, cause: &full, is_first: true },
            Event::ConnectionClosed(None),
            Event::TokenIssued,
            Event::TokenRefused { peer: "::1", code: duet_model::Code::Unauthorized },
            Event::LoginRefused { peer: "::1", status: 401, cause: None },
        ];
        events.iter().for_each(|event| worker.observe(event, none));
        assert_eq!((worker.bytes_sent.get(), worker.connections_refused.get()), (12, 2));
        assert_eq!(worker.access_log_lost.get(), 3);
        for once in [
            &worker.requests,
            &worker.streams_broken,
            &worker.connections_opened,
            &worker.connections_refused_address,
            &worker.connections_evicted,
            &worker.stream_floods,
            &worker.connections_closed,
            &worker.tokens_issued,
            &worker.tokens_refused,
        ] {
            assert_eq!(once.get(), 1);
        }
    }

    #[test]
    fn workers_are_added_up() {
        let workers = [Arc::new(WorkerMetrics::default()), Arc::new(WorkerMetrics::default())];
        for (index, worker) in workers.iter().enumerate() {
            for status in [200, 304] {
                let mut stages = Stages::default();
                stages.add(Stage::Plan, Duration::from_micros(40 + index as u64));
                let answered = Exchange::sample(status, stages);
                worker.observe(&Event::Answered(answered), |served, application| {
                    worker.resource(application, served.path())
                });
            }
        }
        let application = |name, is_up, generation| ApplicationMetrics {
            name,
            store: StoreCounts { keys: generation, ..StoreCounts::default() },
            queues: vec![("read", QueueCounts::default())],
            rowstores: Vec::new(),
            capture: None,
            standbys: None,
            generation,
            commits: CommitMetrics::default().counted(),
            is_up,
            clients_readable: true,
            listening: [true, false],
            journal: None,
            webhooks: None,
            live: Vec::new(),
        };
        let applications = [application("hr", true, 3), application("a\"b", false, 4)];
        let text = render(&workers, &applications, &[]);
        assert!(text.contains("\nduet_requests_total 4\n"), "{text}");
        let expected = "duet_resource_requests_total{application=\"hr\",resource=\"/ords/hr/team\",status=\"2xx\"} 2";
        assert!(text.contains(expected), "{text}");
        let labels = "application=\"hr\",resource=\"/ords/hr/team\",step=\"total\"";
        assert!(
            text.contains(&format!("duet_step_seconds_bucket{{{labels},le=\"0.000032\"}} 0")),
            "{text}"
        );
        assert!(
            text.contains(&format!("duet_step_seconds_bucket{{{labels},le=\"0.000064\"}} 4")),
            "{text}"
        );
        assert!(text.contains(&format!("duet_step_seconds_count{{{labels}}} 4")), "{text}");
        for line in [
            "# TYPE duet_catalog_generation gauge\nduet_catalog_generation{application=\"hr\"} 3\n\
             duet_catalog_generation{application=\"a\\\"b\"} 4\n",
            "\nduet_application_up{application=\"a\\\"b\"} 0\n",
            "\nduet_queue_waiting{application=\"a\\\"b\",queue=\"read\"} 0\n",
            "\nduet_store_keys_total{application=\"hr\"} 3\n",
        ] {
            assert!(text.contains(line), "{line}: {text}");
        }
    }
}
