//! What other load generators would report of the same requests, each by its own rule.
//!
//! They differ in what they do at the end of a run and in where a latency begins. Nothing is run here: the rules are applied to the
//! server's log, with the run's measured window as the length of the test.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt::Write as _;
use std::time::Duration;

/// A request as its server saw it, from the run's beginning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Request {
    /// When the plan placed it.
    pub(super) planned: Duration,
    /// When it was sent.
    pub(super) began: Duration,
    /// When it was answered; `None` where the connection was closed instead.
    pub(super) ended: Option<Duration>,
}

/// A tool's rule.
#[derive(Clone, Copy, Debug)]
struct Tool {
    name: &'static str,
    rule: &'static str,
    source: &'static str,
    /// Whether a request counts, and the latency that is taken of it.
    latency: fn(&Request, [Duration; 2]) -> Option<Duration>,
    /// The time that it divides by.
    span: fn(&[&Request], [Duration; 2]) -> Duration,
}

/// How long k6 lets iterations finish (`gracefulStop`).
const GRACEFUL_STOP: Duration = Duration::from_secs(30);

const TOOLS: [Tool; 4] = [
    Tool {
        name: "wrk2",
        rule: "latency from the planned start; responses after the end are dropped",
        source: "wrk.c, response_complete: stops at stop_at before it records",
        latency: |request, [_, to]| {
            let ended = request.ended.filter(|ended| *ended < to)?;
            Some(ended.saturating_sub(request.planned))
        },
        span: |_, [from, to]| to.saturating_sub(from),
    },
    Tool {
        name: "k6",
        rule: "latency from the real start; arrivals without an idle VU are dropped; waits for the rest for 30 s",
        source: "executor constant-arrival-rate: dropped_iterations, gracefulStop",
        latency: |request, [_, to]| {
            let waited = request.began > request.planned;
            let ended = request.ended.filter(|ended| !waited && *ended < to + GRACEFUL_STOP)?;
            Some(ended.saturating_sub(request.began))
        },
        span: to_the_last,
    },
    Tool {
        name: "hey",
        rule: "latency from the real start; waits for the last response and divides by that time",
        source: "requester.go: runWorkers waits for all workers, then Finish takes the total time",
        latency: from_begin,
        span: to_the_last,
    },
    Tool {
        name: "JMeter",
        rule: "latency from the real start; threads end after their sample; first start to last end",
        source: "Calculator.java: getRate divides by the last end - the first start",
        latency: from_begin,
        span: |requests, window| {
            let first = requests.iter().map(|it| it.began).min().unwrap_or(window[0]);
            let last = requests.iter().filter_map(|it| it.ended).max().unwrap_or(window[1]);
            last.saturating_sub(first)
        },
    },
];

/// The whole test, and what it waits for afterwards.
fn to_the_last(requests: &[&Request], [from, to]: [Duration; 2]) -> Duration {
    let last = requests.iter().filter_map(|it| it.ended).max();
    last.unwrap_or(to).max(to).saturating_sub(from)
}

fn from_begin(request: &Request, [_, to]: [Duration; 2]) -> Option<Duration> {
    let ended = request.ended.filter(|_| request.began < to)?;
    Some(ended.saturating_sub(request.began))
}

/// Sets when each request was sent: as planned, or when the first of so many users had its answer. A server that pauses does not see
/// that.
pub(super) fn send(requests: &mut [Request], users: u32) {
    let mut free: BinaryHeap<Reverse<Duration>> =
        (0..users).map(|_| Reverse(Duration::ZERO)).collect();
    for request in requests {
        let Some(Reverse(idle)) = free.pop() else { return };
        let came = std::mem::replace(&mut request.began, request.planned.max(idle));
        free.push(Reverse(request.ended.unwrap_or(came)));
    }
}

/// What a tool reports.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Reported {
    pub(super) name: &'static str,
    pub(super) requests: usize,
    pub(super) per_s: f64,
    pub(super) p50: Duration,
    pub(super) p95: Duration,
    pub(super) max: Duration,
}

/// What each tool reports of requests in a window.
pub(super) fn reported(requests: &[Request], window: [Duration; 2]) -> Vec<Reported> {
    TOOLS.iter().map(|tool| tool.report(requests, window)).collect()
}

impl Tool {
    fn report(&self, requests: &[Request], [from, to]: [Duration; 2]) -> Reported {
        let of_test = requests.iter().filter(|it| it.planned >= from && it.planned < to);
        let counted: Vec<(&Request, Duration)> = of_test
            .filter_map(|request| Some((request, (self.latency)(request, [from, to])?)))
            .collect();
        let mut latencies: Vec<Duration> = counted.iter().map(|(_, latency)| *latency).collect();
        latencies.sort();
        let requests: Vec<&Request> = counted.iter().map(|(request, _)| *request).collect();
        let span = (self.span)(&requests, [from, to]).as_secs_f64();
        let at = |quantile| at(&latencies, quantile);
        Reported {
            name: self.name,
            requests: latencies.len(),
            per_s: if span > 0.0 { latencies.len() as f64 / span } else { 0.0 },
            p50: at(0.5),
            p95: at(0.95),
            max: at(1.0),
        }
    }
}

/// The value at a quantile of sorted ones.
pub(super) fn at(sorted: &[Duration], quantile: f64) -> Duration {
    let rank = (quantile * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.max(1) - 1).copied().unwrap_or_default()
}

/// Rows for a scenario, with a first one of what this bench measured.
pub(super) fn rows(scenario: &str, own: &Reported, others: &[Reported]) -> String {
    let mut text = format!(
        "\n{:<34} {:>8} {:>8} {:>10} {:>10} {:>10}\n",
        scenario, "requests", "/s", "p50 ms", "p95 ms", "max ms"
    );
    for it in std::iter::once(own).chain(others) {
        let ms = |length: Duration| length.as_secs_f64() * 1e3;
        // Writing to a text cannot fail.
        let _ = writeln!(
            text,
            "  {:<32} {:>8} {:>8.1} {:>10.1} {:>10.1} {:>10.1}",
            it.name,
            it.requests,
            it.per_s,
            ms(it.p50),
            ms(it.p95),
            ms(it.max)
        );
    }
    text
}

/// The rules, and where they come from.
pub(super) fn rules() -> String {
    let mut text =
        "\nOther tools' figures are computed from the server's log by their rules:\n".to_owned();
    for Tool { name, rule, source, .. } in TOOLS {
        let _ = writeln!(text, "  {name}: {rule} ({source})");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 100/s for 6 s; the server hangs from 4.5 to 9.5 s, sees nothing meanwhile, and 64 users can wait.
    fn hang_at_the_end() -> Vec<Request> {
        let ms = Duration::from_millis;
        let request = |number: u64| {
            let planned = ms(number * 10);
            let came = if number < 450 { planned } else { ms(9_499) };
            Request { planned, began: came, ended: Some(came + ms(1)) }
        };
        let mut requests: Vec<Request> = (0..600).map(request).collect();
        send(&mut requests, 64);
        requests
    }

    #[test]
    fn a_hang_at_the_end_looks_different_to_each() {
        let window = [Duration::ZERO, Duration::from_secs(6)];
        let all = reported(&hang_at_the_end(), window);
        let counts: Vec<(&str, usize)> = all.iter().map(|it| (it.name, it.requests)).collect();
        assert_eq!(counts, [("wrk2", 450), ("k6", 514), ("hey", 450 + 64), ("JMeter", 514)]);
        let ms = Duration::from_millis;
        // wrk2 has not seen the hang, the others have no one who would have come in it.
        assert_eq!((all[0].p95, all[0].max), (ms(1), ms(1)));
        assert_eq!((all[1].p50, all[1].max), (ms(1), ms(5_000)));
        assert!((all[0].per_s - 75.0).abs() < 1e-9 && (all[2].per_s - 514.0 / 9.5).abs() < 1e-9);
        assert_eq!(all[2].per_s, all[3].per_s, "it began at once");
        assert!(rules().contains("wrk.c") && rows("x", &all[0], &all[1..]).contains("JMeter"));
    }

    #[test]
    fn nothing_is_reported_of_nothing() {
        let window = [Duration::ZERO, Duration::from_secs(1)];
        assert!(reported(&[], window).iter().all(|it| it.requests == 0 && it.per_s == 0.0));
    }
}
