//! Whether the bench can be trusted: its test of itself, and its checks of results and data.

use std::fs;
use std::path::PathBuf;

use crate::{duet, duet_says};

#[test]
fn the_bench_tests_itself() {
    let said = duet_says(&["bench", "selftest", "--quick"]);
    // A heading and its first figures.
    let headings = ["\npause\n  requests of the plan ", "\ndelays\n  requests "];
    let others = ["\npause over the end\n  offered ", "\n  hey: "];
    assert!(headings.iter().chain(&others).all(|part| said.contains(part)), "{said}");
    let wide: Vec<&str> = said.lines().filter(|line| line.chars().count() > 80).collect();
    assert!(wide.is_empty(), "wider than 80 columns: {wide:?}");
    assert!(said.contains(" holds") && !said.contains("FAILS"), "{said}");
    assert!(said.ends_with("\nNext: duet bench selftest\n      duet bench run rest\n"), "{said}");
}

#[test]
fn results_are_checked_for_consistency() {
    let folder = tempfile::tempdir().unwrap();
    let mut file = PathBuf::new();
    for (run, more) in [
        &["rest", "--iterations", "30", "--mix", "GET=2,PUT=1", "--errors", "99"][..],
        &["lookup", "--duration", "1s", "--warmup", "0s", "--layout", "2x1"],
        // A busy machine may miss arrivals.
        &[
            "lookup",
            "--duration",
            "1s",
            "--warmup",
            "500ms",
            "--rate",
            "300",
            "--threshold",
            "unsent<999",
        ],
    ]
    .into_iter()
    .enumerate()
    {
        let out = folder.path().join(run.to_string());
        let path = out.to_str().unwrap();
        duet_says(&[&["bench", "run"], more, &["--quiet", "--out", path]].concat());
        let said = duet_says(&["bench", "validate", path]);
        let end = format!(" checks passed.\nNext: duet bench report {path} --out report.html\n");
        assert!(said.ends_with(&end) && !said.contains("FAILED"), "{said}");
        file = out.join("result.json");
    }
    let text = fs::read_to_string(&file).unwrap();
    let place = text.find("\"completed\": ").unwrap() + "\"completed\": ".len();
    fs::write(&file, format!("{}1{}", &text[..place], &text[place..])).unwrap();
    let (code, _, said) = duet(&["bench", "validate", file.to_str().unwrap()]);
    assert_eq!(code, 4, "{said}");
    assert!(said.contains("FAILED completed by type sum to the total: "), "{said}");
}

#[test]
fn data_sets_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let database = format!("sqlite:{}", folder.path().join("a.db").display());
    // Its progress goes to standard error.
    duet(&["bench", "load", "lookup", "--database", &database, "--scale", "100"]);
    let said = duet_says(&["bench", "validate", "lookup", "--database", &database]);
    assert!(said.contains("checks passed."), "{said}");
    let next = format!("\nNext: duet bench run lookup --target {database}\n");
    assert!(said.ends_with(&next), "{said}");
    let (code, _, said) = duet(&["bench", "validate", "soe", "--database", &database]);
    assert!(code != 0, "{said}");
    let (code, _, said) = duet(&["bench", "validate", "soe"]);
    assert!(code == 2 && said.contains("--database"), "{said}");
    let (code, _, said) = duet(&["bench", "validate", "absent.json"]);
    assert!(code == 1 && said.contains("absent.json"), "{said}");
}

/// A result whose histograms are those of another run, or cut, is not merged, nor called sound.
#[test]
fn histograms_belong_to_their_result() {
    let folder = tempfile::tempdir().unwrap();
    let [one, other] = ["one", "other"].map(|name| folder.path().join(name));
    let path = |of: &std::path::Path| of.to_str().unwrap().to_owned();
    let run = ["bench", "run", "lookup", "--duration", "1s", "--warmup", "0s", "--quiet", "--out"];
    duet_says(&[&run[..], &[&path(&one)]].concat());
    fs::create_dir(&other).unwrap();
    let text = fs::read_to_string(one.join("result.json")).unwrap();
    let text = text.replacen("\"name\": \"\"", "\"name\": \"other\"", 1);
    fs::write(other.join("result.json"), text).unwrap();
    let log = fs::read_to_string(one.join("histograms.hlog")).unwrap();
    let histograms = other.join("histograms.hlog");
    let shorter: Vec<&str> = log.lines().filter(|line| !line.contains(",1.000,1.000,")).collect();
    let merged = |number: usize| {
        let all = folder.path().join(format!("all{number}.json"));
        let (code, _, said) =
            duet(&["bench", "merge", &path(&one), &path(&other), "--out", &path(&all)]);
        (code, said, all.with_extension("hlog").exists())
    };
    for (number, kept) in ["", &*shorter.join("\n")].into_iter().enumerate() {
        fs::write(&histograms, kept).unwrap();
        let (code, said, _) = merged(number);
        let message =
            format!("Histograms are not those of their results. {}: second ", path(&histograms));
        assert!(code == 1 && said.contains(&message), "{said}");
        let (code, _, said) = duet(&["bench", "validate", &path(&other)]);
        let failed = "FAILED the histograms beside it are those of its seconds: second ";
        assert!(code == 4 && said.contains(failed), "{said}");
    }
    fs::write(&histograms, log).unwrap();
    let (code, said, has_log) = merged(7);
    assert!(code == 0 && !said.contains("histograms") && has_log, "{said}");
    fs::remove_file(&histograms).unwrap();
    let (code, said, has_log) = merged(8);
    let lacks = "There is no log of histograms beside other: the merged result has none.";
    assert!(code == 0 && said.contains(lacks) && !has_log, "{said}");
    let said = duet_says(&["bench", "validate", &path(&other)]);
    assert!(said.starts_with("There are no histograms of seconds in "), "{said}");
}
