//! The profile `compat = "postgrest"`: the OpenAPI document at the mount, which has what the caller may use.

use duet_model::ProfileRef;
use duet_testkit::golden;
use serde_json::{Value, json};

use crate::support::{App, Database, Setup};

const SCHEMA: &str = r#"
CREATE TABLE team (id integer PRIMARY KEY, name varchar(40) NOT NULL DEFAULT 'New', open boolean DEFAULT true);
CREATE TABLE driver (id bigint PRIMARY KEY, name text NOT NULL, points numeric(5, 1) DEFAULT 0, data jsonb, tags text[],
    team_id integer REFERENCES team (id));
CREATE VIEW fast AS SELECT id, name FROM driver WHERE points > 30;
CREATE TABLE secret (id integer PRIMARY KEY);
COMMENT ON TABLE team IS E'Teams\n\nof all years';
COMMENT ON COLUMN driver.team_id IS 'Where they drive';
CREATE FUNCTION add(a integer, b integer DEFAULT 1) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT a + b';
CREATE FUNCTION hire(name text, VARIADIC tags text[]) RETURNS void LANGUAGE sql VOLATILE AS '';
COMMENT ON FUNCTION add IS 'Adds numbers';
"#;

fn started(name: &str, roles: &[&'static str]) -> App {
    let database = Database::postgres(name);
    database.exec(SCHEMA);
    Setup::new(&database)
        .with(|setup| {
            setup.mount().profile = ProfileRef::named("postgrest").unwrap();
            setup.roles = roles.to_vec();
        })
        .privilege(&["reader"], &["/team/*", "/team/", "/driver/*", "/driver/"])
        .start()
}

fn document(app: &App) -> Value {
    let answer = app.get("/ords/hr/");
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()
}

/// It is validated with those of the other descriptions.
#[test]
fn everything_is_described_in_openapi_2() {
    golden::run("openapi-postgrest", |case| {
        let app = started("postgrest_openapi", &["duet.write", "duet.execute"]);
        let text = serde_json::to_string_pretty(&document(&app)).unwrap();
        case.expect("document.json", &format!("{text}\n"));
    });
}

#[test]
fn a_caller_learns_of_what_it_may_use() {
    let app = started("postgrest_openapi_rights", &["reader"]);
    let found = document(&app);
    let paths: Vec<&str> = found["paths"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(paths, ["/", "/driver", "/team"]);
    assert_eq!(found["definitions"].as_object().unwrap().len(), 2);
    for method in ["post", "patch", "delete"] {
        assert_eq!(found["paths"]["/team"][method], json!(null), "{method}");
    }
}

/// The page of the process leads to what is served, and to nothing else.
#[test]
fn the_page_of_the_process_links_to_it() {
    let database = Database::sqlite();
    database.exec("CREATE TABLE team (id integer NOT NULL PRIMARY KEY)");
    let profile = ProfileRef::named("postgrest").unwrap();
    let app = Setup::new(&database).with(|setup| setup.mount().profile = profile).start();
    let root = app.get_with("/", &[("Accept", "application/json")]).json();
    let links = &root["applications"][0]["mounts"][0]["links"];
    let rels: Vec<&str> =
        links.as_array().unwrap().iter().map(|link| link["rel"].as_str().unwrap()).collect();
    assert_eq!(rels, ["service-desc", "up"]);
    for link in links.as_array().unwrap() {
        let path = link["href"].as_str().unwrap().strip_prefix(app.url()).unwrap();
        assert_eq!(app.get(path).status, 200, "{path}");
    }
}

#[test]
fn it_is_there_on_sqlite_and_in_two_media_types() {
    let database = Database::sqlite();
    database.exec("CREATE TABLE team (id integer NOT NULL PRIMARY KEY, name text)");
    let profile = ProfileRef::named("postgrest").unwrap();
    let app = Setup::new(&database).with(|setup| setup.mount().profile = profile).start();
    let bearer = app.bearer();
    let asked = |method: &str, accept: &str| {
        let headers = [("Authorization", bearer.as_str()), ("Accept", accept)];
        app.connect().request(method, "/ords/hr/", &headers, b"")
    };
    for (accept, expected) in [
        ("*/*", "application/openapi+json; charset=utf-8"),
        ("application/openapi+json", "application/openapi+json; charset=utf-8"),
        ("application/json", "application/json; charset=utf-8"),
    ] {
        let answer = asked("GET", accept);
        let media = answer.header("content-type").map(str::to_owned);
        assert_eq!((answer.status, media.as_deref()), (200, Some(expected)), "{accept}");
        assert_eq!(answer.json()["definitions"]["team"]["required"], json!(["id"]));
    }
    assert_eq!((asked("HEAD", "*/*").status, asked("OPTIONS", "*/*").status), (200, 200));
    let refused = asked("GET", "text/csv");
    assert_eq!((refused.status, &refused.json()["code"]), (406, &json!("PGRST107")));
    assert_eq!(asked("DELETE", "*/*").json()["code"], json!("PGRST117"));
}
