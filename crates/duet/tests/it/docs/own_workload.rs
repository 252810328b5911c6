//! The workloads of the manual, run as users run them, on both stores and against a service.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

use std::fs;
use std::path::Path;

use duet_testkit::command::{Running, clean};
use duet_testkit::postgres::Server;
use serde_json::Value;

use super::super::{duet, duet_says, told};
use super::{page, read};

/// Writes the workloads of the manual's page, and the one of `bench/`, to a folder.
fn files(folder: &Path) {
    fs::write(folder.join("tpcb.toml"), read("bench/tpcb.toml")).unwrap();
    for step in page::steps(&read("docs/bench-workload.md")) {
        if let page::Step::File(name, block) = step {
            fs::write(folder.join(name), &block.text).unwrap();
        }
    }
}

/// Runs a file of the manual; its result.
fn run(folder: &Path, more: &[&str]) -> Value {
    let out = tempfile::tempdir_in(folder).unwrap();
    let path = out.path().to_str().unwrap();
    // Users that change the same meet.
    let fixed = ["--users", "3", "--iterations", "40", "--errors", "99", "--quiet", "--out", path];
    let said = duet_says(&[&["bench", "run"], more, &fixed].concat());
    assert!(said.contains("Completed Run."), "{said}");
    let text = fs::read_to_string(out.path().join("result.json")).unwrap();
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
        let name = "Buy step 1: rows are 1";
        assert_eq!(check(&result, "Look: rows are 1"), [look, 0]);
        assert_eq!(
            (check(&result, name), check(&result, "Look: value is Thing ${thing}")),
            ([buy, 0], [look, 0])
        );
        if url_of(&more).is_some() {
            let commits = ledger(&result, "commits");
            assert_eq!(commits[0], look + buy);
            assert!(commits[1].abs_diff(commits[0]) <= 20, "{commits:?}");
            let rows = ledger(&result, "rows changed, at least");
            // Only what the database does by itself, such as statistics, is beyond.
            assert!(rows[0] == 2 * buy && rows[1] >= rows[0], "{rows:?}");
        } else {
            assert_eq!(ledger(&result, "transactions that wrote"), [buy; 2]);
        }
    }
    // Teardown has taken away what setup made: it could be made again twice.
    assert!(folder.path().join("shop.db").exists(), "beside the workload's file");
}

fn url_of<'a>(more: &[&'a str]) -> Option<&'a str> {
    more.iter().find(|word| word.contains("postgres")).copied()
}

/// How often a check held, and how often not.
fn check(result: &Value, name: &str) -> [u64; 2] {
    let rows = result["checks"].as_array().unwrap();
    let row = rows.iter().find(|row| row["name"] == name);
    let row = row.unwrap_or_else(|| panic!("{name} is not in {rows:?}"));
    [count(row, "/passed"), count(row, "/failed")]
}

/// The client's count and the server's.
fn ledger(result: &Value, what: &str) -> [u64; 2] {
    let rows =
        result["ledger"]["rows"].as_array().unwrap_or_else(|| panic!("{}", result["warnings"]));
    let row = rows.iter().find(|row| row["what"] == what);
    let row = row.unwrap_or_else(|| panic!("{what} is not in {rows:?}"));
    [count(row, "/client"), count(row, "/server")]
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
            failed.iter().all(|row| row["message"] == "step 2: check.status: it is 412"),
            "{failed:?}"
        );
        assert_eq!(count(&result, "/types/0/failed"), 0);
        assert!(count(&result, "/types/1/completed") > 0, "{failed:?}");
        assert_eq!(count(&result, "/totals/completed") + count(&result, "/totals/failed"), 120);
    }
}

/// As people type it, from the folder of the file; the database is beside the file, and made.
#[test]
fn a_file_of_this_folder() {
    let folder = tempfile::tempdir().unwrap();
    files(folder.path());
    let mut command = clean(Path::new(env!("CARGO_BIN_EXE_duet")));
    let words = ["bench", "run", "shop.toml", "--users", "1", "--iterations", "5", "--quiet"];
    command.args(words).args(["--out", "out"]).current_dir(folder.path());
    let (code, said, errors) = told(&command.output().unwrap());
    assert_eq!(code, 0, "{said}{errors}");
    assert!(folder.path().join("shop.db").exists() && said.contains("shop on "), "{said}");
}

/// pgbench's transaction: the money is all there, and every commit.
#[test]
fn money_that_is_moved() {
    let folder = tempfile::tempdir().unwrap();
    files(folder.path());
    let file = folder.path().join("tpcb.toml");
    let file = file.to_str().unwrap();
    let postgres = Server::shared().database("own_workload_tpcb");
    for more in [&[file][..], &[file, "--target", &postgres.url()]] {
        let result = run(folder.path(), more);
        let done = count(&result, "/totals/completed");
        assert_eq!(done + count(&result, "/totals/failed"), 120);
        assert_eq!(
            check(&result, "TPCB step 4: rows are 1"),
            [count(&result, "/types/0/dml/inserts"), 0]
        );
        match more.len() {
            1 => assert_eq!(ledger(&result, "transactions that wrote"), [done; 2]),
            _ => {
                assert_eq!(ledger(&result, "commits")[0], done);
                assert!(ledger(&result, "rows changed, at least")[1] >= 4 * done);
            }
        }
        assert_eq!(result["ledger"]["balanced"], true, "{result}");
    }
}

/// Users that log in, words of a file, closed and as a spike.
#[test]
fn a_workload_with_login() {
    let folder = tempfile::tempdir().unwrap();
    files(folder.path());
    let database = folder.path().join("shop.db").display().to_string();
    duet_says(&["load", "chinook", "--database", &database]);
    let server =
        Running::start(&["serve", &database, "--app", "chinook", "--listen", "127.0.0.1:0"]);
    let target = format!("{}/ords/chinook", server.url());
    let file = folder.path().join("browse.toml");
    let bench = |secret: &str, out: &str, more: &[&str]| {
        let out = folder.path().join(out);
        let mut command = clean(Path::new(env!("CARGO_BIN_EXE_duet")));
        command.args(["bench", "run", file.to_str().unwrap(), "--target", &target, "--quiet"]);
        command.args(["--out", out.to_str().unwrap()]).args(more);
        command.env("SHOP_ID", server.ready()["client_id"].as_str().unwrap());
        told(&command.env("SHOP_SECRET", secret).output().unwrap())
    };
    let kept = |out: &str| fs::read_to_string(folder.path().join(out).join("result.json")).unwrap();
    let result = |out: &str| -> Value { serde_json::from_str(&kept(out)).unwrap() };
    let secret = server.ready()["client_secret"].as_str().unwrap();
    let closed = ["--users", "3", "--iterations", "40", "--threshold", "checks>=100%"];
    let (code, said, errors) = bench(secret, "closed", &closed);
    assert_eq!(code, 0, "{said}{errors}");
    let first = result("closed");
    assert_eq!(check(&first, "login: status is 200"), [3, 0]);
    let [search, customer] = [0, 1].map(|kind| count(&first, &format!("/types/{kind}/completed")));
    assert_eq!(search + customer, 120);
    assert_eq!(check(&first, "SEARCH step 2: /track_id is ${track}"), [search, 0]);
    assert_eq!(check(&first, "CUSTOMER: header etag is there"), [customer, 0]);
    assert!(said.contains("✓ SEARCH step 1: /count is 5") && said.contains("✓ checks>=100%"));
    // Duet counts only what one with `duet.admin` asks; the login is not a transaction's time.
    assert!(!kept("closed").contains(secret));

    let spike = ["--steps", "40:1,200:1,40:1", "--users", "64", "--threshold", "unsent<999"];
    let (code, said, errors) = bench(secret, "spike", &spike);
    assert_eq!(code, 0, "{said}{errors}");
    let result = result("spike");
    assert_eq!(
        (&result["load"]["options"]["steps"], &result["load"]["model"]),
        (&"40:1,200:1,40:1".into(), &"open".into())
    );
    assert_eq!(count(&result, "/totals/failed"), 0, "{}", result["failures"]);

    // The server slows down who guesses secrets: a few guesses are enough.
    let few = ["--users", "1", "--iterations", "3"];
    let (code, said, errors) = bench("wrong", "wrong", &few);
    assert!(code == 3 || code == 1, "{said}{errors}");
    assert!(said.contains("login: step 1: check.status: it is 401"), "{said}");
    let (code, _, errors) = bench(secret, "none", &["--threshold", "LOOK:p95<1s"]);
    assert!(code == 2 && errors.contains("the types are SEARCH, CUSTOMER"), "{errors}");
}

/// What fails a check is counted with its name, and the others go on.
#[test]
fn checks_that_fail_are_rows() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("odd.toml");
    let text = r#"
        [workload]
        name = "odd"
        target = "sqlite:odd.db"
        setup = [{ sql = "CREATE TABLE odd (a INTEGER)" }]
        [feeders]
        number = { list = [1, 2, 3, 4], pick = "in turn" }
        [[transaction]]
        name = "Odd"
        step = [
          { sql = "INSERT INTO odd VALUES ($1)", params = ["${number}"] },
          { sql = "SELECT $1 % 2", params = ["${number}"], check = { rows = 1, value = 1 } },
        ]
    "#;
    fs::write(&file, text).unwrap();
    let out = folder.path().join("out");
    let words = ["--users", "1", "--iterations", "40", "--out", out.to_str().unwrap()];
    let (code, said, errors) =
        duet(&[&["bench", "run", file.to_str().unwrap()][..], &words].concat());
    let told = "error: 50 % of the transactions failed; the limit is 1 % (--errors)\n";
    assert_eq!((code, &*errors), (3, told), "{said}");
    assert!(said.contains("✗ Odd step 2: value is 1: 20 of 40"), "{said}");
    let result = fs::read_to_string(out.join("result.json")).unwrap();
    let result: Value = serde_json::from_str(&result).unwrap();
    assert_eq!(check(&result, "Odd step 2: value is 1"), [20, 20]);
    assert_eq!(check(&result, "Odd step 2: rows are 1"), [40, 0]);
    // What was inserted before the check failed is there.
    assert_eq!(ledger(&result, "transactions that wrote"), [40; 2]);
}

/// Other writers meanwhile, statements that end transactions, triggers.
#[test]
fn unknown_keys_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("trigger.toml");
    let text = |step: &str| {
        format!(
            "[workload]\nname = 'trigger'\n[[transaction]]\nname = 'T'\nstep = [{{ sql = '{step}' }}]\n"
        )
    };
    let postgres = Server::shared().database("own_workload_trigger");
    postgres.exec(
        "CREATE TABLE a (x int); CREATE TABLE log (x int);
         CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
           'BEGIN INSERT INTO log VALUES (1); RETURN NULL; END';
         CREATE TRIGGER note AFTER INSERT ON a FOR EACH ROW EXECUTE FUNCTION note();",
    );
    for (step, words) in [
        ("INSERT INTO a VALUES (1)", "The database changed"),
        ("DO $$ BEGIN INSERT INTO a VALUES (1); COMMIT; END $$", "Commits were not compared with"),
    ] {
        fs::write(&file, text(step)).unwrap();
        let result = run(folder.path(), &[file.to_str().unwrap(), "--target", &postgres.url()]);
        let warnings = result["warnings"].as_array().unwrap();
        let told = warnings.iter().any(|it| it.as_str().unwrap().contains(words));
        assert!(told, "{words}: {warnings:?}");
        assert_eq!(result["ledger"]["balanced"], true, "{result}");
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
        (transaction("{ }"), "A step is one of `request`"),
        (
            transaction(
                "{ loop = 2, step = [{ sql = 'SELECT 1' }], pause = '1ms', check.rows = 1 }",
            ),
            "This step sends nothing: give `check`, `pause` to",
        ),
        (transaction(""), "at least one"),
        (transaction("{ sql = 'SELECT nonsense FROM' }"), "step 1: "),
        (transaction("{ sql = 'DELETE FROM t', check.value = 1 }"), "it needs `RETURNING`"),
        (sql("params = ['${thign}']"), "wrong.toml:8:"),
        (sql("parms = ['1']"), "8 | step = [{ sql = 'SELECT $1', parms = ['1'] }]"),
    ] {
        fs::write(&path, &text).unwrap();
        let (code, _, said) = duet(&["bench", "run", path.to_str().unwrap()]);
        // The database alone knows that its statement is none.
        let expected = if text.contains("nonsense") { 1 } else { 2 };
        assert_eq!(code, expected, "{text}{said}");
        assert!(said.contains(words), "{words}: {text}{said}");
    }
    let (_, _, said) = duet(&["bench", "run", "absent.toml"]);
    assert!(said.contains("The workload absent.toml cannot be read"), "{said}");
}
