//! Slow and locked services leave all other requests within their limits, as slow views and locked rows do.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use duet_testkit::command::Running;
use duet_testkit::http::{Client, Response};
use duet_testkit::postgres::{Database, Server};
use duet_testkit::sqlite::Folder;

const POSTGRES: &str = "CREATE TABLE team (team_id int PRIMARY KEY, name text NOT NULL, points int NOT NULL DEFAULT 0);
    INSERT INTO team SELECT n, 'team ' || n FROM generate_series(1, 40) n;";
const SQLITE: &str = "CREATE TABLE team (team_id integer PRIMARY KEY, name text NOT NULL, points integer NOT NULL DEFAULT 0);
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
    INSERT INTO team (team_id, name) SELECT i, 'team ' || i FROM n;";

/// Statements that take an hour, or end by their limit.
const SLOW_POSTGRES: &str = "SELECT count(*) AS n FROM (SELECT pg_sleep(3600)) s";
const SLOW_SQLITE: &str = "SELECT count(*) AS n FROM (WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000000) SELECT i FROM n)";

const RAISE: &str = "-- method = \"POST\"\n-- result = \"row\"\n-- [parameters]\n-- id = { type = \"integer\" }\n\
    UPDATE team SET points = points + 1 WHERE team_id = :id RETURNING team_id, points\n";

/// How long a bystander may take on a machine that is busy with other tests: far less than what is slow.
const SOON: Duration = Duration::from_secs(60);

fn serve(folder: &Path, database: &str, slow: &str, more: &[&str]) -> Running {
    fs::create_dir(folder.join("services")).unwrap();
    let app = folder.join("app.toml").display().to_string();
    let text =
        "name = \"shop\"\nmount = \"/shop\"\nservices = [\"services/*.sql\"]\n[resources.team]\n";
    fs::write(&app, text).unwrap();
    let columns = "-- [columns]\n-- n = \"integer\"\n";
    let write = |name: &str, text: String| {
        fs::write(folder.join(format!("services/{name}.sql")), text).unwrap();
    };
    write("slow", format!("{columns}{slow}\n"));
    write("report", format!("-- class = \"batch\"\n{columns}{slow}\n"));
    write("stall", format!("-- method = \"POST\"\n-- result = \"count\"\n{columns}{slow}\n"));
    write("raise", RAISE.to_owned());
    let mut arguments = vec!["serve", database, "--config", &app, "--listen", "0", "--open", "all"];
    arguments.extend(more);
    Running::start(&arguments)
}

/// Sends a request and reads no response; it ends when the client is dropped.
fn begun(server: &Running, method: &str, path: &str, body: &str) -> Client {
    let mut client = Client::connect(&server.url());
    let head = format!(
        "{method} /shop/{path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    client.send(head.as_bytes()).unwrap();
    client
}

fn ask(server: &Running, method: &str, path: &str, body: &str) -> Response {
    let headers: &[(&str, &str)] =
        if body.is_empty() { &[] } else { &[("Content-Type", "application/json")] };
    let mut client = Client::connect(&server.url());
    client.request(method, &format!("/shop/{path}"), headers, body.as_bytes())
}

const READS: [&str; 3] = ["team/7", "team/?limit=5", "team/?limit=500&count=exact"];

#[track_caller]
fn reads(server: &Running) {
    for path in READS {
        let begun = Instant::now();
        let response = ask(server, "GET", path, "");
        assert_eq!(response.status, 200, "{path} {response:?}");
        assert!(begun.elapsed() < SOON, "{path}");
    }
}

#[track_caller]
fn writes(server: &Running) {
    for (method, path, body) in [
        ("PATCH", "team/8", "{\"points\":1}"),
        ("POST", "raise", "{\"id\":9}"),
        ("POST", "raise/_/batch", "[{\"id\":10},{\"id\":11}]"),
    ] {
        let begun = Instant::now();
        let response = ask(server, method, path, body);
        assert_eq!(response.status, 200, "{path} {response:?}");
        assert!(begun.elapsed() < SOON, "{path}");
    }
}

/// Few slow reads, and a flood of those that say that they are batch work.
fn slow_reads(folder: &Path, database: &str, slow: &str) {
    let server =
        serve(folder, database, slow, &["--statement-timeout", "1h", "--batch-queue", "10"]);
    let mut slow: Vec<Client> = (0..2).map(|_| begun(&server, "GET", "slow", "")).collect();
    slow.extend((0..40).map(|_| begun(&server, "GET", "report", "")));
    for _ in 0..5 {
        reads(&server);
        writes(&server);
    }
    drop(slow);
    assert!(server.stop().success());
}

/// Slow writes end by their limit, and until then nothing else is refused.
fn slow_writes(folder: &Path, database: &str, slow: &str) {
    let server =
        serve(folder, database, slow, &["--statement-timeout", "500ms", "--queue-timeout", "1m"]);
    let slow: Vec<Client> = (0..4).map(|_| begun(&server, "POST", "stall", "{}")).collect();
    for _ in 0..3 {
        reads(&server);
        writes(&server);
    }
    for mut client in slow {
        let response = client.read_response(false).unwrap();
        assert_eq!(response.status, 504, "{response:?}");
    }
    assert!(server.stop().success());
}

fn sqlite(folder: &Folder) -> String {
    folder.load("a.db", &["PRAGMA journal_mode = wal", SQLITE]);
    format!("sqlite:{}", folder.path().join("a.db").display())
}

fn postgres(name: &str) -> Database {
    let database = Server::shared().database(name);
    database.exec(POSTGRES);
    database
}

#[test]
fn sqlite_slow_services_that_read() {
    let folder = Folder::new();
    slow_reads(folder.path(), &sqlite(&folder), SLOW_SQLITE);
}

#[test]
fn postgres_slow_services_that_read() {
    let folder = Folder::new();
    slow_reads(folder.path(), &postgres("service_slow_reads").url(), SLOW_POSTGRES);
}

#[test]
fn sqlite_slow_services_that_write() {
    let folder = Folder::new();
    slow_writes(folder.path(), &sqlite(&folder), SLOW_SQLITE);
}

#[test]
fn postgres_slow_services_that_write() {
    let folder = Folder::new();
    slow_writes(folder.path(), &postgres("service_slow_writes").url(), SLOW_POSTGRES);
}

/// Another session keeps a row locked: the service waits for it, and runs for all other rows.
#[test]
fn a_locked_row_delays_only_its_own_calls_of_a_service() {
    let folder = Folder::new();
    let database = postgres("service_locked");
    let server = serve(
        folder.path(),
        &database.url(),
        SLOW_POSTGRES,
        &["--lock-timeout", "10m", "--queue-timeout", "10m"],
    );
    let (other, count) = (database.clone(), database.clone());
    let holder = std::thread::spawn(move || {
        other.try_exec(
            "BEGIN; UPDATE team SET name = name WHERE team_id = 1; SELECT pg_sleep(3599);",
        )
    });
    let sleeping = "FROM pg_stat_activity WHERE datname = current_database()
         AND query LIKE '%pg_sleep(3599)%' AND wait_event = 'PgSleep'";
    while count.query(&format!("SELECT count(*) {sleeping}")) != "1" {
        std::thread::yield_now();
    }
    let stalled: Vec<Client> =
        (0..30).map(|_| begun(&server, "POST", "raise", "{\"id\":1}")).collect();
    for _ in 0..5 {
        reads(&server);
        writes(&server);
    }
    assert_eq!(count.query("SELECT points FROM team WHERE team_id = 1"), "0", "those still wait");
    count.query(&format!("SELECT count(pg_terminate_backend(pid)) {sleeping}"));
    assert!(holder.join().unwrap().is_err());
    for mut client in stalled {
        let response = client.read_response(false).unwrap();
        assert_eq!(response.status, 200, "{response:?}");
    }
    assert_eq!(count.query("SELECT points FROM team WHERE team_id = 1"), "30");
    assert!(server.stop().success());
}
