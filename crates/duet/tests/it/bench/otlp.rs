//! `duet bench run --otlp` and `--remote-write`: what receivers get, decoded.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};

use duet_bench::telemetry::{TimeSeries, WriteRequest};
use duet_testkit::command::clean;
use duet_testkit::sqlite::Folder;
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::common::v1::{KeyValue, any_value};
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::metrics::v1::number_data_point::Value as Number;
use opentelemetry_proto::tonic::metrics::v1::{AggregationTemporality, Metric};
use prost::Message as _;
use serde_json::Value;

use crate::told;

/// A request: its first line, its head, its message.
type Received = (String, String, ExportMetricsServiceRequest);

/// Answers messages of OTLP with a status, and gives what came.
fn receiver(status: u16) -> (String, Receiver<Received>) {
    answering(status, |body| ExportMetricsServiceRequest::decode(body).unwrap())
}

/// The same for any messages.
fn answering<M: Send + 'static>(
    status: u16,
    decode: fn(&[u8]) -> M,
) -> (String, Receiver<(String, String, M)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (sender, received) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut writer = stream;
            loop {
                let mut head = String::new();
                while reader.read_line(&mut head).is_ok_and(|count| count > 2) {}
                let Some(line) = head.lines().next().map(str::to_owned) else { break };
                let length = head.lines().find_map(|it| it.strip_prefix("Content-Length: "));
                let mut body = vec![0; length.unwrap().parse().unwrap()];
                reader.read_exact(&mut body).unwrap();
                let _ = sender.send((line, head, decode(&body)));
                let answer = format!("HTTP/1.1 {status} X\r\nContent-Length: 0\r\n\r\n");
                writer.write_all(answer.as_bytes()).unwrap();
            }
        }
    });
    (url, received)
}

fn run(folder: &Path, url: &str) -> Value {
    let out = folder.join("out");
    let mut command = clean(Path::new(env!("CARGO_BIN_EXE_duet")));
    command.args(["bench", "run", "lookup", "--users", "2", "--duration", "2s", "--warmup", "0s"]);
    command.args(["--mix", "T1=1,T2=1", "--name", "night", "--quiet", "--otlp", url, "--out"]);
    command.arg(&out).env("OTEL_EXPORTER_OTLP_HEADERS", "api-key=a%20secret");
    let (code, said, errors) = told(&command.output().unwrap());
    assert_eq!(code, 0, "{said}{errors}");
    serde_json::from_str(&fs::read_to_string(out.join("result.json")).unwrap()).unwrap()
}

fn text(attributes: &[KeyValue], name: &str) -> String {
    let found = attributes.iter().find(|it| it.key == name).unwrap_or_else(|| panic!("{name}"));
    match found.value.as_ref().and_then(|value| value.value.as_ref()) {
        Some(any_value::Value::StringValue(text)) => text.clone(),
        other => panic!("{other:?}"),
    }
}

fn metric<'a>(message: &'a ExportMetricsServiceRequest, name: &str) -> &'a Metric {
    let metrics = &message.resource_metrics[0].scope_metrics[0].metrics;
    metrics.iter().find(|metric| metric.name == name).unwrap_or_else(|| panic!("{name}"))
}

/// Completed transactions of a type so far, and when.
fn completed(message: &ExportMetricsServiceRequest, kind: &str) -> (i64, u64, u64) {
    let Some(Data::Sum(sum)) = &metric(message, "duet.bench.transactions").data else {
        panic!("no sum")
    };
    assert!(sum.is_monotonic);
    assert_eq!(sum.aggregation_temporality(), AggregationTemporality::Cumulative);
    let of = |name: &str, value: &str, point: &[KeyValue]| text(point, name) == value;
    let point = sum.data_points.iter().find(|point| {
        of("type", kind, &point.attributes) && of("outcome", "completed", &point.attributes)
    });
    let point = point.unwrap();
    let Some(Number::AsInt(count)) = point.value else { panic!("{point:?}") };
    (count, point.start_time_unix_nano, point.time_unix_nano)
}

/// The trials of a sweep are sent under their names, each shown by the one page, and each with its file.
#[test]
fn a_sweep_is_followed() {
    let (folder, (url, received)) = (Folder::new(), receiver(200));
    let path = |name: &str| folder.path().join(name).display().to_string();
    let mut command = clean(Path::new(env!("CARGO_BIN_EXE_duet")));
    command.args(["bench", "run", "lookup", "--users", "1,2", "--rounds", "1", "--duration", "1s"]);
    command.args(["--warmup", "0s", "--mix", "T1=1", "--live", "--otlp", &url]);
    command.args(["--xml", &path("results.xml"), "--out", &path("out")]);
    let (code, said, errors) = told(&command.output().unwrap());
    assert_eq!(code, 0, "{said}{errors}");
    assert!(said.starts_with("Live: http://127.0.0.1:"), "{said}");
    let names = received.try_iter().map(|(_, _, message)| {
        let resource = message.resource_metrics[0].resource.as_ref().unwrap();
        text(&resource.attributes, "duet.bench.name")
    });
    let mut names: Vec<String> = names.collect();
    names.dedup();
    assert_eq!(names, ["1 user", "2 users"]);
    for (file, users) in [("results.xml", 1), ("results00001.xml", 2)] {
        let xml = fs::read_to_string(path(file)).unwrap();
        assert!(xml.contains(&format!("<NumberOfUsers>{users}<")), "{file}: {xml}");
    }
}

#[test]
fn seconds_are_received_while_the_run_goes_on() {
    let (folder, (url, received)) = (Folder::new(), receiver(200));
    let result = run(folder.path(), &url);
    let received: Vec<Received> = received.try_iter().collect();
    let seconds = result["seconds"].as_array().unwrap();
    assert_eq!(received.len(), seconds.len(), "a message for each second");
    assert!(
        result["warnings"].as_array().unwrap().iter().all(|it| !it.to_string().contains("deliver"))
    );
    for (line, head, _) in &received {
        assert_eq!(line, "POST /v1/metrics HTTP/1.1");
        assert!(head.contains("Content-Type: application/x-protobuf\r\n"), "{head}");
        assert!(head.contains("api-key: a secret\r\n"), "{head}");
    }
    let (_, _, last) = received.last().unwrap();
    let resource = &last.resource_metrics[0].resource.as_ref().unwrap().attributes;
    let facts = ["service.name", "duet.bench.workload", "duet.bench.name"];
    assert_eq!(facts.map(|name| text(resource, name)), ["duet bench", "lookup", "night"]);
    let began = result["started"].as_str().unwrap();
    assert_eq!(text(resource, "service.instance.id"), format!("night {began}"));
    let mut sums = [0, 0];
    for ((_, _, message), second) in received.iter().zip(seconds) {
        for (at, kind) in ["t1", "t2"].into_iter().enumerate() {
            sums[at] += second["by_type"][at].as_i64().unwrap();
            let (count, start, time) = completed(message, kind);
            assert_eq!(count, sums[at], "{kind} {second}");
            assert_eq!(time - start, (second["at_s"].as_u64().unwrap() + 1) * 1_000_000_000);
        }
    }
    assert!(sums.iter().all(|sum| *sum > 0), "{sums:?}");
    for name in ["duet.bench.service.duration", "duet.bench.response.duration"] {
        let Some(Data::Histogram(histogram)) = &metric(last, name).data else { panic!("{name}") };
        let ran = histogram.data_points.iter().filter(|point| point.count > 0);
        let counts = ran.map(|point| {
            assert_eq!(point.bucket_counts.iter().sum::<u64>(), point.count);
            assert_eq!(point.bucket_counts.len(), point.explicit_bounds.len() + 1);
            assert!(point.sum.is_some_and(|sum| sum > 0.0));
            point.count as i64
        });
        assert_eq!(counts.collect::<Vec<_>>(), sums, "{name}");
    }
    for ((_, _, message), second) in received.iter().zip(seconds) {
        let Some(Data::Gauge(users)) = &metric(message, "duet.bench.users").data else {
            panic!("users")
        };
        let connected = second["users"].as_i64().unwrap();
        assert_eq!(users.data_points[0].value, Some(Number::AsInt(connected)));
    }
}

/// The names of a metric in Prometheus, by its rules for OTLP: dots become underscores, the unit and
/// `total` are suffixes, and a histogram is several series.
fn prometheus_names(metric: &Metric) -> Vec<String> {
    let name = metric.name.replace('.', "_");
    match (&metric.data, metric.unit.as_str()) {
        (Some(Data::Sum(_)), _) => vec![format!("{name}_total")],
        (Some(Data::Histogram(_)), "s") => {
            ["bucket", "sum", "count"].map(|part| format!("{name}_seconds_{part}")).into()
        }
        (Some(Data::Gauge(_)), "1/s") => vec![format!("{name}_per_second")],
        (Some(Data::Gauge(_)), unit) if unit.is_empty() || unit.starts_with('{') => vec![name],
        _ => panic!("{metric:?}"),
    }
}

#[test]
fn the_dashboard_asks_for_what_is_sent() {
    let (folder, (url, received)) = (Folder::new(), receiver(200));
    let mut command = clean(Path::new(env!("CARGO_BIN_EXE_duet")));
    command.args(["bench", "run", "lookup", "--rate", "50", "--duration", "1s", "--warmup", "0s"]);
    command.args(["--mix", "T1=1", "--quiet", "--otlp", &url, "--out"]);
    command.arg(folder.path().join("out"));
    let (code, said, errors) = told(&command.output().unwrap());
    assert_eq!(code, 0, "{said}{errors}");
    let (_, _, message) = received.iter().next().unwrap();
    let metrics = &message.resource_metrics[0].scope_metrics[0].metrics;
    let sent: Vec<String> = metrics.iter().flat_map(prometheus_names).collect();
    let (of_agents, asked_for): (Vec<String>, Vec<String>) =
        crate::deploy::asked_for("grafana/duet-bench.json")
            .into_iter()
            .partition(|name| name.starts_with("duet_bench_agent_"));
    assert!(asked_for.len() >= 5 && of_agents.len() == 3, "{asked_for:?} {of_agents:?}");
    let missing: Vec<&String> = asked_for.iter().filter(|name| !sent.contains(name)).collect();
    assert!(missing.is_empty(), "{missing:?} are not among {sent:?}");
}

/// A label of a series of Prometheus.
fn of<'a>(series: &'a TimeSeries, name: &str) -> &'a str {
    let label = series.labels.iter().find(|label| label.name == name);
    label.map_or("", |label| label.value.as_str())
}

/// Prometheus gets by remote write what it would make of the same second's message of OTLP.
#[test]
fn remote_write_has_the_same_series() {
    let (folder, (otlp, messages)) = (Folder::new(), receiver(200));
    let (url, received) = answering(204, |body| {
        let plain = snap::raw::Decoder::new().decompress_vec(body).unwrap();
        WriteRequest::decode(&*plain).unwrap()
    });
    let mut command = clean(Path::new(env!("CARGO_BIN_EXE_duet")));
    command.args(["bench", "run", "lookup", "--users", "2", "--duration", "2s", "--warmup", "0s"]);
    command.args(["--mix", "T1=1,T2=1", "--name", "night", "--quiet", "--otlp", &otlp]);
    command.args(["--remote-write", &url, "--out"]).arg(folder.path().join("out"));
    command.env("DUET_REMOTE_WRITE_HEADERS", "Authorization=Basic%20c2VjcmV0");
    let (code, said, errors) = told(&command.output().unwrap());
    assert_eq!(code, 0, "{said}{errors}");
    let result = fs::read_to_string(folder.path().join("out").join("result.json")).unwrap();
    assert!(!result.contains("c2VjcmV0") && !result.contains("not delivered"), "{result}");
    let result: Value = serde_json::from_str(&result).unwrap();
    let received: Vec<_> = received.try_iter().collect();
    assert_eq!(received.len(), result["seconds"].as_array().unwrap().len());
    for ((line, head, written), (_, own, message)) in received.iter().zip(messages.try_iter()) {
        assert_eq!(line, "POST /api/v1/write HTTP/1.1");
        for field in [
            "Content-Type: application/x-protobuf",
            "Content-Encoding: snappy",
            "X-Prometheus-Remote-Write-Version: 0.1.0",
            "Authorization: Basic c2VjcmV0",
        ] {
            assert!(head.contains(&format!("{field}\r\n")), "{head}");
        }
        assert!(!own.contains("Authorization"), "each receiver has its own secrets");
        let metrics = &message.resource_metrics[0].scope_metrics[0].metrics;
        let mut names: Vec<String> = metrics.iter().flat_map(prometheus_names).collect();
        names.push("target_info".into());
        names.sort();
        let mut found: Vec<&str> = written.timeseries.iter().map(|it| of(it, "__name__")).collect();
        found.sort_unstable();
        found.dedup();
        assert_eq!(found, names);
        for series in &written.timeseries {
            let labels: Vec<&str> = series.labels.iter().map(|label| label.name.as_str()).collect();
            assert!(labels.is_sorted() && labels[0] == "__name__", "{labels:?}");
            assert!(series.labels.iter().all(|label| !label.value.is_empty()), "{series:?}");
            assert_eq!((of(series, "job"), series.samples.len()), ("duet bench", 1));
            assert!(of(series, "instance").starts_with("night "), "{series:?}");
        }
        sums_of_prometheus(written, &message);
    }
}

/// Buckets are sums of those below, the last is the count, and both are those of the message.
fn sums_of_prometheus(written: &WriteRequest, message: &ExportMetricsServiceRequest) {
    let name = "duet.bench.response.duration";
    let Some(Data::Histogram(histogram)) = &metric(message, name).data else { panic!("{name}") };
    for point in &histogram.data_points {
        let kind = text(&point.attributes, "type");
        let values = |name: &str| -> Vec<(String, f64, i64)> {
            let series = written.timeseries.iter();
            let series = series.filter(|it| of(it, "__name__") == name && of(it, "type") == kind);
            let value = |it: &TimeSeries| {
                (of(it, "le").to_owned(), it.samples[0].value, it.samples[0].timestamp)
            };
            series.map(value).collect()
        };
        let buckets = values("duet_bench_response_duration_seconds_bucket");
        assert_eq!(buckets.len(), point.bucket_counts.len());
        assert_eq!(
            (buckets[0].0.as_str(), buckets.last().unwrap().0.as_str()),
            ("0.00001", "+Inf")
        );
        assert!(buckets.iter().map(|(_, value, _)| *value).is_sorted(), "{buckets:?}");
        let counts = values("duet_bench_response_duration_seconds_count");
        assert_eq!(counts[0].1, buckets.last().unwrap().1);
        assert_eq!(counts[0].1, point.count as f64);
        assert_eq!(counts[0].2, (point.time_unix_nano / 1_000_000) as i64);
        let completed = written.timeseries.iter().find(|it| {
            of(it, "__name__") == "duet_bench_transactions_total"
                && of(it, "type") == kind
                && of(it, "outcome") == "completed"
        });
        assert_eq!(completed.unwrap().samples[0].value, completed_so_far(message, &kind));
    }
}

fn completed_so_far(message: &ExportMetricsServiceRequest, kind: &str) -> f64 {
    completed(message, kind).0 as f64
}

/// A run on agents sends one merged view, with what each agent did of it.
#[test]
fn agents_are_one_run_with_their_parts() {
    let (url, received) = receiver(200);
    let (result, addresses) = super::agents::sent_by_agents(&["--otlp", &url]);
    let received: Vec<Received> = received.try_iter().collect();
    let seconds = result["seconds"].as_array().unwrap();
    assert_eq!(received.len(), seconds.len(), "one message for each second of all agents");
    let (_, _, last) = received.last().unwrap();
    let sum = |name: &str, wanted: &dyn Fn(&[KeyValue]) -> bool| -> i64 {
        let Some(Data::Sum(sum)) = &metric(last, name).data else { panic!("{name}") };
        let points = sum.data_points.iter().filter(|point| wanted(&point.attributes));
        points
            .map(|point| match point.value {
                Some(Number::AsInt(count)) => count,
                ref other => panic!("{other:?}"),
            })
            .sum()
    };
    let of_agent = |address: &str| {
        sum("duet.bench.agent.transactions", &|point| {
            text(point, "agent") == address && text(point, "outcome") == "completed"
        })
    };
    assert_eq!(addresses.each_ref().map(|address| of_agent(address)), [80, 40]);
    let all = sum("duet.bench.transactions", &|point| text(point, "outcome") == "completed");
    assert_eq!((all, &result["totals"]["completed"]), (120, &120.into()));
    let names = &last.resource_metrics[0].scope_metrics[0].metrics;
    let names: Vec<String> = names.iter().flat_map(prometheus_names).collect();
    for name in crate::deploy::asked_for("grafana/duet-bench.json") {
        // A closed run offers no rate, and a short one has nothing observed.
        let may_lack = ["duet_bench_offered_per_second", "duet_bench_observed"];
        let is_there = may_lack.contains(&name.as_str()) || names.contains(&name);
        assert!(is_there, "{name} is not among {names:?}");
    }
}

/// A receiver that refuses is a warning: the run goes on.
#[test]
fn a_receiver_that_refuses_ends_no_run() {
    let (folder, (url, _received)) = (Folder::new(), receiver(503));
    let result = run(folder.path(), &url);
    let warnings = result["warnings"].as_array().unwrap();
    let said = warnings.iter().filter_map(Value::as_str).find(|it| it.contains("not delivered"));
    let said = said.unwrap_or_else(|| panic!("{warnings:?}"));
    assert!(said.ends_with("/v1/metrics: it answered 503."), "{said}");
}
