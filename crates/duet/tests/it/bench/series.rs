//! `duet bench` where it runs several runs: what it prints, what it keeps, how it ends. Figures of such
//! short runs mean nothing; none is looked at.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

use std::fs;
use std::path::Path;

use duet_testkit::command::Running;
use serde_json::Value;

use crate::{duet, duet_says};

/// Short runs, into a folder.
fn short(folder: &Path) -> Vec<String> {
    let words = ["--users", "2", "--warmup", "0s", "--out"].map(str::to_owned);
    [&words[..], &[folder.to_str().unwrap().to_owned()]].concat()
}

fn run(words: &[&str], more: &[String]) -> (i32, String, String) {
    let more: Vec<&str> = more.iter().map(String::as_str).collect();
    duet(&[&["bench"], words, &more].concat())
}

fn kept(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// The sample's table at a server, and a client's option.
fn sample(server: &Running) -> (String, [String; 2]) {
    let ready = server.ready();
    let word = |name: &str| ready[name].as_str().unwrap().to_owned();
    let client = format!("{}:{}", word("client_id"), word("client_secret"));
    (format!("{}/ords/hr/team/", server.url()), ["--client".into(), client])
}

#[test]
fn targets_are_interleaved() {
    let server = Running::start(&["demo", "--listen", "127.0.0.1:0"]);
    let folder = tempfile::tempdir().unwrap();
    let (url, client) = sample(&server);
    let more = [&short(folder.path())[..], &client].concat();
    let words = ["run", &url, &url, "--rounds", "2", "--duration", "200ms"];
    let (code, said, errors) = run(&words, &more);
    // Which verdict two pairs bring is chance; that each has one is not.
    assert!([0, 2].contains(&code) && errors.is_empty(), "{code} {errors}");
    assert!(said.contains("B against A, 2 pairs") && said.contains("throughput "), "{said}");
    assert!(said.contains("Judged together (Holm)."), "{said}");
    let kept = kept(&folder.path().join("ab.json"));
    assert_eq!(kept["trials"]["seen"][1].as_array().unwrap().len(), 2, "{kept}");
    assert!(kept["rows"][0]["verdict"].is_object(), "{kept}");
    assert!(folder.path().join("001-A-warm-up/result.json").exists());
    assert!(folder.path().join("006-A-2/result.json").exists());

    let ways = folder.path().join("ways");
    let more = [&short(&ways)[..], &client].concat();
    let words = ["run", "rest", "--paths", &url, &url, "--rounds", "1", "--duration", "200ms"];
    let (code, said, _) = run(&words, &more);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("| tcp http://127.0.0.1:") && said.contains("bytes each"), "{said}");
    assert!(fs::read_to_string(ways.join("paths.html")).unwrap().contains("<table"));
}

#[test]
fn builds_one_after_the_other() {
    let folder = tempfile::tempdir().unwrap();
    let program = env!("CARGO_BIN_EXE_duet");
    let server =
        format!("'{program}' demo --keep {{data}} --listen 127.0.0.1:0 --ready-file {{ready}}");
    let words = ["run", "--server", &server, "--server", &server, "--duration", "200ms"];
    let (code, said, errors) = run(&words, &short(folder.path()));
    assert!([0, 2].contains(&code) && errors.is_empty(), "{code} {errors}");
    for part in ["| release 2 | ", "release 2 against release 1, team", "One run each:"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let (code, _, errors) = run(&["run", "--server", "duet serve"], &[]);
    assert!(code == 2 && errors.contains("does not say where its ready file belongs"), "{errors}");
    let (code, _, errors) = run(&["run", "--server", "/nowhere/duet {ready}"], &[]);
    assert!(code == 1 && errors.contains("The server cannot be started"), "{errors}");
}

#[test]
fn a_sweep_over_workers() {
    let folder = tempfile::tempdir().unwrap();
    let [workers, layouts] = ["workers", "layouts"].map(|name| folder.path().join(name));
    let path = workers.to_str().unwrap();
    let words = ["--users", "1,2", "--server-workers", "1,2", "--rounds", "1", "--out", path];
    let time = ["--duration", "200ms", "--warmup", "0s"];
    let said = duet_says(&[&["bench", "run", "rest"][..], &words, &time].concat());
    for point in ["| 1 user, 1 worker ", "| 2 users, 2 workers "] {
        assert!(said.contains(point), "{point}: {said}");
    }
    let path = layouts.to_str().unwrap();
    let layouts = ["--layouts", "1x2,2x1", "--rounds", "1", "--out", path];
    let said = duet_says(&[&["bench", "run", "rest"][..], &layouts, &time].concat());
    assert!(said.contains("| 1x2 ") && said.contains("| 2x1 "), "{said}");
}

#[test]
fn a_sweep_over_instances() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let words = ["--server-instances", "1,2", "--users", "2", "--rounds", "1", "--out", path];
    let time = ["--duration", "200ms", "--warmup", "0s"];
    let said = duet_says(&[&["bench", "run", "rest"][..], &words, &time].concat());
    for point in ["| 2 users, 1 instance ", "| 2 users, 2 instances "] {
        assert!(said.contains(point), "{point}: {said}");
    }
}

#[test]
fn the_highest_rate() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    // No transaction can be so fast: the search ends soon, and says so.
    let words = ["bench", "find-max", "rest", "--slo", "max<1us", "--out", path];
    let times = ["--probe", "200ms", "--duration", "200ms", "--warmup", "0s"];
    let (code, said, errors) = duet(&[&words[..], &times].concat());
    assert_eq!((code, &*errors), (3, "error: no rate was confirmed\n"), "{said}");
    assert!(
        said.contains("\nNo rate was found that keeps max<1us: no open run passed.\n"),
        "{said}"
    );
    assert!(said.starts_with("The search takes about "), "{said}");
    assert_eq!(kept(&folder.path().join("find-max.json"))["found"]["confirmed"], false);
    // A comparison takes results of single runs.
    let page = folder.path().join("page.html").display().to_string();
    assert_eq!(duet_says(&["bench", "report", path, "--out", &page]), format!("{page}\n"));
    assert!(
        fs::read_to_string(folder.path().join("find-max.html")).unwrap().contains("data-chart=")
    );
}

#[test]
fn meaningless_options_are_refused() {
    for (words, said) in [
        (&["run", "http://a", "http://b", "--json"][..], "`--json` has no meaning here."),
        (&["run", "http://a", "http://b", "http://c"], "Give two targets; 3 given."),
        (&["run", "http://a", "http://b", "--rounds", "1"], "need at least two rounds"),
        (&["run", "http://a", "http://b", "--users", "1,2"], "cannot be a sweep too"),
        (&["run", "rest", "--layouts", "1x1"], "A sweep needs at least two points."),
        (&["run", "rest", "--strict"], "`--strict` is for a comparison of two targets"),
        (&["find-max", "http://a", "http://b", "--slo", "p99<1s"], "A search has one target"),
        (&["find-max", "rest", "--slo", "p99<1s", "--rate", "1"], "`--rate` has no meaning here."),
        (
            &["find-max", "rest", "--slo", "p99<1s", "--xml", "x.xml"],
            "`--xml` has no meaning here.",
        ),
        (
            &["run", "lookup", "postgres:///a", "--paths", "--bridge", "--otlp", "http://h"],
            "cannot be reached from the network namespaces",
        ),
        (
            &["find-max", "rest", "--slo", "XX:p99<1s"],
            "The threshold XX:p99<1s names an unknown type",
        ),
        (&["run", "lookup", "--server-workers", "1,2"], "for the workload rest alone"),
        (&["run", "txn", "--server-instances", "1,2"], "for the workload rest alone"),
    ] {
        let (code, _, errors) = run(words, &[]);
        assert!(code == 2 && errors.contains(said), "{words:?}: {errors}");
    }
}

/// The names of an earlier version do the same, and name the new ones.
#[test]
fn earlier_names_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let sweep = path("sweep");
    let words = ["--users", "1,2", "--repeat", "1", "--duration", "100ms", "--warmup", "0s"];
    let words = [&["bench", "sweep", "rest"][..], &words, &["--out", &sweep]].concat();
    let (code, said, errors) = duet(&words);
    assert!(code == 0 && said.contains("# rest: sweep"), "{said}{errors}");
    assert!(errors.contains("note: `duet bench sweep` is `duet bench run --users"), "{errors}");
    let target = "http://a";
    for (expected, words, new, said) in [
        (2, &["ab", "rest", "--target", target][..], "run` with two", "Give two targets; 1 given"),
        (2, &["releases", "rest"], "run --server`", "needs --server for each build"),
        (1, &["paths", "rest", "--target", "http://127.0.0.1:1/"], "run --paths`", "error"),
        (1, &["jmeter", "none.jmx"], "`duet bench run`", "none.jmx cannot be read"),
    ] {
        let (code, _, errors) = duet(&[&["bench"], words].concat());
        assert!(code == expected && errors.starts_with("note: "), "{words:?}: {code} {errors}");
        assert!(errors.contains(new) && errors.contains(said), "{words:?}: {errors}");
    }
    let (database, shown) =
        (path("lookup.db"), "note: `duet load lookup` is `duet bench load lookup`");
    let (code, said, errors) = duet(&["load", "lookup", "--database", &database, "--scale", "100"]);
    assert!(code == 0 && said.starts_with("Loaded lookup, scale 100"), "{said}{errors}");
    assert!(errors.starts_with(shown), "{errors}");
    let (code, _, errors) = duet(&["bench", "load", "chinook", "--database", &database]);
    assert!(code == 2 && errors.contains("`duet load chinook` loads an application"), "{errors}");
    for hidden in ["ab", "sweep", "releases", "paths", "jmeter"] {
        assert!(!duet_says(&["bench", "--help"]).contains(&format!("\n  {hidden} ")), "{hidden}");
    }
}
