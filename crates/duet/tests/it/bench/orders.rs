//! `duet bench run orders`: every type against both stores, its checks, and what a run leaves.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

use std::fs;

use duet_testkit::command::Running;
use duet_testkit::postgres::Server;
use duet_testkit::{is_long, skipped, sqlite};
use duet_workloads::orders::{PUBLISHED, QUERIES};
use serde_json::Value;

use crate::duet;

/// A short run: exit code, what was said, result.
fn run(more: &[&str]) -> (i32, String, Value) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let fixed =
        ["bench", "run", "orders", "--users", "2", "--warmup", "0s", "--quiet", "--out", path];
    let (code, said, errors) = duet(&[&fixed[..], more].concat());
    let result = fs::read(folder.path().join("result.json"));
    let result = result.unwrap_or_else(|error| panic!("{error}: {said}{errors}"));
    (code, format!("{said}{errors}"), serde_json::from_slice(&result).unwrap())
}

/// How often a check passed and failed in a type.
fn check(result: &Value, name: &str) -> (u64, u64) {
    let checks = result["checks"].as_array().unwrap();
    let row = checks
        .iter()
        .find(|row| row["name"] == name)
        .unwrap_or_else(|| panic!("{name}: {checks:?}"));
    (row["passed"].as_u64().unwrap(), row["failed"].as_u64().unwrap())
}

/// All types in turn, three times, on a database that is served by the run.
#[test]
fn every_type_runs_on_both_stores() {
    let folder = sqlite::Folder::new();
    let file = format!("sqlite:{}", folder.path().join("o.db").display());
    let postgres = Server::shared().database("bench_orders");
    let writing = ["CYCLE-PO", "CYCLE-PL", "CREATE-PO", "CREATE-PL"];
    let kinds: Vec<&str> = QUERIES.iter().map(|query| query.short).chain(writing).collect();
    let mix = kinds.iter().map(|short| format!("{short}=1")).collect::<Vec<_>>().join(",");
    for database in [file, postgres.url()] {
        let loaded = duet(&["load", "orders", "--database", &database]);
        assert_eq!(loaded.0, 0, "{loaded:?}");
        let each = (3 * kinds.len()).to_string();
        let all = ["--target", &database, "--mix", &mix, "--in-order", "--iterations", &each];
        let (code, said, result) = run(&all);
        assert_eq!((code, &result["totals"]["failed"]), (0, &0.into()), "{said}");
        for kind in &kinds {
            let types = result["types"].as_array().unwrap();
            let row = types.iter().find(|row| row["short"] == *kind).unwrap();
            assert_eq!(row["completed"], 6, "{kind}: {said}");
        }
        for name in [
            "SORT-O: is in order",
            "MSORT-PL: is in order",
            "MSEARCH-OL: has a page of requested documents",
            "CYCLE-PL: is read as it was updated",
            "CYCLE-PO: is deleted with 204",
            "CREATE-PL: is created with 201",
        ] {
            assert_eq!(check(&result, name), (6, 0), "{said}");
        }
        // The cycles have removed theirs.
        let (code, said, result) =
            run(&["--target", &database, "--total-records", "exact", "--iterations", "30"]);
        assert_eq!(
            (code, &result["load"]["options"]["total-records"]),
            (0, &"exact".into()),
            "{said}"
        );
    }
}

#[test]
fn the_run_makes_its_own_server_and_data() {
    let (code, said, result) =
        run(&["--preset", "fields", "--transactions", "60", "--tenant", "a_b"]);
    assert_eq!((code, &result["totals"]["failed"]), (0, &0.into()), "{said}");
    let types = result["types"].as_array().unwrap();
    let ran = types.iter().filter(|row| row["completed"].as_u64() > Some(0)).count();
    assert!(ran > 1 && ran <= QUERIES.len() - PUBLISHED, "{said}");
    assert_eq!(result["load"]["options"]["tenant"], "a_b");
    let (code, _, errors) = duet(&["bench", "run", "orders", "--tenant", "a b"]);
    assert!(code == 2 && errors.contains("it is not a name"), "{errors}");
}

#[test]
fn a_service_is_measured_by_its_url() {
    let folder = sqlite::Folder::new();
    let file = folder.path().join("o.db").display().to_string();
    let loaded = duet(&["load", "orders", "--database", &format!("sqlite:{file}")]);
    assert_eq!(loaded.0, 0, "{loaded:?}");
    let server = Running::start(&[
        "serve",
        &format!("sqlite:{file}"),
        "--app",
        "orders",
        "--listen",
        "127.0.0.1:0",
        "--open",
        "all",
    ]);
    let url = format!("{}/orders-storage", server.url());
    let (code, said, result) = run(&["--target", &url, "--preset", "mixed", "--iterations", "40"]);
    assert_eq!((code, &result["totals"]["failed"]), (0, &0.into()), "{said}");
    assert_eq!(result["target"]["data"]["orders searched"], "1000");
    let (code, _, errors) =
        duet(&["bench", "run", "orders", "--target", &format!("{}/other", server.url())]);
    assert!(
        code == 1 && errors.contains("the collections must be below the target's URL"),
        "{errors}"
    );
}

/// Published ramp-up: user k of n starts after k/n of it; open arrivals are evenly spaced.
#[test]
fn constant_and_open_load() {
    let constant = ["--preset", "published", "--ramp-up", "400ms", "--duration", "600ms"];
    let (code, said, result) = run(&constant);
    assert_eq!((code, &result["totals"]["failed"]), (0, &0.into()), "{said}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let (code, said, errors) = duet(&[
        "bench",
        "run",
        "orders",
        "--preset",
        "cycles",
        "--rate",
        "20",
        "--even",
        "--duration",
        "1s",
        "--warmup",
        "0s",
        "--quiet",
        "--out",
        path,
    ]);
    let result = fs::read(folder.path().join("result.json"));
    let result: Value =
        serde_json::from_slice(&result.unwrap_or_else(|error| panic!("{error}: {said}{errors}")))
            .unwrap();
    assert_eq!((code, &result["totals"]["failed"]), (0, &0.into()), "{said}{errors}");
    assert_eq!(result["totals"]["completed"], 20, "{said}");
}

/// The report on an orders storage, repeated quickly on each store.
#[test]
fn the_report_is_repeated_with_and_without_indexes() {
    for (store, server) in [("sqlite", "Duet on SQLite"), ("postgres", "Duet on PostgreSQL")] {
        if store == "sqlite" && !is_long() {
            skipped("the report on orders is repeated on SQLite", "./test --long does it");
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_str().unwrap();
        let replay = ["bench", "replay", "orders", "--quick", "--on", store, "--out", path];
        let (code, said, errors) = duet(&replay);
        assert_eq!(code, 0, "{said}{errors}");
        let said = super::printed_and_written(&said, folder.path());
        let runs = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
        let runs: Vec<_> = runs.filter(|path| path.is_dir()).collect();
        assert_eq!(runs.len(), 2 * PUBLISHED, "{said}");
        for run in runs {
            let result = fs::read(run.join("result.json")).unwrap();
            let result: Value = serde_json::from_slice(&result).unwrap();
            assert_eq!(result["totals"]["failed"], 0, "{}: {said}", run.display());
            assert!(result["totals"]["completed"].as_u64() > Some(0), "{}", run.display());
        }
        for query in &QUERIES[..PUBLISHED] {
            let rows = said.lines().filter(|line| line.contains(&format!("| {} ", query.name)));
            assert!(rows.filter(|line| line.contains(server)).count() >= 3, "{said}");
        }
        let unbroken = said.replace("\n  ", " ");
        assert!(
            unbroken.contains("Indexes make filter orders 16 % faster (throughput +16.1 % there)."),
            "{said}"
        );
        assert!(unbroken.contains("**too short to judge**"), "{said}");
    }
}
