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
