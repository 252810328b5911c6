//! The words of texts: those that PostgreSQL's configuration `simple` cuts are the definition, and those of
//! the model, by which SQLite searches, are the same for letters, digits, hyphens, apostrophes and blanks.

use duet_testkit::postgres::Server;
use duet_text::effort::Effort;
use duet_text::lexemes::{LexemeQuery, Phrase, QueryWord, has_lexeme, lexemes};
use duet_text::{Fold, lexemes as words};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// Texts: all letters of Unicode; and few letters, so that compounds, numbers and exponents are frequent.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[\\p{L}0-9\\-' ]{0,14}",
        "[abe01\\- ']{0,12}",
        "[aé]{0,2}(-[aé1e]{1,3}){0,3}[ '-]?[0-9e-]{0,4}"
    ]
}

fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// The same values every time.
fn values<T: std::fmt::Debug>(strategy: &impl Strategy<Value = T>, count: usize) -> Vec<T> {
    let mut runner = TestRunner::deterministic();
    (0..count).map(|_| strategy.new_tree(&mut runner).unwrap().current()).collect()
}

/// Values of SQL that are no text in quotes come in one result, a line each.
fn ask(database: &duet_testkit::postgres::Database, rows: &[String], value: &str) -> Vec<String> {
    let rows = rows.iter().enumerate().map(|(at, row)| format!("({at}, {row})"));
    let rows = rows.collect::<Vec<_>>().join(", ");
    let sql = format!(
        "SELECT json_agg({value} ORDER BY at)::text FROM (VALUES {rows}) AS given(at, text, query)"
    );
    serde_json::from_str(&database.query(&sql)).unwrap()
}

#[test]
fn words_are_those_of_postgresql() {
    let database = Server::shared().database("lexemes");
    let texts = values(&text(), 6_000);
    for part in texts.chunks(2_000) {
        let part: Vec<String> = part.iter().map(|text| Fold::Both.apply(text)).collect();
        let rows: Vec<String> = part.iter().map(|text| format!("{}, ''", literal(text))).collect();
        let cut = "(SELECT coalesce(string_agg(lexeme, ' ' ORDER BY position), '') FROM \
                   unnest(to_tsvector('simple', text)), unnest(positions) AS position)";
        for (text, expected) in part.iter().zip(ask(&database, &rows, cut)) {
            assert_eq!(lexemes(text).join(" "), expected, "{text:?}");
        }
    }
}

fn query() -> impl Strategy<Value = LexemeQuery> {
    let word = ("[abe1'-]{1,4}", prop::bool::weighted(0.3));
    let word = word.prop_map(|(text, prefix)| QueryWord { text, prefix });
    let word = word.prop_filter("nothing to look for", |word| has_lexeme(&word.text));
    let phrase = prop::collection::vec(word, 1..3).prop_map(Phrase);
    let all = prop::collection::vec(phrase, 1..2);
    prop::collection::vec(all, 1..3).prop_map(|any| LexemeQuery { any })
}

#[test]
fn queries_find_what_postgresql_finds() {
    let database = Server::shared().database("lexeme-queries");
    let pairs = values(&("[abe1'\\- ]{0,24}", query()), 6_000);
    let mut found = 0;
    for part in pairs.chunks(2_000) {
        let row = |(text, query): &(String, LexemeQuery)| {
            format!("{}, {}", literal(text), literal(&query.tsquery()))
        };
        let rows: Vec<String> = part.iter().map(row).collect();
        let held = "(to_tsvector('simple', text) @@ to_tsquery('simple', query))::text";
        for ((text, query), expected) in part.iter().zip(ask(&database, &rows, held)) {
            let matches = query.matches(text, &Effort::unlimited()).unwrap();
            assert_eq!(matches.to_string(), expected, "{text:?} {}", query.shown());
            found += usize::from(expected == "true");
        }
    }
    assert!(found > 300, "{found} texts were found");
}

/// A word longer than PostgreSQL takes is in no text, and what is asked for may not be longer.
#[test]
fn long_words_are_left_out() {
    let database = Server::shared().database("long-lexemes");
    for length in [words::LONGEST, words::LONGEST + 1] {
        let text = "a".repeat(length);
        let rows = [format!("{}, ''", literal(&text))];
        let count = ask(&database, &rows, "length(to_tsvector('simple', text))::text");
        assert_eq!(lexemes(&text).len().to_string(), count[0], "{length}");
    }
}
