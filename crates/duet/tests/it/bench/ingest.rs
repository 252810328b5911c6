//! `duet bench run ingest`, and commit classes of `duet bench run txn`: on both stores, and what they refuse.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

use std::fs;

use duet_testkit::command::Running;
use duet_testkit::postgres::Server;
use duet_testkit::sqlite;
use duet_workloads::ingest::{ACKNOWLEDGED, BESIDE, BY_SQL, EACH_ONCE, NONE_REFUSED};
use serde_json::Value;

use crate::duet;

/// A short run: exit code, what it said, result.
fn run(workload: &str, more: &[&str]) -> (i32, String, Value) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let fixed = ["--users", "2", "--warmup", "0s", "--quiet", "--out", path];
    let (code, said, errors) = duet(&[&["bench", "run", workload], &fixed[..], more].concat());
    let result = fs::read(folder.path().join("result.json"));
    let result = result.unwrap_or_else(|error| panic!("{error}: {said}{errors}"));
    (code, format!("{said}{errors}"), serde_json::from_slice(&result).unwrap())
}

fn completed(result: &Value, short: &str) -> u64 {
    let types = result["types"].as_array().unwrap();
    let row = types.iter().find(|row| row["short"] == short);
    row.map_or(0, |row| row["completed"].as_u64().unwrap())
}

/// What an invariant found, which must hold.
fn found<'r>(result: &'r Value, name: &str) -> &'r str {
    let rows = result["invariants"].as_array().unwrap();
    let row = rows.iter().find(|row| row["name"] == name).unwrap_or_else(|| panic!("{rows:?}"));
    assert_eq!(row["passed"], true, "{row}");
    row["found"].as_str().unwrap()
}

/// Databases with 150 rows: a SQLite file, and PostgreSQL.
fn databases(folder: &sqlite::Folder, name: &str) -> [String; 2] {
    let file = folder.path().join("t.db").display().to_string();
    let databases = [format!("sqlite:{file}"), Server::shared().database(name).url()];
    for database in &databases {
        load(database);
    }
    databases
}

fn load(database: &str) {
    let loaded = duet(&["bench", "load", "txn", "--database", database, "--scale", "150"]);
    assert_eq!(loaded.0, 0, "{loaded:?}");
}

#[test]
fn acknowledged_rows_are_in_both_stores_once() {
    let folder = sqlite::Folder::new();
    for database in databases(&folder, "bench_ingest") {
        let mix = ["--mix", "INGEST=1,ROW=1,COPY=1", "--ingest-rows", "7", "--iterations", "60"];
        let (code, said, result) = run("ingest", &[&["--target", &database], &mix[..]].concat());
        assert_eq!((code, &result["totals"]["failed"]), (0, &0.into()), "{said}");
        let [ingest, row, copy] = ["INGEST", "ROW", "COPY"].map(|it| completed(&result, it));
        assert!(ingest > 0 && row > 0 && copy > 0, "{said}");
        let rows = 7 * ingest + row + 7 * copy;
        let wanted = format!("{rows} rows more, {rows} acknowledged");
        assert_eq!(found(&result, EACH_ONCE), wanted, "{said}");
        assert_eq!(found(&result, NONE_REFUSED), "0 dead letters more");
        for name in [ACKNOWLEDGED, BY_SQL, BESIDE] {
            let figures = result["figures"].as_array().unwrap();
            let figure = figures.iter().find(|row| row["name"] == name).unwrap();
            assert!(figure["value"].as_f64() > Some(0.0), "{figure}");
        }
    }
}

/// A row that is taken away behind the run's back is missed.
#[test]
fn a_lost_row_fails_the_run() {
    let folder = sqlite::Folder::new();
    let file = folder.path().join("t.db");
    let database = format!("sqlite:{}", file.display());
    load(&database);
    let loses = "CREATE TRIGGER loses AFTER INSERT ON transactions WHEN NEW.id LIKE 'ING-%-0-1' \
                 BEGIN DELETE FROM transactions WHERE id = NEW.id; END";
    sqlite::open(&file).execute_batch(loses).unwrap();
    let more = ["--target", &database, "--ingest-rows", "5", "--iterations", "10"];
    let (code, said, result) = run("ingest", &more);
    assert_eq!(code, 4, "{said}");
    let rows = result["invariants"].as_array().unwrap();
    let row = rows.iter().find(|row| row["name"] == EACH_ONCE).unwrap();
    let sent = 5 * completed(&result, "INGEST");
    let wanted = format!("{} rows more, {sent} acknowledged", sent - 1);
    assert_eq!((&row["passed"], row["found"].as_str()), (&false.into(), Some(&*wanted)), "{said}");
}

#[test]
fn a_service_without_a_journal_is_no_target() {
    let server =
        Running::start(&["serve", "transactions", "--listen", "127.0.0.1:0", "--open", "all"]);
    let url = format!("{}/transactions", server.url());
    let bearer = server.bearer();
    let token = bearer.strip_prefix("Bearer ").unwrap();
    let of = ["--target", &url, "--token", token, "--iterations", "4"];
    let (code, said, _) = run("ingest", &of);
    assert!(code != 0 && said.contains("duet journal prepare"), "{code} {said}");
    let (code, _, errors) = duet(&["bench", "run", "ingest", "--target", &url, "--mix", "COPY=1"]);
    assert!(code == 2 && errors.contains("COPY writes into a database"), "{errors}");
}

#[test]
fn every_commit_class_is_followed_on_both_stores() {
    let folder = sqlite::Folder::new();
    for database in databases(&folder, "bench_commit") {
        for class in ["sync", "group", "ingest", "async", "memory"] {
            let payments = ["--mix", "CREATE=1", "--iterations", "20", "--commit", class];
            let (code, said, result) =
                run("txn", &[&["--target", &database], &payments[..]].concat());
            assert_eq!((code, &result["totals"]["failed"]), (0, &0.into()), "{class}: {said}");
            assert_eq!(result["load"]["options"]["commit"], class);
            let checks = result["checks"].as_array().unwrap();
            let row = checks.iter().find(|row| row["name"] == "CREATE: has the commit class");
            let passed = row.unwrap()["passed"].as_u64().unwrap();
            assert!(passed >= completed(&result, "CREATE") && passed > 0, "{class}: {checks:?}");
        }
    }
}

#[test]
fn sessions_of_postgresql_have_the_class_and_others_refuse_it() {
    let folder = sqlite::Folder::new();
    let [file, postgres] = databases(&folder, "bench_commit_sql");
    for class in ["async", "group"] {
        let more = ["--target", &postgres, "--mix", "SQL=1", "--iterations", "10"];
        let (code, said, _) = run("txn", &[&more[..], &["--commit", class]].concat());
        assert_eq!(code, 0, "{said}");
    }
    for (database, mix, class, words) in [
        (&file, "SQL=1", "async", "no class \"async\" on SQLite"),
        (&postgres, "SQL=1", "ingest", "a session of the database has no journal"),
        (&postgres, "BATCH=1", "memory", "`_/batch` is never written from the journal"),
    ] {
        let run = ["bench", "run", "txn", "--target", database, "--mix", mix, "--commit", class];
        let (code, _, errors) = duet(&run);
        assert!(code == 2 && errors.replace("\n  ", " ").contains(words), "{errors}");
    }
}
