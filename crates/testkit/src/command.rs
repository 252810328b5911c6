//! Runs the `duet` binary for a test: found or built, watched until it serves, killed at the end.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

pub use nix::sys::signal::Signal;
use nix::sys::signal::kill;
use nix::unistd::Pid;
use tempfile::TempDir;

use crate::followed::Followed;

/// How long a start, a line or an end may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// So many lines of a process are shown where its test fails.
const LAST_LINES: usize = 40;

/// How often a file or a process is looked at.
const GLANCE: Duration = Duration::from_millis(5);

/// The `duet` binary: the one cargo built for this test, else the one beside the test's own
/// binary, else one built now.
///
/// # Panics
/// If it cannot be built.
pub fn duet() -> PathBuf {
    if let Some(path) = std::env::var_os("CARGO_BIN_EXE_duet") {
        return path.into();
    }
    let folder = profile_folder();
    let path = folder.join(format!("duet{}", std::env::consts::EXE_SUFFIX));
    if !path.exists() {
        build(&folder);
    }
    assert!(path.exists(), "{} was not built", path.display());
    path
}

/// The folder of the profile, such as `target/debug`: tests run from its folder `deps`.
fn profile_folder() -> PathBuf {
    let test = std::env::current_exe().unwrap_or_else(|error| panic!("current test: {error}"));
    let folder = test.parent().unwrap_or(&test);
    if folder.ends_with("deps") { folder.parent().unwrap_or(folder) } else { folder }.to_owned()
}

fn build(folder: &Path) {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["build", "-p", "duet", "--bin", "duet"]).current_dir(crate::golden::workspace());
    let profile = folder.file_name().filter(|name| *name != "debug");
    if let Some(profile) = profile {
        command.arg("--profile").arg(profile);
    }
    if let Some(target) = folder.parent() {
        command.arg("--target-dir").arg(target);
    }
    let status = command.status().unwrap_or_else(|error| panic!("cargo build: {error}"));
    assert!(status.success(), "cargo build -p duet failed");
}

/// Runs a command to its end, with nothing of Duet's or PostgreSQL's in its environment.
///
/// # Panics
/// If it cannot be run.
pub fn run<A: AsRef<OsStr>>(program: &Path, arguments: &[A]) -> Output {
    let output = clean(program).args(arguments).stdin(Stdio::null()).output();
    output.unwrap_or_else(|error| panic!("run {}: {error}", program.display()))
}

/// A command without the variables that would change what Duet does.
pub fn clean(program: &Path) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("DUET_") || text.starts_with("PG") || text == "DATABASE_URL" {
            command.env_remove(&name);
        }
    }
    command
}

/// A running server; dropping it kills it.
#[derive(Debug)]
pub struct Running {
    child: Child,
    readers: Vec<JoinHandle<()>>,
    output: Followed,
    errors: Followed,
    ready: serde_json::Value,
    _folder: TempDir,
}

impl Running {
    /// Starts `duet ARGUMENTS… --ready-file …` and returns once the file says that it serves. It
    /// listens on a free port where the arguments name no address.
    ///
    /// # Panics
    /// If it ends before, with its output.
    pub fn start<A: AsRef<OsStr>>(arguments: &[A]) -> Self {
        let mut command = clean(&duet());
        command.args(arguments).env("DUET_LISTEN", "127.0.0.1:0");
        Self::start_command(command)
    }

    /// As [`Running::start`], with a command that the test has prepared.
    ///
    /// # Panics
    /// If it ends before it serves, with its output.
    pub fn start_command(command: Command) -> Self {
        Self::start_reading(command, Stdio::null())
    }

    /// The same with a standard input.
    ///
    /// # Panics
    /// If it does not serve in time.
    pub fn start_reading(mut command: Command, input: Stdio) -> Self {
        let began = Instant::now();
        let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("folder: {error}"));
        let file = folder.path().join("ready.json");
        command.arg("--ready-file").arg(&file);
        let mut running = Self::spawn(command, input, folder);
        running.ready = running.watch(&file);
        duet_throwaway::note_start(began);
        running
    }

    /// Starts a command that serves nothing, such as a run of the bench.
    ///
    /// # Panics
    /// If it cannot be started.
    pub fn start_program(command: Command) -> Self {
        let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("folder: {error}"));
        Self::spawn(command, Stdio::null(), folder)
    }

    fn spawn(mut command: Command, input: Stdio, folder: TempDir) -> Self {
        command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("run {command:?}: {error}"));
        let pipes = child.stdout.take().zip(child.stderr.take());
        let (output, errors) = pipes.unwrap_or_else(|| panic!("run {command:?}: no pipes"));
        let (output, reads_output) = Followed::start(output.into());
        let (errors, reads_errors) = Followed::start(errors.into());
        let readers = vec![reads_output, reads_errors];
        let ready = serde_json::Value::Null;
        Self { child, readers, output, errors, ready, _folder: folder }
    }

    fn watch(&mut self, file: &Path) -> serde_json::Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let text = fs::read_to_string(file).unwrap_or_default();
            // A file that is still being written is not valid JSON yet.
            if let Ok(ready) = serde_json::from_str(&text) {
                return ready;
            }
            if let Ok(Some(status)) = self.child.try_wait() {
                self.finish_reading(deadline);
                panic!(
                    "duet ended ({status}) before it served:\n{}{}",
                    self.output(),
                    self.errors()
                );
            }
            assert!(Instant::now() < deadline, "duet does not serve:\n{}", self.errors());
            thread::sleep(GLANCE);
        }
    }

    /// What the ready file says.
    pub fn ready(&self) -> &serde_json::Value {
        &self.ready
    }

    /// The first URL it serves at, without a slash at the end.
    ///
    /// # Panics
    /// If the ready file names none.
    pub fn url(&self) -> String {
        let url = self.ready["urls"][0].as_str();
        url.unwrap_or_else(|| panic!("no URL in {}", self.ready)).trim_end_matches('/').to_owned()
    }

    /// A header `Authorization` for the client that was made for this run.
    ///
    /// # Panics
    /// If none was made, or it gets no token.
    pub fn bearer(&self) -> String {
        let text = |name: &str| {
            let value = self.ready[name].as_str();
            value.unwrap_or_else(|| panic!("no {name} in the ready file")).to_owned()
        };
        crate::http::bearer(&self.url(), &text("client_id"), &text("client_secret"))
    }

    /// All of its standard output until now.
    pub fn output(&self) -> String {
        self.output.text()
    }

    /// All of its standard error until now.
    pub fn errors(&self) -> String {
        self.errors.text()
    }

    /// Waits until standard output or error holds a text.
    ///
    /// # Panics
    /// If it does not come.
    pub fn wait_for_output(&self, text: &str) {
        let deadline = Instant::now() + PATIENCE;
        while !self.output().contains(text) && !self.errors().contains(text) {
            assert!(Instant::now() < deadline, "no {text:?} in:\n{}", self.errors());
            thread::sleep(GLANCE);
        }
    }

    /// Its process id.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Sends it a signal, such as `Signal::SIGHUP`.
    ///
    /// # Panics
    /// If it has exited.
    pub fn signal(&self, signal: Signal) {
        self::signal(self.child.id(), signal);
    }

    /// Sends `SIGTERM` and waits for its exit.
    ///
    /// # Panics
    /// If it does not end.
    pub fn stop(mut self) -> ExitStatus {
        self.signal(Signal::SIGTERM);
        self.wait()
    }

    /// Waits for its exit; its output is then complete.
    ///
    /// # Panics
    /// If it does not end.
    pub fn wait(&mut self) -> ExitStatus {
        let deadline = Instant::now() + PATIENCE;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => {
                    self.finish_reading(deadline);
                    return status;
                }
                Ok(None) => assert!(Instant::now() < deadline, "duet does not stop"),
                Err(error) => panic!("wait for duet: {error}"),
            }
            thread::sleep(GLANCE);
        }
    }

    /// Adds what the process last said to the output of a test that has failed.
    #[expect(
        clippy::print_stderr,
        reason = "the output of a test is where its failure is explained"
    )]
    fn report(&self) {
        let errors = self.errors();
        let lines: Vec<&str> = errors.lines().collect();
        let last = lines.len().saturating_sub(LAST_LINES);
        eprintln!("process {} said last:\n{}", self.child.id(), lines[last..].join("\n"));
    }

    /// A pipe ends with the last process that holds it, which may be one that the program has started.
    fn finish_reading(&mut self, deadline: Instant) {
        for reader in self.readers.drain(..) {
            while !reader.is_finished() {
                assert!(
                    Instant::now() < deadline,
                    "duet has ended, but another process holds its output:\n{}",
                    self.errors.text()
                );
                thread::sleep(GLANCE);
            }
            drop(reader.join());
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if thread::panicking() {
            self.report();
        }
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a process a signal.
///
/// # Panics
/// If it has exited.
pub fn signal(process: u32, signal: Signal) {
    let sent = kill(Pid::from_raw(process.cast_signed()), signal);
    sent.unwrap_or_else(|error| panic!("{signal} to {process}: {error}"));
}

/// Waits until something is true.
///
/// # Panics
/// If it does not become so.
pub fn wait_until(what: &str, is_true: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_true() {
        assert!(Instant::now() < deadline, "waited in vain: {what}");
        thread::sleep(GLANCE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A mock of the binary: writes its file, then waits for a signal.
    fn stand_in(script: &str) -> Command {
        let mut command = clean(Path::new("/bin/sh"));
        command.args(["-c", script, "stand-in"]);
        command
    }

    #[test]
    fn serves_and_stops() {
        let script = r#"echo hello; printf '{"urls":["http://x:1/"]}' >"$2"; exec sleep 600"#;
        let running = Running::start_command(stand_in(script));
        assert_eq!(running.url(), "http://x:1");
        running.wait_for_output("hello\n");
        assert!(!running.stop().success());
    }

    #[test]
    fn does_not_wait_for_a_process_that_keeps_the_output_open() {
        let mut command = clean(Path::new("/bin/sh"));
        command.args(["-c", "sleep 600 & echo $!."]);
        let mut running = Running::start_program(command);
        running.wait_for_output(".");
        let holder: i32 = running.output().trim_end().trim_end_matches('.').parse().unwrap();
        let read = std::panic::AssertUnwindSafe(|| running.finish_reading(Instant::now()));
        let said = std::panic::catch_unwind(read).unwrap_err();
        kill(Pid::from_raw(holder), Signal::SIGKILL).unwrap();
        let said = said.downcast::<String>().unwrap();
        assert!(said.contains("another process holds its output"), "{said}");
    }

    #[test]
    #[should_panic(expected = "no such table")]
    fn an_early_exit_reports_the_reason() {
        Running::start_command(stand_in("echo no such table >&2; exit 3"));
    }
}
