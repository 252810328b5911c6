//! Requests under way while the reader of the log is gone: they are answered all the same.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::Stdio;

use duet_testkit::command::{Running, Signal, clean, duet, signal, wait_until};
use duet_testkit::http::{self, Client};
use duet_testkit::sqlite;
use serde_json::Value;

const TABLE: &str = "CREATE TABLE team (id INTEGER PRIMARY KEY, points INTEGER NOT NULL);
    INSERT INTO team VALUES (1, 0);";

/// The application over the loaded file.
fn application(folder: &Path, more: &str) -> String {
    let text = format!(
        "name = 'log'\nmount = '/t'\ndatabase = 'sqlite:log.db'\n\
         [settings]\nlisten = '127.0.0.1:0'\n{more}\n\
         [limits]\nlock_timeout = '60s'\n"
    );
    let file = folder.join("app.toml");
    fs::write(&file, text).unwrap();
    file.display().to_string()
}

/// A server is told to end, or has lost its supervisor, while a write waits for another program's lock. It
/// listens no more; the write is answered when the lock is gone.
fn a_write_under_way_is_answered(ready: &Value, database: &Path, end: impl FnOnce()) {
    let text = |name: &str| ready[name].as_str().unwrap();
    let url = ready["urls"][0].as_str().unwrap().trim_end_matches('/');
    let bearer = http::bearer(url, text("client_id"), text("client_secret"));
    let locked = sqlite::open(database);
    locked.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut client = Client::connect(url);
    let body = br#"{"points": 7}"#;
    let head = format!(
        "PATCH /t/team/1 HTTP/1.1\r\nHost: x\r\nAuthorization: {bearer}\r\nContent-Type: application/merge-patch+json\r\n\
         Content-Length: {}\r\n\r\n",
        body.len()
    );
    client.send(&[head.as_bytes(), body].concat()).unwrap();
    let address = url.trim_start_matches("http://").to_owned();
    // No page is counted: nothing else is asked for.
    wait_until("the write is under way", || {
        let answer = http::get(&format!("{url}/metrics"), &[("Authorization", &bearer)]);
        assert_eq!(answer.status, 200, "{answer:?}");
        let counts = answer.text().lines().filter(|line| {
            line.starts_with("duet_queue_running{") || line.starts_with("duet_queue_waiting{")
        });
        counts.filter_map(|line| line.rsplit(' ').next()).any(|count| count != "0")
    });
    end();
    wait_until("it listens no more", || TcpListener::bind(&address).is_ok());
    locked.execute_batch("ROLLBACK").unwrap();
    let answer = client.read_response(false).unwrap();
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.json()["points"], 7);
}

#[test]
fn a_killed_supervisor_lets_instances_answer() {
    let folder = sqlite::Folder::new();
    let database = folder.load("log.db", &[TABLE]);
    let config = application(folder.path(), "instances = '2'\n");
    let mut server = Running::start(&["serve", "--config", &config]);
    let (ready, supervisor) = (server.ready().clone(), server.process());
    a_write_under_way_is_answered(&ready, &database, || {
        signal(supervisor, Signal::SIGKILL);
        server.wait();
    });
}

#[test]
fn a_server_whose_log_nobody_reads_answers_before_it_ends() {
    let folder = sqlite::Folder::new();
    let database = folder.load("log.db", &[TABLE]);
    let config = application(folder.path(), "");
    let ready = folder.path().join("ready.json");
    let broken = || {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        Stdio::from(writer)
    };
    let mut command = clean(&duet());
    command.args(["serve", "--config", &config, "--access-log", "json", "--ready-file"]);
    command.arg(&ready).stdin(Stdio::null()).stdout(broken()).stderr(broken());
    let mut server = command.spawn().unwrap();
    let said = || -> Option<Value> { serde_json::from_slice(&fs::read(&ready).ok()?).ok() };
    wait_until("it serves", || said().is_some());
    a_write_under_way_is_answered(&said().unwrap(), &database, || {
        signal(server.id(), Signal::SIGTERM);
    });
    assert!(server.wait().unwrap().success());
}
