//! What the bench leaves behind when a signal ends it: nothing, wherever it was.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use duet_testkit::command::clean;

/// How long anything may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
const GLANCE: Duration = Duration::from_millis(5);

/// A bench whose temporary files are all in a folder of its own.
struct Bench {
    child: Child,
    folder: tempfile::TempDir,
}

impl Bench {
    fn start(words: &[&str]) -> Self {
        let folder = tempfile::Builder::new().prefix("d").tempdir().unwrap();
        // PostgreSQL's own user must get in.
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let temporary = folder.path().join("t");
        fs::create_dir(&temporary).unwrap();
        fs::set_permissions(&temporary, fs::Permissions::from_mode(0o777)).unwrap();
        let program = Path::new(env!("CARGO_BIN_EXE_duet"));
        let told = File::create(folder.path().join("told")).unwrap();
        let child = clean(program)
            .arg("bench")
            .args(words)
            .arg("--out")
            .arg(folder.path().join("out"))
            .env("TMPDIR", &temporary)
            .stdin(Stdio::null())
            .stdout(told.try_clone().unwrap())
            .stderr(told)
            .spawn()
            .unwrap();
        Self { child, folder }
    }

    fn temporary(&self) -> PathBuf {
        self.folder.path().join("t")
    }

    fn told(&self) -> String {
        fs::read_to_string(self.folder.path().join("told")).unwrap()
    }

    /// Waits until a condition holds.
    fn until(&mut self, what: &str, holds: impl Fn(&Self) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !holds(self) {
            assert!(Instant::now() < deadline, "{what}: {}", self.told());
            if let Some(status) = self.child.try_wait().unwrap() {
                assert!(holds(self), "{what}: it ended ({status}): {}", self.told());
            }
            thread::sleep(GLANCE);
        }
    }

    fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([name, &id]).status().unwrap().success());
    }

    /// Waits for the end; the exit code, when nothing of it is left.
    fn end(mut self) -> i32 {
        let status = self.child.wait().unwrap();
        let path = self.temporary();
        let deadline = Instant::now() + PATIENCE;
        // PostgreSQL's guard cleans up behind the program's end.
        loop {
            let left = left(&path);
            if left.is_empty() {
                break;
            }
            assert!(Instant::now() < deadline, "{left:?} of {}", self.told());
            thread::sleep(GLANCE);
        }
        status.code().unwrap()
    }
}

/// Files in the folder, and processes that know it.
fn left(folder: &Path) -> Vec<String> {
    let names = |path: &Path| -> Vec<PathBuf> {
        fs::read_dir(path).unwrap().filter_map(|entry| Some(entry.ok()?.path())).collect()
    };
    let mut left: Vec<String> = names(folder).iter().map(|it| it.display().to_string()).collect();
    let word = folder.to_str().unwrap().as_bytes();
    for process in names(Path::new("/proc")) {
        let knows = |file: &str| {
            let text = fs::read(process.join(file)).unwrap_or_default();
            text.windows(word.len()).any(|bytes| bytes == word)
        };
        if knows("environ") || knows("cmdline") {
            let line = fs::read(process.join("cmdline")).unwrap_or_default();
            left.push(String::from_utf8_lossy(&line).replace('\0', " "));
        }
    }
    left
}

fn has_entry(folder: &Path, prefix: &str) -> bool {
    let mut entries = fs::read_dir(folder).unwrap().filter_map(Result::ok);
    entries.any(|entry| entry.file_name().to_str().is_some_and(|name| name.starts_with(prefix)))
}

/// Whether a server of the bench serves.
fn serves(bench: &Bench) -> bool {
    let entries = fs::read_dir(bench.temporary()).unwrap().filter_map(Result::ok);
    entries.into_iter().any(|entry| entry.path().join("ready.json").exists())
}

#[test]
fn a_report_that_is_stopped() {
    let mut bench = Bench::start(&["replay", "ords"]);
    bench.until("a run", |bench| bench.folder.path().join("out").exists());
    bench.signal("-TERM");
    bench.until("the end", |bench| bench.told().contains("there is no page of half a report"));
    assert!(!bench.told().contains("|"), "{}", bench.told());
    assert_eq!(bench.end(), 143);
}

#[test]
fn a_report_that_has_not_begun() {
    let mut bench = Bench::start(&["replay", "ords"]);
    bench.until("a folder", |bench| has_entry(&bench.temporary(), "duet-bench-"));
    bench.signal("-INT");
    bench.until("the end", |bench| bench.told().contains("stopp"));
    assert_eq!(bench.end(), 130);
}

/// Spinners that this bench has started: it is known to them by its folder for temporary files.
fn spinners(bench: &Bench) -> usize {
    left(&bench.temporary()).iter().filter(|line| line.contains(" bench spin ")).count()
}

#[test]
fn spinners_end_with_the_bench_however_it_ends() {
    for signal in ["-TERM", "-KILL"] {
        let words = ["run", "lookup", "--spinners", "--users", "1", "--duration", "1h"];
        let mut bench = Bench::start(&words);
        bench.until("a run", |bench| bench.folder.path().join("out").exists());
        let processors = thread::available_parallelism().unwrap().get();
        bench.until("spinners", |bench| spinners(bench) == processors);
        bench.signal(signal);
        bench.child.wait().unwrap();
        let deadline = Instant::now() + PATIENCE;
        while spinners(&bench) > 0 {
            assert!(Instant::now() < deadline, "{signal}: {:?}", left(&bench.temporary()));
            thread::sleep(GLANCE);
        }
    }
}

#[test]
fn servers_end_with_a_bench_that_is_killed() {
    let mut bench = Bench::start(&["run", "rest", "--users", "1", "--duration", "1h"]);
    bench.until("a server", serves);
    bench.until("a run", |bench| bench.folder.path().join("out").exists());
    bench.signal("-KILL");
    bench.child.wait().unwrap();
    let servers = |bench: &Bench| -> Vec<String> {
        let left = left(&bench.temporary()).into_iter();
        left.filter(|line| line.contains("--ready-file")).collect()
    };
    let deadline = Instant::now() + PATIENCE;
    while !servers(&bench).is_empty() {
        assert!(Instant::now() < deadline, "{:?}", servers(&bench));
        thread::sleep(GLANCE);
    }
}

#[test]
fn databases_that_are_just_made() {
    let mut bench = Bench::start(&["replay", "rowstore", "--quick", "--on", "postgres"]);
    bench.until("a server", |bench| has_entry(&bench.temporary(), "duet-pg-"));
    bench.signal("-TERM");
    assert_eq!(bench.end(), 143);
    let mut bench = Bench::start(&["replay", "swingbench", "--quick", "--on", "postgres"]);
    bench.until("data", |bench| bench.told().contains("loading order entry"));
    bench.signal("-TERM");
    bench.until("the end", |bench| bench.told().contains("stopped before anything was measured"));
    assert_eq!(bench.end(), 143);
}

#[test]
fn builds_that_are_stopped() {
    let program = env!("CARGO_BIN_EXE_duet");
    let server =
        format!("'{program}' demo --keep {{data}} --listen 127.0.0.1:0 --ready-file {{ready}}");
    let words = ["releases", "--server", &server, "--server", &server, "--duration", "30s"];
    let mut bench = Bench::start(&words);
    bench.until("a run", |bench| bench.folder.path().join("out").exists());
    bench.signal("-TERM");
    bench.until("the end", |bench| bench.told().contains("stopped before all trials were done"));
    assert_eq!(bench.end(), 143);
}

#[test]
fn a_server_that_ignores_sigterm() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("server.sh");
    let text = "trap '' TERM\nprintf '{\"urls\":[\"http://127.0.0.1:1\"]}' >\"$1\"\n\
                echo told >\"$1.2\"\nwhile :; do sleep 0.1; done\n";
    fs::write(&script, text).unwrap();
    let server = format!("sh {} {{ready}}", script.display());
    let mut bench = Bench::start(&["releases", "--server", &server, "--path", "x"]);
    bench.until("a server", serves);
    // Nothing listens there: the bench gives up, and waits for the server's end. There was no run.
    bench.signal("-TERM");
    bench.until("the end", |bench| bench.told().contains("stopped before anything was measured"));
    assert_eq!(bench.end(), 143);
}

#[test]
fn objects_of_a_setup_are_removed() {
    let database = duet_testkit::postgres::Server::shared().database("bench_left_setup");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("own.toml");
    let text = format!(
        "[workload]\nname = \"own\"\ntarget = \"{}\"\n\
         setup = [{{ sql = \"CREATE TABLE made (id int)\" }}]\n\
         teardown = [{{ sql = \"DROP TABLE made\" }}]\n\
         [[transaction]]\nname = \"Sleep\"\n\
         step = [{{ sql = \"SELECT pg_sleep(86400)\" }}]\n",
        database.url()
    );
    fs::write(&file, text).unwrap();
    let mut bench = Bench::start(&["run", file.to_str().unwrap(), "--timeout", "86400s"]);
    let asks = |sql: &str| database.query(sql);
    bench.until("a transaction", |_| {
        asks("SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%' AND datname = current_database()") != "0"
    });
    bench.signal("-TERM");
    bench.until("the first", |bench| bench.told().contains("once more to give up"));
    bench.signal("-TERM");
    assert_eq!(bench.end(), 143);
    assert_eq!(asks("SELECT count(*) FROM pg_class WHERE relname = 'made'"), "0");
}

#[test]
fn a_server_that_a_script_starts() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("server.sh");
    let program = env!("CARGO_BIN_EXE_duet");
    let text = format!(
        "'{program}' demo --keep \"$2\" --listen 127.0.0.1:0 --ready-file \"$1\"\nexit $?\n"
    );
    fs::write(&script, text).unwrap();
    let server = format!("sh {} {{ready}} {{data}}", script.display());
    let mut bench = Bench::start(&["releases", "--server", &server, "--server", &server]);
    bench.until("a server", serves);
    bench.signal("-TERM");
    bench.until("the end", |bench| bench.told().contains("stopped"));
    assert_eq!(bench.end(), 143);
}
