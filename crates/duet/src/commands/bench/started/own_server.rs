//! A server for a run without a target: a `duet` process with its sample, on a free port, over a
//! temporary database.

use std::path::Path;
use std::process::Command;

use duet_bench::throwaway::{Options, Server};
use duet_model::{Error, Result};

use super::server_process::{ServerProcess, TEMPORARY};
use super::undo::{self, Folder};
use crate::args::Store;
use crate::command_error::CommandError;
use crate::report::Outcome;

/// How much of the machine a server uses; by default what `duet serve` does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::commands::bench) struct Size {
    /// Worker threads of each process.
    pub(in crate::commands::bench) workers: Option<u32>,
    /// Processes.
    pub(in crate::commands::bench) instances: Option<u32>,
}

/// A server; dropping it ends it and removes its database.
#[derive(Debug)]
pub(in crate::commands::bench) struct OwnServer {
    process: ServerProcess,
    _folder: Folder,
    /// The database server, unless the database is a file.
    _postgres: Option<Server>,
    /// The client for the run, its id and secret.
    pub(in crate::commands::bench) client: (String, String),
    /// Its description in results.
    pub(in crate::commands::bench) describe: &'static str,
}

impl OwnServer {
    /// Starts it and waits until it responds.
    ///
    /// # Errors
    /// If it does not start, with its output; if PostgreSQL is not installed.
    pub(in crate::commands::bench) fn start(on: Store) -> Outcome<Self> {
        Self::start_with(on, &Size::default())
    }

    /// Starts it with these numbers of threads and processes.
    ///
    /// # Errors
    /// As [`OwnServer::start`].
    pub(in crate::commands::bench) fn start_with(on: Store, size: &Size) -> Outcome<Self> {
        let folder = Folder::new()?;
        let postgres = match on {
            Store::Sqlite => None,
            Store::Postgres => Some(postgres()?),
        };
        let (sample, _) = duet_report::replay::sample().map_err(Error::internal)?;
        let mut command = program()?;
        match &postgres {
            None if size.instances.is_some() => {
                let file = format!("sqlite:{}", folder.path().join("bench.sqlite").display());
                load(&sample, &file, None, folder.path())?;
                command.args(["serve", &file, "--app", &sample])
            }
            None => command.args(["demo", "--keep"]).arg(folder.path()),
            Some(server) => {
                let url = server.url("postgres");
                load(&sample, &url, None, folder.path())?;
                command.args(["serve", &url, "--app", &sample])
            }
        };
        command.args(["--listen", "127.0.0.1:0"]);
        for (flag, count) in [("--workers", size.workers), ("--instances", size.instances)] {
            if let Some(count) = count {
                command.args([flag, &count.to_string()]);
            }
        }
        let process = ServerProcess::start(command, folder.path())?;
        Ok(Self {
            client: process.ready.client.clone(),
            process,
            _folder: folder,
            _postgres: postgres,
            describe: match on {
                Store::Sqlite => "Duet on SQLite",
                Store::Postgres => "Duet on PostgreSQL",
            },
        })
    }

    /// The URL of a resource of the sample.
    pub(in crate::commands::bench) fn resource(&self, name: &str) -> String {
        let ready = &self.process.ready;
        let url = ready.urls.first().map(String::as_str).unwrap_or_default();
        format!("{url}{}/{name}/", ready.mount)
    }
}

/// The cost of commits is part of every figure: this server waits for its disk.
pub(in crate::commands::bench) fn postgres() -> Outcome<Server> {
    Server::try_start(Options::new().fsync(true)).map_err(|error| {
        CommandError::machine("No throwaway PostgreSQL server can be started.")
            .cause(error)
            .hint("Install the distribution's package `postgresql`.")
    })
}

fn program() -> Result<Command> {
    Ok(Command::new(std::env::current_exe().map_err(Error::internal)?))
}

/// Loads a built-in application into a database, at its usual scale or this one.
///
/// # Errors
/// If it cannot be loaded, with what `duet load` says.
pub(in crate::commands::bench) fn load(
    sample: &str,
    url: &str,
    scale: Option<u32>,
    folder: &Path,
) -> Outcome {
    let scale = scale.map(|scale| format!("--scale={scale}"));
    let mut arguments = vec!["load", sample, "--database", url];
    arguments.extend(scale.as_deref());
    run_duet(&arguments, folder, "The sample could not be loaded.")
}

/// Runs a command of this program to its end, with its temporary files in a folder.
///
/// # Errors
/// This message, with what the command says.
pub(in crate::commands::bench) fn run_duet(
    arguments: &[&str],
    folder: &Path,
    failed: &str,
) -> Outcome {
    let output = undo::output(program()?.args(arguments).env(TEMPORARY, folder))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(CommandError::machine(failed).cause(String::from_utf8_lossy(&output.stderr))),
    }
}
