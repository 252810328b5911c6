//! The counters of the queues in front of the database, in Prometheus's text format.

use std::fmt::Write;

use duet_service::{QueueCounts, WAIT_BOUNDS};

/// A metric by queue: name, kind, help, value.
type Metric = (&'static str, &'static str, &'static str, fn(&QueueCounts) -> u64);

const METRICS: [Metric; 6] = [
    ("duet_queue_waiting", "gauge", "Requests that wait for the database.", |it| it.waiting),
    ("duet_queue_running", "gauge", "Requests that the database is busy with.", |it| it.running),
    ("duet_queue_admitted_total", "counter", "Requests that began to run.", |it| it.admitted),
    (
        "duet_queue_splits_total",
        "counter",
        "Batches split because a member blocked or failed.",
        |it| it.split,
    ),
    (
        "duet_queue_isolated_total",
        "counter",
        "Requests that ran alone because they blocked, or touch what blocked lately.",
        |it| it.isolated,
    ),
    ("duet_queue_panics_total", "counter", "Batches and requests that panicked.", |it| it.panicked),
];

/// Prints the counters of each queue, with its labels; nothing if there are none.
pub(crate) fn render(out: &mut String, queues: &[(String, QueueCounts)]) {
    if queues.is_empty() {
        return;
    }
    // Writing to a String cannot fail.
    for (name, kind, help, value) in METRICS {
        let _ = write!(out, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
        for (queue, counted) in queues {
            let _ = writeln!(out, "{name}{{{queue}}} {}", value(counted));
        }
    }
    let name = "duet_queue_refused_total";
    let _ = write!(out, "# HELP {name} Requests that did not run.\n# TYPE {name} counter\n");
    for (queue, counted) in queues {
        let causes = [
            ("full", counted.full),
            ("expired", counted.expired),
            ("cancelled", counted.cancelled),
        ];
        for (cause, value) in causes {
            let _ = writeln!(out, "{name}{{{queue},cause=\"{cause}\"}} {value}");
        }
    }
    render_waits(out, queues);
}

fn render_waits(out: &mut String, queues: &[(String, QueueCounts)]) {
    let name = "duet_queue_wait_seconds";
    let _ = write!(out, "# HELP {name} Time that requests waited.\n# TYPE {name} histogram\n");
    #[expect(clippy::cast_precision_loss, reason = "figures for reading")]
    let seconds = |micros: u64| micros as f64 / 1e6;
    for (queue, counted) in queues {
        let mut count = 0;
        for (bucket, amount) in counted.waits.iter().enumerate() {
            count += amount;
            let bound = WAIT_BOUNDS.get(bucket);
            let bound = bound.map_or("+Inf".to_owned(), |bound| seconds(*bound).to_string());
            let _ = writeln!(out, "{name}_bucket{{{queue},le=\"{bound}\"}} {count}");
        }
        let _ = writeln!(out, "{name}_sum{{{queue}}} {}", seconds(counted.wait_micros));
        let _ = writeln!(out, "{name}_count{{{queue}}} {count}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_queue_is_printed() {
        let mut counted = QueueCounts { waiting: 3, expired: 2, ..QueueCounts::default() };
        counted.waits[0] = 4;
        counted.waits[9] = 1;
        counted.wait_micros = 1_500_000;
        let mut out = String::new();
        let named = |name: &str| format!("application=\"hr\",queue=\"{name}\"");
        render(&mut out, &[(named("read"), counted), (named("insert"), QueueCounts::default())]);
        for line in [
            "duet_queue_waiting{application=\"hr\",queue=\"read\"} 3",
            "duet_queue_waiting{application=\"hr\",queue=\"insert\"} 0",
            "duet_queue_refused_total{application=\"hr\",queue=\"read\",cause=\"expired\"} 2",
            "duet_queue_wait_seconds_bucket{application=\"hr\",queue=\"read\",le=\"0.00025\"} 4",
            "duet_queue_wait_seconds_bucket{application=\"hr\",queue=\"read\",le=\"+Inf\"} 5",
            "duet_queue_wait_seconds_sum{application=\"hr\",queue=\"read\"} 1.5",
            "duet_queue_wait_seconds_count{application=\"hr\",queue=\"read\"} 5",
        ] {
            assert!(out.contains(&format!("{line}\n")), "{line}\n{out}");
        }
    }
}
