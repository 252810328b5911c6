//! Texts of SQLite that no request can send: with U+0000, and of bytes that are no UTF-8. They are read alike in all
//! representations, pages go on behind them, and links lead to their rows.

use serde_json::Value;

use crate::support::{App, Database, Setup, percent_encode};

/// Texts in the order of their bytes.
const TEXTS: [&str; 7] = ["61", "6100", "610062", "62", "C3A9", "FF", "FF62"];

fn start() -> (Database, App) {
    let database = Database::sqlite();
    let typed: Vec<String> = TEXTS
        .iter()
        .enumerate()
        .map(|(at, hex)| format!("({}, CAST(x'{hex}' AS TEXT))", at + 1))
        .collect();
    let mut script = String::new();
    for (table, ty) in
        [("texts", "TEXT"), ("untyped", ""), ("days", "DATE"), ("folded", "TEXT COLLATE NOCASE")]
    {
        script += &format!(
            "CREATE TABLE {table} (id INTEGER PRIMARY KEY, v {ty}); INSERT INTO {table} VALUES {};
             CREATE TABLE {table}_key (v {ty} NOT NULL PRIMARY KEY, id INTEGER);
             INSERT INTO {table}_key SELECT v, id FROM {table};\n",
            typed.join(", ")
        );
    }
    database.exec(&script);
    let app = Setup::new(&database).without_poll().start();
    (database, app)
}

fn get(app: &App, path: &str) -> Value {
    let response = app.get(&format!("/ords/hr/{path}"));
    assert_eq!(response.status, 200, "{path}: {}", response.text());
    response.json()
}

/// The link of a page or an item, behind the mount.
fn link(of: &Value, relation: &str) -> Option<String> {
    let links = of["links"].as_array()?;
    let link = links.iter().find(|link| link["rel"] == relation)?;
    Some(link["href"].as_str()?.split_once("/ords/hr/")?.1.to_owned())
}

fn paged(app: &App, first: String) -> Vec<i64> {
    let (mut found, mut next) = (Vec::new(), Some(first));
    while let Some(path) = next.filter(|_| found.len() < 50) {
        let page = get(app, &path);
        found.extend(
            page["items"].as_array().unwrap().iter().filter_map(|item| item["id"].as_i64()),
        );
        next = link(&page, "next");
    }
    found
}

#[test]
fn pages_go_on_behind_them() {
    let (database, app) = start();
    for table in ["texts", "untyped", "days", "folded"] {
        for direction in ["ASC", "DESC"] {
            let q = percent_encode(&format!("{{\"$orderby\":{{\"v\":\"{direction}\"}}}}"));
            let connection = duet_testkit::sqlite::open(&database.file());
            let sql = format!("SELECT id FROM {table} ORDER BY v {direction}, id");
            let mut statement = connection.prepare(&sql).unwrap();
            let expected: Vec<i64> =
                statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
            let found = paged(&app, format!("{table}/?after=&limit=1&q={q}"));
            assert_eq!(found, expected, "{table} {direction}");
        }
        let keys = paged(&app, format!("{table}_key/?after=&limit=2"));
        assert_eq!(keys.len(), TEXTS.len(), "{table}: {keys:?}");
    }
}

#[test]
fn all_representations_have_the_same_text() {
    let (_database, app) = start();
    let items = get(&app, "texts/?q=%7B%22id%22:%7B%22$gte%22:4%7D%7D")["items"].clone();
    let texts: Vec<&str> =
        items.as_array().unwrap().iter().filter_map(|item| item["v"].as_str()).collect();
    assert_eq!(texts, ["b", "é", "\u{fffd}", "\u{fffd}b"]);
    for table in ["texts", "untyped"] {
        let csv = app.get_with(&format!("/ords/hr/{table}/"), &[("Accept", "text/csv")]);
        assert_eq!(
            csv.text(),
            "id,v\r\n1,a\r\n2,a\0\r\n3,a\0b\r\n4,b\r\n5,é\r\n6,\u{fffd}\r\n7,\u{fffd}b\r\n"
        );
        let lines =
            app.get_with(&format!("/ords/hr/{table}/"), &[("Accept", "application/x-ndjson")]);
        assert!(
            lines
                .text()
                .ends_with("{\"id\":6,\"v\":\"\u{fffd}\"}\n{\"id\":7,\"v\":\"\u{fffd}b\"}\n"),
            "{}",
            lines.text()
        );
    }
}

#[test]
fn links_lead_to_their_rows() {
    let (_database, app) = start();
    for table in ["texts_key", "untyped_key"] {
        // U+0000 is in no path.
        let q = "q=%7B%22id%22:%7B%22$gte%22:4%7D%7D";
        let items = get(&app, &format!("{table}/?{q}"))["items"].clone();
        assert_eq!(items.as_array().unwrap().len(), 4);
        for item in items.as_array().unwrap() {
            let path = link(item, "self").unwrap();
            assert_eq!(get(&app, &path)["id"], item["id"], "{path}");
        }
    }
}
