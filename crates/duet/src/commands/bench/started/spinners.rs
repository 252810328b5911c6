//! Processes of idle priority that keep every processor awake during a measurement.
//!
//! An idle processor falls asleep, and waking it can take longer than a request. With one
//! connection it falls asleep during every request. A spinner takes only the time that no other
//! process wants.

use std::fs;
use std::hint::black_box;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use duet_bench::observe::Group;
use duet_bench::run::Prepared;
use duet_model::Error;
use rustix::process::setpriority_process;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use super::undo::UndoHandle;
use crate::command_error::CommandError;
use crate::report::Outcome;

/// Their name in results, among the options of a load.
const OPTION: &str = "spinners";
/// The policy that runs a thread only if no other needs the processor (sched(7)), as in
/// `/proc/PID/stat`.
const SCHED_IDLE: &str = "5";
/// The lowest priority of the default policy.
const LOWEST: i32 = 19;

/// A spinner on each processor that this process may use. They end when this is dropped, and when
/// this process ends.
#[derive(Debug)]
pub(in crate::commands::bench) struct Spinners(Vec<Spinner>);

#[derive(Debug)]
struct Spinner {
    child: Child,
    /// `idle priority` or `nice 19`.
    priority: String,
    _made: UndoHandle,
}

impl Spinners {
    /// Those of this process: they are started once for all runs.
    ///
    /// # Errors
    /// If one does not start.
    pub(in crate::commands::bench) fn shared() -> Outcome<Arc<Self>> {
        static SHARED: Mutex<Weak<Spinners>> = Mutex::new(Weak::new());
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(spinners) = shared.upgrade() {
            return Ok(spinners);
        }
        let spinners = Arc::new(Self::start()?);
        *shared = Arc::downgrade(&spinners);
        Ok(spinners)
    }

    fn start() -> Outcome<Self> {
        let allowed = sched_getaffinity(None).map_err(Error::internal)?;
        let processors = (0..CpuSet::MAX_CPU).filter(|number| allowed.is_set(*number));
        processors.map(Spinner::start).collect::<Outcome<_>>().map(Self)
    }

    /// Their description in results: `2 with idle priority`.
    pub(in crate::commands::bench) fn describe(&self) -> String {
        let mut priorities: Vec<&str> = self.0.iter().map(|it| &*it.priority).collect();
        priorities.sort_unstable();
        priorities.dedup();
        format!("{} with {}", self.0.len(), priorities.join(" or "))
    }

    fn ids(&self) -> Vec<u32> {
        self.0.iter().map(|spinner| spinner.child.id()).collect()
    }
}

/// Keeps the processors awake during the runs of a workload, and records it in its results.
///
/// # Errors
/// If the spinners do not start.
pub(in crate::commands::bench) fn keep_awake(prepared: &mut Prepared) -> Outcome {
    let spinners = Spinners::shared()?;
    prepared.options.insert(OPTION.into(), spinners.describe());
    // Their time is known and does not count as other programs'.
    let (name, ids) = (OPTION.to_owned(), spinners.ids());
    prepared.watched.groups.push(Group { name, ids, ..Group::default() });
    prepared.keep(spinners);
    Ok(())
}

impl Spinner {
    fn start(processor: usize) -> Outcome<Self> {
        let program = std::env::current_exe().map_err(Error::internal)?;
        let mut idle = Command::new("chrt");
        idle.args(["-i", "0"]).arg(&program);
        // Without chrt (util-linux), or if the policy is not permitted, use the lowest priority.
        match Self::run(idle, processor) {
            Some(spinner) => Ok(spinner),
            None => Self::run(Command::new(&program), processor).ok_or_else(|| {
                let message = format!("No spinner can be started on processor {processor}.");
                CommandError::machine(message).hint("Run without --spinners.")
            }),
        }
    }

    /// Starts a command that becomes a spinner; `None` if it does not.
    fn run(mut command: Command, processor: usize) -> Option<Self> {
        command.args(["bench", "spin", &processor.to_string()]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        // Ctrl-C at the terminal is for the bench, which may end its run first.
        let (mut child, made) = UndoHandle::group(&mut command).ok()?;
        let mut priority = String::new();
        let read =
            child.stdout.take().map(|output| BufReader::new(output).read_line(&mut priority));
        let mut spinner = Self { child, priority: priority.trim_end().to_owned(), _made: made };
        match read {
            Some(Ok(length)) if length > 0 => Some(spinner),
            _ => {
                spinner.end();
                None
            }
        }
    }

    fn end(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        self.end();
    }
}

/// The main function of a spinner: it prints its priority, and ends with its input, which the
/// system closes when its parent ends.
///
/// # Errors
/// If its output is closed.
pub(in crate::commands::bench) fn spin(processor: usize) -> Outcome {
    if processor < CpuSet::MAX_CPU {
        let mut only = CpuSet::new();
        only.set(processor);
        // If it may not choose its processor, the scheduler spreads the spinners.
        let _ = sched_setaffinity(None, &only);
    }
    let _ = setpriority_process(None, LOWEST);
    let priority = priority(&fs::read_to_string("/proc/self/stat").unwrap_or_default());
    writeln!(io::stdout(), "{priority}")?;
    std::thread::spawn(|| {
        drop(io::copy(&mut io::stdin(), &mut io::sink()));
        std::process::exit(0);
    });
    // Not `spin_loop`: a hypervisor may deschedule a processor that only pauses.
    loop {
        black_box(());
    }
}

/// The priority of a process by its `stat` (proc(5)).
fn priority(stat: &str) -> String {
    // The name, in parentheses, may contain any character.
    let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace();
    let fields: Vec<&str> = fields.collect();
    match fields.get(38) {
        Some(&SCHED_IDLE) => "idle priority".to_owned(),
        _ => format!("nice {}", fields.get(16).copied().unwrap_or("unknown")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn priorities() {
        let stat = |nice: &str, policy: &str| {
            let mut fields = vec!["0"; 50];
            (fields[16], fields[38]) = (nice, policy);
            priority(&format!("7 (a ) b) {}", fields.join(" ")))
        };
        assert_eq!([stat("0", "5"), stat("19", "0")], ["idle priority", "nice 19"]);
        assert_eq!(priority("broken"), "nice unknown");
    }
}
