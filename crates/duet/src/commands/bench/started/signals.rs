//! Handles Ctrl-C, SIGTERM, by which containers are stopped, and SIGHUP, which the end of a
//! terminal sends.
//!
//! During a run, the first signal ends it, and the result is kept. Before a run, and the second
//! time, the program ends at once and removes what it created ([`undo::all`]). A third one does not
//! wait even for that.

use std::io::Write as _;
use std::process::exit;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, mpsc};

use tokio::runtime::Runtime;
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::undo;
use crate::command_error::{CommandError, ExitStatus};
use crate::commands::bench::ending::MeasurementEnding;

/// The state of signal handling.
struct Watch {
    /// Stops the run.
    stop: Arc<AtomicBool>,
    /// Whether there is a run to end.
    is_run: AtomicBool,
    /// The status of a program that the first signal ended.
    ended: OnceLock<ExitStatus>,
}

fn watched() -> &'static Watch {
    static WATCH: OnceLock<Watch> = OnceLock::new();
    WATCH.get_or_init(|| {
        let (ready, is_ready) = mpsc::channel();
        std::thread::spawn(move || listen(&ready));
        // If signals cannot be handled, they have their default effect.
        let _ = is_ready.recv();
        Watch { stop: Arc::default(), is_run: AtomicBool::new(false), ended: OnceLock::new() }
    })
}

/// Starts handling signals.
pub(in crate::commands) fn watch() {
    watched();
}

/// The stop flag of runs. From now on there is a run.
pub(in crate::commands::bench) fn stop() -> Arc<AtomicBool> {
    let watch = watched();
    watch.is_run.store(true, Ordering::Relaxed);
    watch.stop.clone()
}

/// Whether runs were stopped.
pub(in crate::commands::bench) fn is_over() -> bool {
    watched().stop.load(Ordering::Relaxed)
}

/// If a signal has ended the runs, the program's end with this message.
pub(in crate::commands::bench) fn ended(words: &str) -> Option<CommandError> {
    let status = watched().ended.get()?;
    Some(MeasurementEnding::Stopped(*status).saying(format!("{words}\n")))
}

/// Ignores signals in this process: its parent tells it when to stop, and it ends with its parent.
/// A service manager signals all processes, and this one's measurements must be kept.
pub(in crate::commands::bench) fn leave_to_the_first() {
    if let Ok(runtime) = crate::runtime::runtime() {
        // The system's handlers stay when they are dropped here.
        drop(runtime.block_on(async { Signals::open() }));
    }
}

/// The signals, each with its exit status.
struct Signals {
    interrupt: Signal,
    terminate: Signal,
    /// `None` if it was ignored from the start, as with `nohup`.
    hangup: Option<Signal>,
}

impl Signals {
    fn open() -> std::io::Result<Self> {
        let hangup = match ignores_hangup() {
            true => None,
            false => Some(signal(SignalKind::hangup())?),
        };
        let interrupt = signal(SignalKind::interrupt())?;
        Ok(Self { interrupt, terminate: signal(SignalKind::terminate())?, hangup })
    }

    fn next(&mut self, runtime: &Runtime) -> ExitStatus {
        runtime.block_on(async {
            let hangup = async {
                match &mut self.hangup {
                    Some(hangup) => hangup.recv().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                _ = hangup => ExitStatus::HungUp,
                _ = self.interrupt.recv() => ExitStatus::Interrupted,
                _ = self.terminate.recv() => ExitStatus::Terminated,
            }
        })
    }
}

/// Whether this process was started with SIGHUP ignored: the first bit of its ignored signals
/// (proc(5)).
fn ignores_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok());
    ignored.is_some_and(|bits| bits & 1 == 1)
}

fn listen(ready: &mpsc::Sender<()>) {
    let Ok(runtime) = crate::runtime::runtime() else { return };
    let Ok(mut signals) = runtime.block_on(async { Signals::open() }) else { return };
    let _ = ready.send(());
    let first = signals.next(&runtime);
    let watch = watched();
    let say = |words: &str| drop(writeln!(std::io::stderr(), "{words}"));
    let mut last = first;
    if watch.is_run.load(Ordering::Relaxed) {
        watch.ended.get_or_init(|| first);
        watch.stop.store(true, Ordering::Relaxed);
        say("stopping; once more to give up");
        last = signals.next(&runtime);
    } else {
        say("stopped before anything was measured");
    }
    std::thread::spawn(move || {
        undo::all();
        exit(last.number().into());
    });
    exit(signals.next(&runtime).number().into());
}
