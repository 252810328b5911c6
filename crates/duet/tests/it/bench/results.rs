//! `duet bench` on results: reports, comparisons, merging, and their exit codes.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

use std::fs;
use std::path::Path;

use crate::example::{Example, Stall};
use crate::{duet, duet_says};

/// Writes an example and gives its path.
fn written(folder: &Path, example: &Example) -> String {
    let path = folder.join(format!("{}.json", example.name));
    duet_bench::result_files::write(&example.build(), &path).unwrap();
    path.display().to_string()
}

fn slower() -> Example {
    Example { name: "after".into(), level: 100.0, median_us: 5_000.0, ..Example::default() }
}

/// Each file of a run on a disk that is full: the summary is printed, then the error, which names the
/// folder. `/dev/full` is such a disk.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_loses_no_summary() {
    for file in ["seconds.ndjson", "histograms.hlog", "result.json.part"] {
        let run = |more: &str| {
            let folder = tempfile::tempdir().unwrap();
            std::os::unix::fs::symlink("/dev/full", folder.path().join(file)).unwrap();
            let path = folder.path().display().to_string();
            let words = ["bench", "run", "lookup", "--iterations", "50", "--users", "3", "--out"];
            (duet(&[&words[..], &[&path, more]].concat()), path)
        };
        let ((code, said, errors), path) = run("--quiet");
        assert!(said.contains("|Completed Transactions"), "{file}: {said}");
        assert!(!said.contains("Saved results"), "{file}: {said}");
        let error = format!("The result cannot be written to {path}: No space left on device");
        assert!(code == 1 && errors.contains(&error), "{file}: {code} {errors}");
        let ((code, said, _), _) = run("--json");
        let result: serde_json::Value = serde_json::from_str(&said).unwrap();
        assert_eq!((code, &result["totals"]["completed"]), (1, &150.into()), "{file}");
    }
}

#[test]
fn runs_are_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    fs::create_dir(path("empty")).unwrap();
    let run =
        |out: &str| duet(&["bench", "run", "lookup", "--iterations", "5", "-q", "--out", out]);
    let (first, killed) = (path("empty"), path("killed"));
    assert_eq!(run(&first).0, 0, "an empty folder is free");
    let file = folder.path().join("empty/result.json");
    let before = fs::read(&file).unwrap();
    let (code, said, errors) = run(&first);
    assert_eq!((code, &*said), (1, ""), "{errors}");
    let expected = format!("error: {first} holds a run: runs are not overwritten.");
    assert!(errors.starts_with(&expected) && errors.contains("--out, or delete"), "{errors}");
    assert_eq!(fs::read(&file).unwrap(), before);

    fs::create_dir(&killed).unwrap();
    fs::write(folder.path().join("killed/run.json"), "{}").unwrap();
    let (code, _, errors) = run(&killed);
    assert_eq!(code, 1);
    assert!(errors.contains(&format!("`duet bench report {killed} --out ")), "{errors}");

    // What runs several refuses what is not empty, before it starts anything.
    let series = path("");
    let target = ["--target", "http://127.0.0.1:1/x"];
    for words in [
        &["run", "http://127.0.0.1:1/x"][..],
        &["run", "--paths", "http://127.0.0.1:1/x"],
        &["find-max", "rest", "--slo", "p99<1s"],
    ] {
        let (code, said, errors) =
            duet(&[&["bench"], words, &target, &["--out", &series]].concat());
        assert_eq!((code, &*said), (1, ""), "{words:?}: {errors}");
        assert!(errors.contains(" is not empty, and a series needs "), "{words:?}: {errors}");
    }
    let server = "duet demo --ready-file {ready}";
    for words in
        [&["replay", "ords"][..], &["run", "--server", server], &["run", "rest", "--users", "1,2"]]
    {
        let (code, _, errors) = duet(&[&["bench"], words, &["--out", &series]].concat());
        assert!(code == 1 && errors.contains(" is not empty"), "{words:?}: {errors}");
    }
}

#[test]
fn exit_codes_of_comparisons() {
    let folder = tempfile::tempdir().unwrap();
    let before = written(folder.path(), &Example::default());
    let after = written(folder.path(), &slower());
    let again = Example { name: "again".into(), seed: 5, ..Example::default() };
    let again = written(folder.path(), &again);
    let more =
        written(folder.path(), &Example { name: "more".into(), users: 32, ..Example::default() });

    let (code, out, errors) = duet(&["bench", "compare", &before, &after]);
    assert_eq!((code, &*errors), (2, ""), "{out}");
    assert!(out.contains("after against before") && out.contains("slower"), "{out}");
    let (code, out, _) = duet(&["bench", "compare", &before, &again]);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("cannot tell"), "{out}");
    let (code, _, errors) = duet(&["bench", "compare", &before, &again, "--strict"]);
    assert_eq!((code, &*errors), (3, "error: a figure has no verdict\n"));
    let (code, out, _) = duet(&["bench", "compare", &before, &more]);
    assert_eq!(code, 1, "{out}");
    assert!(out.contains("NOT COMPARABLE") && out.contains("users: 16 / 32"), "{out}");
    let (code, out, _) = duet(&["bench", "compare", &before, &more, "--anyway", "--json"]);
    assert_eq!(code, 0, "{out}");
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(json["against"][0]["name"], "more");
}

#[test]
fn a_comparison_without_a_verdict_exits_with_3() {
    let folder = tempfile::tempdir().unwrap();
    let before = written(folder.path(), &Example::default());
    let brief = Example { name: "brief".into(), measured_s: 3, ..Example::default() };
    let brief = written(folder.path(), &brief);
    let (code, out, errors) = duet(&["bench", "compare", &before, &brief, "--strict"]);
    let why = "brief: 3 s measured, 20 s needed";
    assert_eq!((code, errors), (3, format!("error: no verdict: {why}\n")), "{out}");
    assert!(out.contains(&format!("\nNO VERDICT: {why}.\n")), "{out}");
    assert!(out.contains("\nNext: duet bench report "), "{out}");
    assert_eq!(duet(&["bench", "compare", &before, &brief]).0, 0);

    let always = Stall { from_s: 0, to_s: 100, share: 1.0, failed_share: 1.0 };
    let mut failing =
        Example { name: "failing".into(), stall: Some(always), ..Example::default() }.build();
    failing.target.address = "http://127.0.0.1:9090/api/main".into();
    failing.load.warm_up_s = 20.0;
    let path = folder.path().join("failing.json");
    duet_bench::result_files::write(&failing, &path).unwrap();
    let path = path.display().to_string();
    let (code, out, errors) = duet(&["bench", "compare", &before, &path]);
    let problem = "failing: 50 % of the transactions failed; the limit is 1 % (--errors)";
    assert_eq!((code, errors), (3, format!("error: {problem}\n")), "{out}");
    let words = out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(&format!("NOT TO BE TRUSTED: {problem}. ")), "{out}");
    // Another warm-up is a remark, and another target is named.
    assert!(!out.contains("NOT COMPARABLE") && out.contains("  - warm-up (s): 5 / 20\n"), "{out}");
    let targets = "  - target: http://127.0.0.1:8080/api/main / http://127.0.0.1:9090/api/main\n";
    assert!(out.contains(targets), "{out}");
    assert_eq!(duet(&["bench", "compare", &before, &path, "--errors", "60"]).0, 0);
    assert_eq!(duet(&["bench", "compare", &before, &path, "--anyway"]).0, 0);
}

/// A file that was edited is refused by name, with all that contradicts itself, by whatever reads results.
#[test]
fn a_result_that_contradicts_itself_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let before = written(folder.path(), &Example::default());
    let mut edited = Example { name: "edited".into(), ..Example::default() }.build();
    edited.totals.tps *= 2.0;
    edited.totals.service.p95_us /= 2;
    edited.seconds.truncate(40);
    let path = folder.path().join("edited.json");
    duet_bench::result_files::write(&edited, &path).unwrap();
    let path = path.display().to_string();
    let all = folder.path().join("all.json").display().to_string();
    for words in [
        &["compare", &before, &path][..],
        &["compare", &before, &path, "--anyway"],
        &["report", &path],
        &["merge", &before, &path, "--out", &all],
    ] {
        let (code, out, errors) = duet(&[&["bench"], words].concat());
        assert_eq!((code, &*out), (1, ""), "{words:?}: {errors}");
        let name = format!("The result {path} contradicts itself. ");
        for part in [
            &*name,
            "the rate is completed in the window by measured time: ",
            "service times of all: percentiles are the histogram's: ",
            "what ended in the window is in its seconds: ",
            "(DUET-8001)",
        ] {
            assert!(errors.contains(part), "{part}: {errors}");
        }
    }
    let half = fs::read_to_string(&before).unwrap();
    fs::write(&path, &half[..half.len() / 2]).unwrap();
    let (code, _, errors) = duet(&["bench", "compare", &before, &path]);
    assert!(code == 1 && errors.contains("edited.json is not a result"), "{errors}");
}

#[test]
fn a_comparison_is_written_for_pipelines() {
    let folder = tempfile::tempdir().unwrap();
    let before = written(folder.path(), &Example::default());
    let after = written(folder.path(), &slower());
    let reports = folder.path().join("a/b");
    let path = reports.display().to_string();
    let (code, ..) = duet(&["bench", "compare", &before, &after, "--ci", &path]);
    assert_eq!(code, 2);
    let read = |name| fs::read_to_string(reports.join(name)).unwrap();
    assert!(read("compare.xml").contains("<failure message="), "{}", read("compare.xml"));
    assert!(read("compare.md").contains("| **slower** |"), "{}", read("compare.md"));
}

#[test]
fn a_page_and_other_forms() {
    let folder = tempfile::tempdir().unwrap();
    let before = written(folder.path(), &Example::default());
    let after = written(folder.path(), &slower());
    let page = folder.path().join("report.html").display().to_string();
    let said = duet_says(&["bench", "report", &before, "--out", &page]);
    assert_eq!(said, format!("{page}\nNext: duet bench compare BEFORE {before}\n"));
    let said = duet_says(&["bench", "report", &before, &after, "--out", &page]);
    assert_eq!(said, format!("{page}\nNext: duet bench compare {before} {after}\n"));
    let csv = folder.path().join("a.csv").display().to_string();
    let said = duet_says(&["bench", "report", &before, "--as", "csv", "--out", &csv]);
    assert_eq!(said, format!("{csv}\nNext: duet bench report {before} --out report.html\n"));
    assert!(fs::read_to_string(&page).unwrap().starts_with("<!DOCTYPE html>"));
    assert!(duet_says(&["bench", "report", &before, &after]).contains("after against before"));
    let form = |form| duet_says(&["bench", "report", &before, "--as", form]);
    assert!(form("csv").starts_with("at_s,phase,users,"));
    assert!(form("types-csv").contains("\nTOTAL,"));
    assert!(form("hgrm").contains("Percentile"));
    assert!(form("swingbench").contains("<TenthPrecentile>"));
    assert!(form("jtl").starts_with("timeStamp,elapsed,label,"));
    assert!(form("jmeter").contains("\"pct2ResTime\""));
    assert!(form("k6").contains("\"p(95)\""));
    let (code, _, errors) = duet(&["bench", "report", &before, &after, "--as", "k6"]);
    assert_eq!(code, 2);
    assert!(errors.contains("The form k6 holds one result."), "{errors}");
}

#[test]
fn two_machines_as_one() {
    let folder = tempfile::tempdir().unwrap();
    let before = written(folder.path(), &Example::default());
    let after = written(folder.path(), &slower());
    let all = folder.path().join("all.json").display().to_string();
    let (code, out, errors) = duet(&["bench", "merge", &before, &after, "--out", &all]);
    assert_eq!(code, 0, "{errors}");
    assert!(out.starts_with("2 results, 32 users, "), "{out}");
    assert!(errors.contains("The ledger is left out"), "{errors}");
    assert!(duet_says(&["bench", "report", &all]).contains("before + after"));
    let (code, _, errors) = duet(&["bench", "merge", &before, &after, "--out", &all]);
    assert!(code == 1 && errors.contains("results are not overwritten"), "{errors}");
}

#[test]
fn other_files_are_no_results() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.json");
    fs::write(&path, "{}").unwrap();
    let path = path.display().to_string();
    let (code, _, errors) = duet(&["bench", "report", &path]);
    assert_eq!(code, 1);
    assert!(errors.contains("x.json is not a result of `duet bench`. (DUET-8001)"), "{errors}");
    let (code, _, errors) = duet(&["bench", "merge", &path, &path, "--out", "/nowhere/x"]);
    assert_eq!((code, errors.contains("DUET-8001")), (1, true), "{errors}");
}
