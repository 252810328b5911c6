//! Pages as arrays of their items: `Accept: application/json; profile=rows`.

use serde_json::{Value, json};

use crate::support::{App, Database, Setup, on_both_stores, percent_encode};

on_both_stores! {
    rows_are_the_items_of_pages
    links_and_totals_are_headers
    conditions
    by_body_and_refused
}

const VIEW: &str = "CREATE JSON RELATIONAL DUALITY VIEW team_dv AS
  SELECT JSON { '_id' : t.team_id, 'name' : t.name } FROM team t;";

fn start(database: &Database) -> App {
    database.exec(
        "CREATE TABLE team (team_id integer NOT NULL PRIMARY KEY, name varchar(20), points integer);
         INSERT INTO team VALUES (1, 'Red Bull', 7), (2, NULL, 7), (3, 'Ferrari', 30);",
    );
    Setup::new(database).view("team_dv", VIEW).start()
}

const ROWS: (&str, &str) = ("Accept", "application/json; profile=rows");

fn rows_are_the_items_of_pages(database: Database) {
    let app = start(&database);
    let q = percent_encode(r#"{"points":7,"$orderby":{"team_id":"DESC"}}"#);
    for path in [
        "/ords/hr/team/".to_owned(),
        "/ords/hr/team/?limit=2&offset=1".to_owned(),
        "/ords/hr/team/?fields=name".to_owned(),
        "/ords/hr/team/?after=&limit=2".to_owned(),
        format!("/ords/hr/team/?q={q}"),
        "/ords/hr/team/?offset=9".to_owned(),
        "/ords/hr/team_dv/".to_owned(),
    ] {
        let mut items = app.get(&path).json()["items"].clone();
        for item in items.as_array_mut().unwrap() {
            item.as_object_mut().unwrap().remove("links");
            without_state(item);
        }
        let rows = app.get_with(&path, &[ROWS]);
        assert_eq!(rows.header("content-type"), Some("application/json; profile=rows"));
        assert!(rows.header("vary").unwrap().contains("Accept"), "{rows:?}");
        let mut rows = rows.json();
        rows.as_array_mut().unwrap().iter_mut().for_each(without_state);
        assert_eq!(rows, items, "{path}");
    }
}

/// The state of the database is another one in each request.
fn without_state(item: &mut Value) {
    if let Some(metadata) = item.get_mut("_metadata").and_then(Value::as_object_mut) {
        metadata.remove("asof");
    }
}

fn links_and_totals_are_headers(database: Database) {
    let app = start(&database);
    let at = format!("{}/ords/hr/team/", app.url());
    let first = app.get_with("/ords/hr/team/?limit=2&count=exact", &[ROWS]);
    let link = |rel: &str, query: &str| format!("<{at}?{query}>; rel=\"{rel}\"");
    let expected =
        [link("first", "count=exact&limit=2"), link("next", "count=exact&offset=2&limit=2")];
    assert_eq!(first.header("link"), Some(&*expected.join(", ")));
    assert_eq!(first.header("x-total-count"), Some("3"));
    let second = app.get_with("/ords/hr/team/?limit=2&offset=2", &[ROWS]);
    let expected = [link("first", "limit=2"), link("prev", "limit=2")];
    assert_eq!(second.header("link"), Some(&*expected.join(", ")));
    assert_eq!(second.header("x-total-count"), None);
    // What clients may leave unencoded cannot end a target.
    let odd = app.get_with("/ords/hr/team/?limit=1&q=%7B%7D&after=", &[ROWS]);
    let next = odd.header("link").unwrap().split(", ").nth(1).unwrap().to_owned();
    let target = next.strip_prefix('<').unwrap().split('>').next().unwrap();
    let path = target.strip_prefix(app.url()).unwrap();
    assert_eq!(app.get_with(path, &[ROWS]).json()[0]["team_id"], 2, "{next}");
}

fn conditions(database: Database) {
    let app = start(&database);
    let path = "/ords/hr/team/?limit=1";
    let etag = app.get_with(path, &[ROWS]).header("etag").unwrap().to_owned();
    assert_ne!(Some(&*etag), app.get(path).header("etag"));
    let known = app.get_with(path, &[ROWS, ("If-None-Match", &etag)]);
    assert_eq!((known.status, known.body.len()), (304, 0), "{known:?}");
    // Another next page is another state, though the rows are the same.
    database.exec("DELETE FROM team WHERE team_id > 1");
    let changed = app.get_with(path, &[ROWS, ("If-None-Match", &etag)]);
    assert_eq!((changed.status, changed.json()[0]["team_id"].clone()), (200, json!(1)));
}

fn by_body_and_refused(database: Database) {
    let app = start(&database);
    let bearer = app.bearer();
    let headers = [("Authorization", &*bearer), ("Content-Type", "application/json"), ROWS];
    let body = br#"{"fields":["name"],"limit":1}"#;
    let found = app.connect().request("POST", "/ords/hr/team/search", &headers, body);
    assert_eq!(found.header("content-type"), Some("application/json; profile=rows"));
    assert_eq!(found.json(), json!([{ "name": "Red Bull" }]));
    for path in ["/ords/hr/team/?explain=1", "/ords/hr/team/?ids=1", "/ords/hr/team/?limt=1"] {
        let refused = app.get_with(path, &[ROWS]);
        assert_eq!(refused.status, 400, "{refused:?}");
        assert_eq!(refused.header("content-type"), Some("application/problem+json"));
    }
    // An item is no list: it is answered as ever.
    let item = app.get_with("/ords/hr/team/1", &[ROWS]);
    assert_eq!(item.header("content-type"), Some("application/json"));
}
