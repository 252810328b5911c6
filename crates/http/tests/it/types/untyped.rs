//! SQLite columns without a declared type: values are stored, compared, ordered and found as SQLite itself does with
//! the same literals.

use duet_testkit::http::Response;
use serde_json::{Value, json};

use crate::support::{App, Database, Setup, percent_encode};

const TABLES: &str = "
CREATE TABLE t (id INTEGER PRIMARY KEY, a, b ANY);
INSERT INTO t (a, b) VALUES (1, 1), (1.5, 1.5), ('1', '1'), ('2024', '2024'), (2024, 2024), ('abc', 'abc'),
  (NULL, NULL), (9e999, 9e999), ('', ''), ('1.0', '1.0'), (1.0, 1.0), (-3, -3), ('10', '10'), (0, 0);
CREATE TABLE sale (id INTEGER PRIMARY KEY, day DATE, price REAL);
INSERT INTO sale (day, price) VALUES ('2023-05-01', 2), ('2024-02-03', 3), ('2024-07-08', 4), ('2022-01-01', 9);
CREATE VIEW by_year AS SELECT min(id) id, strftime('%Y', day) AS year, count(*) AS n, sum(price) AS s
  FROM sale GROUP BY 2;
CREATE VIEW computed AS SELECT id, a || '' AS x, a AS y, CASE WHEN id % 2 THEN a ELSE id END AS z FROM t;
CREATE VIRTUAL TABLE note USING fts5(title, n);
INSERT INTO note (rowid, title, n) VALUES (1, '2024', 7), (2, 'red wine', 8);
";

fn start() -> (Database, App) {
    let database = Database::sqlite();
    database.exec(TABLES);
    let app = Setup::new(&database).with(|setup| setup.roles = vec!["duet.write"]).start();
    (database, app)
}

/// The first column of a query's rows, joined by commas.
fn oracle(database: &Database, sql: &str) -> Vec<String> {
    let connection = duet_testkit::sqlite::open(&database.file());
    let mut statement = connection.prepare(sql).unwrap_or_else(|error| panic!("{error} in {sql}"));
    let rows = statement.query_map([], |row| row.get::<_, i64>(0)).unwrap();
    rows.map(|id| id.unwrap().to_string()).collect()
}

fn get(app: &App, path: &str) -> Response {
    app.get(&format!("/ords/hr/{path}"))
}

fn ids(response: &Response) -> Vec<String> {
    assert_eq!(response.status, 200, "{}", response.text());
    let page = response.json();
    page["items"].as_array().unwrap().iter().map(|item| item["id"].to_string()).collect()
}

/// Literals of JSON, and the same of SQL.
const LITERALS: [(&str, &str); 12] = [
    ("1", "1"),
    ("1.0", "1.0"),
    ("15e-1", "15e-1"),
    ("2024", "2024"),
    ("-3", "-3"),
    ("12345678901234567890", "12345678901234567890"),
    ("true", "true"),
    ("\"1\"", "'1'"),
    ("\"2024\"", "'2024'"),
    ("\"1.0\"", "'1.0'"),
    ("\"abc\"", "'abc'"),
    ("\"\"", "''"),
];

#[test]
fn filters_compare_as_sqlite_does() {
    let (database, app) = start();
    let check = |(table, column): (&str, &str), condition: &str, sql: &str| {
        let q = format!("{{\"{column}\":{condition},\"$orderby\":{{\"id\":1}}}}");
        let found = ids(&get(&app, &format!("{table}/?limit=100&q={}", percent_encode(&q))));
        let expected =
            oracle(&database, &format!("SELECT id FROM {table} WHERE {column} {sql} ORDER BY id"));
        assert_eq!(found, expected, "{table} {q}: {sql}");
    };
    for column in [("t", "a"), ("t", "b"), ("computed", "x"), ("computed", "y"), ("computed", "z")]
        .into_iter()
        .chain([("by_year", "year"), ("by_year", "n"), ("by_year", "s")])
    {
        for (json, sql) in LITERALS {
            check(column, json, &format!("= {sql}"));
            for (operator, of_sql) in
                [("$ne", "<>"), ("$lt", "<"), ("$lte", "<="), ("$gt", ">"), ("$gte", ">=")]
            {
                check(column, &format!("{{\"{operator}\":{json}}}"), &format!("{of_sql} {sql}"));
            }
            check(column, &format!("{{\"$in\":[{json},7]}}"), &format!("IN ({sql}, 7)"));
            check(column, &format!("{{\"$nin\":[{json}]}}"), &format!("NOT IN ({sql})"));
            let between = (format!("{{\"$between\":[0,{json}]}}"), format!("BETWEEN 0 AND {sql}"));
            check(column, &between.0, &between.1);
        }
        check(column, "{\"$like\":\"1%\"}", "GLOB '1*'");
        check(column, "null", "IS NULL");
    }
    let found = get(&app, &format!("note/?q={}", percent_encode(r#"{"title":"2024"}"#)));
    assert_eq!(found.json()["items"][0]["n"], 7, "{}", found.text());
    let found = get(&app, &format!("note/?q={}", percent_encode(r#"{"n":{"$gt":7}}"#)));
    assert_eq!(found.json()["items"][0]["title"], "red wine", "{}", found.text());
}

/// A term of CQL has no type: one that is a number is compared with numbers by value, with texts as text.
#[test]
fn terms_of_cql_find_numbers_and_texts() {
    let (database, app) = start();
    let numbers = "typeof(a) IN ('integer', 'real')";
    for (cql, sql) in [
        ("a == 1", "a IN (1, '1')"),
        ("a == 1.0", "a IN (1, '1.0')"),
        ("a <> 1", "a NOT IN (1, '1')"),
        ("a == ABC", "a = 'abc'"),
        ("a > 1", "typeof(a) = 'text' AND a > '1' OR NUMBERS AND a > 1"),
        ("a >= 1", "typeof(a) = 'text' AND a >= '1' OR NUMBERS AND a >= 1"),
        ("a < 10", "typeof(a) = 'text' AND a < '10' OR NUMBERS AND a < 10"),
        ("a <= \"10\"", "typeof(a) = 'text' AND a <= '10' OR NUMBERS AND a <= 10"),
        ("a >/number 1", "NUMBERS AND a > 1"),
        ("a </number 2024", "NUMBERS AND a < 2024"),
        ("a ==/number 1", "a = 1"),
        ("a >/string 1", "a > '1'"),
        ("a ==/string 1", "a = '1'"),
        ("a > abb", "a > 'abb'"),
        ("a within \"1 3000\"", "a BETWEEN 1 AND 3000 OR a BETWEEN '1' AND '3000'"),
    ] {
        let path = format!("t/?limit=100&query={}", percent_encode(&format!("{cql} sortBy id")));
        let sql = sql.replace("NUMBERS", numbers);
        let expected = oracle(&database, &format!("SELECT id FROM t WHERE {sql} ORDER BY id"));
        assert_eq!(ids(&get(&app, &path)), expected, "{cql}");
    }
    let years = |cql: &str| {
        let path = format!("by_year/?query={}", percent_encode(&format!("{cql} sortBy id")));
        ids(&get(&app, &path))
    };
    assert_eq!(years("year == 2024"), ["2"]);
    assert_eq!(years("year >= 2023"), ["1", "2"]);
    assert_eq!(years("n > 1"), ["2"]);
    assert_eq!(get(&app, "t/?query=a%20%3E%2Fnumber%20x").status, 400);
}

#[test]
fn pages_and_groups_are_those_of_sqlite() {
    let (database, app) = start();
    for column in ["a", "b"] {
        for direction in ["ASC", "DESC"] {
            let order = format!("{{\"$orderby\":{{\"{column}\":\"{direction}\"}}}}");
            let q = percent_encode(&order);
            let expected = oracle(
                &database,
                &format!("SELECT id FROM t ORDER BY {column} IS NULL, {column} {direction}, id"),
            );
            let mut path = format!("t/?after=&limit=2&q={q}");
            let mut found = Vec::new();
            for _ in 0..20 {
                let response = get(&app, &path);
                found.extend(ids(&response));
                let page = response.json();
                let links = page["links"].as_array().unwrap();
                let next = links.iter().find(|link| link["rel"] == "next");
                let Some(next) = next.and_then(|link| link["href"].as_str()) else { break };
                path = format!("t/?{}", next.split_once('?').unwrap().1);
            }
            assert_eq!(found, expected, "{column} {direction}");
        }
        let q = format!("{{\"$group\":{{\"by\":\"{column}\",\"n\":{{\"$count\":\"*\"}}}}}}");
        let groups = get(&app, &format!("t/?limit=100&q={}", percent_encode(&q)));
        assert_eq!(groups.status, 200, "{q} {}", groups.text());
        let groups = groups.json();
        let counts = groups["items"].as_array().unwrap().iter().map(|item| item["n"].to_string());
        let sql =
            format!("SELECT count(*) FROM t GROUP BY {column} ORDER BY {column} IS NULL, {column}");
        assert_eq!(counts.collect::<Vec<_>>(), oracle(&database, &sql), "{groups}");
        let having = format!("{},\"$having\":{{\"{column}\":\"1\"}}}}", &q[..q.len() - 1]);
        let found = get(&app, &format!("t/?q={}", percent_encode(&having))).json();
        let expected = oracle(&database, &format!("SELECT count(*) FROM t WHERE {column} = '1'"));
        assert_eq!(found["items"][0]["n"].to_string(), expected[0], "{having} {found}");
    }
}

fn send(app: &App, method: &str, path: &str, body: &str) -> Response {
    let bearer = app.bearer();
    let headers = [("Authorization", &*bearer), ("Content-Type", "application/json")];
    app.connect().request(method, &format!("/ords/hr/{path}"), &headers, body.as_bytes())
}

#[test]
fn numbers_are_stored_as_the_literal_is() {
    let database = Database::sqlite();
    database.exec(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a, twin); CREATE TABLE j (id INTEGER PRIMARY KEY, j JSON)",
    );
    let app = Setup::new(&database).with(|setup| setup.roles = vec!["duet.write"]).start();
    let literals =
        ["1", "1.0", "1e3", "-0", "-0.5", "12345678901234567890", "9223372036854775807", "1.5E-3"];
    for (at, literal) in literals.into_iter().enumerate() {
        let id = at + 1;
        let made = send(&app, "POST", "t/", &format!("{{\"id\":{id},\"a\":{literal}}}"));
        assert_eq!(made.status, 201, "{literal}: {}", made.text());
        database.exec(&format!("UPDATE t SET twin = {literal} WHERE id = {id}"));
        let same = format!(
            "SELECT count(*) FROM t WHERE id = {id} AND typeof(a) = typeof(twin) AND a = twin"
        );
        assert_eq!(database.count(&same), 1, "{literal}");
        let item = get(&app, &format!("t/{id}"));
        let text = item.text();
        assert!(item.json()["a"].is_number(), "{literal}: {text}");
        assert_eq!(item.json()["a"], item.json()["twin"], "{literal}: {text}");
        // As read, it can be sent back, and is found by its value.
        assert_eq!(send(&app, "PUT", &format!("t/{id}"), text).status, 200, "{literal}");
        assert_eq!(database.count(&same), 1, "{literal} sent back");
        let found = get(&app, &format!("t/?q={}", percent_encode(&format!("{{\"a\":{literal}}}"))));
        assert!(ids(&found).contains(&id.to_string()), "{literal}");
    }
    for text in ["\"1.0\"", "\"007\"", "true"] {
        let made = send(&app, "POST", "t/", &format!("{{\"a\":{text}}}"));
        let expected = if text == "true" { json!(1) } else { text.parse::<Value>().unwrap() };
        assert_eq!((made.status, &made.json()["a"]), (201, &expected), "{text}");
    }
    let refused = send(&app, "POST", "t/", "{\"a\":1e400}");
    assert_eq!(refused.status, 400, "{}", refused.text());
    assert_eq!(refused.json()["errors"][0]["pointer"], "/a", "{}", refused.text());
    for json in ["[1e400]", "1e400", "-1e999"] {
        let stored = send(&app, "POST", "j/", &format!("{{\"j\":{json}}}"));
        assert!(stored.text().contains(&format!("\"j\":{json}")), "{}", stored.text());
    }
    assert_eq!(database.count("SELECT count(*) FROM j"), 3);
}

#[test]
fn keys_lead_to_the_row_that_shows_them() {
    let database = Database::sqlite();
    database.exec(
        "CREATE TABLE k (a PRIMARY KEY, b); INSERT INTO k VALUES (5, 'int'), ('6', 'text'), (1.5, 'real'),
           (2.0, 'whole real'), ('x y', 'words'), ('1e3', 'digits'), ('007', 'zeros'), (1e300, 'large'),
           (x'0102', 'bytes'), (-1, 'negative');",
    );
    let app = Setup::new(&database).with(|setup| setup.roles = vec!["duet.write"]).start();
    let page = get(&app, "k/?limit=100").json();
    let items = page["items"].as_array().unwrap();
    assert_eq!(items.len(), 10);
    for item in items {
        let own = item["links"][0]["href"].as_str().unwrap();
        let key = own.rsplit('/').next().unwrap();
        let path = format!("k/{key}");
        let found = get(&app, &path);
        assert_eq!((found.status, &found.json()["b"]), (200, &item["b"]), "{path}");
        assert_eq!(
            get(&app, &format!("k/?ids={key}")).json()["items"][0]["b"],
            item["b"],
            "{path}"
        );
        let put = send(&app, "PUT", &path, found.text());
        assert_eq!((put.status, &put.json()["b"]), (200, &item["b"]), "{path}: {}", put.text());
        let patched = send(&app, "PATCH", &path, r#"{"b":"new"}"#);
        assert_eq!((patched.status, &patched.json()["b"]), (200, &json!("new")), "{path}");
        assert_eq!(database.count("SELECT count(*) FROM k WHERE b = 'new'"), 1, "{path}");
        assert_eq!(send(&app, "DELETE", &path, "").status, 200, "{path}");
        assert_eq!(database.count("SELECT count(*) FROM k WHERE b = 'new'"), 0, "{path}");
    }
    // A new row under a key that is a number has the number.
    assert_eq!(send(&app, "PUT", "k/8", r#"{"b":"new"}"#).status, 201);
    assert_eq!(send(&app, "PUT", "k/eight", r#"{"b":"new"}"#).status, 201);
    assert_eq!(database.count("SELECT count(*) FROM k WHERE a = 8 OR a = 'eight'"), 2);
    // A number and the text of it have one path, which is refused.
    database.exec("INSERT INTO k VALUES ('8', 'text')");
    for method in ["GET", "PATCH", "DELETE"] {
        let refused = send(&app, method, "k/8", r#"{"b":"newer"}"#);
        let code = refused.json()["errors"][0]["code"].clone();
        assert_eq!((refused.status, code), (409, json!("DUET-1020")), "{}", refused.text());
    }
    assert_eq!(database.count("SELECT count(*) FROM k WHERE b = 'newer'"), 0);
    let by_text = get(&app, &format!("k/?q={}", percent_encode(r#"{"a":"8"}"#)));
    assert_eq!(by_text.json()["items"][0]["b"], "text");
}
