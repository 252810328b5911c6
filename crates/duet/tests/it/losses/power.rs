//! The power is cut in the middle of writes, on a disk that loses what was not synced: every write
//! that SQLite acknowledged is there after the next start, no document is half written, and the
//! file is sound. PostgreSQL sees to its own disk.
//!
//! The moment of a cut is any, not only one at which the program was killed, and what survives of
//! the unsynced is drawn by lot (`duet_testkit::power`). `DUET_CUTS` says how often, `DUET_SEED`
//! repeats a run as far as threads allow; `just trial-power` does it a thousand times.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]
#![expect(clippy::print_stderr, reason = "helpers of tests tell how to repeat a run")]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use duet_testkit::command::{Running, Signal, clean, duet};
use duet_testkit::http::{self, Client};
use duet_testkit::power::{Layer, Random, Survivors};
use duet_testkit::sqlite;

use super::writers::{SCHEMA, Writers, application, how_often};

/// A database in a folder of its own, and a disk below it.
struct Bench {
    _folder: sqlite::Folder,
    database: PathBuf,
    file: String,
    synchronous: Option<&'static str>,
    layer: Layer,
}

impl Bench {
    /// Small pages, so that there are many of them and the write-ahead log is soon full.
    fn new(journal: &str, synchronous: Option<&'static str>) -> Self {
        let folder = sqlite::Folder::new();
        let disk = folder.path().join("disk");
        std::fs::create_dir(&disk).unwrap();
        let journal = format!("PRAGMA journal_mode = {journal}");
        let database = folder.load("disk/a.db", &["PRAGMA page_size = 512", &journal, SCHEMA]);
        let file = application(folder.path(), "sqlite:disk/a.db");
        let layer = Layer::over(&disk);
        Self { _folder: folder, database, file, synchronous, layer }
    }

    fn serve(&mut self) -> Running {
        let mut command = clean(&duet());
        command.args(["serve", "--config", &self.file]);
        if let Some(synchronous) = self.synchronous {
            command.args(["--sqlite-synchronous", synchronous]);
        }
        self.layer.carry(&mut command);
        Running::start_command(command)
    }
}

/// Cuts the power a number of times. Where acknowledged writes may be lost, what is left must still
/// be whole, and not older than what the server began with.
fn cut_again_and_again(journal: &str, synchronous: Option<&'static str>, may_lose: bool) {
    let cuts = how_often("DUET_CUTS").unwrap_or(20);
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().subsec_nanos();
    let seed = how_often("DUET_SEED").unwrap_or(now.into());
    let title = format!(
        "journal {journal}, synchronous {}, seed {seed}",
        synchronous.unwrap_or("by default")
    );
    eprintln!("{title}: begins");
    let (begun, mut random) = (Instant::now(), Random(seed));
    let (mut bench, mut writers) = (Bench::new(journal, synchronous), Writers::new());
    for _ in 0..cuts {
        let server = bench.serve();
        let url = server.url();
        writers.check(&url);
        is_sound(&bench.database);
        let kill = || server.signal(Signal::SIGKILL);
        // With `normal` nothing is kept before the log is full and goes into the database.
        let enough = (20 + random.below(40)) * if may_lose { 4 } else { 1 };
        writers.write_until_killed(&url, enough, || bench.layer.now(), kill);
        drop(server);
        let end = bench.layer.now();
        let moment = [end, random.below(end + 1)][usize::from(random.below(4) > 0)];
        let survivors = [Survivors::None, Survivors::Some(random.below(u64::MAX))];
        bench.layer.cut(moment, survivors[usize::from(random.below(4) > 0)]);
        writers.go_back_to(if may_lose { 0 } else { moment });
    }
    let server = bench.serve();
    writers.check(&server.url());
    is_sound(&bench.database);
    assert!(server.stop().success());
    bench.layer.check_complete();
    let (took, summary) = (begun.elapsed(), writers.summary());
    eprintln!("{title}: {cuts} cuts in {took:.0?}; {summary} and kept, none half");
}

fn is_sound(database: &Path) {
    let check = "PRAGMA integrity_check";
    let told: String = sqlite::open(database).query_row(check, [], |row| row.get(0)).unwrap();
    assert_eq!(told, "ok");
}

#[test]
fn nothing_acknowledged_is_lost_with_a_write_ahead_log() {
    cut_again_and_again("wal", None, false);
}

#[test]
fn nothing_acknowledged_is_lost_with_a_rollback_journal() {
    cut_again_and_again("delete", None, false);
}

#[test]
fn full_loses_nothing_acknowledged_with_a_write_ahead_log() {
    cut_again_and_again("wal", Some("full"), false);
}

#[test]
fn normal_loses_the_last_writes_and_never_consistency() {
    cut_again_and_again("wal", Some("normal"), true);
}

/// One row, an answer, and a cut at once after which nothing unsynced is left. What must be lost
/// then shows that the other tests of this file can fail.
#[test]
fn unsynced_writes_are_lost() {
    for (journal, synchronous, kept) in [
        ("wal", None, true),
        ("wal", Some("extra"), true),
        ("wal", Some("full"), true),
        ("wal", Some("normal"), false),
        ("wal", Some("off"), false),
        ("delete", None, true),
        ("delete", Some("extra"), true),
        // The journal is gone for the program, but not yet for the folder on the disk.
        ("delete", Some("full"), false),
        ("delete", Some("off"), false),
    ] {
        let mut bench = Bench::new(journal, synchronous);
        let server = bench.serve();
        let url = format!("{}/t/line/", server.url());
        let headers = [("Content-Type", "application/json")];
        let written = http::request("POST", &url, &headers, br#"{"id":1,"writer":1,"n":1}"#);
        assert_eq!(written.status, 201, "{written:?}");
        let moment = bench.layer.now();
        server.signal(Signal::SIGKILL);
        drop(server);
        bench.layer.cut(moment, Survivors::None);
        let server = bench.serve();
        let read = Client::connect(&server.url()).get("/t/line/1", &[]);
        let expected = if kept { 200 } else { 404 };
        assert_eq!(read.status, expected, "journal {journal}, synchronous {synchronous:?}");
    }
}

/// What a commit class loses. A log that was synced before the cut, because the test was slow, tells nothing: then
/// another row is written.
#[test]
fn a_commit_class_decides_what_is_lost() {
    for (journal, synchronous, class, kept) in [
        ("wal", None, "sync", true),
        ("wal", None, "group", true),
        ("wal", None, "async", false),
        ("wal", Some("off"), "sync", true),
        ("wal", Some("normal"), "sync", true),
        ("delete", None, "async", true),
        ("delete", Some("off"), "sync", true),
    ] {
        let most = if kept { 1 } else { 20 };
        let is_there = |_| {
            let mut bench = Bench::new(journal, synchronous);
            let allowed =
                std::fs::read_to_string(&bench.file).unwrap() + "commit_allowed = ['async']\n";
            std::fs::write(&bench.file, allowed).unwrap();
            let server = bench.serve();
            let url = format!("{}/t/line/", server.url());
            let prefer = format!("commit={class}");
            let headers = [("Content-Type", "application/json"), ("Prefer", prefer.as_str())];
            let written = http::request("POST", &url, &headers, br#"{"id":1,"writer":1,"n":1}"#);
            let moment = bench.layer.now();
            assert_eq!(
                (written.status, written.header("preference-applied")),
                (201, Some(&*prefer))
            );
            server.signal(Signal::SIGKILL);
            drop(server);
            bench.layer.cut(moment, Survivors::None);
            let server = bench.serve();
            let read = Client::connect(&server.url()).get("/t/line/1", &[]);
            assert!(matches!(read.status, 200 | 404), "{read:?}");
            read.status == 200
        };
        let all_there = (0..most).all(is_there);
        assert_eq!(
            all_there, kept,
            "journal {journal}, synchronous {synchronous:?}, class {class}"
        );
    }
}

/// The log is synced a moment after a commit of the class `async`, without a further write.
#[test]
fn a_commit_of_the_class_async_is_kept_a_moment_later() {
    let mut bench = Bench::new("wal", None);
    let allowed = std::fs::read_to_string(&bench.file).unwrap() + "commit = 'async'\n";
    std::fs::write(&bench.file, allowed).unwrap();
    let server = bench.serve();
    let url = format!("{}/t/line/", server.url());
    let headers = [("Content-Type", "application/json")];
    let written = http::request("POST", &url, &headers, br#"{"id":1,"writer":1,"n":1}"#);
    assert_eq!(written.status, 201, "{written:?}");
    // Until the disk has been asked for something more; on a slow machine that was before the answer was read.
    let (answered, begun) = (bench.layer.now(), Instant::now());
    while bench.layer.now() == answered && begun.elapsed() < Duration::from_secs(3) {
        std::thread::yield_now();
    }
    let moment = bench.layer.now();
    server.signal(Signal::SIGKILL);
    drop(server);
    bench.layer.cut(moment, Survivors::None);
    let server = bench.serve();
    let read = Client::connect(&server.url()).get("/t/line/1", &[]);
    assert_eq!(read.status, 200, "{read:?}");
}
