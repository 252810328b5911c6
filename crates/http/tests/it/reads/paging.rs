//! Pages followed to their end, by offset and by key, whatever clients do to the links.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::{App, Database, Setup, on_both_stores, percent_encode};

on_both_stores! {
    by_offset
    by_key
    by_key_with_awkward_values
    markers_survive_encoding
    totals
    links_go_back
    numbers_at_the_end_of_their_range
    rows_that_come_meanwhile
    pages_of_many_clients
    exact_totals_of_many_clients
}

/// Pages that differ in their values alone, requested by many at once: on PostgreSQL they share statements, and
/// each client gets its own page and total.
fn pages_of_many_clients(database: Database) {
    let app = start(&database);
    let before = app.service.store_counted();
    let page = |client: usize, number: usize| {
        let first = (client * 7 + number * 5) % 64;
        let q = percent_encode(&format!(r#"{{"part_id":{{"$gte":{first}}}}}"#));
        let list = app.get(&format!("/ords/hr/part/?q={q}&limit=5")).json();
        let ids =
            list["items"].as_array().unwrap().iter().map(|it| it["part_id"].as_u64().unwrap());
        let from = u64::try_from(first.max(1)).unwrap();
        let expected: Vec<u64> = (from..=60).take(5).collect();
        assert_eq!(ids.collect::<Vec<_>>(), expected, "{first}");
        assert_eq!(list["hasMore"], Value::Bool(from + 5 <= 60), "{first}: {list}");
    };
    std::thread::scope(|scope| {
        for client in 0..8 {
            scope.spawn(move || (0..50).for_each(|number| page(client, number)));
        }
    });
    // How many do depends on how the clients meet.
    let shared = app.service.store_counted().keys - before.keys;
    assert!(database.is_sqlite() || shared > 10, "{shared} of 400 pages shared a statement");
}

/// Pages that are the last say their exact total themselves, so that on PostgreSQL they share statements too;
/// others are counted.
fn exact_totals_of_many_clients(database: Database) {
    let app = start(&database);
    let page = |client: usize, number: usize| {
        let first = (client * 7 + number * 5) % 64;
        let few = format!(r#"{{"part_id":{{"$between":[{first},{}]}}}}"#, first + 2);
        let many = format!(r#"{{"part_id":{{"$gte":{first}}}}}"#);
        for (q, behind) in [(few, first + 3), (many, 61)] {
            let list =
                app.get(&format!("/ords/hr/part/?q={}&limit=5&count=exact", percent_encode(&q)));
            let list = list.json();
            let expected = behind.min(61).saturating_sub(first.max(1));
            assert_eq!(list["total"], expected, "{q}: {list}");
            assert_eq!(list["items"].as_array().unwrap().len(), expected.min(5), "{q}");
            assert_eq!(list["hasMore"], expected > 5, "{q}");
        }
    };
    let before = app.service.store_counted();
    std::thread::scope(|scope| {
        for client in 0..8 {
            scope.spawn(move || (0..50).for_each(|number| page(client, number)));
        }
    });
    let shared = app.service.store_counted().keys - before.keys;
    assert!(database.is_sqlite() || shared > 10, "{shared} of 800 pages shared a statement");
}

/// The largest numbers give an empty page or a 400, in pages, streams, searches and with an exact count.
fn numbers_at_the_end_of_their_range(database: Database) {
    let app = start(&database);
    let most = i64::MAX.to_string();
    for offset in [&most, &(i64::MAX - 1).to_string()] {
        for more in ["", "&limit=500", "&count=exact", &format!("&limit={most}")] {
            let page = app.get(&format!("/ords/hr/part/?offset={offset}{more}"));
            assert_eq!(page.status, 200, "{offset}{more}: {page:?}");
            let page = page.json();
            assert_eq!((&page["count"], &page["hasMore"]), (&0.into(), &false.into()), "{page}");
        }
        let path = format!("/ords/hr/part/?offset={offset}");
        for form in ["application/x-ndjson", "text/csv"] {
            let lines = app.get_with(&path, &[("Accept", form)]);
            let rows = lines.text().lines().count() - usize::from(form == "text/csv");
            assert_eq!((lines.status, rows), (200, 0), "{lines:?}");
        }
    }
    for path in [format!("?limit={most}"), format!("?limit={most}&count=exact")] {
        let page = app.get(&format!("/ords/hr/part/{path}"));
        assert_eq!((page.status, &page.json()["count"]), (200, &60.into()), "{path}");
    }
    let lines = app
        .get_with(&format!("/ords/hr/part/?limit={most}"), &[("Accept", "application/x-ndjson")]);
    assert_eq!((lines.status, lines.text().lines().count()), (200, 60));
    for name in ["offset", "limit"] {
        for number in ["9223372036854775808", "18446744073709551616", "1e3", "-1", "٣", "1.0"] {
            let wrong = app.get(&format!("/ords/hr/part/?{name}={}", percent_encode(number)));
            assert_eq!(wrong.status, 400, "{name}={number}: {wrong:?}");
            let told = wrong.json()["detail"].as_str().unwrap().to_owned();
            assert!(told.contains(&format!("`{name}`")), "{told}");
        }
    }
}

const TABLE: &str = "
CREATE TABLE part (part_id integer NOT NULL PRIMARY KEY, label text, weight numeric(8,2), made timestamp);
";

/// Labels with everything that a marker could stumble over, many of them equal, some NULL.
fn fill(database: &Database) {
    let labels =
        ["NULL", "''", "'~'", "'a,b'", "'%2C'", "'ü/€'", "'a b+c'", "'same'", "'same'", "'\"{}'"];
    let rows = (1..=60).map(|id| {
        let label = labels[id % labels.len()];
        let weight =
            if id % 7 == 0 { "NULL".to_owned() } else { format!("{}.{:02}", id % 5, id % 3) };
        let made = if id % 6 == 0 { "NULL" } else { "'2024-02-29 12:00:00'" };
        format!("({id}, {label}, {weight}, {made})")
    });
    let rows: Vec<String> = rows.collect();
    database.exec(&format!("{TABLE} INSERT INTO part VALUES {};", rows.join(", ")));
}

fn start(database: &Database) -> App {
    fill(database);
    Setup::new(database).start()
}

fn link(page: &Value, rel: &str) -> Option<String> {
    let links = page["links"].as_array().unwrap();
    let found = links.iter().find(|link| link["rel"] == rel)?;
    Some(found["href"].as_str().unwrap().to_owned())
}

/// The ids of all pages from this one on; `change` is what a client does to each link.
#[track_caller]
fn follow(app: &App, start: &str, change: impl Fn(&str) -> String) -> Vec<i64> {
    let mut ids = Vec::new();
    let mut path = start.to_owned();
    for _ in 0..100 {
        let response = app.get(&path);
        assert_eq!(response.status, 200, "{path} {response:?}");
        let page = response.json();
        let items = page["items"].as_array().unwrap();
        assert_eq!(page["count"], items.len(), "{path}");
        ids.extend(items.iter().map(|item| item["part_id"].as_i64().unwrap()));
        let next = link(&page, "next");
        assert_eq!(page["hasMore"], next.is_some(), "{path}");
        match next {
            Some(next) => path = change(next.strip_prefix(app.url()).unwrap()),
            None => return ids,
        }
    }
    panic!("the pages from {start} have no end");
}

/// The rows of a stream, in its order.
fn streamed(app: &App, path: &str) -> Vec<i64> {
    let answer = app.get_with(path, &[("Accept", "application/x-ndjson")]);
    assert_eq!(answer.status, 200, "{path} {answer:?}");
    let id = |line: &str| serde_json::from_str::<Value>(line).unwrap()["part_id"].as_i64().unwrap();
    String::from_utf8_lossy(&answer.body).lines().map(id).collect()
}

fn all_once(ids: &[i64]) -> bool {
    ids.len() == 60 && ids.iter().copied().collect::<BTreeSet<_>>() == (1..=60).collect()
}

fn by_offset(database: Database) {
    let app = start(&database);
    assert_eq!(follow(&app, "/ords/hr/part/", str::to_owned), (1..=60).collect::<Vec<_>>());
    assert_eq!(follow(&app, "/ords/hr/part/?limit=7", str::to_owned), (1..=60).collect::<Vec<_>>());
    let q = percent_encode(r#"{"$orderby":{"label":"desc"}}"#);
    assert!(all_once(&follow(&app, &format!("/ords/hr/part/?q={q}&limit=9"), str::to_owned)));
}

fn by_key(database: Database) {
    let app = start(&database);
    let ids = follow(&app, "/ords/hr/part/?after=", str::to_owned);
    assert_eq!(ids, (1..=60).collect::<Vec<_>>());
    // The first page is the same as without.
    let by_key = app.get("/ords/hr/part/?after=").json();
    assert_eq!(by_key["items"], app.get("/ords/hr/part/").json()["items"]);
    assert!(link(&by_key, "first").unwrap().ends_with("?after="));
}

fn by_key_with_awkward_values(database: Database) {
    let app = start(&database);
    for order in [
        r#"{"label":"asc"}"#,
        r#"{"label":"desc"}"#,
        r#"{"label":"asc","weight":"desc"}"#,
        r#"{"weight":"asc"}"#,
        r#"{"made":"desc","label":"asc"}"#,
        r#"{"part_id":"desc"}"#,
    ] {
        let q = percent_encode(&format!(r#"{{"$orderby":{order}}}"#));
        let by_key = follow(&app, &format!("/ords/hr/part/?after=&limit=7&q={q}"), str::to_owned);
        assert!(all_once(&by_key), "{order}: {by_key:?}");
        let by_offset = follow(&app, &format!("/ords/hr/part/?limit=60&q={q}"), str::to_owned);
        assert_eq!(by_key, by_offset, "{order}");
        let fields = format!("/ords/hr/part/?after=&limit=11&fields=part_id&q={q}");
        assert_eq!(follow(&app, &fields, str::to_owned), by_offset, "{order} with fields");
    }
}

/// A client that parses a link and builds it anew encodes what it likes.
fn markers_survive_encoding(database: Database) {
    let app = start(&database);
    let q = percent_encode(r#"{"$orderby":{"label":"asc","part_id":"desc"}}"#);
    let start = format!("/ords/hr/part/?after=&limit=7&q={q}");
    let plain = follow(&app, &start, str::to_owned);
    let all_bytes = |path: &str| {
        let (before, after) = path.split_once("after=").unwrap();
        let (marker, rest) = after.split_once('&').unwrap_or((after, ""));
        let encoded: String = marker.bytes().map(|byte| format!("%{byte:02x}")).collect();
        format!("{before}after={encoded}&{rest}")
    };
    assert_eq!(follow(&app, &start, all_bytes), plain);
    let commas = |path: &str| path.replace(',', "%2C").replace('~', "%7E");
    assert_eq!(follow(&app, &start, commas), plain);
    // Another order's marker is refused, not misread.
    let page = app.get(&start).json();
    let next = link(&page, "next").unwrap();
    let marker = next.split("after=").nth(1).unwrap().split('&').next().unwrap();
    let response = app.get(&format!("/ords/hr/part/?after={marker}"));
    assert_eq!(response.status, 400, "{response:?}");
}

fn totals(database: Database) {
    let app = start(&database);
    let page = app.get("/ords/hr/part/?count=exact&limit=3").json();
    assert_eq!((&page["total"], &page["totalExact"]), (&60.into(), &true.into()));
    let q = percent_encode(r#"{"label":"same"}"#);
    let page = app.get(&format!("/ords/hr/part/?count=exact&limit=3&q={q}")).json();
    assert_eq!((&page["total"], &page["count"]), (&12.into(), &3.into()));
    let page = app.get("/ords/hr/part/?count=exact&after=&limit=3").json();
    assert_eq!(page["total"], 60);
    assert!(app.get("/ords/hr/part/?count=none").json().get("total").is_none());
}

fn links_go_back(database: Database) {
    let app = start(&database);
    let page = app.get("/ords/hr/part/?limit=10&offset=15").json();
    let at = |rel: &str| link(&page, rel).map(|href| href.rsplit('?').next().unwrap().to_owned());
    assert_eq!(at("self").as_deref(), Some("limit=10&offset=15"));
    assert_eq!(at("next").as_deref(), Some("offset=25&limit=10"));
    assert_eq!(at("prev").as_deref(), Some("offset=5&limit=10"));
    assert_eq!(at("first").as_deref(), Some("limit=10"));
}

/// By key, rows that come or go before the place of reading move nothing.
fn rows_that_come_meanwhile(database: Database) {
    let app = start(&database);
    let page = app.get("/ords/hr/part/?after=&limit=10").json();
    database
        .exec("DELETE FROM part WHERE part_id < 5; INSERT INTO part VALUES (-1, 'x', 0, NULL);");
    let next = link(&page, "next").unwrap();
    let ids = follow(&app, next.strip_prefix(app.url()).unwrap(), str::to_owned);
    assert_eq!(ids, (11..=60).collect::<Vec<_>>());
}

/// SQLite lets NULL into primary keys, any number of times.
const NULL_KEYS: &str = "
CREATE TABLE word (word TEXT PRIMARY KEY, part_id INTEGER, label TEXT);
CREATE TABLE pair (a INTEGER, b TEXT, part_id INTEGER, label TEXT, PRIMARY KEY (a, b));
CREATE TABLE taken (rowid TEXT PRIMARY KEY, oid TEXT, part_id INTEGER, label TEXT);
CREATE TABLE made (at TIMESTAMP PRIMARY KEY, part_id INTEGER, label TEXT);";

#[test]
fn rows_whose_key_is_null_are_on_one_page_each() {
    let database = Database::sqlite();
    let mut script = NULL_KEYS.to_owned();
    for id in 1..=60 {
        let word = if id % 4 == 0 { "NULL".to_owned() } else { format!("'w{}'", 60 - id) };
        let (a, b) = (["NULL", "1", "2"][id % 3], if id % 5 < 2 { "NULL" } else { &word });
        let label = ["NULL", "'x'", "'y'"][id / 7 % 3];
        let at = if id % 4 == 0 { "NULL".to_owned() } else { format!("'2022-03-20 01:{id:02}'") };
        script.push_str(&format!(
            "INSERT INTO word VALUES ({word}, {id}, {label});
             INSERT INTO pair VALUES ({a}, {b}, {id}, {label});
             INSERT INTO taken VALUES ({word}, 'o', {id}, {label});
             INSERT INTO made VALUES ({at}, {id}, {label});"
        ));
    }
    database.exec(&script);
    let app = Setup::new(&database).start();
    let keys = [("word", "word"), ("pair", "b"), ("taken", "rowid"), ("made", "at")];
    for (table, key) in keys {
        let orders = [
            "{}".to_owned(),
            r#"{"label":"asc"}"#.to_owned(),
            r#"{"label":"desc"}"#.to_owned(),
            format!(r#"{{"{key}":"asc"}}"#),
            format!(r#"{{"{key}":"desc"}}"#),
            format!(r#"{{"label":"desc","{key}":"desc"}}"#),
        ];
        for order in orders {
            let q = percent_encode(&format!(r#"{{"$orderby":{order}}}"#));
            let all = follow(&app, &format!("/ords/hr/{table}/?limit=60&q={q}"), str::to_owned);
            assert!(all_once(&all), "{table} {order}: {all:?}");
            assert_eq!(streamed(&app, &format!("/ords/hr/{table}/?q={q}")), all, "{table} {order}");
            for limit in [1, 4, 7] {
                let path = format!("/ords/hr/{table}/?after=&limit={limit}&q={q}");
                assert_eq!(follow(&app, &path, str::to_owned), all, "{table} {order} by {limit}");
            }
        }
    }
    // No key leads to such a row, and so no link.
    let page = app.get("/ords/hr/word/?limit=1").json();
    assert!(
        page["items"][0]["word"].is_null() && page["items"][0].get("links").is_none(),
        "{page}"
    );
}
