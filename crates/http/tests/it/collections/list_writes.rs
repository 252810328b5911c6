//! `PATH-batch` beside a collection in the profile of RMB: all documents of a list, or none.

use std::sync::Arc;

use duet_model::{ProfileRef, SearchRules};
use duet_service::definition::{Collection, Declaration};
use duet_testkit::http::Response;
use serde_json::{Value, json};

use crate::support::{App, Database, Setup, on_both_stores};

on_both_stores! {
    lists_are_written_whole_or_not_at_all
    lists_need_the_rights_of_their_documents
}

const SCHEMA: &str = r#"{"type": "object", "properties": {"id": {"type": "string", "format": "uuid"},
  "status": {"type": "string", "maxLength": 8}}, "additionalProperties": false}"#;

const TENANT: (&str, &str) = ("X-Okapi-Tenant", "diku");

fn start(database: &Database, profile: &str, role: &'static str) -> App {
    let profile = ProfileRef::named(profile).unwrap();
    let search = SearchRules { profile, ..SearchRules::default() };
    let declaration = Declaration { search, ..Declaration::new("items") };
    let collections = vec![Arc::new(Collection::new(declaration, SCHEMA).unwrap())];
    database.prepare_collections(collections.iter().map(|one| one.table(None)).collect());
    Setup::new(database)
        .with(|setup| {
            let mount = setup.mount();
            mount.collections = collections;
            mount.profile = profile;
            mount.tenant = profile.needs_tenant().then(|| TENANT.1.to_owned());
            setup.roles = vec![role];
        })
        .start()
}

fn send(app: &App, method: &str, target: &str, body: &Value) -> Response {
    let bearer = app.bearer();
    let headers =
        [("Authorization", bearer.as_str()), ("Content-Type", "application/json"), TENANT];
    let body = if body.is_null() { String::new() } else { body.to_string() };
    app.connect().request(method, target, &headers, body.as_bytes())
}

fn id(number: usize) -> String {
    format!("{number:08x}-0000-4000-8000-000000000000")
}

fn list(documents: &[(usize, &str)]) -> Value {
    let each = documents.iter();
    let each: Vec<_> =
        each.map(|(number, status)| json!({ "id": id(*number), "status": status })).collect();
    json!({ "items": each, "totalRecords": documents.len() })
}

fn statuses(app: &App) -> Vec<String> {
    let answer =
        send(app, "GET", "/ords/hr/items?query=cql.allRecords=1%20sortBy%20id", &Value::Null);
    let listed = answer.json()["items"].as_array().unwrap().clone();
    listed.iter().map(|one| one["status"].as_str().unwrap().to_owned()).collect()
}

fn lists_are_written_whole_or_not_at_all(database: Database) {
    let app = start(&database, "rmb", "duet.write");
    let batch = "/ords/hr/items-batch";
    let made = send(&app, "POST", batch, &list(&[(1, "a"), (2, "b")]));
    assert_eq!((made.status, made.json()), (200, list(&[(1, "a"), (2, "b")])));
    let changed = send(&app, "PUT", batch, &list(&[(2, "c"), (1, "d")]));
    assert_eq!((changed.status, changed.text()), (204, ""));
    assert_eq!(statuses(&app), ["d", "c"]);
    // The second is there already, is not there, or does not fit: nothing of the first stays.
    for (method, second, status) in
        [("POST", (1, "x"), 400), ("PUT", (9, "x"), 404), ("PUT", (2, "too long for it"), 422)]
    {
        let first = if method == "POST" { 3 } else { 1 };
        let refused = send(&app, method, batch, &list(&[(first, "first"), second]));
        assert_eq!(refused.status, status, "{method}: {}", refused.text());
        assert_eq!(statuses(&app), ["d", "c"], "{method}");
    }
    for (method, body, status) in [
        ("PUT", json!({ "items": [{ "status": "x" }] }), 400),
        ("PUT", json!({ "items": [{ "id": "7" }] }), 404),
        ("PUT", json!({ "items": [7] }), 400),
        ("POST", json!({ "item": [] }), 400),
        ("POST", json!([]), 400),
        ("GET", Value::Null, 405),
        ("DELETE", Value::Null, 405),
    ] {
        let refused = send(&app, method, batch, &body);
        assert_eq!(refused.status, status, "{method} {body}: {}", refused.text());
    }
    assert_eq!(send(&app, "PUT", batch, &json!({ "items": [] })).status, 204);
    assert_eq!(send(&app, "POST", "/ords/hr/other-batch", &list(&[])).status, 404);
    assert_eq!(send(&app, "POST", "/ords/hr/items-batch/1", &list(&[])).status, 404);
}

fn lists_need_the_rights_of_their_documents(database: Database) {
    let app = start(&database, "rmb", "duet.read");
    for method in ["POST", "PUT"] {
        let refused = send(&app, method, "/ords/hr/items-batch", &list(&[(1, "a")]));
        assert_eq!(refused.status, 403, "{method}: {}", refused.text());
    }
    drop(app);
    // Other profiles have no such path.
    let app = start(&database, "native", "duet.write");
    let absent = send(&app, "POST", "/ords/hr/items-batch", &list(&[(1, "a")]));
    assert_eq!(absent.status, 404, "{}", absent.text());
}
