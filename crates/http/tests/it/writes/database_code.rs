//! Triggers that change keys, tables that inherit, keys that are deferrable: what is answered is what is stored, and one
//! request for an item changes one row.

use duet_testkit::http::Response;
use serde_json::json;

use crate::support::{App, Database, Setup};

fn start(name: &str, schema: &str) -> (Database, App) {
    let database = Database::postgres(name);
    database.exec(schema);
    let app = Setup::new(&database).with(|setup| setup.roles = vec!["duet.write"]).start();
    (database, app)
}

fn send(app: &App, method: &str, path: &str, body: &str) -> Response {
    let bearer = app.bearer();
    let content =
        if path.contains("batchload") { "application/x-ndjson" } else { "application/json" };
    let headers = [("Authorization", &*bearer), ("Content-Type", content)];
    app.connect().request(method, &format!("/ords/hr/{path}"), &headers, body.as_bytes())
}

#[test]
fn a_key_that_a_trigger_changes_is_answered_as_stored() {
    let (database, app) = start(
        "database_code::keys",
        "CREATE TABLE t (id int PRIMARY KEY, name text);
         CREATE FUNCTION moved() RETURNS trigger LANGUAGE plpgsql AS
           $$BEGIN IF new.name <> 'stays' THEN new.id := new.id + 1000; END IF; RETURN new; END$$;
         CREATE TRIGGER moved BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION moved();
         INSERT INTO t VALUES (7, 'stays');",
    );
    // The key that was sent is that of another row.
    for (method, path, body) in [
        ("POST", "t/", r#"{"id":1,"name":"a"}"#),
        ("POST", "t/", r#"{"id":7,"name":"b"}"#),
        ("PUT", "t/3", r#"{"name":"c"}"#),
    ] {
        let made = send(&app, method, path, body);
        assert_eq!(made.status, 201, "{body}: {}", made.text());
        let item = made.json();
        let id = item["id"].as_i64().unwrap();
        assert!(id > 1000, "{item}");
        let location = made.header("location").unwrap();
        assert!(location.ends_with(&format!("/t/{id}")), "{location}");
        let read = app.get(&format!("/ords/hr/t/{id}"));
        assert_eq!((read.json(), read.header("etag")), (item, made.header("etag")));
    }
    let made = send(&app, "POST", "t/", r#"[{"id":4,"name":"d"},{"id":5,"name":"stays"}]"#).json();
    assert_eq!([&made[0]["id"], &made[1]["id"]], [1004, 5]);
    let made = send(&app, "POST", "t/_/batch", r#"[{"id":6,"name":"e"}]"#).json();
    let location = made[0]["location"].as_str().unwrap();
    assert!(location.ends_with("/t/1006"), "{made}");
    assert_eq!(database.count("SELECT count(*) FROM t WHERE id > 1000"), 5);
}

#[test]
fn a_row_whose_key_a_trigger_changes_at_an_update_is_answered_as_stored() {
    let (database, app) = start(
        "database_code::moved_by_updates",
        "CREATE TABLE t (id int PRIMARY KEY, name text);
         CREATE FUNCTION moved() RETURNS trigger LANGUAGE plpgsql AS
           $$BEGIN IF new.name <> 'stays' THEN new.id := new.id + 1000; END IF; RETURN new; END$$;
         CREATE TRIGGER moved BEFORE UPDATE ON t FOR EACH ROW EXECUTE FUNCTION moved();
         INSERT INTO t SELECT id, 'old' FROM generate_series(1, 5) id;",
    );
    let answered = |id: i64, changed: &Response| {
        let item = changed.json();
        assert_eq!(item["id"], id, "{item}");
        let place = changed.header("content-location").unwrap();
        assert!(place.ends_with(&format!("/t/{id}")), "{place}");
        let read = app.get(&format!("/ords/hr/t/{id}"));
        assert_eq!((read.json(), read.header("etag")), (item, changed.header("etag")));
    };
    for (method, path, body, id) in [
        ("PUT", "t/1", r#"{"id":1,"name":"a"}"#, 1001),
        ("PATCH", "t/2", r#"{"name":"b"}"#, 1002),
        ("PUT", "t/3", r#"{"name":"stays"}"#, 3),
    ] {
        let changed = send(&app, method, path, body);
        assert_eq!(changed.status, 200, "{body}: {}", changed.text());
        answered(id, &changed);
    }
    let several = r#"[{"method":"PATCH","path":"t/4","body":{"name":"d"}}]"#;
    let answer = send(&app, "POST", "_/transaction", several).json()[0].clone();
    assert_eq!(answer["body"]["id"], 1004, "{answer}");
    assert!(answer["location"].as_str().unwrap().ends_with("/t/1004"), "{answer}");
    assert_eq!(database.count("SELECT count(*) FROM t WHERE id > 1000"), 3);
}

#[test]
fn one_row_of_tables_that_inherit_is_changed_or_none() {
    let (database, app) = start(
        "database_code::inherits",
        "CREATE TABLE p (id int PRIMARY KEY, name text);
         CREATE TABLE c (PRIMARY KEY (id), more text) INHERITS (p);
         INSERT INTO p VALUES (1, 'parent'), (2, 'parent');
         INSERT INTO c VALUES (1, 'child', 'x'), (3, 'child', 'y');",
    );
    for (method, path) in
        [("PATCH", "p/1"), ("PUT", "p/1"), ("DELETE", "p/1"), ("PATCH", "p/?q=%7B%22id%22:1%7D")]
    {
        let refused = send(&app, method, path, r#"{"name":"new"}"#);
        let error = refused.json()["errors"][0].clone();
        assert_eq!(
            (refused.status, &error["code"]),
            (409, &json!("DUET-1020")),
            "{method}: {error}"
        );
        assert_eq!(database.count("SELECT count(*) FROM p"), 4);
        assert_eq!(database.count("SELECT count(*) FROM p WHERE name = 'new'"), 0);
    }
    // A row that is there once is changed through either table.
    assert_eq!(send(&app, "PATCH", "p/2", r#"{"name":"new"}"#).status, 200);
    assert_eq!(send(&app, "PATCH", "p/3", r#"{"name":"new"}"#).status, 200);
    assert_eq!(send(&app, "DELETE", "c/1", "").status, 200);
    assert_eq!(send(&app, "PATCH", "p/1", r#"{"name":"new"}"#).status, 200);
    assert_eq!(database.count("SELECT count(*) FROM p WHERE name = 'new'"), 3);
}

#[test]
fn rows_are_not_replaced_by_a_deferrable_key() {
    let (database, app) = start(
        "database_code::deferrable",
        "CREATE TABLE t (id int CONSTRAINT t_key PRIMARY KEY DEFERRABLE, n int);
         CREATE TABLE u (id int PRIMARY KEY, n int CONSTRAINT u_n UNIQUE DEFERRABLE);
         INSERT INTO t SELECT i, i FROM generate_series(1, 300) i;",
    );
    let refused = send(&app, "POST", "t/batchload?upsert=true", "{\"id\":1,\"n\":2}\n");
    assert_eq!(refused.status, 400, "{}", refused.text());
    let error = refused.json()["errors"][0].clone();
    assert_eq!((&error["code"], &error["parameter"]), (&json!("DUET-1005"), &json!("upsert")));
    assert!(refused.text().contains("`t_key`"), "{}", refused.text());
    // Refused rows of other loads are found although their key cannot be looked up.
    let rows: String = (1..600).map(|id| format!("{{\"id\":{id},\"n\":0}}\n")).collect();
    let loaded = send(&app, "POST", "t/batchload?errors=1000&batchRows=600", &rows);
    assert_eq!(loaded.status, 200, "{}", loaded.text());
    assert_eq!(database.count("SELECT count(*) FROM t WHERE n = 0"), 299);
}

#[test]
fn a_sequence_that_has_ended_is_no_server_error() {
    let (_database, app) = start(
        "database_code::sequence",
        "CREATE TABLE t (id int GENERATED BY DEFAULT AS IDENTITY (MAXVALUE 2) PRIMARY KEY, n int);
         INSERT INTO t (n) VALUES (1), (2);",
    );
    let refused = send(&app, "POST", "t/", r#"{"n":2}"#);
    let error = refused.json()["errors"][0].clone();
    assert_eq!((refused.status, &error["code"]), (409, &json!("DUET-7112")), "{error}");
    assert_eq!(send(&app, "POST", "t/", r#"{"id":7,"n":2}"#).status, 201);
}

#[test]
fn refusals_of_sqlite_have_codes_of_their_own() {
    let database = Database::sqlite();
    database.exec(
        "CREATE VIRTUAL TABLE box USING rtree(id, low, high);
         CREATE TABLE n (id INTEGER PRIMARY KEY AUTOINCREMENT, a INT);
         INSERT INTO n VALUES (9223372036854775807, 1);",
    );
    let app = Setup::new(&database).with(|setup| setup.roles = vec!["duet.write"]).start();
    let refused = send(&app, "POST", "box/", r#"{"id":1,"low":5,"high":2}"#);
    let error = refused.json()["errors"][0].clone();
    assert_eq!((refused.status, &error["code"]), (422, &json!("DUET-7103")), "{}", refused.text());
    let refused = send(&app, "POST", "n/", r#"{"a":1}"#);
    let error = refused.json()["errors"][0].clone();
    assert_eq!((refused.status, &error["code"]), (409, &json!("DUET-7112")), "{}", refused.text());
    assert_eq!(send(&app, "POST", "n/", r#"{"id":2,"a":1}"#).status, 201);
}
