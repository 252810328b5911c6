//! Items and pages of tables: paths, methods, media types, parameters, and what a wrong one gets.

use duet_testkit::http::Response;

use crate::support::{App, Database, Setup, on_both_stores, percent_encode};

on_both_stores! {
    json_exactly
    head_is_get_without_a_body
    slashes
    nothing_there
    methods
    accept
    wrong_parameters
    wrong_filters
    keys_of_all_kinds
    catalogs
    options_are_answered
}

const TABLES: &str = "
CREATE TABLE team (team_id integer NOT NULL PRIMARY KEY, name varchar(255) NOT NULL, points integer);
INSERT INTO team VALUES (1, 'Red Bull', 0), (2, 'Mercedes', NULL), (301, 'Ferrari', 30);
CREATE TABLE circuit (code text NOT NULL PRIMARY KEY, laps integer NOT NULL);
INSERT INTO circuit VALUES ('Monza', 53), ('Spa/Francorchamps', 44), ('A,B', 1), ('São Paulo 🏁', 71),
  ('100%', 2), ('a+b', 3), ('..', 4), (' ', 5), ('%2F', 6), ('\"', 7), ('~', 8), ('q?x=1#f', 9);
CREATE TABLE seat (team_id integer NOT NULL, code text NOT NULL, number integer,
  PRIMARY KEY (team_id, code));
INSERT INTO seat VALUES (1, 'A,B', 10), (1, 'x/y', 11), (2, 'A', 12);
";

fn start(database: &Database) -> App {
    database.exec(TABLES);
    Setup::new(database).start()
}

#[track_caller]
fn problem(response: &Response, status: u16, code: &str) -> serde_json::Value {
    assert_eq!(response.status, status, "{response:?}");
    assert_eq!(response.header("content-type"), Some("application/problem+json"), "{response:?}");
    let body = response.json();
    assert_eq!(body["status"], status, "{response:?}");
    assert_eq!(body["errors"][0]["code"], code, "{response:?}");
    for member in ["code", "title", "detail", "type", "instance"] {
        assert!(
            body[member].as_str().is_some_and(|text| !text.is_empty()),
            "{member}: {response:?}"
        );
    }
    let detail = body["detail"].to_string();
    assert_eq!(response.text().matches(&detail).count(), 1, "sent once: {response:?}");
    body
}

fn json_exactly(database: Database) {
    let app = start(&database);
    let page = app.get("/ords/hr/team/");
    let members: Vec<String> = page.json().as_object().unwrap().keys().cloned().collect();
    assert_eq!(members, ["items", "hasMore", "limit", "offset", "count", "links"]);
    let item = app.get("/ords/hr/team/301");
    let body = item.json();
    assert_eq!((&body["team_id"], &body["name"]), (&301.into(), &"Ferrari".into()));
    let relations: Vec<&str> = body["links"]
        .as_array()
        .unwrap()
        .iter()
        .map(|link| link["rel"].as_str().unwrap())
        .collect();
    assert_eq!(relations, ["self", "describedby", "collection"]);
    for response in [page, item, app.get("/ords/hr/metadata-catalog/")] {
        assert_eq!(response.status, 200);
        assert_eq!(response.header("content-type"), Some("application/json"));
        let length = response.body.len().to_string();
        assert_eq!(response.header("content-length"), Some(length.as_str()));
        assert_eq!(response.header("vary"), Some("Accept, Authorization"));
    }
}

fn head_is_get_without_a_body(database: Database) {
    let app = start(&database);
    let bearer = app.bearer();
    let headers = [("Authorization", bearer.as_str())];
    let mut client = app.connect();
    let paths = [
        "/ords/hr/team/",
        "/ords/hr/team/?limit=1",
        "/ords/hr/team/301",
        "/ords/hr/team/999",
        "/ords/hr/nowhere/",
        "/ords/hr/team/?limit=x",
        "/ords/hr/metadata-catalog/",
        "/ords/hr/metadata-catalog/team/",
        "/ords/hr/open-api-catalog/",
        "/ords/hr/open-api-catalog/team/",
        "/health/ready",
        "/admin/status",
        "/metrics",
    ];
    for path in paths {
        let get = client.request("GET", path, &headers, b"");
        let head = client.request("HEAD", path, &headers, b"");
        assert_eq!(head.status, get.status, "{path}");
        assert!(head.body.is_empty(), "{path}");
        if get.status < 400 && path != "/metrics" {
            for name in ["content-type", "content-length", "etag", "vary"] {
                assert_eq!(head.header(name), get.header(name), "{path} {name}");
            }
        }
    }
}

fn slashes(database: Database) {
    let app = start(&database);
    let (with, without) = (app.get("/ords/hr/team/"), app.get("/ords/hr/team"));
    assert_eq!((with.status, without.status), (200, 200));
    assert_eq!(with.body, without.body);
    assert_eq!(with.header("etag"), without.header("etag"));
    assert_eq!(app.get("/ords/hr/team?limit=1").json()["count"], 1);
    assert_eq!(
        app.get("/ords/hr/metadata-catalog").body,
        app.get("/ords/hr/metadata-catalog/").body
    );
    assert_eq!(
        app.get("/ords/hr/metadata-catalog/team").body,
        app.get("/ords/hr/metadata-catalog/team/").body
    );
}

fn nothing_there(database: Database) {
    let app = start(&database);
    for path in [
        "/ords",
        "/ords/hr/nowhere",
        "/ords/hr/nowhere/1",
        "/ords/hrx/team/",
        "//ords/hr/team/",
        "/ords/hr//team/",
        "/ords/hr/team/1/2",
        "/ords/hr/team//",
        "/ords/hr/_/",
        "/ords/hr/_/constant/100",
        "/ords/hr/_/sql",
        "/ords/hr/metadata-catalog/nowhere",
        "/ords/hr/open-api-catalog/nowhere",
        "/ords/hr/TEAM/",
        "/favicon.ico",
        "/admin/nothing",
        "/health/nothing",
    ] {
        problem(&app.get(path), 404, "DUET-1001");
    }
    problem(&app.get("/ords/hr/team/999"), 404, "DUET-1002");
    problem(&app.get("/ords/hr/circuit/nowhere"), 404, "DUET-1002");
    for path in ["/ords/hr/team/abc", "/ords/hr/team/1,2", "/ords/hr/team/9223372036854775808"] {
        problem(&app.get(path), 404, "DUET-1004");
    }
    for path in ["/ords/hr/seat/1", "/ords/hr/seat/1,A,B", "/ords/hr/seat/x,A"] {
        problem(&app.get(path), 404, "DUET-1004");
    }
}

fn methods(database: Database) {
    let app = start(&database);
    let bearer = app.bearer();
    let headers = [("Authorization", bearer.as_str())];
    for (path, allowed) in [
        ("/ords/hr/team/", "GET, HEAD, OPTIONS, POST, PATCH, DELETE, QUERY"),
        ("/ords/hr/team/301", "GET, HEAD, OPTIONS, PUT, PATCH, DELETE"),
        ("/ords/hr/metadata-catalog/", "GET, HEAD, OPTIONS"),
        ("/ords/hr/open-api-catalog/", "GET, HEAD, OPTIONS"),
        ("/metrics", "GET, HEAD"),
        ("/admin/status", "GET, HEAD"),
        ("/health/live", "GET, HEAD"),
    ] {
        let methods = ["POST", "PUT", "PATCH", "DELETE", "TRACE", "FROBNICATE"];
        for method in methods.into_iter().filter(|method| !allowed.contains(method)) {
            let body: &[u8] = if method == "TRACE" { b"" } else { b"{}" };
            let response = app.connect().request(method, path, &headers, body);
            problem(&response, 405, "DUET-1003");
            assert_eq!(response.header("allow"), Some(allowed), "{method} {path}");
        }
    }
    for path in ["/oauth/token", "/ords/hr/oauth/token", "/admin/reload"] {
        for method in ["GET", "HEAD", "PUT", "DELETE"] {
            let response = app.connect().request(method, path, &headers, b"");
            assert_eq!(response.status, 405, "{method} {path}");
            assert_eq!(response.header("allow"), Some("POST"), "{method} {path}");
        }
    }
}

fn options_are_answered(database: Database) {
    let app = start(&database);
    let bearer = app.bearer();
    for (path, allowed) in [
        ("/ords/hr/team/", "GET, HEAD, OPTIONS, POST, PATCH, DELETE, QUERY"),
        ("/ords/hr/team/301", "GET, HEAD, OPTIONS, PUT, PATCH, DELETE"),
        // Which is no number, and so no key.
        ("/ords/hr/team/search", "OPTIONS, POST"),
        ("/ords/hr/team/batchload", "OPTIONS, POST"),
        ("/ords/hr/metadata-catalog/", "GET, HEAD, OPTIONS"),
    ] {
        let headers = [("Authorization", bearer.as_str())];
        let response = app.connect().request("OPTIONS", path, &headers, b"");
        assert_eq!(response.status, 204, "{path}");
        assert_eq!(response.header("allow"), Some(allowed), "{path}");
        let queries = (path == "/ords/hr/team/").then_some("application/json");
        assert_eq!(response.header("accept-query"), queries, "{path}");
        assert_eq!(response.header("content-length"), None, "{path}");
    }
}

fn accept(database: Database) {
    let app = start(&database);
    for accept in ["text/html", "application/xml, application/json;q=0", "image/*"] {
        for path in ["/ords/hr/team/", "/ords/hr/team/301"] {
            problem(&app.get_with(path, &[("Accept", accept)]), 406, "DUET-1007");
        }
    }
    for accept in ["*/*", "application/json", "text/html, */*;q=0.1", "application/*"] {
        let response = app.get_with("/ords/hr/team/301", &[("Accept", accept)]);
        assert_eq!(response.status, 200, "{accept}");
        assert_eq!(response.header("content-type"), Some("application/json"));
    }
    // Two lines are one list (RFC 9110 §5.3).
    let lines = [("Accept", "text/html"), ("Accept", "application/json")];
    assert_eq!(app.get_with("/ords/hr/team/301", &lines).status, 200);
}

fn wrong_parameters(database: Database) {
    let app = start(&database);
    for (query, parameter) in [
        ("limt=5", "limt"),
        ("limit=0", "limit"),
        ("limit=-1", "limit"),
        ("limit=", "limit"),
        ("limit=1.5", "limit"),
        ("limit=18446744073709551616", "limit"),
        ("limit=1&limit=2", "limit"),
        ("offset=-1", "offset"),
        ("offset=9223372036854775808", "offset"),
        ("count=all", "count"),
        ("fields=", "fields"),
        ("fields=name,,points", "fields"),
        ("fields=nam", "fields"),
        ("after=1&offset=1", "after"),
        ("after=garbage", "after"),
        ("after=%00", "after"),
        ("orderby=name", "orderby"),
    ] {
        let body = problem(&app.get(&format!("/ords/hr/team/?{query}")), 400, "DUET-1005");
        assert_eq!(body["errors"][0]["parameter"], parameter, "{query}: {body}");
    }
    let hint = |path: &str| app.get(path).json()["errors"][0]["hint"].clone();
    assert_eq!(hint("/ords/hr/team/?limt=5"), "Did you mean `limit`?");
    assert_eq!(hint("/ords/hr/team/?fields=nam"), "Did you mean `name`?");
    problem(&app.get("/ords/hr/team/301?limit=5"), 400, "DUET-1005");
    problem(&app.get("/ords/hr/team/301?x"), 400, "DUET-1005");
    problem(&app.get("/ords/hr/metadata-catalog/?limit=0"), 400, "DUET-1005");
    problem(&app.get("/ords/hr/metadata-catalog/?x=1"), 400, "DUET-1005");
    problem(&app.get("/ords/hr/team/?q=%"), 400, "DUET-1006");
    problem(&app.get("/ords/hr/team/?q=%ff"), 400, "DUET-1006");
    // What is too much is lowered, and the page says so.
    assert_eq!(app.get("/ords/hr/team/?limit=9223372036854775807").json()["limit"], 10_000);
    assert_eq!(app.get("/ords/hr/team/?offset=9223372036854775807").json()["count"], 0);
    assert_eq!(app.get("/ords/hr/team/?&limit=1&").json()["limit"], 1);
}

fn wrong_filters(database: Database) {
    let app = start(&database);
    for (q, code, position) in [
        (r#"{"nam":"x"}"#, "DUET-2004", Some(1)),
        (r#"{"name":"x""#, "DUET-2001", None),
        (r#"{"points":{"$gtt":1}}"#, "DUET-2003", Some(11)),
        (r#"{"$and":[{"$lt":5000}]}"#, "DUET-2006", None),
        (r#"{"points":{"$gt":"abc"}}"#, "DUET-2005", None),
        (r#"{"name":"a\u0000b"}"#, "DUET-2009", None),
        ("[]", "DUET-2002", None),
        ("7", "DUET-2002", None),
        (r#"{"$asof":1}"#, "DUET-2008", None),
    ] {
        let response = app.get(&format!("/ords/hr/team/?q={}", percent_encode(q)));
        let body = problem(&response, 400, code);
        let error = &body["errors"][0];
        assert_eq!(error["parameter"], "q", "{q}: {body}");
        match position {
            Some(position) => assert_eq!(error["position"], position, "{q}: {body}"),
            None => assert!(error["position"].is_u64(), "{q}: {body}"),
        }
    }
    let q = percent_encode(r#"{"nam":"x"}"#);
    let body = app.get(&format!("/ords/hr/team/?q={q}")).json();
    assert!(body["errors"][0]["hint"].as_str().unwrap().contains("`name`"), "{body}");
}

fn keys_of_all_kinds(database: Database) {
    let app = start(&database);
    for (code, laps) in [
        ("Monza", 53),
        ("Spa/Francorchamps", 44),
        ("A,B", 1),
        ("São Paulo 🏁", 71),
        ("100%", 2),
        ("a+b", 3),
        ("..", 4),
        (" ", 5),
        ("%2F", 6),
        ("\"", 7),
        ("~", 8),
        ("q?x=1#f", 9),
    ] {
        let response = app.get(&format!("/ords/hr/circuit/{}", percent_encode(code)));
        assert_eq!(response.status, 200, "{code:?} {response:?}");
        let body = response.json();
        assert_eq!((&body["code"], &body["laps"]), (&code.into(), &laps.into()), "{code:?}");
        // The item's own link leads to it.
        let link = body["links"][0]["href"].as_str().unwrap();
        let again = app.get(link.strip_prefix(app.url()).unwrap());
        assert_eq!(again.body, response.body, "{link}");
    }
    for (key, number) in [("1,A%2CB", 10), ("1,x%2Fy", 11), ("2,A", 12), ("%32,%41", 12)] {
        let response = app.get(&format!("/ords/hr/seat/{key}"));
        assert_eq!(response.json()["number"], number, "{key} {response:?}");
    }
    // A plus in a path is a plus, and a comma in a single key is part of it.
    assert_eq!(app.get("/ords/hr/circuit/a+b").json()["laps"], 3);
    assert_eq!(app.get("/ords/hr/circuit/A,B").json()["laps"], 1);
    for key in ["%00", "Monza%00", "a%00b"] {
        problem(&app.get(&format!("/ords/hr/circuit/{key}")), 400, "DUET-2009");
    }
    problem(&app.get("/ords/hr/team/1%00"), 400, "DUET-2009");
    for key in ["%", "%4", "%zz"] {
        problem(&app.get(&format!("/ords/hr/circuit/{key}")), 400, "DUET-1006");
        problem(&app.get(&format!("/ords/hr/{key}/1")), 400, "DUET-1006");
    }
    // SQLite keeps texts that are no UTF-8, and their links lead to them; there is none here.
    for key in ["%ff", "%C3%28", "%ED%A0%80"] {
        problem(&app.get(&format!("/ords/hr/circuit/{key}")), 404, "DUET-1002");
        problem(&app.get(&format!("/ords/hr/{key}/1")), 400, "DUET-1006");
    }
    let long = "x".repeat(20_000);
    problem(&app.get(&format!("/ords/hr/circuit/{long}")), 404, "DUET-1002");
}

fn catalogs(database: Database) {
    let app = start(&database);
    let catalog = app.get("/ords/hr/metadata-catalog/").json();
    let names: Vec<&str> =
        catalog["items"].as_array().unwrap().iter().map(|i| i["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["circuit", "seat", "team"].map(str::to_uppercase));
    let entry = app.get("/ords/hr/metadata-catalog/seat/").json();
    assert_eq!(entry["primarykey"], serde_json::json!(["team_id", "code"]));
    assert_eq!(app.get("/ords/hr/metadata-catalog/seat/item").status, 200);
    let document = app.get("/ords/hr/open-api-catalog/").json();
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"));
    assert!(document["paths"].as_object().unwrap().len() >= 6);
    // Every link of every answer leads somewhere.
    let page = app.get("/ords/hr/team/?limit=1&offset=1").json();
    let item = app.get("/ords/hr/seat/1,x%2Fy").json();
    let links = [&page["links"], &page["items"][0]["links"], &item["links"], &entry["links"]];
    for link in links.iter().flat_map(|links| links.as_array().unwrap()) {
        let href = link["href"].as_str().unwrap();
        let path = href.strip_prefix(app.url()).unwrap();
        assert_eq!(app.get(path).status, 200, "{href}");
    }
}
