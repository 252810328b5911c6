//! The page that watches a running server: requests, errors, latencies, queues and memory, from the server's own metrics.

use std::collections::BTreeMap;

use askama::Template;
use serde_json::{Value, json};

use crate::page::{Frame, rendered};

/// A line of the text format of Prometheus.
#[derive(Clone, Debug, Default, PartialEq)]
struct Sample {
    name: String,
    labels: BTreeMap<String, String>,
    value: f64,
}

impl Sample {
    /// Reads a line; `None` for comments and what is no sample.
    fn of(line: &str) -> Option<Self> {
        let (head, value) = line.rsplit_once(' ')?;
        let value = value.parse().ok()?;
        let (name, labels) = head.split_once('{').unwrap_or((head, ""));
        if line.starts_with('#') {
            return None;
        }
        Some(Self { name: name.to_owned(), labels: labels_of(labels.trim_end_matches('}')), value })
    }

    fn label(&self, name: &str) -> &str {
        self.labels.get(name).map_or("", String::as_str)
    }
}

/// Labels such as `a="1",b="2"`; in values `\"`, `\\` and `\n` are escaped.
fn labels_of(text: &str) -> BTreeMap<String, String> {
    let mut labels = BTreeMap::new();
    let mut rest = text;
    while let Some((name, after)) = rest.split_once("=\"") {
        let (mut value, mut escaped, mut end) = (String::new(), false, after.len());
        for (at, sign) in after.char_indices() {
            match (escaped, sign) {
                (false, '\\') => escaped = true,
                (false, '"') => {
                    end = at + 1;
                    break;
                }
                (true, 'n') => (value, escaped) = (value + "\n", false),
                _ => {
                    value.push(sign);
                    escaped = false;
                }
            }
        }
        labels.insert(name.trim_start_matches(',').to_owned(), value);
        rest = &after[end..];
    }
    labels
}

/// What a server has done since its start, and what it does now.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// By metric, those without labels.
    plain: BTreeMap<String, f64>,
    /// By application and resource.
    resources: BTreeMap<(String, String), Resource>,
    /// By application and queue.
    queues: BTreeMap<(String, String), Queue>,
}

/// Requests for a resource.
#[derive(Clone, Debug, Default, PartialEq)]
struct Resource {
    /// By class of status, such as `2xx`.
    statuses: BTreeMap<String, f64>,
    /// Upper ends of time in seconds, each with how many requests took no longer.
    buckets: Vec<(f64, f64)>,
    seconds: f64,
}

/// Work that waits, and that runs.
#[derive(Clone, Debug, Default, PartialEq)]
struct Queue {
    waiting: f64,
    running: f64,
    admitted: f64,
    refused: f64,
}

/// Metrics of queues.
const QUEUE: [&str; 4] = [
    "duet_queue_waiting",
    "duet_queue_running",
    "duet_queue_admitted_total",
    "duet_queue_refused_total",
];

impl Figures {
    /// Reads the metrics of a server.
    ///
    /// ```
    /// use duet_console::operate::Figures;
    /// let figures = Figures::of("duet_requests_total 7\n");
    /// assert_eq!(figures.json()["plain"]["duet_requests_total"], 7.0);
    /// ```
    pub fn of(text: &str) -> Self {
        let mut figures = Self::default();
        text.lines().filter_map(Sample::of).for_each(|sample| figures.add(&sample));
        figures
    }

    fn add(&mut self, sample: &Sample) {
        let of =
            |name: &str| (sample.label("application").to_owned(), sample.label(name).to_owned());
        match &*sample.name {
            // Of several processes each has its own.
            name if sample.labels.keys().all(|label| label == "process") => {
                *self.plain.entry(name.to_owned()).or_default() += sample.value;
            }
            "duet_resource_requests_total" => {
                let resource = self.resources.entry(of("resource")).or_default();
                *resource.statuses.entry(sample.label("status").to_owned()).or_default() +=
                    sample.value;
            }
            "duet_step_seconds_bucket" if sample.label("step") == "total" => {
                let end = sample.label("le").parse().unwrap_or(f64::INFINITY);
                self.resources.entry(of("resource")).or_default().buckets.push((end, sample.value));
            }
            "duet_step_seconds_sum" if sample.label("step") == "total" => {
                self.resources.entry(of("resource")).or_default().seconds += sample.value;
            }
            name if QUEUE.contains(&name) => {
                let queue = self.queues.entry(of("queue")).or_default();
                let figure = match name {
                    "duet_queue_waiting" => &mut queue.waiting,
                    "duet_queue_running" => &mut queue.running,
                    "duet_queue_admitted_total" => &mut queue.admitted,
                    _ => &mut queue.refused,
                };
                *figure += sample.value;
            }
            _ => {}
        }
    }

    /// The same for the script of the page. An upper end without a bound is `null`.
    pub fn json(&self) -> Value {
        let resource = |((application, name), it): (&(String, String), &Resource)| {
            json!({ "application": application, "resource": name, "statuses": it.statuses,
                    "buckets": it.buckets.iter().map(|(end, count)| json!([end.is_finite().then_some(end), count])).collect::<Vec<_>>(),
                    "seconds": it.seconds })
        };
        let queue = |((application, name), it): (&(String, String), &Queue)| {
            json!({ "application": application, "queue": name, "waiting": it.waiting, "running": it.running,
                    "admitted": it.admitted, "refused": it.refused })
        };
        json!({ "plain": self.plain, "resources": self.resources.iter().map(resource).collect::<Vec<_>>(),
                "queues": self.queues.iter().map(queue).collect::<Vec<_>>() })
    }

    fn plain(&self, name: &str) -> f64 {
        self.plain.get(name).copied().unwrap_or_default()
    }

    /// The rows of the table: application, resource, requests, failed ones, mean milliseconds.
    fn rows(&self) -> Vec<[String; 5]> {
        let row = |((application, name), it): (&(String, String), &Resource)| {
            let all: f64 = it.statuses.values().sum();
            let failed = it.statuses.get("5xx").copied().unwrap_or_default();
            let mean = if all > 0.0 { it.seconds / all * 1e3 } else { 0.0 };
            [
                application.clone(),
                name.clone(),
                format!("{all:.0}"),
                format!("{failed:.0}"),
                format!("{mean:.2}"),
            ]
        };
        self.resources.iter().map(row).collect()
    }

    fn memory(&self) -> String {
        let mib = |name: &str| self.plain(name) / f64::from(1 << 20);
        format!("{:.1} of {:.0} MiB", mib("duet_memory_bytes"), mib("duet_memory_limit_bytes"))
    }

    fn whole(&self, name: &str) -> String {
        format!("{:.0}", self.plain(name))
    }
}

/// The page.
#[derive(Clone, Copy, Debug, Template)]
#[template(path = "operate.html")]
pub struct Operate<'a> {
    /// Its surroundings.
    pub frame: Frame<'a>,
    /// What it shows at first.
    pub figures: &'a Figures,
    /// The applications: name, database, and whether it is ready.
    pub applications: &'a [(String, String, bool)],
}

impl Operate<'_> {
    /// The page.
    pub fn html(&self) -> String {
        rendered(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_read_with_their_labels() {
        let sample = Sample::of(r#"a_total{x="1,\"2\"\\",y="\n"} 1.5"#).unwrap();
        assert_eq!((sample.label("x"), sample.label("y"), sample.value), ("1,\"2\"\\", "\n", 1.5));
        assert_eq!(Sample::of("# HELP a b 1"), None);
        assert_eq!(Sample::of("a"), None);
    }

    #[test]
    fn requests_are_counted_by_resource() {
        let text = "duet_memory_bytes{process=\"1\"} 524288\nduet_memory_bytes{process=\"2\"} 524288\nduet_memory_limit_bytes 2097152\n\
            duet_resource_requests_total{application=\"a\",resource=\"/m/t\",status=\"2xx\"} 3\n\
            duet_resource_requests_total{application=\"a\",resource=\"/m/t\",status=\"5xx\"} 1\n\
            duet_step_seconds_bucket{application=\"a\",resource=\"/m/t\",step=\"total\",le=\"0.001\"} 2\n\
            duet_step_seconds_bucket{application=\"a\",resource=\"/m/t\",step=\"total\",le=\"+Inf\"} 4\n\
            duet_step_seconds_sum{application=\"a\",resource=\"/m/t\",step=\"total\"} 0.008\n\
            duet_queue_waiting{application=\"a\",queue=\"read\"} 2\n\
            duet_queue_refused_total{application=\"a\",queue=\"read\",cause=\"full\"} 1\n\
            duet_queue_refused_total{application=\"a\",queue=\"read\",cause=\"expired\"} 1\n";
        let figures = Figures::of(text);
        assert_eq!(figures.rows(), [["a", "/m/t", "4", "1", "2.00"].map(str::to_owned)]);
        assert_eq!(figures.memory(), "1.0 of 2 MiB");
        let json = figures.json();
        assert_eq!(json["resources"][0]["buckets"], json!([[0.001, 2.0], [null, 4.0]]));
        assert_eq!(json["queues"][0]["refused"], 2.0);
    }
}
