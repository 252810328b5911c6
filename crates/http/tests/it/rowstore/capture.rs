//! Items from memory on PostgreSQL, where others write to the database too: by the change stream and by
//! the change table.

use std::sync::OnceLock;
use std::time::Duration;

use duet_client::connect;
use duet_postgres::prepare_changes;
use duet_service::definition::Resource;
use duet_store::Capture;
use duet_testkit::postgres::{Options, Server};
use serde_json::Value;

use crate::support::{App, Database, Setup, eventually};

const TABLES: &str = "
CREATE TABLE team (id integer NOT NULL PRIMARY KEY, name text NOT NULL);
CREATE TABLE driver (id integer NOT NULL PRIMARY KEY, name text NOT NULL,
                     team_id integer NOT NULL REFERENCES team ON DELETE CASCADE);
INSERT INTO team VALUES (1, 'Red'), (2, 'Blue');
INSERT INTO driver VALUES (11, 'Ann', 1), (21, 'Bob', 2);
CREATE VIEW names AS SELECT id, name FROM team;
";
const VIEW: &str = "view team_dv as team @update { _id: id  name  driver [ { id name } ] }";

/// A server whose log can be decoded, one for all tests.
pub(crate) fn logical() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(|| Server::start_with(Options::new().setting("wal_level", "logical")))
}

/// A database that is prepared for these means.
pub(crate) fn prepared(server: &Server, name: &str, tables: &str, means: Capture) -> Database {
    let database = server.database(name);
    database.exec(tables);
    prepare(&database.url(), means);
    Database::Postgres(database)
}

fn prepare(url: &str, means: Capture) {
    let settings = connect::Settings::from_url(url, &|_: &str| None).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(prepare_changes(&settings, means)).unwrap();
}

fn setup(database: &Database, means: Capture) -> Setup {
    Setup::new(database).view("team_dv", VIEW).with(|setup| {
        setup.roles = vec!["duet.write", "duet.read", "duet.admin"];
        setup.limits.capture = means;
        for name in ["team", "driver", "team_dv"] {
            let (name, table) = (name.to_owned(), name.to_owned());
            let resource = Resource { name, table, rowstore: 1 << 20, ..Resource::default() };
            setup.mount().resources.push(resource);
        }
    })
}

fn both(test: impl Fn(&Database, &str, Capture)) {
    for (means, name) in [(Capture::Stream, "stream"), (Capture::Table, "table")] {
        let server = if means == Capture::Stream { logical() } else { Server::shared() };
        let thread = std::thread::current();
        let test_name = thread.name().unwrap().rsplit("::").next().unwrap().to_owned();
        let database = prepared(server, &format!("capture_{test_name}_{name}"), TABLES, means);
        test(&database, name, means);
    }
}

/// An item, and where it came from.
fn read(app: &App, path: &str) -> (Value, String) {
    let response = app.get(&format!("/ords/hr/{path}"));
    let source = response.header("x-cache").unwrap_or_default().to_owned();
    (response.json(), source)
}

fn admin(app: &App) -> Value {
    let headers = [("Authorization", &*app.bearer())];
    app.connect().request("GET", "/admin/rowstore", &headers, b"").json()
}

#[test]
fn what_others_write_is_seen_and_nothing_expires() {
    both(|database, means, capture| {
        // Nothing expires: without the capture, what others write would never be seen.
        let setup =
            setup(database, capture).with(|setup| setup.read_limits.rowstore_max_age = None);
        let app = setup.start();
        for round in 0..3 {
            let name = format!("round {round}");
            for path in ["team/1", "team_dv/1", "team_dv/2", "driver/11"] {
                eventually("it is kept", || read(&app, path).1 == "hit");
            }
            database.exec(&format!("UPDATE team SET name = '{name}' WHERE id = 1"));
            for path in ["team/1", "team_dv/1"] {
                eventually("it is seen", || read(&app, path).0["name"] == *name);
            }
            // The other document is as it was.
            assert_eq!(read(&app, "team_dv/2").1, "hit", "{means}");
            database.exec(&format!("UPDATE driver SET name = '{name}' WHERE id = 11"));
            eventually("it is seen", || read(&app, "team_dv/1").0["driver"][0]["name"] == *name);
        }
        database.exec("DELETE FROM team WHERE id = 2");
        eventually("it is gone", || app.get("/ords/hr/driver/21").status == 404);
        eventually("it is gone", || app.get("/ords/hr/team_dv/2").status == 404);
        let state = admin(&app);
        assert_eq!(state["captures"][0]["means"], means, "{state}");
        for one in state["rowstores"].as_array().unwrap() {
            assert_eq!(one["state"], "ready", "{state}");
            assert!(one["lagSeconds"].as_f64().unwrap() < 60.0, "{state}");
            assert_eq!(one.get("maxAgeSeconds"), None, "{state}");
        }
        let hit = app.get("/ords/hr/driver/11");
        let hit =
            if hit.header("x-cache") == Some("hit") { hit } else { app.get("/ords/hr/driver/11") };
        assert!(hit.header("age").unwrap().parse::<u64>().is_ok());
        let headers = [("Authorization", &*app.bearer())];
        let metrics = app.connect().request("GET", "/metrics", &headers, b"");
        let metrics = metrics.text();
        assert!(metrics.contains("duet_capture_active{application=\"test\"} 1"), "{metrics}");
        assert!(metrics.contains("duet_capture_lag_seconds{application=\"test\"} 0."), "{metrics}");
    });
}

const TRIGGER: &str = "
CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE driver SET name = NEW.name || '!' WHERE team_id = NEW.id;
    RETURN NULL;
END $$;
CREATE TRIGGER touch AFTER UPDATE ON team FOR EACH ROW EXECUTE FUNCTION touch();
INSERT INTO team VALUES (3, 'Grey');
INSERT INTO driver VALUES (31, 'Cy', 3);
";

/// What a trigger or a cascade changes is named by the log: the write answers once it is known, and other
/// items stay in memory.
#[test]
fn what_triggers_change_is_known_before_the_answer() {
    both(|database, means, capture| {
        database.exec(TRIGGER);
        let app = setup(database, capture)
            .with(|setup| setup.read_limits.rowstore_max_age = None)
            .start();
        let bearer = app.bearer();
        let write = |method: &str, path: &str, body: &str| {
            let headers = [("Authorization", &*bearer), ("Content-Type", "application/json")];
            let path = format!("/ords/hr/{path}");
            app.connect().request(method, &path, &headers, body.as_bytes()).status
        };
        let others = ["team/2", "driver/21"];
        let kept = || others.map(|path| read(&app, path).1) == ["hit"; 2];
        // On a busy machine the log may be late, and all items go.
        let mut round = 0;
        eventually("other items are kept", || {
            round += 1;
            for path in others.into_iter().chain(["team/1", "driver/11", "team_dv/1"]) {
                eventually("it is kept", || read(&app, path).1 == "hit");
            }
            let body = format!(r#"{{"name":"round {round}"}}"#);
            assert_eq!(write("PATCH", "team/1", &body), 200);
            let expected = format!("round {round}!");
            assert_eq!(read(&app, "driver/11").0["name"], *expected, "{means}");
            assert_eq!(read(&app, "team_dv/1").0["driver"][0]["name"], *expected, "{means}");
            round > 3 && kept()
        });
        eventually("it is kept", || read(&app, "driver/31").1 == "hit");
        assert_eq!(write("DELETE", "team/3", ""), 200);
        assert_eq!(app.get("/ords/hr/driver/31").status, 404, "{means}");
    });
}

/// A table that is not captured has its limit, and the others are not held to it.
#[test]
fn what_is_not_captured_is_degraded() {
    both(|database, _, capture| {
        database.exec("CREATE TABLE late (id integer PRIMARY KEY); INSERT INTO late VALUES (1);");
        let setup = setup(database, capture).with(|setup| {
            let resource = Resource {
                name: "late".into(),
                table: "late".into(),
                rowstore: 1 << 20,
                ..Resource::default()
            };
            setup.mount().resources.push(resource);
        });
        let app = setup.start();
        let state = |name: &str| {
            let state = admin(&app);
            let all = state["rowstores"].as_array().unwrap();
            let path = format!("/ords/hr/{name}");
            all.iter().find(|one| one["resource"] == *path).unwrap().clone()
        };
        assert_eq!(state("team")["state"], "ready");
        assert_eq!(state("late")["state"], "degraded");
        assert_eq!(state("late")["maxAgeSeconds"], 1.0);
        let Database::Postgres(postgres) = database else { panic!("PostgreSQL") };
        prepare(&postgres.url(), capture);
        eventually("it is captured", || state("late")["state"] == "ready");
    });
}

/// Without a way to capture, the reason is told and items expire.
#[test]
fn without_capture_items_expire() {
    let database = Database::postgres("capture_none");
    database.exec(TABLES);
    let app = setup(&database, Capture::Auto).start();
    let state = admin(&app);
    let one = &state["rowstores"][0];
    assert_eq!((&one["state"], &one["maxAgeSeconds"]), (&"degraded".into(), &1.0.into()));
    let reason = one["reason"].as_str().unwrap();
    assert!(reason.contains("wal_level") && reason.contains("duet rowstore prepare"), "{reason}");
    assert_eq!(state["captures"][0]["means"], "none");
    let read = || {
        let response = app.get("/ords/hr/team/1");
        (response.json()["name"].clone(), response.header("age").map(str::to_owned))
    };
    eventually("it is kept", || read().1.is_some());
    database.exec("UPDATE team SET name = 'Green' WHERE id = 1");
    eventually("it has expired", || read().0 == "Green");
}

/// While the stream is late by more than the bound, items are read from the database; then all is as
/// before.
#[test]
fn beyond_the_bound_items_are_read_from_the_database() {
    let server = Server::start_with(Options::new().setting("wal_level", "logical"));
    let database = prepared(&server, "capture_bound", TABLES, Capture::Stream);
    let setup = setup(&database, Capture::Auto).with(|setup| {
        setup.read_limits.rowstore_max_age = None;
        setup.read_limits.rowstore_max_lag = Duration::from_millis(400);
    });
    let app = setup.start();
    eventually("it is kept", || read(&app, "team/1").1 == "hit");
    let sender = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'walsender'";
    let sender = database.count(sender).to_string();
    let signal = |signal: &str| {
        let sent = std::process::Command::new("kill").args([signal, &sender]).status();
        assert!(sent.unwrap().success());
    };
    signal("-STOP");
    database.exec("UPDATE team SET name = 'Green' WHERE id = 1");
    // What the server had sent before may still arrive, and end a first lateness.
    eventually("the stream is late", || {
        let (document, cache) = read(&app, "team/1");
        let is_passed = cache == "bypass";
        assert!(!is_passed || document["name"] == "Green", "{document}");
        let state = admin(&app);
        let lag = state["captures"][0]["lagSeconds"].as_f64().unwrap();
        is_passed && state["rowstores"][0]["state"] == "degraded" && lag > 0.4
    });
    signal("-CONT");
    // The item of before may be served up to the bound, where the lateness was an earlier one.
    eventually("it is kept again", || {
        let (document, cache) = read(&app, "team/1");
        cache == "hit" && document["name"] == "Green"
    });
    eventually("it is ready", || admin(&app)["rowstores"][0]["state"] == "ready");
}
