//! Items from memory: the same bytes as from the database, for every caller; and never older than the
//! last write that was answered.

use std::time::Duration;

use duet_service::definition::Resource;
use duet_testkit::http::Response;
use serde_json::{Value, json};

use crate::support::{App, Database, Setup, eventually, on_both_stores};

on_both_stores! {
    items_from_memory_are_those_of_the_database
    answers_of_one_caller_are_not_for_another
    every_write_is_seen_by_the_next_read
    a_row_that_a_query_reads_drops_its_documents_alone
    what_triggers_and_cascades_change_is_seen
    writes_of_others_are_seen_in_time
    the_room_is_changed_while_it_serves
    a_changed_schema_drops_the_items
    an_operators_room_outlasts_a_broken_view
    resizes_beside_reloads_leave_nothing_stale
}

const TABLES: &str = "
CREATE TABLE team (id integer NOT NULL PRIMARY KEY, name varchar(40) NOT NULL, points integer NOT NULL);
CREATE TABLE driver (id integer NOT NULL PRIMARY KEY, name varchar(40) NOT NULL,
                     team_id integer REFERENCES team (id) ON DELETE CASCADE);
INSERT INTO team VALUES (1, 'Red', 10), (2, 'Blue', 20), (3, 'Grey', 30);
INSERT INTO driver VALUES (11, 'Ann', 1), (12, 'Bob', 1), (21, 'Cem', 2), (31, 'Dan', 3);
";

const VIEW: &str = "view team_dv as team @insert @update @delete { _id: id  name  points @nocheck
    driver @insert @update @delete [ { id name } ] }";

fn setup(database: &Database) -> Setup {
    database.exec(TABLES);
    Setup::new(database).view("team_dv", VIEW).with(|setup| {
        setup.roles = vec!["duet.write", "duet.read", "duet.admin"];
        setup.read_limits.rowstore_max_age = None;
        for name in ["team", "driver", "team_dv"] {
            let (name, table) = (name.to_owned(), name.to_owned());
            let resource = Resource { name, table, rowstore: 1 << 20, ..Resource::default() };
            setup.mount().resources.push(resource);
        }
    })
}

/// The item and where it came from.
fn read(app: &App, path: &str) -> (Value, String) {
    let response = app.get(&format!("/ords/hr/{path}"));
    let source = response.header("x-cache").unwrap_or("none").to_owned();
    (response.json(), source)
}

fn source(app: &App, path: &str) -> String {
    read(app, path).1
}

fn send(app: &App, method: &str, path: &str, body: &str) -> Response {
    let (bearer, path) = (app.bearer(), format!("/ords/hr/{path}"));
    let form = if path.contains("batchload") { "text/csv" } else { "application/json" };
    let headers = [("Authorization", &*bearer), ("Content-Type", form)];
    app.connect().request(method, &path, &headers, body.as_bytes())
}

fn items_from_memory_are_those_of_the_database(database: Database) {
    let app = setup(&database).start();
    for path in ["team/1", "team_dv/2", "driver/21", "team_dv/2?fields=name,points"] {
        let path = format!("/ords/hr/{path}");
        let (first, second) = (app.get(&path), app.get(&path));
        let fresh = app.get_with(&path, &[("Cache-Control", "max-age=0, no-cache")]);
        let sources = [&first, &second, &fresh].map(|answer| answer.header("x-cache").unwrap());
        assert_eq!(sources, ["miss", "hit", "bypass"], "{path}");
        for other in [&second, &fresh] {
            // `asof` is when the rows were read.
            assert_eq!(without_asof(&first), without_asof(other), "{path}");
            assert_eq!(first.header("etag"), other.header("etag"), "{path}");
        }
        assert_eq!(first.text(), second.text());
        let etag = first.header("etag").unwrap().to_owned();
        let unchanged = app.get_with(&path, &[("If-None-Match", &etag)]);
        assert_eq!((unchanged.status, unchanged.header("x-cache")), (304, Some("hit")));
    }
    // Keys are values, whatever their spelling.
    assert_eq!(source(&app, "team/1"), "hit");
    assert_eq!(source(&app, "team/%31"), "hit");
    assert_eq!(source(&app, "team/01"), "hit");
    // What is not there is remembered too, until it is.
    for _ in 0..2 {
        assert_eq!(app.get("/ords/hr/team/9").status, 404);
    }
    assert_eq!(send(&app, "PUT", "team/9", r#"{"id":9,"name":"New","points":1}"#).status, 201);
    assert_eq!(read(&app, "team/9").0["name"], "New");
    // Pages and other resources are not concerned.
    assert_eq!(app.get("/ords/hr/team/").header("x-cache"), None);
}

/// Without what differs from request to request.
fn without_asof(response: &Response) -> Value {
    let mut item = response.json();
    item.as_object_mut().unwrap().remove("instance");
    if let Some(metadata) = item.get_mut("_metadata") {
        metadata["asof"] = Value::Null;
    }
    item
}

/// Links show the address that the client sees and what it may do.
fn answers_of_one_caller_are_not_for_another(database: Database) {
    let setup = setup(&database).with(|setup| setup.holders = vec!["duet.read".into()]);
    let app = setup.start();
    let (writer, reader) = (app.bearer(), app.bearer_of("duet.read"));
    let get = |bearer: &str, host: &str| {
        let headers = [("Authorization", bearer), ("Host", host)];
        app.connect().get("/ords/hr/team/1", &headers)
    };
    let rels = |response: &Response| {
        let links = response.json()["links"].clone();
        let rel = |link: &Value| format!("{} {}", link["rel"], link["href"]).replace('"', "");
        links.as_array().unwrap().iter().map(rel).collect::<Vec<_>>()
    };
    assert_eq!(get(&writer, "a.example").header("x-cache"), Some("miss"));
    let of_reader = get(&reader, "b.example");
    assert_eq!(of_reader.header("x-cache"), Some("hit"));
    let of_writer = get(&writer, "b.example");
    assert_eq!(rels(&of_writer)[1], "edit http://b.example/ords/hr/team/1");
    assert_eq!(rels(&of_reader)[0], "self http://b.example/ords/hr/team/1");
    assert!(rels(&of_reader).iter().all(|link| !link.starts_with("edit")));
    // No token, no item.
    let refused = app.connect().get("/ords/hr/team/1", &[]);
    assert_eq!((refused.status, refused.header("x-cache")), (401, None));
}

/// After each write, through whichever resource, every resource that shows the row shows it as it is.
fn every_write_is_seen_by_the_next_read(database: Database) {
    let app = setup(&database).start();
    let paths = [
        "team/1",
        "team/2",
        "team/3",
        "driver/11",
        "driver/21",
        "team_dv/1",
        "team_dv/2",
        "team_dv/3",
    ];
    let check = |what: &str| {
        for path in paths {
            let path = format!("/ords/hr/{path}");
            let fresh = app.get_with(&path, &[("Cache-Control", "no-cache")]);
            let cached = app.get(&path);
            assert_eq!(cached.status, fresh.status, "{what}: {path}");
            assert_eq!(without_asof(&cached), without_asof(&fresh), "{what}: {path}");
            let again = app.get(&path);
            assert!(
                again.status == 404 || again.header("x-cache") == Some("hit"),
                "{what}: {path}"
            );
        }
    };
    let done = |method: &str, path: &str, body: &str| {
        let answer = send(&app, method, path, body);
        assert!(answer.status < 300, "{method} {path}: {} {}", answer.status, answer.text());
        check(&format!("{method} {path}"));
    };
    check("at first");
    done("PUT", "team/1", r#"{"id":1,"name":"Redder","points":11}"#);
    done("PATCH", "team/2", r#"{"points":21}"#);
    done("PATCH", "driver/11", r#"{"team_id":2}"#);
    done("PATCH", "team/?q={\"points\":{\"$gt\":0}}", r#"{"points":5}"#);
    done("PATCH", "driver/?q={\"id\":21}", r#"{"name":"Cemal"}"#);
    done(
        "PUT",
        "team_dv/3",
        r#"{"_id":3,"name":"Greyer","points":1,"driver":[{"id":31,"name":"Dana"},{"id":32,"name":"Eve"}]}"#,
    );
    done("POST", "driver/", r#"{"id":99,"name":"Fay","team_id":1}"#);
    done(
        "POST",
        "team/",
        r#"[{"id":7,"name":"Seven","points":7},{"id":8,"name":"Eight","points":8}]"#,
    );
    let operations = json!([
        { "method": "PATCH", "path": "/ords/hr/team/1", "body": { "name": "Third" } },
        { "method": "PATCH", "path": "/ords/hr/driver/11", "body": { "team_id": 3 } },
    ]);
    done("POST", "_/transaction", &operations.to_string());
    done("DELETE", "driver/99", "");
    done("DELETE", "driver/?q={\"id\":32}", "");
    done("POST", "driver/batchload?upsert=true", "id,name,team_id\n11,Anna,1\n21,Cem,3\n");
    done("DELETE", "team_dv/3", "");
    // What is undone is not seen.
    let bearer = app.bearer();
    let headers = [
        ("Authorization", &*bearer),
        ("Content-Type", "application/json"),
        ("Prefer", "tx=rollback"),
    ];
    let undone = app.connect().request("PATCH", "/ords/hr/team/1", &headers, br#"{"name":"No"}"#);
    assert_eq!(undone.status, 200);
    check("rolled back");
}

fn a_row_that_a_query_reads_drops_its_documents_alone(database: Database) {
    let view = "view crew_dv as team { _id: id  name  drivers @generated(sql: \"SELECT count(*)
        FROM driver d WHERE d.team_id = team.id\") }";
    let app = setup(&database)
        .view("crew_dv", view)
        .with(|setup| {
            let (name, table) = ("crew_dv".to_owned(), "crew_dv".to_owned());
            let resource = Resource { name, table, rowstore: 1 << 20, ..Resource::default() };
            setup.mount().resources.push(resource);
        })
        .start();
    let sources = || [1, 2, 3].map(|team| source(&app, &format!("crew_dv/{team}")));
    sources();
    assert_eq!(sources(), ["hit"; 3]);
    assert_eq!(send(&app, "PATCH", "driver/11", r#"{"team_id":2}"#).status, 200);
    assert_eq!(sources(), ["miss", "miss", "hit"]);
    assert_eq!(
        [1, 2].map(|team| read(&app, &format!("crew_dv/{team}")).0["drivers"].as_i64()),
        [Some(1), Some(2)]
    );
}

fn what_triggers_and_cascades_change_is_seen(database: Database) {
    let trigger = match database.is_sqlite() {
        true => "CREATE TRIGGER counted AFTER UPDATE ON driver BEGIN UPDATE team SET points = points + 1 WHERE id = 3; END;",
        false => "CREATE FUNCTION counted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                    UPDATE team SET points = points + 1 WHERE id = 3; RETURN NULL; END $$;
                  CREATE TRIGGER counted AFTER UPDATE ON driver FOR EACH ROW EXECUTE FUNCTION counted();",
    };
    let setup = setup(&database);
    database.exec(trigger);
    let app = setup.start();
    let points = |app: &App| read(app, "team/3").0["points"].as_i64();
    assert_eq!((points(&app), points(&app)), (Some(30), Some(30)));
    assert_eq!(read(&app, "team_dv/3").0["points"], 30);
    assert_eq!(send(&app, "PATCH", "driver/11", r#"{"name":"Anne"}"#).status, 200);
    assert_eq!(points(&app), Some(31));
    assert_eq!(read(&app, "team_dv/3").0["points"], 31);
    // Rows that go with another one.
    assert_eq!(read(&app, "driver/11").0["name"], "Anne");
    assert_eq!(send(&app, "DELETE", "team/1", "").status, 200);
    assert_eq!(app.get("/ords/hr/driver/11").status, 404);
    assert_eq!(app.get("/ords/hr/team_dv/1").status, 404);
}

fn writes_of_others_are_seen_in_time(database: Database) {
    let max_age = Some(Duration::from_millis(200));
    let app = setup(&database).with(|setup| setup.read_limits.rowstore_max_age = max_age).start();
    assert_eq!(read(&app, "team/1").0["points"], 10);
    database.exec("UPDATE team SET points = 77 WHERE id = 1");
    eventually("the foreign write is seen", || read(&app, "team/1").0["points"] == 77);
    let state = app.get("/admin/rowstore").json();
    let of_team = state["rowstores"].as_array().unwrap().iter();
    let of_team = of_team.clone().find(|kept| kept["resource"] == "/ords/hr/team").unwrap();
    assert_eq!((&of_team["state"], &of_team["maxAgeSeconds"]), (&json!("degraded"), &json!(0.2)));
}

fn the_room_is_changed_while_it_serves(database: Database) {
    database.exec(TABLES);
    let app = Setup::new(&database)
        .with(|setup| {
            setup.roles = vec!["duet.write", "duet.read", "duet.admin"];
            setup.read_limits.rowstore_max_age = None;
        })
        .start();
    let admin = |query: &str| {
        let headers = [("Authorization", &*app.bearer())];
        app.connect().request("POST", &format!("/admin/rowstore?{query}"), &headers, b"")
    };
    assert_eq!(source(&app, "team/1"), "none");
    assert_eq!(app.get("/admin/rowstore").json(), json!({ "rowstores": [] }));
    let on = admin("resource=/ords/hr/team&bytes=65536");
    assert_eq!(on.status, 200, "{}", on.text());
    let kept = &on.json()["rowstores"][0];
    assert_eq!(
        (&kept["resource"], &kept["state"], &kept["capacityBytes"]),
        (&json!("/ords/hr/team"), &json!("ready"), &json!(65_536))
    );
    assert_eq!([source(&app, "team/1"), source(&app, "team/1")], ["miss", "hit"]);
    assert_eq!(send(&app, "PATCH", "team/1", r#"{"points":1}"#).status, 200);
    assert_eq!(read(&app, "team/1").0["points"], 1);
    let metrics = app.get("/metrics").text().to_owned();
    for line in ["_hits_total", "_misses_total", "_changed_total"] {
        assert!(metrics.contains(&format!("duet_rowstore{line}{{application=")), "{line}");
    }
    // An operator's setting outlasts a reload.
    assert_eq!(app.reload().status, 200);
    assert_eq!([source(&app, "team/2"), source(&app, "team/2")], ["miss", "hit"]);
    assert_eq!(admin("resource=/ords/hr/team&bytes=0").status, 200);
    assert_eq!(source(&app, "team/1"), "none");
    for (query, code) in [
        ("", "DUET-1005"),
        ("resource=/ords/hr/team&bytes=many", "DUET-1005"),
        ("resource=/ords/hr/absent&bytes=1", "DUET-1001"),
        ("resource=/ords/hr/team&bytes=1&size=2", "DUET-1005"),
    ] {
        let refused = admin(query).json();
        assert_eq!(refused["errors"][0]["code"], code, "{query}: {refused}");
    }
}

/// A view that shows something else under the same name has the same shape.
fn a_changed_schema_drops_the_items(database: Database) {
    database.exec(TABLES);
    database.exec("CREATE VIEW best AS SELECT id, name FROM team WHERE points > 15");
    let app = Setup::new(&database)
        .with(|setup| {
            setup.read_limits.rowstore_max_age = None;
            setup.mount().resources.push(Resource {
                name: "best".into(),
                table: "best".into(),
                key: vec!["id".into()],
                rowstore: 1 << 20,
                ..Resource::default()
            });
        })
        .start();
    assert_eq!(read(&app, "best/2").0["name"], "Blue");
    assert_eq!(source(&app, "best/2"), "hit");
    database.exec("DROP VIEW best; CREATE VIEW best AS SELECT id, 'x' || name AS name FROM team;");
    eventually("the view is seen as it is", || read(&app, "best/2").0["name"] == "xBlue");
}

fn set_room(app: &App, name: &str, bytes: u64) {
    let path = format!("/admin/rowstore?resource=/ords/hr/{name}&bytes={bytes}");
    let headers = [("Authorization", &*app.bearer())];
    assert_eq!(app.connect().request("POST", &path, &headers, b"").status, 200);
}

/// What was set is not what is declared, and is not forgotten while the view cannot be served.
fn an_operators_room_outlasts_a_broken_view(database: Database) {
    let app = setup(&database).without_poll().start();
    set_room(&app, "team_dv", 65_536);
    database.exec("ALTER TABLE team RENAME COLUMN points TO score");
    assert_eq!(app.reload().status, 200);
    assert_eq!(app.get("/ords/hr/team_dv/1").status, 503);
    database.exec("ALTER TABLE team RENAME COLUMN score TO points");
    assert_eq!(app.reload().status, 200);
    assert_eq!(read(&app, "team_dv/1").0["points"], 10);
    let all = app.get("/admin/rowstore").json();
    let room = |name: &str| {
        let mut all = all["rowstores"].as_array().unwrap().iter();
        let kept = all.find(|kept| kept["resource"] == format!("/ords/hr/{name}")).unwrap();
        kept["capacityBytes"].as_u64()
    };
    assert_eq!((room("team_dv"), room("team")), (Some(65_536), Some(1 << 20)));
}

/// A room that is set on the snapshot before must not keep items that no commit reaches.
fn resizes_beside_reloads_leave_nothing_stale(database: Database) {
    let app = setup(&database).without_poll().start();
    for round in 0..8 {
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for bytes in [0, 65_536, 0, 1 << 20] {
                    set_room(&app, "team", bytes);
                }
            });
            scope.spawn(|| {
                for part in ["a", "b"] {
                    database.exec(&format!("ALTER TABLE team ADD COLUMN c{round}{part} integer"));
                    assert_eq!(app.reload().status, 200);
                }
            });
        });
        for points in [round, round + 100] {
            source(&app, "team/1");
            let body = json!({ "points": points }).to_string();
            assert_eq!(send(&app, "PATCH", "team/1", &body).status, 200);
            assert_eq!(read(&app, "team/1").0["points"], points);
        }
        assert_eq!([source(&app, "team/2"), source(&app, "team/2")][1], "hit", "round {round}");
    }
}
