//! Items from memory while the database is down.

use std::time::Duration;

use duet_service::definition::Resource;
use duet_store::Capture;
use duet_testkit::http::Response;
use duet_testkit::postgres::{Options, Server};

use super::capture::prepared;
use crate::support::{App, Setup, eventually};

const TABLES: &str = "
CREATE TABLE team (id integer NOT NULL PRIMARY KEY, name text NOT NULL);
INSERT INTO team VALUES (1, 'Red'), (2, 'Blue');
CREATE VIEW strict AS SELECT * FROM team;
CREATE VIEW brief AS SELECT * FROM team;
";

fn get(app: &App, path: &str, header: (&str, &str)) -> Response {
    let headers = [("Authorization", &*app.bearer()), header];
    app.connect().request("GET", &format!("/ords/hr/{path}"), &headers, b"")
}

fn source(response: &Response) -> Option<&str> {
    response.header("x-cache")
}

/// One resource has the application's limit, one has none, and that of one is short.
fn served_while_down(name: &str, capture: Capture) {
    let server = Server::start_with(Options::new().setting("wal_level", "logical"));
    let database = prepared(&server, name, TABLES, Capture::Stream);
    let app = Setup::new(&database)
        .with(|setup| {
            setup.roles = vec!["duet.read", "duet.write", "duet.admin"];
            setup.limits.capture = capture;
            setup.limits.statement_timeout = Duration::from_secs(5);
            setup.read_limits.serve_stale = Some(Duration::from_secs(600));
            for (name, serve_stale) in [("team", None), ("strict", Some(0)), ("brief", Some(1))] {
                let resource = Resource {
                    name: name.into(),
                    table: name.into(),
                    key: vec!["id".into()],
                    rowstore: 1 << 20,
                    serve_stale: serve_stale.map(Duration::from_millis),
                    ..Resource::default()
                };
                setup.mount().resources.push(resource);
            }
        })
        .start();
    for path in ["team/1", "strict/1", "brief/1"] {
        eventually("it is kept", || source(&app.get(&format!("/ords/hr/{path}"))) == Some("hit"));
    }
    server.kill();
    // Until the limits of ordinary hits have passed.
    eventually("it is stale", || source(&app.get("/ords/hr/team/1")) == Some("stale"));
    let stale = app.get("/ords/hr/team/1");
    assert_eq!((stale.status, &stale.json()["name"]), (200, &"Red".into()));
    assert_eq!(stale.header("warning"), Some("111 - \"Revalidation Failed\""));
    let age = || app.get("/ords/hr/team/1").header("age").unwrap().parse::<u64>().unwrap();
    eventually("it grows older", || age() >= 2);
    let unchanged = get(&app, "team/1", ("If-None-Match", stale.header("etag").unwrap()));
    assert_eq!((unchanged.status, source(&unchanged)), (304, Some("stale")));
    let many = get(&app, "team/?ids=1", ("Accept", "application/json"));
    assert_eq!((many.status, source(&many)), (200, Some("stale")), "{}", many.text());
    // What is not in memory, or is wanted from the database, fails, and so does what may not be stale.
    for (path, header) in [
        ("team/2", ("Accept", "application/json")),
        ("team/1", ("Cache-Control", "no-cache")),
        ("strict/1", ("Accept", "application/json")),
        ("brief/1", ("Accept", "application/json")),
    ] {
        eventually("it fails", || get(&app, path, header).status >= 500);
    }
    server.restart();
    database.exec("UPDATE team SET name = 'Green' WHERE id = 1");
    eventually("the database answers", || app.get("/ords/hr/team/1").json()["name"] == "Green");
    eventually("it is kept", || source(&app.get("/ords/hr/team/1")) == Some("hit"));
    let headers = [("Authorization", &*app.bearer())];
    let metrics = app.connect().request("GET", "/metrics", &headers, b"");
    let metrics = metrics.text();
    let stale = metrics.lines().find(|line| {
        line.starts_with("duet_rowstore_stale_total") && line.contains("/ords/hr/team\"")
    });
    assert!(!stale.unwrap().ends_with(" 0"), "{metrics}");
}

#[test]
fn while_the_database_is_down_old_items_are_served() {
    served_while_down("stale_aged", Capture::Off);
}

#[test]
fn captured_items_are_as_old_as_the_capture() {
    served_while_down("stale_captured", Capture::Stream);
}
