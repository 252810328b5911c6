//! A `duet` that serves, in a process of its own: started, waited for, ended.

use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use duet_model::{Code, Error, Result};
use rustix::process::Signal;
use serde_json::Value;

use super::undo::{self, Made};

/// So long may it take to answer requests.
const STARTING: Duration = Duration::from_secs(30);
/// So long may it take to end.
const ENDING: Duration = Duration::from_secs(10);
/// Where programs make their temporary files (POSIX.1-2017, XBD section 8.3).
pub(super) const TEMPORARY: &str = "TMPDIR";
/// How often it is looked at meanwhile.
const GLANCE: Duration = Duration::from_millis(5);

/// A server; dropping it ends it.
#[derive(Debug)]
pub(super) struct ServerProcess {
    child: Child,
    pub(super) ready: Ready,
    _made: Made,
}

/// What a server says once it answers.
#[derive(Debug, Default)]
pub(super) struct Ready {
    /// Where it listens, in the order in which it was told.
    pub(super) urls: Vec<String>,
    /// The path of its first mount.
    pub(super) mount: String,
    /// The client of the run, its id and secret.
    pub(super) client: (String, String),
}

impl ServerProcess {
    /// Starts `duet` with these arguments and waits until it answers. Its ready file and what it
    /// reports go to the folder.
    ///
    /// # Errors
    /// Where it does not start, with what it said.
    pub(super) fn start(mut command: Command, folder: &Path) -> Result<Self> {
        let file = folder.join("ready.json");
        command.arg("--ready-file").arg(&file);
        Self::start_told(command, &file, folder)
    }

    /// The same with a program that knows by its arguments where its ready file belongs.
    ///
    /// # Errors
    /// As [`ServerProcess::start`].
    pub(super) fn start_told(mut command: Command, file: &Path, folder: &Path) -> Result<Self> {
        let log = folder.join("log");
        // Ctrl-C at the terminal is for the bench, which ends the run first.
        // What it makes for itself goes with the folder, however it ends.
        command.env(TEMPORARY, folder).stdin(Stdio::null()).stdout(Stdio::null());
        command.stderr(File::create(&log).map_err(Error::internal)?);
        let started = Made::group(&mut command);
        let (child, made) = started.map_err(|error| {
            Error::new(Code::Setting, format!("The server cannot be started: {error}."))
        })?;
        let mut server = Self { child, ready: Ready::default(), _made: made };
        let began = Instant::now();
        loop {
            if let Some(ready) = std::fs::read(file).ok().and_then(|text| read(&text)) {
                server.ready = ready;
                return Ok(server);
            }
            let ended = server.child.try_wait().map_err(Error::internal)?.is_some();
            if ended || began.elapsed() > STARTING {
                let said = std::fs::read_to_string(&log).unwrap_or_default();
                let error = Error::new(Code::Setting, "The server for the run did not start.");
                return Err(error.cause(said));
            }
            std::thread::sleep(GLANCE);
        }
    }
}

/// What the ready file says; other servers than Duet may name their URL alone.
fn read(text: &[u8]) -> Option<Ready> {
    let ready: Value = serde_json::from_slice(text).ok()?;
    let urls = ready["urls"].as_array()?.iter().filter_map(|url| url.as_str().map(str::to_owned));
    let mounts = ready["mounts"].as_object().and_then(|mounts| mounts.values().next());
    let word = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
    Some(Ready {
        urls: urls.collect(),
        mount: word(mounts),
        client: (word(ready.get("client_id")), word(ready.get("client_secret"))),
    })
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        let leader = self.child.id();
        let mut is_there = || matches!(self.child.try_wait(), Ok(None)) || undo::is_group(leader);
        // A script that was named as the server need not pass signals on.
        undo::signal_group(leader, Signal::TERM);
        let began = Instant::now();
        while is_there() {
            if began.elapsed() > ENDING {
                undo::signal_group(leader, Signal::KILL);
                break;
            }
            std::thread::sleep(GLANCE);
        }
        drop(self.child.wait());
    }
}
