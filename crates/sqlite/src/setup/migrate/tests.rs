//! Search indexes of SQLite under writes of every kind: after any of them an index finds what the functions of
//! conditions find without it.

use std::sync::Arc;

use duet_model::catalog::{Effects, Reach};
use duet_model::{
    CollectionIndex, CollectionReference, CollectionTable, DocumentField, Folding, IndexKind, Pair,
    PairKind, Type,
};
use duet_store::setup::load::{Load, LoadSource};
use duet_store::setup::migrate::Indexes;
use duet_store::setup::migrate::prepared::MadeObjects;
use duet_text::Fold;
use duet_text::lexemes::{LexemeQuery, Phrase, QueryWord};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, TestRunner};
use rusqlite::Connection;

use super::prepare_sqlite;
use crate::catalog::introspect;
use crate::catalog::search_indexes::SearchIndexes;
use crate::functions;
use crate::setup::load::into_sqlite;

fn tables(folding: Folding) -> Vec<CollectionTable> {
    let index = |kind| CollectionIndex {
        field: DocumentField {
            path: "Title".into(),
            ty: Type::Text,
            column: None,
            folding,
            repeated: false,
            joined: None,
        },
        kind,
        folding: None,
        own_name: None,
        then: Vec::new(),
        condition: None,
    };
    let pair = |name: &str, (kind, of)| {
        let pair = Pair { kind: of, members: ["low", "high"].map(str::to_owned) };
        let field = DocumentField {
            path: name.to_owned(),
            ty: Type::Pair(Arc::new(pair)),
            column: None,
            folding: Folding::Never,
            repeated: false,
            joined: None,
        };
        CollectionIndex::new(field, kind)
    };
    let own = CollectionReference {
        path: "ownerId".into(),
        table: "owners".into(),
        cascades: true,
        is_ahead: false,
    };
    let items = CollectionTable {
        name: "items".into(),
        references: vec![own],
        indexes: vec![
            index(IndexKind::FullText),
            index(IndexKind::Trigram),
            pair("span", (IndexKind::Range, PairKind::Numbers)),
            pair("spot", (IndexKind::Point, PairKind::Point)),
        ],
        ..CollectionTable::default()
    };
    vec![CollectionTable { name: "owners".into(), ..CollectionTable::default() }, items]
}

struct File {
    _folder: tempfile::TempDir,
    path: std::path::PathBuf,
    connection: Connection,
}

impl File {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        prepare(&path);
        let connection = open(&path);
        Self { _folder: folder, path, connection }
    }
}

fn prepare(path: &std::path::Path) -> MadeObjects {
    prepare_sqlite(path, tables(Folding::Always(Fold::Both)), Indexes::Declared).unwrap()
}

fn open(path: &std::path::Path) -> Connection {
    let connection = Connection::open(path).unwrap();
    functions::register(&connection).unwrap();
    connection.pragma_update(None, "foreign_keys", true).unwrap();
    connection.pragma_update(None, "synchronous", "off").unwrap();
    connection
}

/// A write; keys are few, so that writes meet.
#[derive(Clone, Debug)]
enum Write {
    Insert(u8, Option<String>),
    Replace(u8, Option<String>),
    Upsert(u8, Option<String>),
    Update(u8, Option<String>),
    Delete(u8),
    /// Deletes the rows of an owner with it.
    Cascade(u8),
    /// Gives a row another number.
    Move(u8, u8),
    /// Runs and is rolled back.
    Undone(Box<Write>),
    Vacuum,
}

impl Write {
    fn run(&self, connection: &Connection) {
        let key = |key: &u8| format!("{key}");
        let json = |text: &Option<String>, key: &u8| {
            let owner = key % 3;
            let low = text.as_ref().map(|text| (text.len() % 9) as f64 * 1.1);
            let owner = format!("o{owner}");
            serde_json::json!({ "Title": text, "ownerId": owner, "low": low, "high": key % 7 })
                .to_string()
        };
        let owner = |key: &u8| {
            let sql = "INSERT OR IGNORE INTO owners (id, jsonb) VALUES ('o' || ?1, '{}')";
            connection.execute(sql, [key % 3]).unwrap();
        };
        let write = |conflict: &str, behind: &str, id: &u8, text: &Option<String>| {
            owner(id);
            let sql = format!("INSERT {conflict} INTO items (id, jsonb) VALUES (?1, ?2) {behind}");
            // An existing key is refused.
            let _ = connection.execute(&sql, [key(id), json(text, id)]);
        };
        match self {
            Self::Insert(id, text) => write("", "", id, text),
            Self::Replace(id, text) => write("OR REPLACE", "", id, text),
            Self::Upsert(id, text) => {
                write("", "ON CONFLICT (id) DO UPDATE SET jsonb = excluded.jsonb", id, text);
            }
            Self::Update(id, text) => {
                owner(id);
                let sql = "UPDATE items SET jsonb = ?2 WHERE id = ?1";
                connection.execute(sql, [key(id), json(text, id)]).unwrap();
            }
            Self::Delete(id) => {
                connection.execute("DELETE FROM items WHERE id = ?1", [key(id)]).unwrap();
            }
            Self::Cascade(id) => {
                let sql = "DELETE FROM owners WHERE id = 'o' || ?1";
                connection.execute(sql, [id % 3]).unwrap();
            }
            Self::Move(id, number) => {
                let sql = "UPDATE OR REPLACE items SET rowid = ?2 WHERE id = ?1";
                connection.execute(sql, [key(id), number.to_string()]).unwrap();
            }
            Self::Undone(write) => {
                connection.execute_batch("SAVEPOINT s").unwrap();
                write.run(connection);
                connection.execute_batch("ROLLBACK TO s; RELEASE s").unwrap();
            }
            Self::Vacuum => connection.execute_batch("VACUUM").unwrap(),
        }
    }
}

const WORDS: [&str; 16] = [
    "kayak",
    "Kayak",
    "fishing",
    "foo-bar",
    "123-456",
    "1e+5",
    "Été",
    "ete",
    "Straße",
    "It's",
    "İx",
    "ΣΟΦΟΣ",
    "日本語",
    "n\u{303}o",
    "a1",
    "-7",
];

fn text() -> impl Strategy<Value = String> {
    let part = (select(&WORDS[..]), select(vec![" ", "-", ", ", "", "/", "\u{0}", " - "]));
    let of_words = prop::collection::vec(part, 0..6)
        .prop_map(|parts| parts.into_iter().map(|(word, gap)| format!("{word}{gap}")).collect());
    prop_oneof![4 => of_words, 1 => any::<String>()]
}

fn write() -> impl Strategy<Value = Write> {
    let (id, text) = (|| 0..9_u8, || prop::option::weighted(0.9, text()));
    let plain = prop_oneof![
        6 => (id(), text()).prop_map(|(id, text)| Write::Insert(id, text)),
        3 => (id(), text()).prop_map(|(id, text)| Write::Replace(id, text)),
        2 => (id(), text()).prop_map(|(id, text)| Write::Upsert(id, text)),
        3 => (id(), text()).prop_map(|(id, text)| Write::Update(id, text)),
        2 => id().prop_map(Write::Delete),
        1 => id().prop_map(Write::Cascade),
        1 => (id(), 1..20_u8).prop_map(|(id, number)| Write::Move(id, number)),
    ];
    let undone = plain.clone().prop_map(|write| Write::Undone(Box::new(write)));
    prop_oneof![12 => plain, 2 => undone, 1 => Just(Write::Vacuum)]
}

fn query() -> impl Strategy<Value = LexemeQuery> {
    let word = (select(&WORDS[..]), prop::bool::weighted(0.3)).prop_map(|(word, prefix)| {
        let text = Fold::Both.apply(word);
        let cut = if prefix { text.chars().count().div_ceil(2) } else { usize::MAX };
        QueryWord { text: text.chars().take(cut).collect(), prefix }
    });
    let phrase = prop::collection::vec(word, 1..4).prop_map(Phrase);
    let all = prop::collection::vec(phrase, 1..3);
    prop::collection::vec(all, 1..3).prop_map(|any| LexemeQuery { any })
}

fn pattern() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        2 => select(vec!["%", "%", "_"]).prop_map(str::to_owned),
        3 => select(&WORDS[..]).prop_map(|word| Fold::Both.apply(word)),
        1 => select(vec!["\\%", "\"", "'", " ", "ish", "ay"]).prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 1..5).prop_map(|pieces| format!("%{}%", pieces.concat()))
}

fn keys(connection: &Connection, condition: &str, parameters: &[&str]) -> Vec<String> {
    let sql = format!("SELECT id FROM items t0 WHERE {condition} ORDER BY id");
    let mut statement = connection.prepare(&sql).unwrap();
    let rows = statement.query_map(rusqlite::params_from_iter(parameters), |row| row.get(0));
    rows.unwrap().collect::<rusqlite::Result<_>>().unwrap()
}

/// The matches of the index, with the function or without, and of the function alone.
fn compare(
    connection: &Connection,
    query: &LexemeQuery,
    pattern: &str,
) -> Result<(), TestCaseError> {
    let [by_words, by_parts] = ["ft", "gin"].map(|end| {
        format!("rowid IN (SELECT rowid FROM items_title_idx_{end} WHERE items_title_idx_{end} MATCH ?1)")
    });
    let without = keys(connection, "duet_words(duet_fold(title), ?1)", &[&query.encode()]);
    if let Some((fts5, is_exact)) = duet_sql::fts5_words(query) {
        let found = keys(connection, &by_words, &[&fts5]);
        match is_exact {
            true => prop_assert_eq!(&found, &without, "{}", fts5),
            false => prop_assert!(without.iter().all(|key| found.contains(key)), "{}", fts5),
        }
    }
    if let Some(fts5) = duet_sql::fts5_parts(pattern) {
        let found = keys(connection, &by_parts, &[&fts5]);
        let without = keys(connection, "duet_like(duet_fold(title), ?1)", &[pattern]);
        prop_assert!(without.iter().all(|key| found.contains(key)), "{} {}", pattern, fts5);
    }
    Ok(())
}

/// What the R-trees find are all that the functions find.
fn compare_pairs(connection: &Connection) -> Result<(), TestCaseError> {
    for (from, to) in [(1.0, 3.0), (0.0, 9.5), (4.4, 4.4), (8.8, 20.0)] {
        let span = format!("'[{from},{to}]'");
        for relation in ["overlaps", "within", "encloses"] {
            let without = format!("duet_{relation}({SPAN}, {span})");
            let found = format!(
                "rowid IN (SELECT id FROM items_span_idx_range WHERE low <= {to} AND high >= {from})"
            );
            let [found, without] = [found, without].map(|test| keys(connection, &test, &[]));
            prop_assert!(without.iter().all(|key| found.contains(key)), "{} {}", relation, span);
        }
        let without = format!("duet_in_area({SPOT}, '({from},{from}),({to},{to})')");
        let found = format!(
            "rowid IN (SELECT id FROM items_spot_idx_point WHERE low_x <= {to} AND high_x >= {from} \
             AND low_y <= {to} AND high_y >= {from})"
        );
        let [found, without] = [found, without].map(|test| keys(connection, &test, &[]));
        prop_assert!(without.iter().all(|key| found.contains(key)), "{}", span);
    }
    Ok(())
}

const SPAN: &str = "duet_pair('number_range', jsonb -> '$.low', jsonb -> '$.high')";
const SPOT: &str = "duet_pair('point', jsonb -> '$.low', jsonb -> '$.high')";

/// Every entry belongs to an existing row with a text.
fn has_no_stale_entry(connection: &Connection) -> bool {
    let pairs = [("span_idx_range", SPAN), ("spot_idx_point", SPOT)];
    let are_pairs = pairs.into_iter().all(|(name, value)| {
        let sql = format!(
            "SELECT (SELECT count(*) FROM items_{name}) = \
             (SELECT count(*) FROM items WHERE {value} IS NOT NULL)"
        );
        connection.query_row(&sql, [], |row| row.get(0)).unwrap()
    });
    are_pairs
        && ["ft", "gin"].into_iter().all(|end| {
            let sql = format!(
                "SELECT (SELECT count(*) FROM items_title_idx_{end}_docsize) = \
             (SELECT count(*) FROM items WHERE title IS NOT NULL)"
            );
            connection.query_row(&sql, [], |row| row.get(0)).unwrap()
        })
}

#[test]
fn an_index_follows_every_write() {
    let config = Config { cases: 40, failure_persistence: None, ..Config::default() };
    let searches = prop::collection::vec((query(), pattern()), 12);
    let input = (prop::collection::vec(write(), 1..40), searches);
    let outcome = TestRunner::new(config).run(&input, |(writes, searches)| {
        let file = File::new();
        let is_replaced = |write: &Write| match write {
            Write::Undone(_) => false,
            write => matches!(write, Write::Replace(..) | Write::Move(..)),
        };
        writes.iter().for_each(|write| write.run(&file.connection));
        if !writes.iter().any(is_replaced) {
            prop_assert!(has_no_stale_entry(&file.connection));
        }
        searches
            .iter()
            .try_for_each(|(query, pattern)| compare(&file.connection, query, pattern))?;
        compare_pairs(&file.connection)?;
        // A rebuilt index is the same.
        for index in SearchIndexes::read(&file.connection, "main").unwrap().all() {
            file.connection.execute_batch(&index.script()).unwrap();
        }
        prop_assert!(has_no_stale_entry(&file.connection));
        compare_pairs(&file.connection)?;
        searches.iter().try_for_each(|(query, pattern)| compare(&file.connection, query, pattern))
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn every_letter_is_found() {
    let file = File::new();
    let letters: Vec<char> =
        ('\u{1}'..='\u{2ffff}').filter(|char| char.is_alphanumeric()).collect();
    file.connection.execute_batch("BEGIN").unwrap();
    let chunks: Vec<String> = letters.chunks(16).map(|chars| chars.iter().collect()).collect();
    for (at, word) in chunks.iter().enumerate() {
        let json = serde_json::json!({ "Title": format!("x{word}-y {word}") }).to_string();
        let sql = "INSERT INTO items (id, jsonb) VALUES (?1, ?2)";
        file.connection.execute(sql, [at.to_string(), json]).unwrap();
    }
    for (at, word) in chunks.iter().enumerate() {
        let text = Fold::Both.apply(word);
        let query = LexemeQuery {
            any: vec![vec![Phrase(vec![QueryWord { text: text.clone(), prefix: false }])]],
        };
        let Some((fts5, is_exact)) = duet_sql::fts5_words(&query) else {
            // Small letters above others are accents.
            assert!(text.chars().all(|char| !char.is_alphanumeric()), "{word:?}");
            continue;
        };
        assert!(is_exact);
        let found = keys(
            &file.connection,
            "rowid IN (SELECT rowid FROM items_title_idx_ft WHERE items_title_idx_ft MATCH ?1)",
            &[&fts5],
        );
        assert!(found.contains(&at.to_string()), "{word:?} {fts5}");
    }
}

#[test]
fn a_row_with_an_index_is_as_plain_as_one_without() {
    let file = File::new();
    let catalog = introspect(&file.connection).unwrap();
    let names: Vec<&str> = catalog.relations.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["items", "owners"]);
    let items = catalog.relation("main", "items").unwrap();
    assert!(items.plain && items.batchable);
    assert_eq!(items.effects, Effects::default());
    let indexes = items.indexes.iter().filter(|index| index.method == "fts5").count();
    assert_eq!(indexes, 2);
    // A trigger that is not Duet's may do anything.
    let script = "DROP TRIGGER items_title_idx_ft_delete; \
        CREATE TRIGGER items_title_idx_ft_delete AFTER DELETE ON items BEGIN DELETE FROM owners; END";
    file.connection.execute_batch(script).unwrap();
    let catalog = introspect(&file.connection).unwrap();
    let items = catalog.relation("main", "items").unwrap();
    assert_eq!(items.effects.delete, Reach::Everything);
    assert_eq!(items.indexes.iter().filter(|index| index.method == "fts5").count(), 1);
}

#[test]
fn preparing_repairs_what_is_not_whole() {
    let file = File::new();
    assert_eq!(prepare(&file.path), MadeObjects::default());
    for damage in [
        "DROP TRIGGER items_title_idx_ft_update",
        "DROP TABLE items_title_idx_ft",
        "DROP TABLE items_title_idx_ft; CREATE VIRTUAL TABLE items_title_idx_ft USING fts5(text)",
        "DROP TRIGGER items_span_idx_range_delete",
        "DROP TABLE items_span_idx_range",
    ] {
        file.connection.execute_batch(damage).unwrap();
        let name =
            if damage.contains("span") { "items_span_idx_range" } else { "items_title_idx_ft" };
        assert_eq!(prepare(&file.path).indexes, [name], "{damage}");
    }
    // Case and accents count now: the words are the same, the parts are not.
    let exact = prepare_sqlite(&file.path, tables(Folding::Never), Indexes::Declared).unwrap();
    assert_eq!(exact.indexes, ["items_title_idx_gin"]);
    file.connection.execute_batch("DROP TRIGGER items_title_idx_ft_update").unwrap();
    let dropped =
        prepare_sqlite(&file.path, tables(Folding::Never), Indexes::OfReferences).unwrap();
    let all = ["items_title_idx_ft", "items_title_idx_gin"];
    assert_eq!(dropped.dropped[..2], all);
    assert_eq!(dropped.dropped[2..], ["items_span_idx_range", "items_spot_idx_point"]);
    let left = "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'items_title%'";
    let left: i64 = file.connection.query_row(left, [], |row| row.get(0)).unwrap();
    assert_eq!(left, 0);
}

#[test]
fn indexes_are_copied_and_dropped_with_their_tables() {
    let file = File::new();
    Write::Insert(1, Some("Kayak fishing".into())).run(&file.connection);
    let to = file.path.with_file_name("b.db");
    let load = |sources| Load {
        sources,
        tables: vec!["items".into(), "owners".into()],
        replace: true,
        ..Load::default()
    };
    into_sqlite(&to, &load(vec![LoadSource::Database(file.path.clone())])).unwrap();
    let copy = open(&to);
    let query = "SELECT count(*) FROM items_title_idx_ft WHERE items_title_idx_ft MATCH 'kayak'";
    assert_eq!(copy.query_row(query, [], |row| row.get::<_, i64>(0)).unwrap(), 1);
    assert_eq!(prepare(&to), MadeObjects::default());
    drop(copy);
    let text = "CREATE TABLE items (id); CREATE TABLE owners (id);".to_owned();
    into_sqlite(&to, &load(vec![LoadSource::Script { name: "a.sql".into(), text }])).unwrap();
    let left = "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'items_%'";
    assert_eq!(open(&to).query_row(left, [], |row| row.get::<_, i64>(0)).unwrap(), 0);
}

#[test]
fn they_are_listed_with_their_sizes() {
    let file = File::new();
    let listed = crate::setup::indexes::of_sqlite(&file.path).unwrap();
    let found: Vec<_> = listed
        .iter()
        .filter(|entry| entry.table == "items" && entry.name.contains("title"))
        .map(|entry| (entry.name.as_str(), entry.definition.as_str(), entry.bytes > 0))
        .collect();
    assert_eq!(
        found,
        [
            ("items_title_idx_ft", "fts5 (words of \"title\")", true),
            ("items_title_idx_gin", "fts5 (trigrams of \"title\")", true),
        ]
    );
    let pairs = listed.iter().filter(|entry| entry.definition.starts_with("rtree"));
    let pairs: Vec<_> = pairs.map(|entry| (entry.definition.as_str(), entry.bytes > 0)).collect();
    assert_eq!(
        pairs,
        [
            ("rtree (number_range of [\"low\", \"high\"])", true),
            ("rtree (point of [\"low\", \"high\"])", true),
        ]
    );
    assert!(listed.iter().all(|entry| ["items", "owners"].contains(&entry.table.as_str())));
}

#[test]
fn rows_are_looked_up_by_their_numbers() {
    let file = File::new();
    // Of few rows it is as good to read all.
    let rows = "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 2000) \
        INSERT INTO items (id, jsonb) SELECT n, '{\"Title\": \"Kayak ' || n || '\"}' FROM n; ANALYZE";
    file.connection.execute_batch(rows).unwrap();
    let found = |end: &str| {
        format!(
            "t0.\"rowid\" IN (SELECT rowid FROM main.items_title_idx_{end} WHERE items_title_idx_{end} MATCH 'kayak')"
        )
    };
    let [words, parts] = ["ft", "gin"].map(found);
    for condition in [
        words.clone(),
        format!("({words} AND duet_like(duet_fold(t0.title), '%a%'))"),
        format!("({words} OR {parts})"),
    ] {
        let sql = format!(
            "EXPLAIN QUERY PLAN SELECT t0.jsonb FROM items AS t0 WHERE {condition} ORDER BY t0.id LIMIT 3"
        );
        let mut statement = file.connection.prepare(&sql).unwrap();
        let plan: Vec<String> =
            statement.query_map([], |row| row.get(3)).unwrap().map(Result::unwrap).collect();
        let plan = plan.join("\n");
        assert!(plan.contains("SEARCH t0 USING INTEGER PRIMARY KEY (rowid=?)"), "{plan}");
        assert!(!plan.contains("SCAN t0"), "{plan}");
    }
}
