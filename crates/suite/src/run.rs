//! One run of a test program: its events, its log, and its end if it hangs.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::programs::Program;

/// How long a program may run without the end of a test: then it is killed, and the tests it was in have failed.
const SILENCE: Duration = Duration::from_secs(600);

/// How a test ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    Passed,
    /// With what it printed.
    Failed(String),
    /// With the reason.
    Ignored(String),
}

/// A test that was run.
#[derive(Clone, Debug)]
pub(super) struct Test {
    pub(super) name: String,
    pub(super) seconds: f64,
    pub(super) ending: Ending,
}

/// A program that was run.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) program: Program,
    pub(super) tests: Vec<Test>,
    pub(super) seconds: f64,
    /// Every line that it printed.
    pub(super) log: PathBuf,
    /// What is wrong with the program as a whole, such as its end by a signal.
    pub(super) trouble: Option<String>,
}

/// How programs are run.
#[derive(Clone, Debug)]
pub(super) struct Manner {
    /// Tests at once, within a program.
    pub(super) threads: usize,
    /// Arguments of the test harness, such as a filter.
    pub(super) arguments: Vec<String>,
    /// The folder of the logs.
    pub(super) logs: PathBuf,
    /// Variables that tests find.
    pub(super) surroundings: Vec<(&'static str, OsString)>,
}

impl Manner {
    /// All tests, one at a time.
    pub(super) fn new(logs: &Path) -> Self {
        Self { threads: 1, arguments: Vec::new(), logs: logs.to_owned(), surroundings: Vec::new() }
    }
}

/// Runs a program to its end.
pub(super) fn run(program: &Program, manner: &Manner) -> Outcome {
    let started = Instant::now();
    let log = manner.logs.join(format!("{}.log", program.name()));
    let mut seen = Seen::default();
    let trouble = match watched(program, manner, &log, &mut seen) {
        Ok(trouble) => trouble,
        Err(error) => Some(format!("cannot be run: {error}")),
    };
    let seconds = started.elapsed().as_secs_f64();
    let tests = seen.tests(trouble.as_deref());
    Outcome { program: program.clone(), tests, seconds, log, trouble }
}

fn watched(
    program: &Program,
    manner: &Manner,
    log: &Path,
    seen: &mut Seen,
) -> std::io::Result<Option<String>> {
    let mut log = File::create(log)?;
    let mut child = start(program, manner, log.try_clone()?)?;
    let lines = lines(&mut child);
    loop {
        match lines.recv_timeout(SILENCE) {
            Ok(line) => {
                writeln!(log, "{line}")?;
                seen.line(&line);
            }
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                child.kill()?;
                child.wait()?;
                let seconds = SILENCE.as_secs();
                return Ok(Some(format!("no test ended within {seconds} s; it was killed")));
            }
        }
    }
    let status = child.wait()?;
    // 101: tests failed, and have been counted.
    let fine = status.success() || (status.code() == Some(101) && seen.complete);
    Ok((!fine).then(|| format!("it ended early, with {status}")))
}

fn start(program: &Program, manner: &Manner, errors: File) -> std::io::Result<Child> {
    Command::new(&program.path)
        .args(&manner.arguments)
        .args(["-Z", "unstable-options", "--format", "json", "--report-time"])
        .args(["--test-threads", &manner.threads.to_string()])
        .current_dir(&program.folder)
        // With this variable the harness has events with times on any toolchain.
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_MANIFEST_DIR", &program.folder)
        .envs(manner.surroundings.iter().map(|(name, value)| (name, value)))
        .envs(program.variables.iter().map(|(name, path)| (name, path)))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(errors)
        .spawn()
}

/// The lines of the standard output, from a thread of their own.
fn lines(child: &mut Child) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    if let Some(output) = child.stdout.take() {
        thread::spawn(move || {
            let mut reader = BufReader::new(output);
            let mut line = Vec::new();
            while reader.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
                let text = String::from_utf8_lossy(&line).trim_end().to_owned();
                if sender.send(text).is_err() {
                    break;
                }
                line.clear();
            }
        });
    }
    receiver
}

/// What the events said so far.
#[derive(Debug, Default)]
struct Seen {
    ended: Vec<Test>,
    running: BTreeMap<String, Instant>,
    complete: bool,
}

impl Seen {
    fn line(&mut self, line: &str) {
        // A child of a test may print to the same place; what is no event is kept in the log alone.
        let Ok(event) = serde_json::from_str::<Value>(line) else { return };
        let text = |name: &str| event[name].as_str().unwrap_or_default().to_owned();
        let ending = match (text("type").as_str(), text("event").as_str()) {
            ("suite", "ok" | "failed") => {
                self.complete = true;
                return;
            }
            ("test", "started") => {
                self.running.insert(text("name"), Instant::now());
                return;
            }
            ("test", "ok") => Ending::Passed,
            ("test", "failed") => Ending::Failed(text("stdout") + &text("message")),
            ("test", "ignored") => Ending::Ignored(text("message")),
            _ => return,
        };
        let seconds = event["exec_time"].as_f64().unwrap_or(0.0);
        self.running.remove(&text("name"));
        self.ended.push(Test { name: text("name"), seconds, ending });
    }

    /// All tests; those that had no end have failed.
    fn tests(mut self, trouble: Option<&str>) -> Vec<Test> {
        let said = trouble.unwrap_or("the program ended meanwhile");
        self.ended.extend(self.running.into_iter().map(|(name, since)| Test {
            name,
            seconds: since.elapsed().as_secs_f64(),
            ending: Ending::Failed(format!("{said}\n")),
        }));
        self.ended
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_become_tests_and_those_without_an_end_have_failed() {
        let mut seen = Seen::default();
        for line in [
            r#"{"type":"suite","event":"started","test_count":4}"#,
            r#"{"type":"test","event":"started","name":"a"}"#,
            r#"{"type":"test","event":"started","name":"b"}"#,
            "a child prints this",
            r#"{"type":"test","name":"a","event":"ok","exec_time":1.5}"#,
            r#"{"type":"test","event":"started","name":"c"}"#,
            r#"{"type":"test","name":"c","event":"failed","exec_time":0.1,"stdout":"left: 1"}"#,
            r#"{"type":"test","event":"started","name":"d"}"#,
            r#"{"type":"test","name":"d","event":"ignored","message":"needs k6"}"#,
        ] {
            seen.line(line);
        }
        assert!(!seen.complete);
        let tests = seen.tests(Some("killed"));
        let endings: Vec<_> = tests.iter().map(|test| (test.name.as_str(), &test.ending)).collect();
        let failed = |text: &str| Ending::Failed(text.to_owned());
        assert_eq!(
            endings,
            [
                ("a", &Ending::Passed),
                ("c", &failed("left: 1")),
                ("d", &Ending::Ignored("needs k6".to_owned())),
                ("b", &failed("killed\n")),
            ]
        );
    }
}
