//! Lists with `$group`: of collections, as streams, by POST search, and who may read them.

use std::sync::Arc;

use duet_service::definition::{Collection, Declaration};
use serde_json::{Value, json};

use crate::support::{App, Database, Setup, on_both_stores, percent_encode};

on_both_stores! {
    documents_are_grouped
    members_of_any_json_have_paths
    values_inside_json_are_summed
    sums_beyond_64_bits
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

/// A member without a type holds any JSON: a path leads on into it, and not to a member of that name at the top.
fn members_of_any_json_have_paths(database: Database) {
    let schema = r#"{"type": "object", "properties": {"id": {"type": "string", "format": "uuid"}, "any": {}}}"#;
    let collection = Collection::new(Declaration::new("items"), schema).unwrap();
    let collections = vec![Arc::new(collection)];
    database.prepare_collections(collections.iter().map(|one| one.table(None)).collect());
    let setup = Setup::new(&database).with(|setup| {
        setup.mount().collections = collections;
        setup.roles = vec!["duet.write"];
    });
    let app = setup.start();
    let bearer = app.bearer();
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    for (number, any, top) in [(1, json!({ "k": 1.5 }), 7), (2, json!({ "k": 2.5 }), 1)] {
        let id = format!("{number:08x}-0000-4000-8000-000000000000");
        let body = json!({ "id": id, "any": any, "k": top }).to_string();
        let made = app.connect().request("POST", "/ords/hr/items", &headers, body.as_bytes());
        assert_eq!(made.status, 201, "{made:?}");
    }
    let found = |parameter: &str, text: &str| {
        let answer = app.get(&format!("/ords/hr/items?{parameter}={}", percent_encode(text)));
        let items = answer.json()["items"].as_array().unwrap().clone();
        items.iter().map(|item| item["k"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(found("q", r#"{"any.k":1.5}"#), [7]);
    assert_eq!(found("q", r#"{"any.k":7}"#), [0; 0]);
    assert_eq!(found("q", r#"{"k":7}"#), [7]);
    assert_eq!(found("q", r#"{"any":{"k":{"$gt":2}}}"#), [1]);
    assert_eq!(found("query", "any.k==2.5"), [1]);
    assert_eq!(found("q", r#"{"$orderby":{"any.k":-1}}"#), [1, 7]);
    let q = json!({ "$group": { "by": "any.k", "n": { "$count": "any.k" }, "s": { "$sum": "any.k" } } });
    let expected =
        json!([{ "any.k": "1.5", "n": 1, "s": 1.5 }, { "any.k": "2.5", "n": 1, "s": 2.5 }]);
    assert_eq!(groups(&app, "/ords/hr/items", &q), expected);
}

/// PostgreSQL's `json` is text, which has fewer functions than `jsonb`.
fn values_inside_json_are_summed(database: Database) {
    database.exec("CREATE TABLE doc (id integer NOT NULL PRIMARY KEY, j json)");
    database.exec(
        r#"INSERT INTO doc VALUES (1, '{"n": 1, "s": "a", "l": [1,2]}'), (2, '{"n": 2.5, "s": "a"}'),
        (3, '{"n": "3"}'), (4, NULL)"#,
    );
    let app = Setup::new(&database).start();
    let q = json!({ "$group": { "s": { "$sum": "j.n" }, "a": { "$avg": "j.n" }, "c": { "$count": "j.n" } } });
    assert_eq!(groups(&app, "/ords/hr/doc/", &q), json!([{ "s": 3.5, "a": 1.75, "c": 3 }]));
    let q = json!({ "$group": { "by": ["j.s", "j.l"], "n": { "$count": "*" } } });
    let expected = json!([
        { "j.s": "a", "j.l": "[1, 2]", "n": 1 },
        { "j.s": "a", "j.l": null, "n": 1 },
        { "j.s": null, "j.l": null, "n": 2 },
    ]);
    assert_eq!(groups(&app, "/ords/hr/doc/", &q), expected);
}

fn sums_beyond_64_bits(database: Database) {
    database.exec("CREATE TABLE big (id integer NOT NULL PRIMARY KEY, n bigint)");
    database.exec("INSERT INTO big VALUES (1, 9223372036854775807), (2, 9223372036854775807)");
    let app = Setup::new(&database).start();
    let q = r#"{"$group":{"s":{"$sum":"n"}}}"#;
    let answer = app.get(&format!("/ords/hr/big/?q={}", percent_encode(q)));
    if database.is_sqlite() {
        let code = &answer.json()["errors"][0]["code"];
        assert_eq!((answer.status, code), (400, &json!("DUET-6004")), "{answer:?}");
        assert!(answer.text().contains("more than 64 bits"), "{answer:?}");
    } else {
        assert!(answer.text().contains(r#"{"s":18446744073709551614}"#), "{answer:?}");
    }
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
