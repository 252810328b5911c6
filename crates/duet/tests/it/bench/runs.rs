//! The bench from outside: what it prints, what it writes, how it ends.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use duet_testkit::command::{Running, clean};
use duet_testkit::postgres::{Options, Server};
use duet_testkit::{is_long, skipped};
use serde_json::Value;

use crate::{duet, duet_says};

/// A text whose lines were broken for a terminal.
fn unbroken(said: &str) -> String {
    said.replace("\n  ", " ")
}

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
        // Two users that put the same of three documents may meet.
        "--errors",
        "99",
        "--out",
        path,
    ]);
    // No minute was measured, so there is no highest one.
    assert!(!said.contains("Maximum Transactions/min"), "{said}");
    for part in [
        "|Average Transactions/sec ",
        "|Transactions/min, extrapolated | ",
        "\nNext: duet bench report ",
        "✓ GET: is requested resource",
        "Completed Run.",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let result = result(&out);
    let count = |name: &str| result["totals"][name].as_u64().unwrap();
    assert_eq!(count("completed") + count("failed"), 100);
    assert_eq!(result["types"][0]["failed"], 0);
    assert_eq!(result["types"][3]["failed"], 0);
    // Each check is counted where it is made, under the types that make it.
    let checks = result["checks"].as_array().unwrap();
    let passed = |name: &str| {
        let row = checks.iter().find(|row| row["name"] == name);
        row.map_or(0, |row| row["passed"].as_u64().unwrap())
    };
    let done = |place: usize| result["types"][place]["completed"].as_u64().unwrap();
    assert_eq!(passed("GET: is status 200"), done(0));
    assert_eq!(passed("PAGE: is requested resource"), done(1));
    assert_eq!(passed("PUT: is written"), done(2));
    assert_eq!(passed("CYCLE: is written"), 2 * done(3));
    assert_eq!((passed("GET: is written"), passed("PAGE: is written")), (0, 0));
    assert_eq!(result["version"], 3);
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
    let run = |limit: &str| {
        let out = folder.path().join(limit);
        let words = ["bench", "run", "rest", "--transactions", "10", "-q", "--threshold", limit];
        duet(&[&words[..], &["--out", out.to_str().unwrap()]].concat())
    };
    let (code, _, said) = run("max<1us");
    assert_eq!(code, 3);
    assert!(said.starts_with("error: the threshold max<1us failed: "), "{said}");
    assert!(said.ends_with(" µs\n"), "{said}");
    assert_eq!(run("errors<1%").0, 0);
}

#[test]
fn a_run_that_cannot_start_reports_the_reason() {
    let (code, _, said) = duet(&["bench", "run", "rest", "--target", "http://127.0.0.1:1/x"]);
    assert_eq!(code, 1);
    assert!(said.contains("The service cannot be measured: 127.0.0.1:1"), "{said}");
    let (_, _, said) = duet(&["bench", "run", "nothing"]);
    assert!(said.contains("There is no workload \"nothing\""), "{said}");
    let (code, _, said) = duet(&["bench", "run", "rest", "-rt", "soon"]);
    assert_eq!(code, 2);
    assert!(said.contains("-rt soon: use"), "{said}");
    let (_, _, said) = duet(&["bench", "run", "rest", "--mix", "NOPE=1"]);
    assert!(said.contains("There is no type \"NOPE\": there are GET, PAGE, PUT, CYCLE."), "{said}");
}

/// Before any user connects, a run says which limit it would break, and by how much.
#[test]
fn too_many_users_report_the_required_limit() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let run = "ulimit -n 300 && exec \"$0\" bench run lookup --users 100 --out \"$1\"";
    let program = env!("CARGO_BIN_EXE_duet");
    let output = Command::new("sh").args(["-c", run, program, out]).output().unwrap();
    let (code, _, said) = crate::told(&output);
    let needed = "need 864 file descriptors (8 each), and the limit of open files is 300";
    assert!(code == 1 && said.contains(needed), "{code} {said}");

    let server = Server::start_with(Options::new().setting("max_connections", "20"));
    let url = server.url("postgres");
    assert_eq!(duet(&["bench", "load", "lookup", "--database", &url, "--scale", "10"]).0, 0);
    let words = ["bench", "run", "lookup", "--target", &url, "--users", "21", "--out", out];
    let (code, _, said) = duet(&words);
    let expected = "21 users need as many connections, and the server has ";
    // The load's own session may be about to end, and is then counted as in use.
    let limit = "max_connections is 20";
    assert!(code == 1 && said.contains(expected) && said.contains(limit), "{code} {said}");
}

#[test]
fn retail_makes_its_own_data() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let path = out.to_str().unwrap();
    let said = duet_says(&[
        "bench", "run", "retail", "--mode", "power", "--passes", "1", "--scale", "0.001", "--out",
        path,
    ]);
    let said = unbroken(&said);
    for part in [
        "retail-power on /",
        "|Geometric Mean of Medians",
        "is answered as the first time",
        "not comparable with published TPC results",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let result = result(&out);
    // 17 queries, since there is no inventory; the first pass does not count.
    assert_eq!(result["totals"]["completed"], 17);
    assert_eq!(result["target"]["data"]["scale"], "0.001");
    let answers = result["answers"].as_object().unwrap();
    assert!((18..=34).contains(&answers.len()), "{answers:?}");
    assert!(answers.values().all(|answer| answer["hash"].as_str().map(str::len) == Some(16)));
}

#[test]
fn processes_are_answered_alike_while_they_think() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let said = duet_says(&[
        "bench",
        "run",
        "retail",
        "--scale",
        "0.001",
        "--layout",
        "2x2",
        "--iterations",
        "20",
        "--think",
        "1ms",
        "--mix",
        "D01=1,D02=1",
        "--quiet",
        "--out",
        path,
    ]);
    let said = unbroken(&said);
    for part in ["|Think-time Ceiling", "✓ all processes were answered alike", "|Fairness of Users"]
    {
        assert!(said.contains(part), "{part}: {said}");
    }
    let (_, _, said) = duet(&["bench", "run", "retail", "--mode", "power", "--duration", "5s"]);
    assert!(said.contains("`--duration` cannot be combined with --mode power"), "{said}");
    let (_, _, said) = duet(&["bench", "run", "rest", "--passes", "2"]);
    assert!(said.contains("`--passes` is for the workload retail"), "{said}");
    let (_, _, said) = duet(&["bench", "run", "retail", "--target", "sqlite:nowhere.db"]);
    assert!(said.contains("There is no database nowhere.db"), "{said}");
}

/// A report repeated, on one store.
fn replayed(store: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let said = duet_says(&["bench", "replay", "ords", "--quick", "--on", store, "--out", path]);
    assert!(fs::read_to_string(folder.path().join("replay.html")).unwrap().contains("<table"));
    assert_eq!(result(&folder.path().join("001-view"))["totals"]["completed"], 1000);
    super::printed_and_written(&said, folder.path())
}

#[test]
fn the_report_on_ords_is_repeated() {
    for (store, server) in [("sqlite", "| Duet on SQLite "), ("postgres", "| Duet on PostgreSQL ")]
    {
        let said = replayed(store);
        assert!(said.contains(server) && said.contains("| ORDS 23.3.0 (published) "), "{said}");
        let said = said.replace('\n', " ");
        assert!(said.contains("2000 requests") && said.contains("; 0 failed."), "{said}");
    }
}

/// What the rowstore's report, repeated quickly, shows: so many runs, half of them with spinners, and these paths.
#[track_caller]
fn expect_rowstore(on: &[&str], runs: usize, paths: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let replay = ["bench", "replay", "rowstore", "--quick", "--out", path];
    let said = duet_says(&[&replay[..], on].concat());
    let said = super::printed_and_written(&said, folder.path());
    let html = fs::read_to_string(folder.path().join("replay.html")).unwrap();
    assert!(html.contains("<h2>Beside each other</h2>"), "{html}");
    let lines = fs::read_to_string(folder.path().join("runs.txt")).unwrap();
    let run = "run #2: read 1000 rows from t4 in ";
    assert!(!said.contains("run #2") && lines.contains(run), "{said}");
    assert!(said.contains("\nround 2 of 2: "), "{said}");
    assert_eq!(lines.lines().count(), runs, "{lines}");
    assert_eq!(lines.matches(", spinners on).").count(), runs / 2, "{lines}");
    let unbroken = said.replace('\n', " ");
    let reads = format!("{} reads in {runs} processes", runs * 1_000);
    assert!(unbroken.contains(&reads), "{said}");
    for path in paths {
        assert!(said.contains(&format!("\n| {path} ")), "{path}: {said}");
    }
    assert!(said.contains(" as t1 |"), "{said}");
    assert!(unbroken.contains(" with idle priority)") || unbroken.contains(" with nice 19)"));
    assert!(said.contains("**too short to judge**: runs of 1000 reads"), "{said}");
}

#[test]
fn the_report_on_the_rowstore_is_repeated() {
    let postgres = ["PostgreSQL, TCP", "PostgreSQL, Unix socket", "PostgreSQL, in the database"];
    let sqlite = [
        "SQLite, in process",
        "Duet on SQLite, TCP",
        "Duet on SQLite, Unix socket",
        "Duet on SQLite, in process",
    ];
    expect_rowstore(&[], 84, &[&postgres[..], &sqlite].concat());
}

#[test]
fn the_report_on_the_rowstore_is_repeated_on_each_store() {
    if !is_long() {
        skipped("the report on the rowstore is repeated on each store", "./test --long does it");
        return;
    }
    let sqlite = ["SQLite, in process", "Duet on SQLite, TCP", "Duet on SQLite, in process"];
    expect_rowstore(&["--on", "sqlite"], 48, &sqlite);
    let postgres = [
        "PostgreSQL, in the database",
        "Duet on PostgreSQL, TCP",
        "Duet on PostgreSQL, in process",
    ];
    expect_rowstore(&["--on", "postgres"], 68, &postgres);
}

/// A short run of `lookup`.
fn lookup(more: &[&str]) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let run = ["bench", "run", "lookup", "--iterations", "50", "--users", "3", "-q", "--out", path];
    duet_says(&[&run[..], more].concat());
    let result = result(folder.path());
    assert_eq!(result["totals"]["completed"], 150, "{result}");
    assert_eq!(result["totals"]["failed"], 0, "{result}");
    result
}

#[test]
fn random_keys_are_read_by_every_transport() {
    let own = lookup(&[]);
    assert_eq!(own["target"]["transport"], "in process");
    assert_eq!(own["types"][0]["short"], "t1", "{own}");
    let folder = tempfile::tempdir().unwrap();
    let file = format!("sqlite:{}", folder.path().join("l.db").display());
    let postgres = Server::shared().database("bench_lookup").url();
    for (database, table) in [(&file, "t2"), (&postgres, "t3")] {
        let loaded = duet(&["bench", "load", "lookup", "--database", database, "--scale", "500"]);
        assert_eq!(loaded.0, 0, "{loaded:?}");
        let mix = format!("{table}=1,t4=1");
        let result = lookup(&["--target", database, "--mix", &mix]);
        assert_eq!(result["target"]["data"]["keys"], "500", "{result}");
        let serving =
            Running::start(&["serve", database, "--listen", "127.0.0.1:0", "--open", "read"]);
        let schema = if table == "t2" { "main" } else { "lookup" };
        let target = format!("{}/api/{schema}/{table}", serving.url());
        // On PostgreSQL t3 has no key, so it has no items: t4 stands beside it.
        let result = lookup(&["--target", &target, "--mix", "T1=1,T4=1"]);
        assert_eq!(result["target"]["data"]["keys"], "500", "{result}");
        let said = duet(&["bench", "run", "lookup", "--target", &target, "--via", "process"]).2;
        assert!(said.contains("the target is a service already"), "{said}");
        for (via, transport) in [("service", "unix"), ("process", "in process")] {
            let result =
                lookup(&["--target", database, "--via", via, "--mix", "T1=1,T4=1", "--shared"]);
            assert_eq!(result["target"]["transport"], transport, "{result}");
            assert_eq!(result["load"]["options"]["via"], via, "{result}");
        }
    }
    let result = lookup(&["--target", &postgres, "--via", "loop", "--mix", "T3=1,T4=1"]);
    // Each call reads as many keys as there are, up to 1,000, and each is checked in the database.
    assert_eq!(result["totals"]["dml"]["selects"], 150 * 500, "{result}");
    assert_eq!(result["target"]["transport"], "in the database");
    let said = duet(&["bench", "run", "lookup", "--target", &file, "--via", "loop"]).2;
    assert!(said.contains("--via loop is for PostgreSQL"), "{said}");
}

/// A row whose value is another key's is found out by each path.
#[test]
fn wrong_values_fail_whatever_the_path() {
    let database = Server::shared().database("bench_lookup_wrong");
    let postgres = database.url();
    assert_eq!(duet(&["bench", "load", "lookup", "--database", &postgres, "--scale", "2"]).0, 0);
    database.exec("UPDATE lookup.t4 SET value = 'value 3'");
    for via in ["driver", "loop", "service", "process"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_str().unwrap();
        let words =
            ["bench", "run", "lookup", "--target", &postgres, "--via", via, "--mix", "T4=1"];
        let (code, _, said) = duet(
            &[&words[..], &["--iterations", "5", "--users", "1", "-q", "--out", path]].concat(),
        );
        assert!(code == 1 && said.contains("nothing succeeded"), "{via}: {said}");
        let result = result(folder.path());
        assert_eq!(result["totals"]["failed"], 5, "{via}: {result}");
        let checks = result["checks"].as_array().unwrap();
        let value = checks.iter().find(|row| row["name"] == "t4: is the key's value");
        assert_eq!(value.unwrap()["failed"], 5, "{via}: {result}");
    }
}

#[test]
fn spinners_are_in_the_result() {
    let result = lookup(&["--spinners"]);
    let words = result["load"]["options"]["spinners"].as_str().unwrap();
    assert!(words.ends_with(" with idle priority") || words.ends_with(" with nice 19"), "{words}");
    assert!(lookup(&[])["load"]["options"].get("spinners").is_none());
}

#[test]
fn spinners_without_chrt_have_the_lowest_priority() {
    let folder = tempfile::tempdir().unwrap();
    let words = ["bench", "run", "lookup", "--iterations", "5", "--users", "1", "-q", "--spinners"];
    let mut command = clean(Path::new(env!("CARGO_BIN_EXE_duet")));
    command.args(words).arg("--out").arg(folder.path()).env("PATH", folder.path());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let result = result(folder.path());
    let words = result["load"]["options"]["spinners"].as_str().unwrap();
    assert!(words.ends_with(" with nice 19"), "{words}");
}

/// A report on items in memory must not measure the database instead.
#[test]
fn items_that_are_not_from_memory_fail_where_they_must_be() {
    let folder = tempfile::tempdir().unwrap();
    let file = format!("sqlite:{}", folder.path().join("l.db").display());
    assert_eq!(duet(&["bench", "load", "lookup", "--database", &file, "--scale", "5"]).0, 0);
    let serving = Running::start(&["serve", &file, "--listen", "127.0.0.1:0", "--open", "read"]);
    let mount = format!("{}/api/main", serving.url());
    for (from_memory, said) in [(false, "{\"seconds\":"), (true, "t4 key 1: is from memory")] {
        let order = serde_json::json!({
            "endpoint": { "http": { "mount": mount, "authorization": null } },
            "table": "t4",
            "keys": 5,
            "from_memory": from_memory,
        });
        let mut command = clean(Path::new(env!("CARGO_BIN_EXE_duet")));
        command.args(["bench", "lookup-once"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), order.to_string().as_bytes())
            .unwrap();
        let output = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
        assert!(output.contains(said), "{output}");
    }
}

#[test]
fn absent_tables_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("none.db").display().to_string();
    let (code, _, said) = duet(&["bench", "run", "lookup", "--target", &file]);
    assert_eq!(code, 1);
    assert!(
        said.contains("There is no database") && said.contains("duet bench load lookup"),
        "{said}"
    );
    let postgres = Server::shared().database("bench_lookup_none").url();
    let (code, _, said) = duet(&["bench", "run", "lookup", "--target", &postgres]);
    assert_eq!(code, 1);
    assert!(said.contains("lookup.t1 cannot be read"), "{said}");
    let (_, _, said) = duet(&["bench", "run", "lookup", "--target", "http://127.0.0.1:1/x"]);
    assert!(said.contains("is not the URL of t1, t2, t3 or t4"), "{said}");
}

#[test]
fn the_report_on_swingbench_is_repeated() {
    for (store, server) in [
        ("sqlite", "<tr><td class=\"label\">SQLite "),
        ("postgres", "<tr><td class=\"label\">PostgreSQL "),
    ] {
        if store == "sqlite" && !is_long() {
            skipped("the report on Swingbench is repeated on SQLite", "./test --long does it");
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_str().unwrap();
        let said =
            duet_says(&["bench", "replay", "swingbench", "--quick", "--on", store, "--out", path]);
        // On a terminal wide tables are cut; the page has them whole.
        let page = fs::read_to_string(folder.path().join("replay.html")).unwrap();
        let lines = page.lines().filter(|line| line.starts_with(server)).count();
        // Rates of all variants, and those of retail once more with their think time.
        let variants = if store == "sqlite" { 9 } else { 10 };
        assert_eq!(lines, variants + 2, "{said}");
        let said = said.replace('\n', " ");
        assert!(said.contains("; 0 failed."), "{said}");
        assert!(said.contains("**too short to judge**: 2 s measured in 1 round;"), "{said}");
        assert!(said.contains(" 0 statements did not hold, 0 ledgers did not balance."), "{said}");
        let runs = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
        let mut sessions = false;
        for run in runs.filter(|path| path.is_dir()).map(|path| result(&path)) {
            // The observer knows the run's sessions by their name; those of a service are not the run's.
            let is_postgres = run["target"]["kind"] == "postgres"
                && !run["workload"].as_str().unwrap().starts_with("soe-rest");
            let seen = |second: &Value| second["observed"]["db.sessions"].as_f64() > Some(0.0);
            let seconds = run["seconds"].as_array().unwrap();
            sessions |= is_postgres && seconds.iter().any(seen);
        }
        // On a busy machine the observer may miss all seconds of a run of two, but not of nine such runs.
        assert!(sessions || store == "sqlite", "{said}");
    }
}

#[test]
fn order_entry_keeps_its_invariants() {
    for workload in ["soe-client", "soe-server", "soe-rest-client"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_str().unwrap();
        let iterations = ["--iterations", "20", "--users", "3", "--scale", "0.001"];
        let run = ["bench", "run", workload, "-q", "--out", path];
        duet_says(&[&run[..], &iterations].concat());
        let result = result(folder.path());
        assert_eq!(result["totals"]["completed"], 60, "{result}");
        let invariants = result["invariants"].as_array().unwrap();
        assert!(invariants.len() > 5, "{invariants:?}");
        assert!(invariants.iter().all(|row| row["passed"] == true), "{invariants:?}");
        // A server of the run's own counts its answers.
        let is_balanced = result["ledger"]["balanced"] == true;
        assert_eq!(is_balanced, workload == "soe-rest-client", "{result}");
    }
    let (code, _, said) = duet(&["bench", "run", "soe-rest", "--scale", "0.001"]);
    assert!(code == 1 && said.contains("needs PostgreSQL"), "{said}");
    let inventory = ["bench", "run", "retail", "--scale", "0.001", "--mix", "D18=1"];
    let (code, _, said) = duet(&inventory);
    assert!(code == 1 && said.contains("duet bench load retail --inventory"), "{said}");
}
