//! An id of rows of the journal answers for its own resource alone, at every process, also when the files with the
//! rows are gone.

use std::path::Path;

use duet_testkit::http::Response;
use serde_json::{Value, json};

use super::rows::{TABLES, code, driver, ingest, post, setup, start, status, table};
use crate::support::{App, Database, on_both_stores};

on_both_stores! {
    ids_of_other_resources_are_unknown
    forged_ids_are_unknown_like_those_that_were_never_given
    every_process_takes_the_ids_of_the_others
    ids_asked_for_by_clients_with_a_tenant
}

/// The last part of the path of a status.
fn id(accepted: &Response) -> String {
    assert_eq!(accepted.status, 202, "{accepted:?}");
    accepted.header("location").unwrap().rsplit_once('/').unwrap().1.to_owned()
}

fn ask(app: &App, resource: &str, id: &str) -> Response {
    app.get(&format!("/ords/hr/{resource}/_/journal/{id}"))
}

/// The whole answer without what differs from request to request.
fn told(response: &Response) -> (u16, Value) {
    let mut body = response.json();
    body.as_object_mut().unwrap().remove("instance");
    (response.status, body)
}

fn ids_of_other_resources_are_unknown(database: Database) {
    database.exec(TABLES);
    let folder = tempfile::tempdir().unwrap();
    let app = start(&database, folder.path());
    let mut rows: Vec<Value> = (1..=5).map(driver).collect();
    rows[2]["team_id"] = json!(9);
    let drivers = ingest(&app, &json!(rows));
    assert_eq!(status(&app, &drivers)["status"], "rejected");
    let teams = post(&app, "team/", "respond-async", &json!({ "team_id": 2, "name": "Two" }));
    assert_eq!(status(&app, &teams)["status"], "applied");
    let (drivers, teams) = (id(&drivers), id(&teams));
    let unknown = told(&ask(&app, "team", &format!("{}-1.{}", "0".repeat(32), "0".repeat(32))));
    assert_eq!((unknown.0, &unknown.1["errors"][0]["code"]), (404, &json!("DUET-7044")));
    assert_eq!(told(&ask(&app, "team", &drivers)), unknown);
    assert_eq!(told(&ask(&app, "driver", &teams)), unknown);
    assert_eq!(ask(&app, "driver", &drivers).json()["rejected"][0]["sequenceId"], 3);
    assert_eq!(ask(&app, "team", &teams).json()["status"], "applied");
    // Rows that wait too, and after a start that has only the mark of the database.
    app.stop();
    std::fs::remove_dir_all(folder.path().join("journal")).unwrap();
    let app = start(&database, folder.path());
    assert_eq!(told(&ask(&app, "team", &drivers)), unknown);
    assert_eq!(ask(&app, "driver", &drivers).json()["status"], "rejected");
}

fn forged_ids_are_unknown_like_those_that_were_never_given(database: Database) {
    database.exec(TABLES);
    let folder = tempfile::tempdir().unwrap();
    let app = start(&database, folder.path());
    let accepted = ingest(&app, &json!((1..=5).map(driver).collect::<Vec<_>>()));
    assert_eq!(status(&app, &accepted)["status"], "applied");
    let good = id(&accepted);
    let (rows, stamp) = good.rsplit_once('.').unwrap();
    let journal = rows.split_once('-').unwrap().0;
    let mut forged = vec![
        rows.to_owned(),
        format!("{rows}."),
        format!("{rows}.{}", "0".repeat(32)),
        format!("{rows}.{}", stamp.to_uppercase() + "0"),
        format!("{journal}-1.{stamp}"),
        format!("{journal}-1-4.{stamp}"),
        format!("{journal}-01-5.{stamp}"),
        format!("{journal}-1-5.{stamp}.{stamp}"),
        format!("{journal}-{}-{}.{stamp}", u64::MAX, u64::MAX),
        format!("-1-5.{stamp}"),
        format!("{journal}-1-5%2e{}", &stamp[1..]),
    ];
    // Each digit of the stamp counts.
    forged.extend((0..stamp.len()).map(|at| {
        let mut wrong = stamp.as_bytes().to_vec();
        wrong[at] = if wrong[at] == b'a' { b'b' } else { b'a' };
        format!("{rows}.{}", String::from_utf8(wrong).unwrap())
    }));
    for forged in forged {
        let answer = ask(&app, "driver", &forged);
        assert_eq!((answer.status, code(&answer).as_str()), (404, "DUET-7044"), "{forged}");
    }
    assert_eq!(ask(&app, "driver", &good).status, 200);
    // Without the tables of the journal, too.
    database.exec(&format!("DROP TABLE {}", table(&database, "journal_heads")));
    let beside = setup(&database, folder.path().join("other").as_path()).start();
    let answer = ask(&beside, "driver", &good);
    assert_eq!((answer.status, code(&answer).as_str()), (404, "DUET-7044"), "{answer:?}");
}

fn beside(database: &Database, folder: &Path) -> App {
    setup(database, folder).start()
}

fn every_process_takes_the_ids_of_the_others(database: Database) {
    database.exec(TABLES);
    let folder = tempfile::tempdir().unwrap();
    let mut owner = start(&database, folder.path());
    let mut ids = Vec::new();
    // Each becomes the owner once.
    for run in 0..3 {
        let other = beside(&database, folder.path());
        let accepted = ingest(&owner, &driver(10 + run));
        assert_eq!(status(&owner, &accepted)["status"], "applied");
        ids.push(id(&accepted));
        for app in [&owner, &other] {
            for id in &ids {
                let own = ask(app, "driver", id);
                assert_eq!(
                    (own.status, &own.json()["status"]),
                    (200, &json!("applied")),
                    "{own:?}"
                );
                assert_eq!(ask(app, "team", id).status, 404);
            }
        }
        owner.stop();
        crate::support::eventually("the other process owns the journal", || {
            ingest(&other, &driver(1_000 + run * 1_000 + drivers(&database))).status == 202
        });
        owner = other;
    }
}

fn drivers(database: &Database) -> i64 {
    database.count("SELECT count(*) FROM driver")
}

/// Who may add rows to the resource may ask, and no other resource answers, whatever tenant the token has.
fn ids_asked_for_by_clients_with_a_tenant(database: Database) {
    database.exec(TABLES);
    let folder = tempfile::tempdir().unwrap();
    database.prepare_journal();
    let app = setup(&database, folder.path()).with(|setup| setup.tenants = vec!["acme"]).start();
    let accepted = ingest(&app, &driver(1));
    assert_eq!(status(&app, &accepted)["status"], "applied");
    let bearer = app.bearer_of("acme");
    for (resource, status) in [("driver", 200), ("team", 404)] {
        let path = format!("/ords/hr/{resource}/_/journal/{}", id(&accepted));
        let asked = app.connect().get(&path, &[("Authorization", &bearer)]);
        assert_eq!(asked.status, status, "{asked:?}");
    }
}
