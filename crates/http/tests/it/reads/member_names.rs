//! Columns whose names mean something of their own in Duet's JSON: `links` and `_metadata`, which are the server's
//! members of an item, and names of operators in `q`.

use serde_json::{Value, json};

use crate::support::{App, Database, Setup, on_both_stores, percent_encode};

on_both_stores! {
    names_of_the_server_are_renamed
    names_of_operators_have_a_further_sign
}

fn send(app: &App, method: &str, path: &str, body: &Value) -> (u16, Value) {
    let bearer = app.bearer();
    let headers = [("Authorization", &*bearer), ("Content-Type", "application/json")];
    let body = body.to_string();
    let response =
        app.connect().request(method, &format!("/ords/hr/{path}"), &headers, body.as_bytes());
    (response.status, response.json())
}

fn names_of_the_server_are_renamed(database: Database) {
    database.exec(
        "CREATE TABLE page (id integer PRIMARY KEY, links varchar(20), links_ varchar(20), _metadata varchar(20))",
    );
    database.exec("INSERT INTO page VALUES (1, 'mine', 'other', 'm')");
    let app =
        Setup::new(&database).with(|setup| setup.roles = vec!["duet.write", "duet.admin"]).start();
    let response = app.get("/ords/hr/page/1");
    let text = response.text();
    assert_eq!(text.matches("\"links\":").count(), 1, "{text}");
    let mut item = response.json();
    assert_eq!(
        [&item["links__"], &item["links_"], &item["_metadata_"]],
        [&json!("mine"), &json!("other"), &json!("m")]
    );
    assert!(item["links"].is_array());
    // As read, it can be sent back.
    assert_eq!(send(&app, "PUT", "page/1", &item).0, 200);
    item["links__"] = json!("new");
    let (status, changed) = send(&app, "PUT", "page/1", &item);
    assert_eq!((status, &changed["links__"]), (200, &json!("new")));
    assert_eq!(
        database.count("SELECT count(*) FROM page WHERE links = 'new' AND _metadata = 'm'"),
        1
    );
    let (status, made) =
        send(&app, "POST", "page/", &json!({ "id": 2, "links__": "x", "_metadata_": "y" }));
    assert_eq!((status, &made["_metadata_"]), (201, &json!("y")));
    let found = app.get(&format!("/ords/hr/page/?q={}", percent_encode(r#"{"links__":"x"}"#)));
    assert_eq!(found.json()["items"][0]["id"], 2);
    // The descriptions name the members as they are.
    let schema = app.get("/ords/hr/metadata-catalog/page/schema").json();
    assert!(schema["properties"]["links__"]["type"].to_string().contains("string"), "{schema}");
    assert_eq!(schema["properties"]["links"]["type"], "array", "{schema}");
    let openapi = app.get("/ords/hr/open-api-catalog/page/").json();
    let item = &openapi["components"]["schemas"]["PageItem"]["properties"];
    assert_eq!(item["links"]["type"], "array", "{item}");
    assert!(item["links__"]["type"].to_string().contains("string"), "{item}");
    // The operator reads of it.
    let notes = app.get("/admin/status").json().to_string();
    assert!(notes.contains("is served as \\\"links__\\\""), "{notes}");
    assert!(notes.contains("is served as \\\"_metadata_\\\""), "{notes}");
}

fn names_of_operators_have_a_further_sign(database: Database) {
    database.exec(
        "CREATE TABLE odd (id integer PRIMARY KEY, \"$eq\" integer, \"$or\" integer, \"$$eq\" integer, \"$own\" integer)",
    );
    database.exec(
        "INSERT INTO odd VALUES (1, 10, 20, 30, 40), (2, 11, 21, 31, 41), (3, NULL, 22, 32, 42)",
    );
    let app = Setup::new(&database).start();
    for (q, expected) in [
        (json!({ "$$eq": 10 }), vec![1]),
        (json!({ "$$or": { "$gt": 20 } }), vec![2, 3]),
        (json!({ "$$$eq": { "$in": [30, 32] } }), vec![1, 3]),
        (json!({ "$$own": 41 }), vec![2]),
        (json!({ "$own": 41 }), vec![2]),
        (json!({ "$or": [{ "$$eq": { "$eq": 11 } }, { "$$eq": null }] }), vec![2, 3]),
        (json!({ "$orderby": { "$$eq": "DESC" } }), vec![2, 1, 3]),
        (json!({ "$orderby": { "$eq": "DESC" } }), vec![2, 1, 3]),
    ] {
        let response = app.get(&format!("/ords/hr/odd/?q={}", percent_encode(&q.to_string())));
        assert_eq!(response.status, 200, "{q}: {}", response.text());
        let page = response.json();
        let items = page["items"].as_array().unwrap();
        let found: Vec<i64> = items.iter().map(|item| item["id"].as_i64().unwrap()).collect();
        assert_eq!(found, expected, "{q}");
    }
    let q = percent_encode(&json!({ "$something": 1 }).to_string());
    let refused = app.get(&format!("/ords/hr/odd/?q={q}"));
    let hint = refused.json()["errors"][0]["hint"].to_string();
    assert!(refused.status == 400 && hint.contains("a further `$`"), "{}", refused.text());
    let openapi = app.get("/ords/hr/open-api-catalog/odd/").json();
    let filter = &openapi["components"]["schemas"]["OddFilter"]["properties"];
    assert!(filter.get("$$eq").is_some() && filter.get("$eq").is_none(), "{filter}");
}
