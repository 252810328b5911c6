//! What the role of the database may not do is not offered, and refused with its reason; what it may do without reading
//! is done.

use duet_testkit::http::Response;
use duet_testkit::postgres::Server;
use serde_json::{Value, json};

use crate::support::{App, Database, Setup, Source};

const ROLES: [&str; 4] = ["duet.read", "duet.write", "duet.execute", "duet.admin"];

const SCHEMA: &str = "
CREATE ROLE SERVER LOGIN;
CREATE TABLE item (item_id int PRIMARY KEY, note text);
INSERT INTO item VALUES (1, 'a');
CREATE TABLE adds (item_id int PRIMARY KEY, note text);
CREATE TABLE changes (item_id int PRIMARY KEY, note text);
CREATE TABLE log (said text);
CREATE TABLE made (id serial PRIMARY KEY, note text);
INSERT INTO changes VALUES (1, 'a');
GRANT SELECT ON item, adds, changes, log, made TO SERVER;
GRANT INSERT (item_id, note) ON adds TO SERVER;
GRANT INSERT ON made TO SERVER;
GRANT UPDATE (note) ON changes TO SERVER;
";

fn send(app: &App, (method, path): (&str, &str), more: (&str, &str), body: &str) -> Response {
    let bearer = app.bearer();
    let kind = if method == "PATCH" { "application/merge-patch+json" } else { "application/json" };
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", kind), more];
    app.connect().request(method, &format!("/ords/hr/{path}"), &headers, body.as_bytes())
}

const NOTHING: (&str, &str) = ("X-Nothing", "");

fn served_as(name: &str) -> App {
    let database = Server::shared().database(name);
    database.exec(&SCHEMA.replace("SERVER", &format!("{name}_role")));
    let url = database.url().replace("user=postgres", &format!("user={name}_role"));
    Setup::of(Source::Url(url)).with(|setup| setup.roles = ROLES.to_vec()).start()
}

#[track_caller]
fn denied(response: &Response, right: &str) {
    let body = response.json();
    assert_eq!((response.status, &body["errors"][0]["code"]), (403, &json!("DUET-4012")), "{body}");
    assert!(body["detail"].as_str().unwrap().contains(right), "{body}");
}

#[test]
fn what_the_role_lacks_is_not_offered_and_refused_by_name() {
    let app = served_as("grants_reader");
    let allow = |path: &str| {
        let response = send(&app, ("OPTIONS", path), NOTHING, "");
        response.header("allow").unwrap_or_default().to_owned()
    };
    assert_eq!(allow("item/"), allow("log/"));
    for (path, has) in [
        ("item/", [false, false, false]),
        ("adds/", [true, false, false]),
        ("changes/", [false, true, false]),
        ("log/", [false, false, false]),
        ("made/", [true, false, false]),
    ] {
        let offered = ["POST", "PATCH", "DELETE"].map(|method| allow(path).contains(method));
        assert_eq!(offered, has, "{path}: {}", allow(path));
    }
    for (path, has) in [("item/1", [false; 3]), ("changes/1", [true, true, false])] {
        let offered = ["PUT", "PATCH", "DELETE"].map(|method| allow(path).contains(method));
        assert_eq!(offered, has, "{path}: {}", allow(path));
    }
    let read = |path: &str| send(&app, ("GET", path), NOTHING, "").json();
    let catalog = read("metadata-catalog/item/");
    assert_eq!(catalog["operations"], json!([]), "{catalog}");
    let changes = read("metadata-catalog/changes/");
    assert_eq!(changes["operations"], json!(["update"]), "{changes}");
    let paths = read("open-api-catalog/")["paths"].clone();
    assert!(paths["/item/"]["get"].is_object() && paths["/item/"]["post"].is_null(), "{paths}");
    assert!(paths["/adds/"]["post"].is_object(), "{paths}");
    assert!(paths["/changes/{item_id}"]["patch"].is_object(), "{paths}");
    assert!(paths["/changes/{item_id}"]["delete"].is_null(), "{paths}");
    let edits = |item: &Value| {
        let links = item["links"].as_array().unwrap();
        links.iter().any(|link| link["rel"] == "edit")
    };
    assert!(!edits(&read("item/1")) && edits(&read("changes/1")));
    denied(&send(&app, ("POST", "item/"), NOTHING, r#"{"item_id":2}"#), "INSERT on public.item");
    denied(&send(&app, ("POST", "log/"), NOTHING, r#"{"said":"x"}"#), "INSERT on public.log");
    denied(&send(&app, ("PUT", "item/1"), NOTHING, r#"{"note":"x"}"#), "UPDATE on public.item");
    denied(&send(&app, ("PATCH", "item/1"), NOTHING, r#"{"note":"x"}"#), "UPDATE on public.item");
    denied(&send(&app, ("DELETE", "item/1"), NOTHING, ""), "DELETE on public.item");
    denied(&send(&app, ("DELETE", "changes/1"), NOTHING, ""), "DELETE on public.changes");
    denied(&send(&app, ("POST", "item/_/batch"), NOTHING, "[{}]"), "INSERT on public.item");
    // The sequence of the key may not be used.
    denied(&send(&app, ("POST", "made/"), NOTHING, r#"{"note":"x"}"#), "INSERT on public.made");
    let made = send(&app, ("POST", "made/"), NOTHING, r#"{"id":7,"note":"x"}"#);
    assert_eq!(made.status, 201, "{}", made.text());
    let changed = send(&app, ("PATCH", "changes/1"), NOTHING, r#"{"note":"b"}"#);
    assert_eq!(changed.status, 200, "{}", changed.text());
}

/// A grant shows at the next look at the schema.
#[test]
fn what_is_granted_is_offered() {
    let app = served_as("grants_granted");
    denied(&send(&app, ("POST", "item/"), NOTHING, r#"{"item_id":2}"#), "INSERT on public.item");
    let database = Server::shared().existing("grants_granted");
    database.exec("GRANT INSERT ON item TO grants_granted_role");
    assert_eq!(app.reload().status, 200);
    let made = send(&app, ("POST", "item/"), NOTHING, r#"{"item_id":2}"#);
    assert_eq!(made.status, 201, "{}", made.text());
}

/// Clients whose role may add rows and not read them, or whose new rows no policy shows.
#[test]
fn rows_that_may_not_be_seen_are_added() {
    let database = Database::postgres("grants_unseen");
    database.exec(
        "CREATE ROLE grants_unseen_adds; CREATE ROLE grants_unseen_hides;
         CREATE TABLE item (item_id int PRIMARY KEY, note text);
         CREATE TABLE log (said text);
         GRANT INSERT ON item, log TO grants_unseen_adds;
         GRANT SELECT, INSERT ON item, log TO grants_unseen_hides;
         ALTER TABLE item ENABLE ROW LEVEL SECURITY;
         ALTER TABLE log ENABLE ROW LEVEL SECURITY;
         CREATE POLICY adds ON item FOR INSERT WITH CHECK (note <> 'no');
         CREATE POLICY adds ON log FOR INSERT WITH CHECK (true);",
    );
    let app = Setup::new(&database)
        .with(|setup| {
            setup.roles = ROLES.to_vec();
            setup.clients = vec![
                ("adds", Some("grants_unseen_adds".to_owned())),
                ("hides", Some("grants_unseen_hides".to_owned())),
            ];
        })
        .start();
    for (number, client) in (1..).zip(["adds", "hides"]) {
        let bearer = app.bearer_of(client);
        let post = |path: &str, more: (&str, &str), body: &Value| {
            let headers =
                [("Authorization", bearer.as_str()), ("Content-Type", "application/json"), more];
            let path = format!("/ords/hr/{path}");
            app.connect().request("POST", &path, &headers, body.to_string().as_bytes())
        };
        let row = |at: i64| json!({ "item_id": number * 100 + at, "note": client });
        let answers = [
            post("item/", NOTHING, &row(1)),
            post("item/", ("Prefer", "return=minimal"), &row(2)),
            post("log/", NOTHING, &json!({ "said": "x" })),
        ];
        for answer in &answers {
            assert_eq!((answer.status, answer.text()), (201, ""), "{client}");
            assert_eq!(answer.header("location"), None, "{client}");
        }
        // A row that a policy hides is null in an array, as one that a view does not show.
        let array = post("item/", NOTHING, &json!([row(3), row(4)]));
        let shown = if client == "adds" { "" } else { "[null,null]" };
        assert_eq!((array.status, array.text()), (201, shown), "{client}");
        for atomic in ["", "?atomic=true"] {
            let first = if atomic.is_empty() { 5 } else { 7 };
            let batch = post(
                &format!("item/_/batch{atomic}"),
                NOTHING,
                &json!([row(first), row(first + 1)]),
            );
            assert_eq!(batch.json(), json!([{ "status": 201 }, { "status": 201 }]), "{client}");
        }
        // What is refused is refused as ever.
        let no = post("item/", NOTHING, &json!({ "item_id": number * 100, "note": "no" }));
        assert_eq!(no.json()["errors"][0]["code"], "DUET-7110", "{}", no.text());
        let mixed = post("item/_/batch", NOTHING, &json!([row(9), { "item_id": 0, "note": "no" }]));
        let status = |at: usize| mixed.json()[at]["status"].clone();
        assert_eq!((status(0), status(1)), (json!(201), json!(403)), "{}", mixed.text());
        assert_eq!(post("item/", NOTHING, &row(1)).status, 409);
    }
    assert_eq!(database.count("SELECT count(*) FROM item"), 18);
    assert_eq!(database.count("SELECT count(*) FROM log"), 2);
}
