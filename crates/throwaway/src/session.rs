//! One `psql` that stays, for a test that asks its database thousands of times: a process and a connection for
//! each question would take most of its time.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// What is printed behind the rows of a query.
const MARK: &str = "<end of rows>";

/// Undoes what the end of a connection would undo.
const RESET: &str = "ROLLBACK;\nDISCARD ALL;";

/// Has the server count what the session did at once, as it does where a connection ends.
const COUNTED: &str = "SELECT pg_catalog.pg_stat_force_next_flush() \\g /dev/null";

/// The first version of PostgreSQL that can be asked for that.
const COUNTS_WHEN_ASKED: u32 = 150_000;

/// A `psql` that reads scripts one after another, in one session of the database.
#[derive(Debug)]
pub struct PsqlSession {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// What is run behind a script that is to leave nothing.
    reset: String,
}

impl PsqlSession {
    /// Starts a `psql` that prints rows only.
    ///
    /// # Errors
    /// A text, if it cannot be run or does not connect.
    pub(super) fn start(psql: &mut Command) -> Result<Self, String> {
        // Notices would fill a pipe that is read only after an error.
        psql.env("PGOPTIONS", "-c client_min_messages=error");
        psql.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = psql.spawn().map_err(|error| format!("cannot run psql: {error}"))?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (input, output) = pipes.ok_or("psql has no pipes")?;
        let output = BufReader::new(output);
        let mut session = Self { child, input, output, reset: RESET.to_owned() };
        let version = session.try_query("\\echo :SERVER_VERSION_NUM")?;
        if version.parse().is_ok_and(|version: u32| version >= COUNTS_WHEN_ASKED) {
            session.reset = format!("{RESET}\n{COUNTED}");
        }
        Ok(session)
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
        self.answer(&format!("{script}\n;\n\\echo {MARK}\n"))
    }

    /// The same, and nothing of the script is left in the session.
    pub(super) fn script(&mut self, script: &str) -> Result<String, String> {
        let reset = &self.reset;
        self.answer(&format!("{script}\n;\n{reset}\n\\echo {MARK}\n"))
    }

    /// Whether the server still answers.
    pub(super) fn is_alive(&mut self) -> bool {
        self.try_query("").is_ok()
    }

    /// The rows before the mark.
    fn answer(&mut self, script: &str) -> Result<String, String> {
        let Self { child, input, output, .. } = self;
        // psql writes rows before it has read all of a long script.
        let rows = std::thread::scope(|scope| {
            scope.spawn(move || input.write_all(script.as_bytes()).and_then(|()| input.flush()));
            rows(output)
        });
        // It stops at the first error: its output then ends before the mark.
        rows.ok_or_else(|| {
            let mut said = String::new();
            if let Some(errors) = &mut child.stderr {
                drop(errors.read_to_string(&mut said));
            }
            said
        })
    }
}

/// What is printed before the mark; nothing where the output ends first.
fn rows(output: &mut BufReader<ChildStdout>) -> Option<String> {
    let (mut rows, mut line) = (String::new(), String::new());
    while output.read_line(&mut line).is_ok_and(|bytes| bytes > 0) {
        if line.trim_end() == MARK {
            return Some(rows.trim_end().to_owned());
        }
        rows.push_str(&line);
        line.clear();
    }
    None
}

impl Drop for PsqlSession {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
