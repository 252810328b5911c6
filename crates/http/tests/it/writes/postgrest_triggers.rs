//! Rows that a trigger keeps as they are, in the profile `compat = "postgrest"`: PostgREST answers what the others became.

use duet_model::ProfileRef;
use duet_testkit::http::Response;
use serde_json::{Value, json};

use crate::support::{App, Database, Setup, on_both_stores};

on_both_stores! {
    rows_that_a_trigger_keeps_are_left_out
}

const SQLITE: &str = "
CREATE TABLE t (id integer NOT NULL PRIMARY KEY, a text);
CREATE TRIGGER kept_out BEFORE INSERT ON t WHEN NEW.a = 'skip' BEGIN SELECT RAISE(IGNORE); END;
CREATE TRIGGER kept BEFORE UPDATE ON t WHEN NEW.a = 'skip' BEGIN SELECT RAISE(IGNORE); END;
CREATE TRIGGER stays BEFORE DELETE ON t WHEN OLD.a = 'stay' BEGIN SELECT RAISE(IGNORE); END;
";
const POSTGRES: &str = "
CREATE TABLE t (id integer NOT NULL PRIMARY KEY, a text);
CREATE FUNCTION kept() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN
  IF TG_OP = ''DELETE'' THEN IF OLD.a = ''stay'' THEN RETURN NULL; END IF; RETURN OLD; END IF;
  IF NEW.a = ''skip'' THEN RETURN NULL; END IF; RETURN NEW; END';
CREATE TRIGGER kept BEFORE INSERT OR UPDATE OR DELETE ON t FOR EACH ROW EXECUTE FUNCTION kept();
";

fn send(app: &App, method: &str, path: &str, prefer: &str, body: &Value) -> Response {
    let bearer = app.bearer();
    let headers = [
        ("Authorization", bearer.as_str()),
        ("Content-Type", "application/json"),
        ("Prefer", prefer),
    ];
    let body = if body.is_null() { String::new() } else { body.to_string() };
    app.connect().request(method, &format!("/ords/hr/{path}"), &headers, body.as_bytes())
}

fn rows_that_a_trigger_keeps_are_left_out(database: Database) {
    database.exec(if database.is_sqlite() { SQLITE } else { POSTGRES });
    let app = Setup::new(&database)
        .with(|setup| {
            setup.mount().profile = ProfileRef::named("postgrest").unwrap();
            setup.roles = vec!["duet.read", "duet.write"];
        })
        .start();
    let row = |id: u8, a: &str| json!({ "id": id, "a": a });
    let (minimal, shown) = ("return=minimal", "return=representation");
    let upsert = "return=representation,resolution=merge-duplicates";
    for (method, path, prefer, body, status, answer) in [
        ("POST", "t", minimal, row(1, "skip"), 201, Value::Null),
        ("POST", "t", minimal, json!([row(1, "skip"), row(2, "a")]), 201, Value::Null),
        ("POST", "t", "return=headers-only", row(1, "skip"), 201, Value::Null),
        ("POST", "t", shown, row(1, "skip"), 201, json!([])),
        ("POST", "t", shown, json!([row(3, "b"), row(1, "skip")]), 201, json!([row(3, "b")])),
        (
            "POST",
            "t",
            upsert,
            json!([row(4, "stay"), row(1, "skip")]),
            201,
            json!([row(4, "stay")]),
        ),
        ("PATCH", "t?id=eq.2", minimal, json!({ "a": "skip" }), 204, Value::Null),
        ("PATCH", "t?id=eq.2", shown, json!({ "a": "skip" }), 200, json!([])),
        ("DELETE", "t?id=gte.3", shown, Value::Null, 200, json!([row(3, "b")])),
        ("DELETE", "t?id=eq.4", minimal, Value::Null, 204, Value::Null),
    ] {
        let answered = send(&app, method, path, prefer, &body);
        assert_eq!(answered.status, status, "{method} {path} {body}: {answered:?}");
        let shown = if answered.text().is_empty() { Value::Null } else { answered.json() };
        assert_eq!(shown, answer, "{method} {path} {prefer} {body}");
    }
    let left = send(&app, "GET", "t?order=id", "", &Value::Null).json();
    assert_eq!(left, json!([row(2, "a"), row(4, "stay")]));
}
