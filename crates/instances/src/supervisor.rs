//! The supervisor: keeps as many instances running as there shall be.
//!
//! One task owns all state. Processes, signals and the clock are events to it, and everything that
//! takes time goes on elsewhere.

use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::process::ExitStatus;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use serde_json::{Value, json};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;

use crate::memory::SharedMemory;
use crate::message::{Hello, Load, PROTOCOL, Question, ToInstance, ToSupervisor};
use crate::plan::{Plan, Settings};
use crate::process::{Event, Key, Process, Remote, State};
use crate::scaling::{Change, Scaling};
use crate::seat::Seat;
use crate::turns::Turns;

/// How long an instance may take to answer a question for a report.
const REPORT: Duration = Duration::from_secs(5);
/// How long it may take to reload, or to change a rowstore.
const RELOAD: Duration = Duration::from_secs(120);

/// Why the supervisor ended by itself.
#[derive(Debug)]
pub enum SupervisorError {
    /// The system refused something.
    System(io::Error),
    /// The first instance ended before it was ready, and has said why.
    Start,
    /// What is to be done when all are ready has failed, for this reason.
    Ready(String),
}

impl From<io::Error> for SupervisorError {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}

impl fmt::Display for SupervisorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::System(error) => error.fmt(f),
            Self::Start => f.write_str("the first instance did not start"),
            Self::Ready(why) => write!(f, "the start could not be reported: {why}"),
        }
    }
}

/// Starts the instances and keeps them running until SIGTERM or SIGINT says to stop; a second one
/// ends at once. SIGHUP has every instance reload, and SIGUSR2 replaces one after the other.
///
/// `ready` gets what the first instance reports once the least number of instances is ready.
///
/// # Errors
/// If the first instance does not start.
pub async fn supervise(
    plan: Plan,
    ready: impl FnOnce(Value) -> Result<(), SupervisorError>,
) -> Result<(), SupervisorError> {
    let mut signals = Signals::new()?;
    let (events, mut happened) = mpsc::unbounded_channel();
    let mut supervisor = Supervisor::new(plan, events)?;
    let mut ready = Some(ready);
    let beat = (supervisor.plan.settings.heartbeat / 4)
        .clamp(Duration::from_millis(20), Duration::from_secs(1));
    let mut clock = tokio::time::interval(beat);
    clock.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let outcome = loop {
        tokio::select! {
            action = signals.next() => match action {
                SignalAction::Stop if supervisor.is_stopping => break Ok(()),
                SignalAction::Stop => supervisor.stop(),
                SignalAction::Reload => supervisor.reload(),
                SignalAction::Replace => supervisor.replace_all(),
            },
            Some(event) = happened.recv() => {
                if let Err(failed) = supervisor.happened(event) {
                    break Err(failed);
                }
            }
            _ = clock.tick() => supervisor.look(Instant::now())?,
        }
        if let Some(payload) = supervisor.started()
            && let Some(ready) = ready.take()
            && let Err(failed) = ready(payload)
        {
            break Err(failed);
        }
        if supervisor.is_stopping && supervisor.is_empty() {
            break Ok(());
        }
    };
    supervisor.end();
    outcome
}

/// The action of a signal.
enum SignalAction {
    Stop,
    Reload,
    Replace,
}

/// The handled signals.
struct Signals {
    interrupt: Signal,
    terminate: Signal,
    reload: Signal,
    replace: Signal,
}

impl Signals {
    fn new() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            reload: signal(SignalKind::hangup())?,
            replace: signal(SignalKind::user_defined2())?,
        })
    }

    async fn next(&mut self) -> SignalAction {
        tokio::select! {
            _ = self.interrupt.recv() => SignalAction::Stop,
            _ = self.terminate.recv() => SignalAction::Stop,
            _ = self.reload.recv() => SignalAction::Reload,
            _ = self.replace.recv() => SignalAction::Replace,
        }
    }
}

/// A rolling restart under way.
#[derive(Debug, Default)]
struct Rolling {
    /// The instances that are still to be replaced.
    left: VecDeque<usize>,
    /// The process that is waited for before the next one is replaced.
    waits_for: Option<Key>,
}

#[derive(Debug)]
struct Supervisor {
    plan: Plan,
    turns: Turns,
    memory: SharedMemory,
    events: mpsc::UnboundedSender<Event>,
    seats: Vec<Seat>,
    /// Processes that have been told to end.
    ending: Vec<Process>,
    /// Places in the table that no process has.
    places: Vec<usize>,
    next_key: u64,
    /// What the first instance reported, until it is passed on.
    first: Option<Value>,
    has_started: bool,
    rolling: Option<Rolling>,
    scaling: Scaling,
    is_stopping: bool,
    logs: Vec<JoinHandle<()>>,
}

impl Supervisor {
    fn new(plan: Plan, events: mpsc::UnboundedSender<Event>) -> io::Result<Self> {
        // One more, because a new process is ready before the old one ends.
        let places = plan.range.most + 1;
        let turns = Turns::create(places * plan.workers)?;
        Ok(Self {
            memory: SharedMemory::create(plan.memory)?,
            turns,
            events,
            // The first one alone: what is wrong with the settings is said once.
            seats: vec![Seat::new(1, Instant::now())],
            ending: Vec::new(),
            places: (0..places).rev().collect(),
            next_key: 0,
            first: None,
            has_started: false,
            rolling: None,
            scaling: Scaling::new(plan.range, plan.settings.idle),
            is_stopping: false,
            logs: Vec::new(),
            plan,
        })
    }

    /// What is due by the clock.
    fn look(&mut self, now: Instant) -> io::Result<()> {
        let Settings { heartbeat, start, .. } = self.plan.settings;
        let kill_at = now + heartbeat.min(Duration::from_secs(5));
        self.memory.look(now)?;
        for process in self.processes_mut() {
            process.kill_if_due(now);
            let (is_hung, why) = match process.state {
                State::Starting => (now >= process.started + start, "it is not ready in time"),
                State::Ready => (process.ping(now, heartbeat), "it gives no sign of life"),
                State::Draining | State::Hung => continue,
            };
            if is_hung {
                let (instance, pid) = (process.number, process.pid.as_raw_nonzero());
                tracing::warn!(instance, pid, "an instance hangs, and is ended: {why}");
                process.terminate(State::Hung, kill_at);
            }
        }
        if self.is_stopping {
            return Ok(());
        }
        let due = |seat: &Seat| seat.current.is_none() && seat.start_at.is_some_and(|at| at <= now);
        let due: Vec<usize> = (0..self.seats.len()).filter(|at| due(&self.seats[*at])).collect();
        for at in due {
            let number = self.seats[at].number;
            if let Some(process) = self.start(number)? {
                self.seats[at].start_at = None;
                self.seats[at].current = Some(process);
            }
        }
        self.scale(now);
        self.roll()
    }

    /// Adds or removes an instance where the queues ask for it. The highest number is removed.
    fn scale(&mut self, now: Instant) {
        let is_settled = self.has_started
            && self.rolling.is_none()
            && self.ending.is_empty()
            && self.seats.iter().all(Seat::is_ready);
        if !is_settled {
            self.scaling.restart();
            return;
        }
        let loads: Vec<Load> =
            self.seats.iter().flat_map(Seat::processes).map(|process| process.load).collect();
        match self.scaling.look(now, &loads) {
            Some(Change::Add) => {
                let number = self.seats.len() + 1;
                let waiting: u64 = loads.iter().map(|load| load.waiting).sum();
                tracing::info!(
                    instance = number,
                    waiting,
                    "an instance is added, because requests wait"
                );
                self.seats.push(Seat::new(number, now));
            }
            Some(Change::Remove) => {
                let kill_at = now + self.plan.settings.retire;
                let Some(mut process) = self.seats.pop().and_then(|seat| seat.current) else {
                    return;
                };
                let instance = process.number;
                tracing::info!(
                    instance,
                    "an instance is removed, because no request has waited for a while"
                );
                process.retire(kill_at);
                self.ending.push(process);
            }
            None => {}
        }
    }

    /// Starts a process, where a place is free for it. One that cannot be started is an error for the
    /// first instance alone; the others are tried again.
    fn start(&mut self, number: usize) -> io::Result<Option<Process>> {
        let Some(place) = self.places.pop() else { return Ok(None) };
        self.next_key += 1;
        let key = Key(self.next_key);
        let workers = self.plan.workers;
        let parts = self.plan.range.most + 1;
        let hello = Hello {
            protocol: PROTOCOL,
            number,
            announces: !self.has_started && number == 1,
            parts,
            rows: parts * workers,
            first_row: place * workers,
            workers,
            payload: self.plan.payload.clone(),
        };
        let files = [self.turns.file(), self.memory.file()];
        match Process::start(&self.plan, &files, key, &hello, place, &self.events) {
            Ok(process) => {
                if self.has_started {
                    let pid = process.pid.as_raw_nonzero();
                    tracing::info!(instance = number, pid, "an instance is started");
                }
                Ok(Some(process))
            }
            Err(error) => {
                self.places.push(place);
                match self.has_started {
                    true => {
                        tracing::error!(%error, instance = number, "an instance cannot be started");
                        let wait = self.seats.iter_mut().find(|seat| seat.number == number);
                        if let Some(seat) = wait {
                            let wait = seat.backoff.after(Duration::ZERO);
                            seat.start_at = Some(Instant::now() + wait);
                        }
                        Ok(None)
                    }
                    false => Err(error),
                }
            }
        }
    }

    fn happened(&mut self, event: Event) -> Result<(), SupervisorError> {
        match event {
            Event::Said(key, ToSupervisor::Ready { payload }) => self.is_ready(key, payload)?,
            Event::Said(key, ToSupervisor::Alive { load }) => {
                if let Some(process) = self.processes_mut().find(|process| process.key == key) {
                    process.alive(load);
                }
            }
            Event::Said(key, ToSupervisor::Ask { id, question }) => self.answer(key, id, question),
            // An answer went to the caller.
            Event::Said(_, ToSupervisor::Answer { .. }) => {}
            Event::Ended(key, status) => {
                if !status.as_ref().is_ok_and(ExitStatus::success) {
                    self.memory.ended(Instant::now())?;
                }
                let status = status.map_or_else(|error| error.to_string(), |it| it.to_string());
                self.ended(key, &status)?;
            }
        }
        Ok(())
    }

    fn is_ready(&mut self, key: Key, payload: Value) -> io::Result<()> {
        let now = Instant::now();
        let kill_at = now + self.plan.settings.retire;
        let Some(process) = self.processes_mut().find(|process| process.key == key) else {
            return Ok(());
        };
        if process.state != State::Starting {
            return Ok(());
        }
        process.is_ready(now);
        if process.reloads_when_ready {
            tokio::spawn(reload_in_turn(vec![(process.number, process.remote.clone())]));
        }
        let (instance, pid) = (process.number, process.pid.as_raw_nonzero());
        if self.has_started {
            tracing::info!(instance, pid, "an instance is ready");
        }
        if !self.has_started && self.first.is_none() {
            self.first = Some(payload);
            for number in 2..=self.plan.range.least {
                self.seats.push(Seat::new(number, now));
            }
            self.look(now)?;
        }
        let is_next = |seat: &&mut Seat| seat.next.as_ref().is_some_and(|next| next.key == key);
        if let Some(seat) = self.seats.iter_mut().find(is_next) {
            let old = std::mem::replace(&mut seat.current, seat.next.take());
            if let Some(mut old) = old {
                old.retire(kill_at);
                if let Some(rolling) = &mut self.rolling {
                    rolling.waits_for = Some(old.key);
                }
                self.ending.push(old);
            }
        } else if let Some(rolling) = &mut self.rolling
            && rolling.waits_for == Some(key)
        {
            // The one that it replaces has ended meanwhile.
            rolling.waits_for = None;
        }
        self.roll()
    }

    fn ended(&mut self, key: Key, status: &str) -> Result<(), SupervisorError> {
        let now = Instant::now();
        let Some(process) = self.take(key) else { return Ok(()) };
        let (instance, pid) = (process.number, process.pid.as_raw_nonzero());
        let (workers, place) = (self.plan.workers, process.place);
        // What cannot be cleared is passed over by the others.
        let _ = self.turns.clear(place * workers, workers);
        self.places.push(place);
        let ran = process.ran(now);
        let was_draining = process.state == State::Draining;
        self.logs.extend(process.logs);
        self.logs.retain(|log| !log.is_finished());
        if self.is_stopping {
            return Ok(());
        }
        if !self.has_started && instance == 1 {
            return Err(SupervisorError::Start);
        }
        if was_draining {
            tracing::info!(instance, pid, "an instance has ended, as it should");
            return Ok(self.roll()?);
        }
        let rolling = self.rolling.as_ref().and_then(|rolling| rolling.waits_for);
        let seat = self.seats.iter_mut().find(|seat| seat.number == instance);
        let Some(seat) = seat else { return Ok(()) };
        if rolling == Some(key) && seat.current.is_some() {
            tracing::error!(
                instance,
                pid,
                status,
                "a new instance has ended before it was ready: the old ones go on, and no other is replaced"
            );
            self.rolling = None;
            return Ok(());
        }
        seat.restarts += 1;
        // A replacement that is starting takes its place.
        if let Some(next) = seat.next.take() {
            seat.current = Some(next);
        }
        if seat.current.is_none() {
            let wait = seat.backoff.after(ran);
            seat.start_at = Some(now + wait);
            tracing::warn!(
                instance,
                pid,
                status,
                ?wait,
                "an instance has ended, and is started again after a while"
            );
        }
        Ok(())
    }

    /// Takes a process out that is gone.
    fn take(&mut self, key: Key) -> Option<Process> {
        for seat in &mut self.seats {
            for process in [&mut seat.current, &mut seat.next] {
                if process.as_ref().is_some_and(|process| process.key == key) {
                    return process.take();
                }
            }
        }
        let at = self.ending.iter().position(|process| process.key == key)?;
        Some(self.ending.swap_remove(at))
    }

    /// What the first instance reported, once as many are ready as there shall be.
    fn started(&mut self) -> Option<Value> {
        let all =
            self.seats.len() == self.plan.range.least && self.seats.iter().all(Seat::is_ready);
        if self.has_started || !all {
            return None;
        }
        self.has_started = true;
        self.first.take()
    }

    /// Has every instance reload, one after the other; the first that cannot is the last. One that
    /// is starting reloads when it is ready.
    fn reload(&mut self) {
        self.reload_starting();
        tokio::spawn(reload_in_turn(self.ready_remotes(None)));
    }

    /// Has instances reload once they are ready: what they read at their start may be older.
    fn reload_starting(&mut self) {
        let starting = self.processes_mut().filter(|process| process.state == State::Starting);
        starting.for_each(|process| process.reloads_when_ready = true);
    }

    /// Replaces every instance, one after the other.
    fn replace_all(&mut self) {
        if self.is_stopping || !self.has_started {
            return;
        }
        tracing::info!("every instance is replaced, one after the other");
        let left = self.seats.iter().map(|seat| seat.number).collect();
        let waits_for = self.rolling.take().and_then(|rolling| rolling.waits_for);
        self.rolling = Some(Rolling { left, waits_for });
    }

    /// Goes on with a rolling restart where nothing is waited for.
    fn roll(&mut self) -> io::Result<()> {
        let Some(rolling) = &self.rolling else { return Ok(()) };
        if rolling.waits_for.is_some_and(|key| self.processes().any(|it| it.key == key)) {
            return Ok(());
        }
        let Some(number) = rolling.left.front().copied() else {
            tracing::info!("every instance has been replaced");
            self.rolling = None;
            return Ok(());
        };
        let seat = self.seats.iter().position(|seat| seat.number == number);
        let is_running = |at: &usize| self.seats[*at].current.is_some();
        let mut waits_for = None;
        if let Some(at) = seat.filter(is_running) {
            // Without a place, it is tried again when one is free.
            let Some(process) = self.start(number)? else { return Ok(()) };
            waits_for = Some(process.key);
            self.seats[at].next = Some(process);
        }
        if let Some(rolling) = &mut self.rolling {
            rolling.left.pop_front();
            rolling.waits_for = waits_for;
        }
        Ok(())
    }

    /// Answers a question of an instance to the others.
    fn answer(&mut self, key: Key, id: u64, question: Question) {
        if question == Question::Reload {
            self.reload_starting();
        }
        let Some(caller) = self.processes().find(|process| process.key == key) else { return };
        let caller = caller.remote.clone();
        match question {
            Question::Reload | Question::Rowstore(_) | Question::EndedSession(_) => {
                let others = self.ready_remotes(Some(key));
                tokio::spawn(async move {
                    let mut answers = Vec::new();
                    for (instance, remote) in others {
                        let answer = remote.ask(question.clone(), RELOAD).await;
                        answers.push(json!({ "instance": instance, "answer": answer }));
                    }
                    caller.send(&ToInstance::Answer { id, body: answers.into() });
                });
            }
            Question::Report(_) => {
                let facts = self.facts();
                tokio::spawn(async move {
                    let answers = facts.into_iter().map(|(mut facts, remote)| {
                        let question = question.clone();
                        async move {
                            facts["report"] = remote.ask(question, REPORT).await.into();
                            facts
                        }
                    });
                    let body: Value = join_all(answers).await.into();
                    caller.send(&ToInstance::Answer { id, body });
                });
            }
        }
    }

    /// What the supervisor knows of each process, in the order of their numbers.
    fn facts(&self) -> Vec<(Value, Remote)> {
        let now = Instant::now();
        let workers = self.plan.workers;
        let mut facts: Vec<_> = self
            .processes()
            .map(|process| {
                let seat = self.seats.iter().find(|seat| seat.number == process.number);
                let facts = json!({
                    "instance": process.number,
                    "pid": process.pid.as_raw_nonzero().get(),
                    "state": process.state.name(),
                    "uptimeSeconds": now.duration_since(process.started).as_secs(),
                    "restarts": seat.map(|seat| seat.restarts),
                    "memoryBytes": process.memory(),
                    "connections": self.turns.open(process.place * workers, workers),
                });
                (process.number, process.key.0, facts, process.remote.clone())
            })
            .collect();
        facts.sort_by_key(|(number, key, ..)| (*number, *key));
        facts.into_iter().map(|(_, _, facts, remote)| (facts, remote)).collect()
    }

    /// The processes that answer requests, but for one.
    fn ready_remotes(&self, except: Option<Key>) -> Vec<(usize, Remote)> {
        let ready = self.processes().filter(|process| process.state == State::Ready);
        let others = ready.filter(|process| Some(process.key) != except);
        let mut remotes: Vec<_> =
            others.map(|process| (process.number, process.remote.clone())).collect();
        remotes.sort_by_key(|(number, _)| *number);
        remotes
    }

    /// Stops all instances in an orderly way.
    fn stop(&mut self) {
        tracing::info!("stopping");
        self.is_stopping = true;
        self.rolling = None;
        // Where instances listen no more, nobody may.
        self.plan.sockets.clear();
        let kill_at = Instant::now() + self.plan.settings.stop;
        for process in self.processes_mut() {
            process.terminate(State::Draining, kill_at);
        }
    }

    fn is_empty(&self) -> bool {
        self.processes().next().is_none()
    }

    /// Kills what is left, and waits for the last lines of the log.
    fn end(&mut self) {
        self.processes().for_each(Process::kill);
        let running =
            self.seats.drain(..).flat_map(|seat| seat.current.into_iter().chain(seat.next));
        let running: Vec<Process> = running.chain(self.ending.drain(..)).collect();
        self.logs.extend(running.into_iter().flat_map(|process| process.logs));
        for log in self.logs.drain(..) {
            // One that has panicked has nothing to say any more.
            let _ = log.join();
        }
    }

    fn processes(&self) -> impl Iterator<Item = &Process> {
        self.seats.iter().flat_map(Seat::processes).chain(&self.ending)
    }

    fn processes_mut(&mut self) -> impl Iterator<Item = &mut Process> {
        let seats = self.seats.iter_mut();
        let running = seats.flat_map(|seat| seat.current.iter_mut().chain(&mut seat.next));
        running.chain(&mut self.ending)
    }
}

/// Has instances reload one after the other; the first that cannot is the last.
async fn reload_in_turn(remotes: Vec<(usize, Remote)>) {
    for (instance, remote) in remotes {
        let answer = remote.ask(Question::Reload, RELOAD).await.unwrap_or(Value::Null);
        if answer["error"] != Value::Null || answer.is_null() {
            tracing::error!(
                instance,
                "an instance has not reloaded: it and those after it stay as they are"
            );
            return;
        }
    }
}
