//! What is known of the standbys that answer reads: in `/metrics`, `/health/ready` and `/admin/status`.

use std::fmt::Write;

use duet_service::{ReadServer, Service, StandbyReport, StandbysReport};
use serde_json::{Value, json};

/// A metric of a standby: name, kind, help, value, if there is one.
type StandbyMetric = (&'static str, &'static str, &'static str, fn(&StandbyReport) -> Option<f64>);

/// A metric of an application with standbys.
type ReadMetric = (&'static str, &'static str, fn(&StandbysReport) -> u64);

#[expect(clippy::cast_precision_loss, reason = "counters and bytes far below 2^53")]
const OF_STANDBYS: [StandbyMetric; 6] = [
    ("duet_replica_up", "gauge", "Whether reads go to the standby now.", |it| {
        Some(f64::from(it.reason.is_none()))
    }),
    (
        "duet_replica_lag_seconds",
        "gauge",
        "How old what the standby shows is at most, the time between two beats included.",
        |it| it.lag.map(|lag| lag.as_secs_f64()),
    ),
    (
        "duet_replica_lag_bytes",
        "gauge",
        "Bytes of the primary's log that the standby has not replayed.",
        |it| Some(it.lag_bytes as f64),
    ),
    ("duet_replica_reads_total", "counter", "Reads that the standby has answered.", |it| {
        Some(it.reads as f64)
    }),
    (
        "duet_replica_repeated_total",
        "counter",
        "Reads that the standby ended or could not answer, and the primary did.",
        |it| Some(it.repeated as f64),
    ),
    (
        "duet_replica_beats_total",
        "counter",
        "Times that the standby was asked for its position.",
        |it| Some(it.beats as f64),
    ),
];

const OF_READS: [ReadMetric; 3] = [
    ("duet_replica_waits_total", "Reads that waited for a standby to become new enough.", |it| {
        it.waited
    }),
    (
        "duet_replica_primary_reads_total",
        "Reads that went to the primary, as no standby was new enough.",
        |it| it.at_primary,
    ),
    (
        "duet_replica_primary_beats_total",
        "Times that the primary was asked for its position.",
        |it| it.beats,
    ),
];

/// Prints the metrics of each application, which is named by its labels; nothing where there are no standbys.
pub(crate) fn render(out: &mut String, reports: &[(String, &StandbysReport)]) {
    if reports.is_empty() {
        return;
    }
    // Writing to a String cannot fail.
    for (name, kind, help, value) in OF_STANDBYS {
        let _ = write!(out, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
        for (labels, report) in reports {
            for standby in &report.standbys {
                let Some(value) = value(standby) else { continue };
                let node = ReadServer::Standby(standby.mark).text();
                let _ = writeln!(out, "{name}{{{labels},node=\"{node}\"}} {value}");
            }
        }
    }
    for (name, help, value) in OF_READS {
        let _ = write!(out, "# HELP {name} {help}\n# TYPE {name} counter\n");
        for (labels, report) in reports {
            let _ = writeln!(out, "{name}{{{labels}}} {}", value(report));
        }
    }
}

/// What everybody may know of the standbys of an application: no names.
pub(crate) fn readiness(service: &Service) -> Option<Value> {
    let report = service.store().standbys()?;
    Some(report.standbys.iter().map(short).collect())
}

fn short(standby: &StandbyReport) -> Value {
    json!({
        "node": ReadServer::Standby(standby.mark).text(),
        "status": if standby.reason.is_none() { "up" } else { "down" },
        "lagSeconds": standby.lag.map(|lag| lag.as_secs_f64()),
    })
}

/// The same for operators.
pub(crate) fn status(service: &Service) -> Option<Value> {
    let report = service.store().standbys()?;
    let each = report.standbys.iter().map(|standby| {
        let mut status = short(standby);
        status["server"] = standby.name.as_str().into();
        status["lagBytes"] = standby.lag_bytes.into();
        status["reads"] = standby.reads.into();
        status["repeated"] = standby.repeated.into();
        if let Some(reason) = &standby.reason {
            status["reason"] = reason.as_str().into();
        }
        status
    });
    Some(each.collect())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn each_standby_has_its_lag() {
        let standby = |mark, lag: Option<u64>| StandbyReport {
            mark,
            lag: lag.map(Duration::from_millis),
            reason: lag.is_none().then(|| "gone".to_owned()),
            lag_bytes: 512,
            ..StandbyReport::default()
        };
        let standbys = vec![standby(1, Some(250)), standby(2, None)];
        let report = StandbysReport { standbys, waited: 7, ..StandbysReport::default() };
        let mut out = String::new();
        render(&mut out, &[("application=\"a\"".to_owned(), &report)]);
        for line in [
            "duet_replica_up{application=\"a\",node=\"00000001\"} 1",
            "duet_replica_up{application=\"a\",node=\"00000002\"} 0",
            "duet_replica_lag_seconds{application=\"a\",node=\"00000001\"} 0.25",
            "duet_replica_lag_bytes{application=\"a\",node=\"00000002\"} 512",
            "duet_replica_waits_total{application=\"a\"} 7",
        ] {
            assert!(out.lines().any(|it| it == line), "{out}");
        }
        let unknown = "duet_replica_lag_seconds{application=\"a\",node=\"00000002\"}";
        assert!(!out.contains(unknown), "{out}");
        let mut empty = String::new();
        render(&mut empty, &[]);
        assert_eq!(empty, "");
    }
}
