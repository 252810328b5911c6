//! A server for a run that has no target: `duet` with its sample in a process of its own, on a free
//! port, over a database that goes with it.

use std::ffi::OsStr;
use std::fs::File;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use duet_bench::throwaway::{Options, Server};
use duet_model::{Code, Error, Result};
use serde_json::Value;
use tempfile::TempDir;

use crate::args::Store;

/// So long may it take to answer requests.
const STARTING: Duration = Duration::from_secs(30);
/// So long may it take to end.
const ENDING: Duration = Duration::from_secs(10);
/// The sample.
const SAMPLE: &str = "car-racing";

/// A server; dropping it ends it and removes its database.
#[derive(Debug)]
pub(super) struct OwnServer {
    child: Child,
    folder: TempDir,
    /// The database's server, where it is no file.
    _postgres: Option<Server>,
    /// The URL of the sample's mount.
    mount: String,
    /// The client for the run, its id and secret.
    pub(super) client: (String, String),
    /// What it is, as results say it.
    pub(super) describe: &'static str,
}

impl OwnServer {
    /// Starts it and waits until it answers.
    ///
    /// # Errors
    /// Where it does not start, with what it said; where PostgreSQL is not installed.
    pub(super) fn start(on: Store) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("duet-bench-").tempdir();
        let folder = folder.map_err(Error::internal)?;
        let postgres = match on {
            Store::Sqlite => None,
            Store::Postgres => Some(postgres()?),
        };
        let ready_file = folder.path().join("ready.json");
        let mut command = program()?;
        match &postgres {
            None => command.args(["demo", "--keep"]).arg(folder.path()),
            Some(server) => {
                let url = server.url("postgres");
                load(&url)?;
                command.args(["serve", &url, "--app", SAMPLE])
            }
        };
        let log = File::create(folder.path().join("log")).map_err(Error::internal)?;
        let child = command
            .args(["--listen", "127.0.0.1:0", "--ready-file"])
            .arg(&ready_file)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .map_err(Error::internal)?;
        let mut server = Self {
            child,
            folder,
            _postgres: postgres,
            mount: String::new(),
            client: (String::new(), String::new()),
            describe: match on {
                Store::Sqlite => "Duet on SQLite",
                Store::Postgres => "Duet on PostgreSQL",
            },
        };
        (server.mount, server.client) = server.ready(&ready_file)?;
        Ok(server)
    }

    /// The URL of a resource of the sample.
    pub(super) fn resource(&self, name: &str) -> String {
        format!("{}/{name}/", self.mount)
    }

    fn ready(&mut self, file: &std::path::Path) -> Result<(String, (String, String))> {
        let began = Instant::now();
        loop {
            if let Some(ready) = std::fs::read(file).ok().and_then(|text| read(&text)) {
                return Ok(ready);
            }
            let ended = self.child.try_wait().map_err(Error::internal)?.is_some();
            if ended || began.elapsed() > STARTING {
                let said = std::fs::read_to_string(self.folder.path().join("log"));
                let error = Error::new(Code::Setting, "The server for the run did not start.");
                return Err(error.cause(said.unwrap_or_default()));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// What commits cost is part of every figure: this server waits for its disk.
fn postgres() -> Result<Server> {
    Server::try_start(Options::new().fsync(true)).map_err(|error| {
        Error::new(Code::Setting, "No throwaway PostgreSQL server can be started.")
            .cause(error.to_string())
            .hint("Install the distribution's package `postgresql`.")
    })
}

fn program() -> Result<Command> {
    Ok(Command::new(std::env::current_exe().map_err(Error::internal)?))
}

fn load(url: &str) -> Result<()> {
    let arguments: [&OsStr; 4] = ["load", SAMPLE, "--database", url].map(OsStr::new);
    let output = program()?.args(arguments).output().map_err(Error::internal)?;
    match output.status.success() {
        true => Ok(()),
        false => Err(Error::new(Code::Setting, "The sample could not be loaded.")
            .cause(String::from_utf8_lossy(&output.stderr).into_owned())),
    }
}

/// What the ready file says: the mount's URL, and the client.
fn read(text: &[u8]) -> Option<(String, (String, String))> {
    let ready: Value = serde_json::from_slice(text).ok()?;
    let url = ready["urls"][0].as_str()?;
    let mount = ready["mounts"].as_object()?.values().next()?.as_str()?;
    let client = (ready["client_id"].as_str()?, ready["client_secret"].as_str()?);
    Some((format!("{url}{mount}"), (client.0.into(), client.1.into())))
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
