//! Filters by a prefix: against their meaning by brute force, whatever SQLite stores, and by the
//! plans that both stores make of them.

use std::collections::BTreeSet;

use duet_service::definition::Mount;
use duet_text::like;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, TestRunner};
use rusqlite::functions::FunctionFlags;
use rusqlite::types::Value;
use serde_json::json;

use crate::application::{MOUNT, of_mount};
use crate::served::{Data, Kind, Served};

/// Columns with every affinity and collation; `late` has an index of another collation.
const SQLITE: &str = "
    CREATE TABLE word (id INTEGER PRIMARY KEY, plain TEXT, folded TEXT COLLATE NOCASE,
      trimmed VARCHAR(9) COLLATE RTRIM, late TEXT, loose UUID, bare);
    CREATE INDEX by_plain ON word (plain);
    CREATE INDEX by_folded ON word (folded);
    CREATE INDEX by_trimmed ON word (trimmed);
    CREATE INDEX by_late ON word (late COLLATE NOCASE);
    CREATE INDEX by_loose ON word (loose);";
const COLUMNS: [&str; 6] = ["plain", "folded", "trimmed", "late", "loose", "bare"];

fn serve(kind: Kind, sql: &str) -> Served {
    let data = Data::empty(kind, "prefixes");
    data.exec(sql);
    let mount = Mount { path: MOUNT.into(), all_tables: true, ..Mount::default() };
    Served::over(data, &of_mount(mount))
}

fn encoded(q: &serde_json::Value) -> String {
    q.to_string().bytes().map(|byte| format!("%{byte:02X}")).collect()
}

fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[aAbBzZ@ \\[`12%_é\u{7f}\u{10ffff}\u{d7ff}]{0,4}",
        1 => select(vec!["12.5", "1e2", "-1", "ab ", "\u{fffd}"]).prop_map(str::to_owned),
    ]
}

fn stored() -> impl Strategy<Value = Value> {
    prop_oneof![
        8 => word().prop_map(Value::Text),
        1 => select(vec![Value::Null, Value::Integer(12), Value::Real(1.5), Value::Blob(b"ab".to_vec())]),
    ]
}

/// The text that a filter sees of a stored value.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::Null | Value::Blob(_) => None,
        Value::Integer(value) => Some(value.to_string()),
        Value::Real(value) => Some(value.to_string()),
        Value::Text(text) => Some(text.clone()),
    }
}

fn check(served: &Served, rows: &[Value], pattern: &str) {
    let Data::Sqlite { connection, .. } = &served.data else { panic!("SQLite") };
    connection.execute("DELETE FROM word", []).unwrap();
    for (at, value) in rows.iter().enumerate() {
        let sql = "INSERT INTO word VALUES (?1, ?2, ?2, ?2, ?2, ?2, ?2)";
        connection.execute(sql, rusqlite::params![i64::try_from(at).unwrap(), value]).unwrap();
    }
    // Text that is not UTF-8.
    connection
        .execute("INSERT INTO word (id, plain) VALUES (99, CAST(x'61ff' AS TEXT))", [])
        .unwrap();
    for column in COLUMNS {
        let mut statement = connection.prepare(&format!("SELECT id, {column} FROM word")).unwrap();
        let values: Vec<(u64, Option<String>)> = statement
            .query_map([], |row| {
                let lossy = row.get_ref(1)?;
                let text = match lossy {
                    rusqlite::types::ValueRef::Text(text) => {
                        Some(String::from_utf8_lossy(text).into_owned())
                    }
                    other => text_of(&Value::try_from(other).unwrap()),
                };
                Ok((row.get::<_, i64>(0)?.unsigned_abs(), text))
            })
            .unwrap()
            .map(Result::unwrap)
            .collect();
        let matching = |negated: bool| -> BTreeSet<u64> {
            let holds = |text: &String| like::matches(pattern, text, false) != negated;
            let rows = values.iter().filter(|(_, text)| text.as_ref().is_some_and(holds));
            rows.map(|(id, _)| *id).collect()
        };
        let test = json!({ column: { "$like": pattern } });
        assert_eq!(selected(served, &test), matching(false), "{test}");
        let negated = json!({ column: { "$not": { "$like": pattern } } });
        assert_eq!(selected(served, &negated), matching(true), "{negated}");
    }
}

fn selected(served: &Served, q: &serde_json::Value) -> BTreeSet<u64> {
    let page = served.get(&format!("/t/word/?fields=id&limit=1000&q={}", encoded(q))).json();
    let items = page["items"].as_array().unwrap_or_else(|| panic!("{page}"));
    items.iter().map(|item| item["id"].as_u64().unwrap()).collect()
}

#[test]
fn prefixes_find_all_matching_texts() {
    let served = serve(Kind::Sqlite, SQLITE);
    let config = Config { cases: 60, failure_persistence: None, ..Config::default() };
    let pattern = (word(), select(vec!["%", "", "_", "%b"]))
        .prop_map(|(prefix, end)| like::escape(&prefix) + end);
    let cases = (prop::collection::vec(stored(), 1..25), pattern);
    let outcome = TestRunner::new(config).run(&cases, |(rows, pattern)| {
        check(&served, &rows, &pattern);
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
}

/// What SQLite says of how it runs a page, and what Duet says of its indexes.
fn sqlite_plan(served: &Served, q: &serde_json::Value) -> (String, String) {
    let Data::Sqlite { connection, .. } = &served.data else { panic!("SQLite") };
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function("duet_like", 2, flags, |_| Ok(true)).unwrap();
    let explained =
        served.service.explanation("GET", &format!("/t/word/?q={}", encoded(q))).unwrap();
    let sql = format!("EXPLAIN QUERY PLAN {}", explained.statements[0].sql);
    let mut prepared = connection.prepare(&sql).unwrap();
    let mut rows = prepared.raw_query();
    let mut plan = String::new();
    while let Some(row) = rows.next().unwrap() {
        plan.push_str(&format!("{}\n", row.get::<_, String>(3).unwrap()));
    }
    (plan, explained.indexes.join("\n"))
}

#[test]
fn sqlite_searches_an_index_and_says_which() {
    let served = serve(Kind::Sqlite, SQLITE);
    for (column, index, said) in [
        ("plain", "by_plain (plain>? AND plain<?)", "index by_plain"),
        ("folded", "by_folded (folded>? AND folded<?)", "index by_folded"),
        ("trimmed", "by_trimmed (trimmed>? AND trimmed<?)", "index by_trimmed"),
        ("late", "", "declare CREATE INDEX \"main\".\"word_late_idx\" ON \"word\" (\"late\")"),
        ("loose", "", "no index: the column is not declared as text"),
    ] {
        for test in [json!({ "$startsWith": "ab" }), json!({ "$like": "ab%c" })] {
            let (plan, indexes) = sqlite_plan(&served, &json!({ column: test }));
            assert!(plan.contains(index), "{column}: {plan}");
            assert!(plan.contains("SCAN") == index.is_empty(), "{column}: {plan}");
            assert!(indexes.contains(said), "{column}: {indexes}");
        }
    }
    for (q, said) in [
        (json!({ "plain": "ab" }), "t0.plain = \"ab\": index by_plain"),
        (json!({ "plain": { "$like": "%ab" } }), "no index: only a prefix can be looked up"),
        (json!({ "plain": { "$not": "ab" } }), "no index: a negated condition"),
        (json!({ "$orderby": { "plain": 1 } }), "order by t0.plain: index by_plain"),
        (json!({ "$orderby": { "bare": 1 } }), "order by t0.bare: no index; declare CREATE INDEX"),
    ] {
        let (_, indexes) = sqlite_plan(&served, &q);
        assert!(indexes.contains(said), "{q}: {indexes}");
    }
}

const POSTGRES: &str = "
    CREATE TABLE word (id integer PRIMARY KEY, plain text, c text COLLATE \"C\", short varchar(9), bare text);
    CREATE INDEX by_plain ON word (plain text_pattern_ops);
    CREATE INDEX by_c ON word (c);
    CREATE INDEX by_short ON word (short varchar_pattern_ops);
    INSERT INTO word SELECT n, md5(n::text), md5(n::text), left(md5(n::text), 9), md5(n::text) FROM generate_series(1, 20000) n;
    ANALYZE word;";

#[test]
fn postgres_searches_an_index_and_says_which() {
    let served = serve(Kind::Postgres, POSTGRES);
    let Data::Postgres(database) = &served.data else { panic!("PostgreSQL") };
    for (column, index, said) in [
        ("plain", "by_plain", "index by_plain"),
        ("c", "by_c", "index by_c"),
        ("short", "by_short", "index by_short"),
        (
            "bare",
            "",
            "declare CREATE INDEX \"word_bare_idx\" ON \"public\".\"word\" (\"bare\" text_pattern_ops)",
        ),
    ] {
        let q = encoded(&json!({ column: { "$startsWith": "ab" } }));
        let explained = served.service.explanation("GET", &format!("/t/word/?q={q}")).unwrap();
        let indexes = explained.indexes.join("\n");
        assert!(indexes.contains(said), "{column}: {indexes}");
        // As the server runs it: prepared once, and after some runs planned for any value.
        let run = format!("PREPARE p AS {};", explained.statements[0].sql);
        let values = if index.is_empty() { "('ab%', 26)" } else { "('ab', 'ac', 'ab%', 26)" };
        let often = format!("EXECUTE p {values};").repeat(7);
        let plan = database.query(&format!("{run}{often} EXPLAIN EXECUTE p {values};"));
        let plan: String =
            plan.lines().filter(|line| !line.contains('|')).collect::<Vec<_>>().join("\n");
        let searched = plan.lines().any(|line| line.contains("Scan") && line.contains(index));
        assert!(searched && index.is_empty() != plan.contains("by_"), "{column}: {plan}");
        let found = served.get(&format!("/t/word/?count=exact&limit=1&q={q}")).json();
        let expected =
            database.query(&format!("SELECT count(*) FROM word WHERE left({column}, 2) = 'ab'"));
        assert_eq!(found["total"].to_string(), expected);
    }
}
