//! Ctrl-C, SIGTERM, by which containers are stopped, and SIGHUP, which the end of a terminal sends.
//!
//! While there is a run, the first one ends it, and what was measured is kept. Before there is one, and the
//! second time, the program ends at once; what it has made goes with it ([`undo::all`]). A third one does
//! not wait even for that.

use std::io::Write as _;
use std::process::exit;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, OnceLock, mpsc};

use tokio::runtime::Runtime;
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::undo;
use crate::report::Failure;

/// What is known of signals.
struct Watch {
    /// Ends the run.
    stop: Arc<AtomicBool>,
    /// Whether there is a run to end.
    is_run: AtomicBool,
    /// The exit code of a program that the first signal ended; 0 without one.
    code: AtomicU8,
}

fn watched() -> &'static Watch {
    static WATCH: OnceLock<Watch> = OnceLock::new();
    WATCH.get_or_init(|| {
        let (ready, is_ready) = mpsc::channel();
        std::thread::spawn(move || listen(&ready));
        // Where signals cannot be watched, they do what they do to every program.
        let _ = is_ready.recv();
        Watch { stop: Arc::default(), is_run: AtomicBool::new(false), code: AtomicU8::new(0) }
    })
}

/// Watches from now on.
pub(super) fn watch() {
    watched();
}

/// What tells runs to end. From now on there is a run.
pub(super) fn stop() -> Arc<AtomicBool> {
    let watch = watched();
    watch.is_run.store(true, Ordering::Relaxed);
    watch.stop.clone()
}

/// Whether runs were told to end.
pub(super) fn is_over() -> bool {
    watched().stop.load(Ordering::Relaxed)
}

/// Where a signal has ended the runs: how the program ends, in these words.
pub(super) fn ended(words: &str) -> Option<Failure> {
    match watched().code.load(Ordering::Relaxed) {
        0 => None,
        code => Some(Failure::Code(code, format!("{words}\n"))),
    }
}

/// Signals do nothing to this process any more: the process that started it tells it when to stop, and its
/// end is this one's. A service manager signals all processes, and what this one has measured
/// is to be kept.
pub(super) fn leave_to_the_first() {
    if let Ok(runtime) = super::super::runtime() {
        // The system's handlers stay when they are dropped here.
        drop(runtime.block_on(async { Signals::open() }));
    }
}

/// The signals, each with the exit code that shells know it by.
struct Signals {
    interrupt: Signal,
    terminate: Signal,
    /// None where it was to be ignored from the start, as `nohup` has it.
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

    fn next(&mut self, runtime: &Runtime) -> u8 {
        runtime.block_on(async {
            let hangup = async {
                match &mut self.hangup {
                    Some(hangup) => hangup.recv().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                _ = hangup => 129,
                _ = self.interrupt.recv() => 130,
                _ = self.terminate.recv() => 143,
            }
        })
    }
}

/// Whether this process was started to ignore SIGHUP: the first bit of the signals that it ignores (proc(5)).
fn ignores_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok());
    ignored.is_some_and(|bits| bits & 1 == 1)
}

fn listen(ready: &mpsc::Sender<()>) {
    let Ok(runtime) = super::super::runtime() else { return };
    let Ok(mut signals) = runtime.block_on(async { Signals::open() }) else { return };
    let _ = ready.send(());
    let first = signals.next(&runtime);
    let watch = watched();
    let say = |words: &str| drop(writeln!(std::io::stderr(), "{words}"));
    let mut last = first;
    if watch.is_run.load(Ordering::Relaxed) {
        watch.code.store(first, Ordering::Relaxed);
        watch.stop.store(true, Ordering::Relaxed);
        say("stopping; once more to give up");
        last = signals.next(&runtime);
    } else {
        say("stopped before anything was measured");
    }
    std::thread::spawn(move || {
        undo::all();
        exit(last.into());
    });
    exit(signals.next(&runtime).into());
}
