//! `duet bench torture`: Duet passes on both stores, killed by force in the middle of writes; and a
//! small server with one fault at a time fails the trial that is about it.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

mod faulty;

use std::fs;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use duet_testkit::command::clean;
use duet_testkit::postgres::Server;
use duet_testkit::sqlite::Folder;
use serde_json::Value;

use crate::{duet, duet_says};
use faulty::{Fault, FaultyServer};

const TABLE: &str = "CREATE TABLE item (id integer PRIMARY KEY, mark varchar(40) NOT NULL, \
                     n integer NOT NULL, twin integer NOT NULL)";

/// The description of the items of these tests, with a command that kills. How long a read may take is for the
/// service with that fault: a busy machine is no fault.
fn description(folder: &Path, kill: &str, (heavy, limit): (&str, &str)) -> String {
    let text = format!(
        r#"[resource]
create = "POST /item/"
body = '{{"id": ${{key}}, "mark": "${{mark}}", "n": ${{count}}, "twin": ${{count}}}}'
id = "/id"
read = "GET /item/${{id}}"
update = "PUT /item/${{id}}"
list = 'GET /item/?q={{"mark":"${{mark}}"}}'
delete = "DELETE /item/${{id}}"
counts = "/n"
twin = "/twin"
version = "etag"
[idempotency]
header = "Idempotency-Key"
[bystander]
heavy = ['GET {heavy}']
within = "{limit}"
most = "{limit}"
[kill]
command = '''{kill}'''
"#
    );
    let path = folder.join("service.toml");
    fs::write(&path, text).unwrap();
    path.display().to_string()
}

/// The reports by trial, and the exit code.
fn torture(url: &str, file: &str, more: &[&str]) -> (i32, Vec<(String, String, String)>) {
    let words = ["bench", "torture", url, file, "--users", "3", "--rounds", "8", "--json"];
    let (code, said, errors) = duet(&[&words[..], more].concat());
    let all: Value =
        serde_json::from_str(&said).unwrap_or_else(|_| panic!("{code} {said}{errors}"));
    let text = |trial: &Value, name: &str| trial[name].as_str().unwrap().to_owned();
    let of = |trial: &Value| (text(trial, "trial"), text(trial, "verdict"), text(trial, "seen"));
    (code, all.as_array().unwrap().iter().map(of).collect())
}

/// A server that a script starts, and ends with the test.
struct Killable {
    pid: PathBuf,
}

impl Killable {
    /// Writes the scripts of a server below a folder, starts it, and waits until it listens. Returns
    /// it with the command that kills it and starts it again.
    fn start(folder: &Path, database: &str) -> (Self, String) {
        let program = env!("CARGO_BIN_EXE_duet");
        let at = folder.display();
        let start = format!(
            "cd '{at}' && rm -f d.sock && {{ '{program}' serve '{database}' --config app.toml --open all \
             --listen unix:d.sock > log 2>&1 & echo $! > pid; }}"
        );
        fs::write(folder.join("start.sh"), &start).unwrap();
        let mut command = clean(Path::new("sh"));
        command.arg("start.sh").current_dir(folder).stdin(Stdio::null());
        assert!(command.status().unwrap().success());
        let server = Self { pid: folder.join("pid") };
        let began = Instant::now();
        while UnixStream::connect(folder.join("d.sock")).is_err() {
            let log = || fs::read_to_string(folder.join("log"));
            assert!(began.elapsed() < Duration::from_secs(60), "{:?}", log());
            std::thread::yield_now();
        }
        (server, format!("cd \"{at}\" && kill -9 $(cat pid) && sh start.sh"))
    }
}

impl Drop for Killable {
    fn drop(&mut self) {
        let pid = fs::read_to_string(&self.pid).unwrap_or_default();
        let _ = Command::new("kill").args(["-9", pid.trim()]).status();
    }
}

fn duet_passes(folder: &Path, database: &str) {
    duet_says(&["service", "prepare", "--database", database]);
    let app = "name = 'torture'\nmount = '/t'\n[resources.item]\n";
    fs::write(folder.join("app.toml"), app).unwrap();
    let (server, kill) = Killable::start(folder, database);
    let url = format!("unix:{}:/t", folder.join("d.sock").display());
    let heavy = r#"/item/?q={"mark":{"$like":"%25a%25b%25"}}"#;
    let file = description(folder, &kill, (heavy, "20s"));
    let (code, trials) = torture(&url, &file, &["--kills", "2"]);
    for (name, verdict, seen) in &trials {
        assert_eq!(verdict, "passed", "{name}: {seen}");
    }
    assert_eq!((code, trials.len()), (0, 6));
    let seen = |at: usize| &trials[at].2;
    assert!(seen(0).starts_with("24 additions acknowledged, "), "{}", seen(0));
    assert_eq!(seen(2), "720 reads of own changes: each had the last one.");
    assert!(seen(3).contains("was answered 422"), "{}", seen(3));
    assert!(seen(5).ends_with("requests with a key were repeated."), "{}", seen(5));
    drop(server);
}

#[test]
fn duet_passes_on_sqlite() {
    let folder = Folder::new();
    folder.load("a.db", &["PRAGMA journal_mode = wal", TABLE]);
    let database = format!("sqlite:{}", folder.path().join("a.db").display());
    duet_passes(folder.path(), &database);
}

#[test]
fn duet_passes_on_postgres() {
    let database = Server::shared().database("torture");
    database.exec(TABLE);
    duet_passes(Folder::new().path(), &database.url());
}

/// A server without a fault passes, so that what follows is about the faults alone.
#[test]
fn a_right_server_passes() {
    let folder = Folder::new();
    let server = FaultyServer::start(None);
    let file = description(folder.path(), &server.kill(), ("/item/?heavy", "20s"));
    let (code, trials) = torture(&server.url(), &file, &[]);
    assert_eq!(code, 0, "{trials:?}");
    assert!(trials.iter().all(|(_, verdict, _)| verdict == "passed"), "{trials:?}");
    assert_eq!(server.items(), 0, "the trials delete what they have made");
}

#[test]
fn every_fault_is_found() {
    for (fault, trial, words) in [
        (Fault::IgnoresVersions, "lost-update", "was no longer current was accepted (200)"),
        (Fault::ChecksVersionsLate, "lost-update", "updates were lost"),
        (Fault::ListsTwoMoments, "read-skew", "which were never there at one moment"),
        (Fault::ListsTwice, "read-skew", "A list had the first item 2 times"),
        (Fault::ReadsOld, "own-write", "and then read 0 over another connection"),
        (Fault::Blocks, "bystander", "the heavy requests kept others waiting"),
        (Fault::ForgetsKeys, "idempotency", "made another item"),
        (Fault::RepeatsEffects, "idempotency", "One key had 2 effects"),
        (Fault::RefusesRepeats, "idempotency", "not as the first time"),
        (Fault::TakesOtherRequests, "idempotency", "and took effect"),
        (Fault::LosesChanges, "kill", " after a kill; "),
        (Fault::LosesItems, "kill", "was acknowledged, and is not there"),
        (Fault::WritesHalf, "kill", "An item was half written"),
    ] {
        let folder = Folder::new();
        let server = FaultyServer::start(Some(fault));
        let file = description(folder.path(), &server.kill(), ("/item/?heavy", "1ms"));
        let (code, trials) = torture(&server.url(), &file, &["--trial", trial, "--kills", "1"]);
        let [(name, verdict, seen)] = &trials[..] else { panic!("{trials:?}") };
        assert_eq!((code, &**name, &**verdict), (1, trial, "failed"), "{fault:?}: {seen}");
        assert!(seen.contains(words), "{fault:?}: {seen}");
    }
}

/// What a description lacks is not applicable, and mistakes in it have their places.
#[test]
fn descriptions() {
    let folder = Folder::new();
    let server = FaultyServer::start(None);
    let path = folder.path().join("small.toml");
    let file = path.display().to_string();
    let small = "[resource]\ncreate = \"POST /item/\"\nbody = '{\"n\": ${count}}'\n\
                 id = \"/id\"\nread = \"GET /item/${id}\"\ncounts = \"/n\"\n";
    fs::write(&path, small).unwrap();
    let (code, trials) = torture(&server.url(), &file, &[]);
    assert!(trials.iter().all(|(_, verdict, _)| verdict == "not applicable"), "{trials:?}");
    assert_eq!((code, trials.len()), (2, 6));
    let (code, _, errors) = duet(&["bench", "torture", &server.url(), &file]);
    assert!(code == 2 && errors.starts_with("error: no trial applies"), "{code} {errors}");
    for said in [
        "  lost-update: The description ",
        "  read-skew: The description needs `list` and `update` for it.",
        "  own-write: The description needs `update` for it.",
        "  idempotency: The description has no [idempotency].",
        "  bystander: The description has no [bystander] with `heavy` requests.",
        "  kill: The description has no [kill] with a `command`.",
    ] {
        assert!(errors.contains(said), "{said}: {errors}");
    }
    // A command that kills nothing proves nothing.
    let text = format!("{small}update = \"PATCH /item/${{id}}\"\n[kill]\ncommand = \"true\"\n");
    fs::write(&path, text).unwrap();
    let (code, trials) = torture(&server.url(), &file, &["--trial", "kill"]);
    assert_eq!((code, &*trials[0].1), (2, "not applicable"), "{trials:?}");
    assert!(trials[0].2.contains("it does not kill the service"), "{trials:?}");
    for (text, said) in [
        (small.replace("${id}", "${idd}"), "small.toml:5:"),
        (small.replace("counts", "count"), "Did you mean `counts`?"),
        (small.replace("\"/n\"", "\"/m\""), "`body` has no number at /m"),
    ] {
        fs::write(&path, text).unwrap();
        let (code, _, errors) = duet(&["bench", "torture", &server.url(), &file]);
        assert!(code == 2 && errors.contains(said), "{code} {errors}");
    }
    fs::write(&path, small.replace("/item/\"", "/nothing/\"")).unwrap();
    let (code, _, errors) = duet(&["bench", "torture", &server.url(), &file]);
    assert!(code == 1 && errors.contains("The service cannot be tried"), "{errors}");
}
