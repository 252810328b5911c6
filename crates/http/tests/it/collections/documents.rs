//! Collections over HTTP: the same bytes on both stores, lists and their totals, what schemas and versions
//! refuse, and what is found by CQL.

use std::sync::Arc;

use duet_model::{Code, IndexKind};
use duet_service::definition::{
    Collection, Declaration, DeclaredIndex, Reference, Resource, UnindexedPolicy,
};
use duet_testkit::http::Response;
use serde_json::{Value, json};

use crate::support::{App, Database, Setup, on_both_stores, percent_encode};

on_both_stores! {
    documents_are_the_same_bytes
    a_document_through_its_life
    lists_and_their_totals
    totals_above_the_limit_are_estimated
    searches
    orders
    schemas_refuse_with_pointers
    versions_lose_no_update
    patches_give_the_version
    estimates_count_nothing
    long_chains_of_conditions
    references_and_unique_values
    several_documents_at_once
    searches_without_an_index_are_refused
    large_bodies_are_refused
    a_table_that_is_not_there
    descriptions
    preparing_is_safe_to_repeat
    views_show_documents
    items_from_memory
}

const BOOK: &str = r#"{"type": "object", "additionalProperties": false, "required": ["title"],
  "properties": {"id": {"type": "string", "format": "uuid"}, "title": {"type": "string"},
    "shelf": {"type": "string", "format": "uuid"}, "pages": {"type": "integer", "minimum": 1},
    "price": {"type": "number"}, "lent": {"type": "boolean", "default": false},
    "code": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}},
    "place": {"type": "object", "properties": {"city": {"type": "string"}}},
    "_version": {"type": "integer"}, "metadata": {"type": "object"}}}"#;
const SHELF: &str = r#"{"type": "object", "properties": {"id": {"type": "string"},
  "name": {"type": "string"}}}"#;

const BOOKS: &str = "/ords/hr/books";
const SHELF_ID: &str = "0000000a-0000-4000-8000-000000000001";

fn collections(versioned: bool, metadata: bool) -> Vec<Arc<Collection>> {
    let index = |path: &str, kind| DeclaredIndex::new(path, kind);
    let books = Declaration {
        references: vec![Reference::new("shelf", "shelves")],
        indexes: vec![
            index("title", IndexKind::Ordered),
            index("title", IndexKind::FullText),
            index("code", IndexKind::Unique),
            index("pages", IndexKind::Ordered),
            index("lent", IndexKind::Ordered),
            index("place.city", IndexKind::Like),
        ],
        exact: vec!["code".into()],
        versioned,
        metadata,
        ..Declaration::new("books")
    };
    let made = [(books, BOOK), (Declaration::new("shelves"), SHELF)];
    made.map(|(declaration, schema)| Arc::new(Collection::new(declaration, schema).unwrap())).into()
}

fn started(database: &Database, versioned: bool, metadata: bool) -> App {
    setup(database, versioned, metadata).start()
}

fn setup(database: &Database, versioned: bool, metadata: bool) -> Setup {
    let collections = collections(versioned, metadata);
    database.prepare_collections(collections.iter().map(|one| one.table(None)).collect());
    Setup::new(database).with(|setup| {
        setup.mount().collections = collections;
        setup.read_limits.exact_total = 20;
        setup.roles = vec!["duet.write"];
    })
}

fn send(app: &App, method: &str, path: &str, body: &str) -> Response {
    let bearer = app.bearer();
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    app.connect().request(method, path, &headers, body.as_bytes())
}

fn made(app: &App, body: &Value) -> Value {
    let answer = send(app, "POST", BOOKS, &body.to_string());
    assert_eq!(answer.status, 201, "{answer:?}");
    answer.json()
}

/// The code of the first error.
fn code(answer: &Response) -> String {
    answer.json()["errors"][0]["code"].as_str().unwrap_or_default().to_owned()
}

/// The titles that a query finds, in the order of the list.
fn found(app: &App, query: &str) -> Vec<String> {
    let list = app.get(&format!("{BOOKS}?limit=100&query={}", percent_encode(query)));
    assert_eq!(list.status, 200, "{query}: {list:?}");
    let list = list.json();
    let books = list["books"].as_array().unwrap();
    assert_eq!(list["totalRecords"], json!(books.len()), "{query}");
    books.iter().map(|book| book["title"].as_str().unwrap().to_owned()).collect()
}

fn documents_are_the_same_bytes(database: Database) {
    let app = started(&database, false, false);
    let body = r#"{"title": "Zoé\u0041\n", "tags": [ "x" , "y z" ], "price": 1.50e1, "pages": 7.0,
        "place": {"city": "Aé"}, "id": "0000000B-0000-4000-8000-00000000000F"}"#;
    let answer = send(&app, "POST", BOOKS, body);
    let expected = r#"{"id":"0000000b-0000-4000-8000-00000000000f","lent":false,"tags":["x","y z"],"pages":7.0,"place":{"city":"Aé"},"price":15.0,"title":"ZoéA\n"}"#;
    assert_eq!((answer.status, answer.text()), (201, expected));
    let item = app.get(&format!("{BOOKS}/0000000b-0000-4000-8000-00000000000f"));
    assert_eq!(item.text(), expected);
    assert_eq!(item.header("etag"), answer.header("etag"));
    assert_eq!(item.header("etag"), Some("\"D60320554E209E76DF2D087B7DAD8175\""));
    let list = app.get(BOOKS);
    assert_eq!(list.text(), format!(r#"{{"books":[{expected}],"totalRecords":1}}"#));
    let lines = app.get_with(BOOKS, &[("Accept", "application/x-ndjson")]);
    assert_eq!(lines.text(), format!("{expected}\n"));
}

fn a_document_through_its_life(database: Database) {
    let app = started(&database, false, true);
    let answer = send(&app, "POST", BOOKS, r#"{"title":"A","metadata":{"createdDate":"x"}}"#);
    let book = answer.json();
    let path = format!("{BOOKS}/{}", book["id"].as_str().unwrap());
    assert!(answer.header("location").unwrap().ends_with(&path));
    assert_eq!(book["metadata"]["createdDate"], book["metadata"]["updatedDate"]);
    assert_ne!(book["metadata"]["createdDate"], json!("x"));
    assert_eq!(book["metadata"]["createdByUserId"], json!(app.id.as_str()));
    let answer = send(&app, "PUT", &path, r#"{"title":"B","pages":3}"#);
    assert_eq!((answer.status, answer.text()), (204, ""));
    let changed = app.get(&path).json();
    assert_eq!((&changed["title"], &changed["lent"]), (&json!("B"), &json!(false)));
    assert_eq!(changed["metadata"]["createdDate"], book["metadata"]["createdDate"]);
    let answer = send(&app, "PATCH", &path, r#"{"pages":null,"place":{"city":"C"}}"#);
    assert_eq!(answer.status, 204);
    let patched = app.get(&path).json();
    assert_eq!((patched.get("pages"), &patched["place"]["city"]), (None, &json!("C")));
    let other =
        send(&app, "PUT", &path, r#"{"title":"B","id":"0000000a-0000-4000-8000-000000000009"}"#);
    assert_eq!(other.json()["errors"][0]["pointer"], json!("/id"));
    let removed = send(&app, "PATCH", &path, r#"{"id":null,"pages":4}"#).json();
    assert_eq!(removed["errors"][0], json!({ "code": "DUET-7006", "pointer": "/id" }));
    assert_eq!(send(&app, "DELETE", &path, "").status, 204);
    for method in ["GET", "PUT", "DELETE"] {
        assert_eq!(send(&app, method, &path, r#"{"title":"B"}"#).status, 404, "{method}");
    }
}

fn lists_and_their_totals(database: Database) {
    let app = started(&database, false, false);
    for number in 0..12 {
        made(&app, &json!({ "title": format!("T{number:02}"), "pages": number + 1 }));
    }
    let list =
        app.get(&format!("{BOOKS}?offset=3&query=cql.allRecords%3D1%20sortBy%20title")).json();
    let books = list["books"].as_array().unwrap();
    assert_eq!((books.len(), &books[0]["title"]), (9, &json!("T03")));
    let list = app.get(BOOKS).json();
    assert_eq!((list["books"].as_array().unwrap().len(), &list["totalRecords"]), (10, &json!(12)));
    let none = app.get(&format!("{BOOKS}?limit=0"));
    assert_eq!(none.text(), r#"{"books":[],"totalRecords":12}"#);
    let silent = app.get(&format!("{BOOKS}?limit=1&totalRecords=none&lang=en")).json();
    assert_eq!(silent.get("totalRecords"), None);
    for wrong in ["limit=-1", "totalRecords=some", "count=exact", "offset=x"] {
        assert_eq!(app.get(&format!("{BOOKS}?{wrong}")).status, 400, "{wrong}");
    }
}

fn totals_above_the_limit_are_estimated(database: Database) {
    let app = started(&database, false, false);
    let books: Vec<Value> = (0..60)
        .map(|number| json!({ "title": format!("T{number:02}"), "lent": number % 2 == 0 }))
        .collect();
    assert_eq!(send(&app, "POST", BOOKS, &json!(books).to_string()).status, 201);
    let total = |parameters: &str| {
        let list = app.get(&format!("{BOOKS}?limit=1&{parameters}")).json();
        list["totalRecords"].as_u64().unwrap()
    };
    assert_eq!(total("totalRecords=exact"), 60);
    assert_eq!(total("query=title%3D%3DT1*"), 10, "below the limit all are counted");
    let estimated = total("query=lent%3D%3Dtrue");
    assert!((21..=60).contains(&estimated), "{estimated}");
}

fn searches(database: Database) {
    let app = started(&database, false, false);
    for (title, pages, lent, city, tags) in [
        ("Éclair", 10, true, "Søvang", vec!["gift", "new"]),
        ("eclair two", 9, false, "sovang", vec![]),
        ("Other 50%_x", 100, false, "Aarhus", vec!["gift"]),
    ] {
        made(
            &app,
            &json!({ "title": title, "pages": pages, "lent": lent, "place": { "city": city }, "tags": tags }),
        );
    }
    for (query, expected) in [
        ("title==eclair", &["Éclair"][..]),
        ("title==ECLAIR*", &["Éclair", "eclair two"]),
        ("title==/respectAccents eclair*", &["eclair two"]),
        ("title==*50%_x", &["Other 50%_x"]),
        ("title=eclair", &["Éclair", "eclair two"]),
        ("title=\"two eclair\"", &[]),
        ("title all \"two eclair\"", &["eclair two"]),
        ("place.city==sovang", &["Éclair", "eclair two"]),
        ("pages>9", &["Éclair", "Other 50%_x"]),
        ("pages==9.0", &["eclair two"]),
        ("lent==true", &["Éclair"]),
        ("lent==false and pages<50", &["eclair two"]),
        ("tags==gift", &["Éclair", "Other 50%_x"]),
        ("cql.allRecords=1 not title==other*", &["Éclair", "eclair two"]),
        ("price==1", &[]),
    ] {
        let mut titles = found(&app, query);
        titles.sort_by_key(|title| title.to_lowercase().replace('é', "e"));
        let mut expected: Vec<String> = expected.iter().map(|title| (*title).to_owned()).collect();
        expected.sort_by_key(|title| title.to_lowercase().replace('é', "e"));
        assert_eq!(titles, expected, "{query}");
    }
    let q = percent_encode(r#"{"pages":{"$gte":10},"lent":true}"#);
    let list = app.get(&format!("{BOOKS}?q={q}")).json();
    assert_eq!(list["books"][0]["title"], json!("Éclair"));
    let wrong = app.get(&format!("{BOOKS}?query=titel%3D%3Dx"));
    assert_eq!((wrong.status, code(&wrong)), (400, "DUET-2004".to_owned()));
}

fn orders(database: Database) {
    let app = started(&database, false, false);
    for (title, pages) in [("b", Some(2)), ("Á", Some(10)), ("C", None), ("a2", Some(2))] {
        let mut book = json!({ "title": title });
        if let Some(pages) = pages {
            book["pages"] = json!(pages);
        }
        made(&app, &book);
    }
    for (order, expected) in [
        ("title", ["Á", "a2", "b", "C"]),
        ("title/sort.descending", ["C", "b", "a2", "Á"]),
        ("pages title", ["a2", "b", "Á", "C"]),
        ("pages/sort.descending title", ["Á", "a2", "b", "C"]),
    ] {
        assert_eq!(found(&app, &format!("cql.allRecords=1 sortBy {order}")), expected, "{order}");
        // The same documents page by page, those without a value behind the others.
        let query = percent_encode(&format!("cql.allRecords=1 sortBy {order}"));
        for (offset, limit) in [(0, 3), (1, 2), (2, 2), (3, 1), (3, 5), (4, 1)] {
            let path = format!("{BOOKS}?query={query}&offset={offset}&limit={limit}");
            let list = app.get(&path).json();
            let books = list["books"].as_array().unwrap();
            let titles: Vec<_> = books.iter().map(|it| it["title"].as_str().unwrap()).collect();
            let end = expected.len().min(offset + limit);
            assert_eq!(titles, expected[offset..end], "{path}");
            assert_eq!(list["totalRecords"], json!(4), "{path}");
        }
    }
}

fn schemas_refuse_with_pointers(database: Database) {
    let app = started(&database, false, false);
    let pointers = |answer: &Response| -> Vec<String> {
        let errors = answer.json()["errors"].clone();
        let errors = errors.as_array().unwrap().iter();
        errors.map(|error| error["pointer"].as_str().unwrap().to_owned()).collect()
    };
    let body = r#"{"pages":0,"nmae":1,"id":"x"}"#;
    let answer = send(&app, "POST", BOOKS, body);
    assert_eq!((answer.status, pointers(&answer)), (422, vec!["/id".to_owned()]));
    let answer = send(&app, "POST", BOOKS, r#"{"pages":0,"nmae":1}"#);
    let mut places = pointers(&answer);
    places.sort();
    assert_eq!((answer.status, code(&answer)), (422, "DUET-7030".to_owned()));
    assert_eq!(places, ["/nmae", "/pages", "/title"]);
    let book = made(&app, &json!({ "title": "A" }));
    let path = format!("{BOOKS}/{}", book["id"].as_str().unwrap());
    let answer = send(&app, "PATCH", &path, r#"{"pages":-1}"#);
    assert_eq!((answer.status, pointers(&answer)), (422, vec!["/pages".to_owned()]));
    let answer = send(&app, "POST", BOOKS, r#"[{"title":"B"},{"title":7}]"#);
    assert_eq!((answer.status, pointers(&answer)), (422, vec!["/1/title".to_owned()]));
    assert_eq!(app.get(&format!("{BOOKS}?limit=0")).json()["totalRecords"], json!(1));
    for (body, status) in [("[7]", 400), ("7", 400), ("{", 400)] {
        assert_eq!(send(&app, "POST", BOOKS, body).status, status, "{body}");
    }
}

fn versions_lose_no_update(database: Database) {
    let app = started(&database, true, false);
    let book = made(&app, &json!({ "title": "A", "pages": 1 }));
    assert_eq!(book["_version"], json!(1));
    let path = format!("{BOOKS}/{}", book["id"].as_str().unwrap());
    let missing = send(&app, "PUT", &path, r#"{"title":"B"}"#);
    assert_eq!((missing.status, code(&missing)), (409, "DUET-7031".to_owned()));
    let raise = || {
        let mut raised = 0;
        while raised < 5 {
            let mut book = app.get(&path).json();
            book["pages"] = json!(book["pages"].as_u64().unwrap() + 1);
            match send(&app, "PUT", &path, &book.to_string()).status {
                204 => raised += 1,
                409 => {}
                other => panic!("{other}"),
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(raise);
        }
    });
    let book = app.get(&path).json();
    assert_eq!((&book["pages"], &book["_version"]), (&json!(21), &json!(21)));
}

fn patches_give_the_version(database: Database) {
    let app = started(&database, true, false);
    let book = made(&app, &json!({ "title": "A" }));
    let path = format!("{BOOKS}/{}", book["id"].as_str().unwrap());
    let patch = |version: Option<i64>, if_match: Option<&str>| {
        let bearer = app.bearer();
        let mut headers =
            vec![("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
        headers.extend(if_match.map(|etag| ("If-Match", etag)));
        let mut body = json!({ "pages": 7 });
        if let Some(version) = version {
            body["_version"] = json!(version);
        }
        app.connect().request("PATCH", &path, &headers, body.to_string().as_bytes())
    };
    let mut version = 1;
    for (given, if_match, status) in [
        ("none", "none", 409),
        ("none", "any", 409),
        ("none", "stale", 412),
        ("none", "right", 204),
        ("right", "none", 204),
        ("right", "any", 204),
        ("right", "right", 204),
        ("right", "stale", 412),
        ("stale", "none", 409),
        ("stale", "right", 409),
        ("stale", "stale", 412),
    ] {
        let etag = app.get(&path).header("etag").unwrap().to_owned();
        let stale = "\"00000000000000000000000000000000\"";
        let if_match = match if_match {
            "any" => Some("*"),
            "stale" => Some(stale),
            "right" => Some(etag.as_str()),
            _ => None,
        };
        let of_body = match given {
            "right" => Some(version),
            "stale" => Some(version + 7),
            _ => None,
        };
        let answer = patch(of_body, if_match);
        assert_eq!(answer.status, status, "{given} {if_match:?}: {answer:?}");
        if status == 409 {
            assert_eq!(code(&answer), "DUET-7031");
            assert_eq!(answer.json()["errors"][0]["pointer"], json!("/_version"));
        }
        version += i64::from(status == 204);
        assert_eq!(app.get(&path).json()["_version"], json!(version), "{given} {if_match:?}");
    }
}

/// The statements of a request for a list that count or estimate.
fn totals(app: &App, target: &str) -> Vec<(String, String)> {
    let explanation = app.service.explanation("GET", target).unwrap();
    let statements = explanation.statements.iter().map(|one| (one.title.clone(), one.sql.clone()));
    statements.filter(|(title, _)| !title.starts_with("level")).collect()
}

fn estimates_count_nothing(database: Database) {
    let app = started(&database, false, false);
    let books: Vec<Value> = (0..60)
        .map(|number| json!({ "title": format!("T{number:02}"), "lent": number % 2 == 0 }))
        .collect();
    assert_eq!(send(&app, "POST", BOOKS, &json!(books).to_string()).status, 201);
    for query in ["lent==true", "cql.allRecords=1 not title==T0*"] {
        let target =
            format!("{BOOKS}?limit=1&totalRecords=estimated&query={}", percent_encode(query));
        let statements = totals(&app, &target);
        let titles: Vec<_> = statements.iter().map(|(title, _)| title.as_str()).collect();
        assert_eq!(titles, ["total", "estimate"], "{query}");
        assert!(statements[0].1.contains("LIMIT 1)"), "{}", statements[0].1);
        let total = app.get(&target).json()["totalRecords"].as_u64().unwrap();
        // The planner guesses where it has no statistics yet.
        assert!((2..1_000).contains(&total), "{query}: {total}");
        // The page agrees: it is the last, or begins behind all, or shows that there is more.
        let page = |parameters: &str| app.get(&format!("{target}&{parameters}")).json();
        assert!(page("offset=20")["totalRecords"].as_u64().unwrap() >= 21, "{query}");
        let behind = page("offset=70");
        assert_eq!(behind["books"], json!([]));
        assert!(behind["totalRecords"].as_u64().unwrap() <= 70, "{query}");
        // Without items it is the total alone, wherever the page would begin: no page is read.
        let pages = || app.service.store().counted().pages;
        let before = pages();
        let alone = |offset: u64| {
            let page = format!("limit=0&offset={offset}");
            app.get(&target.replacen("limit=1", &page, 1)).json()
        };
        assert_eq!(alone(0)["books"], json!([]));
        assert!(alone(0)["totalRecords"].as_u64().is_some_and(|total| total > 0), "{query}");
        assert_eq!(alone(0), alone(1), "{query}");
        assert_eq!(pages(), before, "{query}");
    }
    let last = app.get(&format!("{BOOKS}?limit=20&totalRecords=estimated&query=title%3D%3DT1*"));
    assert_eq!(last.json()["totalRecords"], json!(10));
    let exact = format!("{BOOKS}?totalRecords=exact&query=lent%3D%3Dtrue");
    let statements = totals(&app, &exact);
    assert!(statements.len() == 1 && !statements[0].1.contains("LIMIT"), "{statements:?}");
}

fn long_chains_of_conditions(database: Database) {
    let app = started(&database, false, false);
    for title in ["A", "B"] {
        made(&app, &json!({ "title": title, "pages": 3 }));
    }
    let limits = duet_filter::Limits::default();
    let chain = |operator: &str, one: &dyn Fn(usize) -> String| {
        let conditions: Vec<String> = (0..limits.nodes / 2).map(one).collect();
        conditions.join(operator)
    };
    assert_eq!(found(&app, &chain(" or ", &|at| format!("title==A{at}"))), [""; 0]);
    let either = chain(" or ", &|at| format!("title==A{}", if at == 7 { "" } else { "x" }));
    assert_eq!(found(&app, &either), ["A"]);
    let mut all = found(&app, &chain(" and ", &|at| format!("pages<{}", at + 4)));
    all.sort();
    assert_eq!(all, ["A", "B"]);
}

fn references_and_unique_values(database: Database) {
    let app = started(&database, false, false);
    let shelf = json!({ "id": SHELF_ID, "name": "S" }).to_string();
    assert_eq!(send(&app, "POST", "/ords/hr/shelves", &shelf).status, 201);
    made(&app, &json!({ "title": "A", "shelf": SHELF_ID, "code": "x" }));
    let dangling = json!({ "title": "B", "shelf": "0000000a-0000-4000-8000-000000000002" });
    let answer = send(&app, "POST", BOOKS, &dangling.to_string());
    let place = |answer: &Response| answer.json()["errors"][0]["pointer"].clone();
    assert_eq!((code(&answer), place(&answer)), ("DUET-7102".to_owned(), json!("/shelf")));
    let shelf = format!("/ords/hr/shelves/{SHELF_ID}");
    assert_eq!(code(&send(&app, "DELETE", &shelf, "")), "DUET-7102");
    assert_eq!(app.get(&shelf).status, 200);
    let twice = json!({ "title": "C", "code": "x" }).to_string();
    let answer = send(&app, "POST", BOOKS, &twice);
    assert_eq!((code(&answer), place(&answer)), ("DUET-7101".to_owned(), json!("/code")));
    made(&app, &json!({ "title": "D", "code": "X" }));
    assert_eq!(found(&app, &format!("shelf=={SHELF_ID}")), ["A"]);
    assert_eq!(found(&app, &format!("shelf=={}", SHELF_ID.to_uppercase())), ["A"]);
    let upper = format!("/ords/hr/shelves/{}", SHELF_ID.to_uppercase());
    assert_eq!(app.get(&upper).status, 200);
    assert_eq!(app.get("/ords/hr/shelves/7").status, 404);
    assert_eq!(found(&app, "code==X"), ["D"]);
    assert_eq!(app.get(&format!("{BOOKS}?limit=0")).json()["totalRecords"], json!(2));
}

fn several_documents_at_once(database: Database) {
    let app = started(&database, false, false);
    let batch = format!("{BOOKS}/_/batch");
    let answer = send(&app, "POST", &batch, r#"[{"title":"A"},{"pages":1},{"title":"B"}]"#).json();
    let statuses: Vec<u64> =
        answer.as_array().unwrap().iter().map(|one| one["status"].as_u64().unwrap()).collect();
    assert_eq!(statuses, [201, 422, 201]);
    let bearer = app.bearer();
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/x-ndjson")];
    let lines = "{\"title\":\"C\"}\n{\"title\":\"D\"}\n";
    let load =
        app.connect().request("POST", &format!("{BOOKS}/batchload"), &headers, lines.as_bytes());
    assert!(load.status < 300, "{load:?}");
    assert_eq!(found(&app, "cql.allRecords=1 sortBy title"), ["A", "B", "C", "D"]);
}

fn searches_without_an_index_are_refused(database: Database) {
    let collections = collections(false, false);
    database.prepare_collections(collections.iter().map(|one| one.table(None)).collect());
    let app = Setup::new(&database)
        .with(|setup| {
            setup.mount().collections = collections;
            setup.mount().resources = vec![Resource {
                name: "books".into(),
                table: "books".into(),
                unindexed: UnindexedPolicy::Refuse,
                ..Resource::default()
            }];
        })
        .start();
    let shelf = format!("shelf=={SHELF_ID}");
    for (query, status) in [
        ("code==x", 200),
        ("title==ab*", 200),
        ("title==ab* and price==1", 200),
        ("pages>3", 200),
        ("lent==true", 200),
        ("place.city==a*", 200),
        (&shelf, 200),
        ("id==0000000a-0000-4000-8000-000000000001", 200),
        ("price==1", 400),
        ("title==/respectCase ab*", 400),
        ("title==*ab", 400),
        ("title<>ab", 400),
        ("tags==x", 400),
    ] {
        let list = app.get(&format!("{BOOKS}?query={}", percent_encode(query)));
        assert_eq!(list.status, status, "{query}: {}", list.text());
    }
}

fn large_bodies_are_refused(database: Database) {
    let app =
        setup(&database, false, false).with(|setup| setup.options.limits.body_bytes = 1000).start();
    let book = made(&app, &json!({"title": "A"}));
    let place = format!("{BOOKS}/{}", book["id"].as_str().unwrap());
    let large = json!({"title": "A".repeat(1000)}).to_string();
    let batch = format!("[{large}]");
    for (method, path, body) in [
        ("POST", BOOKS, &large),
        ("POST", BOOKS, &batch),
        ("PUT", &place, &large),
        ("PATCH", &place, &large),
    ] {
        let answer = send(&app, method, path, body);
        assert_eq!((answer.status, &*code(&answer)), (413, "DUET-1010"), "{method}: {answer:?}");
    }
    assert_eq!(found(&app, "cql.allRecords=1"), ["A"]);
}

fn a_table_that_is_not_there(database: Database) {
    let app = Setup::new(&database)
        .with(|setup| setup.mount().collections = collections(false, false))
        .start();
    let answer = app.get(BOOKS);
    assert_eq!(answer.status, 503, "{answer:?}");
    let notes = app.service.snapshot().notes.join(" ");
    assert!(notes.contains("duet collection prepare"), "{notes}");
    database
        .prepare_collections(collections(false, false).iter().map(|one| one.table(None)).collect());
    app.reload();
    assert_eq!(app.get(BOOKS).status, 200);
}

fn descriptions(database: Database) {
    let app = started(&database, false, false);
    let api = app.get("/ords/hr/open-api-catalog/books/").json();
    let schemas = &api["components"]["schemas"];
    assert_eq!(schemas["BooksItem"]["properties"]["pages"]["minimum"], json!(1));
    assert_eq!(schemas["BooksNew"]["required"], json!(["title"]));
    assert_eq!(schemas["BooksPage"]["required"], json!(["books"]));
    let list = &api["paths"]["/books/"]["get"]["parameters"];
    let list = list.as_array().unwrap().iter().filter_map(|one| one["name"].as_str());
    assert_eq!(list.collect::<Vec<_>>(), ["q", "query", "limit", "offset", "totalRecords"]);
    let entry = app.get("/ords/hr/metadata-catalog/books/");
    assert_eq!(entry.status, 200);
    assert!(entry.text().contains("place.city"), "{}", entry.text());
}

fn preparing_is_safe_to_repeat(database: Database) {
    let tables = || collections(false, false).iter().map(|one| one.table(None)).collect::<Vec<_>>();
    let made = database.prepare_collections(tables());
    assert_eq!(made.tables, ["shelves", "books"]);
    assert!(made.indexes.contains(&"books_shelf_idx".to_owned()), "{made:?}");
    assert_eq!(database.prepare_collections(tables()), Default::default());
    let mut more = tables();
    let price = collections(false, false)[0].fields().iter().find(|it| it.path == "price").cloned();
    let field = price.unwrap();
    more[0].indexes.push(duet_model::CollectionIndex::new(field, IndexKind::Ordered));
    assert_eq!(database.prepare_collections(more).indexes, ["books_price_idx"]);
}

/// The canonical text is what PostgreSQL stores: random documents, compared with `jsonb` without its blanks.
/// Views show documents and follow their references, and leave writing them to the collection.
fn views_show_documents(database: Database) {
    const VIEW: &str =
        "view shelf_tree as shelves { _id: id  shelf: jsonb  books [ { id  book: jsonb } ] }";
    let app = setup(&database, false, false).view("shelf_tree", VIEW).start();
    let shelf = format!(r#"{{"id":"{SHELF_ID}","name":"Sea"}}"#);
    assert_eq!(send(&app, "POST", "/ords/hr/shelves", &shelf).status, 201);
    let book = made(&app, &json!({"title": "Kayak", "shelf": SHELF_ID}));
    let tree = app.get(&format!("/ords/hr/shelf_tree/{SHELF_ID}")).json();
    assert_eq!(tree["shelf"]["name"], json!("Sea"));
    assert_eq!(tree["books"], json!([{"id": book["id"], "book": book}]));
    let found = |q: &str| {
        let q = percent_encode(q);
        app.get(&format!("/ords/hr/shelf_tree/?q={q}")).json()["count"].clone()
    };
    let title = |title: &str| found(&format!(r#"{{"books.book.title":"{title}"}}"#));
    assert_eq!((title("Kayak"), title("Canoe")), (json!(1), json!(0)));
    for place in ["shelves @update", "shelves @insert"] {
        let text = VIEW.replace("as shelves", &format!("as {place}"));
        let error = setup(&database, false, false).view("shelf_tree", &text).try_start();
        let error = error.err().unwrap_or_else(|| panic!("{place} is taken"));
        assert_eq!(error.code, Code::ViewAnnotation, "{error}");
    }
}

fn items_from_memory(database: Database) {
    let app = setup(&database, true, false).with(|setup| {
        setup.roles = vec!["duet.write", "duet.read", "duet.admin"];
        setup.read_limits.rowstore_max_age = None;
        let (name, table) = ("books".to_owned(), "books".to_owned());
        let resource = Resource { name, table, rowstore: 1 << 20, ..Resource::default() };
        setup.mount().resources.push(resource);
    });
    let app = app.start();
    let book = made(&app, &json!({"title": "Kayak"}));
    let place = format!("{BOOKS}/{}", book["id"].as_str().unwrap());
    let sources = || {
        let answer = app.get(&place);
        assert_eq!(answer.status, 200, "{answer:?}");
        let source = answer.header("x-cache").unwrap_or("none").to_owned();
        (source, answer.json()["title"].clone(), answer.header("etag").unwrap().to_owned())
    };
    let (first, title, etag) = sources();
    assert_eq!((first.as_str(), title), ("miss", json!("Kayak")));
    assert_eq!(sources(), ("hit".to_owned(), json!("Kayak"), etag.clone()));
    let changed = r#"{"title":"Canoe","_version":1}"#;
    assert_eq!(send(&app, "PUT", &place, changed).status, 204);
    let (source, title, changed) = sources();
    assert_eq!((source.as_str(), title, changed == etag), ("miss", json!("Canoe"), false));
    assert_eq!(sources().0, "hit");
    assert_eq!(send(&app, "DELETE", &place, "").status, 204);
    assert_eq!(app.get(&place).status, 404);
}

#[test]
fn canonical_texts_are_those_of_jsonb() {
    let Database::Postgres(database) = Database::postgres("canonical") else { return };
    let mut random = Random(7);
    let documents: Vec<String> = (0..400).map(|_| random.value(4)).collect();
    let rows = documents.iter().enumerate();
    let rows = rows.map(|(at, text)| format!("({at}, '{}')", text.replace('\'', "''")));
    let rows = rows.collect::<Vec<_>>().join(",");
    let sql = format!(
        "SELECT json_agg(text::jsonb::text ORDER BY at)::text FROM (VALUES {rows}) AS given(at, text)"
    );
    let stored: Vec<String> = serde_json::from_str(&database.query(&sql)).unwrap();
    for (given, stored) in documents.iter().zip(stored) {
        let json = duet_text::json::read(given, &duet_text::json::STORED, 64).unwrap();
        let mut canonical = Vec::new();
        duet_document::write_canonical(&json, &mut canonical).unwrap();
        assert_eq!(String::from_utf8(canonical).unwrap(), without_blanks(&stored), "{given}");
    }
}

/// What PostgreSQL adds behind commas and colons, outside of strings.
fn without_blanks(json: &str) -> String {
    let (mut out, mut inside, mut escaped) = (String::new(), false, false);
    for char in json.chars() {
        if inside {
            inside = escaped || char != '"';
            escaped = !escaped && char == '\\';
        } else if char == ' ' {
            continue;
        } else {
            inside = char == '"';
        }
        out.push(char);
    }
    out
}

/// Documents from a sequence of numbers (xorshift), the same every time.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        let at = self.below(list.len() as u64);
        list[usize::try_from(at).unwrap()]
    }

    fn text(&mut self) -> String {
        let parts = [
            "a",
            "B",
            "é",
            "\\u00e9",
            "\\n",
            "\\\"",
            "\\\\",
            "/",
            "\\/",
            "ß",
            "\\ud83d\\ude00",
            " ",
            "1",
            "\\u001f",
        ];
        let length = self.below(4);
        let inside: String = (0..length).map(|_| self.pick(&parts)).collect();
        format!("\"{inside}\"")
    }

    fn number(&mut self) -> String {
        let whole = self.pick(&["0", "7", "10", "123456789012345678901"]);
        let fraction = self.pick(&["", "", ".0", ".50", ".001", ".100"]);
        let exponent = self.pick(&["", "", "e3", "E-2", "e+10", "e0", "E-7"]);
        let sign = self.pick(&["", "-"]);
        format!("{sign}{whole}{fraction}{exponent}")
    }

    fn value(&mut self, depth: u32) -> String {
        let kinds = if depth == 0 { 4 } else { 6 };
        match self.below(kinds) {
            0 => self.pick(&["null", "true", "false"]).to_owned(),
            1 => self.text(),
            2 | 3 => self.number(),
            4 => {
                let length = self.below(4);
                let elements: Vec<_> = (0..length).map(|_| self.value(depth - 1)).collect();
                format!("[{}]", elements.join(" , "))
            }
            _ => {
                let length = self.below(6);
                let member =
                    |random: &mut Self| format!("{}: {}", random.text(), random.value(depth - 1));
                let members: Vec<_> = (0..length).map(|_| member(self)).collect();
                format!("{{{}}}", members.join(","))
            }
        }
    }
}
