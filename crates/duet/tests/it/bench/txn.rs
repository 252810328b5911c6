//! `duet bench run txn`: every type against both stores, what a run leaves, and limits of presets.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

use std::fs;

use duet_testkit::command::Running;
use duet_testkit::postgres::Server;
use duet_testkit::{is_long, skipped, sqlite};
use duet_workloads::txn::{BY_SQL, LAYERS, WHOLE};
use serde_json::Value;

use crate::{duet, duet_says};

/// A short run: exit code, standard error, result.
fn run(more: &[&str]) -> (i32, String, Value) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let fixed = ["bench", "run", "txn", "--users", "2", "--warmup", "0s", "--quiet", "--out", path];
    let (code, said, errors) = duet(&[&fixed[..], more].concat());
    let result = fs::read(folder.path().join("result.json"));
    let result = result.unwrap_or_else(|error| panic!("{error}: {said}{errors}"));
    (code, format!("{said}{errors}"), serde_json::from_slice(&result).unwrap())
}

fn completed(result: &Value, short: &str) -> u64 {
    let types = result["types"].as_array().unwrap();
    let row = types.iter().find(|row| row["short"] == short).unwrap();
    row["completed"].as_u64().unwrap()
}

#[test]
fn every_type_runs_on_both_stores_and_leaves_its_rows() {
    let folder = sqlite::Folder::new();
    let file = folder.path().join("t.db").display().to_string();
    let postgres = Server::shared().database("bench_txn");
    let mix = "GET=1,LIST=1,CREATE=1,BATCH=1,SQL=1,SQLTX=1";
    for database in [format!("sqlite:{file}"), postgres.url()] {
        let loaded = duet(&["bench", "load", "txn", "--database", &database, "--scale", "150"]);
        assert_eq!(loaded.0, 0, "{loaded:?}");
        let said = duet_says(&["bench", "load", "txn", "--database", &database, "--validate"]);
        assert!(said.contains("5 of 5 checks passed"), "{said}");
        let all = ["--target", &database, "--mix", mix, "--batch-rows", "7", "--iterations", "60"];
        let (code, said, result) = run(&all);
        assert_eq!((code, &result["totals"]["failed"]), (0, &0.into()), "{said}");
        let checks = result["checks"].as_array().unwrap();
        assert!(checks.len() > 6 && checks.iter().all(|row| row["failed"] == 0), "{checks:?}");
        let rows = match database.starts_with("sqlite:") {
            true => sqlite::open(file.as_ref())
                .query_row("SELECT count(*) FROM transactions", [], |row| row.get::<_, i64>(0))
                .unwrap()
                .unsigned_abs(),
            false => postgres.query("SELECT count(*) FROM txn.transactions").parse().unwrap(),
        };
        let single: u64 = ["CREATE", "SQL", "SQLTX"].iter().map(|it| completed(&result, it)).sum();
        assert_eq!(rows, 150 + single + 7 * completed(&result, "BATCH"), "{said}");
        let figures = result["figures"].as_array().unwrap();
        for name in ["Rows created", "CREATE beside"] {
            let is_this = |row: &&Value| row["name"].as_str().unwrap().starts_with(name);
            assert!(figures.iter().find(is_this).unwrap()["value"].as_f64().unwrap() > 0.0);
        }
        let steps = &result["invariants"][0];
        assert!(steps["found"].as_str().unwrap().starts_with("token "), "{steps}");
    }
}

/// The layers of a `CREATE` and the rest are its whole time at the client.
#[test]
fn the_layers_of_a_create_add_up_on_both_stores() {
    let folder = sqlite::Folder::new();
    let file = folder.path().join("t.db").display().to_string();
    let postgres = Server::shared().database("bench_txn_layers");
    for database in [format!("sqlite:{file}"), postgres.url()] {
        let loaded = duet(&["bench", "load", "txn", "--database", &database, "--scale", "150"]);
        assert_eq!(loaded.0, 0, "{loaded:?}");
        let layers = ["--target", &database, "--preset", "layers", "--iterations", "60"];
        let (code, said, result) = run(&layers);
        assert_eq!((code, &result["totals"]["failed"]), (0, &0.into()), "{said}");
        let figures: Vec<(&str, f64)> = result["figures"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|row| row["unit"] == "µs")
            .map(|row| (row["name"].as_str().unwrap(), row["value"].as_f64().unwrap()))
            .collect();
        let names = figures.iter().map(|(name, _)| *name).collect::<Vec<_>>();
        assert_eq!(names, [&LAYERS[..], &[WHOLE, BY_SQL]].concat(), "{said}");
        let (layers, whole) = figures.split_at(LAYERS.len());
        let sum: f64 = layers.iter().map(|(_, value)| value).sum();
        assert!((sum - whole[0].1).abs() < 1e-6 && whole[1].1 > 0.0, "{figures:?}");
        // The rest is what the server does not see, and may be any share; no layer is negative.
        assert!(layers[..LAYERS.len() - 1].iter().all(|(_, value)| *value > 0.0), "{figures:?}");
        let found = result["invariants"][0]["found"].as_str().unwrap();
        assert!(found.contains(", statement ") && found.contains(", commit "), "{found}");
    }
}

/// The report on a transaction server, repeated quickly on one store: what was printed, and the results.
fn replayed(store: &str) -> (String, Vec<Value>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let said =
        duet_says(&["bench", "replay", "transactions", "--quick", "--on", store, "--out", path]);
    let html = fs::read_to_string(folder.path().join("replay.html")).unwrap();
    assert!(html.contains("<h2>Rates and times, by type and number of clients</h2>"), "{html}");
    let runs = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
    let runs = runs.filter(|path| path.is_dir()).map(|path| fs::read(path.join("result.json")));
    let said = super::printed_and_written(&said, folder.path());
    (said, runs.map(|run| serde_json::from_slice(&run.unwrap()).unwrap()).collect())
}

#[test]
fn the_report_on_a_transaction_server_is_repeated() {
    for (store, server) in [("sqlite", "Duet on SQLite"), ("postgres", "Duet on PostgreSQL")] {
        if store == "sqlite" && !is_long() {
            skipped("the report on transactions is repeated on SQLite", "./test --long does it");
            continue;
        }
        let (said, results) = replayed(store);
        assert_eq!(results.len(), 15, "{said}");
        for result in &results {
            let name = result["name"].as_str().unwrap();
            assert_eq!(result["totals"]["failed"], 0, "{name}: {said}");
            assert!(result["totals"]["completed"].as_u64() > Some(0), "{name}: {said}");
            // Every run that asks the server reads its clocks.
            let found = result["invariants"][0]["found"].as_str().unwrap_or_default();
            assert_eq!(found.starts_with("token "), !name.starts_with("INSERT"), "{name}: {found}");
        }
        for row in [
            "GET by 50",
            "LIST by 20",
            "INSERT by SQL",
            "CREATE by 1, async",
            "CREATE by 1, ingest",
        ] {
            let line = format!("\n| {server} ");
            assert!(said.contains(&line) && said.contains(&format!("| {row} ")), "{row}: {said}");
        }
        // Five processes share the work.
        let of_instances =
            |it: &&Value| it["name"].as_str().unwrap().starts_with("GET by 50, 5 instances");
        let figures = results.iter().find(of_instances).unwrap()["figures"].as_array().unwrap();
        let spread = figures.iter().find(|row| row["name"] == "Busiest instance ÷ least").unwrap();
        assert!(spread["value"].as_f64() >= Some(1.0), "{spread}");
        // Every layer has its figure, and the published ones are there.
        let layers = said.split("## The layers of a CREATE").nth(1).unwrap();
        let layers = layers.split("## ").next().unwrap();
        assert!(layers.contains(server) && !layers.contains(" - |"), "{layers}");
        let unbroken = said.replace("\n  ", " ");
        assert!(unbroken.contains("GET by id, 10 clients: 1,292 requests/s. **too short to judge**: 1 s measured in 1 round; 29 s in 3 rounds are needed."), "{said}");
    }
}

#[test]
fn a_service_is_measured_by_its_url() {
    let server =
        Running::start(&["serve", "transactions", "--listen", "127.0.0.1:0", "--open", "all"]);
    let url = format!("{}/transactions", server.url());
    let (code, said, result) = run(&["--target", &url, "--iterations", "40", "--shared"]);
    assert_eq!((code, &result["totals"]["failed"]), (0, &0.into()), "{said}");
    assert_eq!(result["target"]["data"]["items"], "1000");
    let (code, _, errors) = duet(&["bench", "run", "txn", "--target", &url, "--preset", "layers"]);
    assert!(code == 2 && errors.contains("SQL and SQLTX insert into a database"), "{errors}");
}

#[test]
fn a_preset_has_limits_until_others_are_given() {
    let preset = ["--preset", "monitoring", "--iterations", "20"];
    let rules = |result: &Value| -> Vec<String> {
        let rows = result["thresholds"].as_array().unwrap().iter();
        rows.map(|row| row["rule"].as_str().unwrap().to_owned()).collect()
    };
    let (_, said, result) = run(&preset);
    assert_eq!(rules(&result), ["tps>=1000", "errors<=0%"], "{said}");
    let (code, said, result) = run(&[&preset[..], &["--threshold", "tps>1000000000"]].concat());
    assert_eq!((code, rules(&result)), (3, vec!["tps>1000000000".to_owned()]), "{said}");
}
