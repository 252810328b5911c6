//! What a server has done since its start, and what it does now, from its metrics: in all, by resource, and in groups such as
//! the queues or the items in memory.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::sample::Sample;

/// What a server has done since its start, and what it does now.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// By metric, those without labels.
    plain: BTreeMap<String, f64>,
    /// By application and resource.
    resources: BTreeMap<(String, String), ResourceFigures>,
    /// Of each group in the order of [`GROUPS`], by application and name.
    groups: [Members; GROUPS.len()],
}

/// The members of a group by application and name, each with its figures.
type Members = BTreeMap<(String, String), BTreeMap<&'static str, f64>>;

/// Requests for a resource.
#[derive(Clone, Debug, Default, PartialEq)]
struct ResourceFigures {
    /// By class of status, such as `2xx`.
    statuses: BTreeMap<String, f64>,
    /// Upper ends of time in seconds, each with how many requests took no longer.
    buckets: Vec<(f64, f64)>,
    seconds: f64,
}

/// Metrics that belong together: of an application, or of something of it that has a name.
struct Group {
    /// What the group is called in JSON.
    name: &'static str,
    /// The label of the name; empty where the application itself is meant.
    label: &'static str,
    /// Each metric with what it is called in JSON. Of several samples of one name the sum counts.
    metrics: &'static [(&'static str, &'static str)],
}

const GROUPS: [Group; 5] = [
    Group {
        name: "queues",
        label: "queue",
        metrics: &[
            ("duet_queue_waiting", "waiting"),
            ("duet_queue_running", "running"),
            ("duet_queue_admitted_total", "admitted"),
            ("duet_queue_refused_total", "refused"),
        ],
    },
    Group {
        name: "batches",
        label: "",
        metrics: &[
            ("duet_store_batches_total", "batches"),
            ("duet_store_keys_total", "keys"),
            ("duet_store_transactions_total", "transactions"),
            ("duet_store_writes_total", "writes"),
            ("duet_store_write_retries_total", "retries"),
        ],
    },
    Group {
        name: "items",
        label: "resource",
        metrics: &[
            ("duet_rowstore_capacity_bytes", "capacity"),
            ("duet_rowstore_bytes", "bytes"),
            ("duet_rowstore_entries", "entries"),
            ("duet_rowstore_hits_total", "hits"),
            ("duet_rowstore_misses_total", "misses"),
            ("duet_rowstore_stale_total", "stale"),
            ("duet_rowstore_evicted_total", "evicted"),
        ],
    },
    Group { name: "lags", label: "", metrics: &[("duet_capture_lag_seconds", "seconds")] },
    Group {
        name: "tenants",
        label: "tenant",
        metrics: &[
            ("duet_tenant_requests_total", "requests"),
            ("duet_tenant_failures_total", "failures"),
            ("duet_tenant_refused_total", "refused"),
            ("duet_tenant_active_requests", "active"),
            ("duet_tenant_seconds_total", "seconds"),
        ],
    },
];

/// The place of a metric among the groups, and its name in JSON.
fn group_of(metric: &str) -> Option<(usize, &'static str)> {
    let named = |group: &Group| group.metrics.iter().find(|(name, _)| *name == metric);
    GROUPS.iter().enumerate().find_map(|(at, group)| Some((at, named(group)?.1)))
}

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
            name => {
                let Some((at, member)) = group_of(name) else { return };
                let one = self.groups[at].entry(of(GROUPS[at].label)).or_default();
                *one.entry(member).or_default() += sample.value;
            }
        }
    }

    /// The same for the script of the page. An upper end without a bound is `null`.
    pub fn json(&self) -> Value {
        let resource = |((application, name), it): (&(String, String), &ResourceFigures)| {
            json!({ "application": application, "resource": name, "statuses": it.statuses,
                    "buckets": it.buckets.iter().map(|(end, count)| json!([end.is_finite().then_some(end), count])).collect::<Vec<_>>(),
                    "seconds": it.seconds })
        };
        let mut json = json!({ "plain": self.plain, "resources": self.resources.iter().map(resource).collect::<Vec<_>>() });
        for (group, members) in GROUPS.iter().zip(&self.groups) {
            let one = |((application, name), it): (&(String, String), &BTreeMap<&str, f64>)| {
                let mut json = json!(it);
                (json["application"], json["name"]) = (json!(application), json!(name));
                json
            };
            json[group.name] = members.iter().map(one).collect();
        }
        json
    }

    fn plain(&self, name: &str) -> f64 {
        self.plain.get(name).copied().unwrap_or_default()
    }

    /// The rows of the table: application, resource, requests, failed ones, mean milliseconds.
    pub(super) fn rows(&self) -> Vec<[String; 5]> {
        let row = |((application, name), it): (&(String, String), &ResourceFigures)| {
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

    pub(super) fn memory(&self) -> String {
        let mib = |name: &str| self.plain(name) / f64::from(1 << 20);
        format!("{:.1} of {:.0} MiB", mib("duet_memory_bytes"), mib("duet_memory_limit_bytes"))
    }

    pub(super) fn whole(&self, name: &str) -> String {
        format!("{:.0}", self.plain(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            duet_queue_refused_total{application=\"a\",queue=\"read\",cause=\"expired\"} 1\n\
            duet_store_batches_total{application=\"a\"} 2\n\
            duet_store_keys_total{application=\"a\"} 9\n\
            duet_rowstore_hits_total{application=\"a\",resource=\"/m/t\"} 5\n\
            duet_tenant_requests_total{application=\"a\",tenant=\"north\"} 6\n";
        let figures = Figures::of(text);
        assert_eq!(figures.rows(), [["a", "/m/t", "4", "1", "2.00"].map(str::to_owned)]);
        assert_eq!(figures.memory(), "1.0 of 2 MiB");
        let json = figures.json();
        assert_eq!(json["resources"][0]["buckets"], json!([[0.001, 2.0], [null, 4.0]]));
        let read = json!({ "application": "a", "name": "read", "waiting": 2.0, "refused": 2.0 });
        assert_eq!(json["queues"], json!([read]));
        let batches = json!({ "application": "a", "name": "", "batches": 2.0, "keys": 9.0 });
        assert_eq!(json["batches"], json!([batches]));
        assert_eq!(
            (&json["items"][0]["hits"], &json["items"][0]["name"]),
            (&json!(5.0), &json!("/m/t"))
        );
        assert_eq!(json["tenants"][0]["name"], "north");
        assert_eq!(json["lags"], json!([]));
    }
}
