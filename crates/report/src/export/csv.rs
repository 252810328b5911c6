//! Comma-separated values (RFC 4180), with a header, times in microseconds.

use std::collections::BTreeSet;

use duet_verdict::result::{Percentiles, RunResult, Second, TypeResult};

/// A field, quoted if necessary.
pub(super) fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// A line.
pub(super) fn line(fields: &[String]) -> String {
    let mut line = fields.iter().map(|text| field(text)).collect::<Vec<_>>().join(",");
    line.push('\n');
    line
}

const TIMES: [&str; 9] =
    ["count", "mean_us", "min_us", "p50_us", "p90_us", "p95_us", "p99_us", "p99_9_us", "max_us"];

fn times(times: &Percentiles) -> Vec<String> {
    let known = |value: Option<u64>| value.map_or_else(String::new, |value| value.to_string());
    vec![
        times.count.to_string(),
        format!("{:.1}", times.mean_us),
        times.min_us.to_string(),
        times.p50_us.to_string(),
        times.p90_us.to_string(),
        times.p95_us.to_string(),
        known(times.p99_us),
        known(times.p99_9_us),
        times.max_us.to_string(),
    ]
}

fn named(prefix: &str) -> impl Iterator<Item = String> {
    TIMES.iter().map(move |name| format!("{prefix}_{name}"))
}

/// The whole run second by second: counts, both clocks, each type, and the observations.
pub fn seconds_csv(result: &RunResult) -> String {
    let observed: BTreeSet<&String> =
        result.seconds.iter().flat_map(|second| second.observed.keys()).collect();
    let mut head: Vec<String> =
        ["at_s", "phase", "users", "completed", "failed"].map(String::from).into();
    head.extend(named("service").chain(named("response")));
    for kind in &result.types {
        head.push(format!("{} completed", kind.name));
        head.push(format!("{} mean_us", kind.name));
    }
    head.extend(observed.iter().map(ToString::to_string));
    let mut text = line(&head);
    for second in &result.seconds {
        let mut fields = vec![
            second.at_s.to_string(),
            second.phase.clone(),
            second.users.to_string(),
            second.completed.to_string(),
            second.failed.to_string(),
        ];
        fields.extend(times(&second.service));
        fields.extend(times(&second.response));
        fields.extend(of_types(second, result.types.len()));
        let value = |name: &&String| second.observed.get(*name);
        fields.extend(
            observed.iter().map(|name| value(name).map_or_else(String::new, f64::to_string)),
        );
        text.push_str(&line(&fields));
    }
    text
}

fn of_types(second: &Second, types: usize) -> impl Iterator<Item = String> {
    (0..types).flat_map(|at| {
        let completed = second.by_type.get(at).map_or_else(String::new, u64::to_string);
        let mean = second.mean_us_by_type.get(at);
        [completed, mean.map_or_else(String::new, |mean| format!("{mean:.1}"))]
    })
}

/// The types in the measured window, and their total in the last line.
pub fn types_csv(result: &RunResult) -> String {
    let mut head: Vec<String> =
        ["type", "completed", "failed", "unfinished", "per_s"].map(String::from).into();
    head.extend(named("service").chain(named("response")));
    head.extend(["round_trips", "bytes"].map(String::from));
    let mut text = line(&head);
    let totals = &result.totals;
    let all = TypeResult {
        name: "TOTAL".into(),
        completed: totals.completed,
        failed: totals.failed,
        unfinished: totals.unfinished,
        completed_in_window: totals.completed_in_window,
        service: totals.service,
        response: totals.response,
        round_trips: totals.round_trips,
        bytes: totals.sent_bytes + totals.received_bytes,
        ..TypeResult::default()
    };
    for kind in result.types.iter().chain([&all]) {
        let seconds = result.window.measured_s;
        let per_s = if seconds > 0.0 { kind.completed_in_window as f64 / seconds } else { 0.0 };
        let mut fields = vec![
            kind.name.clone(),
            kind.completed.to_string(),
            kind.failed.to_string(),
            kind.unfinished.to_string(),
            format!("{per_s:.3}"),
        ];
        fields.extend(times(&kind.service));
        fields.extend(times(&kind.response));
        // An empty field is a figure that is not known.
        let known = |count: u64| match result.lost_figures() {
            Some(_) => String::new(),
            None => count.to_string(),
        };
        fields.extend([kind.round_trips, kind.bytes].map(known));
        text.push_str(&line(&fields));
    }
    text
}

#[cfg(test)]
mod tests {
    use crate::example::Example;

    use super::*;

    #[test]
    fn every_line_has_the_headers_fields() {
        let mut result = Example::default().build();
        result.types[0].name = "a, \"b\"".into();
        let text = seconds_csv(&result);
        assert_eq!(text.lines().count(), 69);
        let head = text.lines().next().unwrap();
        assert!(head.contains("\"a, \"\"b\"\" completed\""), "{head}");
        let count = |line: &str| line.replace("a, \"", "").matches(',').count();
        assert!(text.lines().all(|line| count(line) == count(head)), "{text}");
        let tenth = text.lines().nth(11).unwrap();
        assert!(tenth.starts_with("10,measure,16,"), "{tenth}");
    }

    #[test]
    fn types_end_with_their_total() {
        let result = Example::default().build();
        let text = types_csv(&result);
        assert_eq!(text.lines().count(), 5);
        let total = text.lines().last().unwrap();
        let expected =
            format!("TOTAL,{},3,0,200.317,{},", result.totals.completed, result.totals.completed);
        assert!(total.starts_with(&expected), "{total}");
    }
}
