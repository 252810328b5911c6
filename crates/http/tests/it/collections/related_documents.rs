//! Searches over several collections: related documents by name, and joined lists.

use std::sync::Arc;

use duet_auth::{Operation, Privilege};
use duet_service::definition::{Collection, Declaration, JoinedList, Reference};
use serde_json::{Value, json};

use crate::support::{App, Database, Setup, on_both_stores, percent_encode};

on_both_stores! {
    related_documents_are_found_by_name
    a_joined_list_is_about_one_row
    orders_by_related_documents
    composed_lists
    what_may_not_be_read_may_not_be_searched
    descriptions_of_joined_lists
    a_list_is_explained
}

/// A schema with these members: texts, identifiers where they end in `id`, and the number `n`.
fn schema(members: &[&str]) -> String {
    let member = |name: &&str| {
        let is_key = name.to_lowercase().ends_with("id");
        let ty = match *name {
            "n" => json!({"type": "integer"}),
            "tags" => json!({"type": "array", "items": {"type": "string"}}),
            _ if is_key => json!({"type": "string", "format": "uuid"}),
            _ => json!({"type": "string"}),
        };
        ((*name).to_owned(), ty)
    };
    let members: serde_json::Map<_, _> = members.iter().map(member).collect();
    json!({"type": "object", "properties": members, "additionalProperties": false}).to_string()
}

fn collections() -> Vec<Arc<Collection>> {
    let refer = |name: &str, members: &[&str], references: Vec<Reference>| {
        let declaration = Declaration { references, ..Declaration::new(name) };
        Arc::new(Collection::new(declaration, &schema(members)).unwrap())
    };
    let parent =
        Reference { inverse: Some("children".into()), ..Reference::new("parentId", "orders") };
    vec![
        refer("orders", &["id", "name", "state", "parentId"], vec![parent]),
        refer(
            "lines",
            &["id", "orderId", "state", "n", "tags"],
            vec![Reference::new("orderId", "orders")],
        ),
        refer("pieces", &["id", "lineId", "name"], vec![Reference::new("lineId", "lines")]),
    ]
}

fn lists() -> Vec<Arc<JoinedList>> {
    let list = |name: &str, of: &str, join: &[&str], members: &[(&str, &str)]| {
        let text = |text: &&str| (*text).to_owned();
        let member = |(name, path): &(&str, &str)| ((*name).to_owned(), (*path).to_owned());
        Arc::new(JoinedList {
            mount: None,
            name: name.into(),
            of: of.into(),
            list: (name == "history").then(|| "history".into()),
            join: join.iter().map(text).collect(),
            members: members.iter().map(member).collect(),
        })
    };
    let members =
        [("id", "id"), ("piece", "name"), ("number", "line.n"), ("order", "line.order.name")];
    vec![
        list("orders-and-lines", "orders", &["lines"], &[]),
        list("lines-and-orders", "lines", &["order"], &[]),
        list("history", "pieces", &["line", "line.order"], &members),
    ]
}

fn id(kind: u8, number: u8) -> String {
    format!("0000000{kind}-0000-4000-8000-00000000000{number}")
}

/// Order A has lines 1 (open, 5) and 2 (closed, 7), B line 3 (open, 7), C is a child of A without lines.
/// Line 1 has the pieces `x` and `y`.
fn documents() -> [(&'static str, Vec<Value>); 3] {
    let order = |number, name: &str, state: &str| json!({"id": id(1, number), "name": name, "state": state});
    let line = |number, of, state: &str, n: i64| {
        let tags = if n == 5 { json!(["urgent"]) } else { json!([]) };
        json!({"id": id(2, number), "orderId": id(1, of), "state": state, "n": n, "tags": tags})
    };
    let mut child = order(3, "C", "open");
    child["parentId"] = json!(id(1, 1));
    let piece = |number, name: &str| json!({"id": id(3, number), "lineId": id(2, 1), "name": name});
    [
        ("orders", vec![order(1, "A", "open"), order(2, "B", "done"), child]),
        ("lines", vec![line(1, 1, "open", 5), line(2, 1, "closed", 7), line(3, 2, "open", 7)]),
        ("pieces", vec![piece(1, "x"), piece(2, "y"), json!({"id": id(3, 3), "name": "z"})]),
    ]
}

fn started(database: &Database, change: impl FnOnce(&mut Setup)) -> App {
    let collections = collections();
    database.prepare_collections(collections.iter().map(|one| one.table(None)).collect());
    let setup = Setup::new(database).with(|setup| {
        setup.mount().collections = collections;
        setup.mount().lists = lists();
        setup.roles = vec!["duet.write"];
        change(setup);
    });
    setup.start()
}

fn filled(app: &App) {
    let bearer = app.bearer();
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    for (collection, documents) in documents() {
        for document in documents {
            let path = format!("/ords/hr/{collection}");
            let body = document.to_string();
            let answer = app.connect().request("POST", &path, &headers, body.as_bytes());
            assert_eq!(answer.status, 201, "{answer:?}");
        }
    }
}

/// A member of the documents that a search finds, joined by spaces.
fn found(app: &App, list: &str, member: &str, query: &str) -> String {
    let path = format!("/ords/hr/{list}?limit=50&query={}", percent_encode(query));
    let answer = app.get(&path);
    assert_eq!(answer.status, 200, "{query}: {answer:?}");
    let body = answer.json();
    let (_, documents) = body.as_object().unwrap().iter().find(|(_, it)| it.is_array()).unwrap();
    let documents = documents.as_array().unwrap();
    assert_eq!(body["totalRecords"], json!(documents.len()), "{query}");
    let text = |it: &Value| it[member].to_string().trim_matches('"').to_owned();
    documents.iter().map(text).collect::<Vec<_>>().join(" ")
}

fn related_documents_are_found_by_name(database: Database) {
    let app = started(&database, |_| {});
    filled(&app);
    for (query, expected) in [
        ("lines.state==open", "A B"),
        ("lines.state==open and lines.n==7", "A B"),
        ("(lines.state==open prox/unit=element lines.n==7)", "B"),
        ("lines.id=*", "A B"),
        ("cql.allRecords=1 not lines.id=*", "C"),
        ("lines.pieces.name==x", "A"),
        ("lines.tags==urgent", "A"),
        ("parent.name==A", "C"),
        ("children.name==C", "A"),
        ("parent.lines.n==7", "C"),
        ("state==done or lines.pieces.name==y", "A B"),
    ] {
        assert_eq!(
            found(&app, "orders", "name", &format!("({query}) sortBy name")),
            expected,
            "{query}"
        );
    }
    assert_eq!(found(&app, "pieces", "name", "line.order.name==A sortBy name"), "x y");
    assert_eq!(found(&app, "lines", "n", "order.state==open sortBy n/number"), "5 7");
    let q = percent_encode(r#"{"lines.state": "open", "$orderby": {"name": "DESC"}}"#);
    let list = app.get(&format!("/ords/hr/orders?q={q}")).json();
    assert_eq!((&list["orders"][0]["name"], &list["totalRecords"]), (&json!("B"), &json!(2)));
    let unknown = app.get("/ords/hr/orders?query=line.state==open");
    assert_eq!(unknown.json()["errors"][0]["code"], json!("DUET-2004"), "{unknown:?}");
}

/// `explain=1` answers the plan, and the statements to administrators alone.
fn a_list_is_explained(database: Database) {
    let app = started(&database, |setup| {
        setup.roles = vec!["duet.write", "duet.admin"];
        setup.holders = vec!["duet.write".into()];
    });
    filled(&app);
    let query = percent_encode("lines.state==open and NAME==A sortby name");
    let path = format!("/ords/hr/orders?explain=1&query={query}");
    let bearer = app.bearer_of("duet.write");
    let explained = app.connect().get(&path, &[("Authorization", &bearer)]).json();
    assert_eq!(explained["query"], json!("lines.state == open and NAME == A sortBy name"));
    assert_eq!(explained["plan"][0], json!("page of orders"), "{explained}");
    let indexes = explained["indexes"].as_array().unwrap();
    let declares = |it: &Value| it.as_str().unwrap().contains("declare index = [\"name\"]");
    assert!(indexes.iter().any(declares), "{explained}");
    assert!(explained["estimatedRows"].is_u64(), "{explained}");
    assert_eq!(explained.get("statements"), None, "{explained}");
    let all = app.get(&path).json();
    let sql = all["statements"][0]["sql"].as_str().unwrap();
    assert!(sql.starts_with("SELECT ") && !sql.contains("open"), "{all}");
    assert_eq!(app.get("/ords/hr/orders?explain=2").status, 400);
    assert_eq!(app.get("/ords/hr/orders?explain=1&query=nothing==1").status, 400);
    let lines = app.get_with("/ords/hr/orders?explain=1", &[("Accept", "application/x-ndjson")]);
    assert_eq!(lines.status, 400, "{lines:?}");
}

fn a_joined_list_is_about_one_row(database: Database) {
    let app = started(&database, |_| {});
    filled(&app);
    for (query, expected) in [
        ("n==7", "A B"),
        // `state` is the order's.
        ("state==open and n==7", "A"),
        ("orderId=* and n==7", "A B"),
        ("n==7 and tags==urgent", ""),
        ("n==5 and tags==urgent", "A"),
        ("n==5 or state==open", "A C"),
        ("cql.allRecords=1 not n==7", "A C"),
        ("cql.allRecords=1 not (n==7 or n==5)", "C"),
        ("state==open not n==5", "A C"),
        ("n<>5", "A B"),
        ("lines.n==5 and n==7", "A"),
        ("n==7 and (state==done or lines.pieces.name==x)", "A B"),
        ("name==C", "C"),
    ] {
        let query = format!("({query}) sortBy name");
        assert_eq!(found(&app, "orders-and-lines", "name", &query), expected, "{query}");
    }
    let q = percent_encode(r#"{"$nor": [{"n": 5}, {"n": 7}]}"#);
    let list = app.get(&format!("/ords/hr/orders-and-lines?q={q}")).json();
    assert_eq!(list["totalRecords"], json!(0), "no line has another number: {list}");
    let order = app.get("/ords/hr/orders-and-lines?query=n==5&sortby=").status;
    assert_eq!(order, 400);
    let many =
        app.get(&format!("/ords/hr/orders-and-lines?query={}", percent_encode("n==5 sortBy n")));
    assert_eq!(many.status, 400, "an order by one of several: {many:?}");
    let bearer = app.bearer();
    let headers = [("Authorization", bearer.as_str())];
    let post = app.connect().request("POST", "/ords/hr/orders-and-lines", &headers, b"{}");
    assert_eq!(post.status, 405);
}

fn orders_by_related_documents(database: Database) {
    let app = started(&database, |_| {});
    filled(&app);
    let joined = |query: &str| found(&app, "lines-and-orders", "n", query);
    assert_eq!(joined("name==A sortBy n/number/sort.descending"), "7 5");
    assert_eq!(joined("cql.allRecords=1 sortBy name/sort.descending n/number"), "7 5 7");
    // Both have a member `state`: that of the line is the one.
    assert_eq!(joined("state==closed"), "7");
    assert_eq!(found(&app, "lines", "n", "cql.allRecords=1 sortBy order.name n/number"), "5 7 7");
    assert_eq!(
        found(&app, "pieces", "name", "cql.allRecords=1 sortBy line.order.name name"),
        "x y z"
    );
}

fn composed_lists(database: Database) {
    let app = started(&database, |_| {});
    filled(&app);
    let list =
        app.get(&format!("/ords/hr/history?query={}", percent_encode("number==5 sortBy piece")));
    let (x, y) = (id(3, 1), id(3, 2));
    let expected = format!(
        r#"{{"history":[{{"id":"{x}","piece":"x","number":5,"order":"A"}},{{"id":"{y}","piece":"y","number":5,"order":"A"}}],"totalRecords":2}}"#
    );
    assert_eq!(list.text(), expected);
    assert_eq!(found(&app, "history", "piece", "order==a sortBy piece"), "x y");
    assert_eq!(found(&app, "history", "order", "piece==z"), "null");
    let item = app.get(&format!("/ords/hr/history/{x}"));
    assert_eq!(item.text(), format!(r#"{{"id":"{x}","piece":"x","number":5,"order":"A"}}"#));
    let unknown = app.get("/ords/hr/history?query=name==x");
    assert_eq!(
        unknown.status, 400,
        "documents of composed lists have their own members: {unknown:?}"
    );
}

fn what_may_not_be_read_may_not_be_searched(database: Database) {
    let app = started(&database, |setup| {
        for (role, pattern) in [("all", "/*"), ("orders-only", "/orders/*")] {
            setup.mount().privileges.push(Privilege {
                name: role.into(),
                roles: vec![role.into()],
                patterns: vec![pattern.into()],
                operations: Operation::ALL.into(),
            });
        }
        setup.roles = vec!["all"];
        setup.holders = vec!["all".into(), "orders-only".into()];
    });
    filled(&app);
    let bearer = app.bearer_of("orders-only");
    let status = |query: &str| {
        let path = format!("/ords/hr/orders?query={}", percent_encode(query));
        let answer = app.connect().get(&path, &[("Authorization", &bearer)]);
        assert_ne!(answer.status, 400, "{answer:?}");
        answer.status
    };
    assert_eq!((status("name==A"), status("children.name==C")), (200, 200));
    assert_eq!((status("lines.n==5"), status("name==A or lines.pieces.name==x")), (403, 403));
}

fn descriptions_of_joined_lists(database: Database) {
    let app = started(&database, |_| {});
    let described = app.get("/ords/hr/open-api-catalog/history").json();
    let text = described.to_string();
    assert!(text.contains("\"piece\"") && text.contains("totalRecords"), "{text}");
    let described = app.get("/ords/hr/metadata-catalog/history/item").json();
    assert_eq!(described["members"][0]["name"], json!("id"), "{described}");
}
