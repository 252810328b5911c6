//! How far the commits of others are known, for operators: in `/admin/rowstore` and as metrics.

use std::fmt::Write;

use duet_service::Service;
use duet_service::rowstore::CaptureReport;
use serde_json::{Value, json};

/// What is known of an application's database; `None` where its kind captures nothing.
pub(crate) fn report(service: &Service) -> Option<CaptureReport> {
    service.store().freshness().map(|freshness| freshness.report())
}

/// The same as JSON; `None` where no items are kept, so that nothing is captured.
pub(crate) fn json(service: &Service) -> Option<Value> {
    let report = report(service).filter(|it| it.means.is_some() || it.reason.is_some())?;
    let mut json = json!({
        "application": service.name(),
        "means": report.means.map_or("none", |means| means.word()),
        "transactions": report.transactions,
        "rows": report.rows,
        "connects": report.connects,
        "interruptions": report.interruptions,
    });
    if let Some(lag) = report.lag {
        json["lagSeconds"] = lag.as_secs_f64().into();
    }
    if let Some(reason) = report.reason {
        json["reason"] = reason.into();
    }
    Some(json)
}

/// A metric: name, kind, help, value, if there is one.
type Metric = (&'static str, &'static str, &'static str, fn(&CaptureReport) -> Option<f64>);

#[expect(clippy::cast_precision_loss, reason = "counters far below 2^53")]
const METRICS: [Metric; 6] = [
    ("duet_capture_active", "gauge", "Whether commits of others are captured now.", |it| {
        Some(f64::from(it.means.is_some() && it.reason.is_none()))
    }),
    (
        "duet_capture_lag_seconds",
        "gauge",
        "How long ago the moment is before which no commit is missing.",
        |it| it.lag.map(|lag| lag.as_secs_f64()),
    ),
    (
        "duet_capture_transactions_total",
        "counter",
        "Transactions captured from the database, those of the service included.",
        |it| Some(it.transactions as f64),
    ),
    ("duet_capture_rows_total", "counter", "Changed rows in the transactions captured.", |it| {
        Some(it.rows as f64)
    }),
    ("duet_capture_connects_total", "counter", "Times that capturing has begun.", |it| {
        Some(it.connects as f64)
    }),
    (
        "duet_capture_interruptions_total",
        "counter",
        "Times that capturing was interrupted.",
        |it| Some(it.interruptions as f64),
    ),
];

/// Prints the metrics of each database, which is named by its labels; nothing where there are none.
pub(crate) fn render(out: &mut String, reports: &[(String, &CaptureReport)]) {
    // Writing to a String cannot fail.
    for (name, kind, help, value) in METRICS {
        let mut values =
            reports.iter().filter_map(|(labels, it)| Some((labels, value(it)?))).peekable();
        if values.peek().is_some() {
            let _ = write!(out, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
        }
        for (labels, value) in values {
            let _ = writeln!(out, "{name}{{{labels}}} {value}");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use duet_service::rowstore::Means;

    use super::*;

    #[test]
    fn a_lag_is_told_where_there_is_one() {
        let none = CaptureReport::default();
        let lag = Some(Duration::from_millis(1_500));
        let stream = CaptureReport {
            means: Some(Means::Stream),
            lag,
            transactions: 7,
            ..CaptureReport::default()
        };
        let labels = |name: &str| format!("application=\"{name}\"");
        let mut out = String::new();
        render(&mut out, &[(labels("a"), &none), (labels("b"), &stream)]);
        for line in [
            "duet_capture_active{application=\"a\"} 0",
            "duet_capture_active{application=\"b\"} 1",
            "duet_capture_lag_seconds{application=\"b\"} 1.5",
            "duet_capture_transactions_total{application=\"b\"} 7",
        ] {
            assert!(out.lines().any(|it| it == line), "{out}");
        }
        assert!(!out.contains("lag_seconds{application=\"a\"}"), "{out}");
        let mut empty = String::new();
        render(&mut empty, &[]);
        assert_eq!(empty, "");
    }
}
