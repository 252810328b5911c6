//! The server is killed (SIGKILL) in the middle of writes, again and again: every write that was
//! acknowledged is there after the next start, and no document is half written.
//!
//! `DUET_KILLS` says how often; `just trial-kill` does it a thousand times.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use duet_testkit::command::{Running, Signal};
use duet_testkit::http::{Client, Response};
use duet_testkit::{postgres, sqlite};
use serde_json::{Value, json};

const SCHEMA: &str = "CREATE TABLE whole (id integer PRIMARY KEY, n integer NOT NULL);
    CREATE TABLE part (id integer PRIMARY KEY, whole_id integer NOT NULL REFERENCES whole (id), n integer NOT NULL);
    CREATE INDEX part_whole ON part (whole_id);
    CREATE TABLE line (id integer PRIMARY KEY, n integer NOT NULL);";

const VIEW: &str = "view whole_dv as whole @insert @update @delete {
    _id: id  n  part @insert @update @delete [ { id n } ] }";

/// Who writes at the same time, each to a document and to rows of its own.
const WRITERS: u64 = 6;
const PARTS: u64 = 3;

/// What one writer knows, whatever becomes of the server.
#[derive(Clone, Copy, Debug)]
struct Writer {
    id: u64,
    /// The last number that was acknowledged for its document, and the last that was sent.
    acknowledged: u64,
    sent: u64,
    /// The rows of its own: so many were acknowledged, so many sent.
    lines: u64,
    lines_sent: u64,
}

#[test]
fn sqlite_keeps_what_it_acknowledged() {
    let folder = sqlite::Folder::new();
    folder.load("a.db", &["PRAGMA journal_mode = wal", SCHEMA]);
    eprintln!("sqlite: {}", kill_again_and_again(folder.path(), "sqlite:a.db"));
}

#[test]
fn postgres_keeps_what_it_acknowledged() {
    let database = postgres::Server::shared().database("kill");
    database.exec(SCHEMA);
    let folder = sqlite::Folder::new();
    eprintln!("postgres: {}", kill_again_and_again(folder.path(), &database.url()));
}

/// What was done, in words.
fn kill_again_and_again(folder: &Path, database: &str) -> String {
    let text = format!(
        "name = 'kill'\nmount = '/t'\ndatabase = '{database}'\nviews = ['*.graphql']\n\
         [settings]\nlisten = '127.0.0.1:0'\nopen = 'all'\n"
    );
    std::fs::write(folder.join("app.toml"), text).unwrap();
    std::fs::write(folder.join("whole_dv.graphql"), VIEW).unwrap();
    let file = folder.join("app.toml").display().to_string();
    let kills = std::env::var("DUET_KILLS").ok().and_then(|kills| kills.parse().ok());
    let kills = kills.unwrap_or(20);
    let begun = Instant::now();
    let new = |id| Writer { id, acknowledged: 0, sent: 0, lines: 0, lines_sent: 0 };
    let mut writers: Vec<Writer> = (0..WRITERS).map(new).collect();
    for kill in 0..kills {
        let server = Running::start(&["serve", "--config", &file]);
        let url = server.url();
        check(&url, &mut writers);
        // Whatever the server is at when so many writes have been acknowledged, it ends there.
        let enough = 7 + kill * 13 % 60;
        write_until_killed(&url, &mut writers, enough, || server.signal(Signal::SIGKILL));
    }
    let server = Running::start(&["serve", "--config", &file]);
    check(&server.url(), &mut writers);
    let documents: u64 = writers.iter().map(|writer| writer.acknowledged).sum();
    let lines: u64 = writers.iter().map(|writer| writer.lines).sum();
    let stored = Client::connect(&server.url()).get("/t/line/?limit=1&count=exact", &[]).json();
    assert_eq!(stored["total"], lines, "every row, not only the last: {stored}");
    assert!(server.stop().success());
    format!(
        "killed {kills} times in {:.0?}; {documents} documents and {lines} rows acknowledged, none lost, none half",
        begun.elapsed(),
    )
}

fn write_until_killed(url: &str, writers: &mut [Writer], enough: u64, kill: impl FnOnce() + Send) {
    let acknowledged = AtomicU64::new(0);
    std::thread::scope(|scope| {
        let threads: Vec<_> = writers
            .iter_mut()
            .map(|writer| {
                let acknowledged = &acknowledged;
                scope.spawn(move || {
                    let Ok(mut client) = Client::try_connect(url) else { return };
                    while write(&mut client, writer).is_ok() {
                        acknowledged.fetch_add(1, Ordering::SeqCst);
                    }
                })
            })
            .collect();
        while acknowledged.load(Ordering::SeqCst) < enough {
            assert!(
                !threads.iter().all(std::thread::ScopedJoinHandle::is_finished),
                "nobody writes any more"
            );
            std::thread::yield_now();
        }
        kill();
    });
}

/// A document, then a row; an error where the server has gone.
fn write(client: &mut Client, writer: &mut Writer) -> std::io::Result<()> {
    writer.sent += 1;
    let n = writer.sent;
    // The parts take turns, so that rows are inserted, changed and deleted.
    let part = |place: u64| json!({"id": writer.id * 1_000 + (n + place) % (PARTS + 2), "n": n});
    let parts: Vec<Value> = (0..PARTS).map(part).collect();
    let path = format!("/t/whole_dv/{}", writer.id);
    let written = send(client, "PUT", &path, &json!({"n": n, "part": parts}))?;
    assert!(matches!(written.status, 200 | 201), "{written:?}");
    writer.acknowledged = n;
    writer.lines_sent += 1;
    let id = writer.lines_sent * WRITERS + writer.id;
    let written = send(client, "POST", "/t/line/", &json!({"id": id, "n": writer.lines_sent}))?;
    assert_eq!(written.status, 201, "{written:?}");
    writer.lines = writer.lines_sent;
    Ok(())
}

fn send(client: &mut Client, method: &str, path: &str, body: &Value) -> std::io::Result<Response> {
    let headers = [("Content-Type", "application/json")];
    client.try_request(method, path, &headers, body.to_string().as_bytes())
}

/// Holds what is stored against what the writers know. What was sent and not acknowledged may be
/// there or not, as a whole.
fn check(url: &str, writers: &mut [Writer]) {
    let mut client = Client::connect(url);
    for writer in writers {
        let read = client.get(&format!("/t/whole_dv/{}", writer.id), &[]);
        let n = match read.status {
            404 => 0,
            _ => read.json()["n"].as_u64().unwrap(),
        };
        assert!((writer.acknowledged..=writer.sent).contains(&n), "{n} is stored: {writer:?}");
        if n > 0 {
            let document = read.json();
            let parts = document["part"].as_array().unwrap();
            let whole = parts.len() as u64 == PARTS && parts.iter().all(|part| part["n"] == n);
            assert!(whole, "half a document: {document}");
        }
        (writer.acknowledged, writer.sent) = (n, n);
        for lines in [writer.lines, writer.lines_sent] {
            let id = lines * WRITERS + writer.id;
            let status = client.get(&format!("/t/line/{id}"), &[]).status;
            if lines > 0 && lines == writer.lines {
                assert_eq!(status, 200, "a row that was acknowledged is lost: {writer:?}");
            } else if status == 200 {
                writer.lines = lines;
            }
        }
        writer.lines_sent = writer.lines;
    }
}
