//! `duet explain`: from the command line to the service's own explanation.

use duet_testkit::postgres::Server;
use duet_testkit::sqlite;

use crate::{duet, duet_says};

const SCRIPT: &str = "CREATE TABLE t (id INTEGER PRIMARY KEY, points INTEGER NOT NULL)";

#[test]
fn on_both_stores() {
    let folder = sqlite::Folder::new();
    let file = folder.load("a.db", &[SCRIPT]).display().to_string();
    let postgres = Server::shared().database("explain");
    postgres.exec(SCRIPT);
    for (database, schema) in [(file, "main"), (postgres.url(), "public")] {
        let page = format!("/api/{schema}/t/?q={{\"points\":{{\"$gt\":10}}}}");
        let said = duet_says(&["explain", "get", &page, &database]);
        assert!(said.contains("SELECT") && said.contains("points"), "{said}");
        let item = format!("http://127.0.0.1:8080/api/{schema}/t/7");
        assert!(duet_says(&["explain", "GET", &item, &database]).contains("SELECT"));
    }
}

#[test]
fn explain_reports_the_refusal() {
    let folder = sqlite::Folder::new();
    let file = folder.load("a.db", &[SCRIPT]).display().to_string();
    for (target, expected) in [
        ("/api/main/t/?q={\"pointz\":1}", "hint: "),
        ("/api/main/nowhere/", "error: Nothing is served at this path"),
        ("/x", "error: Nothing is served at this path"),
    ] {
        let (code, _, errors) = duet(&["explain", "GET", target, &file]);
        assert_eq!(code, 1);
        assert!(errors.contains(expected), "{target}: {errors}");
    }
}
