//! Indexes of words and of parts of texts: searches find the same with and without them, whatever was written
//! meanwhile, and explain says which index serves.

use std::collections::BTreeSet;
use std::sync::Arc;

use duet_model::{Dictionaries, IndexKind, SearchRules};
use duet_service::definition::{Collection, Declaration, DeclaredIndex, Resource, UnindexedPolicy};
use serde_json::{Value, json};

use crate::support::{App, Database, Setup, on_both_stores, percent_encode};

on_both_stores! {
    explain_names_the_index
    searches_find_the_same_with_and_without
    concurrent_writes_keep_them_right
    a_database_without_them_is_searched
    unindexed_searches_follow_the_policy
    words_by_a_dictionary
}

const SCHEMA: &str = r#"{"type": "object", "properties": {"id": {"type": "string", "format": "uuid"},
  "title": {"type": "string"}, "note": {"type": "string"}}}"#;

const ALL: [IndexKind; 3] = [IndexKind::Ordered, IndexKind::FullText, IndexKind::Trigram];

fn collection(name: &str, kinds: &[IndexKind], dictionary: &str) -> Arc<Collection> {
    let index = |kind: &IndexKind| DeclaredIndex::new("title", *kind);
    let dictionaries = Dictionaries(vec![("title".to_owned(), dictionary.to_owned())]);
    let declaration = Declaration {
        indexes: kinds.iter().map(index).collect(),
        search: SearchRules { dictionaries, ..SearchRules::default() },
        ..Declaration::new(name)
    };
    Arc::new(Collection::new(declaration, SCHEMA).unwrap())
}

fn prepare(database: &Database, collections: &[Arc<Collection>]) -> Vec<String> {
    let tables = collections.iter().map(|one| one.table(None)).collect();
    database.prepare_collections(tables).indexes
}

fn start(database: &Database, collections: Vec<Arc<Collection>>) -> App {
    let setup = Setup::new(database).with(|setup| {
        setup.mount().collections = collections;
        setup.roles = vec!["duet.write"];
    });
    setup.start()
}

fn send(app: &App, method: &str, path: &str, body: &Value) -> u16 {
    let bearer = app.bearer();
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    let path = format!("/ords/hr/{path}");
    app.connect().request(method, &path, &headers, body.to_string().as_bytes()).status
}

fn key(number: usize) -> String {
    format!("{number:08x}-0000-4000-8000-000000000000")
}

/// The keys that a search finds; `parameter` is `query` or `q`.
fn found(app: &App, list: &str, parameter: &str, search: &str) -> BTreeSet<String> {
    let target = format!("/ords/hr/{list}?limit=1000&{parameter}={}", percent_encode(search));
    let answer = app.get(&target);
    assert_eq!(answer.status, 200, "{search}: {answer:?}");
    let body = answer.json();
    let member = list.rsplit('/').next().unwrap();
    let documents = body[member].as_array().unwrap_or_else(|| panic!("{body}"));
    assert_eq!(body["totalRecords"], json!(documents.len()), "{search}");
    documents.iter().map(|it| it["id"].as_str().unwrap().to_owned()).collect()
}

/// What explain says of the indexes of a search.
fn explained(app: &App, parameter: &str, search: &str) -> String {
    let target = format!("/ords/hr/items?{parameter}={}", percent_encode(search));
    app.service.explanation("GET", &target).unwrap().indexes.join("\n")
}

fn explain_names_the_index(database: Database) {
    let items = collection("items", &ALL, "simple");
    prepare(&database, &[Arc::clone(&items)]);
    let app = start(&database, vec![items]);
    for (parameter, search, expected) in [
        ("query", "title=kayak", "index items_title_idx_ft"),
        ("query", "title adj \"kay* fishing\"", "index items_title_idx_ft"),
        ("query", "title==*kayak*", "index items_title_idx_gin"),
        ("query", "title==kay*", "index items_title_idx"),
        ("query", "title==*ka*", "no index: a part of less than three characters"),
        ("query", "note=kayak", "no index; declare full-text = [\"note\"]"),
        ("query", "note==*kayak*", "no index; declare trigram = [\"note\"]"),
        ("query", "title=/respectAccents kayak", "no index; declare full-text"),
        ("q", r#"{"title":"Kayak"}"#, "index items_title_idx"),
        ("q", r#"{"title":{"$in":["Kayak","A"]}}"#, "index items_title_idx"),
        ("q", r#"{"title":{"$ne":"Kayak"}}"#, "no index"),
        ("q", r#"{"note":"Kayak"}"#, "no index; declare index = [\"note\"]"),
    ] {
        let said = explained(&app, parameter, search);
        let (_, said) = said.split_once(": ").unwrap();
        assert!(said.starts_with(expected), "{search}\n{said}");
        let is_longer = expected == "index items_title_idx" && said != expected;
        assert!(!is_longer, "{search}\n{said}");
    }
}

/// Random numbers that are the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }

    fn text(&mut self) -> String {
        let gaps = [" ", " ", ", ", "-", " - ", ""];
        let mut text = String::new();
        for _ in 0..self.below(6) {
            text += self.pick(WORDS);
            text += self.pick(&gaps);
        }
        text
    }
}

const WORDS: &[&str] = &[
    "kayak",
    "Kayak",
    "FISHING",
    "foo-bar",
    "123-456",
    "Été",
    "ete",
    "Straße",
    "it's",
    "ΣΟΦΟΣ",
    "日本語",
    "n\u{303}and\u{fa}",
    "x9",
    "50%",
    "a_b",
    "Œuvre",
    "łódź",
];

/// The parts of texts that searches look for.
const PARTS: &[&str] = &[
    "aya",
    "kay",
    "Ét",
    "fish",
    "日本",
    "日本語",
    "ο",
    "50%",
    "a_b",
    "ss",
    "'s",
    " - ",
    "oeuv",
    "ódź",
];

fn search(random: &mut Random) -> (&'static str, String) {
    let term = |text: &str| json!(text.replace('*', "")).to_string();
    match random.below(5) {
        0 => {
            let relation = ["=", "adj", "all", "any"][random.below(4)];
            let words: Vec<&str> = (0..=random.below(3)).map(|_| random.pick(WORDS)).collect();
            ("query", format!("title {relation} {}", term(&words.join(" "))))
        }
        1 => {
            let word: String = random.pick(WORDS).chars().take(3).collect();
            ("query", format!("title all \"{word}* {}\"", random.pick(WORDS)))
        }
        2 => {
            let (a, b) = (random.pick(PARTS), random.pick(PARTS));
            let and = ["", "*", "?"][random.below(3)];
            let pattern = if and.is_empty() { format!("*{a}*") } else { format!("*{a}{and}{b}*") };
            ("query", format!("title == \"{pattern}\""))
        }
        3 => {
            let part = random.pick(PARTS);
            let word = random.pick(WORDS);
            (
                "query",
                format!("title == \"*{part}*\" or title = {} not title == \"*x9*\"", term(word)),
            )
        }
        _ => {
            let text = random.text();
            ("q", json!({ "title": { "$in": [text, random.pick(WORDS)] } }).to_string())
        }
    }
}

fn searches_find_the_same_with_and_without(database: Database) {
    let lists = [("items", &ALL[..]), ("plain", &[])];
    let collections = lists.map(|(name, kinds)| collection(name, kinds, "simple")).to_vec();
    prepare(&database, &collections);
    let app = start(&database, collections);
    let mut random = Random(7);
    let documents: Vec<Value> = (0..150)
        .map(|at| match at % 10 {
            0 => json!({ "id": key(at) }),
            1 => json!({ "id": key(at), "title": random.pick(WORDS) }),
            _ => json!({ "id": key(at), "title": random.text() }),
        })
        .collect();
    for (list, _) in lists {
        assert!(send(&app, "POST", list, &json!(documents)) < 300);
    }
    let mut hits = 0;
    for round in 0..4 {
        for _ in 0..60 {
            let (parameter, search) = search(&mut random);
            let [with, without] = lists.map(|(list, _)| found(&app, list, parameter, &search));
            assert_eq!(with, without, "{search}");
            hits += with.len();
        }
        for at in (round..150).step_by(5) {
            let id = key(at);
            let change = json!({ "id": id, "title": random.text() });
            let method = if at % 3 == 0 { "DELETE" } else { "PUT" };
            for (list, _) in lists {
                let status = send(&app, method, &format!("{list}/{id}"), &change);
                assert!(status < 300 || status == 404, "{status}");
            }
        }
    }
    assert!(hits > 500, "{hits}");
}

fn concurrent_writes_keep_them_right(database: Database) {
    const COLOURS: [&str; 4] = ["crimson", "azure", "emerald", "amber"];
    let items = collection("items", &ALL, "simple");
    prepare(&database, &[Arc::clone(&items)]);
    let app = start(&database, vec![items]);
    std::thread::scope(|scope| {
        for writer in 0..4_u64 {
            let app = &app;
            scope.spawn(move || {
                let mut random = Random(writer);
                for _ in 0..60 {
                    // Writers share some of the documents.
                    let id = key(random.below(12));
                    let title = format!("{} and {}", random.pick(&COLOURS), random.pick(&COLOURS));
                    let (method, path) = match random.below(4) {
                        0 => ("DELETE", format!("items/{id}")),
                        1 => ("POST", "items".to_owned()),
                        _ => ("PUT", format!("items/{id}")),
                    };
                    let status = send(app, method, &path, &json!({ "id": id, "title": title }));
                    assert!(status < 500, "{status}");
                    if random.below(5) == 0 {
                        found(app, "items", "query", &format!("title={}", random.pick(&COLOURS)));
                    }
                }
            });
        }
    });
    let all = app.get("/ords/hr/items?limit=100").json();
    let all = all["items"].as_array().unwrap();
    assert!(!all.is_empty());
    for colour in COLOURS {
        let has = |it: &&Value| it["title"].as_str().unwrap().contains(colour);
        let expected: BTreeSet<String> =
            all.iter().filter(has).map(|it| it["id"].as_str().unwrap().to_owned()).collect();
        assert_eq!(found(&app, "items", "query", &format!("title={colour}")), expected);
        let part = format!("title==*{}*", &colour[1..]);
        assert_eq!(found(&app, "items", "query", &part), expected);
    }
}

fn a_database_without_them_is_searched(database: Database) {
    let (before, now) =
        (collection("items", &ALL[..1], "simple"), collection("items", &ALL, "simple"));
    prepare(&database, &[before]);
    let app = start(&database, vec![Arc::clone(&now)]);
    assert_eq!(send(&app, "POST", "items", &json!({ "id": key(1), "title": "A kayak" })), 201);
    for search in ["title=kayak", "title==*yak*"] {
        assert_eq!(found(&app, "items", "query", search).len(), 1);
        let said = explained(&app, "query", search);
        assert!(said.contains("is declared and does not exist"), "{said}");
    }
    assert_eq!(prepare(&database, &[now]), ["items_title_idx_ft", "items_title_idx_gin"]);
    app.reload();
    assert_eq!(
        send(&app, "POST", "items", &json!({ "id": key(2), "title": "Kayaks, kayak" })),
        201
    );
    for search in ["title=kayak", "title==*yak*"] {
        assert_eq!(found(&app, "items", "query", search).len(), 2);
        let said = explained(&app, "query", search);
        assert!(said.contains(": index items_title_idx_"), "{said}");
    }
}

fn unindexed_searches_follow_the_policy(database: Database) {
    let items = collection("items", &ALL, "simple");
    prepare(&database, &[Arc::clone(&items)]);
    for (_, policy) in UnindexedPolicy::NAMES {
        let setup = Setup::new(&database).with(|setup| {
            setup.mount().collections = vec![Arc::clone(&items)];
            setup.mount().resources = vec![Resource {
                name: "items".into(),
                table: "items".into(),
                unindexed: policy,
                ..Resource::default()
            }];
        });
        let app = setup.start();
        for (parameter, search, is_served) in [
            ("query", "title=kayak", true),
            ("query", "title==*kayak*", true),
            ("query", "title==*ka*", false),
            ("query", "note=kayak", false),
            ("q", r#"{"title":"Kayak"}"#, true),
            ("q", r#"{"note":"Kayak"}"#, false),
        ] {
            let answer = app.get(&format!("/ords/hr/items?{parameter}={}", percent_encode(search)));
            let refused = policy == UnindexedPolicy::Refuse && !is_served;
            let status = if refused { 400 } else { 200 };
            assert_eq!(answer.status, status, "{policy:?} {search}: {}", answer.text());
            let remark = (policy == UnindexedPolicy::Warn && !is_served).then_some("none");
            assert_eq!(answer.header("x-index"), remark, "{policy:?} {search}");
            if refused {
                assert_eq!(answer.json()["errors"][0]["code"], "DUET-2011", "{search}");
            }
        }
    }
}

fn words_by_a_dictionary(database: Database) {
    let words = |dictionary| collection("items", &[IndexKind::FullText], dictionary);
    if database.is_sqlite() {
        prepare(&database, &[words("simple")]);
        let app = start(&database, vec![words("english")]);
        assert_eq!(app.get("/ords/hr/items").status, 503);
        let notes = app.service.snapshot().notes.join(" ");
        assert!(notes.contains("SQLite has none"), "{notes}");
        return;
    }
    prepare(&database, &[words("simple")]);
    // The index by another dictionary is made anew.
    assert_eq!(prepare(&database, &[words("english")]), ["items_title_idx_ft"]);
    assert!(prepare(&database, &[words("english")]).is_empty());
    let app = start(&database, vec![words("english")]);
    for (at, title) in ["The fishes", "Fishing for the kayak", "A fisher"].into_iter().enumerate() {
        let document = json!({ "id": key(at), "title": title, "note": title });
        assert_eq!(send(&app, "POST", "items", &document), 201);
    }
    for (search, count) in [
        ("title=fish", 2),
        ("title adj \"fishes for a kayak\"", 1),
        ("title=kayaking", 1),
        ("title any \"kayaks fisher\"", 2),
        ("note=fish", 0),
        ("note=fishing", 1),
    ] {
        assert_eq!(found(&app, "items", "query", search).len(), count, "{search}");
    }
    let search = format!("/ords/hr/items?query={}", percent_encode("title=fish"));
    let explanation = app.service.explanation("GET", &search).unwrap();
    assert!(explanation.indexes[0].ends_with(": index items_title_idx_ft"), "{explanation:?}");
    let Database::Postgres(database) = &database else { panic!("not PostgreSQL") };
    database.exec("INSERT INTO items (id, jsonb) SELECT gen_random_uuid(), '{\"title\": \"other\"}' FROM generate_series(1, 5000); ANALYZE items");
    let sql = &explanation.statements[0].sql;
    let plan =
        database.query(&format!("PREPARE p AS {sql}; EXPLAIN EXECUTE p ('(''fish'')', 11);"));
    assert!(format!("{plan:?}").contains("items_title_idx_ft"), "{plan:?}");
}
