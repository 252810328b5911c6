//! The bench from outside: what it prints, what it writes, how it ends.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{duet, duet_says};

fn result(folder: &Path) -> Value {
    serde_json::from_slice(&fs::read(folder.join("result.json")).unwrap()).unwrap()
}

#[test]
fn a_run_without_a_target_measures_the_sample() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let path = out.to_str().unwrap();
    let mix = "GET=6,PAGE=2,PUT=1,CYCLE=1";
    let said = duet_says(&[
        "bench",
        "run",
        "rest",
        "--iterations",
        "50",
        "--users",
        "2",
        "--mix",
        mix,
        "--out",
        path,
    ]);
    for part in [
        "|Average Transactions/sec | ",
        "|Maximum Transactions/min | ",
        "✓ is requested resource",
        "Completed Run.",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let result = result(&out);
    let count = |name: &str| result["totals"][name].as_u64().unwrap();
    assert_eq!(count("completed") + count("failed"), 100);
    // Two users that put the same of three documents may meet.
    assert_eq!(result["types"][0]["failed"], 0);
    assert_eq!(result["types"][3]["failed"], 0);
    assert_eq!(result["version"], 1);
    assert!(result["seconds"].as_array().is_some_and(|seconds| !seconds.is_empty()));
    let text = result.to_string();
    assert!(!text.contains("Bearer"), "{text}");
    let log = fs::read_to_string(out.join("histograms.hlog")).unwrap();
    assert!(log.contains("Tag=GET,"), "{log}");
}

#[test]
fn processes_of_a_layout_are_merged() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let path = out.to_str().unwrap();
    duet_says(&[
        "bench",
        "run",
        "rest",
        "--iterations",
        "20",
        "--layout",
        "2x3",
        "--out",
        path,
        "--quiet",
    ]);
    let result = result(&out);
    assert_eq!(result["totals"]["completed"], 120);
    let processes = result["processes"].as_array().unwrap();
    let completed: Vec<u64> =
        processes.iter().map(|process| process["completed"].as_u64().unwrap()).collect();
    assert_eq!(completed, [60, 60]);
    assert_eq!(result["load"]["layout"], "2x3");
}

#[test]
fn limits_decide_the_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let arguments =
        ["bench", "run", "rest", "--transactions", "10", "--out", path, "-q", "--threshold"];
    let run = |limit: &str| duet(&[&arguments[..], &[limit]].concat());
    let (code, _, said) = run("max<1us");
    assert_eq!((code, said.as_str()), (3, "error: the limit max<1us was missed\n"));
    assert_eq!(run("errors<1%").0, 0);
}

#[test]
fn a_run_that_cannot_begin_says_why() {
    let (code, _, said) = duet(&["bench", "run", "rest", "--target", "http://127.0.0.1:1/x"]);
    assert_eq!(code, 1);
    assert!(said.contains("The service cannot be measured: 127.0.0.1:1"), "{said}");
    let (_, _, said) = duet(&["bench", "run", "nothing"]);
    assert!(said.contains("There is no workload \"nothing\""), "{said}");
    let (code, _, said) = duet(&["bench", "run", "rest", "-rt", "soon"]);
    assert_eq!(code, 2);
    assert!(said.contains("-rt soon: use"), "{said}");
    let (_, _, said) = duet(&["bench", "run", "rest", "--mix", "NOPE=1"]);
    assert!(said.contains("There is no type \"NOPE\"; there are GET, PAGE, PUT, CYCLE."), "{said}");
}

/// A report repeated, on one store.
fn replayed(store: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let said = duet_says(&["bench", "replay", "ords", "--quick", "--on", store, "--out", path]);
    assert!(fs::read_to_string(folder.path().join("replay.html")).unwrap().contains("<table"));
    assert_eq!(result(&folder.path().join("view"))["totals"]["completed"], 1000);
    said
}

#[test]
fn the_report_on_ords_is_repeated() {
    for (store, server) in [("sqlite", "| Duet on SQLite "), ("postgres", "| Duet on PostgreSQL ")]
    {
        let said = replayed(store);
        assert!(said.contains(server) && said.contains("| ORDS 23.3.0 (published) "), "{said}");
        assert!(said.contains("2000 requests") && said.contains("; 0 failed."), "{said}");
    }
}
