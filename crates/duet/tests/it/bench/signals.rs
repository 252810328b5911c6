//! How runs end that are told to: by SIGTERM or SIGHUP as by Ctrl-C with what was measured, and at once when they are
//! told twice.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

use std::fs;
use std::path::Path;

use duet_testkit::command::{Running, Signal, clean, signal, wait_until};
use duet_testkit::skipped;
use serde_json::Value;

/// A run that would last until tomorrow, under way: seconds with transactions have been told.
pub(crate) fn started(words: &[&str], out: &Path) -> Running {
    let mut command = clean(Path::new(env!("CARGO_BIN_EXE_duet")));
    command.args(["bench", "run", "rest", "--duration", "24h", "--warmup", "0s"]);
    command.args(words).arg("--out").arg(out);
    let run = Running::start_program(command);
    let rows = out.join("seconds.ndjson");
    let completed = |line: &str| {
        let second: Option<Value> = serde_json::from_str(line).ok();
        second.and_then(|second| second["completed"].as_u64()).unwrap_or(0)
    };
    wait_until("two seconds of the run", || {
        let text = fs::read_to_string(&rows).unwrap_or_default();
        text.lines().filter(|line| completed(line) > 0).count() >= 2
    });
    run
}

fn result(out: &Path) -> Value {
    serde_json::from_slice(&fs::read(out.join("result.json")).unwrap()).unwrap()
}

/// What `/proc/<id>/stat` says behind the program's name; none of a process that has ended.
fn stat(id: u32) -> Option<(char, u32)> {
    let text = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let mut words = text.rsplit_once(')')?.1.split_whitespace();
    let state = words.next()?.chars().next()?;
    (state != 'Z').then_some((state, words.next()?.parse().ok()?))
}

/// The children of a process whose command line holds a word.
pub(crate) fn children(of: u32, word: &str) -> Vec<u32> {
    let all = fs::read_dir("/proc").unwrap();
    let ids = all.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let is_one = |id: &u32| {
        let line = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        let has_word = line.split(|byte| *byte == 0).any(|part| part == word.as_bytes());
        has_word && stat(*id).is_some_and(|(_, parent)| parent == of)
    };
    ids.filter(is_one).collect()
}

fn wait_for_end(processes: &[u32]) {
    wait_until("the end of the processes", || processes.iter().all(|id| stat(*id).is_none()));
}

#[test]
fn sigterm_keeps_what_all_processes_measured() {
    keeps_what_all_processes_measured(Signal::SIGTERM);
}

#[test]
fn the_end_of_the_terminal_keeps_it_too() {
    // The bench then ignores the signal too, as a program under `nohup` shall.
    if ignores_hangup() {
        return skipped("bench_signals::the_end_of_the_terminal_keeps_it_too", "SIGHUP is ignored");
    }
    keeps_what_all_processes_measured(Signal::SIGHUP);
}

/// Whether this process was started with SIGHUP ignored, which its children inherit.
fn ignores_hangup() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask & 1 != 0)
}

fn keeps_what_all_processes_measured(told_by: Signal) {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let mut run = started(&["--layout", "2x4"], &out);
    let workers = children(run.process(), "worker");
    assert_eq!(workers.len(), 2);
    let server = children(run.process(), "demo");
    // A service manager signals all processes, in any order.
    workers.iter().for_each(|id| signal(*id, told_by));
    run.signal(told_by);
    let status = run.wait();
    let code = if told_by == Signal::SIGTERM { 143 } else { 129 };
    assert_eq!(status.code(), Some(code), "{}{}", run.output(), run.errors());
    let stopped = "stopping; once more to give up\nerror: stopped before the run was done\n";
    assert_eq!(run.errors(), stopped);
    assert!(run.output().contains("The run was interrupted"), "{}", run.output());
    wait_for_end(&[workers, server].concat());
    let result = result(&out);
    assert_eq!(result["window"]["ended_by"], "interrupted");
    assert_eq!(result["ledger"]["balanced"], true, "{}", result["ledger"]);
    for process in result["processes"].as_array().unwrap() {
        assert!(
            process["finished"] == true && process["completed"].as_u64() > Some(0),
            "{process}"
        );
    }
    assert!(!out.join("seconds.ndjson").exists());
}

#[test]
fn arrivals_after_an_interruption_are_not_missed() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    // Thousands of seconds from arrival to arrival of most users: the run does not wait for them.
    let mut run = started(&["--rate", "100", "--users", "64"], &out);
    run.signal(Signal::SIGINT);
    assert_eq!(run.wait().code(), Some(130), "{}{}", run.output(), run.errors());
    let result = result(&out);
    // 8,640,000 were planned until tomorrow.
    assert!(result["totals"]["unsent"].as_u64().unwrap() < 1_000, "{}", result["totals"]);
    assert_eq!(result["window"]["ended_by"], "interrupted");
}

/// Nothing can be done at the end of a run that is killed: its seconds are on the disk by then.
#[test]
fn a_killed_run_is_recovered_from_its_seconds() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let mut run = started(&["--quiet"], &out);
    let server = children(run.process(), "demo");
    run.signal(Signal::SIGKILL);
    run.wait();
    server.iter().for_each(|id| signal(*id, Signal::SIGKILL));
    assert!(!out.join("result.json").exists());
    let rows = fs::read_to_string(out.join("seconds.ndjson")).unwrap();
    let whole = rows.lines().filter(|row| serde_json::from_str::<Value>(row).is_ok()).count();
    let page = crate::duet_says(&["bench", "report", out.to_str().unwrap()]);
    assert!(page.contains(&format!("recovered, {whole} seconds")), "{whole}: {page}");
    assert!(page.contains("The run ended early: killed."), "{page}");
}

/// Waits until processes only wait: each of their users has sent a request that is not answered.
fn wait_until_idle(processes: &[u32]) {
    let times = || -> Vec<String> {
        let stat = |id: &u32| fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        // User and system time are the 12th and 13th field behind the name.
        let time = |text: String| {
            let fields = text.rsplit(") ").next().unwrap_or_default().split(' ').skip(11);
            fields.take(2).collect::<Vec<_>>().join(" ")
        };
        processes.iter().map(|id| time(stat(id))).collect()
    };
    wait_until("every user waits", || {
        let before = times();
        std::thread::sleep(std::time::Duration::from_millis(100));
        before == times()
    });
}

#[test]
fn the_second_signal_ends_everything_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    // What is under way is never given up by itself, however long the second signal takes.
    let mut run = started(&["--layout", "2x4", "--timeout", "1h"], &out);
    let workers = children(run.process(), "worker");
    let server = children(run.process(), "demo");
    assert_eq!((workers.len(), server.len()), (2, 1));
    // It does not respond any more: what is under way stays so.
    signal(server[0], Signal::SIGSTOP);
    wait_until_idle(&workers);
    run.signal(Signal::SIGINT);
    run.wait_for_output("stopping; once more to give up\n");
    run.signal(Signal::SIGINT);
    assert_eq!(run.wait().code(), Some(130), "{}{}", run.output(), run.errors());
    assert_eq!(run.errors(), "stopping; once more to give up\n");
    wait_for_end(&[workers, server].concat());
    assert!(!out.join("result.json").exists());
}
