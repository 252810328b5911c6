//! k6's `--summary-export`, in its older form, which most scripts read. Times are milliseconds. In
//! that form, `true` for a threshold means that it was crossed, so it failed.

use duet_verdict::result::{Percentiles, RunResult};
use duet_verdict::threshold::{Rule, Subject};
use serde_json::{Map, Value, json};

/// The result as k6's summary. A transaction is an iteration; over HTTP, a round trip is a request.
pub fn summary(result: &RunResult) -> String {
    let totals = &result.totals;
    let seconds = result.window.measured_s.max(f64::MIN_POSITIVE);
    let counter = |count: u64| json!({"count": count, "rate": count as f64 / seconds});
    // Counts cover transactions due in the window; rates cover those that ended in it.
    let due = (totals.completed + totals.failed).max(1) as f64;
    let summed = |sum: u64| json!({"count": sum, "rate": sum as f64 / due * totals.ended_per_s});
    let times = if result.is_open() { &totals.response } else { &totals.service };
    let mut metrics = Map::new();
    let mut put = |name: &str, value: Value| metrics.insert(name.to_owned(), value);
    put("iteration_duration", trend(times));
    for kind in &result.types {
        let times = if result.is_open() { &kind.response } else { &kind.service };
        put(&format!("iteration_duration{{transaction:{}}}", kind.name), trend(times));
    }
    put("iterations", summed(totals.completed + totals.failed));
    // What is not known has no metric, as in k6 what was not measured.
    let is_counted = result.lost_figures().is_none();
    if is_counted {
        put("data_sent", summed(totals.sent_bytes));
        put("data_received", summed(totals.received_bytes));
    }
    if result.target.kind == "http" {
        if is_counted {
            put("http_reqs", summed(totals.round_trips));
        }
        // In k6, a pass of this rate is a failed request.
        put("http_req_failed", rate(totals.failed, totals.completed));
    }
    if totals.unsent > 0 {
        put("dropped_iterations", counter(totals.unsent));
    }
    put("checks", checks(result, None));
    let users: Vec<u32> = result.measured().map(|second| second.users).collect();
    let (low, high) = (users.iter().min().unwrap_or(&0), users.iter().max().unwrap_or(&0));
    put("vus", json!({"value": users.last().unwrap_or(&0), "min": low, "max": high}));
    let most = result.load.users;
    put("vus_max", json!({"value": most, "min": most, "max": most}));
    thresholds(result, &mut metrics);
    let text = json!({"metrics": metrics, "root_group": root(result)});
    format!("{text:#}\n")
}

fn trend(times: &Percentiles) -> Value {
    let ms = |micros: u64| micros as f64 / 1e3;
    json!({
        "avg": times.mean_us / 1e3,
        "min": ms(times.min_us),
        "med": ms(times.p50_us),
        "max": ms(times.max_us),
        "p(90)": ms(times.p90_us),
        "p(95)": ms(times.p95_us),
    })
}

fn rate(passes: u64, fails: u64) -> Value {
    let value = passes as f64 / (passes + fails).max(1) as f64;
    json!({"passes": passes, "fails": fails, "value": value})
}

/// Adds each threshold to the metric that it is on. Figures that k6 has no metric for have one of their own.
fn thresholds(result: &RunResult, metrics: &mut Map<String, Value>) {
    for row in &result.thresholds {
        let Ok(rule) = row.rule.parse::<Rule>() else { continue };
        let (name, value) = metric(result, &rule);
        let metric = metrics.entry(name).or_insert(value);
        metric["thresholds"][&row.rule] = Value::Bool(!row.passed);
    }
}

/// The name of the metric that a threshold is on, and its value where no other line has it.
fn metric(result: &RunResult, rule: &Rule) -> (String, Value) {
    let is_of = |short: &str| rule.transaction().is_some_and(|it| it.eq_ignore_ascii_case(short));
    let kind = result.types.iter().find(|kind| is_of(&kind.short));
    let tag = match (kind, rule.transaction()) {
        (Some(kind), _) => format!("{{transaction:{}}}", kind.name),
        (None, Some(short)) => format!("{{transaction:{short}}}"),
        (None, None) => String::new(),
    };
    let totals = &result.totals;
    let (completed, failed, in_window) = match kind {
        Some(kind) => (kind.completed, kind.failed + kind.unfinished, kind.completed_in_window),
        None => (totals.completed, totals.failed + totals.unfinished, totals.completed_in_window),
    };
    let seconds = result.window.measured_s.max(f64::MIN_POSITIVE);
    let counter = |count: u64| json!({"count": count, "rate": count as f64 / seconds});
    match rule.subject() {
        Subject::Times { response } if response || !result.is_open() => {
            (format!("iteration_duration{tag}"), trend(&Percentiles::default()))
        }
        // The other clock: those of k6 include the wait for a user.
        Subject::Times { .. } => {
            let times = kind.map_or(&totals.service, |kind| &kind.service);
            (format!("service_duration{tag}"), trend(times))
        }
        Subject::Throughput => (format!("tps{tag}"), counter(in_window)),
        Subject::Errors => (format!("errors{tag}"), rate(failed, completed)),
        Subject::Failed => (format!("failed{tag}"), counter(failed)),
        Subject::Unsent => ("dropped_iterations".to_owned(), counter(totals.unsent)),
        Subject::Checks => (format!("checks{tag}"), checks(result, rule.transaction())),
    }
}

/// The checks of one type, or of all.
fn checks(result: &RunResult, transaction: Option<&str>) -> Value {
    let is_of = |of: &str| transaction.is_none_or(|it| it.eq_ignore_ascii_case(of));
    let rows = || result.checks.iter().filter(|check| is_of(&check.transaction));
    rate(rows().map(|check| check.passed).sum(), rows().map(|check| check.failed).sum())
}

fn root(result: &RunResult) -> Value {
    let check = |check: &duet_verdict::result::CheckRow| {
        let path = format!("::{}", check.name);
        let row = json!({
            "name": check.name,
            "path": path,
            "id": path,
            "passes": check.passed,
            "fails": check.failed,
        });
        (check.name.clone(), row)
    };
    let checks: Map<String, Value> = result.checks.iter().map(check).collect();
    json!({"name": "", "path": "", "id": "", "groups": {}, "checks": checks})
}

#[cfg(test)]
mod tests {
    use crate::example::Example;

    use super::*;

    #[test]
    fn as_scripts_read_it() {
        let mut result = Example::default().build();
        result.thresholds[0].passed = false;
        let value: Value = serde_json::from_str(&summary(&result)).unwrap();
        let metrics = &value["metrics"];
        let p95 = metrics["iteration_duration"]["p(95)"].as_f64().unwrap();
        assert!((p95 - result.totals.service.p95_us as f64 / 1e3).abs() < 1e-9);
        assert_eq!(
            metrics["iteration_duration"]["thresholds"]["p95<20ms"], true,
            "true is crossed"
        );
        assert!(metrics.get("tps").is_none());
        assert_eq!(metrics["iterations"]["count"], result.totals.completed + 3);
        assert_eq!(metrics["http_req_failed"]["passes"], 3);
        assert_eq!(metrics["vus"]["max"], 16);
        assert!(metrics["iteration_duration{transaction:Payment}"]["avg"].is_number());
        assert!(metrics.get("dropped_iterations").is_none());
        assert_eq!(value["root_group"]["checks"]["status is 201"]["fails"], 3);
    }

    /// A script that looks for crossed thresholds finds each beside its figure.
    #[test]
    fn thresholds_are_on_their_own_metrics() {
        let mut result = Example { rate_per_s: Some(200.0), ..Example::default() }.build();
        let short = result.types[0].short.clone();
        let rules = [
            "tps>180",
            "response.p95<1s",
            "p95<1s",
            "errors<1%",
            "failed<9",
            "checks>=99%",
            "unsent<=0",
            &format!("{short}:response.avg<1s"),
            &format!("{short}:tps>1"),
        ];
        let judged = |rule: &&str| rule.parse::<Rule>().unwrap().judge(&result);
        result.thresholds = rules.iter().map(judged).collect();
        let value: Value = serde_json::from_str(&summary(&result)).unwrap();
        let of = |metric: &str| -> Vec<String> {
            let all = value["metrics"][metric]["thresholds"].as_object();
            all.unwrap_or_else(|| panic!("{metric}: {value:#}")).keys().cloned().collect()
        };
        for (metric, rule) in [
            ("tps", rules[0]),
            ("iteration_duration", rules[1]),
            ("service_duration", rules[2]),
            ("errors", rules[3]),
            ("failed", rules[4]),
            ("checks", rules[5]),
            ("dropped_iterations", rules[6]),
        ] {
            assert_eq!(of(metric), [rule], "{metric}");
        }
        let name = &result.types[0].name;
        assert_eq!(of(&format!("iteration_duration{{transaction:{name}}}")), [rules[7]]);
        assert_eq!(of(&format!("tps{{transaction:{name}}}")), [rules[8]]);
        let rate = value["metrics"]["tps"]["rate"].as_f64().unwrap();
        assert!((rate - result.totals.tps).abs() < 1e-6, "{rate}");
    }
}
