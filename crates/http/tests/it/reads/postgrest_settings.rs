//! The profile `compat = "postgrest"` on PostgreSQL: what functions of the database learn of a request, what they say of
//! its answer, and what they raise.

use duet_model::ProfileRef;
use duet_testkit::http::Response;
use serde_json::{Value, json};

use crate::support::{App, Database, Setup};

const SCHEMA: &str = r#"
CREATE TABLE stuff (id integer PRIMARY KEY, name text);
INSERT INTO stuff VALUES (1, 'one'), (2, 'two'), (3, 'three');
CREATE TABLE asked (what text);
CREATE FUNCTION told(name text) RETURNS text LANGUAGE sql STABLE AS
    $$ SELECT current_setting('request.' || name, true) $$;
CREATE FUNCTION told_by_post() RETURNS json LANGUAGE sql VOLATILE AS
    $$ SELECT json_build_object('method', current_setting('request.method', true), 'path', current_setting('request.path', true),
        'header', current_setting('request.headers', true)::json->>'x-own', 'cookie', current_setting('request.cookies', true)::json->>'a') $$;
CREATE FUNCTION answers(status text, headers text) RETURNS json LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    PERFORM set_config('response.status', status, true);
    PERFORM set_config('response.headers', headers, true);
    RETURN '{"said": true}';
END $$;
CREATE FUNCTION notes() RETURNS void LANGUAGE sql VOLATILE AS $$ INSERT INTO asked VALUES ('x') $$;
CREATE FUNCTION raises(state text, message text, detail text) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN RAISE SQLSTATE USING ERRCODE = state, MESSAGE = message, DETAIL = detail, HINT = 'a hint'; END $$;
CREATE VIEW of_request AS SELECT id, current_setting('request.headers', true)::json->>'x-own' AS header FROM stuff;
CREATE FUNCTION says() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('response.headers', '[{"Location": "/elsewhere"}]', true);
    IF NEW.name = 'bad' THEN RAISE SQLSTATE 'PT418' USING MESSAGE = 'teapot'; END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER says BEFORE INSERT ON stuff FOR EACH ROW EXECUTE FUNCTION says();
"#;

fn started(name: &str, on: bool) -> App {
    let database = Database::postgres(name);
    database.exec(&SCHEMA.replace("RAISE SQLSTATE USING", "RAISE USING"));
    Setup::new(&database)
        .with(|setup| {
            setup.mount().profile = ProfileRef::named("postgrest").unwrap();
            setup.mount().request_settings = on;
            setup.mount().raised_messages = on;
            setup.roles = vec!["duet.write", "duet.execute"];
        })
        .start()
}

fn asked(app: &App, (method, path): (&str, &str), more: &[(&str, &str)], body: &str) -> Response {
    let bearer = app.bearer();
    let mut headers = vec![("Authorization", bearer.as_str())];
    headers.extend_from_slice(more);
    if !body.is_empty() {
        headers.push(("Content-Type", "application/json"));
    }
    app.connect().request(method, &format!("/ords/hr{path}"), &headers, body.as_bytes())
}

fn got(app: &App, path: &str, more: &[(&str, &str)]) -> Response {
    asked(app, ("GET", path), more, "")
}

#[test]
fn functions_learn_of_requests() {
    let app = started("postgrest_settings", true);
    let told = |name: &str, more: &[(&str, &str)]| {
        let text = got(&app, &format!("/rpc/told?name={name}"), more).json();
        text.as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(told("method", &[]), "GET");
    assert_eq!(told("path", &[]), "/rpc/told");
    let headers: Value = serde_json::from_str(&told("headers", &[("X-Own", "1")])).unwrap();
    assert_eq!((&headers["x-own"], headers.get("cookie")), (&json!("1"), None));
    assert_eq!(told("cookies", &[("Cookie", "a=b; c=d")]), r#"{"a":"b","c":"d"}"#);
    let more = [("X-Own", "2"), ("Cookie", "a=3")];
    let posted = asked(&app, ("POST", "/rpc/told_by_post"), &more, "{}").json();
    let path = "/rpc/told_by_post";
    assert_eq!(posted, json!({ "method": "POST", "path": path, "header": "2", "cookie": "3" }));
    // Rows of tables and views, and their number.
    let rows =
        got(&app, "/of_request?id=lt.3&limit=1", &[("X-Own", "4"), ("Prefer", "count=exact")]);
    assert_eq!(rows.json(), json!([{ "id": 1, "header": "4" }]));
    assert_eq!((rows.status, rows.header("content-range")), (206, Some("0-0/2")));
    // What is not said is not that of an earlier request.
    assert_eq!(got(&app, "/of_request?id=eq.1", &[]).json(), json!([{ "id": 1, "header": null }]));
}

#[test]
fn functions_say_headers_and_statuses() {
    let app = started("postgrest_answers", true);
    let answers = |status: &str, headers: &str| {
        let body = json!({ "status": status, "headers": headers }).to_string();
        asked(&app, ("POST", "/rpc/answers"), &[], &body)
    };
    let two = answers("403", r#"[{"X-A": "1"}, {"Set-Cookie": "a=b"}, {"Content-Type": "x/y"}]"#);
    assert_eq!((two.status, two.text()), (403, r#"{"said":true}"#));
    let named = ["x-a", "set-cookie", "content-type"].map(|name| two.header(name));
    assert_eq!(named, [Some("1"), Some("a=b"), Some("x/y")]);
    for (status, headers, code) in [
        ("bad", "[]", "PGRST112"),
        ("99", "[]", "PGRST112"),
        ("", r#"{"a": "b"}"#, "PGRST111"),
        ("", r#"[{"Content-Length": "1"}]"#, "PGRST111"),
    ] {
        let wrong = answers(status, headers);
        assert_eq!((wrong.status, &wrong.json()["code"]), (500, &json!(code)));
    }
    // Nothing of it is left for the next request.
    let plain = got(&app, "/stuff?id=eq.1", &[]);
    assert_eq!((plain.status, plain.header("x-a")), (200, None));
    let new = asked(&app, ("POST", "/stuff"), &[], r#"{"id": 9, "name": "nine"}"#);
    assert_eq!((new.status, new.header("location")), (201, Some("/elsewhere")));
}

#[test]
fn reads_stay_read_only() {
    let app = started("postgrest_read_only", true);
    let written = got(&app, "/rpc/notes", &[]);
    assert_eq!((written.status, &written.json()["code"]), (405, &json!("25006")));
    assert_eq!(asked(&app, ("POST", "/rpc/notes"), &[], "{}").status, 204);
    assert_eq!(got(&app, "/asked", &[]).json(), json!([{ "what": "x" }]));
}

#[test]
fn what_is_raised_is_the_answer() {
    let app = started("postgrest_raised", true);
    let raised = |state: &str, message: &str, detail: &str| {
        let body = json!({ "state": state, "message": message, "detail": detail }).to_string();
        asked(&app, ("POST", "/rpc/raises"), &[], &body)
    };
    let paid = raised("PT402", "Pay.", "Quota");
    let expected =
        json!({ "code": "PT402", "message": "Pay.", "details": "Quota", "hint": "a hint" });
    assert_eq!((paid.status, paid.json()), (402, expected));
    let message = r#"{"code": "123", "message": "ABC", "details": "DEF", "hint": "XYZ"}"#;
    let whole = raised("PGRST", message, r#"{"status": 432, "headers": {"X-Header": "str"}}"#);
    let expected = json!({ "code": "123", "message": "ABC", "details": "DEF", "hint": "XYZ" });
    assert_eq!(
        (whole.status, whole.json(), whole.header("x-header")),
        (432, expected, Some("str"))
    );
    let unread = raised("PGRST", "INVALID", "{}");
    assert_eq!((unread.status, &unread.json()["code"]), (500, &json!("PGRST121")));
    // A trigger of a table.
    let bad = asked(&app, ("POST", "/stuff"), &[], r#"{"id": 8, "name": "bad"}"#);
    assert_eq!((bad.status, &bad.json()["message"]), (418, &json!("teapot")));
}

#[test]
fn nothing_is_told_unless_the_application_says_so() {
    let app = started("postgrest_untold", false);
    assert_eq!(got(&app, "/rpc/told?name=method", &[]).json(), Value::Null);
    let body = json!({ "status": "403", "headers": "[]" }).to_string();
    assert_eq!(asked(&app, ("POST", "/rpc/answers"), &[], &body).status, 200);
    let body = json!({ "state": "PT402", "message": "Pay.", "detail": "d" }).to_string();
    let hidden = asked(&app, ("POST", "/rpc/raises"), &[], &body);
    assert_eq!((hidden.status, &hidden.json()["code"]), (400, &json!("P0001")));
    assert!(!hidden.text().contains("Pay."));
}
