//! Random declarations of a `schema.json`, random documents and random CQL in the profile of RMB, over HTTP on both
//! stores, against a brute-force reading of the declaration by the rules of RMB.
//!
//! `DUET_RMB_QUERIES` sets how many queries are tried on each store; 600 by default.

mod reading;
mod sample;

use std::sync::Arc;

use duet_model::ProfileRef;
use duet_service::definition::{Collection, Declaration, RmbSchema};
use serde_json::Value;

use crate::support::{App, Database, Setup, percent_encode};
use sample::{Declared, Draw};

/// How many declarations there are, each with a table of its own.
const DECLARATIONS: usize = 8;

/// How many documents a declaration has.
const DOCUMENTS: usize = 24;

#[test]
fn rmb_finds_what_the_declaration_says() {
    let wanted = std::env::var("DUET_RMB_QUERIES").ok().and_then(|text| text.parse().ok());
    let queries = wanted.unwrap_or(600_usize);
    std::thread::scope(|scope| {
        for (database, name) in
            [(Database::sqlite(), "SQLite"), (Database::postgres("rmb_trial"), "PostgreSQL")]
        {
            scope.spawn(move || try_on(&database, name, queries));
        }
    });
}

fn try_on(database: &Database, name: &str, queries: usize) {
    let mut draw = Draw::new(20);
    let declared: Vec<Declared> =
        (0..DECLARATIONS).map(|at| sample::declared(&format!("items{at}"), &mut draw)).collect();
    let app = started(database, &declared);
    for one in &declared {
        let documents = sample::documents(DOCUMENTS, &mut draw);
        let body = Value::from(documents.clone()).to_string();
        let bearer = app.bearer();
        let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
        let path = format!("/ords/hr/{}", one.table);
        let answer = app.connect().request("POST", &path, &headers, body.as_bytes());
        assert!(answer.status < 300, "{name}: {} {}", answer.status, answer.text());
        for _ in 0..queries / DECLARATIONS {
            let query = sample::query(&mut draw);
            let expected = reading::found(&query, one, &documents);
            let cql = query.cql();
            let found = ids(&app, &one.table, &cql);
            assert_eq!(found, expected, "{name} {cql}\n{}\n{documents:#?}", one.schema_json());
        }
    }
}

fn started(database: &Database, declared: &[Declared]) -> App {
    let profile = ProfileRef::named("rmb").unwrap();
    let collection = |one: &Declared| {
        let mut declaration = Declaration::new(&one.table);
        declaration.search.profile = profile;
        declaration.rmb = RmbSchema::read(&one.schema_json()).unwrap().table(&one.table);
        Arc::new(Collection::new(declaration, sample::SCHEMA).unwrap())
    };
    let collections: Vec<_> = declared.iter().map(collection).collect();
    database.prepare_collections(collections.iter().map(|one| one.table(None)).collect());
    let setup = Setup::new(database).with(|setup| {
        setup.mount().collections = collections;
        setup.mount().profile = profile;
        setup.roles = vec!["duet.write"];
    });
    setup.start()
}

/// The ids that a search finds, in their order.
fn ids(app: &App, table: &str, cql: &str) -> Vec<String> {
    let answer = app.get(&format!("/ords/hr/{table}?limit=100&query={}", percent_encode(cql)));
    assert_eq!(answer.status, 200, "{cql}: {}", answer.text());
    let body = answer.json();
    let list = body[table].as_array().unwrap();
    let mut ids: Vec<String> =
        list.iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect();
    ids.sort_unstable();
    ids
}
