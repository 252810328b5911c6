//! Tests requests at the edges of the measuring window: servers that pause at its start, in its
//! middle and at its end, have few users, respond slowly, or drop connections. All run at the same
//! time, each with its own server.

use std::time::{Duration, Instant};

use duet_verdict::result::consistent;

use super::line::{NEAR, QUANTILES, SelftestFigure, line};
use super::prepared_run::{Measured, PreparedRun};
use super::server::{Log, Manner};
use super::size::{Edges, Size};
use super::tools::{self, Reported, Request, Test};
use crate::run::{LEAD, Model, Phases, Plan};
use crate::workload::Failed;

/// Shorter times are noise of the machine; longer ones follow from the server's behaviour.
const TOLD: Duration = Duration::from_millis(20);

/// A server with its load.
struct Scenario {
    name: &'static str,
    manner: Manner,
    users: u32,
    /// Its pause, in seconds from the window's start.
    pause: Option<f64>,
}

fn scenarios(edges: &Edges) -> [Scenario; 6] {
    let (measure, pause) = (edges.measure.as_secs_f64(), edges.pause.as_secs_f64());
    let at_once =
        |name, users, at| Scenario { name, manner: Manner::AtOnce, users, pause: Some(at) };
    [
        at_once("pause over the start", 256, -pause / 2.0),
        at_once("pause in the middle", 256, measure / 3.0),
        at_once("pause over the end", 256, measure - pause / 2.0),
        at_once("pause, two users", 2, measure / 3.0),
        Scenario {
            name: "5 % take 0.4 of the window",
            manner: Manner::Tail(edges.measure.mul_f64(0.4)),
            users: 256,
            pause: None,
        },
        Scenario {
            name: "2 % of connections dropped",
            manner: Manner::Drops,
            users: 8,
            pause: None,
        },
    ]
}

/// Runs all, and adds a line for each figure and the figures that other tools would report.
pub(super) fn run(size: &Size, lines: &mut Vec<SelftestFigure>) -> Result<String, Failed> {
    let edges = &size.edges;
    let mut ready = Vec::new();
    for scenario in scenarios(edges) {
        let plan = plan(edges, scenario.users);
        ready.push((PreparedRun::ready(&plan, scenario.manner)?, scenario));
    }
    let origin = Instant::now() + LEAD;
    let mut going = Vec::new();
    for (side, scenario) in ready {
        if let Some(at) = scenario.pause {
            let at = Duration::from_secs_f64(edges.before.as_secs_f64() + at);
            side.server.pause(origin + at, edges.pause);
        }
        going.push((side.go_at(origin), scenario));
    }
    let mut text = String::new();
    for (going, scenario) in going {
        let measured = going.end()?;
        let mut requests = requests(edges, &measured.log, measured.origin);
        judge(size, &scenario, &measured, &requests, lines);
        tools::send(&mut requests, scenario.users);
        let window = [edges.before, edges.before + edges.measure];
        let test = Test { window, users: scenario.users };
        let own = own(&measured);
        text += &tools::rows(scenario.name, &own, &tools::reported(&requests, &test));
    }
    Ok(text + &tools::rules())
}

fn plan(edges: &Edges, users: u32) -> Plan {
    Plan {
        model: Model::Open { rate: edges.rate, poisson: false, steps: Vec::new() },
        phases: Phases { warm_up: edges.before, measure: Some(edges.measure), ..Phases::default() },
        ..Plan::closed(1, users)
    }
}

/// Arrivals begin in order: the k-th request belongs to the k-th arrival.
fn requests(edges: &Edges, log: &Log, origin: Instant) -> Vec<Request> {
    let since = |moment: Instant| moment.saturating_duration_since(origin);
    let request = |(number, served): (usize, &super::server::Served)| Request {
        planned: Duration::from_secs_f64(number as f64 / edges.rate),
        began: since(served.came),
        // A connection is dropped as soon as its request has arrived.
        ended: since(served.answered.unwrap_or(served.came)),
        failed: served.answered.is_none(),
    };
    log.requests.iter().enumerate().map(request).collect()
}

fn own(measured: &Measured) -> Reported {
    let totals = &measured.result.totals;
    let times = measured.result.histogram();
    let at = |quantile| Duration::from_micros(times.value_at_quantile(quantile));
    Reported {
        name: "duet",
        requests: totals.completed as usize,
        per_s: totals.tps,
        p50: at(0.5),
        p95: at(0.95),
        max: at(1.0),
    }
}

fn judge(
    size: &Size,
    scenario: &Scenario,
    measured: &Measured,
    requests: &[Request],
    lines: &mut Vec<SelftestFigure>,
) {
    let edges = &size.edges;
    let window = edges.before..edges.before + edges.measure;
    let due: Vec<&Request> = requests.iter().filter(|it| window.contains(&it.planned)).collect();
    let totals = &measured.result.totals;
    let mut exact = |what: &str, expected: u64, measured: u64, slack: u64| {
        let holds = expected.abs_diff(measured) <= slack;
        let allowed = if slack == 0 { "all" } else { "± 1" };
        let name = format!("{}: {what}", scenario.name);
        let (expected, measured) = (expected as f64, measured as f64);
        lines.push(SelftestFigure { name, expected, measured, allowed, holds });
    };
    let planned = (edges.rate * edges.measure.as_secs_f64()).round() as u64;
    let offered = totals.offered.unwrap_or(0);
    exact("offered", planned, offered, 0);
    let sum = totals.completed + totals.failed + totals.unfinished + totals.unsent;
    exact("sum of outcomes", offered, sum, 0);
    // Requests that are sent in one moment may arrive in another order.
    let dropped = due.iter().filter(|it| it.failed).count() as u64;
    exact("failed", dropped, totals.failed, 1);
    let wrong = consistent(&measured.result).iter().filter(|it| !it.holds).count() as u64;
    exact("disagreements", 0, wrong, 0);
    if size.strict {
        let ended = requests.iter().filter(|it| !it.failed).map(|it| it.ended);
        let expected = ended.filter(|ended| window.contains(ended)).count() as f64;
        let measured = totals.completed_in_window as f64;
        let holds = (measured - expected).abs() <= NEAR * expected;
        let name = format!("{}: ended in the window", scenario.name);
        lines.push(SelftestFigure { name, expected, measured, allowed: "± 2 %", holds });
    }
    let [least, truth] = times(&due, scenario.pause.is_some());
    let histogram = measured.result.histogram();
    for (name, quantile) in [("p50", 0.5)].into_iter().chain(QUANTILES) {
        let bounds = [&least, &truth].map(|times| tools::at(times, quantile));
        if bounds[0] >= TOLD {
            let bounds = bounds.map(|time| time.as_secs_f64() * 1e6);
            let name = format!("{}: {name}, in µs", scenario.name);
            lines.push(line(size, name, bounds, histogram.value_at_quantile(quantile)));
        }
    }
}

/// The certain response times, and the planned ones, in order. A busy machine sends late arrivals
/// together, and they may arrive reordered: which of them got a slow response is unknown, only that
/// it was planned before its arrival. A pausing server answers all together.
fn times(due: &[&Request], pauses: bool) -> [Vec<Duration>; 2] {
    let answered = due.iter().filter(|it| !it.failed);
    let by_plan = |it: &&&Request| it.ended.saturating_sub(it.planned);
    let certain = |it: &&&Request| it.ended.saturating_sub(it.began.max(it.planned));
    let least = |it| if pauses { by_plan(&it) } else { certain(&it) };
    let mut times =
        [answered.clone().map(least).collect(), answered.map(|it| by_plan(&it)).collect()];
    times.iter_mut().for_each(|times: &mut Vec<Duration>| times.sort());
    times
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_answer_may_be_that_of_a_later_arrival() {
        let ms = Duration::from_millis;
        let request = |planned: u64, came: u64, ended: u64| Request {
            planned: ms(planned),
            began: ms(came),
            ended: ms(ended),
            failed: false,
        };
        // Both were sent at 45 ms; the first to arrive may be either, and waited 800 ms.
        let requests = [request(0, 45, 845), request(20, 45, 46)];
        let due: Vec<&Request> = requests.iter().collect();
        assert_eq!(times(&due, false), [[ms(1), ms(800)], [ms(26), ms(845)]]);
        assert_eq!(times(&due, true)[0], [ms(26), ms(845)]);
    }
}
