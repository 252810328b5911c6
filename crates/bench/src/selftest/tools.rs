//! Computes the figures of other load generators for the same requests, each by its own rule.
//!
//! They differ in how a run ends and in where a latency begins. Nothing is run here: the rules are
//! applied to the server's log, with the run's measured window as the length of the test.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt::Write as _;
use std::time::Duration;

use duet_verdict::text::{COLUMNS, wrap};

/// A request in the server's log, in time from the run's start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Request {
    /// When the plan placed it.
    pub(super) planned: Duration,
    /// When it was sent.
    pub(super) began: Duration,
    /// When it was answered, or its connection closed.
    pub(super) ended: Duration,
    /// Whether the connection was closed without an answer.
    pub(super) failed: bool,
}

/// The test of a tool.
#[derive(Clone, Copy, Debug)]
pub(super) struct Test {
    /// Its start and its end.
    pub(super) window: [Duration; 2],
    /// Its connections.
    pub(super) users: u32,
}

/// A tool's rule.
#[derive(Clone, Copy, Debug)]
struct Tool {
    name: &'static str,
    rule: &'static str,
    /// Whether a request counts, if the tool ends at this moment.
    counts: fn(&Request, Duration) -> bool,
    /// The recorded latency of a request that counts, if any.
    latency: fn(&Request, &Test) -> Option<Duration>,
    /// When the tool ends, for these requests of the test.
    end: fn(&[&Request], &Test) -> Duration,
    /// Whether the rate counts from the first request instead of the start of the test.
    from_the_first: bool,
}

/// How long k6 lets iterations finish (`gracefulStop`).
const GRACEFUL_STOP: Duration = Duration::from_secs(30);
/// wrk2: the interval of its checks for the end (`TIMEOUT_INTERVAL_MS`), the calibration whose
/// latencies it discards (`CALIBRATE_DELAY_MS`), and the increase of both per connection.
const LOOK: Duration = Duration::from_secs(2);
const CALIBRATION: Duration = Duration::from_secs(10);
const STAGGER: Duration = Duration::from_millis(5);
/// The timeout of a request in hey (`-t`).
const HEY_TIMEOUT: Duration = Duration::from_secs(20);

const TOOLS: [Tool; 4] = [
    // giltene/wrk2 src/wrk.c: `response_complete` counts and then stops, `check_timeouts` stops every
    // 2 s, `calibrate` resets latencies after 10 s.
    Tool {
        name: "wrk2",
        rule: "from the planned start; drops responses after the end; the rate is over the \
               time until the next response or look at the clock",
        counts: |request, end| !request.failed && request.ended <= end,
        latency: |request, test| {
            let [from, to] = test.window;
            let calibrated = from + CALIBRATION + STAGGER * test.users;
            let is_kept = calibrated >= to || request.ended >= calibrated;
            (request.ended < to && is_kept).then(|| request.ended.saturating_sub(request.planned))
        },
        end: stops,
        from_the_first: false,
    },
    // k6 executor `constant-arrival-rate`: `dropped_iterations`, `gracefulStop`.
    Tool {
        name: "k6",
        rule: "from the real start; drops arrivals without an idle VU; waits for the rest for 30 s",
        counts: |request, end| {
            !request.failed && request.began <= request.planned && request.ended <= end
        },
        latency: |request, _| Some(request.ended.saturating_sub(request.began)),
        end: |requests, test| {
            let last = test.window[1] + GRACEFUL_STOP;
            to_the_last(requests.iter().filter(|it| !it.failed && it.ended < last), test)
        },
        from_the_first: false,
    },
    // rakyll/hey requester: `makeRequest`; `runWorkers` waits for all workers, `finalize` divides `numRes`
    // by the total time.
    Tool {
        name: "hey",
        rule: "from the real start; waits for the last response, and the rate is over that \
               time; a failed request is in the rate and has no latency",
        counts: |_, _| true,
        latency: |request, _| {
            let took = request.ended.saturating_sub(request.began);
            (!request.failed && took <= HEY_TIMEOUT).then_some(took)
        },
        end: |requests, test| {
            to_the_last(requests.iter().filter(|it| it.began < test.window[1]), test)
        },
        from_the_first: false,
    },
    // apache/jmeter `Calculator.addSample` and `getRatePerSecond`, `JMeterThread.stopSchedulerIfNeeded`.
    // The command line's `summary =` divides by the whole test (`SummariserRunningSample.getRate`).
    Tool {
        name: "JMeter",
        rule: "from the real start; each thread ends its sample; failed samples count; \
               the rate is from first start to last end",
        counts: |_, _| true,
        latency: |request, _| Some(request.ended.saturating_sub(request.began)),
        end: |requests, test| {
            let of_test = requests.iter().filter(|it| it.began < test.window[1]);
            of_test.map(|it| it.ended).max().unwrap_or(test.window[1])
        },
        from_the_first: true,
    },
];

/// When wrk2 stops. It continues to send, so the first response after the test's end stops it; if
/// the server hangs, the next response or the next check of the clock does.
fn stops(requests: &[&Request], test: &Test) -> Duration {
    let [from, to] = test.window;
    let last = requests.iter().max_by_key(|it| it.planned);
    if last.is_none_or(|last| last.ended < to) {
        return to;
    }
    let mut look = from + LOOK + STAGGER * test.users;
    while look < to {
        look += LOOK;
    }
    let late = requests.iter().filter(|it| !it.failed && it.ended >= to).map(|it| it.ended);
    late.min().map_or(look, |ended| ended.min(look))
}

/// The end of the test, or of the last request that a tool waits for.
fn to_the_last<'a>(requests: impl Iterator<Item = &'a &'a Request>, test: &Test) -> Duration {
    requests.map(|it| it.ended).fold(test.window[1], Duration::max)
}

/// Sets when each request was sent: as planned, or when the first of the users was free. The
/// server's log does not show that during a pause.
pub(super) fn send(requests: &mut [Request], users: u32) {
    let mut free: BinaryHeap<Reverse<Duration>> =
        (0..users).map(|_| Reverse(Duration::ZERO)).collect();
    for request in requests {
        let Some(Reverse(idle)) = free.pop() else { return };
        request.began = request.planned.max(idle);
        free.push(Reverse(request.ended));
    }
}

/// The figures of a tool.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Reported {
    pub(super) name: &'static str,
    pub(super) requests: usize,
    pub(super) per_s: f64,
    pub(super) p50: Duration,
    pub(super) p95: Duration,
    pub(super) max: Duration,
}

/// The figures of each tool for the planned requests of a test.
pub(super) fn reported(requests: &[Request], test: &Test) -> Vec<Reported> {
    TOOLS.iter().map(|tool| tool.report(requests, test)).collect()
}

impl Tool {
    fn report(&self, requests: &[Request], test: &Test) -> Reported {
        let [from, to] = test.window;
        let of_test: Vec<&Request> =
            requests.iter().filter(|it| it.planned >= from && it.planned < to).collect();
        let end = (self.end)(&of_test, test);
        let is_counted = |it: &&&Request| it.began < to && (self.counts)(it, end);
        let counted: Vec<&Request> = of_test.iter().filter(is_counted).copied().collect();
        let mut latencies: Vec<Duration> =
            counted.iter().filter_map(|request| (self.latency)(request, test)).collect();
        latencies.sort();
        let first = counted.iter().map(|it| it.began).min().filter(|_| self.from_the_first);
        let span = end.saturating_sub(first.unwrap_or(from)).as_secs_f64();
        let at = |quantile| at(&latencies, quantile);
        Reported {
            name: self.name,
            requests: counted.len(),
            per_s: if span > 0.0 { counted.len() as f64 / span } else { 0.0 },
            p50: at(0.5),
            p95: at(0.95),
            max: at(1.0),
        }
    }
}

/// The value at a quantile of sorted values.
pub(super) fn at(sorted: &[Duration], quantile: f64) -> Duration {
    let rank = (quantile * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.max(1) - 1).copied().unwrap_or_default()
}

/// Rows for a scenario, preceded by this bench's own.
pub(super) fn rows(scenario: &str, own: &Reported, others: &[Reported]) -> String {
    let mut text = format!(
        "\n{:<28} {:>8} {:>8} {:>10} {:>10} {:>10}\n",
        scenario, "requests", "/s", "p50 ms", "p95 ms", "max ms"
    );
    for it in std::iter::once(own).chain(others) {
        let ms = |length: Duration| length.as_secs_f64() * 1e3;
        // Writing to a text cannot fail.
        let _ = writeln!(
            text,
            "  {:<26} {:>8} {:>8.1} {:>10.1} {:>10.1} {:>10.1}",
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

/// The rules by which other tools measure latency and rate, in lines of at most 80 columns.
pub(super) fn rules() -> String {
    let mut text =
        "\nOther tools' figures follow from the server's log by their rules. Latency is:\n"
            .to_owned();
    for Tool { name, rule, .. } in TOOLS {
        let _ = writeln!(text, "{}", wrap(&format!("  {name}: {rule}"), COLUMNS, "      "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 100/s for 6 s; the server hangs from 4.5 to 9.5 s and receives nothing meanwhile, and 64
    /// users can wait.
    fn hang_at_the_end() -> Vec<Request> {
        let ms = Duration::from_millis;
        let request = |number: u64| {
            let planned = ms(number * 10);
            let came = if number < 450 { planned } else { ms(9_499) };
            Request { planned, began: came, ended: came + ms(1), failed: false }
        };
        let mut requests: Vec<Request> = (0..600).map(request).collect();
        send(&mut requests, 64);
        requests
    }

    fn test(users: u32) -> Test {
        Test { window: [Duration::ZERO, Duration::from_secs(6)], users }
    }

    #[test]
    fn each_tool_reports_a_hang_at_the_end_differently() {
        let all = reported(&hang_at_the_end(), &test(64));
        let counts: Vec<(&str, usize)> = all.iter().map(|it| (it.name, it.requests)).collect();
        assert_eq!(counts, [("wrk2", 450), ("k6", 514), ("hey", 450 + 64), ("JMeter", 514)]);
        let ms = Duration::from_millis;
        // wrk2 has not seen the hang, and the others dropped the arrivals within it.
        assert_eq!((all[0].p95, all[0].max), (ms(1), ms(1)));
        assert_eq!((all[1].p50, all[1].max), (ms(1), ms(5_000)));
        // wrk2 checks the clock at 2.32, 4.32 and 6.32 s.
        assert!((all[0].per_s - 450.0 / 6.32).abs() < 1e-9);
        assert!((all[2].per_s - 514.0 / 9.5).abs() < 1e-9);
        assert_eq!(all[2].per_s, all[3].per_s, "it began at once");
        assert!(
            rules().contains("\n  wrk2: from the planned start")
                && rows("x", &all[0], &all[1..]).contains("JMeter")
        );
    }

    #[test]
    fn the_first_response_after_the_end_stops_wrk2_and_is_counted() {
        let ms = Duration::from_millis;
        let request = |planned: u64, ended: u64| Request {
            planned: ms(planned),
            began: ms(planned),
            ended: ms(ended),
            failed: false,
        };
        let requests = [request(0, 10), request(5_900, 6_100), request(5_950, 6_200)];
        let wrk2 = &reported(&requests, &test(64))[0];
        assert_eq!((wrk2.requests, wrk2.max), (2, ms(10)));
        assert!((wrk2.per_s - 2.0 / 6.1).abs() < 1e-9);
        let calm = [request(0, 10), request(5_900, 5_901)];
        let rate = reported(&calm, &test(64))[0].per_s;
        assert!((rate - 2.0 / 6.0).abs() < 1e-9, "more requests follow, and one ends it");
        // In a long test wrk2 discards the latencies of the first seconds.
        let long = Test { window: [Duration::ZERO, Duration::from_secs(60)], users: 2 };
        let requests = [request(0, 9_000), request(20_000, 20_001)];
        let wrk2 = &reported(&requests, &long)[0];
        assert_eq!((wrk2.requests, wrk2.max), (2, ms(1)));
    }

    #[test]
    fn failed_requests() {
        let ms = Duration::from_millis;
        let failed = Request { planned: ms(10), began: ms(10), ended: ms(11), failed: true };
        let answered = Request { planned: ms(0), began: ms(0), ended: ms(6_000), failed: false };
        let all = reported(&[answered, failed], &test(2));
        let figures: Vec<_> = all.iter().map(|it| (it.name, it.requests, it.p50)).collect();
        let slow = ms(6_000);
        // hey includes it in its rate, JMeter in its times too.
        let expected =
            [("wrk2", 1, ms(0)), ("k6", 1, slow), ("hey", 2, slow), ("JMeter", 2, ms(1))];
        assert_eq!(figures, expected);
    }

    #[test]
    fn no_samples_give_zero_requests() {
        assert!(reported(&[], &test(1)).iter().all(|it| it.requests == 0 && it.per_s == 0.0));
    }
}
