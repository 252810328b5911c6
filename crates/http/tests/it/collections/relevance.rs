//! The order by relevance: both stores order generated texts as the rank of each, computed by the test, does.

use std::sync::Arc;

use duet_model::IndexKind;
use duet_service::definition::{Collection, Declaration, DeclaredIndex};
use duet_text::Fold;
use duet_text::relevance::Relevance;
use serde_json::{Value, json};

use super::index_kinds::{DOCUMENTS, SCHEMA, document, found, start_with};
use crate::support::{App, Database, on_both_stores, percent_encode};

on_both_stores! {
    the_most_relevant_come_first
    orders_by_relevance_that_cannot_be
}

/// The collection `ranked` with an index of words, and `plain` without one.
fn start(database: &Database, document: fn(usize) -> Value) -> App {
    let declare = |name: &str, path, kind| {
        let indexes = vec![DeclaredIndex::new(path, kind)];
        let declaration = Declaration { indexes, ..Declaration::new(name) };
        Arc::new(Collection::new(declaration, SCHEMA).unwrap())
    };
    let collections = vec![
        declare("ranked", "code", IndexKind::FullText),
        declare("plain", "price", IndexKind::Ordered),
    ];
    start_with(database, collections, document)
}

/// A text of few words, which many texts repeat; of some numbers none, and of some a long one.
fn text(number: usize) -> Option<String> {
    const WORDS: [&str; 12] = [
        "kayak",
        "Kayak,",
        "fishing",
        "FISHING",
        "the",
        "Café",
        "cafe-bar",
        "art-Kayak",
        "-7",
        "ärger!",
        "12a",
        "it's",
    ];
    let mut draw = number as u64 * 2_654_435_761 % 1_000_003;
    let mut next = |below: u64| {
        draw = draw * 48_271 % 2_147_483_647;
        (draw % below) as usize
    };
    let length = match number {
        77 => 20_000,
        _ if number.is_multiple_of(41) => return None,
        _ if number.is_multiple_of(43) => 700,
        _ => next(9),
    };
    let words: Vec<&str> = (0..length).map(|_| WORDS[next(WORDS.len() as u64)]).collect();
    Some(words.join(" "))
}

fn id(number: usize) -> String {
    document(number)["id"].as_str().unwrap().to_owned()
}

/// All documents in the order of their ranks for words; those without a text come last.
fn by_rank(words: &str, descending: bool) -> Vec<usize> {
    let fold = |text: &str| Fold::Both.apply(text);
    let relevance = Relevance::new(&fold(words));
    let rank = |number: usize| text(number).map(|text| relevance.rank(&fold(&text)));
    let mut ranks: Vec<(Option<f32>, usize)> = (0..DOCUMENTS).map(|it| (rank(it), it)).collect();
    ranks.sort_by(|(one, a), (other, b)| {
        let of_texts = one.zip(*other).map(|(one, other)| match descending {
            false => other.total_cmp(&one),
            true => one.total_cmp(&other),
        });
        of_texts.unwrap_or(one.is_none().cmp(&other.is_none())).then(a.cmp(b))
    });
    let distinct = ranks.windows(2).filter(|pair| pair[0].0 != pair[1].0).count();
    assert!(distinct > 3, "{words} tells texts apart");
    ranks.into_iter().map(|(_, number)| number).collect()
}

fn the_most_relevant_come_first(database: Database) {
    let app = start(&database, |number| {
        let mut document = document(number);
        match text(number) {
            Some(text) => document["code"] = json!(text),
            None => drop(document.as_object_mut().unwrap().remove("code")),
        }
        document
    });
    for words in [
        "kayak",
        "kayak fishing",
        "CAFÉ ärger -7 kayak",
        "cafe-bar",
        "it's art 12a kayak kayak",
        "none the cafe-bar fishing kayak it",
    ] {
        let all = |numbers: Vec<usize>| numbers.into_iter().map(id).collect::<Vec<_>>();
        let best = all(by_rank(words, false));
        let order = format!("cql.allRecords=1 sortBy code/relevant=\"{words}\"");
        assert_eq!(found(&app, "ranked", &order), best, "{words}");
        let worst = format!("{order}/descending");
        assert_eq!(found(&app, "ranked", &worst), all(by_rank(words, true)), "{words}");
        let q = json!({"$orderby": [{"code": {"$relevant": words}}]}).to_string();
        // Many are equally relevant, also across the ends of a page.
        for (limit, offset) in [(7, 0), (7, 5), (100, 390)] {
            let window = format!("limit={limit}&offset={offset}&q={}", percent_encode(&q));
            let page = app.get(&format!("/ords/hr/ranked?{window}")).json();
            let page = page["ranked"].as_array().unwrap().iter().map(|it| it["id"].clone());
            let expected = best[offset..offset + limit].iter().map(|id| json!(id));
            assert_eq!(page.collect::<Vec<_>>(), expected.collect::<Vec<_>>(), "{words} {offset}");
        }
    }
    the_rest_of_the_order_decides(&app);
    let target = format!(
        "/ords/hr/ranked?limit=3&query={}",
        percent_encode("code = fishing sortBy code/relevant=\"kayak\"")
    );
    let explained = app.service.explanation("GET", &target).unwrap().indexes.join("\n");
    assert!(explained.contains("index ranked_code_idx_ft"), "{explained}");
    assert!(explained.contains("no index: every selected row is sorted"), "{explained}");
}

/// Equally relevant documents of a search come in the order of the next key.
fn the_rest_of_the_order_decides(app: &App) {
    let search = "code = fishing sortBy code/relevant=\"kayak\" price/descending";
    let has_word =
        |number: &usize| text(*number).is_some_and(|it| it.to_lowercase().contains("fishing"));
    let relevance = Relevance::new("kayak");
    let rank = |number: usize| relevance.rank(&Fold::Both.apply(&text(number).unwrap()));
    let mut expected: Vec<usize> = (0..DOCUMENTS).filter(has_word).collect();
    let price = |number: usize| document(number)["price"].as_u64();
    expected.sort_by(|&a, &b| {
        rank(b).total_cmp(&rank(a)).then_with(|| price(b).cmp(&price(a))).then(a.cmp(&b))
    });
    let expected: Vec<String> = expected.into_iter().map(id).collect();
    assert!(!expected.is_empty() && expected.len() < DOCUMENTS);
    assert_eq!(found(app, "ranked", search), expected);
}

fn orders_by_relevance_that_cannot_be(database: Database) {
    let app = start(&database, document);
    let long = "x".repeat(2_047);
    let many = "x ".repeat(1_001);
    for (name, path, words, code) in [
        ("plain", "code", "kayak", "DUET-2008"),
        ("ranked", "price", "kayak", "DUET-2008"),
        ("ranked", "open", "kayak", "DUET-2008"),
        ("ranked", "tags", "kayak", "DUET-2008"),
        ("ranked", "parts.marks", "kayak", "DUET-2008"),
        ("ranked", "code", "kay*", "DUET-2008"),
        ("ranked", "code", "", "DUET-2005"),
        ("ranked", "code", " -! ", "DUET-2005"),
        ("ranked", "code", &long, "DUET-2007"),
        ("ranked", "code", &many, "DUET-2007"),
        ("ranked", "missing", "kayak", "DUET-2004"),
    ] {
        let query = format!("cql.allRecords=1 sortBy {path}/relevant=\"{words}\"");
        let q = json!({"$orderby": {path: {"$relevant": words}}}).to_string();
        for (parameter, search) in [("query", query), ("q", q)] {
            let search = percent_encode(&search);
            let answer = app.get(&format!("/ords/hr/{name}?{parameter}={search}"));
            let is_it = answer.status == 400 && answer.text().contains(code);
            assert!(is_it, "{parameter} {path} {words:.20} {answer:?}");
        }
    }
    let q = percent_encode(&json!({"$orderby": {"code": {"$relevant": 7}}}).to_string());
    let answer = app.get(&format!("/ords/hr/ranked?q={q}"));
    assert!(answer.status == 400 && answer.text().contains("DUET-2005"), "{answer:?}");
}
