//! `duet check --engine citus`: its script, tried on plain PostgreSQL; and keys that an application alone declares.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

use std::fs;
use std::path::Path;

use duet_testkit::citus::{self, SpreadTable};
use duet_testkit::command::Running;
use duet_testkit::http::{self, Response};
use duet_testkit::postgres::Server;
use duet_testkit::sqlite::Folder;
use serde_json::{Value, json};

use crate::{duet, duet_says};

/// Drivers, whose results are the most rows; a race names its winner.
const RACING: &str = "
CREATE TABLE team (id integer PRIMARY KEY, name text NOT NULL);
CREATE TABLE driver (id integer PRIMARY KEY, code text NOT NULL CONSTRAINT driver_code UNIQUE,
  team integer REFERENCES team);
CREATE TABLE race (id integer PRIMARY KEY, winner integer CONSTRAINT race_winner REFERENCES driver);
CREATE TABLE result (id integer PRIMARY KEY, race integer NOT NULL CONSTRAINT result_race REFERENCES race,
  driver integer NOT NULL CONSTRAINT result_driver REFERENCES driver);
INSERT INTO team VALUES (1, 'Red');
INSERT INTO driver SELECT n, 'c' || n, 1 FROM generate_series(1, 20) AS n;
INSERT INTO race VALUES (1, 3);
INSERT INTO result SELECT n, 1, 1 + n % 20 FROM generate_series(1, 500) AS n;
ANALYZE;
";

/// What Citus would do, noted.
const NOTED: &str = "
CREATE TABLE noted (place serial, done text);
CREATE FUNCTION create_reference_table(name text) RETURNS void LANGUAGE sql AS
  $$ INSERT INTO noted (done) VALUES ('reference ' || name::regclass) $$;
CREATE FUNCTION create_distributed_table(name text, by text, colocate_with text) RETURNS void LANGUAGE sql AS
  $$ INSERT INTO noted (done) VALUES (name::regclass || ' by ' || by || ' with ' || colocate_with) $$;
";

const DRIVER_DV: &str =
    "view driver_dv as driver @update { _id: id code results: result [ { id } ] }";

fn application(folder: &Path, more: &str, view: &str) -> String {
    fs::write(folder.join("view.graphql"), view).unwrap();
    let app = format!("name = 'racing'\nmount = '/racing'\nviews = ['view.graphql']\n{more}");
    fs::write(folder.join("app.toml"), app).unwrap();
    folder.display().to_string()
}

#[test]
fn citus_gets_a_script_that_runs() {
    let (folder, database) = (Folder::new(), Server::shared().database("check_citus"));
    database.exec(RACING);
    let app = application(folder.path(), "", DRIVER_DV);
    let script = duet_says(&["check", &app, "--database", &database.url(), "--engine", "citus"]);
    for line in [
        "-- Distributed by id of public.driver.",
        "-- No longer checked: the link race_winner of public.race.",
        "-- No longer unique: driver_code of public.driver.",
        "-- The key of public.result becomes (\"id\", \"driver\"): its items get other addresses, unless app.toml has [resources.result] with key = [\"id\"].",
        "-- driver_dv: atomic, locked, document. A page may be torn: its documents may be of different moments.",
        "-- team: atomic, locked, document, page.",
    ] {
        assert!(script.lines().any(|own| own == line), "{line}\n{script}");
    }
    database.exec(NOTED);
    database.exec(&script);
    let noted = database.query("SELECT string_agg(done, '; ' ORDER BY place) FROM noted");
    let expected = [
        "reference race",
        "reference team",
        "driver by id with none",
        "result by driver with \"public\".\"driver\"",
    ];
    assert_eq!(noted, expected.join("; "));
    let kept = database.query(
        "SELECT string_agg(conname || ' ' || pg_get_constraintdef(oid), '; ' ORDER BY conname) FROM pg_constraint
          WHERE contype IN ('p', 'f', 'u') AND conrelid::regclass::text IN ('team', 'driver', 'race', 'result')",
    );
    let expected = [
        "driver_pkey PRIMARY KEY (id)",
        "driver_team_fkey FOREIGN KEY (team) REFERENCES team(id)",
        "race_pkey PRIMARY KEY (id)",
        "result_driver FOREIGN KEY (driver) REFERENCES driver(id)",
        "result_pkey PRIMARY KEY (id, driver)",
        "result_race FOREIGN KEY (race) REFERENCES race(id)",
        "team_pkey PRIMARY KEY (id)",
    ];
    assert_eq!(kept, expected.join("; "));
    // The view has kept its link, and the key can be declared as it was.
    let said = duet_says(&["check", &app, "--database", &database.url()]);
    assert!(!said.contains("unchecked: "), "{said}");
    application(folder.path(), "[resources.result]\nkey = ['id']\n", DRIVER_DV);
    let said = duet_says(&["check", &app, "--database", &database.url()]);
    let lines: Vec<&str> = said.lines().filter(|line| line.starts_with("unchecked: ")).collect();
    let key = "The application alone declares the key: the database does not check that no two rows have the same.";
    assert_eq!(lines, [format!("unchecked: result: {key}")], "{said}");
}

/// A script is proposed for what could be distributed: neither for files nor for applications with mistakes.
#[test]
fn citus_distributes_tables_of_postgresql() {
    let (folder, database) = (Folder::new(), Server::shared().database("check_citus_not"));
    let file = folder.load("a.db", &["CREATE TABLE driver (id INTEGER PRIMARY KEY, code TEXT);"]);
    let app = application(folder.path(), "", DRIVER_DV);
    let engine = ["--engine", "citus"];
    let (code, out, errors) =
        duet(&[&["check", &app, "--database", &file.display().to_string()][..], &engine].concat());
    assert!(code == 2 && out.is_empty(), "{code} {out}");
    assert!(errors.contains("tables of PostgreSQL are distributed"), "{errors}");
    database.exec("CREATE TABLE driver (id integer PRIMARY KEY, code text)");
    let (code, out, errors) =
        duet(&[&["check", &app, "--database", &database.url()][..], &engine].concat());
    assert!(code == 1 && errors.contains("result"), "{code} {errors}");
    assert!(out.lines().all(|line| line.starts_with("--")), "nothing to run: {out}");
}

/// Drivers that are kept by team: their key has the team, and results refer to them by the driver alone.
const BY_TEAM: &str = "
CREATE TABLE team (id integer NOT NULL PRIMARY KEY, name text NOT NULL);
CREATE TABLE driver (id integer NOT NULL, team integer NOT NULL REFERENCES team (id), code text NOT NULL,
  PRIMARY KEY (id, team));
CREATE TABLE result (id integer NOT NULL PRIMARY KEY, driver integer);
INSERT INTO team VALUES (1, 'Red'), (2, 'Blue');
INSERT INTO driver VALUES (5, 1, 'five'), (6, 2, 'six');
INSERT INTO result VALUES (1, 5), (2, 6), (3, 7);
";
const RESULT_DV: &str = "view result_dv as result @insert @update @delete {
  _id: id
  driver: driver @link(from: [driver], to: [id]) { id team code } }";
const DECLARED: &str = "[resources.driver]\nkey = ['id']\n";

/// Two stores with such drivers.
fn by_team(folder: &Folder, name: &str) -> [String; 2] {
    let database = Server::shared().database(name);
    database.exec(BY_TEAM);
    let file = folder.load("by_team.db", &[BY_TEAM]);
    [file.display().to_string(), database.url()]
}

#[test]
fn a_view_joins_by_a_key_that_the_application_declares() {
    let folder = Folder::new();
    for database in by_team(&folder, "check_declared") {
        let app = application(folder.path(), "", RESULT_DV);
        let (code, _, errors) = duet(&["check", &app, "--database", &database]);
        assert!(code == 1 && errors.contains("in this join are a key"), "{errors}");
        application(folder.path(), DECLARED, RESULT_DV);
        let said = duet_says(&["check", &app, "--database", &database]);
        for line in [
            "unchecked: driver: The application alone declares the key: the database does not check that no two rows have the same.",
            "unchecked: result_dv: The application alone declares the links of `driver`: the database does not check them.",
        ] {
            assert!(said.lines().any(|own| own == line), "{line}\n{said}");
        }
    }
}

/// A client of the service.
struct Client(Running);

impl Client {
    fn send(&self, method: &str, path: &str, body: &str) -> Response {
        let url = format!("{}/racing/{path}", self.0.url());
        let headers: &[(&str, &str)] =
            if body.is_empty() { &[] } else { &[("Content-Type", "application/json")] };
        http::request(method, &url, headers, body.as_bytes())
    }

    fn get(&self, path: &str) -> Value {
        let answer = self.send("GET", path, "");
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        answer.json()
    }
}

#[test]
fn declared_keys_serve_and_are_said() {
    let folder = Folder::new();
    for database in by_team(&folder, "check_served") {
        application(folder.path(), DECLARED, RESULT_DV);
        let config = folder.path().join("app.toml").display().to_string();
        let client = Client(Running::start(&[
            "serve", &database, "--config", &config, "--listen", "0", "--open", "all",
        ]));
        assert_eq!(client.get("driver/5")["code"], "five");
        let driver = |id: &str| client.get(&format!("result_dv/{id}"))["driver"].clone();
        assert_eq!(driver("1"), json!({ "id": 5, "team": 1, "code": "five" }));
        // A link that leads nowhere is an empty object, as that of a row without a link.
        assert_eq!(driver("3"), json!({}));
        // A row that is referred to stays when the one that refers to it goes.
        assert_eq!(client.send("DELETE", "result_dv/2", "").status, 200);
        assert_eq!(client.get("driver/6")["code"], "six");
        let said =
            |name: &str| client.get(&format!("metadata-catalog/{name}/"))["unchecked"].clone();
        assert_eq!(said("driver"), json!({ "key": true, "links": [] }));
        assert_eq!(said("result_dv"), json!({ "key": false, "links": ["driver"] }));
        assert_eq!(said("team"), Value::Null);
        let document = client.get("open-api-catalog/");
        let tags = document["tags"].as_array().unwrap();
        let tag = tags.iter().find(|tag| tag["name"] == "result_dv").unwrap();
        assert_eq!(tag["x-duet-unchecked"], said("result_dv"));
        assert!(tag["description"].as_str().unwrap().contains("the links of `driver`"), "{tag}");
        // Rows cannot replace others by what the database does not check.
        let load = client.send("POST", "driver/batchload?upsert=true", "id,team,code\n5,1,new\n");
        assert_eq!(load.status, 400, "{}", load.text());
        assert!(load.text().contains("the application alone declares it"), "{}", load.text());
    }
}

/// On Citus such drivers are found on the machine of their team: the key alone does not tell which.
#[test]
fn what_a_declared_key_promises() {
    let (folder, database) = (Folder::new(), Server::shared().database("check_promised"));
    database.exec(BY_TEAM);
    database.exec(&citus::catalog(&[
        SpreadTable::distributed("team", "id", 2),
        SpreadTable::distributed("driver", "team", 2),
        SpreadTable::reference("result"),
    ]));
    let app = application(folder.path(), DECLARED, RESULT_DV);
    let said = duet_says(&["check", &app, "--database", &database.url()]);
    for line in [
        "promise: driver: atomic, document. The rows of a document cannot be locked together: writes that need it get DUET-6017. A page may be torn: its documents may be of different moments.",
        "promise: result: atomic, locked, document, page.",
    ] {
        assert!(said.lines().any(|own| own == line), "{line}\n{said}");
    }
}
