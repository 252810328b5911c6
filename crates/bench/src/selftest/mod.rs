//! The honesty test of the bench: it measures servers that know the truth, and must say the same.
//!
//! *The pause.* Requests arrive evenly, planned before the run; in its middle the server answers nobody for a
//! while. What users feel follows by arithmetic from the plan and the server's log: the k-th answer
//! belongs to the k-th arrival, and its response time is the moment of the answer minus the planned one. A
//! bench that forgets those who would have come cannot say the same.
//!
//! *The delays.* The server draws how long it takes and keeps a log; percentiles of the log and of the bench
//! must agree.
//!
//! Times that are measured are never below the truth, but by the thousandth that a histogram rounds. How
//! far above they may lie depends on the machine: the whole test allows 2 %, the quick one does not ask.

mod server;

use std::fmt::Write as _;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use crate::record::Outcome;
use crate::result::RunResult;
use crate::run::{Assembly, Job, Model, Phases, Plan, prepare};
use crate::workload::{Failed, rest};
use server::{Log, Manner, Server};

/// As far may a percentile lie from the truth.
const NEAR: f64 = 0.02;
/// As far may the median of a run with a pause lie from one without …
const MEDIAN: f64 = 0.2;
/// … or as many microseconds, for medians are some tens of them.
const MEDIAN_US: f64 = 50.0;
/// The quantiles that are looked at.
const QUANTILES: [(&str, f64); 4] = [("p90", 0.9), ("p95", 0.95), ("p99", 0.99), ("max", 1.0)];

/// A figure beside the truth.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// What it is.
    pub name: String,
    /// What must be measured.
    pub expected: f64,
    /// What was.
    pub measured: f64,
    /// What is allowed, in words.
    pub allowed: &'static str,
    /// Whether it is.
    pub holds: bool,
}

/// How much is tested.
#[derive(Clone, Copy, Debug)]
struct Size {
    rate: f64,
    users: u32,
    before: Duration,
    measure: Duration,
    pause: Duration,
    /// Users and requests of the delays, and the longest delay.
    delays: (u32, u64, Duration),
    /// Whether times are held against the truth from above too.
    strict: bool,
}

const WHOLE: Size = Size {
    rate: 1000.0,
    // Few, so that the answers of one moment are few when the server is back.
    users: 48,
    before: Duration::from_secs(2),
    measure: Duration::from_secs(11),
    pause: Duration::from_millis(1500),
    delays: (1000, 50_000, Duration::from_secs(1)),
    strict: true,
};

const QUICK: Size = Size {
    rate: 200.0,
    users: 64,
    before: Duration::from_millis(500),
    measure: Duration::from_millis(2500),
    pause: Duration::from_millis(600),
    delays: (100, 2_000, Duration::from_millis(100)),
    strict: false,
};

/// Measures, and holds it against the truth.
///
/// # Errors
/// Where the servers cannot be started or reached.
pub fn run(quick: bool) -> Result<Vec<Line>, Failed> {
    let size = if quick { QUICK } else { WHOLE };
    let mut lines = Vec::new();
    let calm = match size.strict {
        true => Some(paused(&Size { measure: Duration::from_secs(3), ..size }, false)?.0.totals),
        false => None,
    };
    let (result, log, origin) = paused(&size, true)?;
    pause_lines(&size, &result, &log, origin, &mut lines);
    if let Some(calm) = calm {
        let (expected, measured) = (calm.response.p50_us, result.totals.response.p50_us);
        let (expected, measured) = (expected as f64, measured as f64);
        let holds = (expected - measured).abs() <= (MEDIAN * expected).max(MEDIAN_US);
        let name = "pause: p50, beside a run without one".into();
        lines.push(Line { name, expected, measured, allowed: "± 20 % or 50 µs", holds });
    }
    let (result, log) = delayed(&size)?;
    delay_lines(&size, &result, &log, &mut lines);
    Ok(lines)
}

/// Lines as a table.
pub fn table(lines: &[Line]) -> String {
    let mut text = format!(
        "{:<42} {:>12} {:>12} {:>9}  {:<16} verdict\n",
        "", "expected", "measured", "off", "allowed"
    );
    for Line { name, expected, measured, allowed, holds } in lines {
        let off = if *expected > 0.0 { 100.0 * (measured / expected - 1.0) } else { 0.0 };
        let verdict = if *holds { "holds" } else { "FAILS" };
        // Writing to a text cannot fail.
        let _ = writeln!(
            text,
            "{name:<42} {expected:>12.0} {measured:>12.0} {off:>+8.2}%  {allowed:<16} {verdict}"
        );
    }
    text
}

/// An open run against a server that answers at once, but for its pause.
fn paused(size: &Size, pauses: bool) -> Result<(RunResult, Log, Instant), Failed> {
    let server = Server::start(Manner::AtOnce).map_err(|error| cannot(&error))?;
    let plan = Plan {
        model: Model::Open { rate: size.rate, poisson: false, steps: Vec::new() },
        phases: Phases {
            warm_up: size.before,
            measure: Some(size.measure),
            cool_down: Duration::from_millis(500),
            ..Phases::default()
        },
        transactions: None,
        users: size.users,
        ..plan()
    };
    let (result, origin) = measured(&plan, &server, |origin| {
        if pauses {
            server.pause(origin + size.before + size.measure / 3, size.pause);
        }
    })?;
    Ok((result, server.finish(), origin))
}

/// A closed run against a server that takes its time.
fn delayed(size: &Size) -> Result<(RunResult, Log), Failed> {
    let (users, requests, longest) = size.delays;
    let manner = Manner::Delayed(Duration::from_millis(5), longest);
    let server = Server::start(manner).map_err(|error| cannot(&error))?;
    let plan = Plan { transactions: Some(requests), users, ..plan() };
    let (result, _) = measured(&plan, &server, |_| ())?;
    Ok((result, server.finish()))
}

fn plan() -> Plan {
    Plan {
        processes: 1,
        users: 1,
        model: Model::Closed,
        phases: Phases::default(),
        transactions: None,
        iterations: None,
        think: [Duration::ZERO; 2],
        think_inside: [Duration::ZERO; 2],
        pacing: None,
        uncounted: 0,
        seed: 1,
        timeout: Duration::from_secs(30),
    }
}

fn measured(
    plan: &Plan,
    server: &Server,
    begun: impl FnOnce(Instant),
) -> Result<(RunResult, Instant), Failed> {
    let job = Job::Rest(rest::Facts {
        url: format!("http://{}/", server.address),
        authorization: None,
        items: vec!["/".into()],
        is_collection: false,
        content_type: "application/json".into(),
        changeable: None,
        key: None,
        weights: [1.0, 0.0, 0.0, 0.0],
        timeout: plan.timeout,
    });
    let kinds = job.workload()?.kinds().to_vec();
    let stop = Arc::new(AtomicBool::new(false));
    // One process runs within this one: no other is started.
    let ready = prepare(plan, &job, || Command::new("false"), &stop)?;
    let logon = ready.logon;
    let mut assembly = Assembly::new(plan, &kinds, &rest::CHECKS[..3]);
    let mut running = ready.go();
    let origin = running.origin;
    begun(origin);
    while let Some(merged) = running.next_second() {
        assembly.second(&merged);
    }
    let result = assembly.result(&mut running.into_collector(), logon, false);
    match result.totals.failed {
        0 => Ok((result, origin)),
        failed => Err(Failed::new(
            Outcome::Other,
            format!("{failed} requests failed: {:?}", result.failures),
        )),
    }
}

fn cannot(error: &std::io::Error) -> Failed {
    Failed::new(Outcome::Other, format!("the test server cannot be started: {error}"))
}

/// Response times as they follow from the plan and the moments of answers: the k-th answer belongs to the
/// k-th arrival. Only those count that arrive and are answered within the measured time.
fn truth(size: &Size, log: &Log, origin: Instant) -> Vec<f64> {
    let (from, to) = (size.before, size.before + size.measure);
    let mut times: Vec<f64> = (log.answered.iter().enumerate())
        .map(|(number, answered)| {
            let planned = Duration::from_secs_f64(number as f64 / size.rate);
            (planned, answered.saturating_duration_since(origin))
        })
        .filter(|(planned, answered)| *planned >= from && *answered <= to)
        .map(|(planned, answered)| answered.saturating_sub(planned).as_secs_f64() * 1e6)
        .collect();
    times.sort_by(f64::total_cmp);
    times
}

fn quantile(sorted: &[f64], quantile: f64) -> f64 {
    let rank = (quantile * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.max(1) - 1).copied().unwrap_or(0.0)
}

fn pause_lines(size: &Size, result: &RunResult, log: &Log, origin: Instant, lines: &mut Vec<Line>) {
    let planned = size.rate * size.measure.as_secs_f64();
    let offered = result.totals.offered.unwrap_or(0) as f64;
    // Those that are under way at the end of the measured time are in neither.
    let holds = offered <= planned && offered >= planned - f64::from(size.users);
    let name = "pause: requests of the plan".into();
    lines.push(Line { name, expected: planned, measured: offered, allowed: "all", holds });
    let truth = truth(size, log, origin);
    let histogram = result.histogram();
    if let Some((began, ended)) = log.paused {
        let expected = (ended - began).as_secs_f64() * 1e6;
        // The first to arrive in it came within one gap of its begin.
        let bounds = [expected - 1e6 / size.rate, expected];
        lines.push(line(size, "pause: longest response, in µs".into(), bounds, histogram.max()));
        let limit = expected / 2.0;
        let expected = truth.iter().filter(|time| **time > limit).count() as f64;
        let measured = histogram.count_between(limit as u64, u64::MAX) as f64;
        let name = "pause: waited for more than half of it".into();
        let most = if size.strict { expected * (1.0 + NEAR) + 1.0 } else { f64::INFINITY };
        let holds = measured >= expected * (1.0 - NEAR) - 1.0 && measured <= most;
        lines.push(Line { name, expected, measured, allowed: allowed(size), holds });
    }
    for (name, at) in QUANTILES {
        let expected = quantile(&truth, at);
        let name = format!("pause: {name} of response, in µs");
        lines.push(line(size, name, [expected; 2], histogram.value_at_quantile(at)));
    }
}

fn delay_lines(size: &Size, result: &RunResult, log: &Log, lines: &mut Vec<Line>) {
    let (expected, measured) = (log.took.len() as f64, result.totals.completed as f64);
    let name = "delays: requests".into();
    lines.push(Line { name, expected, measured, allowed: "all", holds: expected == measured });
    let mut took: Vec<f64> = log.took.iter().map(|took| took.as_secs_f64() * 1e6).collect();
    took.sort_by(f64::total_cmp);
    let histogram = result.histogram();
    for (name, at) in [("p50", 0.5)].into_iter().chain(QUANTILES) {
        let expected = quantile(&took, at);
        let name = format!("delays: {name}, in µs");
        lines.push(line(size, name, [expected; 2], histogram.value_at_quantile(at)));
    }
}

fn allowed(size: &Size) -> &'static str {
    if size.strict { "± 2 %" } else { "not below, − 2 %" }
}

/// A time beside the truth, which lies between two bounds.
fn line(size: &Size, name: String, [least, most]: [f64; 2], measured: u64) -> Line {
    let measured = measured as f64;
    let not_below = measured >= least * (1.0 - NEAR);
    let holds = not_below && (!size.strict || measured <= most * (1.0 + NEAR));
    Line { name, expected: most, measured, allowed: allowed(size), holds }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Once per run of the tests: the quick form, with nothing in it that a busy machine could break.
    #[test]
    fn the_bench_is_honest() {
        let lines = run(true).unwrap();
        assert!(lines.iter().all(|line| line.holds), "\n{}", table(&lines));
        assert!(lines.len() >= 12, "\n{}", table(&lines));
    }

    #[test]
    fn a_bench_that_forgets_who_would_have_come_fails() {
        let size = QUICK;
        let origin = Instant::now();
        let millis = |millis: u64| Duration::from_millis(millis);
        // 200/s: an arrival each 5 ms, nobody is answered from 1 s to 1.6 s.
        let answered = (0..600).map(|number| {
            let at = number * 5;
            origin + millis(if (1000..1600).contains(&at) { 1600 } else { at })
        });
        let log = Log {
            answered: answered.collect(),
            took: Vec::new(),
            paused: Some((origin + millis(1000), origin + millis(1600))),
        };
        let truth = truth(&size, &log, origin);
        assert_eq!(truth.len(), 500);
        assert_eq!((quantile(&truth, 1.0), quantile(&truth, 0.9)), (600e3, 350e3));
        // One of them noticed; the others were asked for later than planned.
        let mut omitting = crate::record::histogram();
        (0..499).for_each(|_| omitting.record(100).unwrap());
        omitting.record(600_000).unwrap();
        let kind = crate::result::TypeResult {
            response_histogram: crate::record::pack(&omitting),
            ..Default::default()
        };
        let mut result = RunResult { types: vec![kind], ..RunResult::default() };
        result.load.model = "open".into();
        let mut lines = Vec::new();
        pause_lines(&size, &result, &log, origin, &mut lines);
        let failing: Vec<&str> =
            lines.iter().filter(|line| !line.holds).map(|line| line.name.as_str()).collect();
        assert!(failing.contains(&"pause: p90 of response, in µs"), "{failing:?}");
        assert!(failing.contains(&"pause: waited for more than half of it"), "{failing:?}");
        assert!(table(&lines).contains("FAILS"));
    }
}
