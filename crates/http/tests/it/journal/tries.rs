//! Rows of the journal that fail by an error of the moment each time: they are tried alone, become dead letters, and hold up
//! no other row for ever.

use std::time::Duration;

use duet_testkit::http::Response;
use serde_json::{Value, json};

use super::rows::{post, setup};
use crate::support::{App, Database, on_both_stores};

on_both_stores! {
    a_row_that_takes_too_long_holds_up_no_other
}

fn start(database: &Database, folder: &std::path::Path) -> App {
    database.exec(
        "CREATE TABLE driver (driver_id integer NOT NULL PRIMARY KEY, name varchar(20) NOT NULL);
         CREATE TABLE team (team_id integer NOT NULL PRIMARY KEY);",
    );
    database.exec(match database.is_sqlite() {
        true => {
            "CREATE TABLE number (n integer);
             INSERT INTO number WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 5000)
               SELECT x FROM c;
             CREATE TRIGGER slow BEFORE INSERT ON driver WHEN new.name = 'slow' BEGIN
               SELECT sum(a.n + b.n + c.n) FROM number a, number b, number c; END"
        }
        false => {
            "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN
               IF new.name = 'slow' THEN PERFORM pg_sleep(100); END IF;
               IF new.name = 'again' THEN RAISE 'try again' USING ERRCODE = '40001'; END IF;
               RETURN new; END$$;
             CREATE TRIGGER slow BEFORE INSERT ON driver FOR EACH ROW EXECUTE FUNCTION slow()"
        }
    });
    database.prepare_journal();
    let setup = setup(database, folder);
    setup.with(|setup| setup.limits.statement_timeout = Duration::from_millis(500)).start()
}

/// What became of rows once they no longer wait. While a row is tried the database may have no room for the question.
fn ended(app: &App, accepted: &Response) -> Value {
    let place = accepted.header("location").unwrap();
    let path = format!("{}?wait=5", place.strip_prefix(app.url()).unwrap());
    loop {
        let status = app.get(&path);
        if status.status == 200 && status.json()["status"] != "waiting" {
            return status.json();
        }
        assert!(matches!(status.status, 200 | 503), "{status:?}");
    }
}

/// Adds drivers of these names, then a team; the codes by which drivers were refused.
fn refused(app: &App, names: &[&str]) -> Vec<(u64, String)> {
    let row = |(id, name): (usize, &&str)| json!({ "driver_id": id + 1, "name": name });
    let rows: Value = names.iter().enumerate().map(row).collect();
    let accepted = post(app, "driver/", "respond-async", &rows);
    assert_eq!(accepted.status, 202, "{accepted:?}");
    let other = post(app, "team/", "respond-async", &json!({ "team_id": 1 }));
    let became = ended(app, &accepted);
    let others = ended(app, &other);
    assert_eq!(others["status"], "applied", "{others}");
    let rejected = became["rejected"].as_array().unwrap().iter();
    let code = |one: &Value| one["code"].as_str().unwrap().to_owned();
    rejected.map(|one| (one["sequenceId"].as_u64().unwrap(), code(one))).collect()
}

fn a_row_that_takes_too_long_holds_up_no_other(database: Database) {
    let folder = tempfile::tempdir().unwrap();
    let app = start(&database, folder.path());
    let refused = refused(&app, &["a", "slow", "b"]);
    assert_eq!(refused, [(2, "DUET-6003".to_owned())]);
    assert_eq!(database.count("SELECT count(*) FROM driver"), 2);
}

/// A conflict that a trigger raises each time is the row's.
#[test]
fn rows_that_raise_conflicts_become_dead_letters() {
    let database = Database::postgres("journal::tries::raised");
    let folder = tempfile::tempdir().unwrap();
    let app = start(&database, folder.path());
    let refused = refused(&app, &["a", "again", "b", "again", "again", "c"]);
    let sequences: Vec<u64> = refused.iter().map(|(sequence, _)| *sequence).collect();
    assert_eq!(sequences, [2, 4, 5], "{refused:?}");
    assert_eq!(database.count("SELECT count(*) FROM driver"), 3);
}
