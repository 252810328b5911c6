//! Services of an application's folder, the same on both stores: golden cases in `golden/services`.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

use std::fs;
use std::path::Path;

use duet_testkit::command::Running;
use duet_testkit::golden::{self, Case, mask_asof};
use duet_testkit::http::{self, Response};
use duet_testkit::postgres::Server;
use duet_testkit::sqlite::Folder;

/// A copy of a case's application beside its database.
fn copied(case: &Case, folder: &Path) {
    fs::create_dir_all(folder.join("services")).unwrap();
    fs::copy(case.dir.join("app.toml"), folder.join("app.toml")).unwrap();
    for entry in fs::read_dir(case.dir.join("services")).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), folder.join("services").join(entry.file_name())).unwrap();
    }
}

fn serve(folder: &Path, database: &str) -> Running {
    let app = folder.join("app.toml").display().to_string();
    Running::start(&["serve", database, "--config", &app, "--listen", "0", "--open", "all"])
}

/// What a server answers to the requests of a case, as text.
fn transcript(case: &Case, server: &Running) -> String {
    let mut out = String::new();
    for line in case.read("requests").lines() {
        let mut parts = line.splitn(3, ' ');
        let (method, path) = (parts.next().unwrap(), parts.next().unwrap());
        let body = parts.next().unwrap_or("");
        let path = path.replace('"', "%22").replace('{', "%7B").replace('}', "%7D");
        let headers: &[(&str, &str)] =
            if body.is_empty() { &[] } else { &[("Content-Type", "application/json")] };
        let url = format!("{}{path}", server.url());
        let response = http::request(method, &url, headers, body.as_bytes());
        out.push_str(&format!("### {line}\n{}\n", shown(&response).replace(&server.url(), "BASE")));
    }
    out
}

fn shown(response: &Response) -> String {
    let mut out = response.status.to_string();
    for name in ["Location", "Allow", "ETag", "Content-Type", "X-Answer"] {
        if let Some(value) = response.header(name) {
            out.push_str(&format!("\n{name}: {value}"));
        }
    }
    let text = response.text();
    let text = match serde_json::from_str::<serde_json::Value>(text) {
        Ok(mut json) if response.status >= 400 => {
            // Differs from request to request.
            json.as_object_mut().map(|problem| problem.remove("instance"));
            format!("{json:#}")
        }
        _ => mask_asof(text),
    };
    format!("{out}\n{}", without_instances(&text))
}

/// A text without the numbers of requests, which problems of batches have.
fn without_instances(text: &str) -> String {
    let mut parts = text.split("tag:duet,2026:request/");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find('"').unwrap_or(part.len());
        out.push_str(&format!("tag:duet,2026:request/…{}", &part[end..]));
    }
    out
}

#[test]
fn the_same_on_both_stores() {
    golden::run("services", |case| {
        let folder = Folder::new();
        let schema = case.read("schema.sql");
        let file = folder.load("data.db", &[&schema]);
        copied(case, folder.path());
        let sqlite = transcript(case, &serve(folder.path(), &file.display().to_string()));
        case.expect("result.txt", &sqlite);
        let database =
            Server::shared().database(&format!("services_{}", case.name().replace('-', "_")));
        database.exec(&schema);
        // Functions that SQLite has no counterpart of.
        database.exec(&case.try_read("schema.postgres.sql").unwrap_or_default());
        let postgres = transcript(case, &serve(folder.path(), &database.url()));
        assert_eq!(postgres, sqlite, "{}", case.name());
    });
}

/// What `duet check` says of a service with this text, over a table `sale`.
fn checked(text: &str, database: &str, folder: &Path) -> String {
    fs::create_dir_all(folder.join("services")).unwrap();
    let app = "name = 'a'\nmount = '/a'\nservices = ['services/*.sql']\n";
    fs::write(folder.join("app.toml"), app).unwrap();
    fs::write(folder.join("services/one.sql"), text).unwrap();
    let app = folder.display().to_string();
    let (_, out, errors) = crate::duet(&["check", &app, "--database", database]);
    out + &errors
}

#[test]
fn check_points_at_mistakes() {
    let folder = Folder::new();
    let schema = "CREATE TABLE sale (id integer PRIMARY KEY, amount integer)";
    let file = folder.load("data.db", &[schema]).display().to_string();
    let database = Server::shared().database("services_check");
    database.exec(schema);
    let parameters = "-- [parameters]\n-- id = { type = \"integer\" }\n";
    for (text, place, line) in [
        ("SELECT amont FROM sale", "services/one.sql:1:8", "SELECT amont FROM sale"),
        ("SELECT 1 AS a FROM sael", "services/one.sql:1:20", "FROM sael"),
        ("SELECT id, id FROM sale", "services/one.sql:1:1", "two columns"),
        (
            "-- result = \"row\"\n-- [answers.ok]\n-- body = \"{idd}\"\nSELECT id FROM sale",
            "services/one.sql:3:12",
            "neither a column nor a parameter",
        ),
        ("-- key = [\"no\"]\nSELECT id FROM sale", "services/one.sql:2:1", "no column"),
        (
            "-- method = \"POST\"\n-- result = \"row\"\n-- location = \"/sale/{zz}\"\nINSERT INTO sale (amount) VALUES (1) RETURNING id",
            "services/one.sql:4:1",
            "`location` has {zz}, which is neither a column nor a parameter",
        ),
    ] {
        for database in [&file, &database.url()] {
            let said = checked(text, database, folder.path());
            // SQLite does not say where a table is named.
            let is_there = said.contains(place)
                || text.contains("sael") && said.contains("services/one.sql:1:1");
            assert!(is_there && said.contains(line), "{said}");
        }
    }
    let wrong =
        format!("{parameters}SELECT id\nFROM sale WHERE id = :id || 1 AND amount = date(:id)");
    let said = checked(&wrong, &database.url(), folder.path());
    assert!(said.contains("services/one.sql:4:") && said.contains('^'), "{said}");
    let right = format!("{parameters}SELECT id FROM sale WHERE id = :id");
    for database in [&file, &database.url()] {
        let said = checked(&right, database, folder.path());
        assert!(said.contains("a fits "), "{said}");
    }
}

/// Functions that services name.
const ROUTINES: &str = "CREATE TABLE sale (id integer PRIMARY KEY, amount integer);
    CREATE FUNCTION double(value integer, times integer DEFAULT 2) RETURNS integer LANGUAGE sql AS 'SELECT value * times';
    CREATE FUNCTION twice(a integer) RETURNS integer LANGUAGE sql AS 'SELECT a * 2';
    CREATE FUNCTION twice(a text) RETURNS text LANGUAGE sql AS 'SELECT a || a';
    CREATE FUNCTION shown(a uuid) RETURNS text LANGUAGE sql AS 'SELECT a::text';
    CREATE FUNCTION loose() RETURNS SETOF record LANGUAGE sql AS 'SELECT 1, 2';
    CREATE FUNCTION nothing() RETURNS void LANGUAGE sql AS 'SELECT';
    CREATE PROCEDURE clear() LANGUAGE sql AS 'DELETE FROM sale'";

#[test]
fn check_says_why_a_routine_is_no_service() {
    let folder = Folder::new();
    let schema = "CREATE TABLE sale (id integer PRIMARY KEY, amount integer)";
    let file = folder.load("data.db", &[schema]).display().to_string();
    let database = Server::shared().database("services_routines_check");
    database.exec(ROUTINES);
    let value = "-- [parameters]\n-- value = { type = \"integer\" }\n";
    let post = "-- method = \"POST\"\n";
    let right = format!("-- routine = \"double\"\n-- result = \"row\"\n{value}");
    let said = checked(&right, &database.url(), folder.path());
    assert!(said.contains("a fits "), "{said}");
    let said = checked(&right, &file, folder.path());
    let wrong = "This database has no stored functions, but `routine` names `double`.";
    assert!(said.contains(wrong) && said.contains("services/one.sql:1:14"), "{said}");
    let a = value.replace("value", "a");
    for (text, place, wrong) in [
        (
            "-- routine = \"doubel\"".to_owned(),
            "1:14",
            "There is no function or procedure `doubel`",
        ),
        ("-- routine = \"sale.double\"".to_owned(), "1:14", "There is no function or procedure"),
        ("-- routine = \"double\"".to_owned(), "1:14", "needs the argument `value`"),
        (format!("-- routine = \"clear\"\n{post}{value}"), "1:14", "has no argument `value`"),
        ("-- routine = \"clear\"".to_owned(), "1:14", "is a procedure, and the service reads"),
        (format!("-- routine = \"clear\"\n{post}"), "1:14", "public.clear() gives nothing"),
        (format!("-- routine = \"nothing\"\n{post}"), "1:14", "public.nothing() gives nothing"),
        ("-- routine = \"loose\"".to_owned(), "1:14", "columns are not declared"),
        (
            format!("-- routine = \"twice\"\n{a}"),
            "1:14",
            "`public.twice(integer)`, `public.twice(text)`",
        ),
        (format!("-- routine = \"twice(uuid)\"\n{a}"), "1:14", "There is no function or procedure"),
        (
            format!("-- routine = \"shown\"\n{a}"),
            "1:14",
            "refuses the call of shown: cannot cast type bigint to uuid",
        ),
        ("-- routine = \"double(\"".to_owned(), "1:14", "`routine` cannot be \"double(\""),
        (format!("-- routine = \"double\"\n{value}SELECT :value"), "1:14", "has no statements"),
    ] {
        let said = checked(&text, &database.url(), folder.path());
        let place = format!("services/one.sql:{place}");
        assert!(said.contains(&place) && said.contains(wrong), "{text}\n{said}");
    }
    let named = format!("-- routine = \"public.twice( INTEGER )\"\n{a}");
    let said = checked(&named, &database.url(), folder.path());
    assert!(said.contains("a fits "), "{said}");
}

#[test]
fn a_routine_with_a_key_takes_effect_once() {
    let folder = Folder::new();
    let database = Server::shared().database("services_routines_key");
    database.exec(
        "CREATE TABLE sale (id integer PRIMARY KEY, amount integer);
         INSERT INTO sale VALUES (1, 10);
         CREATE FUNCTION add(sale_id integer, more integer) RETURNS SETOF sale LANGUAGE sql
           AS 'UPDATE sale SET amount = amount + more WHERE id = sale_id RETURNING *';
         COMMENT ON FUNCTION add IS 'Adds to a sale'",
    );
    let text = "-- routine = \"add\"\n-- method = \"POST\"\n-- path = \"/sale/{sale_id}/add\"\n\
        -- result = \"row\"\n-- [parameters]\n-- sale_id = { type = \"integer\" }\n\
        -- more = { type = \"integer\", maximum = 5 }\n";
    checked(text, &database.url(), folder.path());
    let (code, out, errors) = crate::duet(&["service", "prepare", "--database", &database.url()]);
    assert_eq!(code, 0, "{out}{errors}");
    let server = serve(folder.path(), &database.url());
    let add = |body: &str| {
        let headers = [("Content-Type", "application/json"), ("Idempotency-Key", "\"k\"")];
        let url = format!("{}/a/sale/1/add", server.url());
        http::request("POST", &url, &headers, body.as_bytes())
    };
    for replayed in [None, Some("true")] {
        let answer = add(r#"{"more":5}"#);
        assert_eq!((answer.status, answer.text()), (200, r#"{"id":1,"amount":15}"#));
        assert_eq!(answer.header("Idempotent-Replayed"), replayed);
    }
    assert_eq!(add(r#"{"more":4}"#).status, 422);
    assert_eq!(add(r#"{"more":6}"#).status, 422);
    let described = http::get(&format!("{}/a/open-api-catalog/", server.url()), &[]).json();
    let post = &described["paths"]["/sale/{sale_id}/add"]["post"];
    assert!(post.to_string().contains("Adds to a sale"), "{described:#}");
}

#[test]
fn the_example_of_the_manual() {
    let manual = fs::read_to_string(golden::workspace().join("docs/services.md")).unwrap();
    let block = |language: &str| {
        let start = format!("```{language}\n");
        manual.split(&start).nth(1).unwrap().split("```").next().unwrap().to_owned()
    };
    let folder = Folder::new();
    let rows = "CREATE TABLE sale (id text PRIMARY KEY, account text, amount integer);
        INSERT INTO sale VALUES ('a', 'ann', 10), ('b', 'bob', 30), ('c', 'ann', 40)";
    let file = folder.load("data.db", &[rows]).display().to_string();
    fs::create_dir(folder.path().join("services")).unwrap();
    fs::write(folder.path().join("app.toml"), block("toml")).unwrap();
    fs::write(folder.path().join("services/large.sql"), block("sql")).unwrap();
    let server = serve(folder.path(), &file);
    let url = format!("{}/shop/large?least=20&q=%7B%22account%22:%22ann%22%7D", server.url());
    let page = http::get(&url, &[]).json();
    assert_eq!(page["items"], serde_json::json!([{"id": "c", "account": "ann", "amount": 40}]));
}

#[test]
fn a_service_that_no_longer_fits_answers_503_until_it_does() {
    let folder = Folder::new();
    let file =
        folder.load("data.db", &["CREATE TABLE sale (id integer PRIMARY KEY, amount integer)"]);
    fs::create_dir(folder.path().join("services")).unwrap();
    let app = "name = 'a'\nmount = '/a'\nservices = ['services/*.sql']\n";
    fs::write(folder.path().join("app.toml"), app).unwrap();
    fs::write(folder.path().join("services/all.sql"), "SELECT amount FROM sale").unwrap();
    let server = serve(folder.path(), &file.display().to_string());
    let status = || http::get(&format!("{}/a/all", server.url()), &[]).status;
    assert_eq!(status(), 200);
    let alter = |sql: &str| duet_testkit::sqlite::open(&file).execute_batch(sql).unwrap();
    alter("ALTER TABLE sale RENAME COLUMN amount TO total");
    duet_testkit::command::wait_until("the service does not fit", || status() == 503);
    alter("ALTER TABLE sale RENAME COLUMN total TO amount");
    duet_testkit::command::wait_until("the service fits again", || status() == 200);
}

/// Sums by account, read by key.
const ACCOUNTS: &str = "-- key = [\"account\"]\n-- [columns]\n-- total = \"integer\"\n\
    SELECT account, sum(amount) AS total FROM sale GROUP BY account";

/// An application with the service `accounts`, of which `[resources.accounts]` says this.
fn write_accounts(folder: &Path, settings: &str, text: &str) {
    fs::create_dir_all(folder.join("services")).unwrap();
    let app = format!(
        "name = 'a'\nmount = '/a'\nservices = ['services/*.sql']\ntables = 'all'\n\
         [resources.accounts]\n{settings}\n"
    );
    fs::write(folder.join("app.toml"), app).unwrap();
    fs::write(folder.join("services/accounts.sql"), text).unwrap();
}

const SALES: &str =
    "CREATE TABLE sale (id integer PRIMARY KEY, account text NOT NULL, amount integer NOT NULL);
    INSERT INTO sale VALUES (1, 'ann', 10), (2, 'bob', 30), (3, 'ann', 40)";

#[test]
fn items_of_services_come_from_memory_until_a_commit() {
    let folder = Folder::new();
    write_accounts(folder.path(), "rowstore = '1MB'\npage_size = 1", ACCOUNTS);
    let file = folder.load("data.db", &[SALES]).display().to_string();
    let database = Server::shared().database("services_rowstore");
    database.exec(SALES);
    let app = folder.path().join("app.toml").display().to_string();
    for database in [file, database.url()] {
        let args = ["serve", &database, "--config", &app, "--listen", "0", "--open", "all"];
        let server = Running::start(&[&args[..], &["--rowstore-max-age", "off"]].concat());
        let read = |key: &str| {
            let item = http::get(&format!("{}/a/accounts/{key}", server.url()), &[]);
            let cache = item.header("X-Cache").unwrap_or_default().to_owned();
            (item.status, cache, item.json()["total"].clone())
        };
        let is = |key, status, cache: &str, total: serde_json::Value| {
            assert_eq!(read(key), (status, cache.to_owned(), total), "{database}");
        };
        is("ann", 200, "miss", 50.into());
        is("ann", 200, "hit", 50.into());
        is("zoe", 404, "", serde_json::Value::Null);
        is("zoe", 404, "", serde_json::Value::Null);
        let body = br#"{"id": 4, "account": "zoe", "amount": 7}"#;
        let json = [("Content-Type", "application/json")];
        let made = http::request("POST", &format!("{}/a/sale/", server.url()), &json, body);
        assert_eq!(made.status, 201);
        is("zoe", 200, "miss", 7.into());
        is("ann", 200, "miss", 50.into());
        is("ann", 200, "hit", 50.into());
        let page = http::get(&format!("{}/a/accounts/", server.url()), &[]).json();
        assert_eq!((&page["limit"], &page["count"]), (&1.into(), &1.into()));
    }
}

#[test]
fn settings_that_a_service_cannot_have_are_refused() {
    let folder = Folder::new();
    let file = folder.load("data.db", &[SALES]).display().to_string();
    let database = Server::shared().database("services_settings");
    database.exec(SALES);
    let app = folder.path().display().to_string();
    let rows = "SELECT account FROM sale";
    let timed = "-- key = [\"id\"]\nSELECT id, CURRENT_TIMESTAMP AS at FROM sale";
    let writes = "-- method = \"POST\"\n-- result = \"count\"\nDELETE FROM sale";
    for (settings, text, wrong) in [
        ("rowstore = '1MB'", rows, "accounts is a service without items, which `rowstore` is for"),
        ("rowstore_populate = true", rows, "without items, which `rowstore_populate` is for"),
        ("rowstore = '1MB'", timed, "changes without a commit, by \"CURRENT_TIMESTAMP\""),
        ("rowstore = '1MB'", writes, "`rowstore` is for those that read rows"),
        ("page_size = 3", writes, "`page_size` is for those that read rows"),
        ("hidden = ['account']", ACCOUNTS, "`hidden` is for tables and views"),
        ("class = 'batch'", ACCOUNTS, "`class` is for tables and views"),
        ("commit = 'async'", ACCOUNTS, "`commit` is for tables and views"),
        ("commit_allowed = ['memory']", ACCOUNTS, "`commit_allowed` is for tables and views"),
    ] {
        write_accounts(folder.path(), settings, text);
        for database in [&file, &database.url()] {
            let (_, out, errors) = crate::duet(&["check", &app, "--database", database]);
            let said = out + &errors;
            assert!(said.contains(wrong) && said.contains("app.toml:6:1"), "{settings}\n{said}");
        }
    }
    // Of several all are said.
    let settings =
        ["page_size = 3", "rowstore = '1MB'", "hidden = ['account']", "commit = 'async'"];
    write_accounts(folder.path(), &settings.join("\n"), writes);
    for database in [&file, &database.url()] {
        let (_, out, errors) = crate::duet(&["check", &app, "--database", database]);
        let said = out + &errors;
        for setting in settings {
            let name = setting.split(' ').next().unwrap_or_default();
            assert!(said.contains(&format!("`{name}` is for ")), "{setting}\n{said}");
        }
    }
    write_accounts(folder.path(), "page_size = 3", rows);
    let (_, out, errors) = crate::duet(&["check", &app, "--database", &file]);
    assert!(out.contains("a fits "), "{out}{errors}");
}

#[test]
fn explain_takes_the_paths_of_services() {
    let folder = Folder::new();
    write_accounts(folder.path(), "page_size = 7", ACCOUNTS);
    let write = |name: &str, text: &str| {
        fs::write(folder.path().join("services").join(name), text).unwrap();
    };
    let of = "-- [parameters]\n-- account = { type = \"text\" }\n\
              -- least = { type = \"integer\", default = 5 }\n";
    let statement = "SELECT id, amount FROM sale WHERE account = :account AND amount >= :least";
    write("of.sql", &format!("-- path = \"/of/{{account}}/sales\"\n{of}{statement}"));
    write(
        "one.sql",
        &format!("-- path = \"/one/{{account}}\"\n-- result = \"row\"\n{of}{statement}"),
    );
    write("fixed.sql", "-- path = \"/ping\"\n-- [answers.ok]\n-- body = \"OK\"");
    let file = folder.load("data.db", &[SALES]).display().to_string();
    let database = Server::shared().database("services_explain");
    database.exec(SALES);
    let app = folder.path().join("app.toml").display().to_string();
    for database in [file, database.url()] {
        let explain = |path: &str| {
            let args = ["explain", "GET", path, &database, "--config", &app];
            let (code, out, errors) = crate::duet(&args);
            (code, out + &errors)
        };
        for (path, parts) in [
            (
                "/a/of/a%20b/sales?least=8&q={\"amount\":{\"$lt\":9}}",
                &["1: \"a b\"", "2: 8", "3: 9"][..],
            ),
            ("/a/one/ann", &["1: \"ann\"", "2: 5"]),
            ("/a/accounts/", &["sum(amount) AS total"]),
            ("/a/accounts/ann", &["\"ann\" (part 1 of the key)"]),
            ("/a/ping", &["fixed answer of services/fixed.sql"]),
        ] {
            let (code, said) = explain(path);
            let has = |part: &&str| said.contains(*part);
            let is_right = parts.iter().all(has) && !said.contains("CREATE INDEX");
            assert!(code == 0 && is_right, "{path} {said}");
        }
        for (path, part) in [
            ("/a/of/ann/sales?least=x", "`least` must be a whole number"),
            ("/a/one/ann?limit=3", "no parameter \"limit\""),
            ("/a/one", "Nothing is served at this path"),
        ] {
            let (code, said) = explain(path);
            assert!(code == 1 && said.contains(part), "{path} {said}");
        }
    }
}
