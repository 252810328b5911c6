//! Items that are brought into memory before they are asked for.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use duet_service::definition::Resource;
use duet_testkit::http::Response;
use serde_json::Value;

use crate::support::{App, Database, Setup, eventually, on_both_stores};

on_both_stores! {
    what_is_declared_is_populated_at_the_start
    it_is_populated_on_request
    no_item_is_older_than_a_commit
    it_stops_where_there_is_no_room
    it_is_cancelled_with_the_room
    a_failure_is_shown
}

const TEAMS: usize = 1_200;

const VIEW: &str = "view team_dv as team @update { _id: id  name  driver [ { id name } ] }";

fn setup(database: &Database) -> Setup {
    database.exec(
        "CREATE TABLE team (id integer NOT NULL PRIMARY KEY, name varchar(200) NOT NULL);
         CREATE TABLE driver (id integer NOT NULL PRIMARY KEY, name varchar(40) NOT NULL,
                              team_id integer REFERENCES team (id));
         CREATE TABLE lap (race integer NOT NULL, no varchar(8) NOT NULL, ms integer, PRIMARY KEY (race, no));
         CREATE TABLE none (id integer NOT NULL PRIMARY KEY);",
    );
    let rows = |from: usize, row: fn(usize) -> String| {
        (from..from + TEAMS).map(row).collect::<Vec<_>>().join(",")
    };
    let teams = rows(1, |id| format!("({id},'team {id}')"));
    let drivers = rows(1, |id| format!("({id},'driver {id}',{id})"));
    let laps = rows(1, |id| format!("({},'{},{}',{id})", id / 40, id % 40, id));
    database.exec(&format!(
        "INSERT INTO team VALUES {teams}; INSERT INTO driver VALUES {drivers}; INSERT INTO lap VALUES {laps};"
    ));
    Setup::new(database).view("team_dv", VIEW).with(|setup| {
        setup.roles = vec!["duet.write", "duet.read", "duet.admin"];
        setup.read_limits.rowstore_max_age = None;
    })
}

fn keep(setup: &mut Setup, name: &str, rowstore: u64, rowstore_populate: bool) {
    let (name, table) = (name.to_owned(), name.to_owned());
    let resource = Resource { name, table, rowstore, rowstore_populate, ..Resource::default() };
    setup.mount().resources.push(resource);
}

/// What is said of a rowstore.
fn status(app: &App, name: &str) -> Value {
    let all = app.get("/admin/rowstore").json();
    let path = format!("/ords/hr/{name}");
    let mut all = all["rowstores"].as_array().unwrap().iter();
    all.find(|kept| kept["resource"] == *path).cloned().unwrap_or_default()
}

fn ended(app: &App, name: &str, state: &str) -> Value {
    eventually("it has ended", || {
        !["waiting", "running"].contains(&status(app, name)["populate"]["state"].as_str().unwrap())
    });
    let status = status(app, name);
    assert_eq!(status["populate"]["state"], state, "{status}");
    status
}

fn change(app: &App, query: &str) -> Response {
    let headers = [("Authorization", &*app.bearer())];
    app.connect().request("POST", &format!("/admin/rowstore?{query}"), &headers, b"")
}

fn source(app: &App, path: &str) -> String {
    let response = app.get(&format!("/ords/hr/{path}"));
    assert_eq!(response.status, 200, "{path}: {}", response.text());
    response.header("x-cache").unwrap_or("none").to_owned()
}

/// Tables, composite keys and documents.
fn what_is_declared_is_populated_at_the_start(database: Database) {
    let setup = setup(&database).with(|setup| {
        for name in ["team", "team_dv", "lap", "none"] {
            keep(setup, name, 8 << 20, true);
        }
        keep(setup, "driver", 8 << 20, false);
    });
    let app = setup.start();
    for (name, rows) in [("team", TEAMS), ("team_dv", TEAMS), ("lap", TEAMS), ("none", 0)] {
        let status = ended(&app, name, "done");
        let count = |member: &str| status[member].as_u64();
        let rows = Some(rows as u64);
        assert_eq!(status["state"], "ready", "{status}");
        assert_eq!((count("entries"), count("filled"), count("lookups")), (rows, rows, Some(0)));
        assert_eq!(status["populate"]["rows"].as_u64(), rows, "{status}");
        assert_eq!(status["populate"]["accepted"], 1);
    }
    for path in ["team/1", "team/1200", "team_dv/777", "lap/7,5%2C285"] {
        assert_eq!(source(&app, path), "hit", "{path}");
    }
    assert_eq!(status(&app, "driver")["populate"]["state"], "never");
    // It is what the database has.
    let fresh = app.get_with("/ords/hr/team/77", &[("Cache-Control", "no-cache")]);
    let kept = app.get("/ords/hr/team/77");
    assert_eq!((kept.text(), kept.header("etag")), (fresh.text(), fresh.header("etag")));
    // A reload that changes nothing keeps the items, and does not begin anew.
    assert_eq!(app.reload().status, 200);
    assert_eq!(source(&app, "team/2"), "hit");
    assert_eq!(status(&app, "team")["populate"]["accepted"], 1);
}

fn it_is_populated_on_request(database: Database) {
    let app = setup(&database).start();
    let refused = change(&app, "resource=/ords/hr/team&populate");
    assert_eq!((refused.status, &refused.json()["errors"][0]["code"]), (400, &"DUET-1005".into()));
    let on = change(&app, "resource=/ords/hr/team&bytes=8000000&populate");
    assert_eq!(on.status, 200, "{}", on.text());
    let status = ended(&app, "team", "done");
    assert_eq!(status["entries"].as_u64(), Some(TEAMS as u64));
    assert_eq!(source(&app, "team/600"), "hit");
    // Again, after all was dropped.
    assert_eq!(change(&app, "resource=/ords/hr/team&bytes=0").status, 200);
    assert_eq!(source(&app, "team/600"), "none");
    assert_eq!(change(&app, "resource=/ords/hr/team&bytes=8000000").status, 200);
    assert_eq!(change(&app, "resource=/ords/hr/team&populate").status, 200);
    let status = ended(&app, "team", "done");
    assert_eq!(status["entries"].as_u64(), Some(TEAMS as u64));
    assert_eq!(
        (&status["populate"]["accepted"], &status["populate"]["rejected"]),
        (&2.into(), &1.into())
    );
    let metrics = app.get("/metrics").text().to_owned();
    for (name, value) in
        [("populated_total", 2 * TEAMS), ("populate_rejected_total", 1), ("populating", 0)]
    {
        let line =
            metrics.lines().find(|line| line.starts_with(&format!("duet_rowstore_{name}{{")));
        assert!(line.unwrap().ends_with(&format!(" {value}")), "{line:?}");
    }
    for wrong in ["resource=/ords/hr/team&populate=no", "populate", "resource=/ords/hr/team"] {
        assert_eq!(change(&app, wrong).json()["errors"][0]["code"], "DUET-1005", "{wrong}");
    }
}

/// While items are brought into memory, rows change: afterwards each item is as its row is.
fn no_item_is_older_than_a_commit(database: Database) {
    let setup = setup(&database).with(|setup| keep(setup, "team_dv", 8 << 20, false));
    let app = setup.start();
    let writes = AtomicBool::new(true);
    thread::scope(|scope| {
        for writer in 0..2 {
            let (app, writes) = (&app, &writes);
            scope.spawn(move || {
                let (mut client, bearer) = (app.connect(), app.bearer());
                let headers = [("Authorization", &*bearer), ("Content-Type", "application/json")];
                for round in 0.. {
                    if !writes.load(Ordering::Relaxed) {
                        break;
                    }
                    let id = 1 + (round * 7 + writer * 3) % TEAMS;
                    let path = format!("/ords/hr/driver/{id}");
                    let body = format!("{{\"name\":\"{writer} {round}\"}}");
                    let answer = client.request("PATCH", &path, &headers, body.as_bytes());
                    assert_eq!(answer.status, 200, "{}", answer.text());
                }
            });
        }
        for _ in 0..3 {
            assert_eq!(change(&app, "resource=/ords/hr/team_dv&populate").status, 200);
            ended(&app, "team_dv", "done");
        }
        writes.store(false, Ordering::Relaxed);
    });
    let mut hits = 0;
    for id in (1..=TEAMS).step_by(3) {
        let path = format!("/ords/hr/team_dv/{id}");
        let kept = app.get(&path);
        let fresh = app.get_with(&path, &[("Cache-Control", "no-cache")]);
        assert_eq!(kept.header("etag"), fresh.header("etag"), "{}", kept.text());
        hits += usize::from(kept.header("x-cache") == Some("hit"));
    }
    assert!(hits > TEAMS / 6, "{hits}");
}

fn it_stops_where_there_is_no_room(database: Database) {
    let setup = setup(&database).with(|setup| keep(setup, "team", 64 << 10, true));
    let app = setup.start();
    let status = ended(&app, "team", "full");
    let rows = status["populate"]["rows"].as_u64().unwrap();
    assert!((50..TEAMS as u64).contains(&rows), "{status}");
    assert!(status["bytes"].as_u64() <= status["capacityBytes"].as_u64(), "{status}");
    assert_eq!(status["state"], "ready");
}

fn it_is_cancelled_with_the_room(database: Database) {
    let app = setup(&database).start();
    // Whatever it has reached: nothing of it is left.
    for _ in 0..5 {
        let on = change(&app, "resource=/ords/hr/team_dv&bytes=8000000&populate");
        assert_eq!(on.status, 200, "{}", on.text());
        assert_eq!(change(&app, "resource=/ords/hr/team_dv&bytes=0").status, 200);
        assert_eq!(source(&app, "team_dv/5"), "none");
    }
    let on = change(&app, "resource=/ords/hr/team_dv&bytes=8000000&populate");
    assert_eq!(on.status, 200);
    let status = ended(&app, "team_dv", "done");
    assert_eq!(status["populate"]["accepted"], 6, "{status}");
    assert_eq!(status["entries"].as_u64(), Some(TEAMS as u64), "{status}");
}

/// A view of which a row cannot be read.
fn a_failure_is_shown(database: Database) {
    let setup = setup(&database);
    database.exec("CREATE VIEW bad AS SELECT id, 1 / (id - 700) AS n, abs(-9223372036854775807 - id / 700) AS m FROM team");
    let setup = setup.with(|setup| {
        setup.mount().resources.push(Resource {
            name: "bad".into(),
            table: "bad".into(),
            key: vec!["id".into()],
            rowstore: 8 << 20,
            rowstore_populate: true,
            ..Resource::default()
        });
    });
    let app = setup.start();
    let status = ended(&app, "bad", "failed");
    assert_eq!(status["state"], "degraded");
    assert!(status["reason"].as_str().unwrap().contains("could not all be brought"), "{status}");
    // What it has read is kept, and is answered.
    assert_eq!(source(&app, "bad/3"), "hit");
}
