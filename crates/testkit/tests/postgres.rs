//! The throwaway server does what its documentation says.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use duet_testkit::postgres::{Database, Options, Server, Tls};
use duet_testkit::tls::Authority;

fn eventually(what: &str, check: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !check() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// psql by URL, as a stranger would.
fn psql(url: &str) -> Result<String, String> {
    let output = Command::new("psql").args(["-XAtc", "SELECT 7", url]).output().expect("psql");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
}

#[test]
fn databases_are_fresh_and_can_be_copied() {
    let server = Server::shared();
    let first = server.database("first");
    first.exec("CREATE TABLE t (a int); COPY t FROM stdin;\n1\n2\n\\.\n");
    let copy: Database = server.database_from("copy of \"first\"", "first");
    assert_eq!(copy.query("SELECT a, a + 1 FROM t ORDER BY a"), "1|2\n2|3");
    assert_eq!(server.database("first").query("SELECT to_regclass('t') IS NULL"), "t");
    assert!(first.try_exec("SELECT * FROM nowhere").unwrap_err().contains("nowhere"));
    assert_eq!(psql(&first.url()), Ok("7".to_owned()));
    assert_eq!(first.query("SHOW server_encoding; SHOW lc_collate; SHOW fsync"), "UTF8\nC\noff");
}

/// Scripts share a session, and notice nothing of each other.
#[test]
fn a_script_leaves_nothing_in_its_session() {
    let server = Server::shared();
    let database = server.database("left");
    let process = || database.query("SELECT pg_backend_pid()");
    let first = process();
    database.exec("CREATE TABLE t (a int); SET work_mem = '5MB'; SELECT pg_advisory_lock(77)");
    database.exec("BEGIN; INSERT INTO t VALUES (1)");
    let left = "SELECT current_setting('work_mem') = '5MB', (SELECT count(*) FROM t),
        (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 77)";
    assert_eq!((database.query(left).as_str(), process()), ("f|0|0", first.clone()));
    // One that the server has ended is replaced.
    server.existing("postgres").exec(&format!("SELECT pg_terminate_backend({first})"));
    eventually("the session ends", || process() != first);
    // Rows are read while the script is still being sent: each fills more than a pipe.
    let script = "SELECT repeat('x', 90);\n".repeat(4_000);
    assert_eq!(database.query(&script).lines().count(), 4_000);
}

#[test]
fn restarts_after_stop_and_kill() {
    let server = Server::start_with(Options::new().fsync(true).setting("work_mem", "5MB"));
    let database = server.existing("postgres");
    database.exec("CREATE TABLE t AS SELECT 5 AS a");
    server.stop();
    assert!(database.try_exec("SELECT 1").is_err());
    server.restart();
    assert_eq!(database.query("SHOW work_mem; SHOW fsync; SELECT a FROM t"), "5MB\non\n5");
    server.kill();
    assert!(database.try_exec("SELECT 1").is_err());
    server.restart();
    assert_eq!(database.query("SELECT a FROM t"), "5");
    let folder = server.socket_folder().to_owned();
    drop(server);
    assert!(!folder.exists());
}

#[test]
fn requires_tls() {
    let server =
        Server::start_with(Options::new().tls(Tls::ClientCertificate, Authority::for_postgres()));
    let url = server.tcp_url("postgres");
    let tls = server.tls().unwrap();
    let show = |path: &Path| path.display().to_string();
    let verified = format!("{url}?sslmode=verify-full&sslrootcert={}", show(&tls.authority));
    let certified = format!(
        "{verified}&sslcert={}&sslkey={}",
        show(&tls.client_certificate),
        show(&tls.client_key)
    );
    assert_eq!(psql(&certified), Ok("7".to_owned()));
    assert!(psql(&format!("{verified}&sslcert=none")).is_err());
    assert!(psql(&format!("{url}?sslmode=disable")).is_err());
}

#[test]
fn requires_passwords_on_tcp() {
    let server = Server::start_with(Options::new().password("it's secret"));
    let url = server.tcp_url("postgres");
    assert!(psql(&format!("{url}?passfile=/dev/null")).is_err());
    let with_password = url.replace("postgres@", "postgres:it%27s%20secret@");
    assert_eq!(psql(&with_password), Ok("7".to_owned()));
}

#[test]
fn the_server_stops_with_its_parent_process() {
    let tool = env!("CARGO_BIN_EXE_throwaway-postgres");
    let script = "echo $DATABASE_URL; exec cat";
    let mut child = Command::new(tool)
        .args(["--", "sh", "-c", script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut url = String::new();
    let mut pipe = std::io::BufReader::new(child.stdout.take().unwrap());
    std::io::BufRead::read_line(&mut pipe, &mut url).unwrap();
    assert_eq!(psql(url.trim()), Ok("7".to_owned()));
    child.kill().unwrap();
    child.wait().unwrap();
    let folder = url.split("host=").nth(1).unwrap().split('&').next().unwrap();
    eventually("the folder remains", || !Path::new(folder).exists());
    assert!(psql(url.trim()).is_err());
}

#[test]
fn the_tool_loads_scripts_and_returns_their_status() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("t.sql");
    std::fs::write(&script, "CREATE TABLE t AS SELECT 3 AS a;").unwrap();
    let command = "test $(psql -XAtc 'SELECT a FROM t' $DATABASE_URL) = 3 && exit 9";
    let status = Command::new(env!("CARGO_BIN_EXE_throwaway-postgres"))
        .arg("--load")
        .arg(&script)
        .args(["--", "sh", "-c", command])
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(9));
}
