//! What CQL means on collections: golden cases in `golden/collections`, the same on both stores.
//!
//! A case is a profile of collections by its name. It holds
//! - `NAME.toml` and `NAME.json`: collections with their JSON Schemas;
//! - `documents`: a label, a collection and a document a line; a label that a document names stands for its key;
//! - `requests`: a collection and a query a line;
//! - what must come out: `result.txt`, the labels of the documents that each query finds, in their order, or the
//!   error; and for each store the statements, `sqlite.sql` and `postgres.sql`.
//!
//! Each case is run with the declared indexes and without them, and finds the same.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::sync::Arc;

use duet_model::{IndexKind, ProfileRef, SearchRules, SearchedArray};
use duet_service::definition::{Collection, Declaration, DeclaredIndex, Reference};
use duet_sql::{Postgres, TextSyntax as _};
use duet_testkit::golden::{self, Case};
use duet_text::Fold;

use crate::support::{App, Database, Setup, percent_encode};

const TENANT: (&str, &str) = ("X-Okapi-Tenant", "diku");

#[test]
fn queries_mean_what_the_profile_says() {
    golden::run("collections", |case| {
        let results = [
            ("sqlite", Database::sqlite(), Database::sqlite()),
            ("postgres", on_postgres(case, "with"), on_postgres(case, "without")),
        ];
        let [sqlite, postgres] = results.map(|(store, database, without)| {
            let (result, sql) = run(case, &database, true);
            case.expect(&format!("{store}.sql"), &sql);
            assert_eq!(result, run(case, &without, false).0, "indexes change what is found");
            result
        });
        assert_eq!(sqlite, postgres, "the stores differ");
        case.expect("result.txt", &sqlite);
    });
}

fn on_postgres(case: &Case, indexes: &str) -> Database {
    Database::postgres(&format!("cql_conformance_{}_{indexes}", case.name()))
}

/// The results and the statements of a case on a store, with its indexes or without them.
fn run(case: &Case, database: &Database, indexed: bool) -> (String, String) {
    let profile = ProfileRef::named(&case.name());
    let profile = profile.unwrap_or_else(|| panic!("{} is no profile", case.name()));
    let collections = collections(case, profile);
    let mut tables: Vec<_> = collections.iter().map(|one| one.table(None)).collect();
    if !indexed {
        tables.iter_mut().for_each(|table| table.indexes.clear());
    }
    database.prepare_collections(tables);
    let app = Setup::new(database)
        .with(|setup| {
            let mount = setup.mount();
            mount.collections = collections;
            mount.profile = profile;
            mount.tenant = profile.needs_tenant().then(|| TENANT.1.to_owned());
            setup.roles = vec!["duet.write"];
        })
        .start();
    let labels = load(case, &app);
    let (mut result, mut sql) = (String::new(), String::new());
    for line in case.read("requests").lines() {
        let Some((collection, query)) = line.split_once(' ').filter(|_| !line.starts_with('#'))
        else {
            writeln!(result, "{line}").unwrap();
            continue;
        };
        let target = format!("/ords/hr/{collection}?limit=100&query={}", percent_encode(query));
        writeln!(result, "{line}\n    {}", found(&app, &target, &labels)).unwrap();
        if let Ok(explanation) = app.service.explanation("GET", &target) {
            writeln!(sql, "-- {line}").unwrap();
            explanation.statements.iter().for_each(|one| sql += &readable(&one.to_string()));
        }
    }
    (result, sql)
}

/// A statement with short names for the expressions by which PostgreSQL folds texts.
fn readable(statement: &str) -> String {
    let mut text = format!("{statement}\n");
    for fold in Fold::ALL {
        let [before, behind] = Postgres { icu: true }.fold(fold);
        while let Some((head, tail)) = text.split_once(before)
            && let Some((inside, rest)) = tail.split_once(behind)
        {
            text = format!("{head}{}({inside}){rest}", fold.name());
        }
    }
    text
}

/// The labels of what a list holds, or why it was refused.
fn found(app: &App, target: &str, labels: &BTreeMap<String, String>) -> String {
    let answer = app.get_with(target, &[TENANT]);
    if answer.status != 200 {
        let text = answer.text();
        let json: Option<serde_json::Value> = serde_json::from_str(text).ok();
        let message = json.as_ref().and_then(|json| json["detail"].as_str()).unwrap_or(text);
        return format!("{}: {}", answer.status, message.lines().next().unwrap_or_default());
    }
    let list = answer.json();
    let documents = list.as_object().unwrap().values().find_map(|value| value.as_array());
    let ids = documents.unwrap().iter().map(|document| document["id"].as_str().unwrap());
    let shown: Vec<&str> = ids.map(|id| labels[id].as_str()).collect();
    assert_eq!(list["totalRecords"], serde_json::json!(shown.len()), "{target}");
    if shown.is_empty() { "none".to_owned() } else { shown.join(" ") }
}

/// The key of a document by its label, whose last character is a digit.
fn key(label: &str) -> String {
    let digit = &label[label.len() - 1..];
    let first = match &label[..1] {
        "p" => "a",
        "s" => "b",
        _ => digit,
    };
    format!("{}-1111-4111-8111-{}", first.repeat(7) + digit, digit.repeat(12))
}

/// Writes the documents; the labels by key.
fn load(case: &Case, app: &App) -> BTreeMap<String, String> {
    let mut labels = BTreeMap::new();
    for line in case.read("documents").lines() {
        let mut parts = line.splitn(3, ' ');
        let [label, collection, text] = std::array::from_fn(|_| parts.next().unwrap());
        let (_, members) = text.split_once('{').unwrap();
        let mut text = format!("{{\"id\":\"{}\",{members}", key(label));
        for (id, label) in &labels {
            text = text.replace(&format!(":\"{label}\""), &format!(":\"{id}\""));
        }
        let bearer = app.bearer();
        let headers =
            [("Authorization", bearer.as_str()), ("Content-Type", "application/json"), TENANT];
        let path = format!("/ords/hr/{collection}");
        let answer = app.connect().request("POST", &path, &headers, text.as_bytes());
        assert_eq!(answer.status, 201, "{line}: {answer:?}");
        labels.insert(key(label), label.to_owned());
    }
    labels
}

fn collections(case: &Case, profile: ProfileRef) -> Vec<Arc<Collection>> {
    let files = fs::read_dir(&case.dir).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> =
        files.filter(|path| path.extension().is_some_and(|it| it == "toml")).collect();
    files.sort();
    let collection = |path: &std::path::PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let schema = case.read(&format!("{name}.json"));
        let table = fs::read_to_string(path).unwrap().parse().unwrap();
        Arc::new(Collection::new(declaration(name, &table, profile), &schema).unwrap())
    };
    files.iter().map(collection).collect()
}

fn declaration(name: &str, table: &toml::Table, profile: ProfileRef) -> Declaration {
    let texts = |value: Option<&toml::Value>| -> Vec<String> {
        let list = value.and_then(toml::Value::as_array).into_iter().flatten();
        list.map(|text| text.as_str().unwrap().to_owned()).collect()
    };
    let section = |key: &str| table.get(key).and_then(toml::Value::as_table).into_iter().flatten();
    let references = section("references").map(|(path, value)| match value {
        toml::Value::Table(given) => Reference {
            alias: given["alias"].as_str().map(str::to_owned),
            inverse: given["inverse"].as_str().map(str::to_owned),
            ..Reference::new(path, given["table"].as_str().unwrap())
        },
        table => Reference::new(path, table.as_str().unwrap()),
    });
    let indexes = section("indexes").flat_map(|(key, paths)| {
        let (_, kind) = IndexKind::NAMES.into_iter().find(|(name, _)| name == key).unwrap();
        let members = if kind == IndexKind::Range { ["from", "to"] } else { ["x", "y"] };
        let entries = paths.as_array().into_iter().flatten();
        entries.map(move |entry| match entry.as_str() {
            Some(path) => DeclaredIndex::new(path, kind),
            None => DeclaredIndex {
                then: members.map(|key| entry[key].as_str().unwrap().to_owned()).into(),
                ..DeclaredIndex::new(entry["name"].as_str().unwrap(), kind)
            },
        })
    });
    let arrays = section("arrays").map(|(path, array)| SearchedArray {
        path: path.clone(),
        subfield: array["subfield"].as_str().unwrap().to_owned(),
        modifiers: texts(array.get("modifiers")),
    });
    Declaration {
        references: references.collect(),
        indexes: indexes.collect(),
        exact: texts(table.get("exact")),
        search: SearchRules {
            profile,
            server_choice: texts(table.get("server-choice")),
            arrays: arrays.collect(),
            ..SearchRules::default()
        },
        ..Declaration::new(name)
    }
}
