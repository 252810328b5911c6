//! Full text and overlapping ranges: on both stores the documents that brute force finds, with an index
//! of words and without one, and the index that explain names is the one that is used.

use std::collections::BTreeSet;

use duet_filter::{FieldIndex, Limits, Row, Values, evaluate};
use duet_model::{ColumnRef, Shape, Type, Value};
use duet_service::definition::Mount;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, TestRunner};
use serde_json::json;

use crate::application::{MOUNT, of_mount};
use crate::served::{Data, Kind, Served};

/// A table of texts, one of whose columns has an index of words.
fn serve(kind: Kind, name: &str) -> Served {
    let data = Data::empty(kind, name);
    data.exec("CREATE TABLE note (id integer PRIMARY KEY, body text, plain text)");
    data.exec(match kind {
        Kind::Sqlite => {
            "CREATE VIRTUAL TABLE note_words USING fts5(body, content='note', content_rowid='id')"
        }
        Kind::Postgres => "CREATE INDEX note_words ON note USING gin (to_tsvector('simple', body))",
    });
    let mount = Mount { path: MOUNT.into(), all_tables: true, ..Mount::default() };
    Served::over(data, &of_mount(mount))
}

const WORDS: [&str; 7] = ["red", "Red", "wine", "or", "dry", "RE", "vinegar"];

fn text() -> impl Strategy<Value = Option<String>> {
    let part = (select(&WORDS[..]), select(vec![" ", ", ", "; ", " (", "! "]));
    let text = prop::collection::vec(part, 0..7)
        .prop_map(|parts| parts.into_iter().map(|(word, gap)| format!("{word}{gap}")).collect());
    prop::option::weighted(0.9, text)
}

fn query() -> impl Strategy<Value = String> {
    let word = || select(&WORDS[..]).prop_map(str::to_owned);
    let phrase =
        prop::collection::vec(word(), 1..4).prop_map(|words| format!("\"{}\"", words.join(" ")));
    let term = (prop_oneof![3 => word(), 1 => phrase], prop::bool::weighted(0.3))
        .prop_map(|(term, negated)| if negated { format!("-{term}") } else { term });
    let glue = select(vec![" ", " ", " or ", " OR "]);
    prop::collection::vec((term, glue), 1..5).prop_map(|parts| {
        let text: String = parts.into_iter().map(|(term, glue)| term + glue).collect();
        text.trim_end().to_owned()
    })
}

/// A row as the evaluator sees it: both columns hold the same text.
struct Seen<'d> {
    text: &'d Option<String>,
    shape: &'d Shape,
}

impl Row for Seen<'_> {
    fn values(&self, _: ColumnRef) -> Values {
        Values::One(self.text.clone().map_or(Value::Null, Value::Text))
    }

    fn ty(&self, column: ColumnRef) -> &Type {
        self.shape.column_type(column)
    }
}

fn fill(kind: Kind, served: &Served, texts: &[Option<String>]) {
    let literal = |text: &Option<String>| {
        text.as_ref().map_or("NULL".to_owned(), |text| format!("'{}'", text.replace('\'', "''")))
    };
    let rows = texts.iter().enumerate().map(|(id, text)| {
        let text = literal(text);
        format!("({id}, {text}, {text})")
    });
    let rows = rows.collect::<Vec<_>>().join(", ");
    served.data.exec(&format!("DELETE FROM note; INSERT INTO note VALUES {rows}"));
    if kind == Kind::Sqlite {
        served.data.exec("INSERT INTO note_words(note_words) VALUES ('rebuild')");
    }
}

fn found(served: &Served, target: &str, q: &str) -> BTreeSet<usize> {
    let encoded: String = q.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let page = served.get(&format!("/t/{target}/?limit=1000&fields=id&q={encoded}")).json();
    let items = page["items"].as_array().unwrap_or_else(|| panic!("{q}\n{page}"));
    items.iter().map(|item| item["id"].as_u64().unwrap() as usize).collect()
}

#[test]
fn both_stores_find_the_same_words() {
    let stores = Kind::BOTH.map(|kind| serve(kind, "words"));
    let snapshot = stores[0].service.snapshot();
    let (mount, _) = snapshot.route("/t/note/").unwrap();
    let shape = mount.resource("note").unwrap().shape.clone();
    let fields = FieldIndex::new(&shape);
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(30);
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let strategy = (prop::collection::vec(text(), 1..30), prop::collection::vec(query(), 10));
    let outcome = TestRunner::new(config).run(&strategy, |(texts, queries)| {
        for (kind, served) in Kind::BOTH.iter().zip(&stores) {
            fill(*kind, served, &texts);
        }
        for (at, query) in queries.iter().enumerate() {
            let field = if at % 2 == 0 { "body" } else { "plain" };
            let test = json!({ "$text": query });
            let test = if at % 3 == 0 { json!({ "$not": test }) } else { test };
            let q = json!({ field: test }).to_string();
            let filter = duet_filter::parse(&q, &fields, &Limits::default()).unwrap();
            let holds = |text: &Option<String>| {
                evaluate(&filter.expr, &Seen { text, shape: &shape }) == Some(true)
            };
            let expected: BTreeSet<usize> =
                texts.iter().enumerate().filter(|(_, it)| holds(it)).map(|(id, _)| id).collect();
            for (kind, served) in Kind::BOTH.iter().zip(&stores) {
                prop_assert_eq!(&found(served, "note", &q), &expected, "{} {}", kind.name(), q);
            }
        }
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
}

fn explained(served: &Served, q: &str) -> (String, String) {
    let explained = served.service.explanation("GET", &format!("/t/note/?q={q}")).unwrap();
    (explained.indexes.join("\n"), explained.statements[0].sql.clone())
}

#[test]
fn explain_names_the_index_of_words() {
    for kind in Kind::BOTH {
        let served = serve(kind, "words-explain");
        let (index, sql) = explained(&served, r#"{"body":{"$text":"red"}}"#);
        assert_eq!(index, "t0.body has words \"red\": index note_words", "{}", kind.name());
        let (index, _) = explained(&served, r#"{"plain":{"$text":"red"}}"#);
        let declare = match kind {
            Kind::Sqlite => "CREATE VIRTUAL TABLE \"main\".\"note_plain_idx\" USING fts5(\"plain\"",
            Kind::Postgres => {
                "CREATE INDEX \"note_plain_idx\" ON \"public\".\"note\" USING gin (to_tsvector"
            }
        };
        assert!(index.contains(declare), "{index}");
        let Data::Postgres(database) = &served.data else { continue };
        database.exec(
            "INSERT INTO note SELECT n, 'word' || n, NULL FROM generate_series(1, 20000) n;
             ANALYZE note;",
        );
        let run = format!("PREPARE p AS {sql}; EXPLAIN EXECUTE p ('\"word7\"', 26);");
        let plan = database.query(&run);
        assert!(plan.contains("note_words"), "{plan}");
    }
}

#[test]
fn a_configuration_of_an_index_is_that_of_the_search() {
    let data = Data::empty(Kind::Postgres, "words-english");
    data.exec(
        "CREATE TABLE note (id integer PRIMARY KEY, body varchar(100),
           words tsvector GENERATED ALWAYS AS (to_tsvector('english', body)) STORED);
         CREATE INDEX note_words ON note USING gin (to_tsvector('english', body));
         INSERT INTO note VALUES (1, 'Two wines'), (2, 'The wine'), (3, 'Water');",
    );
    let mount = Mount { path: MOUNT.into(), all_tables: true, ..Mount::default() };
    let served = Served::over(data, &of_mount(mount));
    for field in ["body", "words"] {
        let q = json!({ field: { "$text": "wine" } }).to_string();
        assert_eq!(found(&served, "note", &q), BTreeSet::from([1, 2]), "{q}");
    }
}

#[test]
fn queries_without_words_and_fields_without_texts_are_refused() {
    for kind in Kind::BOTH {
        let served = serve(kind, "words-refused");
        for q in [
            r#"{"body":{"$text":" !! "}}"#,
            r#"{"body":{"$text":7}}"#,
            r#"{"id":{"$text":"red"}}"#,
            r#"{"body":{"$overlaps":"[1,2)"}}"#,
        ] {
            let encoded: String = q.bytes().map(|byte| format!("%{byte:02X}")).collect();
            let response = served.get(&format!("/t/note/?q={encoded}"));
            assert_eq!(response.status, 400, "{q}");
            let error = response.json();
            assert!(error["errors"][0]["position"].as_u64().is_some(), "{error}");
        }
    }
}

#[test]
fn range_columns_are_compared() {
    let data = Data::empty(Kind::Postgres, "overlaps");
    data.exec(
        "CREATE TABLE stay (id integer PRIMARY KEY, days daterange, seats int4range, open int4multirange);
         INSERT INTO stay VALUES
           (1, '[2022-01-01,2022-01-10)', '[1,5)', '{[1,3),[7,9)}'),
           (2, '[2022-01-10,)', '(,3]', '{}'),
           (3, NULL, 'empty', NULL);
         CREATE INDEX by_days ON stay USING gist (days);",
    );
    let mount = Mount { path: MOUNT.into(), all_tables: true, ..Mount::default() };
    let served = Served::over(data, &of_mount(mount));
    for (q, ids) in [
        (r#"{"days":{"$overlaps":{"from":"2022-01-05","to":"2022-01-10"}}}"#, vec![1]),
        (r#"{"days":{"$overlaps":{"from":"2022-01-09"}}}"#, vec![1, 2]),
        (r#"{"days":{"$overlaps":"[2022-01-10,2022-01-10]"}}"#, vec![2]),
        (r#"{"days":{"$not":{"$overlaps":{"to":"2022-01-10"}}}}"#, vec![2]),
        (r#"{"seats":{"$overlaps":{"from":4,"to":9}}}"#, vec![1]),
        (r#"{"seats":{"$overlaps":{"to":1}}}"#, vec![2]),
        (r#"{"open":{"$overlaps":{"from":3,"to":8}}}"#, vec![1]),
        (r#"{"open":{"$overlaps":"{[3,5),[5,7)}"}}"#, vec![]),
        (r#"{"days":{"$within":{"from":"2021-12-31","to":"2022-01-11"}}}"#, vec![1]),
        (r#"{"days":{"$within":{"from":"2022-01-01","to":"2022-01-09"}}}"#, vec![]),
        (r#"{"days":{"$encloses":"[2022-01-10,2022-01-10]"}}"#, vec![2]),
        (r#"{"days":{"$encloses":{"from":"2022-01-02","to":"2022-01-10"}}}"#, vec![1]),
        // What is empty is within everything.
        (r#"{"seats":{"$within":{"to":9}}}"#, vec![1, 2, 3]),
        (r#"{"open":{"$within":{"from":1,"to":9}}}"#, vec![1, 2]),
        (r#"{"open":{"$encloses":{"from":7,"to":9}}}"#, vec![1]),
    ] {
        assert_eq!(found(&served, "stay", q), ids.into_iter().collect(), "{q}");
    }
    for (operator, shown) in
        [("$overlaps", "overlaps"), ("$within", "is within"), ("$encloses", "encloses")]
    {
        let q = format!(r#"{{"days":{{"{operator}":{{"from":"2022-01-05"}}}}}}"#);
        let target = format!("/t/stay/?q={q}");
        let explained = served.service.explanation("GET", &target).unwrap().indexes;
        let expected = format!("t0.days {shown} \"[\\\"2022-01-05\\\",)\": index by_days");
        assert_eq!(explained, [expected]);
    }
}
