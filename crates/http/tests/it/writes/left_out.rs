//! Rows that code of the database leaves out without an error: every way to write says so, and nothing of them stays.

use duet_testkit::http::Response;
use serde_json::{Value, json};

use crate::journal::rows::{ingest, setup, start, status};
use crate::support::{App, Database, Setup, on_both_stores};

on_both_stores! {
    loads_report_rows_that_are_left_out
    loads_that_replace_report_them_too
    a_row_that_a_trigger_refuses_late_does_not_stay
    the_journal_makes_dead_letters_of_them
}

/// A trigger notes the rows named `gone`, and leaves them out.
fn tables(database: &Database) {
    database.exec(
        "CREATE TABLE driver (driver_id integer NOT NULL PRIMARY KEY, name varchar(20) NOT NULL);
         CREATE TABLE note (id integer NOT NULL PRIMARY KEY);",
    );
    database.exec(match database.is_sqlite() {
        true => {
            "CREATE TRIGGER leaves BEFORE INSERT ON driver WHEN new.name = 'gone'
             BEGIN INSERT INTO note VALUES (new.driver_id); SELECT RAISE(IGNORE); END"
        }
        false => {
            "CREATE FUNCTION leaves() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN
               IF new.name = 'gone' THEN INSERT INTO note VALUES (new.driver_id); RETURN NULL; END IF;
               RETURN new; END$$;
             CREATE TRIGGER leaves BEFORE INSERT ON driver FOR EACH ROW EXECUTE FUNCTION leaves()"
        }
    });
}

fn writer(database: &Database) -> App {
    Setup::new(database).with(|setup| setup.roles = vec!["duet.write", "duet.admin"]).start()
}

fn send(app: &App, (method, path): (&str, &str), media: &str, body: &str) -> Response {
    let bearer = app.bearer();
    let headers =
        [("Authorization", &*bearer), ("Content-Type", media), ("Accept", "application/json")];
    app.connect().request(method, &format!("/ords/hr/{path}"), &headers, body.as_bytes())
}

/// The rows and codes of the errors in the report of a load.
fn errors(report: &Value) -> Vec<(u64, &str)> {
    let errors = report["errors"].as_array().unwrap().iter();
    errors.map(|one| (one["row"].as_u64().unwrap(), one["code"].as_str().unwrap())).collect()
}

/// Rows of which each fourth one is left out.
fn every_fourth(rows: u64) -> impl Iterator<Item = (u64, &'static str)> {
    (1..=rows).map(|id| (id, if id.is_multiple_of(4) { "gone" } else { "there" }))
}

fn left_out(rows: u64) -> Vec<(u64, &'static str)> {
    (1..=rows / 4).map(|at| (at * 4, "DUET-7015")).collect()
}

fn loads_report_rows_that_are_left_out(database: Database) {
    tables(&database);
    let app = writer(&database);
    let single =
        send(&app, ("POST", "driver/"), "application/json", r#"{"driver_id":1,"name":"gone"}"#);
    assert_eq!((single.status, &single.json()["errors"][0]["code"]), (409, &json!("DUET-7015")));
    let csv: String = every_fourth(40).map(|(id, name)| format!("{id},{name}\n")).collect();
    let csv =
        send(&app, ("POST", "driver/batchload"), "text/csv", &format!("driver_id,name\n{csv}"));
    assert_eq!(errors(&csv.json()), left_out(40), "{csv:?}");
    assert!(csv.json()["errors"][0]["message"].as_str().unwrap().contains("trigger"));
    let lines = every_fourth(40).map(|(id, name)| {
        let id = 100 + id;
        format!("{{\"driver_id\":{id},\"name\":\"{name}\"}}\n")
    });
    let lines: String = lines.collect();
    let whole = ("POST", "driver/batchload?batchesPerCommit=0&errors=10");
    let lines = send(&app, whole, "application/x-ndjson", &lines);
    assert_eq!(errors(&lines.json()), left_out(40), "{lines:?}");
    assert_eq!(database.count("SELECT count(*) FROM driver"), 60);
    assert_eq!(database.count("SELECT count(*) FROM note"), 0);
}

fn loads_that_replace_report_them_too(database: Database) {
    tables(&database);
    database.exec("INSERT INTO driver VALUES (1, 'old'), (3, 'old'), (4, 'old')");
    let app = writer(&database);
    let upsert = ("POST", "driver/batchload?upsert=true");
    let csv: String = every_fourth(8).map(|(id, name)| format!("{id},{name}\n")).collect();
    let report = send(&app, upsert, "text/csv", &format!("driver_id,name\n{csv}")).json();
    assert_eq!(errors(&report), left_out(8), "{report}");
    let count =
        |name: &str| database.count(&format!("SELECT count(*) FROM driver WHERE name = '{name}'"));
    assert_eq!((count("old"), count("there"), count("gone")), (1, 6, 0));
    // A row that is there and brings nothing but its key is not left out.
    database
        .exec("CREATE TABLE tag (tag_id integer NOT NULL PRIMARY KEY); INSERT INTO tag VALUES (1)");
    assert_eq!(app.reload().status, 200);
    let tags = ("POST", "tag/batchload?upsert=true");
    let report = send(&app, tags, "text/csv", "tag_id\n1\n2\n").json();
    assert_eq!((&report["rowsProcessed"], &report["rowsInError"]), (&json!(2), &json!(0)));
}

/// `RAISE(FAIL)` of SQLite keeps what its statement has done so far.
fn a_row_that_a_trigger_refuses_late_does_not_stay(database: Database) {
    database.exec("CREATE TABLE driver (driver_id integer NOT NULL PRIMARY KEY, name varchar(20))");
    database.exec(match database.is_sqlite() {
        true => {
            "CREATE TRIGGER late AFTER INSERT ON driver WHEN new.name = 'gone'
             BEGIN SELECT RAISE(FAIL, 'too late'); END"
        }
        false => {
            "CREATE FUNCTION late() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN
               IF new.name = 'gone' THEN RAISE 'too late'; END IF; RETURN NULL; END$$;
             CREATE TRIGGER late AFTER INSERT ON driver FOR EACH ROW EXECUTE FUNCTION late()"
        }
    });
    let app = writer(&database);
    let csv: String = every_fourth(8).map(|(id, name)| format!("{id},{name}\n")).collect();
    let report =
        send(&app, ("POST", "driver/batchload"), "text/csv", &format!("driver_id,name\n{csv}"));
    assert_eq!(errors(&report.json()), [(4, "DUET-7106"), (8, "DUET-7106")], "{report:?}");
    assert_eq!(database.count("SELECT count(*) FROM driver"), 6);
}

fn the_journal_makes_dead_letters_of_them(database: Database) {
    tables(&database);
    let folder = tempfile::tempdir().unwrap();
    let app = start(&database, folder.path());
    let row = |(id, name)| json!({ "driver_id": id, "name": name });
    let accepted = ingest(&app, &every_fourth(80).map(row).collect());
    assert_eq!(accepted.status, 202, "{accepted:?}");
    let became = status(&app, &accepted);
    let rejected = became["rejected"].as_array().unwrap().iter();
    let rejected: Vec<(u64, &str)> = rejected
        .map(|one| (one["sequenceId"].as_u64().unwrap(), one["code"].as_str().unwrap()))
        .collect();
    assert_eq!((&became["status"], rejected), (&json!("rejected"), left_out(80)), "{became}");
    assert_eq!(database.count("SELECT count(*) FROM driver"), 60);
    assert_eq!(database.count("SELECT count(*) FROM note"), 0);
}

/// Each row is tried with others by one statement, by a statement of its own, and alone.
#[test]
fn rows_that_are_left_out_cost_three_tries_each() {
    let database = Database::postgres("left_out::tries");
    database.exec(
        "CREATE TABLE driver (driver_id integer NOT NULL PRIMARY KEY, name varchar(20) NOT NULL);
         CREATE SEQUENCE tried;
         CREATE FUNCTION leaves() RETURNS trigger LANGUAGE plpgsql AS
           $$BEGIN PERFORM nextval('tried'); RETURN NULL; END$$;
         CREATE TRIGGER leaves BEFORE INSERT ON driver FOR EACH ROW EXECUTE FUNCTION leaves()",
    );
    database.prepare_journal();
    let folder = tempfile::tempdir().unwrap();
    let app = setup(&database, folder.path()).start();
    for (first, rows) in [(1, 200), (1_000, 400)] {
        database.exec("ALTER SEQUENCE tried RESTART");
        let row = |id: u64| json!({ "driver_id": id, "name": "gone" });
        let accepted = ingest(&app, &(first..first + rows).map(row).collect());
        assert_eq!(status(&app, &accepted)["status"], "rejected");
        let tried = database.count("SELECT last_value FROM tried").unsigned_abs();
        assert!(tried <= 3 * rows, "{tried} tries of {rows} rows");
    }
    assert_eq!(database.count("SELECT count(*) FROM driver"), 0);
}

/// `COPY` does not know of rules; rows that are written one by one meet them.
#[test]
fn rules_of_postgresql_hold_for_loads() {
    let database = Database::postgres("left_out::rules");
    database.exec(
        "CREATE TABLE dropped (id integer NOT NULL PRIMARY KEY, name text);
         CREATE RULE nothing AS ON INSERT TO dropped DO INSTEAD NOTHING;
         CREATE TABLE partly (id integer NOT NULL PRIMARY KEY, name text);
         CREATE RULE partly AS ON INSERT TO partly WHERE new.name = 'gone' DO INSTEAD NOTHING;",
    );
    let app = writer(&database);
    let code =
        |response: &Response| (response.status, response.json()["errors"][0]["code"].clone());
    let refused = (409, json!("DUET-7015"));
    let row = r#"{"id":1,"name":"gone"}"#;
    for table in ["dropped", "partly"] {
        let single = send(&app, ("POST", &format!("{table}/")), "application/json", row);
        assert_eq!(code(&single), refused, "{single:?}");
        let put = send(&app, ("PUT", &format!("{table}/1")), "application/json", row);
        assert_eq!(code(&put), refused, "{put:?}");
        let csv = every_fourth(8).map(|(id, name)| format!("{id},{name}\n"));
        let csv = format!("id,name\n{}", csv.collect::<String>());
        let load = ("POST", &*format!("{table}/batchload"));
        let report = send(&app, load, "text/csv", &csv).json();
        let stored = database.count(&format!("SELECT count(*) FROM {table}"));
        match table {
            "partly" => assert_eq!((errors(&report), stored), (left_out(8), 6), "{report}"),
            _ => assert_eq!((errors(&report).len(), stored), (8, 0), "{report}"),
        }
        let load = ("POST", &*format!("{table}/batchload?upsert=true"));
        let report = send(&app, load, "text/csv", &csv).json();
        let first = if table == "partly" { 4 } else { 1 };
        assert_eq!(errors(&report)[0], (first, "DUET-7015"), "{report}");
    }
}

/// A conflict clause of a table leaves a row out that breaks its rule.
#[test]
fn conflict_clauses_of_sqlite_leave_rows_out() {
    let database = Database::sqlite();
    database.exec(
        "CREATE TABLE driver (driver_id integer NOT NULL PRIMARY KEY,
           name varchar(20) NOT NULL UNIQUE ON CONFLICT IGNORE)",
    );
    let folder = tempfile::tempdir().unwrap();
    let app = start(&database, folder.path());
    let csv = "driver_id,name\n1,a\n2,a\n3,b\n";
    let report = send(&app, ("POST", "driver/batchload"), "text/csv", csv).json();
    assert_eq!(errors(&report), [(2, "DUET-7015")], "{report}");
    let accepted =
        ingest(&app, &json!([{ "driver_id": 4, "name": "b" }, { "driver_id": 5, "name": "c" }]));
    let became = status(&app, &accepted);
    assert_eq!(became["rejected"][0]["code"], "DUET-7015", "{became}");
    assert_eq!(database.count("SELECT count(*) FROM driver"), 3);
}
