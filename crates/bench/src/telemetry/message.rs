//! A second of a run as metrics: the message of OTLP, of which other forms are made.

use std::collections::BTreeMap;

use duet_verdict::result::{RunResult, Second};
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::common::v1::{AnyValue, InstrumentationScope, KeyValue, any_value};
use opentelemetry_proto::tonic::metrics::v1::{
    AggregationTemporality, Gauge, Histogram, HistogramDataPoint, Metric, NumberDataPoint,
    ResourceMetrics, ScopeMetrics, Sum, metric::Data, number_data_point::Value,
};
use opentelemetry_proto::tonic::resource::v1::Resource;

use crate::record::Tally;
use crate::run::{Merged, Part};
use crate::workload::TransactionType;

/// The upper bounds of the histograms' buckets, in microseconds: three for each power of ten.
const BOUNDS_US: [u64; 19] = [
    10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000,
    500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000,
];
const NANOS: u64 = 1_000_000_000;

/// The sums of a run so far.
#[derive(Debug)]
pub(super) struct Message {
    resource: Resource,
    /// The run's beginning, nanoseconds since 1970.
    origin: u64,
    kinds: Vec<String>,
    sums: Vec<Sums>,
    /// The agents' addresses; none where this machine runs the processes.
    agents: Vec<String>,
    /// The agent of each process, by its place.
    agent_of: Vec<usize>,
    /// Transactions by agent: completed and failed.
    ended: Vec<[u64; 2]>,
}

/// The sums of a type.
#[derive(Clone, Debug, Default)]
struct Sums {
    completed: u64,
    failed: u64,
    service: Buckets,
    response: Buckets,
}

/// A histogram's sums.
#[derive(Clone, Debug, Default)]
struct Buckets {
    counts: [u64; BOUNDS_US.len() + 1],
    count: u64,
    sum_us: f64,
}

impl Buckets {
    fn add(&mut self, histogram: &hdrhistogram::Histogram<u64>) {
        for value in histogram.iter_recorded() {
            let micros = value.value_iterated_to();
            let bucket = BOUNDS_US.partition_point(|bound| *bound < micros);
            let count = value.count_since_last_iteration();
            self.counts[bucket] += count;
            self.count += count;
            self.sum_us += micros as f64 * count as f64;
        }
    }

    fn point(&self, attributes: Vec<KeyValue>, times: [u64; 2]) -> HistogramDataPoint {
        HistogramDataPoint {
            attributes,
            start_time_unix_nano: times[0],
            time_unix_nano: times[1],
            count: self.count,
            sum: Some(self.sum_us / 1e6),
            bucket_counts: self.counts.to_vec(),
            explicit_bounds: BOUNDS_US.iter().map(|bound| *bound as f64 / 1e6).collect(),
            ..HistogramDataPoint::default()
        }
    }
}

impl Message {
    /// `agents` are those of the processes, in the order of their numbers.
    pub(super) fn new(begun: &RunResult, kinds: &[TransactionType], agents: &[String]) -> Self {
        // Receivers keep series apart by the instance, and show it: two runs at a time do not mix.
        let label = if begun.name.is_empty() { &begun.workload } else { &begun.name };
        let facts = [
            ("service.name", "duet bench".to_owned()),
            ("service.instance.id", format!("{label} {}", begun.started)),
            ("duet.bench.workload", begun.workload.clone()),
            ("duet.bench.target", begun.target.address.clone()),
            ("duet.bench.name", begun.name.clone()),
        ];
        let facts = facts.into_iter().filter(|(_, value)| !value.is_empty());
        let attributes = facts.map(|(name, value)| attribute(name, &value)).collect();
        let started = u64::try_from(begun.started_ms()).unwrap_or_default();
        let mut names: Vec<String> = Vec::new();
        let mut place_of = |agent: &String| {
            names.iter().position(|name| name == agent).unwrap_or_else(|| {
                names.push(agent.clone());
                names.len() - 1
            })
        };
        let agent_of = agents.iter().map(&mut place_of).collect();
        Self {
            ended: vec![[0; 2]; names.len()],
            agents: names,
            agent_of,
            resource: Resource { attributes, ..Resource::default() },
            origin: started * 1_000_000,
            kinds: kinds.iter().map(|kind| kind.short.clone()).collect(),
            sums: vec![Sums::default(); kinds.len()],
        }
    }

    /// Adds a second; the sums with its own figures.
    pub(super) fn second(&mut self, merged: &Merged, row: &Second) -> ExportMetricsServiceRequest {
        for (kind, tally) in &merged.kinds {
            let Some(sums) = self.sums.get_mut(*kind) else { continue };
            sums.completed += Tally::completed(tally);
            sums.failed += Tally::failed(tally);
            sums.service.add(&tally.service.histogram());
            sums.response.add(&tally.response.histogram());
        }
        let mut metrics = self.metrics(row);
        metrics.extend(self.of_agents(&merged.parts, row));
        let scope = InstrumentationScope {
            name: "duet".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            ..InstrumentationScope::default()
        };
        let scoped = ScopeMetrics { scope: Some(scope), metrics, ..ScopeMetrics::default() };
        let resource = ResourceMetrics {
            resource: Some(self.resource.clone()),
            scope_metrics: vec![scoped],
            ..ResourceMetrics::default()
        };
        ExportMetricsServiceRequest { resource_metrics: vec![resource] }
    }

    fn metrics(&self, row: &Second) -> Vec<Metric> {
        let times = self.times(row);
        let gauge = |name: &str, unit: &str, attributes: Vec<KeyValue>, value: Value| {
            let point = number(attributes, times, value);
            metric(name, unit, Data::Gauge(Gauge { data_points: vec![point] }))
        };
        let phase = || vec![attribute("phase", &row.phase)];
        let mut metrics = vec![
            self.transactions(times),
            self.durations("duet.bench.service.duration", times, |sums| &sums.service),
            self.durations("duet.bench.response.duration", times, |sums| &sums.response),
            gauge("duet.bench.users", "{user}", phase(), Value::AsInt(row.users.into())),
        ];
        if let Some(offered) = row.offered_per_s {
            metrics.push(gauge("duet.bench.offered", "1/s", phase(), Value::AsDouble(offered)));
        }
        let points = row.observed.iter().map(|(name, value)| {
            number(vec![attribute("name", name)], times, Value::AsDouble(*value))
        });
        let data_points: Vec<NumberDataPoint> = points.collect();
        if !data_points.is_empty() {
            let data = Data::Gauge(Gauge { data_points });
            // Each figure has a unit of its own.
            metrics.push(metric("duet.bench.observed", "", data));
        }
        metrics
    }

    /// The run's beginning, and when a second's figures are known: at its end.
    fn times(&self, row: &Second) -> [u64; 2] {
        [self.origin, self.origin + (row.at_s + 1) * NANOS]
    }

    /// What each agent has done. One that is gone has no users.
    fn of_agents(&mut self, parts: &BTreeMap<u32, Part>, row: &Second) -> Vec<Metric> {
        if self.agents.is_empty() {
            return Vec::new();
        }
        let mut second = vec![Part::default(); self.agents.len()];
        for (process, part) in parts {
            let Some(place) = self.agent_of.get(*process as usize) else { continue };
            second[*place].users += part.users;
            second[*place].cpu += part.cpu;
            self.ended[*place][0] += part.completed;
            self.ended[*place][1] += part.failed;
        }
        let times = self.times(row);
        let gauge = |value: fn(&Part) -> Value| {
            let points = self.agents.iter().zip(&second);
            let points = points
                .map(|(agent, part)| number(vec![attribute("agent", agent)], times, value(part)));
            Data::Gauge(Gauge { data_points: points.collect() })
        };
        let ended = self.agents.iter().zip(&self.ended).flat_map(|(agent, counts)| {
            ["completed", "failed"].into_iter().zip(counts).map(|(outcome, count)| {
                let attributes = vec![attribute("agent", agent), attribute("outcome", outcome)];
                number(attributes, times, whole(*count))
            })
        });
        let ended = sum(ended.collect());
        let users = gauge(|part| Value::AsInt(part.users.into()));
        let cpu = gauge(|part| Value::AsDouble(part.cpu.as_secs_f64()));
        vec![
            metric("duet.bench.agent.transactions", "{transaction}", ended),
            metric("duet.bench.agent.users", "{user}", users),
            metric("duet.bench.agent.processors", "{cpu}", cpu),
        ]
    }

    /// Transactions by type and outcome.
    fn transactions(&self, times: [u64; 2]) -> Metric {
        let each = self.kinds.iter().zip(&self.sums);
        let points = each.flat_map(|(kind, sums)| {
            [("completed", sums.completed), ("failed", sums.failed)].map(|(outcome, count)| {
                let attributes = vec![attribute("type", kind), attribute("outcome", outcome)];
                number(attributes, times, whole(count))
            })
        });
        metric("duet.bench.transactions", "{transaction}", sum(points.collect()))
    }

    fn durations(&self, name: &str, times: [u64; 2], of: impl Fn(&Sums) -> &Buckets) -> Metric {
        let each = self.kinds.iter().zip(&self.sums);
        let points = each.map(|(kind, sums)| of(sums).point(vec![attribute("type", kind)], times));
        let histogram = Histogram {
            data_points: points.collect(),
            aggregation_temporality: AggregationTemporality::Cumulative.into(),
        };
        metric(name, "s", Data::Histogram(histogram))
    }
}

/// A sum since the run's beginning.
fn sum(data_points: Vec<NumberDataPoint>) -> Data {
    Data::Sum(Sum {
        data_points,
        aggregation_temporality: AggregationTemporality::Cumulative.into(),
        is_monotonic: true,
    })
}

fn whole(count: u64) -> Value {
    Value::AsInt(i64::try_from(count).unwrap_or(i64::MAX))
}

fn metric(name: &str, unit: &str, data: Data) -> Metric {
    Metric { name: name.into(), unit: unit.into(), data: Some(data), ..Metric::default() }
}

fn number(attributes: Vec<KeyValue>, times: [u64; 2], value: Value) -> NumberDataPoint {
    NumberDataPoint {
        attributes,
        start_time_unix_nano: times[0],
        time_unix_nano: times[1],
        value: Some(value),
        ..NumberDataPoint::default()
    }
}

fn attribute(name: &str, value: &str) -> KeyValue {
    let value = AnyValue { value: Some(any_value::Value::StringValue(value.to_owned())) };
    KeyValue { key: name.to_owned(), value: Some(value), ..KeyValue::default() }
}
