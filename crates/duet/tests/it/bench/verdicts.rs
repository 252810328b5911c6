//! The bench's verdicts and exit codes, on services of this process whose difference is known and so large
//! that no busy machine hides it: they wait before they answer, or fail by count.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use duet_testkit::command::{Running, Signal, clean, signal, wait_until};
use serde_json::Value;

use super::signals::{children, started};
use crate::{duet, told};

/// What a service does before it answers, and which requests of a connection fail.
#[derive(Clone, Copy)]
pub(crate) struct Manner {
    pub(crate) delay: Duration,
    /// Whether a request fails, by the numbers of its connection and of itself there.
    pub(crate) fails: fn(usize, usize) -> bool,
    /// They fail while this is true.
    pub(crate) while_true: &'static AtomicBool,
    /// While this is true, nothing is answered.
    pub(crate) hangs: &'static AtomicBool,
}

static ALWAYS: AtomicBool = AtomicBool::new(true);
static NEVER: AtomicBool = AtomicBool::new(false);

pub(crate) const FAST: Manner = Manner {
    delay: Duration::from_millis(1),
    fails: |_, _| false,
    while_true: &ALWAYS,
    hangs: &NEVER,
};
pub(crate) const SLOW: Manner = Manner { delay: Duration::from_millis(60), ..FAST };
pub(crate) const FAILING: Manner = Manner { fails: |_, asked| asked % 2 == 0, ..FAST };

/// A service on a free port, for as long as the tests run; its URL.
pub(crate) fn service(manner: Manner) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/thing", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for (number, stream) in listener.incoming().flatten().enumerate() {
            std::thread::spawn(move || serve(stream, number, manner));
        }
    });
    url
}

fn serve(mut stream: TcpStream, number: usize, manner: Manner) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    let (mut asked, mut buffer, mut chunk) = (0, Vec::new(), [0; 1024]);
    loop {
        while !buffer.ends_with(b"\r\n\r\n") {
            let read = stream.read(&mut chunk).ok().filter(|read| *read > 0)?;
            buffer.extend_from_slice(&chunk[..read]);
        }
        buffer.clear();
        asked += 1;
        // The service time that a test wants to be measured.
        std::thread::sleep(manner.delay);
        while manner.hangs.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(20));
        }
        let fails = (manner.fails)(number, asked);
        let status = match fails && manner.while_true.load(Ordering::Relaxed) {
            true => "500 Internal Server Error",
            false => "200 OK",
        };
        let head = format!("HTTP/1.1 {status}\r\nContent-Type: application/json\r\n");
        let answer = format!("{head}Content-Length: 11\r\n\r\n{{\"ok\":true}}");
        stream.write_all(answer.as_bytes()).ok()?;
    }
}

fn bench(words: &[&str], out: &Path) -> (i32, String, String) {
    duet(&[&["bench"], words, &["--out", out.to_str().unwrap()]].concat())
}

/// The row of a figure in a table of verdicts.
fn row<'a>(said: &'a str, name: &str) -> &'a str {
    said.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{name}: {said}"))
}

/// Four users, so that the slow one answers 60 a second: enough for a median, on any machine.
fn ab(a: &str, b: &str, out: &Path) -> (i32, String, String) {
    let words = ["run", a, b, "--rounds", "4", "--duration", "800ms"];
    bench(&[&words[..], &["--users", "4", "--warmup", "0s"]].concat(), out)
}

#[test]
fn a_slower_service_is_slower_and_a_faster_one_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let (fast, slow) = (service(FAST), service(SLOW));
    let (code, said, errors) = ab(&fast, &slow, &folder.path().join("slower"));
    assert_eq!((code, &*errors), (2, ""), "{said}");
    for figure in ["throughput", "p50"] {
        assert!(row(&said, figure).ends_with("  slower"), "{said}");
    }
    assert!(said.contains("\nA: none of ") && said.contains("\nB: none of "), "{said}");
    assert!(said.contains("\nNext: duet bench report "), "{said}");
    let (code, said, errors) = ab(&slow, &fast, &folder.path().join("faster"));
    assert_eq!((code, &*errors), (0, ""), "{said}");
    for figure in ["throughput", "p50"] {
        assert!(row(&said, figure).ends_with("  faster"), "{said}");
    }
}

#[test]
fn a_side_that_fails_is_no_winner() {
    let folder = tempfile::tempdir().unwrap();
    // It is twenty times as fast, and every other answer is wrong.
    let (code, said, errors) = ab(&service(SLOW), &service(FAILING), folder.path());
    assert_eq!(code, 3, "{said}");
    assert!(errors.contains(" B 1: ") && errors.contains(" % (--errors)"), "{errors}");
    assert!(said.contains("\nA: none of "), "{said}");
    let failed = said.lines().find(|line| line.starts_with("B: ")).unwrap();
    assert!(failed.contains(" failed (") && said.contains("check "), "{said}");
    let text = fs::read_to_string(folder.path().join("ab.json")).unwrap();
    let kept: Value = serde_json::from_str(&text).unwrap();
    assert!(kept["failures"][1]["kinds"]["check"].as_u64() > Some(0), "{}", kept["failures"]);
}

#[test]
fn a_run_that_failed_too_often_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let url = service(FAILING);
    let run = |more: &[&str]| {
        let words = ["run", "rest", "--target", &url, "--users", "1", "--iterations", "40", "-q"];
        let out = tempfile::tempdir_in(&folder).unwrap();
        bench(&[&words[..], more].concat(), out.path())
    };
    let (code, said, errors) = run(&[]);
    let told = "50 % of the transactions failed; the limit is 1 % (--errors)";
    assert_eq!((code, errors), (3, format!("error: {told}\n")), "{said}");
    assert!(said.contains(&format!("\n✗ {told}\n")), "{said}");
    assert_eq!(run(&["--errors", "60"]).0, 0);
    // A limit of one's own takes its place.
    assert_eq!(run(&["--threshold", "errors<60%"]).0, 0);
    let (code, _, errors) = run(&["--threshold", "errors<40%"]);
    assert_eq!((code, &*errors), (3, "error: the threshold errors<40% failed: 50.00 %\n"));
}

#[test]
fn a_limit_on_a_percentile_of_few_samples_is_missed() {
    let folder = tempfile::tempdir().unwrap();
    let url = service(FAST);
    let words = ["run", "rest", "--target", &url, "--users", "1", "--iterations", "40", "-q"];
    let (code, said, errors) =
        bench(&[&words[..], &["--threshold", "p95<9999s"]].concat(), folder.path());
    let why =
        "cannot be judged from 40 transactions: 200 are needed, ten of them beyond the percentile";
    assert_eq!(code, 3, "{said}");
    assert_eq!(errors, format!("error: the threshold p95<9999s failed: {why}\n"));
    assert!(said.replace("\n  ", " ").contains(&format!("✗ p95<9999s: {why}\n")), "{said}");
}

#[test]
fn an_overloaded_run_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let url = service(SLOW);
    let run = |more: &[&str]| {
        // Two users complete 33 of 200 a second at most.
        let words = ["run", "rest", "--target", &url, "--users", "2", "--rate", "200", "-q"];
        let time = ["--duration", "1s", "--warmup", "0s"];
        let out = tempfile::tempdir_in(&folder).unwrap();
        bench(&[&words[..], &time, more].concat(), out.path())
    };
    let (code, said, errors) = run(&[]);
    assert_eq!(code, 3, "{said}");
    assert!(errors.starts_with("error: the run was overloaded: "), "{errors}");
    assert_eq!(run(&["--threshold", "unsent<100000"]).0, 0);
}

#[test]
fn a_lost_process_fails_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let url = service(FAST);
    let mut run = started(&["--layout", "2x1", "--target", &url], &out);
    let workers = children(run.process(), "worker");
    assert_eq!(workers.len(), 2);
    signal(workers[0], Signal::SIGKILL);
    wait_until("the end of the process", || children(run.process(), "worker").len() == 1);
    run.signal(Signal::SIGINT);
    assert_eq!(run.wait().code(), Some(3), "{}{}", run.output(), run.errors());
    let told = "1 of 2 processes was lost: its transactions are missing";
    assert!(run.errors().ends_with(&format!("error: {told}\n")), "{}", run.errors());
}

/// A search, with slices so short that none of their figures mean anything.
fn search<'a>(url: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let words = ["find-max", "rest", "--target", url, "--slo", "max<9999s", "--warmup", "0s"];
    [&words[..], &["--probe", "300ms", "--duration", "300ms"], more].concat()
}

#[test]
fn a_search_keeps_the_time_that_it_announced() {
    let folder = tempfile::tempdir().unwrap();
    let url = service(FAST);
    // Six closed runs alone take longer.
    let (code, said, errors) = bench(&search(&url, &["--within", "1s"]), folder.path());
    assert_eq!((code, &*errors), (3, "error: no rate was confirmed\n"), "{said}");
    assert!(said.starts_with("The search takes about 1 s, 1 s at most (--within): "), "{said}");
    assert!(said.contains("\nThe time limit ended the search (--within).\n"), "{said}");
    assert!(
        said.contains("\nNo rate was found that keeps max<9999s: no open run was made.\n"),
        "{said}"
    );
    // No slice begins that would end later.
    assert!(fs::read_dir(folder.path()).unwrap().count() < 6, "{said}");
}

/// The rates of the open runs that a search has reported, each once.
fn rates(said: &str) -> Vec<&str> {
    let rate = |line: &'_ str| line.split_once("  at ").map_or(0, |(before, _)| before.len() + 5);
    let lines = said.lines().filter(|line| rate(line) > 0);
    let mut rates: Vec<&str> =
        lines.filter_map(|line| line[rate(line)..].split_whitespace().next()).collect();
    rates.dedup();
    rates
}

/// Half of the requests fail from the end of the closed run to that of the second rate: at the second rate, whenever
/// the first one began.
#[test]
fn a_failed_rate_below_one_that_passed_is_a_contradiction() {
    static FAILS: AtomicBool = AtomicBool::new(false);
    let folder = tempfile::tempdir().unwrap();
    let url = service(Manner {
        // Each user of an open run has few requests.
        fails: |connection, asked| (connection + asked) % 2 == 0,
        while_true: &FAILS,
        ..FAST
    });
    let out = folder.path().to_str().unwrap();
    let mut command = clean(Path::new(env!("CARGO_BIN_EXE_duet")));
    command.arg("bench").args(search(&url, &["--most-users", "1", "--out", out]));
    let mut run = Running::start_program(command);
    run.wait_for_output("1 user ");
    FAILS.store(true, Ordering::Relaxed);
    wait_until("a second rate", || rates(&run.output()).len() >= 2);
    FAILS.store(false, Ordering::Relaxed);
    // Where there is a fifth rate, one above the second is decided.
    wait_until("a fifth rate", || rates(&run.output()).len() >= 5);
    run.signal(Signal::SIGINT);
    assert_eq!(run.wait().code(), Some(130), "{}{}", run.output(), run.errors());
    let said = run.output();
    assert!(said.lines().any(|line| line.starts_with("Contradiction: ")), "{said}");
    let kept = fs::read_to_string(folder.path().join("find-max.json")).unwrap();
    let kept: Value = serde_json::from_str(&kept).unwrap();
    let [failed, passed] = [0, 1].map(|at| kept["found"]["contradiction"][at].as_f64().unwrap());
    assert!(passed > failed, "{kept}");
    assert!(said.contains("/s failed and "), "{said}");
}

#[test]
fn trials_longer_than_requested_are_announced() {
    let folder = tempfile::tempdir().unwrap();
    let url = service(SLOW);
    // p50 needs 20 samples; an eighth of what eight users get in 60 ms is 16 a second.
    let words =
        ["find-max", "rest", "--target", &url, "--slo", "response.p50<9999s", "--warmup", "0s"];
    let times = ["--probe", "300ms", "--duration", "300ms", "--most-users", "8", "--within", "8s"];
    let (_, said, _) = bench(&[&words[..], &times].concat(), folder.path());
    assert!(
        said.contains(" s instead of 0.3 s: response.p50<9999s needs 20 samples, at "),
        "{said}"
    );
}

#[test]
fn a_search_that_is_stopped_reports_what_passed() {
    let folder = tempfile::tempdir().unwrap();
    let url = service(FAST);
    let out = folder.path().to_str().unwrap();
    let mut command = clean(Path::new(env!("CARGO_BIN_EXE_duet")));
    command.arg("bench").args(search(&url, &["--most-users", "1", "--out", out]));
    let mut run = Running::start_program(command);
    // The line of an open run.
    run.wait_for_output("  at ");
    run.signal(Signal::SIGINT);
    assert_eq!(run.wait().code(), Some(130), "{}{}", run.output(), run.errors());
    let said = run.output();
    assert!(said.contains("\nStopped before the search finished.\n"), "{said}");
    let answer = said.lines().skip_while(|line| !line.starts_with("Stopped")).nth(1).unwrap();
    // An open run on a busy machine may fail: then no rate passed.
    let passed = ["The best rate that passed is ", "No rate was found that keeps max<9999s"];
    assert!(passed.iter().any(|text| answer.starts_with(text)), "{said}");
    assert!(folder.path().join("find-max.html").exists());
}

#[test]
fn a_quick_replay_is_too_short_to_judge() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let mut command = clean(Path::new(env!("CARGO_BIN_EXE_duet")));
    command.args(["bench", "replay", "ords", "--quick", "--out", out]);
    let (code, said, errors) = told(&command.output().unwrap());
    assert_eq!((code, &*errors), (0, ""), "{said}");
    let said = super::printed_and_written(&said, folder.path());
    assert!(said.contains("**too short to judge**: "), "{said}");
    assert!(!said.contains("does not hold") && !said.contains("**holds**"), "{said}");
    assert!(said.contains("111.435388"), "{said}");
}
