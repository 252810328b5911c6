//! A Duet server on an existing database: a `duet` process that listens on TCP and a local socket.

use std::ffi::OsStr;
use std::process::Command;
use std::time::Duration;

use duet_bench::targets::http::Url;
use duet_bench::workload::cannot;
use duet_bench::workload::rest::{Access, authorize};
use duet_model::Error;

use super::server_process::ServerProcess;
use super::undo::Folder;
use crate::command_error::CommandError;
use crate::report::Outcome;

/// For requests before the runs.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A server; dropping it ends it.
#[derive(Debug)]
pub(in crate::commands::bench) struct Served {
    process: ServerProcess,
    /// The value of `Authorization`; it is valid for a day.
    authorization: Option<String>,
    _folder: Folder,
}

impl Served {
    /// Serves a database, in the syntax of the command line, with an application's definition.
    ///
    /// # Errors
    /// If the server does not start, or issues no token.
    pub(in crate::commands::bench) fn start(
        database: &str,
        application: &str,
        more: &[&str],
    ) -> Outcome<Self> {
        let folder = Folder::new()?;
        let file = folder.path().join("app.toml");
        std::fs::write(&file, application).map_err(Error::internal)?;
        Self::begin(database, [OsStr::new("--config"), file.as_os_str()], more, folder)
    }

    /// Serves a database with a built-in application.
    ///
    /// # Errors
    /// As [`Served::start`].
    pub(in crate::commands::bench) fn start_built_in(
        database: &str,
        name: &str,
        more: &[&str],
    ) -> Outcome<Self> {
        Self::begin(database, [OsStr::new("--app"), OsStr::new(name)], more, Folder::new()?)
    }

    /// Starts the server, and gets a token.
    fn begin(
        database: &str,
        application: [&OsStr; 2],
        more: &[&str],
        folder: Folder,
    ) -> Outcome<Self> {
        let mut socket = OsStr::new("unix:").to_owned();
        socket.push(folder.path().join("socket"));
        let mut command = Command::new(std::env::current_exe().map_err(Error::internal)?);
        // The command line is visible to all users, and the database's URL may hold a password.
        command.env("DUET_DATABASE", database);
        command.args(["serve", "--listen", "127.0.0.1:0", "--listen"]).arg(socket);
        // One token for all runs, however long they take.
        command.args(["--token-lifetime", "24h"]).args(application).args(more);
        let process = ServerProcess::start(command, folder.path())?;
        let mut served = Self { process, authorization: None, _folder: folder };
        // Token endpoints are beside resources.
        let url: Url = format!("{}/any", served.mount("tcp")).parse().map_err(wrong)?;
        let access =
            Access { client: Some(served.process.ready.client.clone()), ..Access::default() };
        let options = crate::runtime::runtime()?.block_on(authorize(&url, &access, TIMEOUT));
        served.authorization =
            options.map_err(|failed| cannot("The server cannot be measured", &failed))?;
        Ok(served)
    }

    /// The application's URL by `tcp` or `unix`, in the bench's syntax.
    pub(in crate::commands::bench) fn mount(&self, transport: &str) -> String {
        let ready = &self.process.ready;
        let is_it = |url: &&String| url.starts_with("unix:") == (transport == "unix");
        let url = ready.urls.iter().find(is_it).map(String::as_str).unwrap_or_default();
        match transport {
            "unix" => format!("{url}:{}", ready.mount),
            _ => format!("{url}{}", ready.mount),
        }
    }

    /// The value of `Authorization` for its requests.
    pub(in crate::commands::bench) fn authorization(&self) -> Option<String> {
        self.authorization.clone()
    }

    /// The same as credentials of a service's users.
    pub(in crate::commands::bench) fn access(&self) -> Access {
        let bearer = self.authorization.as_deref().and_then(|value| value.strip_prefix("Bearer "));
        Access { token: bearer.map(str::to_owned), ..Access::default() }
    }
}

/// An invalid URL.
pub(in crate::commands::bench) fn wrong(message: String) -> CommandError {
    CommandError::server(message)
}
