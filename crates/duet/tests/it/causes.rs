//! The cause of a refusal is in the log, under the id that the response has.

use duet_testkit::command::Running;
use duet_testkit::http;
use duet_testkit::postgres::Server;
use duet_testkit::sqlite::Folder;
use serde_json::Value;

const TABLE: &str = "CREATE TABLE item (id integer NOT NULL PRIMARY KEY, n integer CONSTRAINT below_ten CHECK (n < 10))";

/// Sends a row that the table refuses, and finds the line of the log about it.
fn refused(server: &Running, path: &str) {
    let headers = [("Authorization", server.bearer()), ("Content-Type", "application/json".into())];
    let headers: Vec<(&str, &str)> =
        headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let url = format!("{}{path}", server.url());
    let answer = http::request("POST", &url, &headers, br#"{"id":1,"n":10}"#);
    let problem: Value = answer.json();
    assert_eq!(problem["errors"][0]["code"], "DUET-7103", "{problem}");
    let id = problem["instance"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    server.wait_for_output(&id);
    let errors = server.errors();
    let line = errors.lines().find(|line| line.contains(&id)).unwrap();
    assert!(line.contains("WARN") && line.contains("DUET-7103"), "{line}");
    assert!(line.contains("below_ten"), "the cause names the constraint: {line}");
}

#[test]
fn the_log_has_the_cause_under_the_request_id() {
    let folder = Folder::new();
    let file = folder.load("shop.db", &[TABLE]).display().to_string();
    let start = |database: &str| Running::start(&["serve", database, "--listen", "127.0.0.1:0"]);
    refused(&start(&file), "/api/main/item/");
    let database = Server::shared().database("causes");
    database.exec(TABLE);
    refused(&start(&database.url()), "/api/public/item/");
}
