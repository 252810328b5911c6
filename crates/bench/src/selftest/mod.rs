//! The selftest: measures servers whose true times are known, and compares.
//!
//! *The pause.* Requests arrive evenly, planned before the run; in the middle the server stops
//! responding for a while. The response times follow by arithmetic from the plan and the server's
//! log: the k-th answer belongs to the k-th arrival, and its response time is the moment of the
//! answer minus the planned one. A load generator with coordinated omission reports something else.
//!
//! *The calm run.* At the same time and interleaved, the same requests go to a server that does not
//! pause. Requests delayed by the pause are above the median of its run, which therefore differs
//! from that of the calm run: if a share `w` was delayed, it equals the quantile `0.5 ÷ (1 − w)` of
//! the calm run. Two runs one after the other would see different load on the machine.
//!
//! *The edges.* Servers pause over the start and the end of the measuring window, have few users,
//! answer a twentieth of the requests after a large part of the window, or drop connections: the
//! counts of due requests must be exact.
//!
//! *The delays.* The server draws its delays and logs them; percentiles of the log and of the
//! client must agree.
//!
//! Measured times are never below the truth, except for a histogram's rounding to a thousandth. How
//! far above they are depends on the machine: the full test allows 2 %, the quick one has no upper
//! bound.

mod edges;
mod line;
mod prepared_run;
mod server;
#[cfg(test)]
mod simulation;
mod size;
mod tools;

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use duet_verdict::result::RunResult;

use crate::run::{LEAD, Model, Phases, Plan};
use crate::workload::Failed;
pub use line::SelftestFigure;
use line::{NEAR, QUANTILES, allowed, line};
use prepared_run::{Measured, PreparedRun};
use server::{Log, Manner};
use size::{QUICK, Size, WHOLE};
/// The largest deviation of the median of a run with a pause from the corresponding quantile of the
/// calm run.
const MEDIAN: f64 = 0.2;

/// The outcome of the test.
#[derive(Clone, Debug)]
pub struct Tested {
    /// The compared figures.
    pub lines: Vec<SelftestFigure>,
    /// The figures that other tools would report for the same requests.
    pub others: String,
}

/// Measures, and compares with the truth.
///
/// # Errors
/// If the servers cannot be started or reached.
pub fn run(quick: bool) -> Result<Tested, Failed> {
    let size = if quick { QUICK } else { WHOLE };
    let mut lines = Vec::new();
    let (paused, calm) = side_by_side(&size)?;
    let truth = truth(&size, &paused.log, paused.origin);
    pause_lines(&size, &paused, &truth, &mut lines);
    if size.strict {
        lines.push(calm_line(&size, &paused, &calm));
    }
    let (result, log) = delayed(&size)?;
    delay_lines(&size, &result, &log, &mut lines);
    let others = edges::run(&size, &mut lines)?;
    Ok(Tested { lines, others })
}

/// Lines as a table of at most 80 columns: the part of a name before its colon is the heading of
/// the lines that share it.
pub fn table(lines: &[SelftestFigure]) -> String {
    let mut text = format!(
        "{:<33} {:>9} {:>9} {:>9}  {:<7} verdict\n",
        "", "expected", "measured", "off", "allowed"
    );
    let mut above = "";
    for SelftestFigure { name, expected, measured, allowed, holds } in lines {
        let (test, figure) = name.split_once(": ").unwrap_or(("", name));
        // Writing to a text cannot fail.
        if test != above {
            let _ = writeln!(text, "{test}");
            above = test;
        }
        let off = if *expected > 0.0 { 100.0 * (measured / expected - 1.0) } else { 0.0 };
        let digits = if off.abs() < 1_000.0 { 2 } else { 0 };
        let verdict = if *holds { "holds" } else { "FAILS" };
        let _ = writeln!(
            text,
            "  {figure:<31} {expected:>9.0} {measured:>9.0} {off:>+8.digits$}%  {allowed:<7} {verdict}"
        );
    }
    text
}

/// Two open runs at the same time against servers that respond at once; the first one's server
/// pauses. They alternate which goes first, so that neither is always behind the other.
fn side_by_side(size: &Size) -> Result<(Measured, Measured), Failed> {
    let plan = Plan {
        model: Model::Open { rate: size.rate, poisson: false, steps: Vec::new() },
        phases: Phases {
            warm_up: size.before,
            measure: Some(size.measure),
            cool_down: Duration::from_millis(500),
            ..Phases::default()
        },
        ..Plan::closed(1, size.users)
    };
    let (paused, calm) =
        (PreparedRun::ready(&plan, Manner::AtOnce)?, PreparedRun::ready(&plan, Manner::AtOnce)?);
    let origin = Instant::now() + LEAD;
    paused.server.pause(origin + size.before + size.measure / 3, size.pause);
    let half_a_gap = Duration::from_secs_f64(0.5 / size.rate);
    let (paused, calm) = (paused.go_at(origin), calm.go_at(origin + half_a_gap));
    // The log is kept until it is read, so both may go on.
    Ok((paused.end_well()?, calm.end_well()?))
}

/// A closed run against a server with delays.
fn delayed(size: &Size) -> Result<(RunResult, Log), Failed> {
    let (users, requests, longest) = size.delays;
    let plan = Plan { transactions: Some(requests), ..Plan::closed(1, users) };
    let side = PreparedRun::ready(&plan, Manner::Delayed(Duration::from_millis(5), longest))?;
    let Measured { result, log, .. } = side.go_at(Instant::now() + LEAD).end_well()?;
    Ok((result, log))
}

/// The true response times, from the plan and the moments of answers: the k-th answer belongs to
/// the k-th arrival. Only those due in the measured time count.
fn truth(size: &Size, log: &Log, origin: Instant) -> Vec<f64> {
    let (from, to) = (size.before, size.before + size.measure);
    let mut times: Vec<f64> = (log.answered.iter().enumerate())
        .map(|(number, answered)| {
            let planned = Duration::from_secs_f64(number as f64 / size.rate);
            (planned, answered.saturating_duration_since(origin))
        })
        .filter(|(planned, _)| *planned >= from && *planned < to)
        .map(|(planned, answered)| answered.saturating_sub(planned).as_secs_f64() * 1e6)
        .collect();
    times.sort_by(f64::total_cmp);
    times
}

fn quantile(sorted: &[f64], quantile: f64) -> f64 {
    let rank = (quantile * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.max(1) - 1).copied().unwrap_or(0.0)
}

fn pause_lines(size: &Size, paused: &Measured, truth: &[f64], lines: &mut Vec<SelftestFigure>) {
    let Measured { result, log, .. } = paused;
    let planned = size.rate * size.measure.as_secs_f64();
    let offered = result.totals.offered.unwrap_or(0) as f64;
    let holds = offered == planned;
    let name = "pause: requests of the plan".into();
    lines.push(SelftestFigure {
        name,
        expected: planned,
        measured: offered,
        allowed: "all",
        holds,
    });
    let histogram = result.histogram();
    if let Some((began, ended)) = log.paused {
        let expected = (ended - began).as_secs_f64() * 1e6;
        // The first arrival in it is at most one gap after its start.
        let bounds = [expected - 1e6 / size.rate, expected];
        lines.push(line(size, "pause: longest response, in µs".into(), bounds, histogram.max()));
        let limit = expected / 2.0;
        let expected = truth.iter().filter(|time| **time > limit).count() as f64;
        let measured = histogram.count_between(limit as u64, u64::MAX) as f64;
        let name = "pause: waited for more than half of it".into();
        let most = if size.strict { expected * (1.0 + NEAR) + 1.0 } else { f64::INFINITY };
        let holds = measured >= expected * (1.0 - NEAR) - 1.0 && measured <= most;
        lines.push(SelftestFigure { name, expected, measured, allowed: allowed(size), holds });
    }
    for (name, at) in QUANTILES {
        let expected = quantile(truth, at);
        let name = format!("pause: {name} of response, in µs");
        lines.push(line(size, name, [expected; 2], histogram.value_at_quantile(at)));
    }
}

/// The median of the run with the pause, beside the corresponding quantile of the calm one.
fn calm_line(size: &Size, paused: &Measured, calm: &Measured) -> SelftestFigure {
    let place = 0.5 / (1.0 - waited(size, paused));
    let expected = calm.result.histogram().value_at_quantile(place) as f64;
    let measured = paused.result.histogram().value_at_quantile(0.5) as f64;
    let holds = (expected - measured).abs() <= MEDIAN * expected;
    let name = "pause: p50, beside a run without one".into();
    SelftestFigure { name, expected, measured, allowed: "± 20 %", holds }
}

/// The share of the measured arrivals that the pause delayed: from its start until an arrival was
/// answered before the next one. Others wait for a busy machine, in the calm run too.
fn waited(size: &Size, Measured { log, origin, .. }: &Measured) -> f64 {
    let Some((began, ended)) = log.paused else { return 0.0 };
    let gap = Duration::from_secs_f64(1.0 / size.rate);
    let planned = |number: usize| *origin + gap.mul_f64(number as f64);
    let is_back = |(number, answered): (usize, &Instant)| {
        let planned = planned(number);
        let in_time = answered.saturating_duration_since(planned) <= gap;
        (planned >= ended && in_time).then_some(planned)
    };
    let back = log.answered.iter().enumerate().find_map(is_back).unwrap_or(ended);
    (back - began).as_secs_f64() / size.measure.as_secs_f64()
}

fn delay_lines(size: &Size, result: &RunResult, log: &Log, lines: &mut Vec<SelftestFigure>) {
    let (expected, measured) = (log.took.len() as f64, result.totals.completed as f64);
    let name = "delays: requests".into();
    lines.push(SelftestFigure {
        name,
        expected,
        measured,
        allowed: "all",
        holds: expected == measured,
    });
    let mut took: Vec<f64> = log.took.iter().map(|took| took.as_secs_f64() * 1e6).collect();
    took.sort_by(f64::total_cmp);
    let histogram = result.histogram();
    for (name, at) in [("p50", 0.5)].into_iter().chain(QUANTILES) {
        let expected = quantile(&took, at);
        let name = format!("delays: {name}, in µs");
        lines.push(line(size, name, [expected; 2], histogram.value_at_quantile(at)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The quick form, with nothing that a busy machine could break.
    #[test]
    fn the_bench_is_honest() {
        let Tested { lines, others } = run(true).unwrap();
        assert!(lines.iter().all(|line| line.holds), "\n{}{others}", table(&lines));
        assert!(lines.len() >= 36, "\n{}", table(&lines));
        assert_eq!(others.matches("\n  wrk2").count(), 7, "{others}");
    }

    /// 200/s: an arrival each 5 ms, no response from 1 s to 1.6 s.
    fn log(origin: Instant) -> Log {
        let millis = |millis: u64| Duration::from_millis(millis);
        let answered = (0..600).map(|number| {
            let at = number * 5;
            origin + millis(if (1000..1600).contains(&at) { 1600 } else { at })
        });
        let paused = Some((origin + millis(1000), origin + millis(1600)));
        Log { requests: Vec::new(), answered: answered.collect(), took: Vec::new(), paused }
    }

    /// An open run with these times.
    fn measured(times: impl IntoIterator<Item = u64>) -> Measured {
        let mut histogram = duet_verdict::times::histogram();
        times.into_iter().for_each(|micros| histogram.record(micros).unwrap());
        let kind = duet_verdict::result::TypeResult {
            response_histogram: duet_verdict::times::pack(&histogram),
            ..Default::default()
        };
        let mut result = RunResult { types: vec![kind], ..RunResult::default() };
        result.load.model = "open".into();
        let origin = Instant::now();
        Measured { result, log: log(origin), origin }
    }

    #[test]
    fn the_median_of_a_paused_run_differs_from_a_calm_one() {
        // 24 % were delayed: 316 beside 1,000 that were not.
        let paused = measured((1..=1_000).chain([300_000; 316]));
        let line = |factor: u64| {
            calm_line(&QUICK, &paused, &measured((1..=1_000).map(|micros| micros * factor / 100)))
        };
        let same = line(100);
        assert!((same.expected - 658.0).abs() < 2.0 && (same.measured - 658.0).abs() < 2.0);
        assert!(same.holds && line(119).holds && !line(130).holds && !line(80).holds);
    }

    #[test]
    fn coordinated_omission_fails() {
        let size = QUICK;
        let origin = Instant::now();
        let log = log(origin);
        let truth = truth(&size, &log, origin);
        assert_eq!(truth.len(), 500);
        assert_eq!((quantile(&truth, 1.0), quantile(&truth, 0.9)), (600e3, 350e3));
        // One of them saw the pause; the others were sent later than planned.
        let mut lines = Vec::new();
        let paused = Measured { log, origin, ..measured([100; 499].into_iter().chain([600_000])) };
        pause_lines(&size, &paused, &truth, &mut lines);
        let failing: Vec<&str> =
            lines.iter().filter(|line| !line.holds).map(|line| line.name.as_str()).collect();
        assert!(failing.contains(&"pause: p90 of response, in µs"), "{failing:?}");
        assert!(failing.contains(&"pause: waited for more than half of it"), "{failing:?}");
        assert!(table(&lines).contains("FAILS"));
    }
}
