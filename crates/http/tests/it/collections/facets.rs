//! Facets of lists in the profile of RMB: the numbers of values among all documents that a query selects, as a brute-force
//! count finds them.

use std::collections::BTreeMap;
use std::sync::Arc;

use duet_model::{ProfileRef, SearchRules};
use duet_service::definition::{Collection, Declaration};
use duet_testkit::http::Response;
use serde_json::{Value, json};

use crate::support::{App, Database, Setup, on_both_stores, percent_encode};

on_both_stores! {
    facets_count_all_that_a_query_selects
    facets_that_are_not_taken_are_refused
}

const SCHEMA: &str = r#"{"type": "object", "properties": {"id": {"type": "string", "format": "uuid"},
  "status": {"type": "string"}, "price": {"type": "number"}, "rush": {"type": "boolean"},
  "details": {"type": "object", "properties": {"form": {"type": "string"}}},
  "tags": {"type": "array", "items": {"type": "string"}}, "any": {},
  "people": {"type": "array", "items": {"type": "object", "properties": {
    "name": {"type": "string"}, "marks": {}}}}}}"#;

const TENANT: (&str, &str) = ("X-Okapi-Tenant", "diku");

fn start(database: &Database) -> App {
    let profile = ProfileRef::named("rmb").unwrap();
    let search = SearchRules { profile, ..SearchRules::default() };
    let declaration = Declaration { search, ..Declaration::new("items") };
    let collections = vec![Arc::new(Collection::new(declaration, SCHEMA).unwrap())];
    database.prepare_collections(collections.iter().map(|one| one.table(None)).collect());
    Setup::new(database)
        .with(|setup| {
            let mount = setup.mount();
            mount.collections = collections;
            mount.profile = profile;
            mount.tenant = Some(TENANT.1.to_owned());
            setup.roles = vec!["duet.write"];
        })
        .start()
}

fn document(number: usize) -> Value {
    let mut document = json!({
        "id": format!("{number:08x}-0000-4000-8000-000000000000"),
        "price": number % 3,
        "rush": number.is_multiple_of(2),
    });
    match number % 4 {
        0 => {}
        kind => document["status"] = json!(["Open", "Pen\"ding", "Closed"][kind - 1]),
    }
    if !number.is_multiple_of(6) {
        let tags = [r#"a "b" 'c'"#, "ü", "0"];
        document["tags"] =
            json!(tags.iter().cycle().skip(number % 3).take(number % 5).collect::<Vec<_>>());
        document["any"] =
            [json!([1.5, 1, null, true, "1", {"a": [2]}]), json!({"x": [1]}), json!("x")]
                [number % 3]
                .clone();
        let marks = json!([number % 2, "x", [], null]);
        document["people"] =
            json!([{ "name": "Ann", "marks": marks }, { "marks": number }, { "name": "Ben" }]);
    }
    if !number.is_multiple_of(5) {
        document["details"] = json!({ "form": format!("form {}", number % 7) });
    }
    document
}

fn ask(app: &App, method: &str, target: &str, body: &str) -> Response {
    let bearer = app.bearer();
    let headers =
        [("Authorization", bearer.as_str()), ("Content-Type", "application/json"), TENANT];
    app.connect().request(method, target, &headers, body.as_bytes())
}

/// The values that a path with arrays leads to.
fn elements(value: &Value, path: &str) -> Vec<Value> {
    let (step, rest) = path.split_once('.').map_or((path, None), |(step, rest)| (step, Some(rest)));
    let found = match step.strip_suffix("[]") {
        None => value.get(step).into_iter().cloned().collect(),
        Some(name) => value.get(name).and_then(Value::as_array).cloned().unwrap_or_default(),
    };
    match rest {
        None => found,
        Some(rest) => found.iter().flat_map(|value| elements(value, rest)).collect(),
    }
}

/// The most frequent values of a member of some documents, as RMB writes them.
fn counted(documents: &[Value], member: &str, values: usize) -> Value {
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    let is_in_arrays = member.contains("[]");
    for value in documents.iter().flat_map(|one| elements(one, member)).filter(|_| is_in_arrays) {
        let text = value.to_string().replace(',', ", ").replace(':', ": ");
        *found.entry(text).or_default() += 1;
    }
    for document in documents.iter().filter(|_| !is_in_arrays) {
        let value = document.pointer(&format!("/{}", member.replace('.', "/")));
        let text = match value {
            None | Some(Value::Null) => continue,
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        };
        *found.entry(text).or_default() += 1;
    }
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let listed: Vec<_> = found
        .into_iter()
        .take(values)
        .map(|(value, count)| match is_in_arrays {
            true => {
                json!({ "count": count, "value": serde_json::from_str::<Value>(&value).unwrap() })
            }
            false => json!({ "count": count, "value": value }),
        })
        .collect();
    let name = member.rsplit('.').next().unwrap().trim_end_matches("[]");
    json!({ "facetValues": listed, "type": name })
}

fn facets_count_all_that_a_query_selects(database: Database) {
    let app = start(&database);
    let documents: Vec<Value> = (0..60).map(document).collect();
    for one in &documents {
        assert_eq!(ask(&app, "POST", "/ords/hr/items", &one.to_string()).status, 201);
    }
    let facets = [
        ("status", 5),
        ("details.form", 3),
        ("price", 10),
        ("rush", 5),
        ("nothing", 5),
        ("tags[]", 2),
        ("any[]", 50),
        ("any.x[]", 5),
        ("people[].name", 5),
        ("people[].marks", 5),
        ("people[].marks[]", 50),
        ("status[].x", 5),
    ];
    let named: Vec<String> =
        facets.iter().map(|(path, most)| format!("facets={path}:{most}")).collect();
    let selected: Vec<Value> =
        documents.iter().filter(|one| one["rush"] == json!(true)).cloned().collect();
    for (query, expected) in
        [("cql.allRecords=1", &documents), ("rush==true sortBy price", &selected)]
    {
        for limit in [0, 2, 100] {
            let query = percent_encode(query);
            let target = format!("/ords/hr/items?{}&limit={limit}&query={query}", named.join("&"));
            let answer = ask(&app, "GET", &target, "").json();
            let wanted: Vec<Value> =
                facets.iter().map(|(path, most)| counted(expected, path, *most)).collect();
            let info = &answer["resultInfo"];
            assert_eq!(info["facets"], json!(wanted), "{target}: {answer}");
            assert_eq!(info["totalRecords"], json!(expected.len()));
            assert_eq!(info["diagnostics"], json!([]));
            assert_eq!(answer["items"].as_array().unwrap().len(), limit.min(expected.len()));
        }
    }
    // The etag is that of the counts too.
    let tagged = |app: &App| {
        let response = ask(app, "GET", "/ords/hr/items?limit=0&facets=status", "");
        response.header("etag").map(str::to_owned)
    };
    let before = tagged(&app);
    assert_eq!(before, tagged(&app));
    let changed = json!({ "id": documents[1]["id"], "status": "Other" }).to_string();
    let target = format!("/ords/hr/items/{}", documents[1]["id"].as_str().unwrap());
    assert_eq!(ask(&app, "PUT", &target, &changed).status, 204);
    assert_ne!(before, tagged(&app));
}

fn facets_that_are_not_taken_are_refused(database: Database) {
    let app = start(&database);
    for wrong in ["facets=[].a", "facets=status:x", "facets=status:-1", "facets=a..b", "facets="] {
        let answer = ask(&app, "GET", &format!("/ords/hr/items?{wrong}"), "");
        assert_eq!(answer.status, 400, "{wrong}: {}", answer.text());
        assert!(answer.text().contains("acet"), "{wrong}: {}", answer.text());
    }
    let many = "facets=status&".repeat(21);
    assert_eq!(ask(&app, "GET", &format!("/ords/hr/items?{many}"), "").status, 400);
    // Unknown parameters are passed over beside them.
    let answer = ask(&app, "GET", "/ords/hr/items?foo=bar&facets=status", "").json();
    assert_eq!(answer["resultInfo"]["facets"][0]["facetValues"], json!([]));
}
