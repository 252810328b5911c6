//! A server that a command starts for itself, on a free port of this machine, and ends with itself.

use std::path::Path;
use std::process::Command;

use duet_bench::targets::http::Url;
use duet_model::{Error, Result};

use crate::commands::bench::started::server_process::ServerProcess;
use crate::commands::bench::started::signals;
use crate::commands::bench::started::undo::Folder;
use crate::report::Outcome;

/// The server; dropping it ends it.
pub(super) struct OwnServer {
    process: ServerProcess,
    _folder: Folder,
}

impl OwnServer {
    /// Serves an application or a database, with the clients of a state file, if there is one.
    ///
    /// # Errors
    /// If it does not start, with what it says.
    pub(super) fn start(source: &str, state: Option<&Path>, flags: &[&str]) -> Outcome<Self> {
        // Before it is started: a signal ends it too.
        signals::watch();
        let folder = Folder::new()?;
        let mut command = Command::new(std::env::current_exe().map_err(Error::internal)?);
        command.args(["serve", source, "--listen", "127.0.0.1:0"]).args(flags);
        if let Some(state) = state {
            command.arg("--state").arg(state);
        }
        let process = ServerProcess::start(command, folder.path())?;
        Ok(Self { process, _folder: folder })
    }

    /// Its address.
    ///
    /// # Errors
    /// `Internal` if it has none.
    pub(super) fn url(&self) -> Result<Url> {
        let url = self.process.ready.urls.first().map(String::as_str).unwrap_or_default();
        url.parse().map_err(|_| Error::internal("the server has no address"))
    }

    /// The client that was made for the run, if there was no other.
    pub(super) fn client(&self) -> Option<(String, String)> {
        Some(self.process.ready.client.clone()).filter(|(id, _)| !id.is_empty())
    }
}
