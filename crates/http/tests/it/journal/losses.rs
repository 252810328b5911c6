//! Files of the journal that are missing or damaged: what starts, what is answered, what an operator sees, and what
//! accepting the loss does.

use std::path::{Path, PathBuf};

use duet_service::WorkerHandle;
use duet_service::journal::{AcceptedLosses, JournalReport};
use duet_testkit::http::Response;
use serde_json::{Value, json};

use super::rows::{TABLES, code, driver, ingest, post, setup, start, status, table};
use crate::support::{App, Database, Held, Setup, eventually, on_both_stores};

on_both_stores! {
    a_start_without_its_segments_is_refused_until_the_loss_is_accepted
    a_start_without_its_folder_is_refused_until_the_loss_is_accepted
    a_journal_that_ended_whole_may_go
    a_moved_folder_goes_on_and_a_forgotten_one_is_named
    one_rule_for_damage_at_the_start
    one_rule_for_damage_while_running
    a_folder_that_vanishes_while_running
    lost_rows_are_told_to_their_clients
    tables_of_an_earlier_version_are_noticed
}

/// What keeps the drain from writing, on PostgreSQL.
const MARKS: &str = "duet.journal_marks";

fn segments(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder.join("journal")).unwrap();
    let files = files.map(|entry| entry.unwrap().path());
    let mut all: Vec<_> =
        files.filter(|it| it.extension().is_some_and(|it| it == "segment")).collect();
    all.sort();
    all
}

/// Whether rows of the journal get into the database: only with its table of heads.
fn applies(database: &Database, applies: bool) {
    let (from, to) = match (database.is_sqlite(), applies) {
        (true, false) => ("duet_journal_heads", "aside"),
        (true, true) => ("aside", "duet_journal_heads"),
        (false, false) => ("duet.journal_heads", "aside"),
        (false, true) => ("duet.aside", "journal_heads"),
    };
    database.exec(&format!("ALTER TABLE {from} RENAME TO {to}"));
}

/// Rows that are acknowledged and not applied.
const WAITING: u64 = 603;
/// All of them, with one in front that is applied.
const ALL: i64 = 604;

/// A server that ends with rows in small segments that are acknowledged and not applied, behind one that is. Gives the
/// answer to the last three.
fn with_rows_that_wait(database: &Database, folder: &Path) -> Response {
    database.exec(TABLES);
    database.prepare_journal();
    let app = small(database, folder).start();
    assert_eq!(status(&app, &ingest(&app, &driver(1)))["status"], "applied");
    applies(database, false);
    for first in (100..1_300).step_by(100) {
        let rows: Vec<Value> = (first..first + 50).map(driver).collect();
        assert_eq!(ingest(&app, &json!(rows)).status, 202);
    }
    let last = ingest(&app, &json!([driver(2_000), driver(2_001), driver(2_002)]));
    assert_eq!(last.status, 202, "{last:?}");
    app.stop();
    applies(database, true);
    assert_eq!(database.count("SELECT count(*) FROM driver"), 1);
    last
}

/// Segments of the journal have a few records of fifty rows.
fn small(database: &Database, folder: &Path) -> Setup {
    setup(database, folder).with(|setup| setup.journal.as_mut().unwrap().bytes = 32 << 10)
}

/// What `duet journal status` says.
fn report(database: &Database, folder: &Path) -> JournalReport {
    let report = async |handle: WorkerHandle| handle.journal_report().await.unwrap().unwrap();
    small(database, folder).with_handle(report)
}

/// What `duet journal accept-loss --yes` does.
fn accept(database: &Database, folder: &Path) -> AcceptedLosses {
    let accept = async |handle: WorkerHandle| handle.accept_losses().await.unwrap();
    small(database, folder).with_handle(accept)
}

fn refused(database: &Database, folder: &Path) -> String {
    let Err(error) = small(database, folder).try_start() else { panic!("it starts") };
    assert_eq!(error.code.as_str(), "DUET-7046", "{error}");
    format!("{} {}", error.message, error.hint.unwrap_or_default())
}

fn a_start_without_its_segments_is_refused_until_the_loss_is_accepted(database: Database) {
    let folder = tempfile::tempdir().unwrap();
    with_rows_that_wait(&database, folder.path());
    let all = segments(folder.path());
    assert!(all.len() >= 3, "{all:?}");
    let kept: Vec<Vec<u8>> = all.iter().map(|path| std::fs::read(path).unwrap()).collect();
    all.iter().for_each(|path| std::fs::remove_file(path).unwrap());
    for _ in 0..2 {
        let why = refused(&database, folder.path());
        let own = folder.path().join("journal").display().to_string();
        assert!(why.contains(&own) && why.contains("accept-loss"), "{why}");
        let missing =
            all.iter().filter(|path| why.contains(&*path.file_name().unwrap().to_string_lossy()));
        assert!(missing.count() >= 3, "{why}");
        assert!(why.contains("sequence ids"), "{why}");
    }
    let found = report(&database, folder.path());
    assert_eq!(found.state, "missing");
    assert_eq!(found.losses.iter().map(|loss| loss.rows).sum::<u64>(), WAITING, "{found:?}");
    // They are brought back: nothing was lost.
    all.iter().zip(&kept).for_each(|(path, bytes)| std::fs::write(path, bytes).unwrap());
    let found = report(&database, folder.path());
    assert_eq!(
        (found.state, found.waiting, found.losses.len()),
        ("closed", WAITING, 0),
        "{found:?}"
    );
    // Gone for ever.
    all.iter().for_each(|path| std::fs::remove_file(path).unwrap());
    assert!(accept(&database, folder.path()).losses.len() >= 3);
    assert_eq!(report(&database, folder.path()).losses, []);
    let app = small(&database, folder.path()).start();
    assert_eq!(app.get("/health/ready").status, 200);
    assert_eq!(status(&app, &ingest(&app, &driver(2)))["status"], "applied");
    let journal = app.get("/admin/journal").json()["journals"][0].clone();
    assert_eq!((&journal["state"], &journal["waiting"]), (&json!("ready"), &json!(0)), "{journal}");
    assert_eq!(database.count("SELECT count(*) FROM driver"), 2);
}

fn a_start_without_its_folder_is_refused_until_the_loss_is_accepted(database: Database) {
    let folder = tempfile::tempdir().unwrap();
    let last = with_rows_that_wait(&database, folder.path());
    let path = folder.path().join("journal");
    std::fs::rename(&path, folder.path().join("moved")).unwrap();
    let why = refused(&database, folder.path());
    assert!(why.contains("is not in its folder any more"), "{why}");
    assert!(!path.exists(), "a refused start makes nothing");
    // Another folder than before is no way around, and the message says where the journal was.
    let elsewhere = tempfile::tempdir().unwrap();
    let why = refused(&database, elsewhere.path());
    assert!(why.contains(&format!("It was in {}", path.display())), "{why}");
    // Moved back, nothing was lost.
    std::fs::rename(folder.path().join("moved"), &path).unwrap();
    assert_eq!(report(&database, folder.path()).waiting, WAITING);
    std::fs::remove_dir_all(&path).unwrap();
    let found = report(&database, folder.path());
    assert_eq!((found.state, found.losses.len()), ("missing", 1));
    assert_eq!(accept(&database, folder.path()).losses.len(), 1);
    assert_eq!(accept(&database, folder.path()).losses.len(), 0);
    let app = small(&database, folder.path()).start();
    let place = last.header("location").unwrap();
    let path = format!("/ords/{}", place.split_once("/ords/").unwrap().1);
    let became = app.get(&path);
    assert_eq!(became.json()["status"], "lost", "{became:?}");
    assert_eq!(status(&app, &ingest(&app, &driver(2)))["status"], "applied");
}

/// All rows are applied and the server has stopped: then the folder holds nothing that is missed.
fn a_journal_that_ended_whole_may_go(database: Database) {
    database.exec(TABLES);
    let folder = tempfile::tempdir().unwrap();
    let app = start(&database, folder.path());
    let accepted = ingest(&app, &driver(1));
    assert_eq!(status(&app, &accepted)["status"], "applied");
    app.stop();
    std::fs::remove_dir_all(folder.path().join("journal")).unwrap();
    let app = start(&database, folder.path());
    let next = ingest(&app, &driver(2));
    assert_eq!(status(&app, &next)["status"], "applied");
    assert_ne!(next.json()["journal"], accepted.json()["journal"]);
    // The ids of the journal that is gone still answer.
    let place = accepted.header("location").unwrap();
    let path = format!("/ords/{}", place.split_once("/ords/").unwrap().1);
    assert_eq!(app.get(&path).json()["status"], "applied");
}

fn a_moved_folder_goes_on_and_a_forgotten_one_is_named(database: Database) {
    let folder = tempfile::tempdir().unwrap();
    with_rows_that_wait(&database, folder.path());
    let moved = tempfile::tempdir().unwrap();
    // Left where it was: another journal begins, and the report names the one with the rows.
    let found = report(&database, moved.path());
    assert_eq!((found.state, found.losses.len()), ("none", 0), "{found:?}");
    let own = folder.path().join("journal").display().to_string();
    assert!(found.notes.iter().any(|note| note.contains(&own)), "{found:?}");
    std::fs::rename(folder.path().join("journal"), moved.path().join("journal")).unwrap();
    let found = report(&database, moved.path());
    assert!(found.notes.iter().any(|note| note.contains(&own)), "{found:?}");
    let app = small(&database, moved.path()).start();
    eventually("all rows are applied", || database.count("SELECT count(*) FROM driver") == ALL);
    app.stop();
    assert_eq!(report(&database, moved.path()).notes, [""; 0]);
}

/// The answer to each of several requests, which must be the same.
fn one_answer(app: &App) -> (u16, String) {
    let answers: Vec<(u16, String)> = (0..20)
        .map(|id| {
            let answer = ingest(app, &driver(5_000 + id));
            (answer.status, if answer.status == 503 { code(&answer) } else { String::new() })
        })
        .collect();
    assert!(answers.windows(2).all(|two| two[0] == two[1]), "{answers:?}");
    answers[0].clone()
}

fn is_down(app: &App, words: &[&str]) {
    eventually("it is not ready", || app.get("/health/ready").status == 503);
    eventually("the reason is named", || {
        let ready = app.get("/health/ready").json();
        let journal = app.get("/admin/journal").json()["journals"][0].clone();
        let (reason, of_journal) = (&ready["journalReason"], &journal["reason"]);
        let named = |text: &Value| {
            words.iter().all(|it| text.as_str().is_some_and(|text| text.contains(it)))
        };
        reason == of_journal && named(reason) && ready["journal"] == "down"
    });
    // Others go on.
    assert_eq!(app.get("/ords/hr/driver/1").status, 200);
}

fn one_rule_for_damage_at_the_start(database: Database) {
    let folder = tempfile::tempdir().unwrap();
    with_rows_that_wait(&database, folder.path());
    let path = segments(folder.path())[1].clone();
    let name = path.file_name().unwrap().to_str().unwrap().to_owned();
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    // Two servers, as instances are: neither answers otherwise by chance.
    let app = small(&database, folder.path()).start();
    let beside = small(&database, folder.path()).start();
    let words = [&*name, "is damaged at byte", "behind it can be read"];
    for app in [&app, &beside, &app, &beside] {
        assert_eq!(one_answer(app), (503, "DUET-7042".to_owned()));
        is_down(app, &words);
    }
    let found = report(&database, folder.path());
    assert_eq!(found.state, "damaged");
    let loss = &found.losses[0];
    assert_eq!(loss.segment.as_deref(), Some(&*name));
    assert!(loss.rows > 0 && loss.rows + loss.behind <= WAITING, "{loss}");
    // While the servers look at it again and again.
    let accepted = accept(&database, folder.path());
    assert_eq!(accepted.aside, [format!("{name}.damaged")]);
    assert_eq!(std::fs::read(path.with_file_name(&accepted.aside[0])).unwrap(), bytes);
    let kept = ALL - i64::try_from(loss.rows).unwrap();
    eventually("what could be read is applied", || {
        database.count("SELECT count(*) FROM driver") == kept
    });
    eventually("both are ready", || {
        [&app, &beside].iter().all(|app| app.get("/health/ready").status == 200)
    });
}

fn one_rule_for_damage_while_running(database: Database) {
    database.exec(TABLES);
    let folder = tempfile::tempdir().unwrap();
    database.prepare_journal();
    let app = small(&database, folder.path()).start();
    assert_eq!(status(&app, &ingest(&app, &driver(1)))["status"], "applied");
    let beside = small(&database, folder.path()).start();
    assert_eq!(ingest(&beside, &driver(2)).status, 201);
    let held = Held::new(&database, MARKS);
    // One batch is read and waits for the lock; what follows is damaged in its segment.
    for first in [100, 200, 300, 400] {
        let rows: Vec<Value> = (first..first + 60).map(driver).collect();
        assert_eq!(ingest(&app, &json!(rows)).status, 202);
    }
    let path = segments(folder.path()).last().unwrap().clone();
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[64 + 40] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    held.release(&database);
    let name = path.file_name().unwrap().to_str().unwrap().to_owned();
    is_down(&app, &[&name, "is damaged at byte 64"]);
    for app in [&app, &beside, &app, &beside] {
        assert_eq!(one_answer(app), (503, "DUET-7042".to_owned()));
    }
    is_down(&beside, &[&name, "is damaged at byte 64"]);
    // Repaired: nothing was lost.
    bytes[64 + 40] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    eventually("all is applied", || database.count("SELECT count(*) FROM driver") >= 242);
    eventually("it is ready", || app.get("/health/ready").status == 200);
}

fn a_folder_that_vanishes_while_running(database: Database) {
    database.exec(TABLES);
    let folder = tempfile::tempdir().unwrap();
    database.prepare_journal();
    let app = small(&database, folder.path()).start();
    assert_eq!(status(&app, &ingest(&app, &driver(1)))["status"], "applied");
    std::fs::remove_dir_all(folder.path().join("journal")).unwrap();
    // The first one finds out.
    assert_eq!(ingest(&app, &driver(2)).status, 503);
    assert_eq!(one_answer(&app), (503, "DUET-7046".to_owned()));
    is_down(&app, &["is not in its folder any more"]);
    assert_eq!(app.get("/admin/journal").json()["journals"][0]["state"], "missing");
    app.stop();
    refused(&database, folder.path());
}

fn lost_rows_are_told_to_their_clients(database: Database) {
    let folder = tempfile::tempdir().unwrap();
    let last = with_rows_that_wait(&database, folder.path());
    let path = segments(folder.path()).last().unwrap().clone();
    let mut bytes = std::fs::read(&path).unwrap();
    // In the last record, in front of the seal.
    let at = bytes.len() - 50;
    bytes[at] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    let accepted = accept(&database, folder.path());
    assert_eq!(accepted.losses.iter().map(|loss| loss.rows).sum::<u64>(), 3);
    let app = small(&database, folder.path()).start();
    eventually("the rest is applied", || database.count("SELECT count(*) FROM driver") == ALL - 3);
    let losses = table(&database, "journal_losses");
    assert_eq!(database.count(&format!("SELECT count(*) FROM {losses}")), 1);
    let place = last.header("location").unwrap();
    let path = format!("/ords/{}", place.split_once("/ords/").unwrap().1);
    let became = app.get(&path).json();
    assert_eq!(became["status"], "lost", "{became}");
    let lost = &became["lost"][0];
    assert_eq!(lost["code"], "DUET-7046", "{became}");
    assert_eq!(lost["firstSequenceId"], became["firstSequenceId"], "{became}");
    // Later rows have sequence ids of their own.
    let later = ingest(&app, &driver(9_000));
    assert_eq!(status(&app, &later)["status"], "applied");
    assert!(later.json()["sequenceId"].as_u64() > last.json()["sequenceId"].as_u64());
    assert_eq!(app.get(&path).json()["status"], "lost");
}

/// The tables were made before those of heads and losses were: rows that wait are not forgotten silently.
fn tables_of_an_earlier_version_are_noticed(database: Database) {
    let folder = tempfile::tempdir().unwrap();
    with_rows_that_wait(&database, folder.path());
    for name in ["journal_heads", "journal_losses"] {
        database.exec(&format!("DROP TABLE {}", table(&database, name)));
    }
    // As an earlier version leaves it.
    std::fs::remove_file(folder.path().join("journal/manifest")).unwrap();
    let app = small(&database, folder.path()).start();
    assert_eq!(one_answer(&app), (503, "DUET-7042".to_owned()));
    is_down(&app, &["duet journal prepare"]);
    assert!(database.prepare_journal());
    eventually("all rows are applied", || database.count("SELECT count(*) FROM driver") == ALL);
    eventually("it is ready", || app.get("/health/ready").status == 200);
    assert_eq!(post(&app, "driver/", "respond-async", &driver(2)).status, 202);
}
