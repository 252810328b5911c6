//! Prometheus' remote write 1.0 (<https://prometheus.io/docs/specs/prw/remote_write_spec/>): the series that
//! Prometheus makes of a message of OTLP, by its own rules for names, so that one dashboard shows both.

use std::collections::BTreeMap;

use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::common::v1::{KeyValue, any_value};
use opentelemetry_proto::tonic::metrics::v1::{
    HistogramDataPoint, Metric, NumberDataPoint, ResourceMetrics, metric::Data,
    number_data_point::Value,
};
use prost::Message;

const NANOS_PER_MILLI: u64 = 1_000_000;
/// The series with the facts of a resource that are no labels of its other series.
const FACTS: &str = "target_info";

/// What a receiver gets: `prometheus.WriteRequest`.
#[derive(Clone, PartialEq, Message)]
pub struct WriteRequest {
    /// The series.
    #[prost(message, repeated, tag = "1")]
    pub timeseries: Vec<TimeSeries>,
}

/// `prometheus.TimeSeries`.
#[derive(Clone, PartialEq, Message)]
pub struct TimeSeries {
    /// Its name and labels, in the order of their names.
    #[prost(message, repeated, tag = "1")]
    pub labels: Vec<Label>,
    /// Its values.
    #[prost(message, repeated, tag = "2")]
    pub samples: Vec<Sample>,
}

/// `prometheus.Label`.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct Label {
    /// Its name; of the series' name `__name__`.
    #[prost(string, tag = "1")]
    pub name: String,
    /// Its value.
    #[prost(string, tag = "2")]
    pub value: String,
}

/// `prometheus.Sample`.
#[derive(Clone, Copy, PartialEq, Message)]
pub struct Sample {
    /// Its value.
    #[prost(double, tag = "1")]
    pub value: f64,
    /// Milliseconds since 1970.
    #[prost(int64, tag = "2")]
    pub timestamp: i64,
}

/// The series of a message.
pub(super) fn series(message: &ExportMetricsServiceRequest) -> WriteRequest {
    let mut series = Series::default();
    for resource in &message.resource_metrics {
        series.of_resource(resource);
    }
    WriteRequest { timeseries: series.all }
}

#[derive(Debug, Default)]
struct Series {
    /// The labels of all series of a resource.
    common: BTreeMap<String, String>,
    all: Vec<TimeSeries>,
}

impl Series {
    fn of_resource(&mut self, resource: &ResourceMetrics) {
        let facts = resource.resource.iter().flat_map(|it| &it.attributes);
        let mut facts: BTreeMap<String, String> = facts.map(label).collect();
        self.common.clear();
        for (fact, name) in [("service_name", "job"), ("service_instance_id", "instance")] {
            self.common.extend(facts.remove(fact).map(|value| (name.to_owned(), value)));
        }
        let metrics = || resource.scope_metrics.iter().flat_map(|scope| &scope.metrics);
        if let Some(at) = metrics().find_map(time) {
            self.add(FACTS, facts, 1.0, at);
        }
        metrics().for_each(|metric| self.of_metric(metric));
    }

    fn of_metric(&mut self, metric: &Metric) {
        let name = prometheus_name(metric);
        match &metric.data {
            Some(Data::Sum(sum)) => self.numbers(&name, &sum.data_points),
            Some(Data::Gauge(gauge)) => self.numbers(&name, &gauge.data_points),
            Some(Data::Histogram(histogram)) => {
                histogram.data_points.iter().for_each(|point| self.histogram(&name, point));
            }
            // The messages of a run have no others.
            _ => {}
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "Prometheus has no other numbers")]
    fn numbers(&mut self, name: &str, points: &[NumberDataPoint]) {
        for point in points {
            let value = match point.value {
                Some(Value::AsDouble(value)) => value,
                Some(Value::AsInt(value)) => value as f64,
                None => continue,
            };
            let labels = point.attributes.iter().map(label).collect();
            self.add(name, labels, value, point.time_unix_nano);
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "Prometheus has no other numbers")]
    fn histogram(&mut self, name: &str, point: &HistogramDataPoint) {
        let labels: BTreeMap<String, String> = point.attributes.iter().map(label).collect();
        let at = point.time_unix_nano;
        let bounds = point.explicit_bounds.iter().map(f64::to_string);
        let mut below = 0;
        for (bound, count) in bounds.chain(["+Inf".to_owned()]).zip(&point.bucket_counts) {
            below += count;
            let mut labels = labels.clone();
            labels.insert("le".into(), bound);
            self.add(&format!("{name}_bucket"), labels, below as f64, at);
        }
        self.add(&format!("{name}_sum"), labels.clone(), point.sum.unwrap_or_default(), at);
        self.add(&format!("{name}_count"), labels, point.count as f64, at);
    }

    fn add(&mut self, name: &str, mut labels: BTreeMap<String, String>, value: f64, nanos: u64) {
        labels.extend(self.common.clone());
        labels.insert("__name__".into(), name.to_owned());
        let labels = labels.into_iter().filter(|(_, value)| !value.is_empty());
        let labels = labels.map(|(name, value)| Label { name, value }).collect();
        let timestamp = i64::try_from(nanos / NANOS_PER_MILLI).unwrap_or(i64::MAX);
        self.all.push(TimeSeries { labels, samples: vec![Sample { value, timestamp }] });
    }
}

/// When a metric's first point was taken.
fn time(metric: &Metric) -> Option<u64> {
    match &metric.data {
        Some(Data::Sum(sum)) => sum.data_points.first().map(|point| point.time_unix_nano),
        Some(Data::Gauge(gauge)) => gauge.data_points.first().map(|point| point.time_unix_nano),
        _ => None,
    }
}

/// The name that Prometheus gives: dots become underscores, unit and `total` are suffixes.
fn prometheus_name(metric: &Metric) -> String {
    let unit = match metric.unit.as_str() {
        "s" => "_seconds",
        "1/s" => "_per_second",
        // What is counted, in braces, is no unit.
        _ => "",
    };
    let total = if matches!(metric.data, Some(Data::Sum(_))) { "_total" } else { "" };
    format!("{}{unit}{total}", underscored(&metric.name))
}

fn label(attribute: &KeyValue) -> (String, String) {
    let value = match attribute.value.as_ref().and_then(|value| value.value.as_ref()) {
        Some(any_value::Value::StringValue(text)) => text.clone(),
        _ => String::new(),
    };
    (underscored(&attribute.key), value)
}

fn underscored(name: &str) -> String {
    name.replace('.', "_")
}
