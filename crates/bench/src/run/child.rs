//! The worker processes of a layout, and the protocol between them and the first process: JSON
//! lines.
//!
//! Input: an [`Order`], then `{"go": …}` with a moment of the machine's monotonic clock,
//! `"all-drained"` when everything due in the measured time has ended in all processes, and perhaps
//! `"stop"`; the end of the input ends a worker at once, because the first process is gone. Output:
//! `"ready"`, the seconds, `"drained"`, the end.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use duet_verdict::result::{Answer, CheckRow};
use duet_verdict::times::Damaged;
use serde::{Deserialize, Serialize};

use super::carried::{CarriedFile, Order};
use super::event::{Cost, Ended, Event};
use super::job::Registry;
use super::process::Process;
use super::sample_log::SampleCount;
use super::wire::{Wire, Worker, Workers};
use crate::clock::{monotonic_now, on_monotonic_clock};
use crate::record::wire::PackedTotals;
use crate::record::{Failed, Packed, ProcessTotals, Tallies, Tally};
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
        kinds: BTreeMap<usize, Packed>,
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

fn from_monotonic_clock(nanos: u64) -> Instant {
    let (at, now) = (Duration::from_nanos(nanos), monotonic_now());
    match at.checked_sub(now) {
        Some(left) => Instant::now() + left,
        // A start that came late was at its moment all the same: what was due since then is late.
        None => Instant::now().checked_sub(now - at).unwrap_or_else(Instant::now),
    }
}

/// Where a worker process works.
#[derive(Clone, Copy, Debug)]
pub struct Workplace<'a> {
    /// The built-in workloads.
    pub registry: Registry,
    /// The folder for the run's files, under an agent; `None` where the files are those of this machine.
    pub folder: Option<&'a Path>,
}

impl Workplace<'_> {
    /// Writes the files that came with the order.
    fn unpack(&self, files: &[CarriedFile]) -> Result<(), Failed> {
        match self.folder {
            None => Ok(()),
            Some(folder) => files.iter().try_for_each(|file| file.unpack(folder)),
        }
    }
}

/// The main function of a worker process (`duet bench worker`).
///
/// # Errors
/// If its input is malformed, or its output is closed.
pub fn serve(
    input: impl io::Read + Send + 'static,
    output: &mut impl Write,
    place: &Workplace<'_>,
) -> io::Result<()> {
    let mut lines = BufReader::new(input).lines();
    let Some(ParentMessage::Order(order)) = next(&mut lines)? else { return Err(unexpected()) };
    let stop = Arc::new(AtomicBool::new(false));
    let Order { plan, share, job, files } = *order;
    let unpacked = place.unpack(&files);
    let job = unpacked.and_then(|()| job.job(place.registry, place.folder));
    let workload = job.and_then(|job| job.workload());
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
            kinds: kinds.iter().map(|(kind, tally)| (*kind, Packed::from(tally))).collect(),
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
    wire: Box<dyn Wire>,
    lines: Receiver<io::Result<String>>,
}

impl Other {
    /// Sends a worker its order.
    pub(super) fn order(worker: Worker, order: Order) -> io::Result<Self> {
        let Worker { wire, lines } = worker;
        let mut other = Self { number: order.share.process, wire, lines };
        other.send(&ParentMessage::Order(Box::new(order)))?;
        Ok(other)
    }

    /// Its process id, if it runs on this machine.
    pub(super) fn id(&self) -> Option<u32> {
        self.wire.process_id()
    }

    /// Waits until its users are connected.
    pub(super) fn ready(&self) -> Result<(), Failed> {
        let message = self.lines.recv().map_err(io::Error::other).and_then(|line| line);
        let message = message.and_then(|line| read(&line));
        let failed = |message: &str| Failed::new(Outcome::Other, self.placed(message));
        match message {
            Ok(ChildMessage::Ready) => Ok(()),
            Ok(ChildMessage::Failed { outcome, message }) => {
                Err(Failed { outcome, message: self.placed(&message) })
            }
            Err(error) if self.wire.machine().is_some() => Err(failed(&error.to_string())),
            _ => Err(failed("a process of the layout did not start")),
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
        let monotonic_ns = self.wire.on_its_clock(origin);
        if self.send(&ParentMessage::Go { monotonic_ns }).is_err() {
            drop(events.send(self.lost("it ended before the run began")));
            return;
        }
        std::thread::spawn(move || self.listen(&events, &flags));
    }

    fn listen(mut self, events: &Sender<Event>, [stop, all_drained]: &[Arc<AtomicBool>; 2]) {
        let mut told_to_stop = false;
        let mut told_of_drain = false;
        loop {
            let line = self.lines.recv_timeout(Duration::from_millis(100));
            if all_drained.load(Ordering::Relaxed) && !told_of_drain {
                told_of_drain = true;
                drop(self.send(&ParentMessage::AllDrained));
            }
            if stop.load(Ordering::Relaxed) && !told_to_stop {
                told_to_stop = true;
                // A send fails if it has ended, which this loop detects.
                drop(self.send(&ParentMessage::Stop));
            }
            let event = match line {
                Ok(line) => match line.and_then(|line| read(&line)) {
                    Ok(message) => self.event(message),
                    Err(error) => self.lost(&error.to_string()),
                },
                Err(std::sync::mpsc::RecvTimeoutError::Timeout) => continue,
                Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => {
                    let status = self.wire.end();
                    self.lost(&status)
                }
            };
            let is_last = !matches!(event, Event::Second { .. } | Event::Drained { .. });
            if is_last {
                self.wire.conclude();
            }
            if events.send(event).is_err() || is_last {
                self.wire.end();
                return;
            }
        }
    }

    fn event(&self, message: ChildMessage) -> Event {
        let process = self.number;
        let event = match message {
            ChildMessage::Second { second, users, kinds, cpu_us } => {
                let tally =
                    |(kind, packed): (&usize, &Packed)| Ok((*kind, Tally::try_from(packed)?));
                let kinds: Result<Tallies, Damaged> = kinds.iter().map(tally).collect();
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
                ProcessTotals::try_from(&*totals).map(|totals| {
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
        Event::Lost { process: self.number, message: self.placed(message) }
    }

    /// A message with the machine that it is about, if it is another one.
    fn placed(&self, message: &str) -> String {
        match self.wire.machine() {
            Some(machine) => format!("{machine}: {message}"),
            None => message.to_owned(),
        }
    }

    fn send(&mut self, sent: &ParentMessage) -> io::Result<()> {
        self.wire.send(&serde_json::to_vec(sent)?)
    }
}

fn read(line: &str) -> io::Result<ChildMessage> {
    Ok(serde_json::from_str(line)?)
}

/// Worker processes of this machine, which a command starts.
#[derive(Debug)]
pub struct ChildProcesses<F>(pub F);

impl<F: Fn() -> Command> Workers for ChildProcesses<F> {
    fn are_elsewhere(&self) -> bool {
        false
    }

    fn begin(&self, _process: u32) -> Result<Worker, Failed> {
        let failed = |error: io::Error| Failed::new(Outcome::Other, error.to_string());
        Pipes::begin((self.0)()).map_err(failed)
    }
}

/// The pipes to a child process.
#[derive(Debug)]
struct Pipes {
    child: Child,
    /// Closed after the last message.
    input: Option<ChildStdin>,
}

impl Pipes {
    fn begin(mut command: Command) -> io::Result<Worker> {
        use std::os::unix::process::CommandExt as _;
        // Ctrl-C at the terminal is for the first process, which notifies the others.
        command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("no pipes"));
        };
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Ok(Worker { wire: Box::new(Self { child, input: Some(input) }), lines })
    }
}

impl Wire for Pipes {
    fn send(&mut self, line: &[u8]) -> io::Result<()> {
        let Some(input) = &mut self.input else { return Err(io::ErrorKind::NotConnected.into()) };
        input.write_all(line)?;
        input.write_all(b"\n")?;
        input.flush()
    }

    fn on_its_clock(&self, moment: Instant) -> u64 {
        on_monotonic_clock(moment)
    }

    fn end(&mut self) -> String {
        self.input = None;
        self.child.wait().map_or_else(|error| error.to_string(), |status| status.to_string())
    }

    fn process_id(&self) -> Option<u32> {
        Some(self.child.id())
    }
}

impl Drop for Pipes {
    /// A process that never began has nothing to lose; any other has ended, and killing it does
    /// nothing.
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
