//! Asking by body, with POST and QUERY: the answers of GET, for filters of any length.

use duet_testkit::http::Response;
use serde_json::{Value, json};

use crate::support::{App, Database, Setup, on_both_stores, percent_encode};

on_both_stores! {
    as_get
    followed_to_the_end
    three_thousand_ids
    conditions
    refused
    limits
    who_may_read_may_search
}

const TABLE: &str = "
CREATE TABLE part (part_id integer NOT NULL PRIMARY KEY, label varchar(20), weight numeric(8,2));
CREATE TABLE word (word varchar(20) NOT NULL PRIMARY KEY);
INSERT INTO word VALUES ('search'), ('find');
";

fn fill(database: &Database) {
    let row =
        |id: usize| format!("({id}, '{}', {}.{:02})", ["ü", "a,b", "x"][id % 3], id % 7, id % 100);
    let rows: Vec<String> = (1..=5000).map(row).collect();
    database.exec(&format!("{TABLE} INSERT INTO part VALUES {};", rows.join(", ")));
}

fn start(database: &Database) -> App {
    fill(database);
    Setup::new(database).start()
}

const JSON: (&str, &str) = ("Content-Type", "application/json");
/// The two ways to ask by body.
const WAYS: [(&str, &str); 2] = [("POST", "/ords/hr/part/search"), ("QUERY", "/ords/hr/part/")];

fn ask(app: &App, (method, path): (&str, &str), body: &str) -> Response {
    app.connect().request(method, path, &[("Authorization", &app.bearer()), JSON], body.as_bytes())
}

/// An answer without the links of the page.
fn without_links(response: &Response) -> String {
    let text = String::from_utf8(response.body.clone()).unwrap();
    let (before, _) = text.rsplit_once(",\"links\":[").unwrap();
    before.to_owned()
}

fn as_get(database: Database) {
    let app = start(&database);
    for (query, body) in [
        ("", json!({})),
        ("limit=3", json!({ "limit": 3 })),
        ("limit=3&offset=7&count=exact", json!({ "limit": 3, "offset": 7, "count": "exact" })),
        ("fields=label,weight&limit=2", json!({ "fields": ["label", "weight"], "limit": 2 })),
        ("fields=label&count=estimated", json!({ "fields": "label", "count": "estimated" })),
        ("after=&limit=4", json!({ "after": "", "limit": 4, "offset": null })),
        ("limit=99999", json!({ "limit": 99_999 })),
    ] {
        for q in [None, Some(json!({ "label": "ü", "$orderby": { "weight": "DESC" } }))] {
            let mut body = body.clone();
            let mut path = format!("/ords/hr/part/?{query}");
            if let Some(q) = q {
                path.push_str(&format!("&q={}", percent_encode(&q.to_string())));
                body["q"] = q;
            }
            let by_get = app.get(&path);
            assert_eq!(by_get.status, 200, "{path} {by_get:?}");
            for way in WAYS {
                let by_body = ask(&app, way, &body.to_string());
                assert_eq!(by_body.status, 200, "{way:?} {body} {by_body:?}");
                assert_eq!(without_links(&by_body), without_links(&by_get), "{way:?} {body}");
                for header in ["etag", "content-type", "vary"] {
                    assert_eq!(by_body.header(header), by_get.header(header), "{header}");
                }
            }
        }
    }
    // Where a key can be `search`, its item is still there.
    assert_eq!(app.get("/ords/hr/word/search").json()["word"], "search");
    let found = ask(&app, ("POST", "/ords/hr/word/search"), r#"{"q":{"word":"search"}}"#);
    assert_eq!(found.json()["count"], 1);
}

fn link<'p>(page: &'p Value, rel: &str) -> Option<&'p Value> {
    page["links"].as_array().unwrap().iter().find(|link| link["rel"] == rel)
}

/// Follows `next` as the manual says: the same body with the link's members put into it.
fn followed_to_the_end(database: Database) {
    let app = start(&database);
    let q = json!({ "label": "a,b", "$orderby": { "weight": "DESC" } });
    for way in WAYS {
        for start in [json!({}), json!({ "after": "" })] {
            let mut body = json!({ "q": q, "limit": 300, "fields": "part_id" });
            let mut asked = (way.0.to_owned(), way.1.to_owned());
            let mut ids: Vec<i64> = Vec::new();
            let put = |body: &mut Value, members: &Value| {
                for (name, value) in members.as_object().unwrap() {
                    body[name] = value.clone();
                }
            };
            put(&mut body, &start);
            loop {
                let response = ask(&app, (&asked.0, &asked.1), &body.to_string());
                assert_eq!(response.status, 200, "{response:?}");
                let page = response.json();
                let items = page["items"].as_array().unwrap();
                ids.extend(items.iter().map(|item| item["part_id"].as_i64().unwrap()));
                let own = link(&page, "self").unwrap();
                assert_eq!(own["href"], format!("{}{}", app.url(), way.1));
                let Some(next) = link(&page, "next") else { break };
                let href = next["href"].as_str().unwrap().strip_prefix(app.url()).unwrap();
                asked = (next["method"].as_str().unwrap().to_owned(), href.to_owned());
                put(&mut body, &next["body"]);
            }
            assert_eq!(ids.len(), 1667);
            ids.sort_unstable();
            ids.dedup();
            assert_eq!(ids.len(), 1667);
            let first = link(&ask(&app, way, &body.to_string()).json(), "first").cloned().unwrap();
            put(&mut body, &first["body"]);
            assert_eq!(ask(&app, way, &body.to_string()).json()["count"], 300);
        }
    }
    let page = ask(&app, WAYS[0], r#"{"limit":10,"offset":15}"#).json();
    assert_eq!(link(&page, "prev").unwrap()["body"], json!({ "offset": 5 }));
}

fn three_thousand_ids(database: Database) {
    let app = start(&database);
    let ids: Vec<i64> = (1..=3000).map(|n| n * 2).collect();
    let body = json!({ "q": { "part_id": { "$in": ids } }, "count": "exact", "limit": 5 });
    for way in WAYS {
        let page = ask(&app, way, &body.to_string()).json();
        assert_eq!((&page["total"], &page["count"]), (&2500.into(), &5.into()), "{way:?}");
    }
    let texts: Vec<String> = (0..10_000).map(|n| format!("text {n} of some length")).collect();
    let body = json!({ "q": { "label": { "$nin": texts } }, "count": "exact", "limit": 1 });
    assert_eq!(ask(&app, WAYS[0], &body.to_string()).json()["total"], 5000);
    // More than one statement can carry is refused before it is tried.
    let list: Vec<i64> = (0..10_000).collect();
    let one = json!({ "part_id": { "$in": list } });
    let body = json!({ "q": { "$or": [one, one, one, one] } });
    let response = ask(&app, WAYS[0], &body.to_string());
    assert_eq!(response.json()["errors"][0]["code"], "DUET-2007", "{response:?}");
}

fn conditions(database: Database) {
    let app = start(&database);
    let etag = ask(&app, WAYS[1], "{}").header("etag").unwrap().to_owned();
    for ((method, path), status) in WAYS.into_iter().zip([200, 304]) {
        let bearer = app.bearer();
        let headers = [("Authorization", bearer.as_str()), JSON, ("If-None-Match", &etag)];
        let response = app.connect().request(method, path, &headers, b"{}");
        assert_eq!(response.status, status, "{method}");
    }
}

#[track_caller]
fn problem(response: &Response, status: u16, code: &str) -> Value {
    assert_eq!(response.status, status, "{response:?}");
    assert_eq!(response.header("content-type"), Some("application/problem+json"));
    let body = response.json();
    assert_eq!(body["errors"][0]["code"], code, "{body}");
    body["errors"][0].clone()
}

fn refused(database: Database) {
    let app = start(&database);
    for way in WAYS {
        for (body, code) in [
            ("", "DUET-1013"),
            ("[]", "DUET-1013"),
            (r#"{"limit":"5"}"#, "DUET-1013"),
            (r#"{"limit":0}"#, "DUET-1005"),
            (r#"{"after":"","offset":0}"#, "DUET-1005"),
            (r#"{"after":"garbage"}"#, "DUET-1005"),
            (r#"{"fields":["lable"]}"#, "DUET-1005"),
            (r#"{"count":"all"}"#, "DUET-1005"),
            (r#"{"q":[]}"#, "DUET-2002"),
            (r#"{"q":"{}"}"#, "DUET-2002"),
            (r#"{"q":{"lable":"x"}}"#, "DUET-2004"),
            (r#"{"q":{"label":"\u0000"}}"#, "DUET-2009"),
        ] {
            problem(&ask(&app, way, body), 400, code);
        }
        let told = problem(&ask(&app, way, r#"{"limt":1}"#), 400, "DUET-1013");
        let hint = told["hint"].as_str().unwrap_or_default();
        assert!(hint.starts_with("Did you mean `limit`? The filter goes into `q`"), "{hint}");
        assert_eq!(told["pointer"], "/limt");
        let long = "x/".repeat(50);
        for body in [format!(r#"{{"{long}":1}}"#), format!(r#"{{"{long}":null,"{long}":null}}"#)] {
            let response = ask(&app, way, &body);
            let told = problem(&response, 400, "DUET-1013");
            assert_eq!(told["pointer"], format!("/{}", "x~1".repeat(50)));
            let detail = response.json()["detail"].to_string();
            assert!(!detail.contains(&long), "{detail}");
        }
        let told = problem(&ask(&app, way, r#"{"limit":0}"#), 400, "DUET-1005");
        assert_eq!(told["pointer"], "/limit");
        let answer = ask(&app, way, r#"{"offset":9223372036854775808}"#);
        let told = problem(&answer, 400, "DUET-1013");
        assert_eq!(told["pointer"], "/offset");
        let detail = answer.json()["detail"].as_str().unwrap().to_owned();
        assert!(detail.contains("from 0 to 9223372036854775807"), "{detail}");
        // The position is that in the filter.
        let told = problem(&ask(&app, way, r#"{"limit":1, "q": {"lable":"x"}}"#), 400, "DUET-2004");
        assert_eq!((&told["position"], &told["parameter"]), (&1.into(), &"q".into()));
        let query = r#"{"query": "label = a or lable = x"}"#;
        let told = problem(&ask(&app, way, query), 400, "DUET-2004");
        assert_eq!((&told["position"], &told["parameter"]), (&13.into(), &"query".into()));
        problem(&ask(&app, way, r#"{"q":{},"query":"label = a"}"#), 400, "DUET-1005");
        problem(&ask(&app, way, r#"{"query":{}}"#), 400, "DUET-1013");
        let with_query = (way.0, format!("{}?limit=1", way.1));
        let response = ask(&app, (with_query.0, &with_query.1), "{}");
        problem(&response, 400, "DUET-1005");
        for header in [("Content-Type", "text/plain"), ("X-Nothing", "x")] {
            let headers = [("Authorization", app.bearer()), (header.0, header.1.to_owned())];
            let headers = headers.each_ref().map(|(name, value)| (*name, value.as_str()));
            let response = app.connect().request(way.0, way.1, &headers, b"{}");
            problem(&response, 415, "DUET-1011");
        }
        let headers = [("Authorization", app.bearer()), (JSON.0, JSON.1.to_owned())];
        let headers = headers.each_ref().map(|(name, value)| (*name, value.as_str()));
        let refusing = [&headers[..], &[("Accept", "image/png")]].concat();
        problem(&app.connect().request(way.0, way.1, &refusing, b"{}"), 406, "DUET-1007");
    }
    problem(&ask(&app, ("QUERY", "/ords/hr/part/1"), "{}"), 405, "DUET-1003");
    problem(&ask(&app, ("PUT", "/ords/hr/part/search"), "{}"), 405, "DUET-1003");
    problem(&ask(&app, ("PUT", "/ords/hr/word/search"), "{}"), 403, "DUET-4002");
    problem(&ask(&app, ("POST", "/ords/hr/nowhere/search"), "{}"), 404, "DUET-1001");
}

/// A body that is too large, said or found out, and one that never comes.
fn limits(database: Database) {
    fill(&database);
    let setup = Setup::new(&database).with(|setup| {
        setup.options.limits.body_bytes = 1000;
        setup.options.limits.header_timeout = std::time::Duration::from_secs(2);
    });
    let app = setup.start();
    let long = format!("{{\"q\":{{}}{}}}", " ".repeat(1000));
    for way in WAYS {
        problem(&ask(&app, way, &long), 413, "DUET-1010");
        let head = format!(
            "{} {} HTTP/1.1\r\nHost: h\r\nAuthorization: {}\r\nContent-Type: application/json\r\n",
            way.0,
            way.1,
            app.bearer()
        );
        let chunked =
            format!("{head}Transfer-Encoding: chunked\r\n\r\n3e8\r\n{}\r\n", " ".repeat(1000));
        let mut client = app.connect();
        client
            .send(format!("{chunked}3e8\r\n{}\r\n0\r\n\r\n", " ".repeat(1000)).as_bytes())
            .unwrap();
        problem(&client.read_response(false).unwrap(), 413, "DUET-1010");
        let mut client = app.connect();
        client.send(format!("{head}Content-Length: 5\r\n\r\n{{").as_bytes()).unwrap();
        problem(&client.read_response(false).unwrap(), 408, "DUET-1012");
    }
}

fn who_may_read_may_search(database: Database) {
    fill(&database);
    let setup = Setup::new(&database).privilege(&["reader"], &["/part/"]);
    let app = setup.with(|setup| setup.roles = vec!["reader"]).start();
    for way in WAYS {
        assert_eq!(ask(&app, way, "{}").status, 200, "{way:?}");
        let other = (way.0, way.1.replace("part", "word"));
        problem(&ask(&app, (other.0, &other.1), "{}"), 403, "DUET-4002");
        let stranger = app.connect().request(way.0, way.1, &[JSON], b"{}");
        assert_eq!(stranger.status, 401);
    }
}
