//! Filters on values inside JSON columns and flex columns: on both stores the same documents, which
//! are those that brute force finds.

use std::collections::BTreeSet;

use duet_filter::{FieldIndex, Limits, Row, Values, evaluate};
use duet_model::{ColumnRef, Shape, Type, Value};
use duet_service::definition::{Mount, ViewFile};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, TestRunner};
use rusqlite::functions::FunctionFlags;
use serde_json::json;

use crate::application::{MOUNT, of_mount};
use crate::served::{Data, Kind, Served};

fn serve(kind: Kind, name: &str) -> Served {
    serve_with(kind, name, "")
}

/// The same with further statements.
fn serve_with(kind: Kind, name: &str, further: &str) -> Served {
    let (json, jsonb) = match kind {
        Kind::Sqlite => ("JSON", "JSON"),
        Kind::Postgres => ("json", "jsonb"),
    };
    let data = Data::empty(kind, name);
    data.exec(&format!(
        "CREATE TABLE doc (id integer PRIMARY KEY, name text, j {jsonb}, extras {json});
         CREATE TABLE part (id integer PRIMARY KEY, doc_id integer REFERENCES doc (id), j {json});"
    ));
    data.exec(further);
    let view = "view doc_dv as doc { _id: id name j extras @flex part [ { id j } ] }";
    let view = ViewFile { name: "v.graphql".into(), text: view.into() };
    let mount =
        Mount { path: MOUNT.into(), all_tables: true, views: vec![view], ..Mount::default() };
    Served::over(data, &of_mount(mount))
}

fn scalar() -> impl Strategy<Value = serde_json::Value> {
    select(vec![
        json!(null),
        json!(true),
        json!(false),
        json!(0),
        json!(1),
        json!(1.5),
        json!(-2),
        json!(100),
        json!(""),
        json!("a"),
        json!("ab"),
        json!("A"),
        json!("é"),
        json!("1"),
        json!("a\"b\\"),
        json!("x\ny"),
        json!("a%b"),
        json!("a.b"),
        json!("true"),
    ])
}

fn name() -> impl Strategy<Value = &'static str> {
    select(vec!["a", "b", "c", "é", "q\"'\\", "$x", "name2"])
}

fn value() -> impl Strategy<Value = serde_json::Value> {
    scalar().prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(serde_json::Value::from),
            prop::collection::btree_map(name().prop_map(str::to_owned), inner, 0..3)
                .prop_map(|members| json!(members)),
        ]
    })
}

fn object() -> impl Strategy<Value = serde_json::Value> {
    prop::collection::btree_map(name().prop_map(str::to_owned), value(), 0..4)
        .prop_map(|members| json!(members))
}

/// A document: what is in `j`, in `extras`, and in the `j` of its parts.
type Doc = (Option<serde_json::Value>, Option<serde_json::Value>, Vec<Option<serde_json::Value>>);

fn doc() -> impl Strategy<Value = Doc> {
    let maybe = || prop::option::weighted(0.85, value());
    (maybe(), prop::option::weighted(0.85, object()), prop::collection::vec(maybe(), 0..3))
}

fn test() -> impl Strategy<Value = serde_json::Value> {
    let comparable = || scalar().prop_filter("no null", |value| !value.is_null());
    let ordered = || comparable().prop_filter("ordered", |value| !value.is_boolean());
    let text = || select(vec!["", "a", "a%", "%b", "_", "a\\%b", "a.b", "%\n%", "a\"b\\\\", "é"]);
    let operator = select(vec!["$lt", "$lte", "$gt", "$gte"]);
    prop_oneof![
        3 => scalar(),
        2 => comparable().prop_map(|value| json!({ "$ne": value })),
        3 => (operator, ordered()).prop_map(|(operator, value)| json!({ operator: value })),
        1 => (ordered(), ordered()).prop_map(|(a, b)| json!({ "$between": [a, b] })),
        1 => prop::collection::vec(scalar(), 0..4).prop_map(|list| json!({ "$in": list })),
        1 => prop::collection::vec(scalar(), 0..4).prop_map(|list| json!({ "$nin": list })),
        2 => text().prop_map(|text| json!({ "$like": text })),
        1 => text().prop_map(|text| json!({ "$startsWith": text })),
        1 => text().prop_map(|text| json!({ "$instr": text })),
        1 => text().prop_map(|text| json!({ "$not": { "$like": text } })),
        1 => any::<bool>().prop_map(|is| json!({ "$exists": is })),
        1 => select(vec!["$null", "$notnull"]).prop_map(|operator| json!({ operator: null })),
    ]
}

fn filter() -> impl Strategy<Value = serde_json::Value> {
    let path = (
        select(vec!["", "j.", "part.j."]),
        prop::collection::vec(name(), 1..4).prop_map(|steps| steps.join(".")),
    )
        .prop_map(|(column, rest)| format!("{column}{rest}"))
        .prop_filter("no mapped name", |path| !path.starts_with('$'));
    let path = prop_oneof![8 => path, 1 => Just("j".to_owned())];
    prop::collection::vec((path, test()), 1..3).prop_map(|tests| {
        let tests: Vec<_> = tests.into_iter().map(|(path, test)| json!({ path: test })).collect();
        json!({ "$or": tests })
    })
}

/// A document as the evaluator sees it.
struct Seen<'d> {
    doc: &'d Doc,
    shape: &'d Shape,
}

impl Row for Seen<'_> {
    fn values(&self, field: ColumnRef) -> Values {
        let text = |value: &Option<serde_json::Value>| {
            value.as_ref().map_or(Value::Null, |value| Value::Text(value.to_string()))
        };
        let column = &self.shape.nodes[field.node].table.columns[field.column].name;
        match (field.node, column.as_str()) {
            (0, "j") => Values::One(text(&self.doc.0)),
            (0, _) => Values::One(text(&self.doc.1)),
            _ => Values::Each(self.doc.2.iter().map(text).collect()),
        }
    }

    fn ty(&self, field: ColumnRef) -> &Type {
        self.shape.column_type(field)
    }
}

fn literal(value: &Option<serde_json::Value>) -> String {
    value
        .as_ref()
        .map_or("NULL".into(), |value| format!("'{}'", value.to_string().replace('\'', "''")))
}

fn fill(served: &Served, docs: &[Doc]) {
    let mut sql = String::from("DELETE FROM part; DELETE FROM doc;");
    for (id, (j, extras, parts)) in docs.iter().enumerate() {
        sql += &format!("INSERT INTO doc VALUES ({id}, 'n', {}, {});", literal(j), literal(extras));
        for (at, part) in parts.iter().enumerate() {
            sql += &format!("INSERT INTO part VALUES ({}, {id}, {});", id * 10 + at, literal(part));
        }
    }
    served.data.exec(&sql);
}

fn found(served: &Served, q: &str) -> BTreeSet<usize> {
    listed(served, q).into_iter().collect()
}

/// The documents that a filter finds, in their order.
fn listed(served: &Served, q: &str) -> Vec<usize> {
    let encoded: String = q.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let page = served.get(&format!("/t/doc_dv/?limit=100&fields=_id&q={encoded}")).json();
    let items = page["items"].as_array().unwrap_or_else(|| panic!("{q}\n{page}"));
    items.iter().map(|item| item["_id"].as_u64().unwrap() as usize).collect()
}

#[test]
fn both_stores_find_what_brute_force_finds() {
    let stores = Kind::BOTH.map(|kind| serve(kind, "json-paths"));
    let snapshot = stores[0].service.snapshot();
    let (mount, _) = snapshot.route("/t/doc_dv/").unwrap();
    let shape = mount.resource("doc_dv").unwrap().shape.clone();
    let fields = FieldIndex::new(&shape);
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(60);
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let strategy = (prop::collection::vec(doc(), 1..8), prop::collection::vec(filter(), 8));
    let outcome = TestRunner::new(config).run(&strategy, |(docs, filters)| {
        stores.iter().for_each(|served| fill(served, &docs));
        for q in filters {
            let q = q.to_string();
            let filter = duet_filter::parse(&q, &fields, &Limits::default()).unwrap();
            let holds =
                |doc: &Doc| evaluate(&filter.expr, &Seen { doc, shape: &shape }) == Some(true);
            let expected: BTreeSet<usize> =
                docs.iter().enumerate().filter(|(_, doc)| holds(doc)).map(|(id, _)| id).collect();
            for (kind, served) in Kind::BOTH.iter().zip(&stores) {
                prop_assert_eq!(&found(served, &q), &expected, "{} {}", kind.name(), q);
            }
        }
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
}

/// The place of a value in an order: kinds follow each other, and values of a kind by their value.
fn place(value: &serde_json::Value) -> Option<(u8, f64, String)> {
    let kind = |kind| Some((kind, 0.0, String::new()));
    match value {
        serde_json::Value::Null => None,
        serde_json::Value::Bool(value) => kind(u8::from(*value)),
        serde_json::Value::Number(number) => Some((2, number.as_f64().unwrap(), String::new())),
        serde_json::Value::String(text) => Some((3, 0.0, text.clone())),
        serde_json::Value::Array(_) | serde_json::Value::Object(_) => kind(4),
    }
}

/// The documents by what is at a path, nothing and `null` last, then by their number.
fn in_order(docs: &[Doc], path: &str, descending: bool) -> Vec<usize> {
    let (column, steps) = match path.strip_prefix('j') {
        Some(rest) => (0, rest.trim_start_matches('.')),
        None => (1, path),
    };
    let value = |id: usize| {
        let stored = if column == 0 { docs[id].0.as_ref() } else { docs[id].1.as_ref() };
        let steps = steps.split('.').filter(|step| !step.is_empty());
        let found = steps.fold(stored, |value, step| value?.as_object()?.get(step));
        found.and_then(place)
    };
    let mut ids: Vec<usize> = (0..docs.len()).collect();
    ids.sort_by(|&a, &b| match (value(a), value(b)) {
        (Some(a), Some(b)) if descending => b.partial_cmp(&a).unwrap(),
        (Some(a), Some(b)) => a.partial_cmp(&b).unwrap(),
        (a, b) => a.is_none().cmp(&b.is_none()),
    });
    ids
}

/// What an index of SQLite finds is what every row would be asked, arrays and all.
#[test]
fn an_index_inside_json_finds_what_a_scan_finds() {
    let plain = serve(Kind::Sqlite, "json-scan");
    let indexed = serve_with(
        Kind::Sqlite,
        "json-index",
        "CREATE INDEX by_a ON doc (json_extract(j, '$.a'));
         CREATE INDEX by_ab ON doc (json_extract(\"j\", '$.\"a\".b'));
         CREATE INDEX by_c ON doc (json_extract(extras, '$.c'), id);
         CREATE INDEX parts_a ON part (json_extract(j, '$.a'));",
    );
    let config = Config { cases: 150, failure_persistence: None, ..Config::default() };
    let path = select(vec!["j.a", "j.a.b", "c", "part.j.a"]);
    let filter = (path, test()).prop_map(|(path, test)| json!({ path: test }).to_string());
    let strategy = (prop::collection::vec(doc(), 1..8), prop::collection::vec(filter, 12));
    let outcome = TestRunner::new(config).run(&strategy, |(docs, filters)| {
        [&plain, &indexed].iter().for_each(|served| fill(served, &docs));
        for q in filters {
            prop_assert_eq!(found(&indexed, &q), found(&plain, &q), "{}", q);
        }
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn sqlite_searches_the_index_that_explain_names() {
    let served = serve(Kind::Sqlite, "json-plan");
    let explained = |served: &Served, q: &str| {
        let target = format!("/t/doc_dv/?q={q}");
        let explained = served.service.explanation("GET", &target).unwrap();
        (explained.indexes.join("\n"), explained.statements[0].clone())
    };
    let q = r#"{"j.winner.name":"x"}"#;
    let (index, _) = explained(&served, q);
    let (_, declare) = index.split_once("declare ").unwrap();
    assert_eq!(
        declare,
        "CREATE INDEX \"main\".\"doc_j_winner_name_idx\" ON \"doc\" (json_extract(\"j\", '$.winner.name'))"
    );
    let served = serve_with(Kind::Sqlite, "json-plan", declare);
    let Data::Sqlite { connection, .. } = &served.data else { panic!("SQLite") };
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function("duet_json", 2, flags, |_| Ok(true)).unwrap();
    let plan = |sql: &str| {
        let mut prepared = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let mut rows = prepared.raw_query();
        let mut plan = String::new();
        while let Some(row) = rows.next().unwrap() {
            plan.push_str(&format!("{}\n", row.get::<_, String>(3).unwrap()));
        }
        plan
    };
    for q in [
        q,
        r#"{"j.winner.name":{"$startsWith":"Le"}}"#,
        r#"{"j.winner.name":{"$in":["x",7]}}"#,
        r#"{"j.winner.name":{"$gt":1.5}}"#,
    ] {
        let (index, statement) = explained(&served, q);
        assert!(index.ends_with(": index doc_j_winner_name_idx"), "{index}");
        let plan = plan(&statement.sql);
        assert!(plan.contains("doc_j_winner_name_idx") && !plan.contains("SCAN"), "{q}\n{plan}");
    }
}

#[test]
fn both_stores_order_as_documented() {
    let stores = Kind::BOTH.map(|kind| serve(kind, "json-orders"));
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(60);
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let path = prop_oneof![
        1 => Just("j".to_owned()),
        3 => prop::collection::vec(name(), 1..3).prop_map(|steps| format!("j.{}", steps.join("."))),
        3 => prop::collection::vec(name(), 1..3)
            .prop_map(|steps| steps.join("."))
            .prop_filter("a member", |path| !path.starts_with('$')),
    ];
    let orders = prop::collection::vec((path, any::<bool>()), 6);
    let strategy = (prop::collection::vec(doc(), 1..9), orders);
    let outcome = TestRunner::new(config).run(&strategy, |(docs, orders)| {
        stores.iter().for_each(|served| fill(served, &docs));
        for (path, descending) in orders {
            let direction = if descending { "DESC" } else { "ASC" };
            let q = json!({ "$orderby": { path.as_str(): direction } }).to_string();
            let expected = in_order(&docs, &path, descending);
            for (kind, served) in Kind::BOTH.iter().zip(&stores) {
                prop_assert_eq!(&listed(served, &q), &expected, "{} {}", kind.name(), q);
            }
        }
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn long_lists_are_searched_on_both_stores() {
    for kind in Kind::BOTH {
        let served = serve(kind, "json-lists");
        served.data.exec(
            "INSERT INTO doc VALUES (1, 'n', '{\"a\":9998}', NULL), (2, 'n', '{\"a\":-1}', NULL)",
        );
        let list: Vec<u32> = (0..10_000).collect();
        let body = json!({ "q": { "j.a": { "$in": list } } }).to_string();
        let headers = [("Content-Type", "application/json")];
        let page = served.ask("POST", "/t/doc_dv/search", &headers, body.as_bytes()).json();
        assert_eq!(page["count"], 1, "{page}");
    }
}

#[test]
fn explain_names_the_index_inside_json() {
    let served = serve(Kind::Postgres, "json-explain");
    let explained = |q: &str| {
        let target = format!("/t/doc_dv/?q={q}");
        served.service.explanation("GET", &target).unwrap().indexes.join("\n")
    };
    let declare = "no index; declare CREATE INDEX \"doc_j_idx\" ON \"public\".\"doc\" USING gin (\"j\" jsonb_path_ops)";
    assert!(explained(r#"{"j.a.b":"x"}"#).contains(declare));
    assert!(explained(r#"{"color":"x"}"#).contains("only columns of the type jsonb"));
    let Data::Postgres(database) = &served.data else { panic!("PostgreSQL") };
    let statement = served.service.explanation("GET", r#"/t/doc_dv/?q={"j.a.b":"x"}"#).unwrap();
    database.exec(
        "CREATE INDEX by_j ON doc USING gin (j jsonb_path_ops);
         INSERT INTO doc SELECT n, 'n', jsonb_build_object('a', jsonb_build_object('b', n::text)), NULL FROM generate_series(1, 20000) n;
         ANALYZE doc;",
    );
    let path = statement.statements[0].parameters[0].replace("\\\"", "\"");
    let path = path.trim_matches('"').replace('\'', "''");
    let run =
        format!("PREPARE p AS {}; EXPLAIN EXECUTE p ('{path}', 26);", statement.statements[0].sql);
    let plan = database.query(&run);
    assert!(plan.contains("by_j"), "{plan}");
}

#[test]
fn names_of_columns_win_and_mistakes_are_named() {
    let served = serve(Kind::Sqlite, "json-names");
    served.data.exec("INSERT INTO doc VALUES (1, 'n', '{\"name\":\"inner\",\"x\":{\"y\":[1,{\"z\":2}]}}', '{\"name\":\"hidden\",\"color\":\"red\"}')");
    let total = |q: &str| {
        let encoded: String = q.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let page = served.get(&format!("/t/doc_dv/?count=exact&q={encoded}")).json();
        page["total"]
            .as_u64()
            .map_or_else(|| page["errors"][0]["code"].to_string(), |n| n.to_string())
    };
    for (q, expected) in [
        (r#"{"name":"n"}"#, "1"),
        (r#"{"name":"hidden"}"#, "0"),
        (r#"{"color":"red"}"#, "1"),
        (r#"{"_nameConflicts.name":"hidden"}"#, "1"),
        (r#"{"part":"x"}"#, "\"DUET-2004\""),
        (r#"{"links":"x"}"#, "\"DUET-2004\""),
        (r#"{"j":{"name":"inner"}}"#, "1"),
        (r#"{"j":{"x":{"y":{"z":2}}}}"#, "1"),
        (r#"{"j.x.y":1}"#, "1"),
        (r#"{"j.x.y.z":{"$gt":"1"}}"#, "0"),
        (r#"{"j.x.y":{"$contains":1}}"#, "1"),
        (r#"{"name":{"$contains":"n"}}"#, "\"DUET-2008\""),
        (r#"{"j.nothing":null}"#, "0"),
        (r#"{"j.nothing":{"$exists":false}}"#, "1"),
        (r#"{"j":null}"#, "0"),
        (r#"{"name.x":1}"#, "\"DUET-2004\""),
        (r#"{"part.x":1}"#, "\"DUET-2004\""),
        (r#"{"j.x":{"$gt":true}}"#, "\"DUET-2005\""),
        (r#"{"j.x":{"$ilike":"a"}}"#, "\"DUET-2008\""),
    ] {
        assert_eq!(total(q), expected, "{q}");
    }
}
