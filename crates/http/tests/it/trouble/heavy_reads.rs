//! Reads that would take minutes: none keeps a worker's event loop, and each is answered when its time is over.
//!
//! The server counts its own long turns, so nothing here measures a time.

use std::time::Duration;

use duet_testkit::http::Response;

use crate::support::{App, Database, Setup, on_both_stores, percent_encode};

on_both_stores! {
    orders_of_paths_are_taken_or_refused
}

/// 200 rows with a text of 100 KB, and a document with as long an array.
const ROWS: &str = "
CREATE TABLE t (id integer PRIMARY KEY, t text, j json, n integer);
CREATE INDEX t_n ON t (n);
WITH RECURSIVE
  word (i, text) AS (SELECT 1, 'aaaa' UNION ALL SELECT i + 1, text || ' w' || i || 'aaaaaaaaaa' FROM word WHERE i < 6000),
  number (i, text) AS (SELECT 1, '0' UNION ALL SELECT i + 1, text || ',' || i FROM number WHERE i < 15000),
  longest (text, numbers) AS (SELECT (SELECT text FROM word ORDER BY i DESC LIMIT 1), (SELECT text FROM number ORDER BY i DESC LIMIT 1)),
  row (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM row WHERE id < 200)
INSERT INTO t SELECT id, text, '{\"a\":[' || numbers || '],\"b\":\"' || text || '\"}', id FROM row, longest;
";

/// A turn longer than this is one in which the worker has done such work itself.
const LONG: Duration = Duration::from_secs(1);

fn started() -> (Database, App) {
    let database = Database::sqlite();
    database.exec(ROWS);
    let app = Setup::new(&database)
        .with(|setup| {
            setup.limits.statement_timeout = Duration::from_millis(300);
            setup.options.limits.long_turn = LONG;
        })
        .start();
    (database, app)
}

fn long_turns(app: &App) -> u64 {
    let text = app.get("/metrics").text().to_owned();
    let named = text.lines().filter_map(|line| line.strip_prefix("duet_worker_long_turns_total{"));
    named.map(|line| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap()).sum()
}

fn filtered(app: &App, filter: &str) -> Response {
    app.get(&format!("/ords/hr/t/?q={}", percent_encode(filter)))
}

/// Any of many conditions on a field.
fn any(count: usize, condition: impl Fn(usize) -> String) -> String {
    let conditions: Vec<String> = (0..count).map(condition).collect();
    format!("{{\"$or\":[{}]}}", conditions.join(","))
}

/// Each operator that reads values from end to end, as often as a filter may have it.
fn heavy() -> Vec<(&'static str, String)> {
    let on = |field: &'static str, operator: &'static str, of: fn(usize) -> String| {
        let condition = move |number| format!(r#"{{"{field}":{{"{operator}":{}}}}}"#, of(number));
        (operator, any(if operator == "$in" { 60 } else { 300 }, condition))
    };
    let absent = |number: usize| format!("\"zz{number}zz\"");
    let pattern = |number: usize| format!("\"%a{}b{number}%\"", "a".repeat(9));
    let list = |number: usize| {
        let numbers: Vec<String> = (0..20).map(|at| format!("-{}", number * 20 + at + 1)).collect();
        format!("[{}]", numbers.join(","))
    };
    let mut heavy = vec![
        on("t", "$like", pattern),
        on("t", "$like", |number| format!("\"%a_a_{number}b%\"")),
        on("t", "$ilike", pattern),
        on("t", "$instr", absent),
        on("t", "$hasSubstring", absent),
        on("t", "$text", absent),
        on("j.b", "$like", pattern),
        on("j.b", "$instr", absent),
        on("j.a", "$in", list),
        on("j.a", "$eq", |number| format!("-{}", number + 1)),
        on("j.a", "$size", |number| (number + 20_000).to_string()),
    ];
    for field in ["t", "j.b"] {
        let condition = move |number| format!(r#"{{"{field}":{{"$regex":"[a-w ]+{number}b$"}}}}"#);
        heavy.push(("$regex", any(10, condition)));
    }
    let order: Vec<String> = (0..30).map(|at| format!(r#""j.b{at}":"asc""#)).collect();
    heavy.push(("$orderby", format!(r#"{{"$orderby":{{{}}}}}"#, order.join(","))));
    heavy
}

#[test]
fn no_heavy_filter_keeps_the_event_loop() {
    let (_database, app) = started();
    assert_eq!(filtered(&app, r#"{"n":5}"#).status, 200);
    for (operator, filter) in heavy() {
        let response = filtered(&app, &filter);
        let [status, code] = [response.status.to_string(), response.text().to_owned()];
        assert!(
            response.status == 504 && code.contains("DUET-6003") || response.status == 200,
            "{operator}: {status} {code}"
        );
        assert_eq!(long_turns(&app), 0, "{operator}");
    }
}

/// One pattern of thousands of characters over long texts, which compares each place once.
#[test]
fn a_long_pattern_takes_no_longer_than_a_short_one() {
    let (_database, app) = started();
    for operator in ["$like", "$ilike"] {
        for pattern in [format!("%{}b", "a".repeat(900)), format!("{}b", "%a".repeat(450))] {
            let filter = format!(r#"{{"n":{{"$lt":3}},"t":{{"{operator}":"{pattern}"}}}}"#);
            let response = filtered(&app, &filter);
            assert_eq!(response.status, 200, "{response:?}");
        }
    }
    assert_eq!(long_turns(&app), 0);
}

/// Rows of 24 MB, as a stream and as a page: they are written beside the event loop.
#[test]
fn long_rows_are_written_beside_the_event_loop() {
    let database = Database::sqlite();
    database.exec(
        "CREATE TABLE t (id integer PRIMARY KEY, t text);
         INSERT INTO t VALUES (1, printf('%.*c', 24000000, 'x')), (2, printf('%.*c', 24000000, 'x'))",
    );
    let app = Setup::new(&database).with(|setup| setup.options.limits.long_turn = LONG).start();
    let stream = app.get_with("/ords/hr/t/", &[("Accept", "application/x-ndjson")]);
    assert_eq!((stream.status, stream.body.len() > 48_000_000), (200, true));
    let page = app.get("/ords/hr/t/");
    assert_eq!((page.status, page.body.len() > 48_000_000), (200, true));
    let again = app.get_with("/ords/hr/t/", &[("If-None-Match", page.header("etag").unwrap())]);
    assert_eq!((again.status, long_turns(&app)), (304, 0));
}

/// As many terms as an order may have at most, each a path inside JSON, and more of them.
fn orders_of_paths_are_taken_or_refused(database: Database) {
    database.exec("CREATE TABLE d (id integer PRIMARY KEY, j json)");
    database.exec(r#"INSERT INTO d VALUES (1, '{"a1":2}'), (2, '{"a1":1}')"#);
    let app =
        Setup::new(&database).with(|setup| setup.read_limits.filter.order = usize::MAX).start();
    let order = |count: usize| {
        let terms: Vec<String> = (0..count).map(|at| format!(r#""j.a{at}":1"#)).collect();
        format!(r#"{{"$orderby":{{{}}}}}"#, terms.join(","))
    };
    let found = app.get(&format!("/ords/hr/d/?q={}", percent_encode(&order(128))));
    assert_eq!((found.status, &found.json()["items"][0]["id"]), (200, &2.into()), "{found:?}");
    let body = format!(r#"{{"q":{}}}"#, order(900));
    let headers = [("Authorization", app.bearer()), ("Content-Type", "application/json".into())];
    let headers = headers.each_ref().map(|(name, value)| (*name, value.as_str()));
    let refused = app.connect().request("POST", "/ords/hr/d/search", &headers, body.as_bytes());
    assert_eq!(refused.status, 400, "{refused:?}");
    let error = &refused.json()["errors"][0];
    assert_eq!((&error["code"], &error["parameter"]), (&"DUET-2007".into(), &"q".into()));
    let place = usize::try_from(error["position"].as_u64().unwrap()).unwrap();
    assert!(order(900)[place..].starts_with(r#""j.a128""#), "{error}");
}
