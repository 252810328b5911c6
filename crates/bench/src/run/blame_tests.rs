//! Blame for late starts, through the engine: a slow server, and a client whose thread is held up.

use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use super::event::Event;
use super::plan::{Model, Phases, Plan};
use super::process::Process;
use crate::record::ProcessTotals;
use crate::workload::{
    Done, Failed, Local, Session, Success, TransactionContext, TransactionType, Workload,
};

/// The cause of a transaction's wait.
#[derive(Clone, Copy)]
enum Waits {
    /// The server.
    ForAnAnswer(Duration),
    /// The client itself, which blocks the thread of all users.
    WithItsThread(Duration),
}

struct Users(Vec<TransactionType>, Waits);

struct User(Waits);

impl Workload for Users {
    fn kinds(&self) -> &[TransactionType] {
        &self.0
    }

    fn open(&self, _: u32) -> Local<'_, Result<Box<dyn Session>, Failed>> {
        Box::pin(async { Ok(Box::new(User(self.1)) as Box<dyn Session>) })
    }
}

impl Session for User {
    fn run<'a>(&'a mut self, _: usize, _: &'a mut TransactionContext) -> Local<'a, Done> {
        Box::pin(async {
            match self.0 {
                Waits::ForAnAnswer(length) => tokio::time::sleep(length).await,
                Waits::WithItsThread(length) => {
                    // By now every user is waiting for its moment.
                    tokio::task::yield_now().await;
                    std::thread::sleep(length);
                }
            }
            Ok(Success::Ok)
        })
    }
}

/// This many arrivals, one each millisecond.
fn counted(arrivals: u64, users: u32, waits: Waits) -> ProcessTotals {
    let measure = Some(Duration::from_millis(arrivals));
    let plan = Plan {
        model: Model::Open { rate: 1000.0, poisson: false, steps: Vec::new() },
        phases: Phases { measure, ..Phases::default() },
        grace: Some(Duration::from_secs(600)),
        ..Plan::closed(1, users)
    };
    let workload = Arc::new(Users(vec![TransactionType::new("It", "IT", 1.0)], waits));
    let process = Process::prepare(&plan, plan.share(0), workload, Arc::default()).unwrap();
    let (events, received) = channel();
    process.run(Instant::now() + Duration::from_millis(20), &events);
    drop(events);
    let ended = received.iter().find_map(|event| match event {
        Event::Ended(ended) => Some(*ended),
        _ => None,
    });
    ended.unwrap().totals
}

#[test]
fn a_slow_server_makes_its_only_user_late() {
    let totals = counted(100, 1, Waits::ForAnAnswer(Duration::from_millis(3)));
    // Only at the first one the user was idle.
    assert_eq!((totals.begun, totals.late_by_server), (100, 99));
    assert!(totals.late_by_client <= 1, "{}", totals.late_by_client);
}

#[test]
fn a_blocked_client_makes_idle_users_late() {
    let totals = counted(10, 10, Waits::WithItsThread(Duration::from_millis(20)));
    assert_eq!((totals.begun, totals.late_by_server), (10, 0));
    // Those that were due when the first transaction began were in time.
    assert!(totals.late_by_client >= 8, "{}", totals.late_by_client);
}
