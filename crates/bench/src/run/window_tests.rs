//! Tests of the engine at the edges of the measuring window: due requests are followed to their
//! end, while the load continues.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use duet_verdict::result::{RunResult, consistent};

use super::collect::Collector;
use super::event::Event;
use super::plan::{Model, Phases, Plan};
use super::process::Process;
use super::{Assembly, Merged, Stop};
use crate::workload::{
    Done, Failed, Local, Session, Success, TransactionContext, TransactionType, Workload,
};

/// The first user's first transaction takes this long; all others return at once.
struct Server {
    kinds: Vec<TransactionType>,
    first: First,
    /// The window's end.
    end: Instant,
    /// Transactions that began after it.
    after: AtomicU64,
    /// From the start of the first transaction to the window's end, in microseconds.
    first_us: AtomicU64,
}

/// The end of the first transaction.
#[derive(Clone, Copy, PartialEq)]
enum First {
    /// Set when another one has begun after the window.
    WhenOthersBegan,
    /// Behind the window.
    Behind,
    Never,
}

impl Server {
    fn new(kinds: Vec<TransactionType>, first: First, end: Instant) -> Self {
        Self { kinds, first, end, after: AtomicU64::new(0), first_us: AtomicU64::new(0) }
    }
}

struct User(Arc<Server>, bool);

struct Shared(Arc<Server>);

impl Workload for Shared {
    fn kinds(&self) -> &[TransactionType] {
        &self.0.kinds
    }

    fn open(&self, user: u32) -> Local<'_, Result<Box<dyn Session>, Failed>> {
        let session = User(self.0.clone(), user == 0);
        Box::pin(async move { Ok(Box::new(session) as Box<dyn Session>) })
    }
}

impl Session for User {
    fn run<'a>(&'a mut self, _: usize, _: &'a mut TransactionContext) -> Local<'a, Done> {
        Box::pin(async move {
            let Self(server, is_first) = self;
            let is_after = || Instant::now() > server.end;
            if std::mem::take(is_first) {
                let left = server.end.saturating_duration_since(Instant::now());
                server.first_us.store(left.as_micros() as u64, Ordering::Relaxed);
                let is_done = || match server.first {
                    First::WhenOthersBegan => server.after.load(Ordering::Relaxed) > 0,
                    First::Behind => is_after(),
                    First::Never => false,
                };
                while !is_done() {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
            } else {
                tokio::time::sleep(Duration::from_millis(1)).await;
                server.after.fetch_add(u64::from(is_after()), Ordering::Relaxed);
            }
            Ok(Success::Ok)
        })
    }
}

fn plan(users: u32, rate: Option<f64>, grace: Duration) -> Plan {
    let model =
        rate.map_or(Model::Closed, |rate| Model::Open { rate, poisson: false, steps: Vec::new() });
    let measure = Some(Duration::from_millis(300));
    let phases = Phases { measure, ..Phases::default() };
    Plan { model, phases, grace: Some(grace), timeout: SHORT, ..Plan::closed(1, users) }
}

/// Runs it and returns the seconds' counts.
fn run(plan: &Plan, first: First, stop: &Arc<AtomicBool>) -> (RunResult, u64) {
    let (result, seconds, _) = run_server(plan, first, stop);
    (result, seconds)
}

/// The same, with the server.
fn run_server(plan: &Plan, first: First, stop: &Arc<AtomicBool>) -> (RunResult, u64, Arc<Server>) {
    let kinds = vec![TransactionType::new("It", "IT", 1.0)];
    let origin = Instant::now() + Duration::from_millis(20);
    let end = origin + plan.phases.end().unwrap();
    let server = Arc::new(Server::new(kinds.clone(), first, end));
    let workload = Arc::new(Shared(server.clone()));
    let process = Process::prepare(plan, plan.share(0), workload, stop.clone()).unwrap();
    let (events, received) = channel();
    process.run(origin, &events);
    drop(events);
    let mut collector = Collector::new(1, 1);
    let mut assembly = Assembly::new(plan, &kinds);
    let mut seconds = 0;
    for event in received {
        let merged: Vec<Merged> = collector.take(event);
        for second in merged {
            seconds += second.all.completed();
            assembly.second(&second);
        }
    }
    let is_stopped = stop.load(Ordering::Relaxed);
    let result =
        assembly.result(&mut collector, Duration::ZERO, is_stopped.then_some(&Stop::Interrupted));
    let wrong: Vec<_> = consistent(&result).into_iter().filter(|it| !it.holds).collect();
    assert_eq!(wrong, [], "{result:?}");
    (result, seconds, server)
}

fn never_stopped() -> Arc<AtomicBool> {
    Arc::default()
}

const LONG: Duration = Duration::from_secs(60);
const SHORT: Duration = Duration::from_millis(100);

#[test]
fn the_load_goes_on_while_a_slow_request_is_followed() {
    let plan = plan(2, None, LONG);
    let (result, seconds, server) = run_server(&plan, First::WhenOthersBegan, &never_stopped());
    let totals = &result.totals;
    assert_eq!((totals.unfinished, totals.failed, totals.offered), (0, 0, Some(totals.completed)));
    // The seconds include transactions behind the window.
    assert!(seconds > totals.completed_in_window, "{seconds} {totals:?}");
    let first_us = server.first_us.load(Ordering::Relaxed) as f64;
    assert!(totals.service.max_us as f64 >= 0.99 * first_us, "the slow request counts: {totals:?}");
    // One user was always busy.
    assert!(totals.under_way >= 1.0 && totals.under_way <= 2.0, "{totals:?}");
}

#[test]
fn a_process_keeps_up_the_load_until_all_are_drained() {
    let plan = Plan { processes: 2, ..plan(2, None, LONG) };
    let origin = Instant::now();
    let kinds = vec![TransactionType::new("It", "IT", 1.0)];
    let end = origin + plan.phases.end().unwrap();
    let server = Arc::new(Server::new(kinds, First::Never, end));
    let workload = Arc::new(Shared(server.clone()));
    let process = Process::prepare(&plan, plan.share(1), workload, never_stopped()).unwrap();
    let all_drained = process.all_drained();
    let (events, received) = channel();
    let running = std::thread::spawn(move || process.run(origin, &events));
    let is_drained = |event: &Event| matches!(event, Event::Drained { process: 1 });
    assert!(received.iter().any(|event| is_drained(&event)));
    let before = server.after.load(Ordering::Relaxed);
    while server.after.load(Ordering::Relaxed) < before + 5 {
        assert!(!running.is_finished(), "the load goes on");
        std::thread::yield_now();
    }
    all_drained.store(true, Ordering::Relaxed);
    assert!(received.iter().any(|event| matches!(event, Event::Ended(_))));
    running.join().unwrap();
}

#[test]
fn requests_beyond_the_grace_time_are_unfinished() {
    let (result, _) = run(&plan(2, None, SHORT), First::Never, &never_stopped());
    let totals = &result.totals;
    assert_eq!((totals.unfinished, totals.offered), (1, Some(totals.completed + 1)));
    assert_eq!((totals.service.unfinished, result.types[0].unfinished), (1, 1));
    assert!(totals.service.is_bound(totals.service.max_us));
    // It was followed to the end of the grace period, whenever it began in the window; times are
    // rounded to a thousandth.
    let known = totals.service.unfinished_from_us;
    assert!((100_000..=400_400).contains(&known), "{known}");
    assert!(
        result.warnings.iter().any(|it| it.contains("1 transactions due")),
        "{:?}",
        result.warnings
    );
}

#[test]
fn arrivals_that_wait_behind_a_hang_are_begun_after_the_window() {
    let (result, _) = run(&plan(1, Some(100.0), LONG), First::Behind, &never_stopped());
    let totals = &result.totals;
    assert_eq!((totals.offered, totals.completed, totals.unsent), (Some(30), 30, 0));
    assert_eq!((totals.backlog, totals.completed_in_window), (29, 0));
    // Each waited from its own moment.
    assert!(totals.response.min_us < totals.response.p50_us, "{totals:?}");
    assert!(totals.response.max_us >= 299_000 && totals.service.p50_us < totals.response.p50_us);
    assert!(result.overloaded().is_some());
}

#[test]
fn arrivals_that_are_never_begun_are_unsent_and_have_waited() {
    let (result, _) = run(&plan(1, Some(100.0), SHORT), First::Never, &never_stopped());
    let totals = &result.totals;
    assert_eq!((totals.offered, totals.completed), (Some(30), 0));
    assert_eq!((totals.unfinished, totals.unsent, totals.backlog), (1, 29, 29));
    assert_eq!((totals.response.unfinished, totals.service.unfinished), (30, 1));
    assert!(totals.response.is_bound(totals.response.min_us));
    // The last one was due 10 ms before the window's end.
    let least = totals.response.unfinished_from_us;
    assert!((100_000..=110_400).contains(&least), "{least}");
}

#[test]
fn a_stop_ends_the_window_at_the_time_it_is_noticed() {
    let stop = Arc::new(AtomicBool::new(true));
    let (result, _) = run(&plan(1, Some(100.0), LONG), First::Behind, &stop);
    let totals = &result.totals;
    let due = totals.completed + totals.failed + totals.unfinished + totals.unsent;
    assert_eq!(totals.offered, Some(due));
    assert!(due < 30 && result.window.measured_s < 0.3, "{result:?}");
    assert_eq!(result.window.ended_by, "interrupted");
}
