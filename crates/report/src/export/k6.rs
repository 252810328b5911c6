//! k6's `--summary-export`, in its older form, which most scripts read. Times are milliseconds. In
//! that form, `true` for a threshold means that it was crossed, so it failed.

use duet_verdict::result::{Percentiles, RunResult};
use serde_json::{Map, Value, json};

/// The result as k6's summary. A transaction is an iteration; over HTTP, a round trip is a request.
pub fn summary(result: &RunResult) -> String {
    let totals = &result.totals;
    let seconds = result.window.measured_s.max(f64::MIN_POSITIVE);
    let counter = |count: u64| json!({"count": count, "rate": count as f64 / seconds});
    // Counts cover transactions due in the window; rates cover those that ended in it.
    let due = (totals.completed + totals.failed).max(1) as f64;
    let summed =
        |sum: u64| json!({"count": sum, "rate": sum as f64 / due * totals.throughput_per_s});
    let times = if result.is_open() { &totals.response } else { &totals.service };
    let mut duration = trend(times);
    duration["thresholds"] = thresholds(result);
    let mut metrics = Map::new();
    let mut put = |name: &str, value: Value| metrics.insert(name.to_owned(), value);
    put("iteration_duration", duration);
    for kind in &result.types {
        let times = if result.is_open() { &kind.response } else { &kind.service };
        put(&format!("iteration_duration{{transaction:{}}}", kind.name), trend(times));
    }
    put("iterations", summed(totals.completed + totals.failed));
    put("data_sent", summed(totals.sent_bytes));
    put("data_received", summed(totals.received_bytes));
    if result.target.kind == "http" {
        put("http_reqs", summed(totals.round_trips));
        // In k6, a pass of this rate is a failed request.
        put("http_req_failed", rate(totals.failed, totals.completed));
    }
    if totals.unsent > 0 {
        put("dropped_iterations", counter(totals.unsent));
    }
    let passed: u64 = result.checks.iter().map(|check| check.passed).sum();
    let failed: u64 = result.checks.iter().map(|check| check.failed).sum();
    put("checks", rate(passed, failed));
    let users: Vec<u32> = result.measured().map(|second| second.users).collect();
    let (low, high) = (users.iter().min().unwrap_or(&0), users.iter().max().unwrap_or(&0));
    put("vus", json!({"value": users.last().unwrap_or(&0), "min": low, "max": high}));
    let most = result.load.users;
    put("vus_max", json!({"value": most, "min": most, "max": most}));
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

fn thresholds(result: &RunResult) -> Value {
    let crossed = result.thresholds.iter().map(|it| (it.rule.clone(), Value::Bool(!it.passed)));
    Value::Object(crossed.collect())
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
        assert_eq!(metrics["iterations"]["count"], result.totals.completed + 3);
        assert_eq!(metrics["http_req_failed"]["passes"], 3);
        assert_eq!(metrics["vus"]["max"], 16);
        assert!(metrics["iteration_duration{transaction:Payment}"]["avg"].is_number());
        assert!(metrics.get("dropped_iterations").is_none());
        assert_eq!(value["root_group"]["checks"]["status is 201"]["fails"], 3);
    }
}
