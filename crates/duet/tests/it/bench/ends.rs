//! How runs of the bench end: after a number of transactions, and with the exit codes of the manual.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use duet_testkit::command::{Running, Signal, clean, wait_until};
use serde_json::Value;

use super::signals::started;
use super::verdicts::{FAILING, FAST, Manner, service};
use crate::duet;

fn result(out: &Path) -> Value {
    serde_json::from_slice(&fs::read(out.join("result.json")).unwrap()).unwrap()
}

/// Runs `rest` against a service; the result, where it has one.
fn run(url: &str, words: &[&str]) -> (i32, String, Option<Value>) {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let all = ["bench", "run", "rest", "--target", url, "-q", "--out", out.to_str().unwrap()];
    let (code, _, errors) = duet(&[&all[..], words].concat());
    (code, errors, out.join("result.json").exists().then(|| result(&out)))
}

#[test]
fn a_number_of_transactions_is_exact() {
    let url = service(FAST);
    let all = |result: &Value| -> u64 {
        let rows = result["seconds"].as_array().unwrap().iter();
        rows.filter_map(|row| row["completed"].as_u64()).sum()
    };
    // Charbench's own option too.
    for words in [&["--transactions", "20", "--users", "2"][..], &["-mt", "20", "-uc", "3"]] {
        let (code, errors, result) = run(&url, words);
        let result = result.unwrap();
        assert_eq!((code, &*errors), (0, ""));
        assert_eq!(result["totals"]["completed"], 20, "{words:?}");
        assert_eq!(result["totals"]["offered"], 20, "{words:?}");
        assert_eq!((all(&result), &result["load"]["warm_up_s"]), (20, &Value::from(0.0)));
        assert_eq!(result["window"]["ended_by"], "transactions");
    }
    // Those of a warm-up are not among them, in layouts and open runs either.
    for more in [&["--users", "2"][..], &["--layout", "2x1"], &["--rate", "200"]] {
        let words = [&["--transactions", "20", "--warmup", "300ms"], more].concat();
        let (code, errors, result) = run(&url, &words);
        let result = result.unwrap();
        assert_eq!((code, &*errors), (0, ""), "{words:?}");
        assert_eq!(result["totals"]["completed"], 20, "{words:?}");
        assert!(all(&result) > 20, "{words:?}");
    }
}

#[test]
fn a_threshold_that_fails_ends_the_run() {
    let url = service(FAST);
    let words =
        ["--threshold", "avg<1us", "--abort-on-fail=1s", "--duration", "300s", "--warmup", "0s"];
    let (code, errors, result) = run(&url, &[&words[..], &["--users", "2"]].concat());
    let result = result.unwrap();
    assert!(code == 3 && errors.contains("the threshold avg<1us failed"), "{errors}");
    assert_eq!(result["window"]["ended_by"], "threshold");
    let measured = result["window"]["measured_s"].as_f64().unwrap();
    assert!((1.0..100.0).contains(&measured), "{measured}");
    let first = result["warnings"][0].as_str().unwrap();
    assert!(first.starts_with("The threshold avg<1us ended the run after"), "{first}");
    // One that holds lets it go on; one that is counted at the end cannot end it.
    let (code, errors, result) =
        run(&url, &["--threshold", "avg<60s", "--abort-on-fail", "--transactions", "20"]);
    assert_eq!((code, &*errors), (0, ""));
    assert_eq!(result.unwrap()["window"]["ended_by"], "transactions");
    let (code, errors, _) = run(&url, &["--threshold", "checks>=99%", "--abort-on-fail"]);
    assert!(code == 2 && errors.contains("`--abort-on-fail` needs"), "{errors}");
}

/// The number of users rises and falls by the stages of a group; a user that rests begins again.
#[test]
fn users_come_and_go_in_stages() {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("s.toml"), folder.path().join("run"));
    let text = format!(
        "[workload]\nname = \"s\"\ntarget = \"{}\"\n[[group]]\nname = \"g\"\nstages = [{{ users = 4, over = \"600ms\" }}, {{ users = 1, over = \"400ms\" }}, {{ users = 3, over = \"600ms\" }}]\n[[group.step]]\nrequest = \"GET /thing\"\n[[group.step]]\nonce = true\nstep = [{{ name = \"Once\", request = \"GET /thing\" }}]\n",
        service(FAST).trim_end_matches("/thing")
    );
    fs::write(&file, text).unwrap();
    let words = ["bench", "run", file.to_str().unwrap(), "-q", "--out", out.to_str().unwrap()];
    let (code, said, errors) = duet(&words);
    assert_eq!((code, &*errors), (0, ""), "{said}");
    let result = result(&out);
    assert_eq!(
        (&result["load"]["users"], &result["window"]["ended_by"]),
        (&4.into(), &"groups".into())
    );
    let total = result["window"]["total_s"].as_f64().unwrap();
    assert!((1.0..60.0).contains(&total), "{}", result["window"]);
    let most =
        result["seconds"].as_array().unwrap().iter().filter_map(|row| row["users"].as_u64()).max();
    assert!(most.unwrap() <= 4, "{}", result["seconds"]);
    let once = result["types"].as_array().unwrap().iter().find(|it| it["short"] == "Once").unwrap();
    assert!(
        once["completed"].as_u64().unwrap() <= 4,
        "a user that begins again is no new one: {once}"
    );
    let wrong = fs::read_to_string(&file).unwrap().replace("stages =", "users = 2\nstages =");
    fs::write(&file, wrong).unwrap();
    let (code, _, errors) = duet(&words[..4]);
    assert!(code == 2 && errors.contains("`stages` say how many users run"), "{errors}");
}

#[test]
fn a_wrong_command_line_has_exit_code_2() {
    let url = service(FAST);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("wrong.toml");
    fs::write(&file, "[[transactions]]\n").unwrap();
    let file = file.to_str().unwrap();
    for (words, said) in [
        (&["rest", "--target", &url, "--mix", "FOO=1"][..], "no type \"FOO\""),
        (&["rest", "--target", &url, "--threshold", "FOO:p99<1s"], "names an unknown type"),
        (&["rest", "--target", &url, "--threshold", "p98<1s"], "is no threshold"),
        (&["rest", "--target", &url, "--threshold", "p99<20"], "no unit: write `us`, `ms` or `s`"),
        (
            &["rest", "--target", &url, "--users", "1", "--identity", "x", "--agents", "a:1,b:2"],
            "names 2 agents, and the run has 1 process of 1 users: `b:2` would run nothing",
        ),
        (&["rest", "--target", &url, "--duration", "0s"], "use a duration above 0"),
        (&["rest", "--target", &url, "--timeout", "0s"], "use a duration above 0"),
        (&["rest", "--target", &url, "--transactions", "0"], "0 is not in"),
        (&["rest", "--target", &url, "--preset", "layers"], "there are no presets"),
        (&["rest", "--target", &url, "--via", "loop"], "`--via` is for"),
        (&["rest", "--target", &url, "--insecure"], "is for services by https://"),
        (&["rest", "--target", &url, "--client", "id"], "not ID:SECRET"),
        (&["rest", "--target", "sqlite:a.db"], "The target of rest is"),
        (&["nosuch"], "There is no workload \"nosuch\""),
        (&[file], "wrong.toml"),
        (&["rest", "--users", "1,2", "--transactions", "5"], "has no meaning here"),
        (&[&url, &url, "--rounds", "1"], "at least two rounds"),
    ] {
        let (code, _, errors) = duet(&[&["bench", "run"], words].concat());
        assert_eq!(code, 2, "{words:?}: {errors}");
        assert!(errors.contains(said), "{words:?}: {errors}");
    }
}

#[test]
fn a_folder_in_use_is_no_killed_run() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let url = service(FAST);
    let mut run = started(&["--target", &url, "--quiet"], &out);
    let into = ["bench", "run", "rest", "--target", &url, "--out", out.to_str().unwrap()];
    let again = || duet(&into);
    let (code, _, errors) = again();
    assert_eq!(code, 1, "{errors}");
    assert!(errors.contains(" holds a run that is under way. "), "{errors}");
    let (code, _, errors) = duet(&["bench", "report", out.to_str().unwrap()]);
    assert!(code == 1 && errors.contains("that is under way"), "{errors}");
    run.signal(Signal::SIGKILL);
    run.wait();
    let (code, _, errors) = again();
    assert!(code == 1 && errors.contains("holds a run that was killed"), "{code} {errors}");
}

/// A failed check says what came, unless the step captures values of the response.
#[test]
fn a_failed_check_says_what_came() {
    let folder = tempfile::tempdir().unwrap();
    let url = service(FAST);
    let base = url.strip_suffix("/thing").unwrap();
    let messages = |name: &str, checks: &str| -> Vec<String> {
        let (file, out) = (folder.path().join(format!("{name}.toml")), folder.path().join(name));
        let head = format!("[workload]\nname = \"{name}\"\ntarget = \"{base}\"\n");
        let step = "[[transaction]]\nname = \"T\"\nshort = \"T\"\n[[transaction.step]]\nrequest = \"GET /thing\"\n";
        fs::write(&file, format!("{head}{step}{checks}\n")).unwrap();
        let (file, out) = (file.to_str().unwrap(), out.to_str().unwrap());
        let words = ["--iterations", "3", "--users", "1", "-q", "--out", out];
        let (code, said, errors) = duet(&[&["bench", "run", file], &words[..]].concat());
        assert_eq!(code, 1, "{said}{errors}");
        let failures = result(Path::new(out))["failures"].take();
        let rows = failures.as_array().unwrap().iter();
        rows.map(|row| row["message"].as_str().unwrap().to_owned()).collect()
    };
    let contains = "step 1: check.contains does not hold";
    assert_eq!(
        messages("contains", "check.contains = \"absent\""),
        [format!("{contains}; it is {{\"ok\":true}}")]
    );
    let json = "check.json.\"/ok\" = false";
    assert_eq!(messages("json", json), ["step 1: check.json.\"/ok\" does not hold; it is true"]);
    let header = "check.header.etag = true";
    assert_eq!(
        messages("header", header),
        ["step 1: check.header.etag does not hold; it is absent"]
    );
    let secret = "check.contains = \"absent\"\ncapture.token = { json = \"/ok\" }";
    assert_eq!(messages("secret", secret), [contains]);
}

/// Selectors of CSS read pages, and a value where nothing is found may have other values; what is read before the run
/// has none.
#[test]
fn a_file_reads_pages() {
    let folder = tempfile::tempdir().unwrap();
    let url = service(FAST);
    let base = url.strip_suffix("/thing").unwrap();
    let file = folder.path().join("pages.toml");
    let ended = |capture: &str| {
        let step =
            r#"check.text = [{ value = "title", how = "equals", texts = ["no {\"ok\":true}"] }]"#;
        let text = format!(
            "[workload]\nname = \"pages\"\ntarget = \"{base}\"\n[[transaction]]\nname = \"T\"\nshort = \"T\"\n\
             [[transaction.step]]\nrequest = \"GET /thing\"\ncapture.page = {{ css = \"body\" }}\n{capture}\n[[transaction.step]]\nrequest = \"GET /thing\"\n{step}\n"
        );
        fs::write(&file, text).unwrap();
        let out = folder.path().join(format!("run-{}", capture.len()));
        let words = ["--iterations", "3", "--users", "1", "-q", "--out", out.to_str().unwrap()];
        let (code, said, errors) =
            duet(&[&["bench", "run", file.to_str().unwrap()], &words[..]].concat());
        (code, format!("{said}{errors}"))
    };
    let (code, said) = ended(r#"capture.title = { css = "h1", default = "no ${page}" }"#);
    assert_eq!(code, 0, "{said}");
    let (code, said) = ended(r#"capture.title = { css = "${page}", default = "x" }"#);
    assert!(code != 0 && said.contains("Values are not filled in here"), "{said}");
    let (code, said) = ended(r#"capture.title = { css = "h1:eq(1)", default = "xyz" }"#);
    assert!(code != 0 && said.contains("`:eq` is not taken"), "{said}");
}

/// A user does once what it does in its first transaction, and goes on with what it does in turn.
#[test]
fn a_user_remembers_what_it_has_done() {
    let folder = tempfile::tempdir().unwrap();
    let url = service(FAST);
    let base = url.strip_suffix("/thing").unwrap();
    let (file, out) = (folder.path().join("turns.toml"), folder.path().join("run"));
    let steps = r#"
once = true
step = [{ request = "GET /once" }]
[[transaction.step]]
choose = "in turn"
step = [{ request = "GET /one" }, { request = "GET /two" }]
[[transaction.step]]
limit = { times = 3 }
step = [{ request = "GET /three" }]
"#;
    let head = format!("[workload]\nname = \"turns\"\ntarget = \"{base}\"\n");
    let transaction = "[[transaction]]\nname = \"T\"\nshort = \"T\"\n[[transaction.step]]";
    fs::write(&file, format!("{head}{transaction}{steps}")).unwrap();
    let words = ["--iterations", "6", "--users", "1", "-q", "--out", out.to_str().unwrap()];
    let (code, said, errors) =
        duet(&[&["bench", "run", file.to_str().unwrap()], &words[..]].concat());
    assert_eq!(code, 0, "{said}{errors}");
    let checks = result(&out)["checks"].take();
    let passed: Vec<_> =
        checks.as_array().unwrap().iter().map(|row| row["passed"].as_u64().unwrap()).collect();
    assert_eq!(passed, [1, 3, 3, 3], "{checks}");
}

/// A threshold on a type that never ran decides nothing, and a run of which many may fail is not "did not hold".
#[test]
fn the_page_agrees_with_the_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let url = service(FAILING);
    let words = ["bench", "run", "rest", "--target", &url, "--users", "1", "--iterations", "40"];
    let more = ["--errors", "60", "-q", "--out", out.to_str().unwrap()];
    let (code, said, errors) = duet(&[&words[..], &more].concat());
    assert_eq!((code, &*errors), (0, ""), "{said}");
    let (code, page, _) = duet(&["bench", "report", out.to_str().unwrap()]);
    assert!(code == 0 && !page.contains("did not hold"), "{page}");
    assert!(page.contains(&url), "the address is on the first screen");
    let put = ["--mix", "GET=1,PUT=0", "--threshold", "PUT:errors<1%", "--errors", "60"];
    let (code, errors, _) =
        run(&url, &[&["--users", "1", "--iterations", "40"], &put[..]].concat());
    assert_eq!(code, 3, "{errors}");
    assert!(errors.contains("no transaction of the type PUT was due"), "{errors}");
}

/// The last second of a run has its users, and the load of a short one is not 0.
#[test]
fn a_short_run_has_its_users_and_its_load() {
    let url = service(FAST);
    let (code, errors, result) = run(&url, &["--users", "3", "--duration", "1s", "--warmup", "0s"]);
    assert_eq!((code, &*errors), (0, ""));
    let result = result.unwrap();
    assert_eq!(result["seconds"][0]["users"], 3, "{}", result["seconds"]);
    let share = result["client"]["busiest_share"].as_f64().unwrap();
    assert!(share > 0.0, "{}", result["client"]);
}

/// What is still unanswered after `--grace` is not waited for.
#[test]
fn the_drain_ends_with_the_grace_time() {
    static HANGS: AtomicBool = AtomicBool::new(false);
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let url = service(Manner { hangs: &HANGS, ..FAST });
    let words = ["bench", "run", "rest", "--target", &url, "--users", "2", "--duration", "2s"];
    let more = ["--warmup", "0s", "--grace", "1s", "--out", out.to_str().unwrap()];
    let mut command = clean(Path::new(env!("CARGO_BIN_EXE_duet")));
    command.args(words).args(more);
    let mut run = Running::start_program(command);
    wait_until("a second of the run", || {
        fs::read_to_string(out.join("seconds.ndjson")).is_ok_and(|rows| rows.contains('\n'))
    });
    HANGS.store(true, Ordering::Relaxed);
    // Neither fails: too few seconds are judged.
    run.wait();
    let result = result(&out);
    assert_eq!(result["totals"]["unfinished"], 2, "{}", result["totals"]);
    // Two seconds, one of grace, one in which nothing ended, and the one that has begun.
    let seconds = result["seconds"].as_array().unwrap().len();
    assert!(seconds <= 6, "{seconds}");
    assert!(result["totals"]["unanswered_s"].as_f64() > Some(0.0), "{}", result["totals"]);
}
