//! A server whose role may do little in its database: what an owner makes beside it takes it nothing, and a role that
//! is named with the command may use it.

use duet_testkit::command::Running;
use duet_testkit::http::{self, Response};
use duet_testkit::postgres::Server;

use crate::{duet, duet_says};

/// A served table, and around it what the role may not read in any way.
const SCHEMA: &str = "
CREATE ROLE SERVER LOGIN;
CREATE TABLE item (item_id integer PRIMARY KEY, note text, secret text);
INSERT INTO item VALUES (1, 'a', 's');
GRANT SELECT (item_id, note), INSERT, UPDATE, DELETE ON item TO SERVER;
CREATE SCHEMA hidden;
CREATE TYPE hidden.mood AS ENUM ('sad', 'ok');
CREATE DOMAIN hidden.small AS integer CHECK (VALUE < 100);
CREATE FUNCTION hidden.run() RETURNS integer LANGUAGE sql AS 'SELECT 1';
REVOKE EXECUTE ON FUNCTION hidden.run() FROM PUBLIC;
CREATE TABLE hidden.secret (id integer PRIMARY KEY, feels hidden.mood, n hidden.small DEFAULT hidden.run());
CREATE INDEX by_text ON hidden.secret ((n + hidden.run()));
CREATE TABLE linked (id integer PRIMARY KEY REFERENCES hidden.secret (id));
CREATE VIEW seen AS SELECT * FROM hidden.secret;
";

/// The database, and its address for a role.
fn database(name: &'static str) -> (duet_testkit::postgres::Database, String) {
    let database = Server::shared().database(name);
    database.exec(&SCHEMA.replace("SERVER", &format!("{name}_role")));
    let url = database.url().replace("user=postgres", &format!("user={name}_role"));
    (database, url)
}

fn request(server: &Running, (method, path): (&str, &str), bearer: &str) -> Response {
    let url = format!("{}{path}", server.url());
    http::request(method, &url, &[("Authorization", bearer)], b"")
}

/// It serves, reloads, is ready, and starts again.
fn lives(server: &Running, url: &str) {
    let bearer = server.bearer();
    let status = |what: (&str, &str)| request(server, what, &bearer).status;
    assert_eq!(status(("GET", "/api/public/item/1")), 200);
    assert_eq!(status(("POST", "/admin/reload")), 200);
    assert_eq!(status(("GET", "/health/ready")), 200);
    assert_eq!(status(("GET", "/admin/journal")), 200);
    let again = Running::start(&["serve", url]);
    assert_eq!(request(&again, ("GET", "/api/public/item/1"), &again.bearer()).status, 200);
}

#[test]
fn what_an_owner_prepares_takes_no_server_down() {
    let (database, url) = database("least_privilege");
    let owner = database.url();
    let server = Running::start(&["serve", &url]);
    lives(&server, &url);
    for (words, table) in [
        (&["journal", "prepare", "--database", &owner][..], "journal_marks"),
        (&["service", "prepare", "--database", &owner], "idempotency"),
        (&["rowstore", "prepare", "--means", "table", "--database", &owner], "change"),
    ] {
        let said = duet_says(words);
        assert!(said.contains("GRANT USAGE ON SCHEMA duet TO \"ROLE\""), "{said}");
        assert!(said.contains(&format!("ON duet.{table} TO \"ROLE\"")), "{said}");
        lives(&server, &url);
    }
    let add = ["client", "add", "reader", "--role", "duet.read", "--in-database", &owner];
    let (code, _, said) = duet(&add);
    assert!(code == 0 && said.contains("GRANT SELECT ON duet.state TO \"ROLE\""), "{said}");
    lives(&server, &url);
    let told = request(&server, ("POST", "/admin/reload"), &server.bearer());
    let told = told.text();
    let note = "the table duet.journal_marks exists, and least_privilege_role may not use it";
    assert!(told.contains(note), "{told}");
    assert!(told.contains("GRANT USAGE ON SCHEMA duet TO \\\"least_privilege_role\\\""), "{told}");
    // Requests that need one of them say so, and the others are answered.
    let keyed = http::request(
        "POST",
        &format!("{}/api/public/item/", server.url()),
        &[
            ("Authorization", &server.bearer()),
            ("Content-Type", "application/json"),
            ("Idempotency-Key", "\"k\""),
        ],
        b"{\"item_id\":8}",
    );
    assert_eq!(keyed.status, 501, "{}", keyed.text());
}

#[test]
fn the_role_that_is_named_may_use_what_is_prepared() {
    let (database, url) = database("least_privilege_granted");
    let (owner, role) = (database.url(), "least_privilege_granted_role");
    for words in [
        &["journal", "prepare", "--server-role", role, "--database", &owner][..],
        &["service", "prepare", "--server-role", role, "--database", &owner],
        &["rowstore", "prepare", "--means", "table", "--server-role", role, "--database", &owner],
    ] {
        let said = duet_says(words);
        assert!(said.contains(&format!("Granted {role} what `duet serve` needs")), "{said}");
    }
    let file = tempfile::tempdir().expect("a folder");
    let place = ["--in-database", &owner, "--server-role", role, "--json"];
    let mut add = vec!["client", "add", "reader", "--role", "duet.write"];
    add.extend(place);
    let (code, client, errors) = duet(&add);
    assert_eq!(code, 0, "{errors}");
    let client: serde_json::Value = serde_json::from_str(&client).expect("JSON");
    let journal = file.path().join("journal").display().to_string();
    let server = Running::start(&["serve", &url, "--journal", &journal]);
    assert!(!server.errors().contains("may not use it"), "{}", server.errors());
    let text = |name: &str| client[name].as_str().expect("a text");
    let bearer = http::bearer(&server.url(), text("client_id"), text("client_secret"));
    let post = |header: (&str, &str), body: &str| {
        let url = format!("{}/api/public/item/", server.url());
        let headers =
            [("Authorization", bearer.as_str()), ("Content-Type", "application/json"), header];
        http::request("POST", &url, &headers, body.as_bytes())
    };
    assert_eq!(post(("Idempotency-Key", "\"k\""), "{\"item_id\":8}").status, 201);
    assert_eq!(post(("Prefer", "respond-async"), "{\"item_id\":9}").status, 202);
    let (code, _, errors) =
        duet(&["service", "prepare", "--server-role", "no such role", "--database", &owner]);
    assert!(code == 1 && errors.contains("cannot be given its rights"), "{errors}");
}

#[test]
fn check_names_what_the_role_may_not_write() {
    let (database, url) = database("least_privilege_check");
    database.exec("REVOKE INSERT, DELETE ON item FROM least_privilege_check_role");
    let folder = tempfile::tempdir().unwrap();
    let app = folder.path().join("app.toml");
    std::fs::write(&app, "name = 'items'\nmount = '/i'\ntables = 'all'\n").unwrap();
    let said = duet_says(&["check", app.to_str().unwrap(), "--database", &url]);
    assert!(said.contains("grants Duet's role no INSERT, DELETE on item: "), "{said}");
}

/// What exists and may not be used is not called missing: by the preparing command, the server and load tests.
#[test]
fn a_right_that_is_missing_is_named() {
    let (database, url) = database("least_privilege_named");
    let owner = database.url();
    duet_says(&["journal", "prepare", "--database", &owner]);
    let (code, _, errors) = duet(&["journal", "prepare", "--database", &url]);
    let message = "error: The tables of the journal cannot be used by the user of the connection.";
    assert!(code == 1 && errors.starts_with(message), "{errors}");
    assert!(errors.contains("`--server-role`"), "{errors}");
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().join("journal").display().to_string();
    let server = Running::start(&["serve", &url, "--journal", &journal]);
    let bearer = server.bearer();
    let headers = [
        ("Authorization", bearer.as_str()),
        ("Content-Type", "application/json"),
        ("Prefer", "respond-async"),
    ];
    let item = format!("{}/api/public/item/", server.url());
    assert_eq!(http::request("POST", &item, &headers, b"{\"item_id\":9}").status, 201);
    let state = request(&server, ("GET", "/admin/journal"), &bearer).json();
    let reason = state["journals"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("no rights on the tables of the journal"), "{reason}");
    database.exec("CREATE SCHEMA soe; CREATE TABLE soe.customers (customer_id integer);");
    let run = ["bench", "run", "soe-client", "--target", &url, "--duration", "1s"];
    let (_, _, errors) = duet(&run);
    assert!(errors.contains("the user of the database may not read order entry: "), "{errors}");
    assert!(errors.contains("permission denied for schema soe"), "{errors}");
}
