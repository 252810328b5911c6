//! This very program once more, as a process of its own: for what one process cannot do, such as
//! hold both ends of ten thousand connections, or be another user.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{ChildStdin, ChildStdout, Command, Stdio};

const ROLE: &str = "DUET_HTTP_TEST_CHILD";

/// What this process was started to be, if it is a child.
pub(crate) fn child_role() -> Option<String> {
    std::env::var(ROLE).ok()
}

/// A child that runs one ignored test of this binary.
pub(crate) struct Child {
    process: std::process::Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Child {
    /// Starts the test `name` (with its modules) as a child; `role` tells it what to do.
    pub(crate) fn start(name: &str, role: &str, change: impl FnOnce(&mut Command)) -> Self {
        Self::start_binary(&std::env::current_exe().unwrap(), name, role, change)
    }

    /// The same from a copy of this program.
    pub(crate) fn start_binary(
        program: &Path,
        name: &str,
        role: &str,
        change: impl FnOnce(&mut Command),
    ) -> Self {
        let mut command = Command::new(program);
        command
            .args(["--exact", name, "--ignored", "--nocapture", "--test-threads=1"])
            .env(ROLE, role)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        change(&mut command);
        let mut process = command.spawn().unwrap();
        let input = process.stdin.take();
        let output = BufReader::new(process.stdout.take().unwrap());
        Self { process, input, output }
    }

    /// Reads lines until one begins with `word`, and gives the rest of that.
    #[track_caller]
    pub(crate) fn wait_for(&mut self, word: &str) -> String {
        let mut seen = String::new();
        loop {
            let mut line = String::new();
            let read = self.output.read_line(&mut line).unwrap();
            assert!(read > 0, "the child has ended without {word:?}: {seen}");
            if let Some(rest) = line.trim_end().strip_prefix(word) {
                return rest.trim().to_owned();
            }
            seen.push_str(&line);
        }
    }

    /// Writes a line to it.
    pub(crate) fn say(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        writeln!(input, "{line}").unwrap();
        input.flush().unwrap();
    }

    /// Ends it at once, as a crash would, and returns when it has ended.
    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Tells it to end (its input ends), and waits for it.
    #[track_caller]
    pub(crate) fn finish(mut self) -> String {
        drop(self.input.take());
        let mut rest = String::new();
        std::io::Read::read_to_string(&mut self.output, &mut rest).unwrap();
        let status = self.process.wait().unwrap();
        assert!(status.success(), "the child failed: {rest}");
        rest
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // Nothing can be done about one that has ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
