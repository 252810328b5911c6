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

    by_streams(&url, &client, &next_out());

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

/// The same in streams of HTTP/2, of which two users share a connection.
fn by_streams(url: &str, client: &str, out: &str) {
    let words = ["bench", "run", "rest", "--client", client, "--quiet", "--out", out];
    let how = ["--target", url, "--insecure", "--http2", "--streams", "2"];
    duet_says(&[&words[..], &SHORT, &how].concat());
    let result = result(Path::new(out));
    assert_eq!(result["target"]["transport"], "tls, HTTP/2");
    assert!(count(&result, "completed") > 0 && count(&result, "failed") == 0);
    assert_eq!(result["ledger"]["balanced"], true, "{}", result["ledger"]);
}

/// What is refused where certificates are to be trusted.
fn refused_trust(url: &str, run: impl Fn(&[&str]) -> (i32, String, String)) {
    let plain = Running::start(&["demo", "--listen", "127.0.0.1:0"]);
    let (code, _, said) = run(&["--target", &plain.url().replace("http:", "https:"), "--insecure"]);
    assert!(code == 1 && said.contains("does not speak TLS"), "{said}");
    // Prior knowledge: the service without TLS speaks it too, and refuses the client of the other one.
    let page = format!("{}/ords/hr/team/", plain.url());
    let (code, _, said) = run(&["--target", &page, "--http2"]);
    assert!(code == 1 && said.contains("no token at"), "{said}");
    for (words, refused) in [
        (&["--http2", "--proxy", "http://h:1"][..], "a Unix socket has no proxy"),
        (&["--proxy", "http://a:b@h"], "DUET_BENCH_PROXY_LOGIN"),
        (&["--cert", "/nowhere"], "`--cert` is for services by https://"),
    ] {
        let target = match refused.contains("socket") {
            true => "unix:/nowhere:/x".to_owned(),
            false => format!("{}/x", plain.url()),
        };
        let (code, _, said) = run(&[&["--target", &target], words].concat());
        assert!(code == 2 && said.contains(refused), "{words:?}: {said}");
    }
    let (code, _, said) = run(&["--target", &format!("{}/x", plain.url()), "--insecure"]);
    assert!(code == 2 && said.contains("`--insecure` is for services by https://"), "{said}");
    let (code, _, said) = run(&["--target", url, "--cacert", "/nowhere"]);
    assert!(code == 1 && said.contains("/nowhere cannot be read"), "{said}");
    let (code, _, said) =
        duet(&["bench", "run", "lookup", "--target", "postgres:///x", "--insecure"]);
    assert!(code == 2 && said.contains("`--insecure` is for services by https://"), "{said}");
}

/// A service that is not Duet gets the requests of the workload alone, unless its counters are asked for.
#[test]
fn only_what_was_asked_for_is_sent() {
    let (paths, url) = noting_service();
    let folder = tempfile::tempdir().unwrap();
    let out = |name: &str| folder.path().join(name).display().to_string();
    let workload = out("own.toml");
    let text = "[workload]\nname = \"own\"\ntarget = \"TARGET\"\n[[transaction]]\nname = \"Read\"\nstep = [{ request = \"PURGE /own\", headers.Host = \"other.example\" }]\n";
    fs::write(&workload, text.replace("TARGET", &url)).unwrap();
    let words = ["--users", "1", "--iterations", "3", "--quiet", "--out"];
    duet_says(&[&["bench", "run", &workload][..], &words, &[&out("a")]].concat());
    let own = "PURGE /own HTTP/1.1 other.example";
    assert_eq!(*paths.lock().unwrap(), [own; 3]);
    let more = ["--metrics", "/counters"];
    duet_says(&[&["bench", "run", &workload][..], &words, &[&out("b")], &more].concat());
    let asked = paths.lock().unwrap().clone();
    assert!(asked.iter().any(|it| it.starts_with("GET /counters ")), "{asked:?}");
    paths.lock().unwrap().clear();
    // `rest` reads the resource alone.
    let (thing, last) = (format!("{url}/thing"), out("c"));
    let rest = ["bench", "run", "rest", "--target", &thing];
    duet_says(&[&rest[..], &words, &[&last]].concat());
    let asked = paths.lock().unwrap().clone();
    assert!(asked.iter().all(|it| it.starts_with("GET /thing ")), "{asked:?}");
}

/// A service that notes the first line and the host of each request.
fn noting_service() -> (std::sync::Arc<std::sync::Mutex<Vec<String>>>, String) {
    use std::io::{BufRead as _, BufReader, Write as _};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let paths = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let noted = paths.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let noted = noted.clone();
            std::thread::spawn(move || {
                let mut lines =
                    BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
                while let Some(first) = lines.next() {
                    let head: Vec<String> =
                        lines.by_ref().take_while(|it| !it.is_empty()).collect();
                    let host = head.iter().find_map(|it| it.strip_prefix("Host: "));
                    noted.lock().unwrap().push(format!("{first} {}", host.unwrap_or_default()));
                    let answer = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
                    if (&stream).write_all(answer.as_bytes()).is_err() {
                        return;
                    }
                }
            });
        }
    });
    (paths, url)
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
