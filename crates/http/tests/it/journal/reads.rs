//! Items that are acknowledged from the journal and not in the database yet, on request (`Prefer: read=journal`).

use std::path::Path;

use duet_testkit::http::Response;
use serde_json::{Value, json};

use super::rows::{TABLES, code, driver, ingest, post, setup, start, status};
use crate::support::{App, Database, Held, eventually, on_both_stores};

on_both_stores! {
    a_row_that_waits_is_answered_on_request
    rows_are_found_through_changes_in_the_database
    every_process_of_the_host_finds_rows_that_wait
    after_a_restart_rows_that_wait_are_found
    what_only_the_database_knows_is_left_out
    values_of_every_type_read_as_they_will_be_stored
    the_catalogs_say_where_the_journal_is_read
}

/// What keeps the drain from writing, on PostgreSQL.
const MARKS: &str = "duet.journal_marks";

fn read(app: &App, path: &str) -> Response {
    app.get_with(&format!("/ords/hr/{path}"), &[("Prefer", "read=journal")])
}

/// Whether an answer is the row with this sequence id of the journal: `X-Journal` begins with it.
fn is_row(found: &Response, accepted: &Response, sequence: u64) -> bool {
    let id = format!("{}-{sequence}.", accepted.json()["journal"].as_str().unwrap());
    found.header("x-journal").is_some_and(|found| found.starts_with(&id))
}

fn a_row_that_waits_is_answered_on_request(database: Database) {
    database.exec(TABLES);
    let folder = tempfile::tempdir().unwrap();
    let app = start(&database, folder.path());
    assert_eq!(status(&app, &ingest(&app, &driver(1)))["status"], "applied");
    let held = Held::new(&database, MARKS);
    let accepted = ingest(&app, &json!([driver(2), driver(3)]));
    assert_eq!(accepted.status, 202, "{accepted:?}");
    assert_eq!(app.get("/ords/hr/driver/3").status, 404, "without the preference");
    let waiting = read(&app, "driver/3");
    assert_eq!(waiting.status, 200, "{waiting:?}");
    assert!(is_row(&waiting, &accepted, 3), "{waiting:?}");
    assert_eq!(waiting.header("preference-applied"), Some("read=journal"));
    let etag = waiting.header("etag").unwrap().to_owned();
    assert!(etag.starts_with("W/"), "{etag}");
    let known = [("Prefer", "read=journal"), ("If-None-Match", &*etag)];
    assert_eq!(app.get_with("/ords/hr/driver/3", &known).status, 304);
    let some = read(&app, "driver/2?fields=name");
    assert_eq!(some.json()["name"], "Driver 2", "{some:?}");
    assert_eq!(some.json().get("points"), None);
    let stored = read(&app, "driver/1");
    assert_eq!((stored.status, stored.header("x-journal")), (200, None), "{stored:?}");
    assert_eq!(stored.header("preference-applied"), Some("read=journal"));
    let absent = read(&app, "driver/4");
    assert_eq!(absent.status, 404, "{absent:?}");
    let wrong = read(&app, "driver/four");
    assert_eq!(wrong.status, app.get("/ords/hr/driver/four").status);
    held.release(&database);
    assert_eq!(status(&app, &accepted)["status"], "applied");
    let own = format!("/ords/hr/driver/_/journal/{}", waiting.header("x-journal").unwrap());
    assert_eq!(app.get(&own).json()["sequenceId"], 3, "its value is the address of the row");
    let applied = read(&app, "driver/3");
    assert_eq!((applied.status, applied.header("x-journal")), (200, None), "{applied:?}");
    assert_eq!(applied.json(), waiting.json(), "it reads as it did");
    assert_eq!(format!("W/{}", applied.header("etag").unwrap()), etag);
    assert_eq!(app.get_with("/ords/hr/driver/3", &known).status, 304);
}

/// Inserts that wait, beside changes that go to the database at once.
fn rows_are_found_through_changes_in_the_database(database: Database) {
    database.exec(TABLES);
    let folder = tempfile::tempdir().unwrap();
    let app = start(&database, folder.path());
    assert_eq!(status(&app, &ingest(&app, &driver(1)))["status"], "applied");
    let held = Held::new(&database, MARKS);
    // A row of the same key that is stored is the item, and the one that waits will be refused.
    let mut again = driver(1);
    again["name"] = json!("Another");
    let refused = ingest(&app, &again);
    assert_eq!(read(&app, "driver/1").json()["name"], "Driver 1");
    // Of two that wait, the first will be written.
    let mut second = driver(2);
    second["name"] = json!("Second");
    let both = ingest(&app, &json!([driver(2), second]));
    assert_eq!(read(&app, "driver/2").json()["name"], "Driver 2");
    held.release(&database);
    assert_eq!(status(&app, &refused)["rejected"][0]["code"], "DUET-7101");
    assert_eq!(status(&app, &both)["rejected"][0]["sequenceId"], 4);
    // Changed and removed in the database: the journal has nothing of it any more.
    database.exec("UPDATE driver SET name = 'Changed' WHERE driver_id = 2");
    assert_eq!(read(&app, "driver/2").json()["name"], "Changed");
    let bearer = app.bearer();
    let headers = [("Authorization", bearer.as_str())];
    let removed = app.connect().request("DELETE", "/ords/hr/driver/2", &headers, b"");
    assert_eq!(removed.status, 200, "{removed:?}");
    assert_eq!(read(&app, "driver/2").status, 404);
    // And added again.
    let held = Held::new(&database, MARKS);
    let third = ingest(&app, &driver(2));
    assert!(is_row(&read(&app, "driver/2"), &third, 5));
    held.release(&database);
    assert_eq!(status(&app, &third)["status"], "applied");
    // A row that will be refused for another reason waits like any other, and is no item afterwards.
    let held = Held::new(&database, MARKS);
    let mut orphan = driver(7);
    orphan["team_id"] = json!(9);
    let orphan = ingest(&app, &orphan);
    assert_eq!(read(&app, "driver/7").status, 200);
    held.release(&database);
    assert_eq!(status(&app, &orphan)["status"], "rejected");
    assert_eq!(read(&app, "driver/7").status, 404);
}

fn every_process_of_the_host_finds_rows_that_wait(database: Database) {
    database.exec(TABLES);
    let folder = tempfile::tempdir().unwrap();
    let owner = start(&database, folder.path());
    assert_eq!(status(&owner, &ingest(&owner, &driver(1)))["status"], "applied");
    let beside = setup(&database, folder.path()).start();
    assert_eq!(read(&beside, "driver/1").status, 200);
    let held = Held::new(&database, MARKS);
    let accepted = ingest(&owner, &driver(2));
    let waiting = read(&beside, "driver/2");
    assert_eq!(waiting.status, 200, "{waiting:?}");
    assert!(is_row(&waiting, &accepted, 2), "{waiting:?}");
    assert_eq!(waiting.json()["name"], "Driver 2");
    assert_eq!(read(&beside, "driver/3").status, 404);
    let more = ingest(&owner, &json!((3..300).map(driver).collect::<Vec<_>>()));
    assert_eq!(read(&beside, "driver/299").status, 200);
    held.release(&database);
    assert_eq!(status(&owner, &more)["status"], "applied");
    let applied = read(&beside, "driver/2");
    assert_eq!((applied.status, applied.header("x-journal")), (200, None), "{applied:?}");
    let bearer = owner.bearer();
    let headers = [("Authorization", bearer.as_str())];
    assert_eq!(owner.connect().request("DELETE", "/ords/hr/driver/2", &headers, b"").status, 200);
    assert_eq!(read(&beside, "driver/2").status, 404, "removed after it was applied");
}

fn after_a_restart_rows_that_wait_are_found(database: Database) {
    database.exec(TABLES);
    let folder = tempfile::tempdir().unwrap();
    let app = start(&database, folder.path());
    assert_eq!(status(&app, &ingest(&app, &driver(1)))["status"], "applied");
    let held = Held::new(&database, MARKS);
    let accepted = ingest(&app, &json!((2..50).map(driver).collect::<Vec<_>>()));
    assert_eq!(accepted.status, 202, "{accepted:?}");
    app.stop();
    held.release(&database);
    let found_after_restart = |folder: &Path| {
        let app = start(&database, folder);
        for id in [2, 25, 49] {
            let found = read(&app, &format!("driver/{id}"));
            assert_eq!((found.status, &found.json()["points"]), (200, &json!(id)), "{found:?}");
        }
        assert_eq!(read(&app, "driver/50").status, 404);
        app
    };
    let app = found_after_restart(folder.path());
    let place = accepted.header("location").unwrap();
    let path = place.split_once("/ords/").unwrap().1;
    assert_eq!(app.get(&format!("/ords/{path}?wait=30")).json()["status"], "applied");
}

fn what_only_the_database_knows_is_left_out(database: Database) {
    database.exec(TABLES);
    let keys = if database.is_sqlite() { "integer PRIMARY KEY" } else { "serial PRIMARY KEY" };
    database.exec(&format!("CREATE TABLE note (id {keys}, said varchar(9), seen integer)"));
    let folder = tempfile::tempdir().unwrap();
    let app = start(&database, folder.path());
    assert_eq!(status(&app, &ingest(&app, &driver(1)))["status"], "applied");
    let held = Held::new(&database, MARKS);
    let accepted = ingest(&app, &json!({ "driver_id": 2, "name": "Two" }));
    let waiting = read(&app, "driver/2").json();
    // `points` has a default, `team_id` has none.
    assert_eq!((waiting.get("points"), waiting.get("team_id")), (None, Some(&Value::Null)));
    let keyless = post(&app, "note/", "respond-async", &json!({ "said": "x" }));
    assert_eq!(keyless.status, 202, "{keyless:?}");
    assert_eq!(read(&app, "note/1").status, 404, "its key is not given yet");
    let given = post(&app, "note/", "respond-async", &json!({ "id": 77, "said": "y" }));
    assert_eq!(given.status, 202, "{given:?}");
    assert_eq!(read(&app, "note/77").json()["said"], "y");
    held.release(&database);
    assert_eq!(status(&app, &accepted)["status"], "applied");
    assert_eq!(read(&app, "driver/2").json()["points"], 0);
}

fn values_of_every_type_read_as_they_will_be_stored(database: Database) {
    let text = if database.is_sqlite() { "text" } else { "text[]" };
    let binary = if database.is_sqlite() { "blob" } else { "bytea" };
    let array = if database.is_sqlite() { json!("a") } else { json!(["a", "b\"c", null]) };
    database.exec(&format!(
        "CREATE TABLE every (k decimal(9,2) NOT NULL, at timestamp NOT NULL, yes boolean, r real,
           d double precision, n numeric(12,4), day date, hour time, u uuid, b {binary}, list {text},
           said varchar(20), PRIMARY KEY (k, at))"
    ));
    let folder = tempfile::tempdir().unwrap();
    let app = start(&database, folder.path());
    let row = |key: &str| {
        json!({ "k": key, "at": "2026-11-25T16:00:00", "yes": true, "r": 1.5, "d": 0.1, "n": 12.5,
            "day": "2026-11-25", "hour": "01:02:03.5", "u": "6F2C1D1E-5A0B-4C3D-9E8F-0123456789AB",
            "b": "AAEC", "list": array, "said": "\u{e9} \"x\"" })
    };
    assert_eq!(
        status(&app, &post(&app, "every/", "respond-async", &row("1")))["status"],
        "applied"
    );
    let held = Held::new(&database, MARKS);
    let accepted = post(&app, "every/", "respond-async", &row("7.5"));
    assert_eq!(accepted.status, 202, "{accepted:?}");
    for key in ["7.5", "7.50"] {
        let waiting = read(&app, &format!("every/{key},2026-11-25T16:00:00"));
        assert_eq!(waiting.status, 200, "{key}: {waiting:?}");
    }
    let waiting = read(&app, "every/7.5,2026-11-25T16:00:00");
    held.release(&database);
    assert_eq!(status(&app, &accepted)["status"], "applied");
    let stored = read(&app, "every/7.5,2026-11-25T16:00:00");
    assert_eq!(stored.header("x-journal"), None);
    assert_eq!(stored.text(), waiting.text());
}

fn the_catalogs_say_where_the_journal_is_read(database: Database) {
    database.exec(TABLES);
    database.exec("CREATE VIEW names AS SELECT name FROM driver");
    let folder = tempfile::tempdir().unwrap();
    let app = start(&database, folder.path());
    let described = |name: &str| app.get(&format!("/ords/hr/metadata-catalog/{name}/")).json();
    assert_eq!(described("driver")["read"], json!(["journal"]));
    assert_eq!(described("names").get("read"), None);
    let openapi = app.get("/ords/hr/open-api-catalog/driver/").text().to_owned();
    assert!(openapi.contains("read=journal") && openapi.contains("PreferRead"), "{openapi}");
    // Without its tables it is a read like any other.
    let other = Database::sqlite();
    other.exec(TABLES);
    let unprepared = setup(&other, folder.path().join("other").as_path()).start();
    let absent = read(&unprepared, "driver/1");
    assert_eq!((absent.status, code(&absent).as_str()), (404, "DUET-1002"), "{absent:?}");
    let mut stored = app.get_with("/ords/hr/driver/1?expand=team", &[("Prefer", "read=journal")]);
    assert_eq!(stored.status, 404);
    ingest(&app, &driver(1));
    eventually("the row is stored", || app.get("/ords/hr/driver/1").status == 200);
    stored = read(&app, "driver/1?fields=name");
    assert_eq!(stored.header("preference-applied"), Some("read=journal"));
}
