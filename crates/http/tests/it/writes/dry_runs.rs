//! A dry run refuses what the commit refuses: constraints and triggers that wait for it.

use duet_testkit::http::Response;
use serde_json::json;

use crate::support::{App, Database, Setup, on_both_stores};

on_both_stores! {
    deferred_references_are_checked
    neighbours_of_a_refused_write_stay
}

const TABLES: &str = "
CREATE TABLE team (id integer PRIMARY KEY, name varchar(20));
CREATE TABLE driver (id integer PRIMARY KEY, team_id integer,
  FOREIGN KEY (team_id) REFERENCES team (id) DEFERRABLE INITIALLY DEFERRED);
CREATE TABLE note (text varchar(20) CHECK (text <> 'b'));
INSERT INTO team VALUES (1, 'Red');
INSERT INTO driver VALUES (1, 1);
";

const DRY: (&str, &str) = ("Prefer", "tx=rollback");

fn send(app: &App, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Response {
    let bearer = app.bearer();
    let mut all = vec![("Authorization", &*bearer), ("Content-Type", "application/json")];
    all.extend(headers);
    app.connect().request(method, &format!("/ords/hr/{path}"), &all, body.as_bytes())
}

fn deferred_references_are_checked(database: Database) {
    database.exec(TABLES);
    let app = Setup::new(&database).with(|setup| setup.roles = vec!["duet.write"]).start();
    let dangling = json!({ "id": 9, "team_id": 77 });
    let whole = json!([
        { "method": "POST", "path": "driver", "body": { "id": 9, "team_id": 9 } },
        { "method": "POST", "path": "team", "body": { "id": 9, "name": "Late" } },
    ]);
    for (method, path, body, status) in [
        ("POST", "driver/", dangling.to_string(), 409),
        ("POST", "driver/", json!([dangling]).to_string(), 409),
        ("POST", "driver/_/batch", json!([dangling]).to_string(), 409),
        ("PUT", "driver/9", json!({ "team_id": 77 }).to_string(), 409),
        ("PATCH", "driver/1", json!({ "team_id": 77 }).to_string(), 409),
        ("DELETE", "team/1", String::new(), 409),
        ("POST", "_/transaction", json!([whole[0]]).to_string(), 409),
        // What is right at the end is right.
        ("POST", "_/transaction", whole.to_string(), 200),
        ("POST", "driver/", json!({ "id": 9, "team_id": 1 }).to_string(), 201),
    ] {
        let tried = send(&app, method, path, &[DRY], &body);
        assert_eq!(tried.status, status, "{method} {path} {body}: {}", tried.text());
        if status == 409 {
            let committed = send(&app, method, path, &[], &body);
            let errors = |response: &Response| response.json()["errors"][0]["code"].clone();
            assert_eq!((committed.status, errors(&committed)), (409, errors(&tried)), "{path}");
            assert_eq!(errors(&tried), "DUET-7102");
        }
        assert_eq!(database.count("SELECT count(*) FROM driver"), 1, "{method} {path}");
    }
    // A plan is no attempt.
    let planned = send(&app, "POST", "driver/?explain=1", &[], &dangling.to_string());
    assert_eq!(planned.status, 200, "{}", planned.text());
    // Unless it is tried: then it is carried out and undone.
    for (path, body, status) in [
        ("driver/", &dangling, 409),
        ("driver/", &json!({ "id": 9, "team_id": 1 }), 200),
        ("note/", &json!({ "text": "a" }), 200),
        ("note/", &json!({ "text": "b" }), 422),
    ] {
        let path = format!("{path}?explain=1");
        let planned = send(&app, "POST", &path, &[DRY], &body.to_string());
        assert_eq!(planned.status, status, "{path} {body}: {}", planned.text());
        if status == 200 {
            assert_eq!(planned.json()["operations"][0]["operation"], "insert");
        }
        let rows = "SELECT (SELECT count(*) FROM driver) + (SELECT count(*) FROM note)";
        assert_eq!(database.count(rows), 1, "{path} {body}");
    }
}

/// Writes that share a transaction of SQLite are refused alone.
fn neighbours_of_a_refused_write_stay(database: Database) {
    database.exec(TABLES);
    let app = Setup::new(&database).with(|setup| setup.roles = vec!["duet.write"]).start();
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let tried = (100..140).map(|id| {
            let app = &app;
            scope.spawn(move || {
                let team = if id % 4 == 0 { 77 } else { 1 };
                let dry = if id % 3 == 0 { &[DRY][..] } else { &[] };
                let body = json!({ "id": id, "team_id": team }).to_string();
                send(app, "POST", "driver/", dry, &body).status
            })
        });
        let tried: Vec<_> = tried.collect();
        tried.into_iter().map(|one| one.join().unwrap()).collect()
    });
    for (id, status) in (100..140).zip(statuses) {
        assert_eq!(status, if id % 4 == 0 { 409 } else { 201 }, "{id}");
    }
    let kept = (100..140).filter(|id| id % 4 != 0 && id % 3 != 0).count();
    assert_eq!(
        database.count("SELECT count(*) FROM driver WHERE id >= 100"),
        i64::try_from(kept).unwrap()
    );
}

#[test]
fn deferred_triggers_and_keys_are_checked() {
    let database = Database::postgres("dry_runs::triggers");
    database.exec(
        "CREATE TABLE t (id int PRIMARY KEY, n int UNIQUE DEFERRABLE INITIALLY DEFERRED);
         INSERT INTO t VALUES (1, 1);
         CREATE FUNCTION odd() RETURNS trigger LANGUAGE plpgsql AS
           $$BEGIN IF new.n % 2 = 0 THEN RAISE EXCEPTION 'even'; END IF; RETURN NULL; END$$;
         CREATE CONSTRAINT TRIGGER odd AFTER INSERT OR UPDATE ON t DEFERRABLE INITIALLY DEFERRED
           FOR EACH ROW EXECUTE FUNCTION odd();
         CREATE PROCEDURE add(n int) LANGUAGE sql AS 'INSERT INTO t VALUES (100 + n, n)';",
    );
    let roles = vec!["duet.write", "duet.execute"];
    let app = Setup::new(&database).with(|setup| setup.roles = roles).start();
    for (path, body, status, code) in [
        ("t/", r#"{"id":2,"n":4}"#, 400, "DUET-7106"),
        ("t/", r#"{"id":2,"n":1}"#, 409, "DUET-7101"),
        ("add", r#"{"n":4}"#, 400, "DUET-7106"),
    ] {
        for headers in [&[DRY][..], &[]] {
            let refused = send(&app, "POST", path, headers, body);
            assert_eq!(refused.status, status, "{path} {body}: {}", refused.text());
            assert_eq!(refused.json()["errors"][0]["code"], code, "{path} {body}");
        }
    }
    assert_eq!(send(&app, "POST", "add", &[DRY], r#"{"n":3}"#).status, 200);
    assert_eq!(database.count("SELECT count(*) FROM t"), 1);
}
