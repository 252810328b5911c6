//! Rows acknowledged from the journal by one of several processes.

use duet_testkit::command::{Running, Signal, signal, wait_until};
use duet_testkit::http::{self, Response};
use duet_testkit::sqlite;
use serde_json::{Value, json};

use crate::duet_says;

/// Adds drivers until the owner of the journal acknowledges one; gives its status URL.
fn acknowledged(url: &str, next: &mut u64) -> String {
    let headers = [("Content-Type", "application/json"), ("Prefer", "respond-async")];
    let mut status = String::new();
    let place = std::cell::RefCell::new((&mut status, next));
    wait_until("a row is acknowledged from the journal", || {
        let (status, next) = &mut *place.borrow_mut();
        **next += 1;
        let body = json!({ "driver_id": **next, "name": format!("Driver {next}"), "points": 0, "team_id": 2 });
        let path = format!("{url}/api/main/driver/");
        let response = http::request("POST", &path, &headers, body.to_string().as_bytes());
        assert!(matches!(response.status, 201 | 202), "{response:?}");
        if response.status == 202 {
            **status = response.header("location").expect("a status URL").to_owned();
        }
        response.status == 202
    });
    status
}

/// Each request has a connection of its own, so that every instance has some of them.
#[test]
fn every_instance_answers_for_the_journal_of_one() {
    let folder = sqlite::Folder::new();
    let database = folder.path().join("a.sqlite").display().to_string();
    duet_says(&["load", "car-racing", "--database", &database]);
    duet_says(&["journal", "prepare", "--database", &database]);
    let server = Running::start(&[
        "serve",
        &database,
        "--open",
        "all",
        "--instances",
        "2",
        "--listen",
        "127.0.0.1:0",
    ]);
    let (url, bearer) = (server.url(), server.bearer());
    let admin = |method: &str, path: &str| -> Response {
        http::request(method, &format!("{url}{path}"), &[("Authorization", &bearer)], b"")
    };
    let owner = || -> Value { admin("GET", "/admin/journal").json()["journals"][0].clone() };
    let mut next = 1_000;
    for run in 1..=2 {
        let status = acknowledged(&url, &mut next);
        for _ in 0..10 {
            let flushed = admin("POST", "/admin/journal?flush&timeout=30");
            assert_eq!(flushed.status, 200, "{flushed:?}");
            let became = http::get(&format!("{status}?wait=30"), &[]);
            assert_eq!((became.status, &became.json()["status"]), (200, &json!("applied")));
            let journal = owner();
            assert_eq!((&journal["state"], &journal["epoch"]), (&json!("ready"), &json!(run)));
        }
        if run == 1 {
            let instances = admin("GET", "/admin/instances").json();
            let number = owner()["instance"].clone();
            let own = instances["instances"].as_array().expect("a list").iter();
            let own = own.filter(|it| it["instance"] == number).find_map(|it| it["pid"].as_u64());
            signal(u32::try_from(own.expect("a process")).expect("a pid"), Signal::SIGKILL);
            wait_until("another process owns the journal", || owner()["epoch"] == 2);
        }
    }
    let added = http::get(
        &format!(
            "{url}/api/main/driver/?q=%7B%22driver_id%22%3A%7B%22%24gt%22%3A1000%7D%7D&limit=1000"
        ),
        &[],
    );
    assert_eq!(added.json()["count"], next - 1_000, "every row once");
    assert!(server.stop().success());
}
