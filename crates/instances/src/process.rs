//! One process of the program, as the supervisor sees it.

use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tokio::process::Command;
use tokio::sync::mpsc;

use crate::channel::{Reader, Sender, send_descriptors};
use crate::message::{Hello, Load, Question, ToInstance, ToSupervisor};
use crate::pending::PendingQuestions;
use crate::plan::Plan;
use crate::relay::relay;

/// Tells processes apart; never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key(pub(crate) u64);

/// What happens to processes.
#[derive(Debug)]
pub(crate) enum Event {
    /// One has sent a message.
    Said(Key, ToSupervisor),
    /// One is gone.
    Ended(Key, io::Result<ExitStatus>),
}

/// The state of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// It answers no requests yet.
    Starting,
    Ready,
    /// It accepts no more connections, and ends.
    Draining,
    /// It was given up and is killed.
    Hung,
}

impl State {
    /// Its name in reports.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Ready => "ready",
            Self::Draining => "draining",
            Self::Hung => "hung",
        }
    }
}

/// A process.
#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) key: Key,
    /// The number of its instance.
    pub(crate) number: usize,
    /// Its place in the table of turns.
    pub(crate) place: usize,
    pub(crate) pid: Pid,
    pub(crate) state: State,
    pub(crate) started: Instant,
    pub(crate) ready: Option<Instant>,
    /// Whether it was started before a reload was asked for, which it has not heard of.
    pub(crate) reloads_when_ready: bool,
    pub(crate) load: Load,
    pub(crate) remote: Remote,
    /// When it was asked for a sign of life that it has not given yet.
    pinged: Option<Instant>,
    /// When it is killed if it has not ended.
    pub(crate) kill_at: Option<Instant>,
    /// Whether its log lines have its number.
    numbered: Arc<AtomicBool>,
    /// The threads that copy its log.
    pub(crate) logs: Vec<JoinHandle<()>>,
}

/// How to ask a process.
#[derive(Clone, Debug)]
pub(crate) struct Remote {
    sender: Sender,
    questions: Arc<PendingQuestions>,
}

impl Remote {
    pub(crate) fn send(&self, message: &ToInstance) {
        self.sender.send(message);
    }

    /// Its answer; `None` where it ends before it answers, or takes too long.
    pub(crate) async fn ask(self, question: Question, patience: Duration) -> Option<Value> {
        let (id, answer) = self.questions.new_question();
        self.sender.send(&ToInstance::Ask { id, question });
        tokio::time::timeout(patience, answer).await.ok()?.ok()
    }
}

impl Process {
    /// Starts a process.
    ///
    /// # Errors
    /// If the binary cannot be run, or the system has no room for a process.
    pub(crate) fn start(
        plan: &Plan,
        files: &[BorrowedFd<'_>; 2],
        key: Key,
        hello: &Hello,
        place: usize,
        events: &mpsc::UnboundedSender<Event>,
    ) -> io::Result<Self> {
        let (near, far) = UnixStream::pair()?;
        let (out, child_out) = io::pipe()?;
        let (errors, child_errors) = io::pipe()?;
        let mut command = Command::new(&plan.program);
        command
            .args(&plan.arguments)
            .env(plan.variable, hello.number.to_string())
            .stdin(Stdio::from(OwnedFd::from(far)))
            .stdout(child_out)
            .stderr(child_errors)
            // A signal of the terminal reaches the supervisor alone.
            .process_group(0)
            .kill_on_drop(true);
        let mut child = command.spawn()?;
        drop(command);
        let pid = child.id().and_then(|pid| Pid::from_raw(pid.cast_signed()));
        let pid = pid.ok_or_else(|| io::Error::other("the instance has no process id"))?;
        let numbered = Arc::new(AtomicBool::new(!hello.announces));
        let logs = vec![
            relay(out, io::stdout(), hello.number, Arc::clone(&numbered))?,
            relay(errors, io::stderr(), hello.number, Arc::clone(&numbered))?,
        ];
        greet(&near, files, plan, hello)?;
        near.set_nonblocking(true)?;
        let (reader, writer) = tokio::net::UnixStream::from_std(near)?.into_split();
        let (sender, writing) = Sender::new(writer);
        tokio::spawn(writing);
        let questions: Arc<PendingQuestions> = Arc::default();
        let remote = Remote { sender, questions };
        tokio::spawn(listen(
            key,
            Reader::new(reader),
            Arc::clone(&remote.questions),
            events.clone(),
        ));
        let ended = events.clone();
        tokio::spawn(async move {
            let status = child.wait().await;
            let _ = ended.send(Event::Ended(key, status));
        });
        let now = Instant::now();
        let state = State::Starting;
        Ok(Self {
            key,
            number: hello.number,
            place,
            pid,
            state,
            started: now,
            ready: None,
            reloads_when_ready: false,
            load: Load::default(),
            remote,
            pinged: None,
            kill_at: None,
            numbered,
            logs,
        })
    }

    /// It answers requests.
    pub(crate) fn is_ready(&mut self, now: Instant) {
        self.state = State::Ready;
        self.ready = Some(now);
        self.numbered.store(true, Ordering::Relaxed);
    }

    /// How long it has been ready.
    pub(crate) fn ran(&self, now: Instant) -> Duration {
        self.ready.map_or(Duration::ZERO, |since| now.duration_since(since))
    }

    /// It has given a sign of life.
    pub(crate) fn alive(&mut self, load: Load) {
        self.pinged = None;
        self.load = load;
    }

    /// Asks for a sign of life, unless one is owed. Whether it is overdue.
    pub(crate) fn ping(&mut self, now: Instant, patience: Duration) -> bool {
        match self.pinged {
            Some(since) => now.duration_since(since) >= patience,
            None => {
                self.pinged = Some(now);
                self.remote.send(&ToInstance::Ping);
                false
            }
        }
    }

    /// Has it accept no more and end, and kills it at the given moment.
    pub(crate) fn retire(&mut self, kill_at: Instant) {
        self.state = State::Draining;
        self.kill_at = Some(kill_at);
        self.remote.send(&ToInstance::Retire);
    }

    /// Sends SIGTERM, and SIGKILL at the given moment.
    pub(crate) fn terminate(&mut self, state: State, kill_at: Instant) {
        self.state = state;
        self.kill_at = Some(kill_at);
        self.signal(Signal::TERM);
    }

    /// Kills it where its time is up.
    pub(crate) fn kill_if_due(&mut self, now: Instant) {
        if self.kill_at.is_some_and(|at| now >= at) {
            tracing::warn!(
                instance = self.number,
                pid = self.pid.as_raw_nonzero(),
                "an instance does not end: it is killed"
            );
            self.kill_at = None;
            self.kill();
        }
    }

    pub(crate) fn kill(&self) {
        self.signal(Signal::KILL);
    }

    fn signal(&self, signal: Signal) {
        // It may have ended in this moment.
        let _ = kill_process(self.pid, signal);
    }

    /// Bytes of memory that it has, as the system counts them.
    pub(crate) fn memory(&self) -> Option<u64> {
        let path = format!("/proc/{}/statm", self.pid.as_raw_nonzero());
        let pages: u64 = std::fs::read_to_string(path).ok()?.split(' ').nth(1)?.parse().ok()?;
        Some(pages * rustix::param::page_size() as u64)
    }
}

/// Hands sockets and first message to a new instance.
fn greet(to: &UnixStream, files: &[BorrowedFd<'_>], plan: &Plan, hello: &Hello) -> io::Result<()> {
    let mut descriptors = files.to_vec();
    descriptors.extend(plan.sockets.iter().map(AsFd::as_fd));
    send_descriptors(to, &descriptors)?;
    let text = serde_json::to_vec(hello)?;
    let length = u32::try_from(text.len()).map_err(io::Error::other)?;
    let mut to = to;
    to.write_all(&length.to_le_bytes())?;
    to.write_all(&text)
}

async fn listen(
    key: Key,
    mut reader: Reader,
    questions: Arc<PendingQuestions>,
    events: mpsc::UnboundedSender<Event>,
) {
    while let Some(message) = reader.next().await {
        match message {
            ToSupervisor::Answer { id, body } => questions.answered(id, body),
            message => drop(events.send(Event::Said(key, message))),
        }
    }
    questions.close();
}
