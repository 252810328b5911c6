//! Random rows and random filters on both stores, against the filter's meaning by brute force.
//! Orders too, and pages by `after`: joined, they are the whole list.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use duet_filter::evaluate::{compare, value};
use duet_filter::{Filter, Limits, Row, Values, evaluate};
use duet_model::{
    Cardinality, ColumnRef, Direction, NodeId, OrderBy, Shape, Type, Value, key::parse_text,
};
use duet_service::definition::{Mount, ViewFile};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, TestRunner};
use serde_json::json;

use crate::application::{Application, MOUNT, of_mount};
use crate::served::{Data, Kind, Served};

const TABLES: &str = "
    CREATE TABLE kind (id INTEGER PRIMARY KEY, word VARCHAR(20), rank INTEGER);
    CREATE TABLE item (id INTEGER PRIMARY KEY, kind_id INTEGER REFERENCES kind (id), n INTEGER, big BIGINT,
      price NUMERIC(8,2), ratio DOUBLE PRECISION, word VARCHAR(20), flag BOOLEAN, day DATE, at TIMESTAMP,
      moment TIMESTAMP WITH TIME ZONE, uid UUID);
    CREATE TABLE part (id INTEGER PRIMARY KEY, item_id INTEGER REFERENCES item (id), n INTEGER, word VARCHAR(20));";

const VIEW: &str = "create json duality view item_dv as item {
    _id: id  n  big  price  ratio  word  flag  day  at  moment  uid
    twice @generated(sql: \"price * 2\")  shown @generated(sql: \"word || '-' || n\")
    size @generated(sql: \"length(word)\")  some @generated(sql: \"coalesce(n, 2)\")
    many @generated(sql: \"n > 1\")  when @generated(sql: \"coalesce(at, '2022-03-20T01:02:03')\")
    same @generated(path: \"$.price\")  third @generated(sql: \"price / 3\")
    sort @generated(sql: \"case when flag then n else -7 end\")
    kind { id word rank next @generated(sql: \"coalesce(rank, 0) - 1\") }
    part [ { id n word tag @generated(sql: \"word || n\") } ] }";

/// The generated members and where what they are compared with comes from.
const GENERATED: &[Source] = &[
    ("twice", &["-3.00", "0", "0.2", "0.6", "4", "199999.98"]),
    ("shown", &["a-1", "ab-0", "-2", "zz--1", "b,c-3"]),
    ("size", &["0", "1", "2", "3"]),
    ("some", INTEGERS),
    ("many", &["true", "false"]),
    ("when", TIMES),
    ("same", PRICES),
    ("third", &["-0.5", "0", "0.1", "33333.33", "0.0333333333"]),
    ("sort", &["-7", "0", "1", "2147483647"]),
    ("kind.next", &["-2", "-1", "0", "1", "2147483646"]),
    ("part.tag", &["a1", "ab0", "2", "zz-1"]),
];

/// A column and where its values come from.
type Source = (&'static str, &'static [&'static str]);

/// The columns of each table, without the key and what links it.
const COLUMNS: &[(&str, &[Source])] = &[
    ("kind", &[("word", WORDS), ("rank", INTEGERS)]),
    (
        "item",
        &[
            ("n", INTEGERS),
            ("big", BIG),
            ("price", PRICES),
            ("ratio", RATIOS),
            ("word", WORDS),
            ("flag", &["true", "false"]),
            ("day", DAYS),
            ("at", TIMES),
            ("moment", MOMENTS),
            ("uid", UIDS),
        ],
    ),
    ("part", &[("n", INTEGERS), ("word", WORDS)]),
];

const INTEGERS: &[&str] = &["-1", "0", "1", "2", "3", "2147483647"];
const BIG: &[&str] = &["-9223372036854775808", "0", "9007199254740993", "9223372036854775807"];
const PRICES: &[&str] = &["-1.50", "0.00", "0.10", "0.30", "2.00", "99999.99"];
const RATIOS: &[&str] = &["-0.5", "0", "0.1", "0.30000000000000004", "1e300"];
const WORDS: &[&str] =
    &["", "a", "A", "ab", "aB", "é", "É", "a%b", "a_b", "a\\b", "b,c", "~", "ß", "zz"];
const DAYS: &[&str] = &["0001-01-01", "2022-03-20", "2024-02-29", "9999-12-31"];
const TIMES: &[&str] = &["2022-03-20T00:00:00", "2022-03-20T00:00:00.5", "2022-03-20T01:02:03"];
const MOMENTS: &[&str] =
    &["2022-03-19T23:00:00Z", "2022-03-20T00:00:00Z", "2022-03-20T00:00:00.25Z"];
const UIDS: &[&str] =
    &["00000000-0000-0000-0000-000000000001", "6f2c1d1e-5a0b-4c3d-9e8f-0123456789ab"];

/// Operands that are no stored value.
const OTHERS: &[&str] = &["1.5", "-1e3", "12e-1", "9223372036854775808", "b", "%", "2022-03-20"];

type Record = BTreeMap<String, Option<String>>;

/// The rows of all tables.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows(BTreeMap<&'static str, Vec<Record>>);

fn record(table: usize, links: &'static [(&'static str, i64)]) -> impl Strategy<Value = Record> {
    let columns: Vec<_> = COLUMNS[table]
        .1
        .iter()
        .map(|&(name, values)| {
            let value = prop::option::weighted(0.8, select(values).prop_map(str::to_owned));
            value.prop_map(move |value| (name.to_owned(), value))
        })
        .collect();
    let links: Vec<_> = links
        .iter()
        .map(|&(name, most)| {
            let value = prop::option::weighted(0.8, (1..=most).prop_map(|id| id.to_string()));
            value.prop_map(move |value| (name.to_owned(), value))
        })
        .collect();
    (columns, links).prop_map(|(columns, links)| columns.into_iter().chain(links).collect())
}

/// Two kinds, up to nine items, up to fourteen parts.
pub(crate) fn rows() -> impl Strategy<Value = Rows> {
    use prop::collection::vec as many;
    let parts = record(2, &[("item_id", 9)]);
    (many(record(0, &[]), 2), many(record(1, &[("kind_id", 2)]), 1..10), many(parts, 0..15))
        .prop_map(|(kinds, items, parts)| {
            let items_count = items.len();
            let mut rows = Rows::default();
            for (table, mut records) in [("kind", kinds), ("item", items), ("part", parts)] {
                for (at, record) in records.iter_mut().enumerate() {
                    record.insert("id".into(), Some((at + 1).to_string()));
                    // A part of an item that was not made belongs to none.
                    let item = record.get("item_id").cloned().flatten();
                    if item.is_some_and(|item| item.parse::<usize>().unwrap() > items_count) {
                        record.insert("item_id".into(), None);
                    }
                }
                rows.0.insert(table, records);
            }
            rows
        })
}

impl Rows {
    pub(crate) fn sql(&self) -> String {
        let mut sql = String::from("DELETE FROM part; DELETE FROM item; DELETE FROM kind;\n");
        for table in ["kind", "item", "part"] {
            for record in &self.0[table] {
                let names: Vec<_> = record.keys().map(String::as_str).collect();
                let literal = |value: &Option<String>| match value.as_deref() {
                    None => "NULL".to_owned(),
                    Some(number @ ("true" | "false")) => number.to_owned(),
                    Some(text) => format!("'{}'", text.replace('\'', "''")),
                };
                let values: Vec<_> = record.values().map(literal).collect();
                let (names, values) = (names.join(", "), values.join(", "));
                sql.push_str(&format!("INSERT INTO {table} ({names}) VALUES ({values});\n"));
            }
        }
        sql
    }
}

/// A document of a shape, put together from the rows.
struct Document<'a> {
    shape: &'a Shape,
    rows: &'a Rows,
    root: &'a Record,
}

impl Document<'_> {
    /// The rows of a node, and whether an array lies on the way.
    fn rows_of(&self, node: NodeId) -> (Vec<&Record>, bool) {
        let Some(link) = &self.shape.nodes[node].link else { return (vec![self.root], false) };
        let (parents, repeated) = self.rows_of(link.parent);
        let name = |node: NodeId, column: usize| &self.shape.nodes[node].table.columns[column].name;
        let table = self.shape.nodes[node].table.name.as_str();
        let matches = |parent: &Record, child: &Record| {
            link.parent_columns.iter().zip(&link.child_columns).all(|(&above, &here)| {
                let value = &parent[name(link.parent, above)];
                value.is_some() && *value == child[name(node, here)]
            })
        };
        let children = parents
            .iter()
            .flat_map(|parent| self.rows.0[table].iter().filter(|child| matches(parent, child)));
        (children.collect(), repeated || link.cardinality == Cardinality::Many)
    }
}

impl Row for Document<'_> {
    fn values(&self, field: ColumnRef) -> Values {
        let column = &self.shape.nodes[field.node].table.columns[field.column];
        let value = |record: &&Record| match &record[&column.name] {
            Some(text) => parse_text(&column.ty, text).unwrap(),
            None => Value::Null,
        };
        let (records, repeated) = self.rows_of(field.node);
        if repeated {
            return Values::Each(records.iter().map(value).collect());
        }
        Values::One(records.first().map_or(Value::Null, value))
    }

    fn ty(&self, field: ColumnRef) -> &Type {
        self.shape.column_type(field)
    }
}

/// A field's path and where its values come from.
pub(crate) fn fields() -> Vec<(String, &'static [&'static str])> {
    let mut fields = vec![("_id".to_owned(), INTEGERS)];
    for (table, columns) in COLUMNS {
        let prefix = if *table == "item" { String::new() } else { format!("{table}.") };
        fields.extend(columns.iter().map(|(name, values)| (format!("{prefix}{name}"), *values)));
    }
    fields.extend(GENERATED.iter().map(|(path, values)| ((*path).to_owned(), *values)));
    fields
}

fn operand(values: &'static [&'static str]) -> impl Strategy<Value = serde_json::Value> {
    let text = prop_oneof![6 => select(values), 1 => select(OTHERS)];
    (text, any::<bool>()).prop_map(|(text, as_number)| {
        // Numbers are given as numbers or as text.
        let number = serde_json::from_str(text).ok().filter(|_| as_number || text == "true");
        number.unwrap_or_else(|| json!(text))
    })
}

fn test(values: &'static [&'static str]) -> impl Strategy<Value = serde_json::Value> {
    let compare = select(vec!["$eq", "$ne", "$lt", "$lte", "$gt", "$gte"]);
    let text = select(vec!["$like", "$ilike", "$startsWith", "$instr", "$ninstr"]);
    let pattern = prop_oneof![
        select(vec!["a%", "%b", "_", "A_B", "%\\%%", "a\\_b", "É", "%", "", "s%", "\\\\"]),
        select(WORDS).prop_filter("a whole pattern", |word| !word.ends_with('\\')),
    ];
    let one = move || operand(values);
    let list = prop::collection::vec(prop_oneof![5 => one(), 1 => Just(json!(null))], 0..4);
    prop_oneof![
        6 => (compare, one()).prop_map(|(operator, operand)| json!({ operator: operand })),
        2 => one(),
        2 => (text, pattern).prop_map(|(operator, pattern)| json!({ operator: pattern })),
        2 => (select(vec!["$in", "$nin"]), list).prop_map(|(operator, list)| json!({ operator: list })),
        2 => (one(), one()).prop_map(|(low, high)| json!({ "$between": [low, high] })),
        1 => one().prop_map(|low| json!({ "$between": [low, null] })),
        1 => select(vec![json!({ "$null": null }), json!({ "$notnull": null }), json!(null),
            json!({ "$exists": true }), json!({ "$exists": false })]),
        1 => one().prop_map(|operand| json!({ "$not": { "$gt": operand } })),
    ]
}

fn filter() -> impl Strategy<Value = serde_json::Value> {
    let leaf = select(fields()).prop_flat_map(|(path, values)| {
        test(values).prop_map(move |test| json!({ path.clone(): test }))
    });
    leaf.prop_recursive(3, 12, 3, |inner| {
        let many = prop::collection::vec(inner.clone(), 1..4);
        prop_oneof![
            (select(vec!["$and", "$or", "$nor"]), many)
                .prop_map(|(operator, parts)| json!({ operator: parts })),
            inner.prop_map(|inner| json!({ "$not": inner })),
        ]
    })
}

fn order() -> impl Strategy<Value = serde_json::Value> {
    let single =
        fields().into_iter().map(|(path, _)| path).filter(|path| !path.starts_with("part"));
    let term = (select(single.collect::<Vec<_>>()), select(vec!["ASC", "DESC"]));
    prop::collection::vec(term, 0..3).prop_map(|terms| {
        let terms = terms.into_iter().map(|(path, direction)| (path, json!(direction)));
        serde_json::Value::Object(terms.collect())
    })
}

#[derive(Clone, Debug)]
struct Input {
    rows: Rows,
    filters: Vec<(serde_json::Value, serde_json::Value)>,
    page: usize,
}

fn input() -> impl Strategy<Value = Input> {
    let filters = prop::collection::vec((filter(), order()), 20);
    (rows(), filters, 1..4_usize).prop_map(|(rows, filters, page)| Input { rows, filters, page })
}

pub(crate) fn serve(kind: Kind, name: &str) -> Served {
    let data = Data::empty(kind, name);
    data.exec(TABLES);
    let view = ViewFile { name: "item_dv.graphql".into(), text: VIEW.into() };
    let mount = Mount { path: MOUNT.into(), views: vec![view], ..Mount::default() };
    let application: Application = of_mount(mount);
    Served::over(data, &application)
}

#[test]
fn both_stores_select_and_order_what_the_filter_means() {
    let stores = Kind::BOTH.map(|kind| (kind, serve(kind, "filters")));
    let config = Config {
        cases: 100,
        max_shrink_iters: 300,
        failure_persistence: None,
        ..Config::default()
    };
    let outcome = TestRunner::new(config).run(&input(), |input| {
        for (kind, served) in &stores {
            served.data.exec(&input.rows.sql());
            for (filter, order) in &input.filters {
                check(served, &input, filter, order).map_err(|problem| {
                    TestCaseError::fail(format!("{}: {problem}", kind.name()))
                })?;
            }
        }
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
}

/// Compares a filter and an order on a store with their meaning.
fn check(
    served: &Served,
    input: &Input,
    filter: &serde_json::Value,
    order: &serde_json::Value,
) -> Result<(), String> {
    let snapshot = served.service.snapshot();
    let resource = snapshot.mounts[0].resource("item_dv").unwrap();
    let q = json!({ "$and": [filter], "$orderby": order }).to_string();
    let parsed = duet_filter::parse(&q, resource.fields(), &Limits::default());
    compare_with(served, (&input.rows, input.page), "q", &q, &resource.shape, parsed.ok())
}

/// Compares what a text in a parameter finds with its meaning: the whole list, and pages of a size.
pub(crate) fn compare_with(
    served: &Served,
    (rows, page): (&Rows, usize),
    parameter: &str,
    q: &str,
    shape: &Shape,
    parsed: Option<Filter>,
) -> Result<(), String> {
    let target = format!("/t/item_dv/?fields=_id&limit=1000&{parameter}={}", encoded(q));
    let Some(parsed) = parsed else {
        let status = served.get(&target).status;
        return if status == 400 { Ok(()) } else { Err(format!("{status} for {q}")) };
    };
    let documents = rows.0["item"].iter();
    let documents = documents.map(|root| Document { shape, rows, root });
    let mut selected: Vec<_> =
        documents.filter(|document| evaluate(&parsed.expr, document) == Some(true)).collect();
    selected.sort_by(|a, b| in_order(&parsed.order, a, b));
    let expected: Vec<_> =
        selected.iter().map(|document| document.root["id"].clone().unwrap()).collect();
    let found = ids(&served.get(&target).json());
    if found != expected {
        return Err(format!("{q}\nfinds {found:?}, not {expected:?}"));
    }
    let paged = pages(served, &format!("{parameter}={}", encoded(q)), page);
    if paged != expected {
        return Err(format!("{q}\npages of {page} give {paged:?}, not {expected:?}"));
    }
    Ok(())
}

/// By the terms, NULLs last in either direction, then by the key.
fn in_order(order: &[OrderBy], a: &Document<'_>, b: &Document<'_>) -> Ordering {
    let key = a.shape.order_by(ColumnRef { node: 0, column: 0 }, Direction::Ascending);
    let terms = order.iter().chain([&key]);
    let mut orderings = terms.map(|term| {
        let (x, y) = (value(&term.value, a), value(&term.value, b));
        match compare(&term.ty, &x, &y) {
            None => x.is_null().cmp(&y.is_null()),
            Some(ordering) if term.direction == Direction::Descending => ordering.reverse(),
            Some(ordering) => ordering,
        }
    });
    orderings.find(|ordering| ordering.is_ne()).unwrap_or(Ordering::Equal)
}

/// All pages by `after`, joined.
fn pages(served: &Served, q: &str, limit: usize) -> Vec<String> {
    let mut target = format!("/t/item_dv/?fields=_id&after=&limit={limit}&{q}");
    let mut found = Vec::new();
    for _ in 0..20 {
        let page = served.get(&target).json();
        found.extend(ids(&page));
        let links = page["links"].as_array().into_iter().flatten();
        let next =
            links.filter(|link| link["rel"] == "next").find_map(|link| link["href"].as_str());
        let Some(next) = next else { return found };
        target = next.strip_prefix("http://localhost").unwrap().to_owned();
    }
    panic!("the pages of {q} do not end");
}

fn ids(page: &serde_json::Value) -> Vec<String> {
    let items = page["items"].as_array().unwrap_or_else(|| panic!("{page}"));
    items.iter().map(|item| item["_id"].to_string()).collect()
}

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}
