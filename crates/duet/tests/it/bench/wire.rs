//! The bench and the ways to what it measures: TLS, bytes on the wire, several transports to one database.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};

use duet_testkit::command::Running;
use duet_testkit::postgres::{Options, Server};
use duet_testkit::skipped;
use duet_testkit::tls::Authority;
use serde_json::Value;

use crate::{duet, duet_says};

const SHORT: [&str; 6] = ["--users", "2", "--warmup", "0s", "--duration", "300ms"];

fn result(folder: &Path) -> Value {
    serde_json::from_slice(&fs::read(folder.join("result.json")).unwrap()).unwrap()
}

/// The results of a series, in their order.
fn results(folder: &Path) -> Vec<Value> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders.iter().map(|folder| result(folder)).collect()
}

fn count(result: &Value, name: &str) -> u64 {
    result["totals"][name].as_u64().unwrap()
}

/// Bytes that a transaction sends, where all send as many.
fn sent_each(result: &Value) -> u64 {
    let done = count(result, "completed") + count(result, "failed");
    assert_eq!(count(result, "sent_bytes") % done, 0, "{}", result["totals"]);
    count(result, "sent_bytes") / done
}

fn load(database: &str) {
    let (code, said, errors) =
        duet(&["bench", "load", "lookup", "--database", database, "--scale", "100"]);
    assert_eq!(code, 0, "{said}{errors}");
}

#[test]
fn services_by_tls() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let authority = Authority::new();
    let (certificate, key) = authority.server();
    fs::write(file("authority"), authority.pem()).unwrap();
    fs::write(file("certificate"), certificate).unwrap();
    fs::write(file("key"), key).unwrap();
    let server = Running::start(&[
        "demo",
        "--listen",
        "127.0.0.1:0",
        "--tls-cert",
        &file("certificate"),
        "--tls-key",
        &file("key"),
    ]);
    let word = |name: &str| server.ready()[name].as_str().unwrap().to_owned();
    let url = format!("{}/ords/hr/team/", server.url());
    assert!(url.starts_with("https://"), "{url}");
    let client = format!("{}:{}", word("client_id"), word("client_secret"));
    let authority = file("authority");
    let runs = Cell::new(0);
    let next_out = || {
        runs.set(runs.get() + 1);
        file(&format!("run-{}", runs.get()))
    };
    let run = |more: &[&str]| {
        let out = next_out();
        let words = ["bench", "run", "rest", "--client", &client, "--quiet", "--out", &out];
        duet(&[&words[..], &SHORT, more].concat())
    };
    let (code, _, said) = run(&["--target", &url]);
    assert_eq!(code, 1);
    assert!(said.contains("is from an unknown authority"), "{said}");
    assert!(said.contains("--cacert"), "{said}");
    let (code, said, errors) = run(&["--target", &url, "--insecure"]);
    assert_eq!((code, &*errors), (0, ""), "{said}");
    // The processes of a layout are told whom to trust.
    let words =
        ["--target", &url, "--cacert", &authority, "--layout", "2x1", "--mix", "GET=1,PUT=1"];
    // Users that put the same document meet.
    let words = [&words[..], &["--errors", "99"]].concat();
    let out = next_out();
    let without_users = [
        &["bench", "run", "rest", "--client", &client, "--quiet", "--out", &out][..],
        &SHORT[2..],
        &words,
    ];
    let said = duet_says(&without_users.concat());
    assert!(said.contains("✓ PUT: is requested resource"), "{said}");
    let result = result(Path::new(&out));
    assert_eq!(result["target"]["transport"], "tls");
    assert!(count(&result, "sent_bytes") > 0 && count(&result, "received_bytes") > 0);
    // What each answer weighs within TLS is more than its content alone.
    let each = count(&result, "received_bytes") / count(&result, "round_trips");
    assert!(each > 300, "{each}");

    refused_trust(&url, run);

    let workload = file("tls.toml");
    let text = format!(
        "[workload]\nname = \"tls\"\ntarget = \"{}/ords/hr\"\n[[transaction]]\nname = \"Read\"\n\
         step = [{{ request = \"GET /team/\", check.status = 200 }}]\n",
        server.url()
    );
    fs::write(&workload, text).unwrap();
    let out = next_out();
    let own =
        ["bench", "run", &workload, "--client", &client, "--cacert", &authority, "--out", &out];
    let said = duet_says(&[&own[..], &SHORT].concat());
    assert!(said.contains("|Completed Transactions"), "{said}");
}

/// What is refused where certificates are to be trusted.
fn refused_trust(url: &str, run: impl Fn(&[&str]) -> (i32, String, String)) {
    let plain = Running::start(&["demo", "--listen", "127.0.0.1:0"]);
    let (code, _, said) = run(&["--target", &plain.url().replace("http:", "https:"), "--insecure"]);
    assert!(code == 1 && said.contains("does not speak TLS"), "{said}");
    let (code, _, said) = run(&["--target", &format!("{}/x", plain.url()), "--insecure"]);
    assert!(code == 2 && said.contains("`--insecure` is for services by https://"), "{said}");
    let (code, _, said) = run(&["--target", url, "--cacert", "/nowhere"]);
    assert!(code == 1 && said.contains("/nowhere cannot be read"), "{said}");
    let (code, _, said) =
        duet(&["bench", "run", "lookup", "--target", "postgres:///x", "--insecure"]);
    assert!(code == 2 && said.contains("`--insecure` is for services by https://"), "{said}");
}

#[test]
fn transports_to_one_database() {
    let server = Server::start_with(Options::new().tcp());
    let folder = tempfile::tempdir().unwrap();
    let (unix, tcp) = (server.url("postgres"), server.tcp_url("postgres"));
    load(&unix);
    let out = folder.path().join("lookup");
    let words = ["bench", "run", "lookup", "--paths", &unix, &tcp, "--rounds", "1"];
    let more = ["--out", out.to_str().unwrap()];
    let said = duet_says(&[&words[..], &SHORT, &more].concat());
    assert!(said.contains("| unix postgres:///postgres?host=/"), "{said}");
    assert!(said.contains("| tcp postgres://localhost:"), "{said}");
    let results = results(&out);
    // The same protocol goes over both, and each user's statement is prepared before.
    assert_eq!(sent_each(&results[0]), sent_each(&results[1]));
    assert!((30..60).contains(&sent_each(&results[0])), "{}", results[0]["totals"]);
    for result in &results {
        assert_eq!(count(result, "implicit_commits"), count(result, "completed"));
        assert!(count(result, "received_bytes") > 0);
        assert_eq!(result["ledger"]["balanced"], true, "{}", result["ledger"]);
    }

    // What a file sets up is set up once, whichever way comes first, and is gone afterwards.
    let workload = folder.path().join("tally.toml");
    fs::write(&workload, TALLY).unwrap();
    let workload = workload.to_str().unwrap();
    let outs = ["tally", "ab", "soe"].map(|name| folder.path().join(name).display().to_string());
    let [more, ab, soe] = outs.each_ref().map(|out| ["--out", out]);
    let words = ["bench", "run", workload, "--paths", &unix, &tcp, "--rounds", "1"];
    let said = duet_says(&[&words[..], &SHORT, &more].concat());
    assert!(said.contains("bytes each"), "{said}");
    let words = ["bench", "run", workload, &tcp, &unix, "--rounds", "2"];
    let times = ["--duration", "200ms", "--users", "2", "--warmup", "0s"];
    let (code, said, errors) = duet(&[&words[..], &times, &ab].concat());
    assert!([0, 2].contains(&code) && errors.is_empty(), "{code} {errors}");
    assert!(said.contains("A is postgres://localhost:"), "{said}");
    // Order entry's data are compared with each run's own work, and the exit code says so.
    let (code, said, errors) =
        duet(&["bench", "load", "soe", "--database", &unix, "--scale", "0.001"]);
    assert_eq!(code, 0, "{said}{errors}");
    let words = ["bench", "run", "soe-server", &unix, &tcp, "--rounds", "2"];
    let (code, said, errors) = duet(&[&words[..], &times, &soe].concat());
    assert!([0, 2].contains(&code) && errors.is_empty(), "{code} {said} {errors}");
    let tables = "SELECT count(*) FROM pg_class WHERE relname = 'tally'";
    assert_eq!(server.existing("postgres").query(tables), "0");
}

const TALLY: &str = r#"
[workload]
name = "tally"
setup = [{ sql = "CREATE TABLE tally (id integer PRIMARY KEY, n bigint NOT NULL)" },
         { sql = "INSERT INTO tally SELECT i, 0 FROM generate_series(1, 100) AS i" }]
teardown = [{ sql = "DROP TABLE tally" }]

[feeders]
id = { uniform = [1, 100] }

[[transaction]]
name = "Count"
transaction = true
step = [{ sql = "UPDATE tally SET n = n + 1 WHERE id = $1", params = ["${id}"], check.rows = 1 }]
"#;

/// Users in a network namespace come by an address of their own, which the server must let in.
#[test]
fn a_transport_through_a_bridge() {
    let server = Server::start_with(Options::new().tcp());
    let rules = server.socket_folder().join("data/pg_hba.conf");
    let text = fs::read_to_string(&rules).unwrap();
    fs::write(&rules, format!("{text}host all all 198.18.213.0/30 trust\n")).unwrap();
    let database = server.existing("postgres");
    assert_eq!(database.query("SELECT pg_reload_conf()"), "t");
    let (unix, tcp) = (server.url("postgres"), server.tcp_url("postgres"));
    load(&unix);
    let folder = tempfile::tempdir().unwrap();
    let words = ["bench", "run", "lookup", "--paths", &unix, &tcp, "--bridge"];
    let times = ["--users", "2", "--warmup", "0s", "--duration", "2s", "--rounds", "1"];
    let out = ["--out", folder.path().to_str().unwrap()];
    let (code, said, errors) = duet(&[&words[..], &times, &out].concat());
    assert_eq!(code, 0, "{errors}");
    if errors.contains("no bridge to") {
        // Without root or `ip`, a warning says so, and the other transports are measured.
        assert_eq!(results(folder.path()).len(), 2, "{errors}");
        skipped("bench_wire::a_transport_through_a_bridge", &errors);
        return;
    }
    let results = results(folder.path());
    assert!(said.contains("| bridge postgres://localhost:"), "{said}");
    assert_eq!(results.len(), 3);
    assert!(results[2]["target"]["address"].as_str().unwrap().contains("198.18.213.1"));
    assert_eq!(sent_each(&results[2]), sent_each(&results[0]));
    // Both sides' processor time is known, from within the namespace too.
    let mut lines = said.lines().filter(|line| line.contains("postgres://") && line.ends_with('|'));
    assert!(lines.all(|line| !line.ends_with("n/a |")), "{said}");
}
