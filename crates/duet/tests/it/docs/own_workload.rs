//! The workloads of the manual, run as users run them, on both stores and against a service.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

use std::fs;
use std::path::Path;

use duet_testkit::command::Running;
use duet_testkit::postgres::Server;
use serde_json::Value;

use super::super::{duet, duet_says};
use super::{page, read};

/// Writes the files of the manual's section to a folder.
fn files(folder: &Path) {
    for step in page::steps(&read("docs/measuring.md")) {
        if let page::Step::File(name, block) = step {
            fs::write(folder.join(name), &block.text).unwrap();
        }
    }
}

/// Runs a file of the manual; its result.
fn run(folder: &Path, more: &[&str]) -> Value {
    let out = folder.join("out");
    let out = out.to_str().unwrap();
    let fixed = ["--users", "3", "--iterations", "40", "--quiet", "--out", out];
    let said = duet_says(&[&["bench", "run"], more, &fixed].concat());
    assert!(said.contains("Completed Run."), "{said}");
    let text = fs::read_to_string(folder.join("out/result.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn count(result: &Value, pointer: &str) -> u64 {
    result.pointer(pointer).and_then(Value::as_u64).unwrap_or_else(|| panic!("{pointer}"))
}

#[test]
fn statements_on_both_stores() {
    let folder = tempfile::tempdir().unwrap();
    files(folder.path());
    let file = folder.path().join("shop.toml");
    let file = file.to_str().unwrap();
    let postgres = Server::shared().database("own_workload");
    let url = postgres.url();
    for more in
        [&[file][..], &[file, "--target", &url], &[file, "--target", &url, "--layout", "3x1"]]
    {
        let more: Vec<&str> = more.to_vec();
        // A layout says how many users there are.
        let result = match more.contains(&"--layout") {
            false => run(folder.path(), &more),
            true => layout(folder.path(), &more),
        };
        assert_eq!(count(&result, "/totals/completed"), 120, "{}", result["failures"]);
        let [look, buy] = [0, 1].map(|kind| count(&result, &format!("/types/{kind}/completed")));
        assert!(look > buy && buy > 0, "{look} {buy}");
        assert_eq!(count(&result, "/types/1/dml/commits"), buy);
        assert_eq!(count(&result, "/types/1/dml/inserts"), buy);
        assert_eq!(count(&result, "/types/0/dml/selects"), look);
        assert_eq!(result["workload"], "shop");
    }
    // Teardown has taken away what setup made: it could be made again twice.
    assert!(folder.path().join("shop.db").exists(), "beside the workload's file");
}

fn layout(folder: &Path, more: &[&str]) -> Value {
    let out = folder.join("out");
    let fixed = ["--iterations", "40", "--quiet", "--out", out.to_str().unwrap()];
    duet_says(&[&["bench", "run"], more, &fixed].concat());
    serde_json::from_str(&fs::read_to_string(out.join("result.json")).unwrap()).unwrap()
}

#[test]
fn requests_to_a_service() {
    for store in ["sqlite", "postgres"] {
        let folder = tempfile::tempdir().unwrap();
        files(folder.path());
        let database = match store {
            "postgres" => Server::shared().database("own_workload_service").url(),
            _ => folder.path().join("races.db").display().to_string(),
        };
        duet_says(&["load", "car-racing", "--database", &database]);
        let arguments =
            ["serve", &database, "--app", "car-racing", "--open", "all", "--listen", "127.0.0.1:0"];
        let server = Running::start(&arguments);
        let file = folder.path().join("races.toml");
        let target = format!("{}/ords/hr", server.url());
        let result = run(folder.path(), &[file.to_str().unwrap(), "--target", &target]);
        // Two users may change the same driver.
        let failed = result["failures"].as_array().unwrap();
        assert!(
            failed.iter().all(|row| row["said"] == "step 2: check.status: it is 412"),
            "{failed:?}"
        );
        assert_eq!(count(&result, "/types/0/failed"), 0);
        assert!(count(&result, "/types/1/completed") > 0, "{failed:?}");
        assert_eq!(count(&result, "/totals/completed") + count(&result, "/totals/failed"), 120);
    }
}

#[test]
fn secrets_stay_out_of_results() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("secret.toml");
    let text = r#"
        [workload]
        name = "secret"
        setup = [{ sql = "SELECT 'token-of-setup' AS token", capture.token = { column = "token" } }]
        [[transaction]]
        name = "Fail"
        step = [{ sql = "SELECT CAST($1 AS INTEGER) / CAST('x' || $2 AS INTEGER)", params = ["7", "${token}"] }]
    "#;
    fs::write(&file, text).unwrap();
    let database = Server::shared().database("own_workload_secret");
    let out = folder.path().join("out");
    let (file, path, url) = (file.to_str().unwrap(), out.to_str().unwrap(), database.url());
    let (code, said, errors) =
        duet(&["bench", "run", file, "--target", &url, "--iterations", "2", "--out", path]);
    assert_eq!(code, 1, "{said}{errors}");
    let kept = fs::read_to_string(out.join("result.json")).unwrap();
    assert!(kept.contains("invalid input syntax"), "{kept}");
    for text in [kept, said, errors] {
        assert!(!text.contains("token-of-setup"), "{text}");
    }
}

#[test]
fn mistakes_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wrong.toml");
    let transaction = |step: &str| {
        format!(
            "[workload]\nname = 'w'\ntarget = 'sqlite:w.db'\n[feeders]\nthing = {{ uniform = [1, 2] }}\n[[transaction]]\nname = 'T'\nstep = [{step}]\n"
        )
    };
    let sql = |rest: &str| transaction(&format!("{{ sql = 'SELECT $1', {rest} }}"));
    for (text, words) in [
        (String::new(), "missing field `workload`"),
        ("[workload]\nnmae = 'w'\n".into(), "Did you mean `name`?"),
        (sql("parms = ['1']"), "Did you mean `params`?"),
        (sql("params = ['${thign}']"), "transaction[1].step[1].params[1]"),
        (sql("params = ['${thign}']"), "Did you mean `thing`?"),
        (sql("params = [1], check.status = 200"), "are checks of requests"),
        (sql("params = [1], check.rows = 'two'"), "expected u64"),
        (sql("params = [1], capture.a = { json = '/a' }"), "is { column = "),
        (transaction("{ sql = 'SELECT ${thing}' }"), "Values are parameters"),
        (transaction("{ request = 'GET /x' }"), "The target is a database"),
        (transaction("{ }"), "either `request` or `sql`"),
        (transaction(""), "at least one"),
        (transaction("{ sql = 'SELECT nonsense FROM' }"), "step 1: "),
    ] {
        fs::write(&path, &text).unwrap();
        let (code, _, said) = duet(&["bench", "run", path.to_str().unwrap()]);
        assert_eq!(code, 1, "{text}{said}");
        assert!(said.contains(words), "{words}: {text}{said}");
    }
    let (_, _, said) = duet(&["bench", "run", "absent.toml"]);
    assert!(said.contains("The workload absent.toml cannot be read"), "{said}");
}
