//! What the supervisor starts, and how long things may take.

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

use crate::range::Range;

/// What the supervisor starts.
#[derive(Debug)]
pub struct Plan {
    /// The binary; a new one at this path is what a rolling restart starts.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// The environment variable that says to the program that it is an instance; its value is the
    /// instance's number.
    pub variable: &'static str,
    /// Settings that are sent to every instance.
    pub payload: Value,
    /// The sockets to accept from.
    pub sockets: Vec<OwnedFd>,
    /// Bytes of a file in memory that all instances share, all zero at first. In its first four bytes the
    /// supervisor counts instances that have ended without being done.
    pub memory: usize,
    /// How many instances there are.
    pub range: Range,
    /// Workers of each instance that accept connections.
    pub workers: usize,
    /// Times.
    pub settings: Settings,
}

/// How long things may take.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// An instance that gives no sign of life for so long hangs.
    pub heartbeat: Duration,
    /// An instance must be ready by then.
    pub start: Duration,
    /// An instance that has to stop is killed then.
    pub stop: Duration,
    /// One that is replaced or removed, which waits for its connections to end first.
    pub retire: Duration,
    /// An instance more than the least is removed when no request has waited for so long.
    pub idle: Duration,
}
