//! One database of a throwaway server: its URL, and SQL scripts run by `psql`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::session::Session;

/// A database of a throwaway server.
#[derive(Clone, Debug)]
pub struct Database {
    /// Its name.
    pub name: String,
    psql: PathBuf,
    folder: PathBuf,
    port: u16,
}

impl Database {
    pub(super) fn new(psql: PathBuf, folder: &Path, port: u16, name: &str) -> Self {
        Self { name: name.to_owned(), psql, folder: folder.to_owned(), port }
    }

    /// Its URL by the Unix socket, as libpq and Duet take it.
    pub fn url(&self) -> String {
        let Self { name, folder, port, .. } = self;
        format!("postgres:///{name}?host={}&port={port}&user=postgres", folder.display())
    }

    /// Runs a script (any number of statements, `COPY … FROM stdin` included).
    ///
    /// # Panics
    /// If a statement fails, with the server's message.
    pub fn exec(&self, script: &str) {
        self.run(&["-q"], script);
    }

    /// Runs a script and returns the selected rows, one line a row, columns joined by `|`.
    ///
    /// # Panics
    /// If a statement fails, with the server's message.
    pub fn query(&self, script: &str) -> String {
        self.run(&["-q", "-A", "-t"], script).trim_end().to_owned()
    }

    /// Runs a script and returns the server's message if a statement failed.
    pub fn try_exec(&self, script: &str) -> Result<(), String> {
        self.psql(&["-q"], script).map(drop)
    }

    fn run(&self, options: &[&str], script: &str) -> String {
        self.psql(options, script)
            .unwrap_or_else(|said| panic!("SQL failed in database {}: {said}", self.name))
    }

    /// One session of the database for many questions of a test.
    ///
    /// # Panics
    /// If `psql` cannot be run.
    pub fn session(&self) -> Session {
        Session::start(&mut self.command(&["-q", "-A", "-t"]))
    }

    /// `psql` as it is always run: it reads its standard input, and stops at the first error.
    fn command(&self, options: &[&str]) -> Command {
        let mut command = Command::new(&self.psql);
        command
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("PGCLIENTENCODING", "UTF8")
            .args(["-X", "-v", "ON_ERROR_STOP=1", "-U", "postgres", "-f", "-"])
            .args(options)
            .arg("-h")
            .arg(&self.folder)
            .args(["-p", &self.port.to_string(), "-d", &self.name]);
        command
    }

    fn psql(&self, options: &[&str], script: &str) -> Result<String, String> {
        let mut child = self
            .command(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("cannot run psql: {error}"))?;
        // psql reads all of its input before it exits, so its output must be read concurrently.
        let input = child.stdin.take();
        let output = std::thread::scope(|scope| {
            scope.spawn(move || input.map(|mut pipe| pipe.write_all(script.as_bytes())));
            child.wait_with_output()
        })
        .map_err(|error| format!("cannot wait for psql: {error}"))?;
        if output.status.success() {
            Ok(String::from_utf8_lossy(&output.stdout).into_owned())
        } else {
            Err(String::from_utf8_lossy(&output.stderr).into_owned())
        }
    }
}
