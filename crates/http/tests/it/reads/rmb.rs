//! The profile `compat = "rmb"` over HTTP: the tenant, errors as texts and lists, the path's key, addresses.

use std::sync::Arc;

use duet_model::{IndexKind, ProfileRef, SearchRules};
use duet_service::definition::{Collection, Declaration, DeclaredIndex, Reference};
use duet_testkit::http::Response;
use serde_json::{Value, json};

use crate::support::{App, Database, Setup, on_both_stores};

on_both_stores! {
    the_tenant_is_named
    a_document_through_its_life
    errors_are_texts
    what_a_schema_refuses_is_a_list
    versions_are_conflicts
    users_are_named_by_uuid
    totals_are_counted_before_any_statistics
}

const SCHEMA: &str = r#"{"type": "object", "additionalProperties": false, "required": ["source"],
  "properties": {"id": {"type": "string", "format": "uuid"}, "source": {"type": "string"},
    "poNumber": {"type": "string"}, "parent": {"type": "string", "format": "uuid"},
    "cost": {"type": "object", "properties": {"price": {"type": "number", "minimum": 0}}},
    "metadata": {"type": "object", "properties": {"createdByUserId": {"type": "string", "format": "uuid"}}},
    "_version": {"type": "integer"}}}"#;

const LINES: &str = "/ords/hr/po-lines";
const KEY: &str = "0000000a-0000-4000-8000-000000000001";

fn started(database: &Database, versioned: bool) -> App {
    started_with(database, versioned, false)
}

fn started_with(database: &Database, versioned: bool, metadata: bool) -> App {
    let profile = ProfileRef::named("rmb").unwrap();
    let search = SearchRules { profile, ..SearchRules::default() };
    let declaration = Declaration {
        table: "po_line".into(),
        indexes: vec![DeclaredIndex::new("poNumber", IndexKind::Unique)],
        references: vec![Reference::new("parent", "po_line")],
        versioned,
        metadata,
        search,
        ..Declaration::new("po-lines")
    };
    let collections = vec![Arc::new(Collection::new(declaration, SCHEMA).unwrap())];
    database.prepare_collections(collections.iter().map(|one| one.table(None)).collect());
    Setup::new(database)
        .with(|setup| {
            let mount = setup.mount();
            mount.collections = collections;
            mount.profile = ProfileRef::named("rmb").unwrap();
            mount.tenant = Some("diku".to_owned());
            setup.roles = vec!["duet.write"];
        })
        .start()
}

fn send(app: &App, method: &str, path: &str, body: &str) -> Response {
    let bearer = app.bearer();
    let headers = [
        ("Authorization", bearer.as_str()),
        ("Content-Type", "application/json"),
        ("X-Okapi-Tenant", "diku"),
    ];
    app.connect().request(method, path, &headers, body.as_bytes())
}

/// A refusal as text.
fn refused(answer: &Response) -> (u16, &str) {
    assert_eq!(answer.header("content-type"), Some("text/plain"), "{answer:?}");
    (answer.status, answer.text())
}

fn the_tenant_is_named(database: Database) {
    let app = started(&database, false);
    let (status, text) = (400, "Tenant must be set");
    let missing = app.get(LINES);
    assert!(refused(&missing).0 == status && refused(&missing).1.starts_with(text), "{missing:?}");
    let other = app.get_with(LINES, &[("X-Okapi-Tenant", "other")]);
    assert_eq!(refused(&other).0, 400);
    assert_eq!(app.get_with(LINES, &[("X-Okapi-Tenant", "diku")]).status, 200);
    assert_eq!(app.get("/health/live").status, 200);
    let nothing = app.get_with("/ords/hr/nothing", &[("X-Okapi-Tenant", "diku")]);
    assert_eq!(refused(&nothing).0, 404);
    let api = app.get_with("/ords/hr/open-api-catalog/po-lines/", &[("X-Okapi-Tenant", "diku")]);
    let responses = api.json()["components"]["responses"].clone();
    assert!(responses["BadRequest"]["content"]["text/plain"].is_object(), "{responses}");
    let list = &responses["UnprocessableContent"]["content"]["application/json"]["schema"];
    assert!(list["properties"]["total_records"].is_object(), "{responses}");
}

fn a_document_through_its_life(database: Database) {
    let app = started(&database, false);
    let body = format!(r#"{{"id":"{KEY}","source":"User"}}"#);
    let answer = send(&app, "POST", LINES, &body);
    let place = format!("{LINES}/{KEY}");
    assert_eq!((answer.status, answer.header("location")), (201, Some(place.as_str())));
    assert_eq!(answer.json()["source"], json!("User"));
    // The key in the path counts, whatever the body has.
    let other = r#"{"id":"0000000a-0000-4000-8000-000000000009","source":"API"}"#;
    let answer = send(&app, "PUT", &place, other);
    assert_eq!((answer.status, answer.text()), (204, ""), "{answer:?}");
    let stored = send(&app, "GET", &place, "");
    assert_eq!((&stored.json()["id"], &stored.json()["source"]), (&json!(KEY), &json!("API")));
    let list = send(&app, "GET", &format!("{LINES}?query=source%3D%3Dapi"), "");
    assert_eq!(list.json()["totalRecords"], json!(1));
    assert_eq!(send(&app, "DELETE", &place, "").status, 204);
    assert_eq!(refused(&send(&app, "GET", &place, "")).0, 404);
}

fn errors_are_texts(database: Database) {
    let app = started(&database, false);
    let line = |id: &str, number: &str| {
        format!(r#"{{"id":"{id}","source":"User","poNumber":"{number}"}}"#)
    };
    assert_eq!(send(&app, "POST", LINES, &line(KEY, "A1")).status, 201);
    let other = "0000000a-0000-4000-8000-000000000002";
    let same = send(&app, "POST", LINES, &line(other, "A1"));
    let known = r#"duplicate key value violates unique constraint "po_line_ponumber_idx_unique""#;
    assert!(refused(&same).0 == 400 && refused(&same).1.starts_with(known), "{same:?}");
    let known = "poNumber value already exists in table po_line: A1";
    assert!(refused(&same).1.contains(known), "{same:?}");
    let same = send(&app, "POST", LINES, &line(KEY, "A2"));
    assert!(refused(&same).1.contains("\"po_line_pkey\""), "{same:?}");
    let child = format!(r#"{{"id":"{other}","source":"User","parent":"{KEY}"}}"#);
    assert_eq!(send(&app, "POST", LINES, &child).status, 201);
    let referred = send(&app, "DELETE", &format!("{LINES}/{KEY}"), "");
    let held = format!(
        "Cannot delete po_line.id = {KEY} because id is still referenced from table po_line."
    );
    assert!(refused(&referred).0 == 400 && refused(&referred).1.starts_with(&held), "{referred:?}");
    assert_eq!(send(&app, "GET", &format!("{LINES}/{KEY}"), "").status, 200);
    let dangling = r#"{"source":"User","parent":"0000000a-0000-4000-8000-00000000000f"}"#;
    let answer = send(&app, "POST", LINES, dangling);
    let missing = "Cannot set po_line.parent = 0000000a-0000-4000-8000-00000000000f because it does not exist in po_line.id.";
    assert!(refused(&answer).0 == 400 && refused(&answer).1.starts_with(missing), "{answer:?}");
    let absent = send(&app, "GET", &format!("{LINES}/0000000a-0000-4000-8000-00000000000e"), "");
    assert_eq!(refused(&absent), (404, "Not Found"));
    for (method, path, body, status) in [
        ("GET", "/7", "", 404),
        ("PUT", "/7", r#"{"source":"x"}"#, 400),
        ("DELETE", "/7", "", 400),
        ("PUT", "/0000000a-0000-4000-8000-00000000000e", r#"{"source":"x"}"#, 404),
        ("DELETE", "/0000000a-0000-4000-8000-00000000000e", "", 404),
        ("POST", "", "{", 400),
        ("GET", "?limit=x", "", 400),
        ("GET", "?limit=", "", 400),
        ("GET", "?query=invalid-query", "", 400),
        ("GET", "?query=source%20within%20x", "", 400),
    ] {
        let answer = send(&app, method, &format!("{LINES}{path}"), body);
        assert_eq!(refused(&answer).0, status, "{method} {path}");
    }
    let bearer = app.bearer();
    let headers = [
        ("Authorization", bearer.as_str()),
        ("Content-Type", "text/csv"),
        ("X-Okapi-Tenant", "diku"),
    ];
    let answer = app.connect().request("POST", LINES, &headers, b"{}");
    assert_eq!(refused(&answer).0, 400);
}

fn what_a_schema_refuses_is_a_list(database: Database) {
    let app = started(&database, false);
    let answer = send(&app, "POST", LINES, r#"{"cost":{"price":-1.5},"nmae":1}"#);
    assert_eq!((answer.status, answer.header("content-type")), (422, Some("application/json")));
    let body = answer.json();
    let errors = body["errors"].as_array().unwrap();
    assert_eq!(body["total_records"], json!(errors.len()));
    let mut found: Vec<(&Value, &Value)> = errors
        .iter()
        .map(|error| {
            assert!(
                error["message"].is_string() && error["type"] == "1" && error["code"].is_string()
            );
            let parameter = &error["parameters"][0];
            (&parameter["key"], &parameter["value"])
        })
        .collect();
    found.sort_by_key(|(key, _)| key.as_str());
    let keys: Vec<_> = found.iter().map(|(key, _)| key.as_str().unwrap()).collect();
    assert_eq!(keys, ["cost.price", "nmae", "source"]);
    let values: Vec<_> = found.iter().map(|(_, value)| value.as_str().unwrap()).collect();
    assert_eq!(values, ["-1.5", "1", "null"]);
}

fn versions_are_conflicts(database: Database) {
    let app = started(&database, true);
    let made = send(&app, "POST", LINES, r#"{"source":"User"}"#).json();
    let place = format!("{LINES}/{}", made["id"].as_str().unwrap());
    let answer = send(&app, "PUT", &place, r#"{"source":"API","_version":7}"#);
    let id = made["id"].as_str().unwrap();
    let known = format!(
        "Cannot update record {id} because it has been changed (optimistic locking): Stored _version is 1, _version of request is 7"
    );
    assert!(refused(&answer).0 == 409 && refused(&answer).1.starts_with(&known), "{answer:?}");
    assert_eq!(send(&app, "PUT", &place, r#"{"source":"API","_version":1}"#).status, 204);
}

fn totals_are_counted_before_any_statistics(database: Database) {
    let app = started(&database, false);
    for number in 0..18 {
        let body = format!(r#"{{"source":"User","poNumber":"A{number}"}}"#);
        assert_eq!(send(&app, "POST", LINES, &body).status, 201);
    }
    for (count, limit) in [("estimated", 0), ("estimated", 3), ("auto", 0), ("exact", 0)] {
        for query in ["", "&query=source==User", "&query=cql.allRecords=1"] {
            let path = format!("{LINES}?limit={limit}&totalRecords={count}{query}&unknown=1");
            let list = send(&app, "GET", &path, "");
            assert_eq!(list.json()["totalRecords"], json!(18), "{path}");
        }
    }
}

fn users_are_named_by_uuid(database: Database) {
    let app = started_with(&database, false, true);
    let bearer = app.bearer();
    let send = |method: &str, path: &str, user: &str| {
        let headers = [
            ("Authorization", bearer.as_str()),
            ("Content-Type", "application/json"),
            ("X-Okapi-Tenant", "diku"),
            ("X-Okapi-User-Id", user),
        ];
        app.connect().request(method, path, &headers, br#"{"source":"User"}"#)
    };
    let made = send("POST", LINES, "AAAAAAAA-0000-4000-8000-000000000001").json();
    let user = json!("aaaaaaaa-0000-4000-8000-000000000001");
    assert_eq!(made["metadata"]["createdByUserId"], user);
    let place = format!("{LINES}/{}", made["id"].as_str().unwrap());
    assert_eq!(send("PUT", &place, "nobody").status, 204);
    let changed = send("GET", &place, "").json();
    // The schema has a UUID for the one member and any text for the other.
    assert_eq!(changed["metadata"]["createdByUserId"], user);
    assert_eq!(changed["metadata"]["updatedByUserId"], json!("nobody"));
    let unnamed = send("POST", LINES, "nobody").json();
    assert_eq!(unnamed["metadata"]["createdByUserId"], Value::Null);
}
