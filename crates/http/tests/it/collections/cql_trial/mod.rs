//! Random documents and random CQL over HTTP on both stores, against the meaning of the query by brute force:
//! what is found, in which order, how many in total, and a page of it. Collections, related documents and a
//! joined list are searched, with and without indexes.
//!
//! `DUET_TRIAL_QUERIES` sets how many queries are tried; 2,000 by default.

mod meaning;
mod query;
mod world;

use std::sync::Arc;

use duet_model::IndexKind;
use duet_service::definition::{Collection, Declaration, DeclaredIndex, JoinedList, Reference};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use crate::support::{App, Database, Setup, percent_encode};
use query::Search;
use world::World;

/// The searches that are tried with one set of documents.
const SEARCHES: u32 = 20;

#[test]
fn collections_are_searched_as_the_query_means() {
    let wanted = std::env::var("DUET_TRIAL_QUERIES").ok().and_then(|text| text.parse().ok());
    let searches = wanted.unwrap_or(2_000_u32);
    std::thread::scope(|scope| {
        for (database, name) in
            [(Database::sqlite(), "SQLite"), (Database::postgres("cql_trial"), "PostgreSQL")]
        {
            scope.spawn(move || try_on(&database, name, searches));
        }
    });
}

fn try_on(database: &Database, name: &str, searches: u32) {
    let app = started(database);
    let config = Config {
        cases: searches.div_ceil(SEARCHES),
        max_shrink_iters: 500,
        failure_persistence: None,
        ..Config::default()
    };
    let input = (world::world(), prop::collection::vec(query::search(), SEARCHES as usize));
    let outcome = TestRunner::new(config).run(&input, |(world, searches)| {
        store(&app, &world);
        let checked = searches.iter().try_for_each(|search| check(&app, &world, search));
        clear(&app, &world);
        checked.map_err(|problem| TestCaseError::fail(format!("{name}: {problem}")))
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
}

fn started(database: &Database) -> App {
    let [orders, lines] = world::schemas().map(|(name, schema)| {
        let index = |kind, path: &str| DeclaredIndex::new(path, kind);
        let declaration = match name {
            "orders" => Declaration {
                exact: vec!["code".into()],
                indexes: vec![
                    index(IndexKind::Ordered, "state"),
                    index(IndexKind::Ordered, "price"),
                    index(IndexKind::Ordered, "code"),
                    index(IndexKind::FullText, "name"),
                    index(IndexKind::Like, "name"),
                    index(IndexKind::Trigram, "name"),
                    index(IndexKind::Trigram, "code"),
                    DeclaredIndex {
                        then: world::ENDS.map(str::to_owned).into(),
                        ..index(IndexKind::Range, world::RANGE.path)
                    },
                ],
                ..Declaration::new(name)
            },
            _ => Declaration {
                references: vec![Reference::new("orderId", "orders")],
                indexes: vec![
                    index(IndexKind::Ordered, "title"),
                    index(IndexKind::FullText, "title"),
                    index(IndexKind::Trigram, "title"),
                ],
                ..Declaration::new(name)
            },
        };
        Arc::new(Collection::new(declaration, &schema.to_string()).unwrap())
    });
    let joined = JoinedList {
        mount: None,
        name: "orders-and-lines".into(),
        of: "orders".into(),
        list: None,
        join: vec!["lines".into()],
        members: Vec::new(),
    };
    let collections = vec![orders, lines];
    database.prepare_collections(collections.iter().map(|one| one.table(None)).collect());
    let setup = Setup::new(database).with(|setup| {
        setup.mount().collections = collections;
        setup.mount().lists = vec![Arc::new(joined)];
        setup.roles = vec!["duet.write"];
    });
    setup.start()
}

fn store(app: &App, world: &World) {
    for (path, documents) in [("orders", &world.orders), ("lines", &world.lines)] {
        if documents.is_empty() {
            continue;
        }
        let body = json!(documents).to_string();
        let answer = request(app, "POST", path, &body);
        assert!(answer.0 < 300, "{path}: {} {}\n{body}", answer.0, answer.1);
    }
}

fn clear(app: &App, world: &World) {
    for (path, documents) in [("lines", &world.lines), ("orders", &world.orders)] {
        for document in documents {
            let id = world::text(&document["id"]);
            let answer = request(app, "DELETE", &format!("{path}/{id}"), "");
            assert_eq!(answer.0, 204, "{path}/{id}: {}", answer.1);
        }
    }
}

fn request(app: &App, method: &str, path: &str, body: &str) -> (u16, String) {
    let bearer = app.bearer();
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    let path = format!("/ords/hr/{path}");
    let answer = app.connect().request(method, &path, &headers, body.as_bytes());
    (answer.status, answer.text().to_owned())
}

fn check(app: &App, world: &World, search: &Search) -> Result<(), String> {
    let cql = search.cql();
    let expected = meaning::found(search, world);
    let all = keys(app, search.list, &cql, "limit=100")?;
    if all != (expected.clone(), Some(expected.len())) {
        return Err(format!("{}?query={cql}\n found {all:?}\n means {expected:?}", search.list));
    }
    let page = format!("limit={}&offset={}", search.limit, search.offset);
    let part = expected.iter().skip(search.offset).take(search.limit).cloned().collect();
    let found = keys(app, search.list, &cql, &page)?;
    if found != (part, Some(expected.len())) {
        return Err(format!(
            "{}?{page}&query={cql}\n found {found:?}\n of {expected:?}",
            search.list
        ));
    }
    Ok(())
}

/// The keys in a list, and its total.
fn keys(
    app: &App,
    list: &str,
    cql: &str,
    page: &str,
) -> Result<(Vec<String>, Option<usize>), String> {
    let answer = app.get(&format!("/ords/hr/{list}?{page}&query={}", percent_encode(cql)));
    if answer.status != 200 {
        return Err(format!("{list}?{page}&query={cql}: {} {}", answer.status, answer.text()));
    }
    let body = answer.json();
    let documents = body.as_object().unwrap().values().find_map(Value::as_array).unwrap();
    let total = body["totalRecords"].as_u64().and_then(|total| usize::try_from(total).ok());
    Ok((documents.iter().map(|it| world::text(&it["id"])).collect(), total))
}
