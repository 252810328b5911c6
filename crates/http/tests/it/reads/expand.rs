//! Related rows by foreign key: what is nested, under which names, for whom.

use duet_service::definition::Resource;
use duet_testkit::http::Response;
use serde_json::{Value, json};

use crate::support::{App, Database, Setup, on_both_stores, percent_encode};

on_both_stores! {
    one_and_many
    deeper
    composite_and_own_keys
    with_fields_and_filters
    pages_searches_and_streams
    etags
    wrong_names
    limits
    who_may_read_what
    names_stay
    catalogs
}

const TABLES: &str = "
CREATE TABLE team (team_id integer NOT NULL PRIMARY KEY, name varchar(40) NOT NULL);
CREATE TABLE driver (driver_id integer NOT NULL PRIMARY KEY, name varchar(40) NOT NULL,
    team_id integer REFERENCES team (team_id), mentor_id integer REFERENCES driver (driver_id));
CREATE TABLE race (race_id integer NOT NULL PRIMARY KEY, name varchar(40) NOT NULL);
CREATE TABLE result (driver_id integer NOT NULL REFERENCES driver (driver_id),
    race_id integer NOT NULL REFERENCES race (race_id), place integer, PRIMARY KEY (race_id, driver_id));
CREATE TABLE note (note_id integer NOT NULL PRIMARY KEY, race_id integer, driver_id integer, says varchar(40),
    FOREIGN KEY (race_id, driver_id) REFERENCES result (race_id, driver_id));
INSERT INTO team VALUES (1, 'Red Bull'), (2, 'Ferrari'), (3, 'Empty');
INSERT INTO driver VALUES (10, 'Max', 1, NULL), (11, 'Sergio', 1, 10), (12, 'Charles', 2, 11), (13, 'Nobody', NULL, NULL);
INSERT INTO race VALUES (20, 'Bahrain'), (21, 'Monza');
INSERT INTO result VALUES (10, 20, 1), (10, 21, 3), (11, 20, 2), (12, 21, 1);
INSERT INTO note VALUES (30, 20, 10, 'first'), (31, 20, 10, 'second'), (32, 21, 12, 'third'), (33, NULL, NULL, 'lost');
";

fn setup(database: &Database) -> Setup {
    database.exec(TABLES);
    Setup::new(database)
}

/// A document without links, also of what is in it.
fn bare(response: &Response) -> Value {
    assert_eq!(response.status, 200, "{response:?}");
    let mut document = response.json();
    document.as_object_mut().unwrap().remove("links");
    let items = document.get_mut("items").and_then(Value::as_array_mut);
    for item in items.into_iter().flatten() {
        item.as_object_mut().unwrap().remove("links");
    }
    document
}

fn item(app: &App, path: &str) -> Value {
    bare(&app.get(&format!("/ords/hr/{path}")))
}

fn items(app: &App, path: &str) -> Value {
    item(app, path)["items"].take()
}

fn one_and_many(database: Database) {
    let app = setup(&database).start();
    assert_eq!(
        item(&app, "driver/12?expand=team"),
        json!({ "driver_id": 12, "name": "Charles", "team_id": 2, "mentor_id": 11,
            "team": { "team_id": 2, "name": "Ferrari" } })
    );
    assert_eq!(item(&app, "driver/13?expand=team")["team"], json!({}));
    assert_eq!(
        item(&app, "team/1?expand=driver"),
        json!({ "team_id": 1, "name": "Red Bull", "driver": [
            { "driver_id": 10, "name": "Max", "team_id": 1, "mentor_id": null },
            { "driver_id": 11, "name": "Sergio", "team_id": 1, "mentor_id": 10 },
        ] })
    );
    assert_eq!(item(&app, "team/3?expand=driver")["driver"], json!([]));
    // The order of asking does not matter, and naming twice is naming once.
    let text = |expand: &str| app.get(&format!("/ords/hr/driver/10?expand={expand}")).body;
    assert_eq!(text("team,result"), text("result,%20team,team"));
    assert_eq!(text("team,result.race"), text("result,result.race,Team"));
}

fn deeper(database: Database) {
    let app = setup(&database).start();
    assert_eq!(
        item(
            &app,
            "team/1?expand=driver.result.race&fields=driver.result.place,driver.result.race.name"
        ),
        json!({ "driver": [
            { "result": [
                { "place": 1, "race": { "name": "Bahrain" } },
                { "place": 3, "race": { "name": "Monza" } },
            ] },
            { "result": [{ "place": 2, "race": { "name": "Bahrain" } }] },
        ] })
    );
    // An array below an object: that of the team, for each of its drivers.
    let drivers = items(&app, "driver/?expand=team.driver&fields=name,team.driver.name");
    assert_eq!(
        drivers,
        json!([
            { "name": "Max", "team": { "driver": [{ "name": "Max" }, { "name": "Sergio" }] } },
            { "name": "Sergio", "team": { "driver": [{ "name": "Max" }, { "name": "Sergio" }] } },
            { "name": "Charles", "team": { "driver": [{ "name": "Charles" }] } },
            { "name": "Nobody", "team": {} },
        ])
    );
}

fn composite_and_own_keys(database: Database) {
    let app = setup(&database).start();
    assert_eq!(
        item(&app, "result/20,10?expand=note,driver&fields=place,note.says,driver.name"),
        json!({ "place": 1, "driver": { "name": "Max" }, "note": [{ "says": "first" }, { "says": "second" }] })
    );
    assert_eq!(item(&app, "note/32?expand=result")["result"]["place"], 1);
    assert_eq!(item(&app, "note/33?expand=result")["result"], json!({}));
    // A key of the table to itself leads both ways, so each has its longer name.
    assert_eq!(item(&app, "driver/11?expand=mentor")["mentor"]["name"], "Max");
    let pupils = item(&app, "driver/11?expand=driver_by_mentor_id&fields=driver_by_mentor_id.name");
    assert_eq!(pupils, json!({ "driver_by_mentor_id": [{ "name": "Charles" }] }));
    assert_eq!(item(&app, "driver/12?expand=mentor.mentor")["mentor"]["mentor"]["name"], "Max");
}

fn with_fields_and_filters(database: Database) {
    let app = setup(&database).start();
    let names = |expand: &str, q: &str| {
        let q = percent_encode(q);
        let items = items(&app, &format!("driver/?expand={expand}&fields=name&q={q}"));
        let names = items.as_array().unwrap().iter();
        names.map(|item| item["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names("team", r#"{"team.name":"Red Bull"}"#), ["Max", "Sergio"]);
    assert_eq!(
        names("team", r#"{"$orderby":{"team.name":"ASC","name":"DESC"}}"#),
        ["Charles", "Sergio", "Max", "Nobody"]
    );
    assert_eq!(names("result.race", r#"{"result.race.name":"Monza"}"#), ["Max", "Charles"]);
    assert_eq!(names("result", r#"{"result.place":{"$not":1}}"#), ["Sergio", "Nobody"]);
    let response =
        app.get(&format!("/ords/hr/driver/?q={}", percent_encode(r#"{"team.name":"x"}"#)));
    assert_eq!(response.json()["errors"][0]["code"], "DUET-2004", "only where it is expanded");
    let response = app.get("/ords/hr/driver/10?expand=team&fields=team.nam");
    assert_eq!(response.json()["errors"][0]["hint"], "Did you mean `team.name`?");
    let pages =
        items(&app, "driver/?expand=result&fields=name,result&limit=2&offset=1&count=exact");
    assert_eq!(pages[1]["result"][0]["place"], 1);
}

fn pages_searches_and_streams(database: Database) {
    let app = setup(&database).start();
    let page = app.get("/ords/hr/team/?expand=driver.result&limit=2");
    let text = String::from_utf8(page.body.clone()).unwrap();
    assert!(text.contains("/ords/hr/team/?expand=driver.result&offset=2&limit=2"), "{text}");
    let paged = items(&app, "team/?expand=driver.result");
    let bearer = app.bearer();
    let json = ("Content-Type", "application/json");
    for body in [r#"{"expand":["driver.result"]}"#, r#"{"expand":"driver.result"}"#] {
        let headers = [("Authorization", bearer.as_str()), json];
        let found =
            app.connect().request("POST", "/ords/hr/team/search", &headers, body.as_bytes());
        assert_eq!(bare(&found)["items"], paged);
    }
    let headers = [("Accept", "application/x-ndjson")];
    let streamed = app.get_with("/ords/hr/team/?expand=driver.result", &headers);
    let lines: Vec<Value> =
        streamed.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(Value::from(lines), paged);
    let csv = app.get_with(
        "/ords/hr/driver/?expand=team&limit=2&fields=name,team",
        &[("Accept", "text/csv")],
    );
    assert_eq!(
        csv.text(),
        "name,team.team_id,team.name\r\nMax,1,Red Bull\r\nSergio,1,Red Bull\r\n"
    );
}

fn etags(database: Database) {
    let app = setup(&database).start();
    let etag = |path: &str| app.get(path).header("etag").unwrap().to_owned();
    let paths = [
        "/ords/hr/team/3",
        "/ords/hr/team/3?expand=driver",
        "/ords/hr/team/3?expand=driver&fields=name",
        "/ords/hr/team/3?fields=name",
        "/ords/hr/team/",
        "/ords/hr/team/?expand=driver",
    ];
    let mut all: Vec<String> = paths.iter().map(|path| etag(path)).collect();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), paths.len());
    // It covers what is nested.
    let path = "/ords/hr/team/1?expand=driver";
    let known = etag(path);
    assert_eq!(app.get_with(path, &[("If-None-Match", &known)]).status, 304);
    database.exec("UPDATE driver SET name = 'Checo' WHERE driver_id = 11");
    assert_eq!(app.get_with(path, &[("If-None-Match", &known)]).status, 200);
}

#[track_caller]
fn refused(response: &Response, status: u16, code: &str) -> Value {
    assert_eq!(response.status, status, "{response:?}");
    let error = response.json()["errors"][0].clone();
    assert_eq!(error["code"], code, "{error}");
    error
}

fn wrong_names(database: Database) {
    let app = setup(&database).view("team_dv", "
CREATE JSON RELATIONAL DUALITY VIEW team_dv AS SELECT JSON {'_id': team_id, 'name': name} FROM team;").start();
    let error = refused(&app.get("/ords/hr/team/?expand=drivr"), 400, "DUET-1014");
    assert_eq!(
        (&error["parameter"], &error["hint"]),
        (&"expand".into(), &"Did you mean `driver`?".into())
    );
    for path in [
        "team/?expand=",
        "team/?expand=driver,",
        "team/?expand=driver.",
        "team/?expand=driver..team",
        "team/1?expand=race",
        "team/?expand=driver.nothing",
        "team/?expand=%00",
        "team_dv/?expand=driver",
        "note/?expand=race",
    ] {
        refused(&app.get(&format!("/ords/hr/{path}")), 400, "DUET-1014");
    }
    refused(&app.get("/ords/hr/team/?expand=driver&expand=driver"), 400, "DUET-1005");
}

fn limits(database: Database) {
    let setup = setup(&database).with(|setup| {
        setup.read_limits.expand_depth = 2;
        setup.read_limits.expand_relations = 3;
        setup.read_limits.expand_rows = 2;
    });
    let app = setup.start();
    assert_eq!(app.get("/ords/hr/team/?expand=driver.result").status, 200);
    refused(&app.get("/ords/hr/team/?expand=driver.result.race"), 400, "DUET-1015");
    assert_eq!(app.get("/ords/hr/driver/?expand=team,mentor,result").status, 200);
    refused(&app.get("/ords/hr/driver/?expand=team,mentor,result.race"), 400, "DUET-1015");
    let long = ["driver"; 10_000].join(".");
    refused(&app.get(&format!("/ords/hr/team/?expand={}", &long[..60_000])), 400, "DUET-1015");
    database.exec("INSERT INTO driver VALUES (14, 'Third', 1, NULL)");
    refused(&app.get("/ords/hr/team/?expand=driver"), 422, "DUET-1016");
    refused(&app.get("/ords/hr/team/1?expand=driver"), 422, "DUET-1016");
    let ndjson = [("Accept", "application/x-ndjson")];
    refused(&app.get_with("/ords/hr/team/?expand=driver", &ndjson), 422, "DUET-1016");
    assert_eq!(app.get("/ords/hr/team/2?expand=driver").status, 200);
}

fn who_may_read_what(database: Database) {
    let setup = setup(&database)
        .privilege(&["reader"], &["/driver/*", "/team", "/result/20,10"])
        .with(|setup| {
            setup.roles = vec!["reader"];
            setup.mount().resources.push(Resource {
                name: "race".into(),
                table: "race".into(),
                excluded: true,
                ..Resource::default()
            });
        });
    let app = setup.start();
    assert_eq!(app.get("/ords/hr/driver/10?expand=team,mentor").status, 200);
    // What may not be read in whole, and what does not exist, are refused alike.
    let hidden = refused(&app.get("/ords/hr/driver/10?expand=result"), 403, "DUET-4002");
    let missing = refused(&app.get("/ords/hr/driver/10?expand=nothing"), 403, "DUET-4002");
    assert_eq!(hidden, missing);
    let entry = app.get("/ords/hr/metadata-catalog/driver/").json();
    let names: Vec<&str> = entry["expand"]
        .as_array()
        .unwrap()
        .iter()
        .map(|way| way["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["mentor", "team", "driver_by_mentor_id"]);
    let stranger = app.connect().get("/ords/hr/driver/10?expand=result", &[]);
    assert_eq!(stranger.status, 401);
}

/// A table that is not served cannot be expanded; nor does a new key make an old request mean
/// something else.
fn names_stay(database: Database) {
    let app = setup(&database).without_poll().start();
    let before = item(&app, "driver/10?expand=team");
    let back = item(&app, "team/1?expand=driver&fields=driver.name");
    database.exec("ALTER TABLE driver ADD COLUMN former_team_id integer REFERENCES team (team_id)");
    database.exec("UPDATE driver SET former_team_id = 2 WHERE driver_id = 10");
    let reloaded = app.reload();
    assert_eq!(reloaded.status, 200, "{reloaded:?}");
    let notes = reloaded.json()["notes"].to_string();
    assert!(
        notes.contains(r#"[resources.team.expand]\n\"driver\" = \"driver.team_id\""#),
        "{notes}"
    );
    assert_eq!(item(&app, "driver/10?expand=team")["team"], before["team"]);
    assert_eq!(item(&app, "team/1?expand=driver&fields=driver.name"), back);
    assert_eq!(item(&app, "driver/10?expand=former_team")["former_team"]["name"], "Ferrari");
    // They stay over further changes.
    database.exec("ALTER TABLE team ADD COLUMN motto varchar(10)");
    app.reload();
    assert_eq!(item(&app, "driver/10?expand=team")["team"]["name"], "Red Bull");
    app.stop();
    // After a start both keys have their longer names, or those of app.toml.
    let app = Setup::new(&database).start();
    let both = item(&app, "driver/10?expand=team,former_team");
    assert_eq!(
        (&both["team"]["name"], &both["former_team"]["name"]),
        (&"Red Bull".into(), &"Ferrari".into())
    );
    refused(&app.get("/ords/hr/team/1?expand=driver"), 400, "DUET-1014");
    let longer = item(&app, "team/1?expand=driver_by_team_id&fields=driver_by_team_id.name");
    assert_eq!(longer["driver_by_team_id"], back["driver"]);
    app.stop();
    let named = Setup::new(&database).with(|setup| {
        setup.mount().resources.push(Resource {
            name: "team".into(),
            table: "team".into(),
            expand: [("driver".to_owned(), "driver.team_id".to_owned())].into(),
            ..Resource::default()
        });
    });
    let app = named.start();
    assert_eq!(item(&app, "team/1?expand=driver&fields=driver.name"), back);
}

fn catalogs(database: Database) {
    let app = setup(&database).start();
    let entry = app.get("/ords/hr/metadata-catalog/team/").json();
    let described = format!("{}/ords/hr/metadata-catalog/driver/", app.url());
    assert_eq!(
        entry["expand"],
        json!([{ "name": "driver", "type": "ARRAY", "describedby": described }])
    );
    assert_eq!(app.get("/ords/hr/metadata-catalog/race/").json()["expand"][0]["name"], "result");
    let document = app.get("/ords/hr/open-api-catalog/").json();
    let parameter = |path: &str| {
        let list = document["paths"][path]["get"]["parameters"].as_array().unwrap().iter();
        list.filter(|parameter| parameter["name"] == "expand").cloned().collect::<Vec<_>>()
    };
    for path in ["/team/", "/team/{team_id}"] {
        let text = parameter(path)[0]["description"].as_str().unwrap().to_owned();
        assert!(text.contains("`driver` (array of driver)"), "{text}");
    }
    let body = &document["components"]["schemas"]["TeamSearch"]["properties"]["expand"];
    assert_eq!(body["type"], "array");
}
