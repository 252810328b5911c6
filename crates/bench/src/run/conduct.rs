//! Conducts a run: waits until every process is ready, starts all at one moment, and merges their
//! reports.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use super::carried::{Carried, Order};
use super::child::Other;
use super::collect::{Collector, Merged};
use super::event::Event;
use super::job::Job;
use super::plan::Plan;
use super::process::Process;
use super::wire::Workers;
use crate::facts;
use crate::workload::Failed;
use duet_verdict::outcome::Outcome;

/// A run whose users are connected.
pub struct Ready {
    plan: Plan,
    kinds: usize,
    own: Option<Process>,
    others: Vec<Other>,
    stop: Arc<AtomicBool>,
    /// Set when everything that was due in the windows of all processes has ended.
    all_drained: Arc<AtomicBool>,
    /// The time that connecting all users took.
    pub logon: Duration,
    /// The delay until the start.
    lead: Duration,
}

/// Connects the users of all processes. The one process of a layout is this one, unless the workers are elsewhere.
///
/// # Errors
/// Why a user could not connect, or a process could not start.
pub fn prepare(
    plan: &Plan,
    job: &Job,
    workers: &dyn Workers,
    stop: &Arc<AtomicBool>,
) -> Result<Ready, Failed> {
    let began = Instant::now();
    let workload = job.workload()?;
    let kinds = workload.kinds().len();
    let mut ready = Ready {
        plan: plan.clone(),
        kinds,
        own: None,
        others: Vec::new(),
        stop: stop.clone(),
        all_drained: Arc::default(),
        logon: Duration::ZERO,
        lead: workers.lead(),
    };
    if plan.processes == 1 && !workers.are_elsewhere() {
        ready.own = Some(Process::prepare(plan, plan.share(0), workload, stop.clone())?);
    } else {
        let not = |error: std::io::Error| Failed::new(Outcome::Other, error.to_string());
        let Carried { job, files } = match workers.are_elsewhere() {
            true => Carried::of(job)?,
            false => Carried::here(job.sent().map_err(|error| not(error.into()))?),
        };
        for process in 0..plan.processes {
            let (plan, share) = (plan.clone(), plan.share(process));
            let order = Order { plan, share, job: job.clone(), files: files.clone() };
            let other = Other::order(workers.begin(process)?, order);
            ready.others.push(other.map_err(not)?);
        }
        ready.others.iter().try_for_each(Other::ready)?;
    }
    ready.logon = began.elapsed();
    Ok(ready)
}

impl Ready {
    /// The ids of the other processes of this machine, for the observer.
    pub fn process_ids(&self) -> Vec<u32> {
        match self.others.is_empty() {
            true => vec![std::process::id()],
            false => self.others.iter().filter_map(Other::id).collect(),
        }
    }

    /// When the run begins if it starts now, as RFC 3339. Users have connected by then, which may take long: exports and
    /// merges align seconds by this moment.
    pub fn begins(&self) -> String {
        facts::moment(Instant::now() + self.lead)
    }

    /// Starts as soon as all processes can receive the start.
    pub fn go(self) -> Running {
        let lead = self.lead;
        self.go_at(Instant::now() + lead)
    }

    /// Starts at a moment. The seconds come through [`Running::next_second`].
    pub(crate) fn go_at(self, origin: Instant) -> Running {
        let (sender, events) = channel();
        if let Some(process) = self.own {
            let sender = sender.clone();
            std::thread::spawn(move || process.run(origin, &sender));
        }
        for other in self.others {
            other.go(origin, sender.clone(), [&self.stop, &self.all_drained].map(Arc::clone));
        }
        let collector = Collector::new(self.plan.processes, self.kinds);
        let all_drained = self.all_drained;
        Running { origin, events, collector, all_drained, waiting: Vec::new() }
    }
}

/// A run in progress.
#[derive(Debug)]
pub struct Running {
    /// Its start.
    pub origin: Instant,
    events: Receiver<Event>,
    collector: Collector,
    all_drained: Arc<AtomicBool>,
    waiting: Vec<Merged>,
}

impl Running {
    /// Waits for the next second; `None` when all processes have ended.
    pub fn next_second(&mut self) -> Option<Merged> {
        while self.waiting.is_empty() && !self.collector.is_done() {
            match self.events.recv() {
                Ok(event) => {
                    self.waiting = self.collector.take(event);
                    self.waiting.reverse();
                    self.all_drained.store(self.collector.is_drained(), Ordering::Relaxed);
                }
                // All senders are gone although not every process has ended: a thread panicked.
                Err(_) => {
                    self.waiting = self.collector.give_up("it panicked");
                    self.waiting.reverse();
                }
            }
        }
        self.waiting.pop()
    }

    /// The merged reports.
    pub fn into_collector(self) -> Collector {
        self.collector
    }
}
