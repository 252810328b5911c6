//! The published paths of the sample `transactions`: their answers, the same bytes on both stores, and the requests
//! that Apache's ab sends.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;

use duet_testkit::command::Running;
use duet_testkit::http::{self, Response};
use duet_testkit::postgres::Server;
use duet_testkit::sqlite::Folder;
use serde_json::{Value, json};

use crate::duet_says;

/// The sample on both stores.
fn servers(folder: &Folder, name: &str) -> [Running; 2] {
    let file = folder.path().join("t.db").display().to_string();
    [file, Server::shared().database(name).url()].map(|database| {
        duet_says(&["load", "transactions", "--database", &database]);
        let app = ["serve", &database, "--app", "transactions", "--open", "all"];
        Running::start(&[&app[..], &["--listen", "127.0.0.1:0"]].concat())
    })
}

/// A request of the published gateway.
fn sale(id: &str) -> Value {
    json!({
        "transaction_type": "sale", "transaction_id": id, "account": "A", "amount": 10_000, "currency": "USD",
        "description": "one",
    })
}

/// The same with other members.
fn with(id: &str, members: &Value) -> Value {
    let mut body = sale(id);
    for (name, value) in members.as_object().unwrap() {
        body[name] = value.clone();
    }
    body
}

/// A published answer that refuses.
fn refused(id: &str, code: &str, message: &str) -> String {
    format!(
        r#"{{"transaction_id":"{id}","status":"ERROR","message":"Operation failed","error":{{"code":"{code}","message":"{message}"}}}}"#
    )
}

/// A published answer of success.
fn done(id: &str, message: &str) -> String {
    format!(r#"{{"transaction_id":"{id}","status":"SUCCESS","message":"{message}"}}"#)
}

fn batch(count: usize, from: usize) -> Value {
    let items: Vec<Value> =
        (from..from + count).map(|number| sale(&format!("B-{number}"))).collect();
    json!({ "transactions": items })
}

/// A path below `/api/oracle/`, the body that is sent to it, and the answer.
type Case = (&'static str, Value, String);

/// Requests that store one transaction or read it, in their order.
fn creations() -> Vec<Case> {
    let stored = "A transaction with this id is stored already.";
    let types = "Only 'sale' transactions are supported, got 'refund'";
    let long = "`currency` must have at most 10 characters.";
    let other = json!({ "transaction_type": "SALE", "unknown": 1, "description": null });
    let created = |id: &str| done(id, &format!("Transaction {id} created successfully"));
    let id = |id: &str| json!({ "transaction_id": id });
    let none = refused("C-3", "NOT_FOUND", "Transaction not found");
    let refund = with("C-3", &json!({ "transaction_type": "refund" }));
    let currency = with("C-4", &json!({ "currency": "12345678901" }));
    vec![
        ("create", sale("C-1"), created("C-1")),
        ("create", sale("C-1"), refused("C-1", "DB_INSERT_ERROR", stored)),
        ("create", with("C-2", &other), created("C-2")),
        ("create", refund, refused("C-3", "INVALID_TYPE", types)),
        ("create", currency, refused("C-4", "DB_INSERT_ERROR", long)),
        ("get", id("C-1"), created("C-1")),
        ("get", id("C-3"), none),
    ]
}

/// Batches, in their order.
fn batches() -> Vec<Case> {
    let few = "`transactions` must have at least 10 items.";
    let many = "`transactions` must have at most 100 items.";
    let stored = "A transaction with one of the ids is stored already.";
    let types = "Only 'sale' transactions are supported";
    let mut mixed = batch(10, 200);
    mixed["transactions"][3]["transaction_type"] = json!("refund");
    let none = refused("B-111", "NOT_FOUND", "Transaction not found");
    vec![
        ("batch-create", batch(10, 1), done("", "Created 10 transactions")),
        ("batch-create", batch(100, 11), done("", "Created 100 transactions")),
        ("batch-create", batch(9, 200), refused("", "INVALID_BATCH", few)),
        ("batch-create", batch(101, 200), refused("", "INVALID_BATCH", many)),
        ("batch-create", batch(10, 110), refused("", "DB_INSERT_ERROR", stored)),
        ("batch-create", mixed, refused("", "INVALID_TYPE", types)),
        // All or none.
        ("get", json!({ "transaction_id": "B-111" }), none),
    ]
}

fn post(server: &Running, path: &str, body: &str) -> Response {
    let json = [("Content-Type", "application/json")];
    http::request("POST", &format!("{}{path}", server.url()), &json, body.as_bytes())
}

#[test]
fn published_answers_are_the_same_on_both_stores() {
    let folder = Folder::new();
    let mut cases: Vec<(String, Value, String)> = creations()
        .into_iter()
        .chain(batches())
        .map(|(path, body, expected)| (format!("/api/oracle/{path}"), body, expected))
        .collect();
    let checked = "/api/transaction".to_owned();
    let refund = with("T-2", &json!({ "transaction_type": "Refund" }));
    let types = "Expected 'sale' transaction type, got 'Refund'";
    let types = refused("T-2", "INVALID_TYPE", types);
    let types = types.replace("Operation failed", "Transaction validation failed");
    let processed = done("T-1", "Transaction T-1 processed successfully");
    cases.extend([(checked.clone(), sale("T-1"), processed), (checked, refund, types)]);
    for server in servers(&folder, "compat_answers") {
        for (path, body, expected) in &cases {
            let answer = post(&server, path, &body.to_string());
            assert_eq!((answer.status, answer.text()), (200, expected.as_str()), "{path} {body}");
            assert_eq!(answer.header("content-type"), Some("application/json"));
        }
        for (path, media, expected) in [
            ("/", "text/plain; charset=utf-8", "OK".to_owned()),
            ("/api/status", "application/json", r#"{"result":"Status: OK"}"#.to_owned()),
            ("/api/oracle/list", "application/json", done("", "Found 100 transactions")),
        ] {
            let answer = http::get(&format!("{}{path}", server.url()), &[("Accept", "*/*")]);
            assert_eq!((answer.status, answer.text()), (200, expected.as_str()), "{path}");
            assert_eq!(answer.header("content-type"), Some(media), "{path}");
        }
        // What the native route shows of a transaction that came by the published one.
        let native = http::get(&format!("{}/transactions/C-2", server.url()), &[]).json();
        let found = (&native["transaction_type"], &native["status"], &native["description"]);
        assert_eq!(found, (&json!("SALE"), &json!("SUCCESS"), &Value::Null));
    }
}

#[test]
fn other_requests_have_their_true_status() {
    let folder = Folder::new();
    for server in servers(&folder, "compat_statuses") {
        for (path, body, status) in [
            ("/api/oracle/create", "{\"transaction_type\":", 400),
            ("/api/oracle/create", "{\"transaction_id\":\"C-9\"}", 400),
            ("/api/oracle/get", "[]", 400),
            ("/api/hello", "{\"name\":\"a\"}", 404),
            ("/api/echo", "\"a\"", 404),
            ("/api/dataproc", "\"a\"", 404),
        ] {
            let answer = post(&server, path, body);
            assert_eq!(answer.status, status, "{path} {body} {}", answer.text());
        }
        // Clients that want the index get it.
        let index = |accept| http::get(&format!("{}/", server.url()), &[("Accept", accept)]);
        let known = index("application/json");
        assert_eq!((known.status, known.header("content-type")), (200, Some("application/json")));
        // Browsers are led to the console.
        let page = index("text/html,application/xhtml+xml,*/*;q=0.8");
        assert_eq!((page.status, page.header("location")), (303, Some("/console/")));
    }
}

/// The text of a request as ab sends it: HTTP/1.0, with these further headers.
fn ab_request(address: &str, method: &str, path: &str, keep: bool, body: &str) -> String {
    let keep = if keep { "Connection: Keep-Alive\r\n" } else { "" };
    let about = match method {
        "POST" => format!("Content-length: {}\r\nContent-type: application/json\r\n", body.len()),
        _ => String::new(),
    };
    format!(
        "{method} {path} HTTP/1.0\r\n{keep}{about}Host: {address}\r\nUser-Agent: ApacheBench/2.3\r\nAccept: */*\r\n\r\n{body}"
    )
}

/// Reads one response with a Content-Length, and leaves the connection as it is.
fn response(stream: &mut TcpStream) -> (String, String) {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).unwrap();
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap();
    let lower = head.to_ascii_lowercase();
    let length = lower.split("content-length: ").nth(1).and_then(|rest| rest.split("\r\n").next());
    let mut body = vec![0; length.unwrap().parse().unwrap()];
    stream.read_exact(&mut body).unwrap();
    (lower, String::from_utf8(body).unwrap())
}

#[test]
fn requests_of_ab() {
    let folder = Folder::new();
    for server in servers(&folder, "compat_ab") {
        let address = server.url().strip_prefix("http://").unwrap().to_owned();
        let get = ("POST", "/api/oracle/get", "{\"transaction_id\": \"TXN-00000001\"}\n");
        let requests = [get, ("GET", "/api/oracle/list", ""), ("GET", "/", "")];
        for (method, path, body) in requests {
            let mut kept = TcpStream::connect(&address).unwrap();
            for _ in 0..3 {
                kept.write_all(ab_request(&address, method, path, true, body).as_bytes()).unwrap();
                let (head, _) = response(&mut kept);
                assert!(
                    head.contains(" 200 ") && head.contains("connection: keep-alive"),
                    "{head}"
                );
            }
            let mut once = TcpStream::connect(&address).unwrap();
            once.write_all(ab_request(&address, method, path, false, body).as_bytes()).unwrap();
            let mut all = String::new();
            // Without keep-alive the server ends the connection behind its response.
            once.read_to_string(&mut all).unwrap();
            assert!(all.contains(" 200 ") && !all.contains("chunked"), "{all}");
        }
        ab(&server.url(), folder.path());
    }
}

/// The requests of the published script by ab itself, where it is installed.
fn ab(url: &str, folder: &std::path::Path) {
    if Command::new("ab").arg("-V").output().is_err() {
        return duet_testkit::skipped("requests_of_ab", "ab (apache2-utils) is not installed");
    }
    let file = folder.join("body.json");
    std::fs::write(&file, "{\"transaction_id\": \"TXN-00000001\"}\n").unwrap();
    let file = file.display().to_string();
    let get = ["-p", &file, "-T", "application/json"];
    for keep in [&[][..], &["-k"]] {
        for (more, path) in [(&get[..], "/api/oracle/get"), (&[], "/api/oracle/list")] {
            let mut command = Command::new("ab");
            command
                .args(["-n", "100", "-c", "10"])
                .args(keep)
                .args(more)
                .arg(format!("{url}{path}"));
            let output = command.output().unwrap();
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            let lines: Vec<String> = said
                .lines()
                .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
                .collect();
            let has = |line: &str| lines.iter().any(|own| own == line);
            assert!(has("Complete requests: 100") && has("Failed requests: 0"), "{said}");
            assert!(!said.contains("Non-2xx"), "{said}");
            assert!(keep.is_empty() || has("Keep-Alive requests: 100"), "{said}");
        }
    }
}

/// The sample's own benchmark: a row for each point, and a file with the time in its name.
#[test]
fn the_benchmark_keeps_its_results() {
    let folder = Folder::new();
    let script = duet_testkit::golden::workspace().join("apps/transactions/bench/benchmark.sh");
    let run = |url: &str| {
        let mut command = Command::new("sh");
        command.arg(&script).current_dir(folder.path());
        command.env("BASE_URL", url).env("DUET", env!("CARGO_BIN_EXE_duet"));
        command.env("DURATION", "1s").env("WARMUP", "0s");
        command.env("POINTS", "GET:2 LIST:1 CREATE:2 BATCH:1");
        command.output().unwrap()
    };
    let [server, _] = servers(&folder, "compat_benchmark");
    let output = run(&server.url());
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{output:?}");
    let rows: Vec<Vec<&str>> = said.lines().map(|line| line.split_whitespace().collect()).collect();
    for (kind, clients) in [("GET", "2"), ("LIST", "1"), ("CREATE", "2"), ("BATCH", "1")] {
        let row = rows.iter().find(|row| row.first() == Some(&kind)).unwrap();
        assert_eq!((row.len(), row[1], row[3]), (7, clients, "0"), "{said}");
    }
    let name = rows.iter().find(|row| row.first() == Some(&"Kept")).unwrap()[2];
    let digits = name.strip_prefix("benchmark_results_").unwrap().strip_suffix(".txt").unwrap();
    assert!(digits.len() == 15 && digits.as_bytes()[8] == b'_', "{name}");
    let kept = std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert!(kept.starts_with(&server.url()) && kept.contains("Completed Run."), "{kept}");
    let url = server.url();
    assert!(server.stop().success());
    assert!(!run(&url).status.success(), "no server, no success");
}
