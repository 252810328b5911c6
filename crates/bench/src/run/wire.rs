//! The way between the first process of a run and its worker processes, wherever those are: what [`super::prepare`]
//! needs of it.

use std::fmt;
use std::io;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use crate::workload::Failed;

/// The delay from readiness to the start, so that every process of this machine receives the start in time.
pub(crate) const LEAD: Duration = Duration::from_millis(100);

/// A worker process that has just begun: it takes and gives lines.
#[derive(Debug)]
pub struct Worker {
    /// The way to it.
    pub wire: Box<dyn Wire>,
    /// Its lines; closed when it has ended. An error is the reason why there are no more.
    pub lines: Receiver<io::Result<String>>,
}

/// The way to a worker process.
pub trait Wire: fmt::Debug + Send {
    /// Sends it a line, which has no line break.
    ///
    /// # Errors
    /// If it takes no more.
    fn send(&mut self, line: &[u8]) -> io::Result<()>;

    /// A moment on the monotonic clock of its machine, in nanoseconds.
    fn on_its_clock(&self, moment: Instant) -> u64;

    /// It has sent its last line: whatever is to be found out about its machine is found out now.
    fn conclude(&mut self) {}

    /// Ends its input, waits until it has ended, and says how.
    fn end(&mut self) -> String;

    /// Its process id, if it is a process of this machine.
    fn process_id(&self) -> Option<u32>;

    /// The machine that it runs on, for messages; `None`: this one.
    fn machine(&self) -> Option<&str> {
        None
    }
}

/// Begins worker processes.
pub trait Workers {
    /// Whether the workers have neither the files nor the environment of this process.
    fn are_elsewhere(&self) -> bool;

    /// Begins the worker of a process of the layout.
    ///
    /// # Errors
    /// Why it could not begin.
    fn begin(&self, process: u32) -> Result<Worker, Failed>;

    /// The delay from readiness to the start, so that every process receives the start in time.
    fn lead(&self) -> Duration {
        LEAD
    }
}
