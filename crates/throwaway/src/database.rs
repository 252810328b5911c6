//! One database of a throwaway server: its URL, and SQL scripts run by `psql`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};

use crate::session::PsqlSession;

/// A database of a throwaway server.
#[derive(Clone, Debug)]
pub struct Database {
    /// Its name.
    pub name: String,
    psql: PathBuf,
    folder: PathBuf,
    port: u16,
    /// The session of the last script, for the next one: a process and a connection for each script would take longer
    /// than most scripts.
    idle: Arc<Mutex<Option<PsqlSession>>>,
}

impl Database {
    pub(super) fn new(psql: PathBuf, folder: &Path, port: u16, name: &str) -> Self {
        let (name, folder, idle) = (name.to_owned(), folder.to_owned(), Arc::default());
        Self { name, psql, folder, port, idle }
    }

    /// Its URL by the Unix socket, as libpq and Duet take it.
    pub fn url(&self) -> String {
        let Self { name, folder, port, .. } = self;
        format!("postgres:///{name}?host={}&port={port}&user=postgres", folder.display())
    }

    /// Runs a script (any number of statements, `COPY … FROM stdin` included). What it leaves open or sets for its session
    /// ends with it.
    ///
    /// # Panics
    /// If a statement fails, with the server's message.
    pub fn exec(&self, script: &str) {
        self.query(script);
    }

    /// Runs a script and returns the selected rows, one line a row, columns joined by `|`.
    ///
    /// # Panics
    /// If a statement fails, with the server's message.
    pub fn query(&self, script: &str) -> String {
        self.run(script)
            .unwrap_or_else(|said| panic!("SQL failed in database {}: {said}", self.name))
    }

    /// Runs a script and returns the server's message if a statement failed.
    pub fn try_exec(&self, script: &str) -> Result<(), String> {
        self.run(script).map(drop)
    }

    /// Scripts of several threads run beside each other, each in a session of its own.
    fn run(&self, script: &str) -> Result<String, String> {
        let kept = self.idle.lock().unwrap_or_else(PoisonError::into_inner).take();
        // The server may have ended it.
        let kept = kept.and_then(|mut session| session.is_alive().then_some(session));
        let mut session = match kept {
            Some(session) => session,
            None => PsqlSession::start(&mut self.command())?,
        };
        let said = session.script(script)?;
        *self.idle.lock().unwrap_or_else(PoisonError::into_inner) = Some(session);
        Ok(said)
    }

    /// One session of the database for many questions of a test.
    ///
    /// # Panics
    /// If `psql` cannot be run.
    pub fn session(&self) -> PsqlSession {
        PsqlSession::start(&mut self.command()).unwrap_or_else(|error| panic!("{error}"))
    }

    /// `psql` as it is always run: it reads its standard input, prints rows only, and stops at the first error.
    fn command(&self) -> Command {
        let mut command = Command::new(&self.psql);
        command
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("PGCLIENTENCODING", "UTF8")
            .args(["-X", "-v", "ON_ERROR_STOP=1", "-U", "postgres", "-f", "-", "-q", "-A", "-t"])
            .arg("-h")
            .arg(&self.folder)
            .args(["-p", &self.port.to_string(), "-d", &self.name]);
        command
    }
}
