//! Declared indexes of every kind of values: searches find the same with each, explain names the one that serves, and
//! PostgreSQL uses it.

use std::sync::Arc;

use duet_model::IndexKind;
use duet_service::definition::{Collection, Declaration, DeclaredIndex};
use duet_store::setup::migrate::MadeObjects;
use duet_text::{Fold, trigram};
use serde_json::{Value, json};

use crate::support::{App, Database, Setup, eventually, on_both_stores, percent_encode};

on_both_stores! {
    each_kind_finds_the_same
    an_index_of_several_members_filters_and_orders
    a_partial_index_serves_searches_with_its_condition
    partial_indexes_of_texts_serve_searches_with_their_condition
    similar_texts_are_found_and_come_first
    elements_of_arrays_are_found
}

pub(crate) const SCHEMA: &str = r#"{"type": "object", "properties": {"id": {"type": "string", "format": "uuid"},
  "tags": {"type": "array", "items": {"type": "string"}},
  "parts": {"type": "array", "items": {"type": "object", "properties": {"size": {"type": "number"},
    "marks": {"type": "array", "items": {"type": "string"}}}}},
  "code": {"type": "string"}, "open": {"type": "boolean"}, "kind": {"enum": ["Gift", "Loan"]},
   "made": {"type": "string", "format": "date-time"}, "price": {"type": "number"}}}"#;

pub(crate) const DOCUMENTS: usize = 500;

/// A collection per kind, whose name is that of the kind.
fn collection(name: &str, kind: IndexKind, paths: &[&str]) -> Arc<Collection> {
    let indexes = paths.iter().map(|path| DeclaredIndex::new(path, kind)).collect();
    let declaration = Declaration { indexes, ..Declaration::new(name) };
    Arc::new(Collection::new(declaration, SCHEMA).unwrap())
}

pub(crate) fn document(number: usize) -> Value {
    json!({
        "id": format!("{number:08x}-0000-4000-8000-000000000000"),
        "code": format!("Code {:03}", number % 250),
        "made": format!("2026-01-{:02}T00:00:00.000+00:00", 1 + number / 25),
        "price": number / 5,
        "open": number.is_multiple_of(10),
        "kind": if number.is_multiple_of(4) { "Gift" } else { "Loan" },
    })
}

/// The total of a search, and what explain says of its index.
fn search(app: &App, name: &str, (parameter, search): (&str, &str)) -> (Value, String) {
    let search = percent_encode(search);
    let target = format!("/ords/hr/{name}?limit=1&totalRecords=exact&{parameter}={search}");
    let answer = app.get(&target);
    assert_eq!(answer.status, 200, "{target}: {answer:?}");
    let explained = app.service.explanation("GET", &target).unwrap().indexes.join("\n");
    (answer.json()["totalRecords"].clone(), explained)
}

/// PostgreSQL takes an index where one can serve, however small the table is.
fn prefer_indexes(database: &Database) {
    if !database.is_sqlite() {
        database.exec(
            "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET enable_seqscan = off', current_database()); END $$;",
        );
    }
}

/// Serves these collections, with the same documents in each.
fn start(database: &Database, collections: Vec<Arc<Collection>>) -> App {
    start_with(database, collections, document)
}

/// Serves these collections, with the documents of these numbers in each.
pub(crate) fn start_with(
    database: &Database,
    collections: Vec<Arc<Collection>>,
    document: fn(usize) -> Value,
) -> App {
    prefer_indexes(database);
    database.prepare_collections(collections.iter().map(|one| one.table(None)).collect());
    let names: Vec<_> = collections.iter().map(|it| it.declaration().name.clone()).collect();
    let app = Setup::new(database)
        .with(|setup| {
            setup.mount().collections = collections;
            setup.roles = vec!["duet.write"];
        })
        .start();
    let body = Value::Array((0..DOCUMENTS).map(document).collect()).to_string();
    let bearer = app.bearer();
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    for name in names {
        let target = format!("/ords/hr/{name}");
        let answer = app.connect().request("POST", &target, &headers, body.as_bytes());
        assert!(answer.status < 300, "{}", answer.text());
    }
    app
}

/// PostgreSQL has used each of these indexes. A connection tells what it has used when it ends: one that stays
/// tells it seconds later.
pub(crate) fn are_used(database: &Database, app: App, indexes: &[String]) {
    app.stop();
    if !database.is_sqlite() {
        let names = indexes.join("', '");
        let used = format!(
            "SELECT count(*) FROM pg_stat_user_indexes WHERE idx_scan > 0 AND indexrelname IN ('{names}')"
        );
        let all = i64::try_from(indexes.len()).unwrap();
        eventually(&format!("{names} are used"), || database.count(&used) == all);
    }
}

fn each_kind_finds_the_same(database: Database) {
    const ALL: &[&str] = &["code", "made", "price"];
    const EQUALITY: [(&str, &str); 4] = [
        ("query", "code==\"code 007\""),
        ("query", "made==2026-01-19T00:00:00.000+00:00"),
        ("q", r#"{"price": 7}"#),
        ("query", "price==7"),
    ];
    const RANGES: [(&str, &str); 3] = [
        ("query", "made >= 2026-01-19"),
        ("q", r#"{"price": {"$gte": 97}}"#),
        ("q", r#"{"price": {"$between": [3, 4]}}"#),
    ];
    const PREFIXES: [(&str, &str); 1] = [("query", "code==\"Code 00*\"")];
    let kinds = [
        ("plain", IndexKind::Ordered, ALL),
        ("hash", IndexKind::Hash, ALL),
        ("brin", IndexKind::BlockRange, ALL),
        ("spgist", IndexKind::Prefix, &["code"]),
    ];
    let collections: Vec<_> =
        kinds.iter().map(|(name, kind, paths)| collection(name, *kind, paths)).collect();
    let app = start(&database, collections);
    let mut used = Vec::new();
    for (name, kind, paths) in kinds {
        let served = [
            (&EQUALITY[..], kind.finds_values()),
            (&RANGES, kind.finds_ranges()),
            (&PREFIXES, kind.finds_prefixes()),
        ];
        for (searches, served) in served {
            for asked in searches {
                let path = paths.iter().find(|path| asked.1.contains(**path));
                let (total, explained) = search(&app, name, *asked);
                assert_eq!(total, search(&app, "plain", *asked).0, "{name} {asked:?}");
                let index = path.map(|path| format!("index {name}_{path}_idx{}", kind.suffix()));
                // On SQLite all of them are B-trees.
                let index = index.filter(|_| served || database.is_sqlite());
                let expected = index.unwrap_or_else(|| "no index; declare index".to_owned());
                assert!(explained.contains(&expected), "{name} {asked:?}: {explained}");
            }
        }
        let name = |path| format!("{name}_{path}_idx{}", kind.suffix());
        used.extend(paths.iter().map(name));
    }
    let (total, _) = search(&app, "hash", EQUALITY[0]);
    assert_eq!(total, json!(2));
    are_used(&database, app, &used);
}

fn an_index_of_several_members_filters_and_orders(database: Database) {
    let index = DeclaredIndex {
        then: vec!["price".into(), "made".into()],
        ..DeclaredIndex::new("code", IndexKind::Ordered)
    };
    // SQLite has it as a B-tree, which serves less of a search than the other.
    let smaller = DeclaredIndex::new("price", IndexKind::Hash);
    let declaration = Declaration { indexes: vec![smaller, index], ..Declaration::new("items") };
    let items = Arc::new(Collection::new(declaration, SCHEMA).unwrap());
    let app = start(&database, vec![items]);
    const INDEX: &str = "items_code_price_made_idx";
    let first = |target: &str| {
        let answer = app.get(target);
        assert_eq!(answer.status, 200, "{answer:?}");
        let body = answer.json();
        let items = body["items"].as_array().unwrap().iter();
        items.map(|it| it["price"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    for (search, is_ordered, prices) in [
        ("code==\"code 007\" sortBy price", true, [1, 51]),
        ("code==\"code 007\" sortBy price/sort.descending", true, [51, 1]),
        ("code==\"code 007\" and price==51 sortBy made", true, [51, 51]),
        ("code==\"code 007\" sortBy made", false, [1, 51]),
        ("code==\"code 00*\" sortBy price/sort.descending", false, [51, 51]),
    ] {
        let target = format!("/ords/hr/items?limit=2&query={}", percent_encode(search));
        let found = first(&target);
        assert_eq!(found[..], prices[..found.len()], "{search}");
        let explained = app.service.explanation("GET", &target).unwrap().indexes;
        let (order, conditions) = explained.split_last().unwrap();
        assert!(conditions[0].ends_with(&format!("index {INDEX}")), "{explained:?}");
        assert_eq!(order.ends_with(&format!("index {INDEX}")), is_ordered, "{search} {order}");
    }
    let other = app.service.explanation("GET", "/ords/hr/items?query=made%3D%3D1").unwrap();
    assert!(other.indexes[0].contains("no index; declare index = [\"made\"]"), "{other:?}");
    are_used(&database, app, &[INDEX.to_owned()]);
}

/// The documents of a search in their order, by their keys.
pub(crate) fn found(app: &App, name: &str, search: &str) -> Vec<String> {
    let answer = app.get(&format!("/ords/hr/{name}?limit=600&query={}", percent_encode(search)));
    assert_eq!(answer.status, 200, "{search}: {answer:?}");
    let items = answer.json()[name].as_array().unwrap().clone();
    items.iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect()
}

fn a_partial_index_serves_searches_with_its_condition(database: Database) {
    let index = |path: &str, kind, condition: &str| DeclaredIndex {
        condition: Some(condition.to_owned()),
        ..DeclaredIndex::new(path, kind)
    };
    let indexes = vec![
        index("price", IndexKind::Ordered, "open==true"),
        index("code", IndexKind::Unique, "kind==Gift and price >= 90"),
        index("made", IndexKind::Hash, "code==\"code 00*\""),
    ];
    let declare = |name: &str, indexes| {
        let declaration = Declaration { indexes, ..Declaration::new(name) };
        Arc::new(Collection::new(declaration, SCHEMA).unwrap())
    };
    let items = declare("items", indexes);
    let names: Vec<String> =
        items.table(None).indexes.iter().map(|index| index.name("items")).collect();
    let shown: Vec<String> =
        items.table(None).indexes.iter().map(|index| index.shown("items")).collect();
    let app = start(&database, vec![items, declare("plain", Vec::new())]);
    const MADE: &str = "made==\"2026-01-05T00:00:00.000+00:00\"";
    for (search, serving, place) in [
        ("price < 50 and open==true", Some(0), 0),
        ("open==true and price == 40", Some(0), 1),
        ("price == 40", None, 0),
        ("price == 40 and open==false", None, 0),
        ("price == 40 or open==true", None, 0),
        ("code==\"code 2*\" and price >= 90 and kind==gift", Some(1), 0),
        ("code==\"code 240\" and price >= 91 and kind==gift", None, 0),
        (&format!("{MADE} and code==\"code 00*\""), Some(2), 0),
        (&format!("{MADE} and code==\"code 0*\""), None, 0),
    ] {
        assert_eq!(found(&app, "items", search), found(&app, "plain", search), "{search}");
        let target = format!("/ords/hr/items?query={}", percent_encode(search));
        let explained = app.service.explanation("GET", &target).unwrap().indexes;
        match serving {
            Some(at) => {
                let expected = format!("index {}", shown[at]);
                assert!(explained[place].ends_with(&expected), "{search}: {explained:?}");
            }
            None => assert!(explained[place].contains("no index"), "{search}: {explained:?}"),
        }
    }
    let ordered = "open==true sortBy price/sort.descending";
    let target = format!("/ords/hr/items?limit=2&query={}", percent_encode(ordered));
    let explained = app.service.explanation("GET", &target).unwrap().indexes;
    assert!(explained[1].ends_with(&format!("index {}", names[0])), "{explained:?}");
    assert_eq!(found(&app, "items", ordered), found(&app, "plain", ordered));
    // Unique among the documents that the index has.
    let again = |code: &str, price: u64| {
        let body = json!({"code": code, "kind": "Gift", "price": price}).to_string();
        let bearer = app.bearer();
        let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
        app.connect().request("POST", "/ords/hr/items", &headers, body.as_bytes()).status
    };
    assert_eq!([again("Code 242", 95), again("Code 242", 5)], [409, 201]);
    are_used(&database, app, &names);
}

fn partial_indexes_of_texts_serve_searches_with_their_condition(database: Database) {
    let index = |kind, condition: Option<&str>| DeclaredIndex {
        condition: condition.map(str::to_owned),
        ..DeclaredIndex::new("code", kind)
    };
    let declare = |name: &str, conditions: [Option<&str>; 3]| {
        let kinds = [IndexKind::Trigram, IndexKind::FullText, IndexKind::Nearest];
        let indexes = kinds.into_iter().zip(conditions).map(|(kind, it)| index(kind, it)).collect();
        let declaration = Declaration { indexes, ..Declaration::new(name) };
        Arc::new(Collection::new(declaration, SCHEMA).unwrap())
    };
    let items = declare("items", [Some("open==true"), Some("kind==Gift"), Some("price < 50")]);
    let names: Vec<String> =
        items.table(None).indexes.iter().map(|index| index.name("items")).collect();
    let app = start(&database, vec![items.clone(), declare("plain", [None; 3])]);
    for (search, serving) in [
        ("code==\"*de 01*\" and open==true", Some(0)),
        ("code==\"*de 01*\" and open==false", None),
        ("code all \"010 code\" and kind==gift", Some(1)),
        ("code all \"010 code\"", None),
        ("code =/fuzzy \"code 010\" and price < 50", Some(2)),
        ("price < 50 sortBy code/similar=\"code 010\"", Some(2)),
    ] {
        assert_eq!(found(&app, "items", search), found(&app, "plain", search), "{search}");
        assert_ne!(found(&app, "items", search), Vec::<String>::new(), "{search}");
        let target = format!("/ords/hr/items?limit=5&query={}", percent_encode(search));
        let explained = app.service.explanation("GET", &target).unwrap().indexes.join("\n");
        let is_similar = search.contains("fuzzy") || search.contains("similar");
        match serving {
            Some(at) if !database.is_sqlite() => {
                assert!(
                    explained.contains(&format!("index {}", names[at])),
                    "{search} {explained}"
                );
            }
            // There each of them has all documents.
            _ if database.is_sqlite() && !is_similar => {
                assert!(explained.contains("index items_code_idx_"), "{search} {explained}");
            }
            _ => assert!(explained.contains("no index"), "{search} {explained}"),
        }
    }
    are_used(&database, app, &names);
    // They are known again.
    assert_eq!(database.prepare_collections(vec![items.table(None)]), MadeObjects::default());
}

/// Texts of few letters, so that many are like each other.
fn title(number: usize) -> String {
    const WORDS: [&str; 12] = [
        "kayak", "kayaks", "fishing", "Fishes", "the", "Café", "cafe-bar", "art", "of", "ärger",
        "12a", "water",
    ];
    let mut draw = number as u64 * 2_654_435_761 % 1_000_003;
    let mut next = |below: u64| {
        draw = draw * 48_271 % 2_147_483_647;
        (draw % below) as usize
    };
    let length = 1 + next(5);
    let words: Vec<&str> = (0..length).map(|_| WORDS[next(WORDS.len() as u64)]).collect();
    words.join(" ")
}

fn similar_texts_are_found_and_come_first(database: Database) {
    let declare = |name: &str, kind| {
        let indexes = vec![DeclaredIndex::new("code", kind)];
        let declaration = Declaration { indexes, ..Declaration::new(name) };
        Arc::new(Collection::new(declaration, SCHEMA).unwrap())
    };
    let collections = vec![
        declare("nearest", IndexKind::Nearest),
        declare("trigram", IndexKind::Trigram),
        declare("ordered", IndexKind::Nearest),
        declare("plain", IndexKind::Ordered),
    ];
    let app = start_with(&database, collections, |number| {
        let mut document = document(number);
        document["code"] = json!(title(number));
        document
    });
    let titles: Vec<String> = (0..DOCUMENTS).map(title).collect();
    let id = |number: usize| document(number)["id"].as_str().unwrap().to_owned();
    for (asked, name) in [
        ("kayak fishing", "nearest"),
        ("kyak", "nearest"),
        ("cafe", "trigram"),
        ("CAFÉ ärger", "nearest"),
        ("water 12", "trigram"),
    ] {
        let fold = |text: &str| Fold::Both.apply(text);
        let near = |number: &usize| trigram::similarity(&fold(&titles[*number]), &fold(asked));
        let mut all: Vec<usize> = (0..DOCUMENTS).collect();
        let similar: Vec<String> = all
            .iter()
            .filter(|it| f64::from(near(it)) >= trigram::SIMILAR)
            .map(|it| id(*it))
            .collect();
        assert!(!similar.is_empty() && similar.len() < DOCUMENTS, "{asked}");
        assert_eq!(
            found(&app, name, &format!("code =/fuzzy \"{asked}\"")),
            similar,
            "{name} {asked}"
        );
        let q = percent_encode(&json!({"code": {"$similar": asked}}).to_string());
        let answer = app.get(&format!("/ords/hr/{name}?limit=0&totalRecords=exact&q={q}"));
        assert_eq!(answer.json()["totalRecords"], json!(similar.len()), "{name} {asked}");
        all.sort_by(|a, b| near(b).total_cmp(&near(a)).then(a.cmp(b)));
        let ordered: Vec<String> = all.iter().map(|number| id(*number)).collect();
        let search = format!("cql.allRecords=1 sortBy code/similar=\"{asked}\"");
        assert_eq!(found(&app, name, &search), ordered, "{name} {asked}");
        // Many are equally far away, also across the ends of a page.
        for (limit, offset) in [(7, 0), (7, 5), (100, 390)] {
            let window = format!("limit={limit}&offset={offset}&query={}", percent_encode(&search));
            let page = app.get(&format!("/ords/hr/ordered?{window}")).json();
            let page = page["ordered"].as_array().unwrap().iter().map(|it| it["id"].clone());
            let expected = ordered[offset..offset + limit].iter().map(|id| json!(id));
            assert_eq!(page.collect::<Vec<_>>(), expected.collect::<Vec<_>>(), "{asked} {offset}");
        }
        let q = percent_encode(&json!({"$orderby": {"code": {"$similar": asked}}}).to_string());
        let answer = app.get(&format!("/ords/hr/{name}?limit=1&q={q}"));
        assert_eq!(answer.json()[name][0]["id"], json!(ordered[0]), "{name} {asked}");
    }
    similar_texts_have_an_index(&database, &app);
    let order = "cql.allRecords=1 sortBy code/similar=kayak";
    for wrong in ["code =/fuzzy x", "code <>/fuzzy x", "price =/fuzzy 1", order] {
        let answer = app.get(&format!("/ords/hr/plain?query={}", percent_encode(wrong)));
        assert!(answer.status == 400 && answer.text().contains("DUET-2008"), "{wrong} {answer:?}");
    }
    let used = ["nearest_code_idx_gist", "trigram_code_idx_gin", "ordered_code_idx_gist"];
    are_used(&database, app, &used.map(str::to_owned));
}

/// Explain names the index that serves a search for similar texts, or an order by similarity.
fn similar_texts_have_an_index(database: &Database, app: &App) {
    let explained = |name: &str, query: &str| {
        let target = format!("/ords/hr/{name}?limit=3&query={}", percent_encode(query));
        app.service.explanation("GET", &target).unwrap().indexes.join("\n")
    };
    const NEAR: &str = "cql.allRecords=1 sortBy code/similar=kayak";
    if !database.is_sqlite() {
        for (name, query, index) in [
            ("nearest", "code =/fuzzy kayak", "index nearest_code_idx_gist"),
            ("trigram", "code =/fuzzy kayak", "index trigram_code_idx_gin"),
            ("nearest", "code==\"*yak*\"", "index nearest_code_idx_gist"),
            ("nearest", NEAR, "index nearest_code_idx_gist"),
            ("trigram", NEAR, "no index"),
        ] {
            assert!(explained(name, query).contains(index), "{name} {query}");
        }
    }
}

fn elements_of_arrays_are_found(database: Database) {
    let declare = |name: &str, paths: &[&str]| collection(name, IndexKind::Elements, paths);
    let collections =
        vec![declare("items", &["tags", "parts.size", "parts.marks"]), declare("plain", &[])];
    let app = start_with(&database, collections, |number| {
        let mut document = document(number);
        if !number.is_multiple_of(3) {
            document["tags"] = json!([format!("T{}", number % 7), format!("t{}", number % 40)]);
            document["parts"] = json!([
                {"size": number % 50, "marks": ["a", format!("m{}", number % 60)]}, {"size": 7.5}, {}
            ]);
        }
        document
    });
    for (search, served) in [
        ("tags==T3", Some("tags")),
        ("tags==t3", Some("tags")),
        ("tags==(T1 or t9)", Some("tags")),
        ("tags==\"T*\"", None),
        ("cql.allRecords=1 not tags==T3", None),
        ("parts.size==17", Some("parts_size")),
        ("parts.size > 48", None),
        ("parts.marks==m7", Some("parts_marks")),
        ("parts.marks==m7 and parts.size==7.5", Some("parts_marks")),
    ] {
        let documents = found(&app, "items", search);
        assert_eq!(documents, found(&app, "plain", search), "{search}");
        assert!(!documents.is_empty(), "{search}");
        let target = format!("/ords/hr/items?query={}", percent_encode(search));
        let explained = app.service.explanation("GET", &target).unwrap().indexes;
        match served.filter(|_| !database.is_sqlite()) {
            Some(path) => {
                let name = format!("index items_{path}_idx_array");
                assert!(explained[0].ends_with(&name), "{search}: {explained:?}");
            }
            None => assert!(explained[0].contains("no index"), "{search}: {explained:?}"),
        }
    }
    let used = ["tags", "parts_size", "parts_marks"].map(|path| format!("items_{path}_idx_array"));
    are_used(&database, app, &used);
}
