//! Starts a `duet` server process, waits for it, and ends it.

use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use duet_model::Error;
use rustix::process::Signal;
use serde_json::Value;

use super::undo::{self, UndoHandle};
use crate::command_error::CommandError;
use crate::report::Outcome;
use crate::settings::ENDS_WITH_INPUT;

/// The longest wait until it responds.
const STARTING: Duration = Duration::from_secs(30);
/// The longest wait for its end.
const ENDING: Duration = Duration::from_secs(10);
/// The variable for the folder of temporary files (POSIX.1-2017, XBD section 8.3).
pub(in crate::commands) const TEMPORARY: &str = "TMPDIR";
/// The interval of checks.
const GLANCE: Duration = Duration::from_millis(5);

/// A server; dropping it ends it.
#[derive(Debug)]
pub(in crate::commands) struct ServerProcess {
    child: Child,
    pub(in crate::commands) ready: Ready,
    _made: UndoHandle,
}

/// The content of a server's ready file.
#[derive(Debug, Default)]
pub(in crate::commands) struct Ready {
    /// Its addresses, in the order of its arguments.
    pub(in crate::commands) urls: Vec<String>,
    /// The path of its first mount.
    pub(in crate::commands) mount: String,
    /// The client of the run, its id and secret.
    pub(in crate::commands) client: (String, String),
}

impl ServerProcess {
    /// Starts `duet` with these arguments and waits until it responds. Its ready file and its
    /// output go to the folder.
    ///
    /// # Errors
    /// If it does not start, with its output.
    pub(in crate::commands) fn start(mut command: Command, folder: &Path) -> Outcome<Self> {
        let file = folder.join("ready.json");
        command.arg("--ready-file").arg(&file);
        Self::start_told(command, &file, folder)
    }

    /// The same with another program, whose arguments contain the path of its ready file.
    ///
    /// # Errors
    /// As [`ServerProcess::start`].
    pub(in crate::commands) fn start_told(
        mut command: Command,
        file: &Path,
        folder: &Path,
    ) -> Outcome<Self> {
        let log = folder.join("log");
        // Ctrl-C at the terminal is for the bench, which ends the run first. Its own temporary
        // files are in the folder, which is removed in any case. However the bench ends, the server's input ends too.
        command.env(TEMPORARY, folder).env(ENDS_WITH_INPUT, "1");
        command.stdin(Stdio::piped()).stdout(Stdio::null());
        command.stderr(File::create(&log).map_err(Error::internal)?);
        let started = UndoHandle::group(&mut command);
        let (child, made) = started.map_err(|error| {
            CommandError::machine(format!("The server cannot be started: {error}."))
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
                let message = std::fs::read_to_string(&log).unwrap_or_default();
                let error = CommandError::server("The server for the run did not start.");
                return Err(error.cause(message));
            }
            std::thread::sleep(GLANCE);
        }
    }
}

/// The content of the ready file; other servers than Duet may give their URL alone.
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
        // A script as the server need not forward signals.
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
