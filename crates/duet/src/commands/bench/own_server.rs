//! A server for a run that has no target: `duet demo` in a process of its own, on a free port.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use duet_model::{Code, Error, Result};
use serde_json::Value;
use tempfile::TempDir;

/// So long may it take to answer requests.
const STARTING: Duration = Duration::from_secs(30);
/// So long may it take to end.
const ENDING: Duration = Duration::from_secs(10);

/// A server; dropping it ends it and removes its database.
#[derive(Debug)]
pub(super) struct OwnServer {
    child: Child,
    _folder: TempDir,
    /// The URL of a resource of the sample: its table of teams.
    pub(super) resource: String,
    /// The client for the run, its id and secret.
    pub(super) client: (String, String),
}

impl OwnServer {
    /// Starts it and waits until it answers.
    ///
    /// # Errors
    /// Where it does not start, with what it said.
    pub(super) fn start() -> Result<Self> {
        let folder =
            tempfile::Builder::new().prefix("duet-bench-").tempdir().map_err(Error::internal)?;
        let ready_file = folder.path().join("ready.json");
        let log = std::fs::File::create(folder.path().join("log")).map_err(Error::internal)?;
        let child = Command::new(std::env::current_exe().map_err(Error::internal)?)
            .args(["demo", "--listen", "127.0.0.1:0", "--keep"])
            .arg(folder.path())
            .arg("--ready-file")
            .arg(&ready_file)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .map_err(Error::internal)?;
        let mut server = Self {
            child,
            _folder: folder,
            resource: String::new(),
            client: (String::new(), String::new()),
        };
        let began = Instant::now();
        let ready = loop {
            if let Some(ready) = std::fs::read(&ready_file).ok().and_then(|text| read(&text)) {
                break ready;
            }
            let ended = server.child.try_wait().map_err(Error::internal)?.is_some();
            if ended || began.elapsed() > STARTING {
                return Err(server.failed());
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        (server.resource, server.client) = ready;
        Ok(server)
    }

    fn failed(&self) -> Error {
        let said = std::fs::read_to_string(self._folder.path().join("log")).unwrap_or_default();
        Error::new(Code::Setting, "The server for the run did not start.").cause(said)
    }
}

/// What the ready file says: the resource's URL, and the client.
fn read(text: &[u8]) -> Option<(String, (String, String))> {
    let ready: Value = serde_json::from_slice(text).ok()?;
    let url = ready["urls"][0].as_str()?;
    let mount = ready["mounts"].as_object()?.values().next()?.as_str()?;
    let client = (ready["client_id"].as_str()?, ready["client_secret"].as_str()?);
    Some((format!("{url}{mount}/team/"), (client.0.into(), client.1.into())))
}

impl Drop for OwnServer {
    fn drop(&mut self) {
        let pid = self.child.id().to_string();
        // It ends by itself when asked to; `kill` is there wherever a shell is.
        let asked = Command::new("kill").args(["-TERM", &pid]).status();
        let began = Instant::now();
        while asked.is_ok() && began.elapsed() < ENDING {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
