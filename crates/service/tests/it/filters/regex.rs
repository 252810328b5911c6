//! Regular expressions in filters: on both stores the same rows, which are those that the evaluator
//! finds.

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

fn serve(kind: Kind, name: &str) -> Served {
    let data = Data::empty(kind, name);
    let json = if kind == Kind::Postgres { "jsonb" } else { "JSON" };
    data.exec(&format!("CREATE TABLE doc (id integer PRIMARY KEY, words text, j {json});"));
    let mount = Mount { path: MOUNT.into(), all_tables: true, ..Mount::default() };
    Served::over(data, &of_mount(mount))
}

/// Characters on which the stores could differ: metacharacters, other lines, letters without ASCII,
/// and those around the ends of classes.
const CHARS: [&str; 30] = [
    "a", "b", "c", "A", "B", "0", "7", "_", "-", " ", "\t", "\n", "\r", "\u{b}", "\u{85}",
    "\u{a0}", "é", "É", "ß", "ſ", "٣", "日", "😀", "\\", "^", "&", "~", "[", "{", "'",
];

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(prop_oneof![2 => select(&CHARS[..3]), 1 => select(&CHARS[..])], 0..7)
        .prop_map(|chars| chars.concat())
}

fn escaped(char: &str) -> String {
    let is_plain = !char.starts_with(|char: char| char.is_ascii_punctuation());
    if is_plain { char.to_owned() } else { format!("\\{char}") }
}

fn class() -> impl Strategy<Value = String> {
    let range = (select(&CHARS[..]), select(&CHARS[..])).prop_map(|(a, b)| {
        let (low, high) = if a <= b { (a, b) } else { (b, a) };
        format!("{}-{}", escaped(low), escaped(high))
    });
    let item = prop_oneof![
        3 => select(&CHARS[..]).prop_map(escaped),
        2 => range,
        1 => select(vec!["\\d", "\\w", "\\s"]).prop_map(str::to_owned),
        1 => select(vec!["alnum", "alpha", "blank", "digit", "lower", "punct", "space", "upper", "xdigit"])
            .prop_map(|name| format!("[:{name}:]")),
    ];
    (any::<bool>(), prop::collection::vec(item, 1..4))
        .prop_map(|(not, items)| format!("[{}{}]", if not { "^" } else { "" }, items.concat()))
}

fn pattern() -> impl Strategy<Value = String> {
    let atom = prop_oneof![
        6 => select(&CHARS[..3]).prop_map(escaped),
        3 => select(&CHARS[..]).prop_map(escaped),
        2 => Just(".".to_owned()),
        2 => select(vec!["\\d", "\\D", "\\w", "\\W", "\\s", "\\S", "\\n", "\\t"]).prop_map(str::to_owned),
        3 => class(),
        1 => Just("()".to_owned()),
        2 => select(vec!["^", "$"]).prop_map(str::to_owned),
    ];
    let repetition = select(vec!["*", "+", "?", "{2}", "{0}", "{0,2}", "{1,3}", "{2,}"]);
    atom.prop_recursive(4, 16, 4, move |inner| {
        let list = move |least| prop::collection::vec(inner.clone(), least..4);
        prop_oneof![
            4 => list(1).prop_map(|parts| parts.concat()),
            2 => list(0).prop_map(|parts| format!("({})", parts.join("|"))),
            1 => list(2).prop_map(|parts| parts.join("|")),
            3 => (list(1), repetition.clone()).prop_map(|(parts, repetition)| format!("(?:{}){repetition}", parts.concat())),
        ]
    })
}

/// A row as the evaluator sees it: its text, and the text inside its JSON.
struct Seen<'d> {
    text: &'d str,
    shape: &'d Shape,
}

impl Row for Seen<'_> {
    fn values(&self, field: ColumnRef) -> Values {
        let name = &self.shape.nodes[0].table.columns[field.column].name;
        let is_json = name.as_str() == "j";
        let json = || json!({ "a": [self.text, 1, null] }).to_string();
        Values::One(Value::Text(if is_json { json() } else { self.text.to_owned() }))
    }

    fn ty(&self, field: ColumnRef) -> &Type {
        self.shape.column_type(field)
    }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn fill(served: &Served, texts: &[String]) {
    let rows = texts.iter().enumerate().map(|(id, text)| {
        let json = json!({ "a": [text, 1, null] }).to_string();
        format!("({id}, {}, {})", quoted(text), quoted(&json))
    });
    let rows: Vec<_> = rows.chain([format!("({}, NULL, NULL)", texts.len())]).collect();
    served.data.exec(&format!("DELETE FROM doc; INSERT INTO doc VALUES {}", rows.join(", ")));
}

fn found(served: &Served, q: &str) -> BTreeSet<usize> {
    found_by(served, "q", q)
}

fn found_by(served: &Served, parameter: &str, q: &str) -> BTreeSet<usize> {
    let encoded: String = q.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let page = served.get(&format!("/t/doc/?limit=1000&fields=id&{parameter}={encoded}")).json();
    let items = page["items"].as_array().unwrap_or_else(|| panic!("{q}\n{page}"));
    items.iter().map(|item| item["id"].as_u64().unwrap() as usize).collect()
}

#[test]
fn both_stores_match_the_same_texts() {
    let stores = Kind::BOTH.map(|kind| serve(kind, "regex"));
    let snapshot = stores[0].service.snapshot();
    let (mount, _) = snapshot.route("/t/doc/").unwrap();
    let shape = mount.resource("doc").unwrap().shape.clone();
    let fields = FieldIndex::new(&shape);
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(20);
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let strategy = (prop::collection::vec(text(), 60), prop::collection::vec(pattern(), 30));
    let outcome = TestRunner::new(config).run(&strategy, |(texts, patterns)| {
        stores.iter().for_each(|served| fill(served, &texts));
        for (at, pattern) in patterns.iter().enumerate() {
            let q = match at % 3 {
                0 => json!({ "words": { "$regex": pattern } }),
                1 => json!({ "words": { "$not": { "$regex": pattern } } }),
                _ => json!({ "j.a": { "$regex": pattern } }),
            };
            let q = q.to_string();
            // Repeated anchors are refused, and large repetitions.
            let Ok(filter) = duet_filter::parse(&q, &fields, &Limits::default()) else { continue };
            let holds =
                |text: &str| evaluate(&filter.expr, &Seen { text, shape: &shape }) == Some(true);
            let expected: BTreeSet<usize> = texts
                .iter()
                .enumerate()
                .filter(|(_, text)| holds(text))
                .map(|(id, _)| id)
                .collect();
            for (kind, served) in Kind::BOTH.iter().zip(&stores) {
                prop_assert_eq!(&found(served, &q), &expected, "{} {}", kind.name(), q);
            }
        }
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn patterns_mean_what_the_documentation_says() {
    for kind in Kind::BOTH {
        let served = serve(kind, "regex-known");
        let texts = ["ab\ncd", "AB", "Größe 12", "x.y", "٣", ""].map(str::to_owned);
        fill(&served, &texts);
        for (pattern, ids) in [
            ("", vec![0, 1, 2, 3, 4, 5]),
            ("^ab", vec![0]),
            ("^cd", vec![]),
            ("b.c", vec![0]),
            ("[^x]c", vec![0]),
            ("ab$", vec![]),
            ("gr", vec![]),
            ("^Gr..e \\d{2}$", vec![2]),
            ("\\d", vec![2]),
            ("\\w", vec![0, 1, 2, 3]),
            ("[ö-ü]", vec![2]),
            ("x\\.y|^$", vec![3, 5]),
        ] {
            let q = json!({ "words": { "$regex": pattern } }).to_string();
            assert_eq!(found(&served, &q), ids.into_iter().collect(), "{} {q}", kind.name());
        }
    }
}

#[test]
fn collations_that_equate_texts_are_searched_by_character() {
    let data = Data::empty(Kind::Postgres, "regex-collation");
    data.exec(
        "CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
         CREATE TABLE doc (id integer PRIMARY KEY, name text COLLATE loose);
         INSERT INTO doc VALUES (1, 'Ann'), (2, 'ann')",
    );
    let mount = Mount { path: MOUNT.into(), all_tables: true, ..Mount::default() };
    let served = Served::over(data, &of_mount(mount));
    assert_eq!(found(&served, r#"{"name":{"$regex":"^a"}}"#), BTreeSet::from([2]));
    for (q, ids) in [
        (r#"{"name":{"$startsWith":"a"}}"#, &[2][..]),
        (r#"{"name":{"$like":"_nn"}}"#, &[1, 2]),
        (r#"{"name":{"$instr":"A"}}"#, &[1]),
        (r#"{"name":{"$ilike":"aNN"}}"#, &[1, 2]),
    ] {
        assert_eq!(found(&served, q), ids.iter().copied().collect(), "{q}");
    }
}

#[test]
fn texts_are_the_same_where_case_and_accents_are_respected() {
    for (kind, collation) in [(Kind::Postgres, "loose"), (Kind::Sqlite, "NOCASE")] {
        let data = Data::empty(kind, "exact-collation");
        if kind == Kind::Postgres {
            data.exec("CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false)");
        }
        data.exec(&format!(
            "CREATE TABLE doc (id integer PRIMARY KEY, name text COLLATE {collation}, code uuid);
             INSERT INTO doc VALUES (1, 'Ann', NULL), (2, 'ann', '00000000-0000-4000-8000-000000000001'), (3, NULL, NULL)"
        ));
        let mount = Mount { path: MOUNT.into(), all_tables: true, ..Mount::default() };
        let served = Served::over(data, &of_mount(mount));
        for (query, ids) in [
            ("name ==/respectCase/respectAccents ann", &[2][..]),
            ("name <>/respectCase/respectAccents ann", &[1]),
            ("name ==/respectCase/respectAccents \"a*\"", &[2]),
            ("name == ann", &[1, 2]),
            ("code = \"\"", &[2]),
            ("code == 00000000-0000-4000-8000-000000000001", &[2]),
        ] {
            let expected = ids.iter().copied().collect();
            assert_eq!(found_by(&served, "query", query), expected, "{kind:?}: {query}");
        }
    }
}
