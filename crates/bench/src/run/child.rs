//! The worker processes of a layout, and the protocol between them and the first process: JSON
//! lines.
//!
//! Input: an [`Order`], then `{"go": …}` with a moment of the machine's monotonic clock,
//! `"all-drained"` when everything due in the measured time has ended in all processes, and perhaps
//! `"stop"`; the end of the input ends a worker at once, because the first process is gone. Output:
//! `"ready"`, the seconds, `"drained"`, the end.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use duet_verdict::result::{Answer, CheckRow};
use duet_verdict::times::Damaged;
use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

use super::event::{Cost, Ended, Event};
use super::job::{Order, Registry};
use super::process::Process;
use super::sample_log::SampleCount;
use crate::record::wire::PackedTotals;
use crate::record::{Failed, Packed, Tally, Totals};
use duet_verdict::outcome::Outcome;

/// The message that starts a process.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ParentMessage {
    Order(Box<Order>),
    Go { monotonic_ns: u64 },
    AllDrained,
    Stop,
}

/// The content of a message.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ChildMessage {
    Ready,
    Failed {
        outcome: Outcome,
        message: String,
    },
    Second {
        second: u64,
        users: u32,
        kinds: Vec<Packed>,
        cpu_us: u64,
    },
    Drained,
    Ended {
        totals: Box<PackedTotals>,
        panicked: u32,
        answers: BTreeMap<String, Answer>,
        checks: Vec<CheckRow>,
        cost: Cost,
        #[serde(default)]
        samples: SampleCount,
    },
}

fn monotonic_now() -> Duration {
    let time = clock_gettime(ClockId::Monotonic);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// A moment on the monotonic clock, which all processes of this machine share.
fn on_monotonic_clock(moment: Instant) -> u64 {
    let at = monotonic_now() + moment.saturating_duration_since(Instant::now());
    u64::try_from(at.as_nanos()).unwrap_or(u64::MAX)
}

fn from_monotonic_clock(nanos: u64) -> Instant {
    Instant::now() + Duration::from_nanos(nanos).saturating_sub(monotonic_now())
}

/// The main function of a worker process (`duet bench worker`). The registry contains the built-in
/// workloads.
///
/// # Errors
/// If its input is malformed, or its output is closed.
pub fn serve(
    input: impl io::Read + Send + 'static,
    output: &mut impl Write,
    registry: Registry,
) -> io::Result<()> {
    let mut lines = BufReader::new(input).lines();
    let Some(ParentMessage::Order(order)) = next(&mut lines)? else { return Err(unexpected()) };
    let stop = Arc::new(AtomicBool::new(false));
    let Order { plan, share, job } = *order;
    let workload = job.job(registry).and_then(|job| job.workload());
    let prepared =
        workload.and_then(|workload| Process::prepare(&plan, share, workload, stop.clone()));
    let process = match prepared {
        Ok(process) => process,
        Err(Failed { outcome, message }) => {
            return send_report(output, &ChildMessage::Failed { outcome, message });
        }
    };
    send_report(output, &ChildMessage::Ready)?;
    let Some(ParentMessage::Go { monotonic_ns }) = next(&mut lines)? else { return Ok(()) };
    let origin = from_monotonic_clock(monotonic_ns);
    let (sender, events) = channel();
    let all_drained = process.all_drained();
    let (events_of_run, number) = (sender.clone(), share.process);
    std::thread::spawn(move || {
        let mut sent = next(&mut lines);
        while matches!(sent, Ok(Some(ParentMessage::AllDrained))) {
            all_drained.store(true, Ordering::Relaxed);
            sent = next(&mut lines);
        }
        stop.store(true, Ordering::Relaxed);
        if !matches!(sent, Ok(Some(_))) {
            // The parent is gone, or the process has already ended.
            drop(sender.send(Event::Lost { process: number, message: "left alone".into() }));
        }
    });
    std::thread::spawn(move || {
        let events = events_of_run.clone();
        let running = std::thread::spawn(move || process.run(origin, &events));
        if running.join().is_err() {
            let message = "it panicked".to_owned();
            drop(events_of_run.send(Event::Lost { process: number, message }));
        }
    });
    for event in events {
        let is_last = !matches!(event, Event::Second { .. } | Event::Drained { .. });
        match send_report(output, &message(event)) {
            // The parent is gone.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => break,
            sent => sent?,
        }
        if is_last {
            break;
        }
    }
    Ok(())
}

fn message(event: Event) -> ChildMessage {
    match event {
        Event::Second { second, users, kinds, cpu, .. } => ChildMessage::Second {
            second,
            users,
            kinds: kinds.iter().map(Packed::from).collect(),
            cpu_us: u64::try_from(cpu.as_micros()).unwrap_or(u64::MAX),
        },
        Event::Drained { .. } => ChildMessage::Drained,
        Event::Ended(ended) => ChildMessage::Ended {
            totals: Box::new(PackedTotals::from(&ended.totals)),
            panicked: ended.panicked,
            answers: ended.answers,
            checks: ended.checks,
            cost: ended.cost,
            samples: ended.samples,
        },
        Event::Lost { message, .. } => ChildMessage::Failed { outcome: Outcome::Other, message },
    }
}

fn send_report(output: &mut impl Write, message: &ChildMessage) -> io::Result<()> {
    serde_json::to_writer(&mut *output, message)?;
    output.write_all(b"\n")?;
    output.flush()
}

fn next(lines: &mut impl Iterator<Item = io::Result<String>>) -> io::Result<Option<ParentMessage>> {
    let Some(line) = lines.next() else { return Ok(None) };
    Ok(Some(serde_json::from_str(&line?)?))
}

fn unexpected() -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        "a process of a layout is started by `duet bench run`",
    )
}

/// A worker process, as the first process sees it.
#[derive(Debug)]
pub(super) struct Other {
    number: u32,
    child: Child,
    /// Closed after the last message.
    input: Option<ChildStdin>,
    message: Receiver<io::Result<ChildMessage>>,
}

impl Other {
    /// Starts a process and sends its order.
    pub(super) fn start(mut command: Command, order: Order) -> io::Result<Self> {
        use std::os::unix::process::CommandExt as _;
        // Ctrl-C at the terminal is for the first process, which notifies the others.
        command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("no pipes"));
        };
        let number = order.share.process;
        send(&mut input, &ParentMessage::Order(Box::new(order)))?;
        let (sender, message) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                let message = line.and_then(|line| Ok(serde_json::from_str(&line)?));
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Ok(Self { number, child, input: Some(input), message })
    }

    /// Its process id.
    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits until its users are connected.
    pub(super) fn ready(&self) -> Result<(), Failed> {
        match self.message.recv() {
            Ok(Ok(ChildMessage::Ready)) => Ok(()),
            Ok(Ok(ChildMessage::Failed { outcome, message })) => Err(Failed { outcome, message }),
            _ => Err(Failed::new(Outcome::Other, "a process of the layout did not start")),
        }
    }

    /// Sends it the start, and forwards its events until it ends.
    ///
    /// The flags: the run is stopped, and everything due in the windows of all processes has ended.
    pub(super) fn go(
        mut self,
        origin: Instant,
        events: Sender<Event>,
        flags: [Arc<AtomicBool>; 2],
    ) {
        let sent = self.send(&ParentMessage::Go { monotonic_ns: on_monotonic_clock(origin) });
        if sent.is_err() {
            drop(events.send(self.lost("it ended before the run began")));
            return;
        }
        std::thread::spawn(move || self.listen(&events, &flags));
    }

    fn listen(mut self, events: &Sender<Event>, [stop, all_drained]: &[Arc<AtomicBool>; 2]) {
        let mut told_to_stop = false;
        let mut told_of_drain = false;
        loop {
            let message = self.message.recv_timeout(Duration::from_millis(100));
            if all_drained.load(Ordering::Relaxed) && !told_of_drain {
                told_of_drain = true;
                drop(self.send(&ParentMessage::AllDrained));
            }
            if stop.load(Ordering::Relaxed) && !told_to_stop {
                told_to_stop = true;
                // A send fails if it has ended, which this loop detects.
                drop(self.send(&ParentMessage::Stop));
            }
            let event = match message {
                Ok(Ok(message)) => self.event(message),
                Ok(Err(error)) => self.lost(&error.to_string()),
                Err(std::sync::mpsc::RecvTimeoutError::Timeout) => continue,
                Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => {
                    let status = self.child.wait();
                    let status = status.map_or_else(|error| error.to_string(), |s| s.to_string());
                    self.lost(&status)
                }
            };
            let is_last = !matches!(event, Event::Second { .. } | Event::Drained { .. });
            if events.send(event).is_err() || is_last {
                self.input = None;
                drop(self.child.wait());
                return;
            }
        }
    }

    fn event(&self, message: ChildMessage) -> Event {
        let process = self.number;
        let event = match message {
            ChildMessage::Second { second, users, kinds, cpu_us } => {
                let kinds: Result<Vec<Tally>, Damaged> =
                    kinds.iter().map(Tally::try_from).collect();
                kinds.map(|kinds| Event::Second {
                    process,
                    second,
                    users,
                    kinds,
                    cpu: Duration::from_micros(cpu_us),
                })
            }
            ChildMessage::Drained => Ok(Event::Drained { process }),
            ChildMessage::Ended { totals, panicked, answers, checks, cost, samples } => {
                Totals::try_from(&*totals).map(|totals| {
                    let share = super::plan::Share { process, first_user: 0, users: 0 };
                    let ended = Ended { share, totals, panicked, answers, checks, cost, samples };
                    Event::Ended(Box::new(ended))
                })
            }
            ChildMessage::Failed { message, .. } => Ok(self.lost(&message)),
            ChildMessage::Ready => Ok(self.lost("it sent an unexpected message")),
        };
        event.unwrap_or_else(|error| self.lost(&error.to_string()))
    }

    fn lost(&self, message: &str) -> Event {
        Event::Lost { process: self.number, message: message.to_owned() }
    }

    fn send(&mut self, sent: &ParentMessage) -> io::Result<()> {
        match &mut self.input {
            Some(input) => send(input, sent),
            None => Err(io::ErrorKind::NotConnected.into()),
        }
    }
}

impl Drop for Other {
    /// A process that never began has nothing to lose; any other has ended, and killing it does
    /// nothing.
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn send(input: &mut impl Write, sent: &ParentMessage) -> io::Result<()> {
    serde_json::to_writer(&mut *input, sent)?;
    input.write_all(b"\n")?;
    input.flush()
}
