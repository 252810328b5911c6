//! `duet bench import`: what it makes of scripts of pgbench and of OpenAPI documents runs, on both stores.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

use std::fs;
use std::path::Path;

use duet_testkit::command::Running;
use duet_testkit::http;
use duet_testkit::postgres::Server;
use duet_testkit::sqlite::{self, Folder};
use serde_json::Value;

use super::verdicts::{FAST, service};
use crate::{duet, duet_says};

const BANK: &str = "CREATE TABLE account (id integer PRIMARY KEY, balance integer NOT NULL);
    CREATE TABLE history (source integer, target integer, amount integer, seen integer);
    INSERT INTO account SELECT i, 1000 FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20) SELECT i FROM n) AS n;";

/// Like pgbench's own script, with two accounts and a value that the next statement uses.
const TRANSFER: &str = "\\set scaled 10 * :scale\n\\set source random(1, :scaled / 2)\n\\set target random(1 + :scaled / 2, :scaled)\n\
    \\set amount random(-5, 5)\nBEGIN;\n-- two updates; one look\nUPDATE account SET balance = balance - :amount WHERE id = :source;\n\
    \\sleep 100 us\nUPDATE account SET balance = balance + :amount\n  WHERE id = :target;\n\
    SELECT balance FROM account WHERE id = :source \\gset\nINSERT INTO history VALUES (:source, :target, :amount, :balance);\nEND;\n";

/// A variable that is computed, and a condition.
const LOOK: &str = "\\set id random_zipfian(1, 20, 1.2)\n\\set other 1 + (:id + random_gaussian(0, 19, 3.0)) % 20\n\\if :other = :id\n\\set other 1\n\\else\nSELECT balance FROM account WHERE id = :id;\n\\endif\nSELECT balance FROM account WHERE id = :other;\n";

fn result(out: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(Path::new(out).join("result.json")).unwrap()).unwrap()
}

fn completed(result: &Value, short: &str) -> u64 {
    let types = result["types"].as_array().unwrap();
    let found = types.iter().find(|it| it["short"] == short);
    found.unwrap_or_else(|| panic!("{short}: {types:?}"))["completed"].as_u64().unwrap()
}

/// Runs the imported scripts, and returns how many transfers were done.
fn bank(folder: &Path, target: &str) -> u64 {
    let path = |name: &str| folder.join(name).display().to_string();
    let (transfer, look, file, out) =
        (path("transfer.sql"), path("look.sql"), path("bank.toml"), path("out"));
    fs::write(&transfer, TRANSFER).unwrap();
    fs::write(&look, LOOK).unwrap();
    let (transfer, look) = (format!("{transfer}@3"), format!("{look}@1"));
    let words = ["bench", "import", "-f", &transfer, "-f", &look, "-s", "2", "--out", &file];
    let said = duet_says(&words);
    assert!(said.contains("Next: duet bench run ") && said.contains("--target URL"), "{said}");
    let (code, _, errors) = duet(&words);
    assert!(code == 1 && errors.contains("File exists"), "{errors}");
    let words =
        ["--users", "2", "--iterations", "100", "--quiet", "--out", &out, "--target", target];
    duet_says(&[&["bench", "run", &file][..], &words].concat());
    let result = result(&out);
    let (transfers, looks) = (completed(&result, "transfer"), completed(&result, "look"));
    assert_eq!(transfers + looks, 200, "{result}");
    assert!(transfers > looks && looks > 20, "3 to 1: {transfers} {looks}");
    assert_eq!(result["ledger"]["balanced"], true, "{}", result["ledger"]);
    transfers
}

#[test]
fn weights_are_numbers_from_0_on() {
    let folder = Folder::new();
    let script = folder.path().join("look.sql").display().to_string();
    fs::write(&script, "SELECT 1;").unwrap();
    for weight in ["-1", "NaN", "inf", "1e400"] {
        let (code, out, errors) = duet(&["bench", "import", "-f", &format!("{script}@{weight}")]);
        assert!(code == 2 && out.is_empty() && errors.contains("a number from 0 on"), "{errors}");
    }
    assert!(duet_says(&["bench", "import", "-f", &format!("{script}@0")]).contains("weight = 0"));
}

#[test]
fn scripts_of_pgbench_run_on_sqlite() {
    let folder = Folder::new();
    let file = folder.load("a.db", &["PRAGMA journal_mode = wal", BANK]);
    let done = bank(folder.path(), &format!("sqlite:{}", file.display()));
    let connection = sqlite::open(&file);
    let number = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(number("SELECT sum(balance) FROM account"), 20_000);
    assert_eq!(number("SELECT count(*) FROM history WHERE seen IS NOT NULL"), done as i64);
    assert!(number("SELECT min(target) FROM history") > 10, ":scale is 2");
}

#[test]
fn scripts_of_pgbench_run_on_postgres() {
    let (folder, database) = (Folder::new(), Server::shared().database("import_pgbench"));
    database.exec(BANK);
    let done = bank(folder.path(), &database.url());
    assert_eq!(database.query("SELECT sum(balance) FROM account"), "20000");
    let seen = database.query("SELECT count(*) FROM history WHERE seen IS NOT NULL");
    assert_eq!(seen, done.to_string());
}

const LIBRARY: &str = "CREATE TABLE author (author_id integer PRIMARY KEY, name varchar(40) NOT NULL);
    CREATE TABLE book (book_id integer PRIMARY KEY, author_id integer NOT NULL REFERENCES author (author_id),
      title varchar(40) NOT NULL, pages integer);
    INSERT INTO author VALUES (7, 'Ada'), (8, 'Grace');
    INSERT INTO book VALUES (70, 7, 'Notes', 3), (80, 8, 'Compilers', NULL);";

/// Duet's own document: pages, items by their keys, new items, searches.
fn library(folder: &Path, database: &str, schema: &str) {
    let server = Running::start(&["serve", database, "--open", "all", "--listen", "127.0.0.1:0"]);
    let url = format!("{}/api/{schema}", server.url());
    let path = |name: &str| folder.join(name).display().to_string();
    let (document, file, out) = (path("library.json"), path("library.toml"), path("out"));
    fs::write(&document, http::get(&format!("{url}/open-api-catalog/"), &[]).text()).unwrap();
    let said = duet_says(&["bench", "import", &document, "--out", &file]);
    assert!(said.contains("library.toml"), "{said}");
    let words = ["--users", "2", "--iterations", "60", "--quiet", "--out", &out, "--target", &url];
    let (code, said, errors) = duet(&[&["bench", "run", &file][..], &words].concat());
    assert_eq!(code, 0, "{said}{errors}{}", fs::read_to_string(&file).unwrap());
    let result = result(&out);
    assert_eq!(result["totals"]["failed"], 0, "{result}");
    for short in ["listAuthor", "getAuthor", "createAuthor", "listBook", "getBook", "createBook"] {
        assert!(completed(&result, short) > 0, "{short}: {said}");
    }
    let books = http::get(&format!("{url}/book/?count=exact"), &[]);
    assert_eq!(books.json()["total"], 2 + completed(&result, "createBook"), "{}", books.text());
}

#[test]
fn documents_of_duet_run_on_sqlite() {
    let folder = Folder::new();
    let file = folder.load("a.db", &["PRAGMA journal_mode = wal", LIBRARY]);
    library(folder.path(), &format!("sqlite:{}", file.display()), "main");
}

#[test]
fn documents_of_duet_run_on_postgres() {
    let (folder, database) = (Folder::new(), Server::shared().database("import_openapi"));
    database.exec(LIBRARY);
    library(folder.path(), &database.url(), "public");
}

#[test]
fn what_is_not_taken_has_its_place() {
    let folder = Folder::new();
    let path = |name: &str| folder.path().join(name).display().to_string();
    for (name, text, said) in [
        (
            "a.sql",
            "SELECT 1;\n\\shell date\n",
            "error: The command `\\shell` is not taken; there are ",
        ),
        ("a.json", "{\"swagger\": \"2.0\"}", "error: It is of version 2 (Swagger)"),
        ("b.json", "{\"a\": 1}", "error: It is no OpenAPI document of version 3, no HAR"),
        ("a.yaml", "openapi: 3.1.0\n", "error: There is no operation."),
        ("a.js", "import http from 'k6/http';\n", "error: It is a script of k6"),
        ("b.js", "let a = 1;\n", "error: It is a program"),
        ("a.jmx", "<jmeterTestPlan>\n<hashTree>\n<Odd/>\n</hashTree></jmeterTestPlan>", "error: "),
    ] {
        fs::write(path(name), text).unwrap();
        let (code, _, errors) = duet(&["bench", "import", &path(name)]);
        assert!(code == 2 && errors.contains(said), "{name}: {code} {errors}");
        assert!(errors.contains(&format!("{}:", path(name))), "{errors}");
    }
    let plan = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bench/jmeter/orders.jmx");
    let said = duet_says(&["bench", "import", plan]);
    let next = format!("\nNext: duet bench run {plan}\n");
    assert!(said.starts_with("The plan ") && said.ends_with(&next), "{said}");
    assert!(said.contains(": first\n  POST /"), "{said}");
}

/// A script with statements in branches alone is one of a database, for the import and for a dry run.
#[test]
fn statements_in_branches_alone_are_tried() {
    let folder = Folder::new();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let text = "\\set n random(1, 2)\n\\if :n > 0\n\\if :n < 9\nSELECT 1;\n\\endif\n\\else\nSELECT 2;\n\\endif\n";
    fs::write(path("branch.sql"), text).unwrap();
    let file = path("branch.toml");
    let said = duet_says(&["bench", "import", "-f", &path("branch.sql"), "--out", &file]);
    assert!(said.contains("branch: first\n") && said.contains("SELECT 1"), "{said}");
    let tried = duet_says(&["bench", "run", &file, "--dry-run"]);
    assert!(tried.contains("branch: first\n") && tried.contains("SELECT 1"), "{tried}");
    // The same beside a service, which takes no statements.
    let url = ["--target", "http://127.0.0.1:1/"];
    let (code, _, errors) = duet(&[&["bench", "run", &file, "--dry-run"][..], &url].concat());
    assert!(code != 0 && errors.contains("sql"), "{code}: {errors}");
}

/// A recording and a collection become files that run; what is shown before is what is sent.
#[test]
fn recordings_and_collections_run() {
    let folder = Folder::new();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let place = service(FAST);
    let place = place.trim_end_matches("/thing");
    let har = format!(
        r#"{{"log": {{"entries": [{{"request": {{"method": "GET", "url": "{place}/a?b=c", "headers": [{{"name": "X-A", "value": "1"}}]}}, "response": {{"status": 200}}}}]}}}}"#
    );
    let collection = format!(
        r#"{{"info": {{"name": "c"}}, "variable": [{{"key": "at", "value": "{place}"}}], "item": [
        {{"name": "One", "request": {{"method": "GET", "url": "{{{{at}}}}/one"}},
          "event": [{{"listen": "test", "script": {{"exec": ["pm.response.to.have.status(200);", "pm.environment.set('ok', pm.response.json().ok);"]}}}}]}},
        {{"name": "Two", "request": {{"method": "GET", "url": "{{{{at}}}}/two?ok={{{{ok}}}}"}}}}]}}"#
    );
    for (name, text, first, count) in [
        ("r.har", har, "GET-/a: first\n  GET /a?b=c HTTP/1.1\n  Host: ", 1),
        ("c.json", collection, "One: first\n  GET /one HTTP/1.1\n  Host: ", 2),
    ] {
        fs::write(path(name), text).unwrap();
        let (file, out) = (path(&format!("{name}.toml")), path(&format!("{name}.out")));
        let said = duet_says(&["bench", "import", &path(name), "--out", &file]);
        assert!(said.contains(first) && said.contains("Next: duet bench run"), "{said}");
        assert_eq!(
            duet_says(&["bench", "run", &file, "--dry-run"]).matches(": first\n").count(),
            count
        );
        let (code, said, errors) = duet(&["bench", "run", &file, "-q", "--out", &out]);
        assert_eq!((code, &*errors), (0, ""), "{said}{}", fs::read_to_string(&file).unwrap());
        assert_eq!(result(&out)["totals"]["completed"], count as u64);
    }
}
