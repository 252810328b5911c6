//! Lists with `$group`: of collections, as streams, by POST search, and who may read them.

use std::sync::Arc;

use duet_service::definition::{Collection, Declaration};
use serde_json::{Value, json};

use crate::support::{App, Database, Setup, on_both_stores, percent_encode};

on_both_stores! {
    documents_are_grouped
    groups_are_streamed_and_searched
    hidden_members_are_no_keys
}

const SCHEMA: &str = r#"{"type": "object", "properties": {"id": {"type": "string", "format": "uuid"},
  "status": {"type": "string"}, "price": {"type": "number"}, "count": {"type": "integer"}}}"#;

fn groups(app: &App, path: &str, q: &Value) -> Value {
    let answer = app.get(&format!("{path}?q={}", percent_encode(&q.to_string())));
    assert_eq!(answer.status, 200, "{q}: {answer:?}");
    answer.json()["items"].clone()
}

fn documents_are_grouped(database: Database) {
    let collection = Collection::new(Declaration::new("items"), SCHEMA).unwrap();
    let collections = vec![Arc::new(collection)];
    database.prepare_collections(collections.iter().map(|one| one.table(None)).collect());
    let setup = Setup::new(&database).with(|setup| {
        setup.mount().collections = collections;
        setup.roles = vec!["duet.write"];
    });
    let app = setup.start();
    let bearer = app.bearer();
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    for (number, (status, price)) in
        [(json!("Open"), 1.5), (json!("Open"), 2.5), (json!("Closed"), 4.25), (Value::Null, 8.5)]
            .into_iter()
            .enumerate()
    {
        let id = format!("{number:08x}-0000-4000-8000-000000000000");
        let mut document = json!({ "id": id, "price": price, "count": number });
        if !status.is_null() {
            document["status"] = status;
        }
        let body = document.to_string();
        let made = app.connect().request("POST", "/ords/hr/items", &headers, body.as_bytes());
        assert_eq!(made.status, 201, "{made:?}");
    }
    let q = json!({ "$group": { "by": "status", "n": { "$count": "*" }, "total": { "$sum": "price" },
        "mean": { "$avg": "count" }, "most": { "$max": "price" } } });
    let expected = json!([
        { "status": "Closed", "n": 1, "total": 4.25, "mean": 2, "most": 4.25 },
        { "status": "Open", "n": 2, "total": 4, "mean": 0.5, "most": 2.5 },
        { "status": null, "n": 1, "total": 8.5, "mean": 3, "most": 8.5 },
    ]);
    assert_eq!(groups(&app, "/ords/hr/items", &q), expected);
    let q = json!({ "price": { "$lt": 8.25 }, "$group": { "n": { "$countDistinct": "status" } } });
    assert_eq!(groups(&app, "/ords/hr/items", &q), json!([{ "n": 2 }]));
}

fn teams(database: &Database) -> Setup {
    database.exec(
        "CREATE TABLE team (id integer NOT NULL PRIMARY KEY, land varchar(9), points integer, doc text)",
    );
    database
        .exec("INSERT INTO team VALUES (1, 'IT', 10, 'x'), (2, 'IT', 20, 'y'), (3, 'AT', 5, 'x')");
    Setup::new(database)
}

const Q: &str =
    r#"{"$group":{"by":"land","points":{"$sum":"points"}},"$orderby":{"points":"DESC"}}"#;

fn groups_are_streamed_and_searched(database: Database) {
    let app = teams(&database).start();
    let path = format!("/ords/hr/team/?q={}", percent_encode(Q));
    let lines = app.get_with(&path, &[("Accept", "application/x-ndjson")]);
    assert_eq!(lines.text(), "{\"land\":\"IT\",\"points\":30}\n{\"land\":\"AT\",\"points\":5}\n");
    let bearer = app.bearer();
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    let body = format!("{{\"q\":{Q},\"limit\":1}}");
    let found = app.connect().request("POST", "/ords/hr/team/search", &headers, body.as_bytes());
    assert_eq!(found.json()["items"], json!([{ "land": "IT", "points": 30 }]), "{found:?}");
    assert_eq!(found.json()["hasMore"], true);
    // A write by filter is of rows.
    let headers = [("Authorization", bearer.as_str())];
    let refused = app.connect().request("DELETE", &path, &headers, b"");
    assert!(refused.status == 400 || refused.status == 403, "{refused:?}");
    assert_eq!(database.count("SELECT count(*) FROM team"), 3);
}

/// What a resource does not show cannot be grouped by, nor counted.
fn hidden_members_are_no_keys(database: Database) {
    let view = "view team_dv as team { _id: id  land }";
    let app = teams(&database).view("team_dv", view).start();
    for q in [
        r#"{"$group":{"by":"points"}}"#,
        r#"{"$group":{"n":{"$sum":"points"}}}"#,
        r#"{"$group":{"by":"land"},"$having":{"points":1}}"#,
    ] {
        let refused = app.get(&format!("/ords/hr/team_dv/?q={}", percent_encode(q)));
        assert_eq!(
            (refused.status, &refused.json()["errors"][0]["code"]),
            (400, &json!("DUET-2004"))
        );
    }
    let stranger = format!("/ords/hr/team/?q={}", percent_encode(Q));
    assert_eq!(app.connect().get(&stranger, &[]).status, 401);
}
