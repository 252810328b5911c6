//! One process of a run: its users, on one thread or on a thread each, and a thread that reports
//! every second.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use tokio::runtime::{Builder, Runtime};
use tokio::task::LocalSet;

use super::event::{Cost, Ended, Event};
use super::plan::{Plan, Share};
use super::sample_log::SampleCount;
use super::sleep::Sleeper;
use super::user::{Shared, User};
use crate::workload::{Failed, Workload};
use duet_verdict::outcome::Outcome;

/// So long without an end of a transaction, those under way after the load are waited for no longer.
const STILL: Duration = Duration::from_secs(1);

/// A process whose users are connected.
pub struct Process {
    shared: Arc<Shared>,
    seats: Seats,
}

/// The threads of the users.
enum Seats {
    /// All on one thread.
    One { runtime: Runtime, users: Vec<User> },
    /// A thread each, because their sessions block it.
    Each(Vec<(Runtime, User)>),
}

impl Process {
    /// Connects the users, unless they start later than others or each has a thread of its own:
    /// those connect on their threads, after one trial connection here.
    ///
    /// # Errors
    /// Why a user could not connect.
    pub fn prepare(
        plan: &Plan,
        share: Share,
        workload: Arc<dyn Workload>,
        stop: Arc<AtomicBool>,
    ) -> Result<Self, Failed> {
        super::limits::open_files(share.users, workload.is_blocking())?;
        let runtime = made(Builder::new_current_thread().enable_all().build())?;
        let numbers = share.first_user..share.first_user + share.users;
        let shared = Arc::new(Shared::new(plan, share, workload, stop));
        if shared.workload.is_blocking() {
            if !shared.is_grouped {
                runtime.block_on(shared.workload.open(share.first_user))?;
            }
            let seat = |number| {
                let runtime = made(Builder::new_current_thread().enable_all().build())?;
                let user = User::new(number, None, sleeper(&runtime)?);
                Ok((runtime, user))
            };
            let seats = Seats::Each(numbers.map(seat).collect::<Result<_, Failed>>()?);
            return Ok(Self { shared, seats });
        }
        let mut users = Vec::new();
        for number in numbers {
            let session = match plan.start_of(number).is_zero() && !shared.is_grouped {
                true => {
                    let session = runtime.block_on(shared.workload.open(number))?;
                    shared.connected.add();
                    Some(session)
                }
                false => None,
            };
            users.push(User::new(number, session, sleeper(&runtime)?));
        }
        Ok(Self { shared, seats: Seats::One { runtime, users } })
    }

    /// The flag to set when everything due in the windows of all processes has ended. A process
    /// alone needs none.
    pub(super) fn all_drained(&self) -> Arc<AtomicBool> {
        self.shared.all_drained.clone()
    }

    /// Runs from a moment to the end, sending events.
    pub fn run(self, origin: Instant, events: &Sender<Event>) {
        self.shared.listen(events);
        // Earlier CPU time, such as for making the data, is not part of the run.
        let before = cpu_time();
        let ended = Arc::new(AtomicBool::new(false));
        let samples = self.shared.samples.clone().map(|log| {
            let share = self.shared.share;
            std::thread::spawn(move || log.write(origin, share))
        });
        let ticker = {
            let (shared, ended, events) = (self.shared.clone(), ended.clone(), events.clone());
            std::thread::spawn(move || tick(&shared, origin, &ended, &events))
        };
        let thread_share = match self.seats {
            Seats::One { runtime, users } => {
                let before = time_of(ClockId::ThreadCPUTime);
                together(&runtime, users, &self.shared, origin);
                let ran = time_of(ClockId::ThreadCPUTime).saturating_sub(before).as_secs_f64();
                ran / origin.elapsed().as_secs_f64().max(f64::MIN_POSITIVE)
            }
            Seats::Each(seats) => {
                apart(seats, &self.shared, origin);
                0.0
            }
        };
        let recording_share = self.shared.recording_share(origin.elapsed());
        ended.store(true, Ordering::Release);
        ticker.thread().unpark();
        // The thread has no code that panics.
        drop(ticker.join());
        self.shared.conclude(origin.elapsed());
        let samples = self.shared.samples.as_ref().zip(samples).map(|(log, writer)| {
            log.end();
            writer.thread().unpark();
            writer.join().unwrap_or_else(|_| SampleCount::failed("its thread panicked"))
        });
        let totals = self.shared.recorder().totals().clone();
        let cpu = cpu_time().saturating_sub(before);
        let event = Ended {
            share: self.shared.share,
            totals,
            panicked: self.shared.panicked.load(Ordering::Relaxed),
            answers: self.shared.workload.answers(),
            checks: self.shared.workload.checks(),
            cost: Cost { cpu, thread_share, recording_share, memory: peak_memory() },
            samples: samples.unwrap_or_default(),
        };
        // There is no receiver if the run was aborted.
        drop(events.send(Event::Ended(Box::new(event))));
    }
}

/// A user's timer.
fn sleeper(runtime: &Runtime) -> Result<Arc<Sleeper>, Failed> {
    let _within = runtime.enter();
    made(Sleeper::new().map(Arc::new))
}

/// The system resources of each user.
fn made<T>(it: std::io::Result<T>) -> Result<T, Failed> {
    it.map_err(|error| {
        Failed::new(Outcome::Other, format!("the system refuses a resource for a user: {error}"))
    })
}

fn together(runtime: &Runtime, users: Vec<User>, shared: &Arc<Shared>, origin: Instant) {
    let set = LocalSet::new();
    let tasks: Vec<_> = users
        .into_iter()
        .map(|user| {
            let shared = shared.clone();
            set.spawn_local(async move { user.run(&shared, origin).await })
        })
        .collect();
    let all = async {
        for task in tasks {
            // A user that panicked has counted itself.
            drop(task.await);
        }
    };
    runtime.block_on(set.run_until(until_end(shared, origin, all)));
}

fn apart(seats: Vec<(Runtime, User)>, shared: &Arc<Shared>, origin: Instant) {
    let threads: Vec<_> = seats
        .into_iter()
        .map(|(runtime, user)| {
            let shared = shared.clone();
            std::thread::spawn(move || {
                runtime.block_on(until_end(&shared, origin, user.run(&shared, origin)));
            })
        })
        .collect();
    for thread in threads {
        // A user that panicked has counted itself.
        drop(thread.join());
    }
}

/// Runs users to their end. Once the run is over or was stopped, it waits for a limited time for
/// transactions in flight, and not for users that think or wait for their moment.
async fn until_end(shared: &Shared, origin: Instant, users: impl Future<Output = ()>) {
    let late = async {
        let mut over: Option<Instant> = None;
        let mut last = (shared.under_way.load(Ordering::Relaxed), Instant::now());
        loop {
            let behind = shared.plan.phases.end().is_some_and(|end| origin.elapsed() >= end);
            let rest = if over.is_some() || behind { 5 } else { 50 };
            tokio::time::sleep(Duration::from_millis(rest)).await;
            if over.is_none() && !shared.is_over(origin.elapsed()) {
                match shared.is_spent() && shared.under_way.load(Ordering::Relaxed) == 0 {
                    true => return,
                    false => continue,
                }
            }
            let waited = over.get_or_insert_with(Instant::now).elapsed();
            let under_way = shared.under_way.load(Ordering::Relaxed);
            if under_way != last.0 {
                last = (under_way, Instant::now());
            }
            // A server that ends none of them for so long is not waited for.
            let is_still = !shared.was_stopped() && waited.min(last.1.elapsed()) > STILL;
            // Users of groups take their leave of the server.
            let is_idle = under_way == 0 && !shared.has_last_steps();
            if waited > shared.patience() || is_still || is_idle {
                return;
            }
        }
    };
    tokio::select! {
        () = users => {}
        () = late => {}
    }
}

/// Reports every second at its end.
fn tick(shared: &Shared, origin: Instant, ended: &AtomicBool, events: &Sender<Event>) {
    let mut cpu = cpu_time();
    for second in 0.. {
        let end = origin + Duration::from_secs(second + 1);
        while !ended.load(Ordering::Acquire) {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            std::thread::park_timeout(left);
        }
        shared.count_planned(origin.elapsed());
        // Read before the counts are taken: later ones belong to the next second.
        let has_ended = ended.load(Ordering::Acquire);
        let so_far = cpu_time();
        let rolled = shared.recorder().roll(second);
        let is_last = has_ended && rolled.is_last;
        let event = Event::Second {
            process: shared.share.process,
            second,
            users: shared.connected.most(),
            kinds: rolled.by_type(),
            cpu: so_far.saturating_sub(cpu),
        };
        cpu = so_far;
        if events.send(event).is_err() || is_last {
            return;
        }
    }
}

/// CPU time of this process so far.
fn cpu_time() -> Duration {
    time_of(ClockId::ProcessCPUTime)
}

/// The time of a clock (clock_gettime(2)).
fn time_of(clock: ClockId) -> Duration {
    let time = clock_gettime(clock);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// The peak resident memory of this process, in bytes (proc(5)).
pub(super) fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = peak.and_then(|rest| rest.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}
