//! One `psql` that stays, for a test that asks its database thousands of times: a process and a connection for
//! each question would take most of its time.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// What is printed behind the rows of a query.
const MARK: &str = "<end of rows>";

/// A `psql` that reads scripts one after another, in one session of the database.
#[derive(Debug)]
pub struct Session {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Session {
    /// Starts a `psql` that prints rows only.
    ///
    /// # Panics
    /// If it cannot be run.
    pub(super) fn start(psql: &mut Command) -> Self {
        // Notices would fill a pipe that is read only after an error.
        psql.env("PGOPTIONS", "-c client_min_messages=error");
        psql.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = psql.spawn().unwrap_or_else(|error| panic!("cannot run psql: {error}"));
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (input, output) = pipes.unwrap_or_else(|| panic!("psql has no pipes"));
        Self { child, input, output: BufReader::new(output) }
    }

    /// Runs a script and returns the selected rows, one line a row, columns joined by `|`.
    ///
    /// # Panics
    /// If a statement fails, with the server's message.
    pub fn query(&mut self, script: &str) -> String {
        self.try_query(script).unwrap_or_else(|said| panic!("SQL failed: {said}\n{script}"))
    }

    /// The same with the server's message as an error, after which the session is of no more use.
    pub(super) fn try_query(&mut self, script: &str) -> Result<String, String> {
        // psql stops at the first error: its output then ends before the mark.
        let sent =
            write!(self.input, "{script}\n;\n\\echo {MARK}\n").and_then(|()| self.input.flush());
        let mut rows = String::new();
        let mut line = String::new();
        while sent.is_ok() && self.output.read_line(&mut line).is_ok_and(|bytes| bytes > 0) {
            if line.trim_end() == MARK {
                return Ok(rows.trim_end().to_owned());
            }
            rows.push_str(&line);
            line.clear();
        }
        let mut said = String::new();
        if let Some(errors) = &mut self.child.stderr {
            drop(errors.read_to_string(&mut said));
        }
        Err(said)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
