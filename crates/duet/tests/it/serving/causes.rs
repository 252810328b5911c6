//! What the log explains: causes of refusals, under the id of the response, and what is not served.

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
    let id =
        problem["instance"].as_str().expect("an id").rsplit('/').next().expect("an id").to_owned();
    server.wait_for_output(&id);
    let errors = server.errors();
    let line = errors.lines().find(|line| line.contains(&id)).expect("a line");
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

/// Routines that are not served are named once, with the reason.
#[test]
fn the_log_names_routines_that_are_not_served() {
    let database = Server::shared().database("causes_routines");
    database.exec(TABLE);
    database.exec(
        "CREATE FUNCTION owned() RETURNS int LANGUAGE sql SECURITY DEFINER AS 'SELECT 1';
         CREATE FUNCTION twice(int) RETURNS int LANGUAGE sql AS 'SELECT 1';
         CREATE FUNCTION twice(text) RETURNS int LANGUAGE sql AS 'SELECT 1';
         CREATE FUNCTION plain() RETURNS int LANGUAGE sql AS 'SELECT 1';",
    );
    let start = |more: &[&str]| {
        let arguments = ["serve", &database.url(), "--listen", "127.0.0.1:0"];
        Running::start(&[&arguments, more].concat())
    };
    let counted = start(&[]);
    counted.wait_for_output("1 routine not served; --verbose says more");
    assert!(!counted.errors().contains("owned"));
    let server = start(&["--verbose"]);
    for name in ["owned", "twice"] {
        server.wait_for_output(name);
    }
    let errors = server.errors();
    let naming = |text: &str| errors.lines().filter(|line| line.contains(text)).count();
    assert_eq!((naming("SECURITY DEFINER"), naming("owned")), (1, 1), "{errors}");
    assert_eq!((naming("twice"), naming("plain")), (1, 0), "{errors}");
}

/// A superuser is held back by nothing, and the start says so; another user is not warned of.
#[test]
fn a_superuser_is_warned_of() {
    let server = Server::shared();
    let database = server.database("causes_superuser");
    database.exec(TABLE);
    database.exec("CREATE ROLE causes_plain LOGIN; GRANT SELECT ON item TO causes_plain;");
    let warned = |url: &str| {
        let running = Running::start(&["serve", url, "--listen", "127.0.0.1:0"]);
        let bearer = running.bearer();
        let url = format!("{}/admin/status", running.url());
        let status = http::get(&url, &[("Authorization", &bearer)]).json();
        (running.errors(), status["applications"][0]["superuser"].clone())
    };
    let (errors, told) = warned(&database.url());
    assert!(errors.contains("Duet runs as \"postgres\", a superuser of the database"), "{errors}");
    assert_eq!(told, "postgres");
    let (errors, told) = warned(&database.url().replace("user=postgres", "user=causes_plain"));
    assert!(!errors.contains("superuser"), "{errors}");
    assert_eq!(told, Value::Null);
}
