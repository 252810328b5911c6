//! Functions and procedures of PostgreSQL run by POST: arguments by name, results of every form.

use duet_testkit::http::Response;
use serde_json::{Value, json};

use crate::support::{App, Database, Setup};

const SCHEMA: &str = "
CREATE TABLE team (team_id int PRIMARY KEY, name text NOT NULL, points int);
INSERT INTO team VALUES (2, 'Mercedes', 27), (302, 'Ferrari', 43);
CREATE FUNCTION add(a int, b numeric DEFAULT 0.50) RETURNS numeric LANGUAGE sql AS 'SELECT a + b';
CREATE FUNCTION nothing() RETURNS void LANGUAGE sql AS 'UPDATE team SET points = 0';
CREATE FUNCTION best(at_least int) RETURNS SETOF team LANGUAGE sql
  AS 'SELECT * FROM team WHERE points >= at_least ORDER BY team_id';
CREATE FUNCTION one_team(id int) RETURNS team LANGUAGE sql AS 'SELECT * FROM team WHERE team_id = id';
CREATE FUNCTION numbers(upto int) RETURNS SETOF int LANGUAGE sql AS 'SELECT generate_series(1, upto)';
CREATE FUNCTION two(OUT \"First\" int, OUT second text) LANGUAGE sql AS $$SELECT 1, 'x'$$;
CREATE FUNCTION only_out(a int, OUT double int) LANGUAGE sql AS 'SELECT a * 2';
CREATE FUNCTION pairs(a int) RETURNS TABLE (k int, v timestamp) LANGUAGE sql
  AS $$SELECT i, timestamp '2022-03-20' + i * interval '1 day' FROM generate_series(1, a) i$$;
CREATE FUNCTION joined(VARIADIC words text[]) RETURNS text LANGUAGE sql AS $$SELECT array_to_string(words, '-')$$;
CREATE FUNCTION unnamed(int, int) RETURNS int LANGUAGE sql AS 'SELECT $1 - $2';
CREATE FUNCTION echo(j jsonb) RETURNS jsonb LANGUAGE sql AS 'SELECT j';
CREATE FUNCTION refuses() RETURNS int LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'secret words'; END$$;
CREATE FUNCTION over(a int) RETURNS int LANGUAGE sql AS 'SELECT a';
CREATE FUNCTION over(a text) RETURNS text LANGUAGE sql AS 'SELECT a';
CREATE FUNCTION owners() RETURNS int LANGUAGE sql SECURITY DEFINER AS 'SELECT 1';
CREATE FUNCTION unknown_rows() RETURNS SETOF record LANGUAGE sql AS 'SELECT 1, 2';
CREATE PROCEDURE rename(id int, to_name text, INOUT old text DEFAULT NULL) LANGUAGE plpgsql
  AS $$BEGIN SELECT name INTO old FROM team WHERE team_id = id;
       UPDATE team SET name = to_name WHERE team_id = id; END$$;
CREATE PROCEDURE clear() LANGUAGE sql AS 'DELETE FROM team';
";

fn start(database: &Database) -> App {
    database.exec(SCHEMA);
    let mut setup = Setup::new(database);
    setup.roles = vec!["duet.read", "duet.write", "duet.execute", "duet.admin"];
    setup.start()
}

fn post(app: &App, name: &str, body: &str) -> Response {
    let bearer = app.bearer();
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    app.connect().request("POST", &format!("/ords/hr/{name}"), &headers, body.as_bytes())
}

#[track_caller]
fn answers(app: &App, name: &str, body: &str, expected: Value) {
    let response = post(app, name, body);
    assert_eq!(response.status, 200, "{name} {body} {response:?}");
    assert_eq!(response.json(), expected, "{name} {body}");
}

#[track_caller]
fn refuses(app: &App, name: &str, body: &str, status: u16, code: &str) -> Value {
    let response = post(app, name, body);
    assert_eq!(response.status, status, "{name} {body} {response:?}");
    let problem = response.json()["errors"][0].clone();
    assert_eq!(problem["code"], code, "{name} {body} {response:?}");
    problem
}

#[test]
fn results_of_every_form() {
    let database = Database::postgres("routines::results");
    let app = start(&database);
    assert_eq!(post(&app, "add", r#"{"a":1}"#).text(), r#"{"~ret":1.50}"#);
    assert_eq!(post(&app, "add", r#"{"b":"2.25","a":1}"#).text(), r#"{"~ret":3.25}"#);
    let ferrari = json!({"team_id": 302, "name": "Ferrari", "points": 43});
    answers(&app, "best", r#"{"at_least":30}"#, json!({"items": [ferrari], "count": 1}));
    answers(&app, "one_team", r#"{"id":302}"#, ferrari);
    answers(&app, "numbers", r#"{"upto":3}"#, json!({"items": [1, 2, 3], "count": 3}));
    answers(&app, "numbers", r#"{"upto":0}"#, json!({"items": [], "count": 0}));
    answers(&app, "two", "", json!({"first": 1, "second": "x"}));
    answers(&app, "only_out", r#"{"a":4}"#, json!({"double": 8}));
    answers(
        &app,
        "pairs",
        r#"{"a":1}"#,
        json!({"items": [{"k": 1, "v": "2022-03-21T00:00:00"}], "count": 1}),
    );
    answers(&app, "joined", r#"{"words":["a","b"]}"#, json!({"~ret": "a-b"}));
    answers(&app, "unnamed", r#"{"arg1":5,"arg2":3}"#, json!({"~ret": 2}));
    answers(&app, "echo", r#"{"j":{"a":[1]}}"#, json!({"~ret": {"a": [1]}}));
    answers(&app, "rename", r#"{"id":2,"to_name":"Silver"}"#, json!({"old": "Mercedes"}));
    assert_eq!(app.get("/ords/hr/team/2").json()["name"], "Silver");
    answers(&app, "nothing/", "{}", json!({}));
    assert_eq!(app.get("/ords/hr/team/2").json()["points"], 0);
    answers(&app, "clear", "", json!({}));
    assert_eq!(app.get("/ords/hr/team/").json()["count"], 0);
}

#[test]
fn wrong_calls_are_refused() {
    let database = Database::postgres("routines::wrong");
    let app = start(&database);
    assert_eq!(refuses(&app, "add", r#"{"a":"x"}"#, 400, "DUET-7005")["pointer"], "/a");
    assert_eq!(refuses(&app, "add", "{}", 400, "DUET-7004")["pointer"], "/a");
    let unknown = refuses(&app, "add", r#"{"a":1,"c":2}"#, 400, "DUET-7003");
    assert_eq!(unknown["pointer"], "/c");
    refuses(&app, "add", "[]", 400, "DUET-7005");
    refuses(&app, "add", "{", 400, "DUET-7001");
    let refused = refuses(&app, "refuses", "", 400, "DUET-7106");
    assert!(!refused.to_string().contains("secret"), "{refused}");
    for name in ["over", "owners", "unknown_rows"] {
        refuses(&app, name, "{}", 404, "DUET-1001");
    }
    let got = app.get("/ords/hr/add");
    assert_eq!((got.status, got.header("allow")), (405, Some("OPTIONS, POST")));
    refuses(&app, "add/1", "{}", 404, "DUET-1001");
    refuses(&app, "add?x=1", "{}", 400, "DUET-1005");
}

/// The catalogs list routines whatever their privileges.
#[test]
fn described() {
    let database = Database::postgres("routines::described");
    let app = start(&database);
    let document = app.get("/ords/hr/open-api-catalog/").json();
    let post = |name: &str| document["paths"][format!("/{name}")]["post"].clone();
    let body =
        |name: &str| post(name)["requestBody"]["content"]["application/json"]["schema"].clone();
    assert_eq!(body("add")["required"], json!(["a"]));
    assert_eq!(body("add")["properties"]["b"], json!({"type": ["number", "null"]}));
    assert_eq!(body("rename")["required"], json!(["id", "to_name"]));
    let answer = |name: &str| {
        post(name)["responses"]["200"]["content"]["application/json"]["schema"].clone()
    };
    let name = json!({"type": ["string", "null"]});
    assert_eq!(answer("best")["properties"]["items"]["items"]["properties"]["name"], name);
    assert_eq!(answer("add")["properties"]["~ret"], json!({"type": ["number", "null"]}));
    for name in ["over", "owners", "unknown_rows"] {
        assert_eq!(post(name), Value::Null);
    }
    assert!(post("team/batchload").is_object());
    let one = app.get("/ords/hr/open-api-catalog/best/").json();
    assert_eq!(one["paths"].as_object().unwrap().len(), 1);
    assert_eq!(one["paths"]["/best"], document["paths"]["/best"]);
    let entry = app.get("/ords/hr/metadata-catalog/best/").json();
    assert_eq!(entry["type"], "FUNCTION");
    assert_eq!(
        entry["arguments"],
        json!([{"name": "at_least", "type": "INTEGER", "required": true}])
    );
    assert_eq!(entry["members"][0]["members"][0], json!({"name": "team_id", "type": "INTEGER"}));
    let catalog = app.get("/ords/hr/metadata-catalog/").json();
    assert!(catalog.to_string().contains("/metadata-catalog/best/"), "{catalog}");
    // Not to clients that may only read.
    let reader = Setup::new(&database).start();
    let document = reader.get("/ords/hr/open-api-catalog/").json();
    assert_eq!(document["paths"].get("/best"), None);
    assert_eq!(document["paths"].get("/team/batchload"), None);
    assert_eq!(reader.get("/ords/hr/metadata-catalog/best/").status, 404);
}

#[test]
fn callers_without_the_privilege_are_refused() {
    let database = Database::postgres("routines::rights");
    database.exec(SCHEMA);
    let app = Setup::new(&database).start();
    refuses(&app, "nothing", "", 403, "DUET-4002");
    assert_eq!(app.get("/ords/hr/team/2").json()["points"], 27);
    assert_eq!(app.connect().request("POST", "/ords/hr/nothing", &[], b"").status, 401);
}

#[test]
fn a_dry_run_changes_nothing() {
    let database = Database::postgres("routines::dry");
    let app = start(&database);
    let bearer = app.bearer();
    let headers = [("Authorization", bearer.as_str()), ("Prefer", "tx=rollback")];
    let response = app.connect().request("POST", "/ords/hr/clear", &headers, b"");
    assert_eq!(
        (response.status, response.header("preference-applied")),
        (200, Some("tx=rollback"))
    );
    assert_eq!(app.get("/ords/hr/team/").json()["count"], 2);
}
