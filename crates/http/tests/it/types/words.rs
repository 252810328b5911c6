//! Values that stores could understand differently: `null` in filters, on columns and inside JSON, and words that
//! PostgreSQL takes for moments.

use serde_json::{Value, json};

use crate::support::{App, Database, Setup, on_both_stores, percent_encode};

on_both_stores! {
    null_in_filters
    words_for_moments
}

fn ids(app: &App, filter: &Value) -> Vec<u64> {
    let q = percent_encode(&filter.to_string());
    let page = app.get(&format!("/ords/hr/t/?q={q}"));
    assert_eq!(page.status, 200, "{filter}: {page:?}");
    let items = page.json()["items"].as_array().unwrap().clone();
    items.iter().map(|item| item["id"].as_u64().unwrap()).collect()
}

/// JSON `null` inside a document differs from a member that is absent; of a column `null` is NULL.
fn null_in_filters(database: Database) {
    let ty = if database.is_sqlite() { "json" } else { "jsonb" };
    database.exec(&format!(
        "CREATE TABLE t (id integer NOT NULL PRIMARY KEY, a varchar(9), d {ty});
         INSERT INTO t VALUES (1, 'x', '{{\"a\":null}}'), (2, NULL, '{{}}'), (3, 'y', '{{\"a\":1}}'),
           (4, NULL, '{{\"a\":[null,2]}}'), (5, 'x', NULL), (6, 'y', '{{\"a\":{{\"b\":null}}}}'),
           (7, 'y', 'null'), (8, 'z', '{{\"a\":[]}}');"
    ));
    let app = Setup::new(&database).start();
    for (filter, found) in [
        (json!({ "a": null }), &[2, 4][..]),
        (json!({ "a": { "$eq": null } }), &[2, 4]),
        (json!({ "a": { "$ne": null } }), &[1, 3, 5, 6, 7, 8]),
        (json!({ "a": { "$in": [null] } }), &[2, 4]),
        (json!({ "a": { "$in": ["x", null] } }), &[1, 2, 4, 5]),
        (json!({ "a": { "$nin": [null] } }), &[1, 3, 5, 6, 7, 8]),
        (json!({ "d": null }), &[5]),
        (json!({ "d": { "$ne": null } }), &[1, 2, 3, 4, 6, 7, 8]),
        (json!({ "d.a": null }), &[1, 4]),
        (json!({ "d.a": { "$eq": null } }), &[1, 4]),
        (json!({ "d.a": { "$ne": null } }), &[3, 4, 6]),
        (json!({ "d.a": { "$in": [null, 1] } }), &[1, 3, 4]),
        (json!({ "d.a": { "$nin": [null] } }), &[2, 3, 5, 6, 7, 8]),
        (json!({ "d.a": { "$exists": false } }), &[2, 5, 7]),
        (json!({ "d.a": { "$exists": true } }), &[1, 3, 4, 6, 8]),
        (json!({ "d.a.b": null }), &[6]),
        (json!({ "$not": { "d.a": null } }), &[2, 3, 5, 6, 7, 8]),
    ] {
        assert_eq!(ids(&app, &filter), found, "{filter}");
    }
}

/// PostgreSQL casts these words and SQLite stores them as texts; both refuse them, in filters and in bodies.
fn words_for_moments(database: Database) {
    database.exec(
        "CREATE TABLE t (id integer NOT NULL PRIMARY KEY, d date, s timestamp, z timestamp with time zone, h time);",
    );
    let app = Setup::new(&database).with(|setup| setup.roles = vec!["duet.read", "duet.write"]);
    let app = app.start();
    let bearer = app.bearer();
    let headers = [("Authorization", &*bearer), ("Content-Type", "application/json")];
    let post = |body: &Value| {
        let body = body.to_string();
        app.connect().request("POST", "/ords/hr/t/", &headers, body.as_bytes()).status
    };
    for column in ["d", "s", "z", "h"] {
        for word in ["now", "today", "tomorrow", "yesterday", "epoch", "allballs"] {
            let q = percent_encode(&json!({ column: word }).to_string());
            let page = app.get(&format!("/ords/hr/t/?q={q}"));
            assert_eq!(page.status, 400, "{column} {word}: {page:?}");
            assert_eq!(post(&json!({ "id": 1, column: word })), 400, "{column} {word}");
        }
    }
    for (id, column, word) in [(1, "d", "infinity"), (2, "s", "-infinity"), (3, "z", "infinity")] {
        assert_eq!(post(&json!({ "id": id, column: word })), 201, "{column}");
        assert_eq!(ids(&app, &json!({ column: word })), [id], "{column}");
    }
}
