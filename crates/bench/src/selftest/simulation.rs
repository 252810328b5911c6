//! Tests the window's rules in virtual time: from a plan, a simulated server and a number of users
//! follow the requests of a run. The recorder counts them, and the result must equal the server's
//! own log.

use std::collections::BTreeMap;
use std::time::Duration;

use duet_verdict::result::{RunResult, consistent};

use super::NEAR;
use super::tools::{Request, at};
use crate::load::Planned;
use crate::record::{Begun, Measured, Recorder, Sample, TransactionCost};
use crate::run::{Assembly, Collector, Cost, Ended, Event, Model, Phases, Plan, SampleCount};
use crate::workload::TransactionType;
use duet_verdict::outcome::Outcome;

/// The service time of a server.
#[derive(Clone, Copy, Debug)]
enum Law {
    /// Constant.
    Constant(f64),
    /// 5 s for one of twenty, 10 ms for the others.
    Twentieth,
    /// 10 ms; no response in the first half second of each 5 s.
    Periodic,
    /// 10 ms; no response between these.
    Hang(f64, f64),
    /// Serial, 100 ms each.
    Serial,
}

const BASE: f64 = 0.01;

struct Server {
    law: Law,
    number: u64,
    free: f64,
}

impl Server {
    fn answers(&mut self, at: f64) -> f64 {
        self.number += 1;
        let done = at + BASE;
        match self.law {
            Law::Constant(length) => at + length,
            Law::Twentieth => at + if self.number.is_multiple_of(20) { 5.0 } else { BASE },
            Law::Periodic if done % 5.0 < 0.5 => done - done % 5.0 + 0.5,
            Law::Hang(from, to) if (from..to).contains(&done) => to,
            Law::Periodic | Law::Hang(..) => done,
            Law::Serial => {
                self.free = self.free.max(at) + 0.1;
                self.free
            }
        }
    }
}

fn secs(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}

fn plan(users: u32, rate: Option<f64>, [from, length]: [f64; 2]) -> Plan {
    let model = match rate {
        Some(rate) => Model::Open { rate, poisson: true, steps: Vec::new() },
        None => Model::Closed,
    };
    let phases = Phases { warm_up: secs(from), measure: Some(secs(length)), ..Phases::default() };
    Plan { model, phases, ..Plan::closed(1, users) }
}

/// Simulates the requests of a run, in order of their start. They end with the load.
fn requests(plan: &Plan, law: Law) -> Vec<Request> {
    let mut server = Server { law, number: 0, free: 0.0 };
    let to = plan.phases.measured().to.unwrap();
    let last = plan.last_begin().unwrap();
    // Users by the moment at which they are free. They start as those of the engine do.
    let mut free: BTreeMap<(u64, u32), ()> =
        (0..plan.users).map(|user| ((plan.start_of(user).as_nanos() as u64, user), ())).collect();
    let mut arrivals = plan.arrivals(0);
    let (mut requests, mut drained): (Vec<Request>, _) = (Vec::new(), to);
    while let Some(((at, user), ())) = free.pop_first() {
        let idle = Duration::from_nanos(at);
        let planned = match &mut arrivals {
            Some(arrivals) => arrivals.next_moment().unwrap(),
            None => idle,
        };
        let began = planned.max(idle);
        if began >= last || planned >= to && began >= drained {
            break;
        }
        let ended = secs(server.answers(began.as_secs_f64()));
        if planned < to {
            drained = drained.max(ended);
        }
        requests.push(Request { planned, began, ended, failed: false });
        free.insert((ended.as_nanos() as u64, user), ());
    }
    requests
}

/// The bench's result for these.
fn result(plan: &Plan, requests: &[Request]) -> RunResult {
    let kinds = [TransactionType::new("It", "IT", 1.0)];
    let measured = plan.phases.measured();
    let Measured { from, to } = measured;
    let to = to.unwrap();
    let limit = to + plan.grace();
    let mut recorder = Recorder::new(1, measured, plan.grace());
    for request in requests {
        let begun = recorder.begin(Begun::new(0, None, [request.planned, request.began], true));
        let ended = Some(request.ended).filter(|ended| *ended <= limit);
        match ended {
            Some(ended) => {
                let (outcome, slept, work) =
                    (Outcome::Ok, Duration::ZERO, TransactionCost::default());
                recorder.take(&Sample { begun, outcome, ended, slept, work }, None);
            }
            None => recorder.give_up(&begun, limit),
        }
    }
    let mut unsent = Vec::new();
    if let Some(arrivals) = plan.arrivals(0) {
        let mut arrivals = arrivals;
        let all = std::iter::from_fn(|| arrivals.next_moment()).take_while(|it| *it < to);
        unsent = all.skip(requests.len()).filter(|moment| *moment >= from).collect();
    }
    let planned = plan.arrivals(0).map(|arrivals| Planned::new(arrivals, from).until(to));
    recorder.conclude(planned, unsent, false, limit);
    let mut collector = Collector::new(1, 1);
    let mut assembly = Assembly::new(plan, &kinds);
    for second in 0..=limit.as_secs() {
        let kinds = recorder.roll(second).by_type();
        let event = Event::Second { process: 0, second, users: 1, kinds, cpu: Duration::ZERO };
        for merged in collector.take(event) {
            assembly.second(&merged);
        }
    }
    let ended = Ended {
        share: plan.share(0),
        totals: recorder.totals().clone(),
        panicked: 0,
        answers: BTreeMap::new(),
        checks: Vec::new(),
        cost: Cost::default(),
        samples: SampleCount::default(),
    };
    collector.take(Event::Ended(Box::new(ended)));
    assembly.result(&mut collector, Duration::ZERO, None)
}

fn near(what: &str, measured: f64, truth: f64) {
    assert!(
        (measured - truth).abs() <= NEAR * truth,
        "{what}: {measured}, the true value is {truth}"
    );
}

/// Compares a run in which everything ended with the server's log.
fn judged(plan: &Plan, law: Law) -> (RunResult, Vec<Request>) {
    let requests = requests(plan, law);
    let result = result(plan, &requests);
    let totals = &result.totals;
    let wrong: Vec<_> = consistent(&result).into_iter().filter(|it| !it.holds).collect();
    assert_eq!(wrong, [], "{law:?}");
    let Measured { from, to } = plan.phases.measured();
    let window = from..to.unwrap();
    let length = (window.end - window.start).as_secs_f64();
    let ended = requests.iter().filter(|it| window.contains(&it.ended));
    near(&format!("{law:?}: throughput"), totals.tps, ended.count() as f64 / length);
    let due: Vec<&Request> = requests.iter().filter(|it| window.contains(&it.planned)).collect();
    assert_eq!(totals.offered, Some(due.len() as u64), "{law:?}");
    assert_eq!((totals.completed, totals.unfinished, totals.unsent), (due.len() as u64, 0, 0));
    for response in [false, true] {
        let begin = |it: &Request| if response { it.planned } else { it.began };
        let mut truth: Vec<Duration> =
            due.iter().map(|it| it.ended.saturating_sub(begin(it))).collect();
        truth.sort();
        let times = result.types[0].histogram(response).unwrap();
        for quantile in [0.01, 0.1, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1.0] {
            let measured = times.value_at_quantile(quantile) as f64;
            near(
                &format!("{law:?}: {quantile}"),
                measured,
                at(&truth, quantile).as_secs_f64() * 1e6,
            );
        }
    }
    (result, requests)
}

/// A server with hangs over the window's start, in its middle and over its end.
const LAWS: [Law; 6] = [
    Law::Constant(3.0),
    Law::Twentieth,
    Law::Periodic,
    Law::Hang(4.0, 7.0),
    Law::Hang(12.0, 14.0),
    Law::Hang(23.0, 29.0),
];

#[test]
fn open_runs_say_what_the_server_does() {
    let window = [5.0, 20.0];
    for law in LAWS {
        judged(&plan(1_000, Some(60.0), window), law);
        // Few users: arrivals wait for them.
        judged(
            &plan(
                if matches!(law, Law::Constant(_) | Law::Twentieth) { 250 } else { 2 },
                Some(60.0),
                window,
            ),
            law,
        );
    }
}

#[test]
fn closed_runs_say_what_the_server_does() {
    for law in LAWS.into_iter().chain([Law::Serial]) {
        for users in [1, 10] {
            let (result, _) = judged(&plan(users, None, [5.0, 20.0]), law);
            // Little's law at the edges: all users were always busy.
            near("under way", result.totals.under_way, f64::from(users));
            assert!(
                !result.warnings.iter().any(|it| it.contains("Little")),
                "{:?}",
                result.warnings
            );
        }
    }
}

#[test]
fn slow_answers_in_a_short_window_are_not_lost() {
    // Ten users of a server that takes 3 s: 3.33/s in 9 s; what begins and ends in the window is two thirds of that.
    let (result, _) = judged(&plan(10, None, [3.0, 9.0]), Law::Constant(3.0));
    near("per second", result.totals.tps, 10.0 / 3.0);
    // A serial server has the same throughput with any number of users.
    let rate = |users| judged(&plan(users, None, [5.0, 10.0]), Law::Serial).0.totals.tps;
    let rates = [1, 10, 60].map(rate);
    assert!(rates.iter().all(|it| (it - 10.0).abs() <= 0.2), "{rates:?}");
    let (result, _) = judged(&plan(100, Some(60.0), [10.0, 10.0]), Law::Twentieth);
    near("mean", result.totals.response.mean_us, 0.05 * 5e6 + 0.95 * 1e4);
}

#[test]
fn a_hang_over_the_end_misses_limits() {
    let plan = plan(1_000, Some(100.0), [0.0, 6.0]);
    let (result, requests) = judged(&plan, Law::Hang(4.5, 9.5));
    let slow =
        requests.iter().filter(|it| it.planned < secs(6.0) && it.planned > secs(4.49)).count();
    assert!(slow > 100, "{slow}");
    let times = result.types[0].histogram(true).unwrap();
    assert_eq!(times.count_between(3_000_000, u64::MAX), slow as u64);
    for limit in ["response.p95<100ms", "p95<100ms", "response.max<1s"] {
        let rule: duet_verdict::threshold::Rule = limit.parse().unwrap();
        assert!(!rule.judge(&result).passed, "{limit}");
    }
}

#[test]
fn a_server_that_never_comes_back_leaves_unfinished_and_unsent() {
    let plan = Plan { timeout: secs(2.0), ..plan(8, Some(100.0), [0.0, 6.0]) };
    let requests = requests(&plan, Law::Hang(4.5, 1e6));
    let result = result(&plan, &requests);
    let wrong: Vec<_> = consistent(&result).into_iter().filter(|it| !it.holds).collect();
    assert_eq!(wrong, []);
    let totals = &result.totals;
    let missing = totals.unfinished + totals.unsent;
    assert_eq!(totals.unfinished, 8);
    assert_eq!(totals.offered, Some(totals.completed + missing));
    assert!(totals.unsent > 100, "{totals:?}");
    // Times below the share of unfinished requests are known, above it they are bounds.
    let response = &totals.response;
    assert!(!response.is_bound(response.p50_us) && response.is_bound(response.p90_us));
    for limit in ["response.p90<1h", "errors<=0", "unsent<=0", "max<1h"] {
        assert!(
            !limit
                .parse::<duet_verdict::threshold::Rule>()
                .is_ok_and(|it| it.judge(&result).passed)
        );
    }
    assert!(result.warnings.iter().any(|it| it.contains("8 transactions due")));
}
