//! New rows acknowledged from the journal (`Prefer: respond-async`): checked at once, in the database soon,
//! exactly once, or among the dead letters.

use std::path::Path;

use duet_service::journal::{JournalDisk, JournalOptions};
use duet_testkit::http::Response;
use serde_json::{Value, json};

use crate::support::{App, Database, Setup, eventually, on_both_stores, on_distributed_tables};

on_both_stores! {
    rows_are_acknowledged_and_applied
    an_array_is_acknowledged_at_once
    without_its_tables_the_preference_is_ignored
    what_can_be_checked_is_checked_at_once
    rows_that_the_database_refuses_are_dead_letters
    rows_of_an_earlier_run_are_applied_once
    other_preferences_and_keys_take_the_usual_path
    unknown_rows_and_those_of_other_hosts
    a_process_beside_the_owner_answers_for_it
    an_owner_past_its_takeover_applies_nothing
    a_full_journal_refuses_and_recovers
    rows_that_no_journal_has_room_for_are_too_large
    operators_see_wait_flush_redrive_and_discard
    nothing_is_flushed_where_another_process_owns_the_journal
    after_a_start_a_flush_opens_the_journal
    a_dead_letter_that_is_refused_stops_the_drain_until_it_is_repaired
}

on_distributed_tables! {
    rows_are_acknowledged_and_applied
    an_array_is_acknowledged_at_once
    without_its_tables_the_preference_is_ignored
    what_can_be_checked_is_checked_at_once
    rows_that_the_database_refuses_are_dead_letters
    rows_of_an_earlier_run_are_applied_once
    other_preferences_and_keys_take_the_usual_path
    unknown_rows_and_those_of_other_hosts
    a_process_beside_the_owner_answers_for_it
    an_owner_past_its_takeover_applies_nothing
    a_full_journal_refuses_and_recovers
    operators_see_wait_flush_redrive_and_discard
    nothing_is_flushed_where_another_process_owns_the_journal
    after_a_start_a_flush_opens_the_journal
    a_dead_letter_that_is_refused_stops_the_drain_until_it_is_repaired
}

pub(crate) const TABLES: &str = "
CREATE TABLE team (team_id integer NOT NULL PRIMARY KEY, name varchar(20) NOT NULL);
CREATE TABLE driver (driver_id integer NOT NULL PRIMARY KEY, name varchar(20) NOT NULL,
  points integer NOT NULL DEFAULT 0 CHECK (points >= 0), team_id integer REFERENCES team (team_id),
  CHECK (name <> 'Nobody' OR points = 0));
INSERT INTO team VALUES (1, 'Red Bull');
";

/// A server over a prepared database, with its journal in a folder.
pub(crate) fn start(database: &Database, folder: &Path) -> App {
    database.prepare_journal();
    setup(database, folder).start()
}

pub(crate) fn setup(database: &Database, folder: &Path) -> Setup {
    Setup::new(database).with(|setup| {
        setup.roles = vec!["duet.read", "duet.write", "duet.admin"];
        setup.journal = Some(JournalOptions {
            folder: folder.join("journal"),
            bytes: 1 << 20,
            tries: 3,
            host: "here".to_owned(),
            disk: JournalDisk::default(),
        });
    })
}

pub(crate) fn post(app: &App, path: &str, prefer: &str, body: &Value) -> Response {
    let bearer = app.bearer();
    let headers = [
        ("Authorization", bearer.as_str()),
        ("Content-Type", "application/json"),
        ("Prefer", prefer),
    ];
    let path = format!("/ords/hr/{path}");
    app.connect().request("POST", &path, &headers, body.to_string().as_bytes())
}

/// Adds rows by the journal.
pub(crate) fn ingest(app: &App, body: &Value) -> Response {
    post(app, "driver/", "respond-async", body)
}

pub(crate) fn driver(id: i64) -> Value {
    json!({ "driver_id": id, "name": format!("Driver {id}"), "points": id, "team_id": 1 })
}

/// What became of acknowledged rows, once they are applied.
pub(crate) fn status(app: &App, accepted: &Response) -> Value {
    let place = accepted.header("location").unwrap();
    let path = place.strip_prefix(app.url()).unwrap();
    let status = app.get(&format!("{path}?wait=30"));
    assert_eq!(status.status, 200, "{status:?}");
    status.json()
}

/// A table of the journal.
pub(crate) fn table(database: &Database, name: &str) -> String {
    if database.is_sqlite() { format!("duet_{name}") } else { format!("duet.{name}") }
}

pub(crate) fn drivers(database: &Database) -> i64 {
    database.count("SELECT count(*) FROM driver")
}

pub(crate) fn code(response: &Response) -> String {
    response.json()["errors"][0]["code"].as_str().unwrap_or_default().to_owned()
}

fn rows_are_acknowledged_and_applied(database: Database) {
    database.exec(TABLES);
    let folder = tempfile::tempdir().unwrap();
    let app = start(&database, folder.path());
    for id in 1..=5 {
        let accepted = ingest(&app, &driver(id));
        assert_eq!(accepted.status, 202, "{accepted:?}");
        assert_eq!(accepted.header("preference-applied"), Some("respond-async"));
        let body = accepted.json();
        assert_eq!((&body["sequenceId"], &body["rows"]), (&json!(id), &json!(1)), "{body}");
        assert_eq!(body["status"].as_str(), accepted.header("location"));
        let became = status(&app, &accepted);
        assert_eq!(became["status"], "applied", "{became}");
        let item = app.get(&format!("/ords/hr/driver/{id}"));
        assert_eq!(item.json()["points"], id);
    }
    assert_eq!(drivers(&database), 5);
    let minimal = post(&app, "driver/", "respond-async, return=minimal", &driver(6));
    assert_eq!((minimal.status, minimal.text().len()), (202, 0));
    assert_eq!(minimal.header("preference-applied"), Some("respond-async, return=minimal"));
    // The rest has its default.
    let accepted = ingest(&app, &json!({ "driver_id": 7, "name": "Seven" }));
    assert_eq!(status(&app, &accepted)["status"], "applied");
    assert_eq!(app.get("/ords/hr/driver/7").json()["points"], 0);
}

fn an_array_is_acknowledged_at_once(database: Database) {
    database.exec(TABLES);
    let folder = tempfile::tempdir().unwrap();
    let app = start(&database, folder.path());
    let rows: Vec<Value> = (1..=700).map(driver).collect();
    let accepted = ingest(&app, &json!(rows));
    assert_eq!(accepted.status, 202, "{accepted:?}");
    let body = accepted.json();
    assert_eq!((&body["firstSequenceId"], &body["sequenceId"]), (&json!(1), &json!(700)));
    assert_eq!(status(&app, &accepted)["status"], "applied");
    assert_eq!(drivers(&database), 700);
    // One wrong element, and none is accepted.
    let mut wrong = driver(702);
    wrong["name"] = json!("x".repeat(300));
    wrong["points"] = json!("many");
    let refused = ingest(&app, &json!([driver(701), wrong]));
    assert_eq!(refused.status, 400, "{refused:?}");
    assert!(refused.text().contains("/1/points"), "{}", refused.text());
    let accepted = ingest(&app, &driver(703));
    assert_eq!(accepted.json()["sequenceId"], 701);
}

fn without_its_tables_the_preference_is_ignored(database: Database) {
    database.exec(TABLES);
    let folder = tempfile::tempdir().unwrap();
    let app = setup(&database, folder.path()).start();
    let created = ingest(&app, &driver(1));
    assert_eq!(created.status, 201, "{created:?}");
    assert_eq!(created.header("preference-applied"), None);
    assert!(!folder.path().join("journal").exists());
    let letters = app.get("/admin/journal/dead-letters");
    assert_eq!((letters.status, code(&letters).as_str()), (503, "DUET-7042"), "{letters:?}");
    assert!(letters.text().contains("duet journal prepare"), "{}", letters.text());
    // Once they are there, it is followed.
    assert!(database.prepare_journal());
    let mut id = 2;
    eventually("a row is acknowledged from the journal", || {
        id += 1;
        ingest(&app, &driver(id)).status == 202
    });
}

/// What the usual path refuses before it asks the database, and what the table says of a row alone.
fn what_can_be_checked_is_checked_at_once(database: Database) {
    database.exec(TABLES);
    let folder = tempfile::tempdir().unwrap();
    let app = start(&database, folder.path());
    let long = "x".repeat(21);
    let mut wrong = vec![
        json!({ "driver_id": 1, "name": "A", "speed": 1 }),
        json!({ "driver_id": "one", "name": "A" }),
        json!({ "driver_id": 1 }),
        json!({ "driver_id": 1, "name": null }),
        json!({ "driver_id": 1, "name": "A", "points": -1 }),
    ];
    if !database.is_sqlite() {
        wrong.push(json!({ "driver_id": 1, "name": long }));
    }
    for body in &wrong {
        let (own, usual) = (ingest(&app, body), post(&app, "driver/", "return=minimal", body));
        assert!(own.status >= 400, "{body}: {own:?}");
        let told = |response: &Response| {
            let mut json = response.json();
            // The name of a constraint is known only to the database.
            json["errors"][0].as_object_mut().unwrap().remove("hint");
            json.as_object_mut().unwrap().remove("instance");
            json
        };
        assert_eq!((own.status, told(&own)), (usual.status, told(&usual)), "{body}");
    }
    assert_eq!(drivers(&database), 0);
}

fn rows_that_the_database_refuses_are_dead_letters(database: Database) {
    database.exec(TABLES);
    let folder = tempfile::tempdir().unwrap();
    let app = start(&database, folder.path());
    let mut rows: Vec<Value> = (1..=20).map(driver).collect();
    rows[3] = driver(1);
    rows[7]["team_id"] = json!(9);
    rows[11] = json!({ "driver_id": 12, "name": "Nobody", "points": 3 });
    let accepted = ingest(&app, &json!(rows));
    let became = status(&app, &accepted);
    assert_eq!(became["status"], "rejected", "{became}");
    let rejected: Vec<(u64, &str)> = (became["rejected"].as_array().unwrap().iter())
        .map(|one| (one["sequenceId"].as_u64().unwrap(), one["code"].as_str().unwrap()))
        .collect();
    assert_eq!(rejected, [(4, "DUET-7101"), (8, "DUET-7102"), (12, "DUET-7103")]);
    assert_eq!(drivers(&database), 17);
    let table = table(&database, "journal_dead_letters");
    let content = "'%\"name\":\"Nobody\"%'";
    let count =
        format!("SELECT count(*) FROM {table} WHERE content LIKE {content} AND caller <> ''");
    assert_eq!(database.count(&count), 1);
    // Many rows are one statement on PostgreSQL, which does not say which of them is wrong.
    let nobody = |id: i64| json!({ "driver_id": id, "name": "Nobody", "points": 1 });
    let row = |id| if id % 50 == 0 { nobody(id) } else { driver(id) };
    let accepted = ingest(&app, &json!((101..=300).map(row).collect::<Vec<_>>()));
    assert_eq!(status(&app, &accepted)["status"], "rejected");
    let letters = database.count(&format!("SELECT count(*) FROM {table}"));
    assert_eq!((drivers(&database), letters), (17 + 196, 3 + 4));
}

fn rows_of_an_earlier_run_are_applied_once(database: Database) {
    database.exec(TABLES);
    let folder = tempfile::tempdir().unwrap();
    for run in 0..4 {
        let app = start(&database, folder.path());
        let rows: Vec<Value> = (1..=50).map(|id| driver(run * 100 + id)).collect();
        let accepted = ingest(&app, &json!(rows));
        assert_eq!(accepted.status, 202, "{accepted:?}");
        // Stopped at once: what is not applied is applied by the next run.
        app.stop();
    }
    let app = start(&database, folder.path());
    eventually("all rows are in the database", || drivers(&database) == 200);
    let accepted = ingest(&app, &driver(1_000));
    assert_eq!(status(&app, &accepted)["status"], "applied");
    let marks = table(&database, "journal_marks");
    assert_eq!(database.count(&format!("SELECT epoch FROM {marks}")), 5);
    let letters = table(&database, "journal_dead_letters");
    assert_eq!(database.count(&format!("SELECT count(*) FROM {letters}")), 0, "none twice");
}

fn other_preferences_and_keys_take_the_usual_path(database: Database) {
    database.exec(TABLES);
    database.prepare_keys();
    let folder = tempfile::tempdir().unwrap();
    let app = start(&database, folder.path());
    let dry = post(&app, "driver/", "respond-async, tx=rollback", &driver(1));
    assert_eq!(dry.status, 201, "{dry:?}");
    assert_eq!(drivers(&database), 0);
    let plan = post(&app, "driver/?explain=1", "respond-async", &driver(1));
    assert_eq!(plan.status, 200, "{plan:?}");
    let bearer = app.bearer();
    let headers = [
        ("Authorization", bearer.as_str()),
        ("Content-Type", "application/json"),
        ("Prefer", "respond-async"),
        ("Idempotency-Key", "one"),
    ];
    let body = driver(1).to_string();
    let keyed = app.connect().request("POST", "/ords/hr/driver/", &headers, body.as_bytes());
    assert_eq!(keyed.status, 201, "{keyed:?}");
    let changed = app.connect().request("PUT", "/ords/hr/driver/1", &headers[..3], body.as_bytes());
    assert_eq!(changed.status, 200, "{changed:?}");
}

fn unknown_rows_and_those_of_other_hosts(database: Database) {
    database.exec(TABLES);
    let folder = tempfile::tempdir().unwrap();
    let app = start(&database, folder.path());
    let accepted = ingest(&app, &driver(1));
    let place = accepted.header("location").unwrap().to_owned();
    let path = place.strip_prefix(app.url()).unwrap();
    let beyond = format!("{}7", path);
    let unknown = format!("/ords/hr/driver/_/journal/{}-1", "0".repeat(32));
    for wrong in [beyond.as_str(), &unknown, "/ords/hr/driver/_/journal/x"] {
        let response = app.get(wrong);
        assert_eq!((response.status, code(&response).as_str()), (404, "DUET-7044"), "{wrong}");
    }
    // Another server over the same database, with a journal of its own.
    let other_folder = tempfile::tempdir().unwrap();
    let there = setup(&database, other_folder.path());
    let there = there.with(|setup| setup.journal.as_mut().unwrap().host = "there".to_owned());
    let other = there.start();
    let response = other.get(path);
    assert_eq!((response.status, code(&response).as_str()), (404, "DUET-7043"), "{response:?}");
    assert!(response.text().contains("the host here"), "{}", response.text());
    let anonymous = app.connect().get(path, &[]);
    assert_eq!(anonymous.status, 401);
}

/// Two servers over one folder, as instances of one host are: one owns the journal, both answer.
fn a_process_beside_the_owner_answers_for_it(database: Database) {
    database.exec(TABLES);
    let folder = tempfile::tempdir().unwrap();
    let owner = start(&database, folder.path());
    let mut rows: Vec<Value> = (1..=10).map(driver).collect();
    rows[4]["team_id"] = json!(9);
    let accepted = ingest(&owner, &json!(rows));
    assert_eq!(accepted.status, 202, "{accepted:?}");
    let place = accepted.header("location").unwrap().to_owned();
    let path = place.strip_prefix(owner.url()).unwrap();
    let beside = setup(&database, folder.path()).start();
    // It has no journal of its own: the preference is not followed.
    assert_eq!(ingest(&beside, &driver(11)).status, 201);
    let became = beside.get(&format!("{path}?wait=30"));
    assert_eq!(became.status, 200, "{became:?}");
    assert_eq!(became.json(), status(&owner, &accepted));
    assert_eq!(became.json()["rejected"][0]["sequenceId"], 5);
    let journal = accepted.json()["journal"].as_str().unwrap().to_owned();
    for never_given in [format!("{}-1", "0".repeat(32)), format!("{journal}-11")] {
        let path = format!("/ords/hr/driver/_/journal/{never_given}?wait=30");
        let unknown = beside.get(&path);
        assert_eq!((unknown.status, code(&unknown).as_str()), (404, "DUET-7044"), "{path}");
    }
    // It takes over once the owner has ended.
    owner.stop();
    let mut id = 20;
    eventually("the other process owns the journal", || {
        id += 1;
        ingest(&beside, &driver(id)).status == 202
    });
    eventually("its rows are in the database", || {
        database.count(&format!("SELECT count(*) FROM driver WHERE driver_id = {id}")) == 1
    });
}

/// The owner learns of its successor in the transaction of the rows: nothing of them is applied. The successor
/// applies them once.
fn an_owner_past_its_takeover_applies_nothing(database: Database) {
    database.exec(TABLES);
    // Without a key, a row that is applied twice is there twice.
    database.exec("CREATE TABLE reading (said varchar(20) NOT NULL)");
    let folder = tempfile::tempdir().unwrap();
    let app = start(&database, folder.path());
    let readings = |app: &App, from: i64| {
        let rows: Vec<Value> =
            (from..from + 10).map(|it| json!({ "said": it.to_string() })).collect();
        post(app, "reading/", "respond-async", &json!(rows))
    };
    assert_eq!(status(&app, &readings(&app, 0))["status"], "applied");
    let count = || database.count("SELECT count(*) FROM reading");
    assert_eq!(count(), 10);
    let marks = table(&database, "journal_marks");
    database.exec(&format!("UPDATE {marks} SET epoch = epoch + 1, host = 'there'"));
    let accepted = readings(&app, 10);
    assert_eq!(accepted.status, 202, "{accepted:?}");
    // The old owner finds out when it is about to apply them, and acknowledges nothing more.
    eventually("the preference is no longer followed", || {
        post(&app, "reading/", "respond-async", &json!({ "said": "usual" })).status == 201
    });
    let usual = || database.count("SELECT count(*) FROM reading WHERE said = 'usual'");
    assert_eq!(count() - usual(), 10, "nothing was applied");
    // As an operator does who moves the folder's owner.
    std::fs::remove_file(folder.path().join("journal/lock")).unwrap();
    let next = start(&database, folder.path());
    eventually("the next owner applies them", || count() - usual() == 20);
    assert_eq!(status(&next, &readings(&next, 20))["status"], "applied");
    assert_eq!(count() - usual(), 30);
}

/// While the database takes nothing, rows fill the journal; then it answers 503, and goes on when there is room.
fn a_full_journal_refuses_and_recovers(database: Database) {
    database.exec(TABLES);
    let folder = tempfile::tempdir().unwrap();
    database.prepare_journal();
    let app = setup(&database, folder.path())
        .with(|setup| setup.journal.as_mut().unwrap().bytes = 40_000)
        .start();
    assert_eq!(status(&app, &ingest(&app, &driver(0)))["status"], "applied");
    let marks = table(&database, "journal_marks");
    // The rows' transaction finds no mark to advance.
    database.exec(&format!("ALTER TABLE {marks} RENAME TO aside"));
    let mut accepted = Vec::new();
    let mut id = 1;
    let refused = loop {
        let rows: Vec<Value> = (id..id + 50).map(driver).collect();
        let response = ingest(&app, &json!(rows));
        id += 50;
        match response.status {
            202 => accepted.push(response),
            _ => break response,
        }
        assert!(id < 10_000);
    };
    assert_eq!((refused.status, code(&refused).as_str()), (503, "DUET-7041"), "{refused:?}");
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert!(accepted.len() > 5, "{}", accepted.len());
    let back = match database.is_sqlite() {
        true => "ALTER TABLE aside RENAME TO duet_journal_marks",
        false => "ALTER TABLE duet.aside RENAME TO journal_marks",
    };
    database.exec(back);
    for one in &accepted {
        assert_eq!(status(&app, one)["status"], "applied");
    }
    assert_eq!(drivers(&database), 1 + 50 * accepted.len() as i64);
    let again = ingest(&app, &driver(id + 50));
    assert_eq!(status(&app, &again)["status"], "applied");
}

/// Rows that the empty journal has no room for would be refused for ever: nothing says to send them again.
fn rows_that_no_journal_has_room_for_are_too_large(database: Database) {
    database.exec(TABLES);
    let folder = tempfile::tempdir().unwrap();
    database.prepare_journal();
    let app = setup(&database, folder.path())
        .with(|setup| setup.journal.as_mut().unwrap().bytes = 10_000)
        .start();
    let rows: Vec<Value> = (0..1_000).map(driver).collect();
    let refused = ingest(&app, &json!(rows));
    assert_eq!((refused.status, code(&refused).as_str()), (413, "DUET-1010"), "{refused:?}");
    assert_eq!(refused.header("retry-after"), None);
    assert!(refused.text().contains("more than the 10000 bytes"), "{}", refused.text());
    assert_eq!(status(&app, &ingest(&app, &json!(rows[..100])))["status"], "applied");
    assert_eq!(drivers(&database), 100);
}

fn operators_see_wait_flush_redrive_and_discard(database: Database) {
    database.exec(TABLES);
    let folder = tempfile::tempdir().unwrap();
    let app = start(&database, folder.path());
    let admin = |method: &str, path: &str| {
        let response =
            app.connect().request(method, path, &[("Authorization", &app.bearer())], b"");
        assert_eq!(response.status, 200, "{method} {path}: {response:?}");
        response.json()
    };
    let mut rows: Vec<Value> = (1..=10).map(driver).collect();
    rows[4]["team_id"] = json!(7);
    rows[6]["team_id"] = json!(8);
    let accepted = ingest(&app, &json!(rows));
    assert_eq!(accepted.status, 202);
    let waited = admin("GET", "/admin/journal?wait_for=10&timeout=30");
    let name = waited["journals"][0]["application"].as_str().unwrap();
    let own = admin("GET", &format!("/admin/journal?application={name}"));
    assert_eq!(own["journals"].as_array().map(Vec::len), Some(1), "{own}");
    let path = "/admin/journal?application=nope";
    let unknown = app.connect().request("GET", path, &[("Authorization", &app.bearer())], b"");
    assert_eq!((unknown.status, code(&unknown).as_str()), (400, "DUET-1005"), "{unknown:?}");
    let journal = &waited["journals"][0];
    assert_eq!((&journal["writeHwm"], &journal["applyHwm"]), (&json!(10), &json!(10)), "{waited}");
    assert_eq!((&journal["applied"], &journal["rejected"]), (&json!(8), &json!(2)), "{waited}");
    assert_eq!((&journal["state"], &journal["host"]), (&json!("ready"), &json!("here")));
    ingest(&app, &driver(11));
    let flushed = admin("POST", "/admin/journal?flush");
    assert_eq!(flushed["applyHwm"], 11, "{flushed}");
    let late = app.get("/admin/journal?wait_for=99&timeout=0");
    assert_eq!((late.status, code(&late).as_str()), (504, "DUET-6003"));
    let metrics = app.get("/metrics").text().to_owned();
    let line = "duet_journal_apply_hwm{application=\"test\"} 11";
    assert!(metrics.contains(line), "{metrics}");

    let letters = admin("GET", "/admin/journal/dead-letters?resource=/ords/hr/driver/");
    assert_eq!(letters["count"], 2, "{letters}");
    let first = &letters["deadLetters"][0];
    assert_eq!((&first["sequenceId"], &first["code"]), (&json!(5), &json!("DUET-7102")));
    assert_eq!(first["row"]["name"], "Driver 5", "{first}");
    let vague = app.connect().request(
        "POST",
        "/admin/journal/dead-letters?redrive",
        &[("Authorization", &app.bearer())],
        b"",
    );
    assert_eq!(vague.status, 400, "{vague:?}");
    // One of them is taken once its team is there; the other one is refused again.
    database.exec("INSERT INTO team VALUES (7, 'Seven')");
    let redriven = admin("POST", "/admin/journal/dead-letters?redrive&all");
    assert_eq!(redriven, json!({ "applied": 1, "rejected": 1 }));
    assert_eq!(app.get("/ords/hr/driver/5").json()["team_id"], 7);
    assert_eq!(admin("GET", "/admin/journal/dead-letters")["count"], 1);
    let discarded = admin("POST", "/admin/journal/dead-letters?discard&from=7&to=7");
    assert_eq!(discarded, json!({ "discarded": 1 }));
    assert_eq!(admin("GET", "/admin/journal/dead-letters")["count"], 0);
    assert_eq!(drivers(&database), 10);
    let path = "/admin/journal/dead-letters";
    assert_eq!(app.connect().get(path, &[]).status, 401);
}

fn flush(app: &App) -> Response {
    let bearer = app.bearer();
    let headers = [("Authorization", bearer.as_str())];
    app.connect().request("POST", "/admin/journal?flush&timeout=30", &headers, b"")
}

/// A process that cannot know how much was acknowledged does not say that all of it is applied.
fn nothing_is_flushed_where_another_process_owns_the_journal(database: Database) {
    database.exec(TABLES);
    let folder = tempfile::tempdir().unwrap();
    let owner = start(&database, folder.path());
    assert_eq!(ingest(&owner, &driver(1)).status, 202);
    let beside = setup(&database, folder.path()).start();
    let refused = flush(&beside);
    assert_eq!((refused.status, code(&refused).as_str()), (503, "DUET-7042"), "{refused:?}");
    let waited = beside.get("/admin/journal?wait_for=1&timeout=1");
    assert_eq!((waited.status, code(&waited).as_str()), (503, "DUET-7042"), "{waited:?}");
    let state = beside.get("/admin/journal").json();
    assert_eq!(state["journals"][0]["state"], "closed", "{state}");
    assert_eq!(state["journals"][0]["reason"], "another process uses the journal");
    assert_eq!(flush(&owner).json()["applyHwm"], 1);
}

fn after_a_start_a_flush_opens_the_journal(database: Database) {
    database.exec(TABLES);
    let folder = tempfile::tempdir().unwrap();
    let app = start(&database, folder.path());
    let rows: Vec<Value> = (1..=300).map(driver).collect();
    assert_eq!(ingest(&app, &json!(rows)).status, 202);
    app.stop();
    let app = start(&database, folder.path());
    let flushed = flush(&app);
    assert_eq!((flushed.status, &flushed.json()["applyHwm"]), (200, &json!(300)), "{flushed:?}");
    assert_eq!(drivers(&database), 300);
}

/// The table of dead letters is dropped, or the user may not write to it any more: rows stay acknowledged in the
/// journal, the log says why, and they are written once it is repaired.
fn a_dead_letter_that_is_refused_stops_the_drain_until_it_is_repaired(database: Database) {
    database.exec(TABLES);
    let folder = tempfile::tempdir().unwrap();
    let app = start(&database, folder.path());
    assert_eq!(status(&app, &ingest(&app, &driver(1)))["status"], "applied");
    let letters = table(&database, "journal_dead_letters");
    let state = || app.get("/admin/journal").json()["journals"][0].clone();
    let (trigger, remove_trigger) = refusing_trigger(&database, &letters);
    let drop = || assert!(database.prepare_journal());
    let trigger_goes = || database.exec(remove_trigger);
    let repairs: [(String, &dyn Fn()); 2] =
        [(format!("DROP TABLE {letters}"), &drop), (trigger, &trigger_goes)];
    for (round, (damage, repair)) in (1_i64..).zip(repairs) {
        database.exec(&damage);
        let first = 10 * round;
        let mut rows: Vec<Value> = (first..first + 4).map(driver).collect();
        rows[1]["team_id"] = json!(9);
        let accepted = ingest(&app, &json!(rows));
        assert_eq!(accepted.status, 202, "{accepted:?}");
        eventually("the state says why rows wait", || {
            let reason = state()["reason"].as_str().unwrap_or_default().to_owned();
            reason.contains("the journal's own tables do not take rows")
        });
        assert_eq!((&state()["state"], &state()["waiting"]), (&json!("degraded"), &json!(4)));
        // Others are acknowledged and wait behind them.
        let behind = ingest(&app, &driver(first + 5));
        assert_eq!(behind.status, 202, "{behind:?}");
        let known = database.count("SELECT count(*) FROM driver WHERE driver_id >= 10");
        repair();
        let became = status(&app, &accepted);
        assert_eq!(became["status"], "rejected", "{became}");
        let rejected = became["rejected"].as_array().unwrap();
        assert_eq!(rejected.len(), 1, "{became}");
        assert_eq!(rejected[0]["code"], "DUET-7102", "the row's own error: {became}");
        assert_eq!(status(&app, &behind)["status"], "applied");
        assert_eq!(state()["state"], "ready", "{}", state());
        let now = database.count("SELECT count(*) FROM driver WHERE driver_id >= 10");
        assert_eq!(now - known, 4, "nothing is lost, and nothing is there twice");
    }
}

/// A trigger that refuses every dead letter, and how to remove it.
fn refusing_trigger(database: &Database, letters: &str) -> (String, &'static str) {
    match database.is_sqlite() {
        true => {
            let script = format!(
                "CREATE TRIGGER refuse BEFORE INSERT ON {letters} BEGIN SELECT RAISE(ABORT, 'no letters'); END"
            );
            (script, "DROP TRIGGER refuse")
        }
        false => {
            let script = format!(
                "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no letters'; END $$;
                 CREATE TRIGGER refuse BEFORE INSERT ON {letters} FOR EACH ROW EXECUTE FUNCTION refuse()"
            );
            (script, "DROP FUNCTION refuse() CASCADE")
        }
    }
}
