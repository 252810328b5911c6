//! Random rows and random CQL on both stores, against the meaning of the query by brute force: which
//! items are found, in which order, and pages by `after`, which joined are the whole list.
//!
//! `DUET_TRIAL_QUERIES` sets how many queries are tried; 2,000 by default.

use duet_filter::{FilterText, Limits, cql, parse_text};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, TestRunner};

use super::meaning::{Rows, compare_with, fields, rows, serve};
use crate::served::Kind;

/// The queries that are tried with one set of rows.
const QUERIES: u32 = 20;

/// A term of CQL for a text.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for char in text.chars() {
        if matches!(char, '*' | '?' | '^' | '\\' | '"') {
            out.push('\\');
        }
        out.push(char);
    }
    out + "\""
}

/// A term: one of the values, something else, or a masked one.
fn term(path: &str, values: &'static [&'static str]) -> impl Strategy<Value = String> + use<> {
    let others = select(vec!["1.5", "-1e3", "b", "2022-03-20", "zz aB", "x"]).prop_map(quoted);
    let masked = ["a*", "*b", "?", "A?b", "*", "\"\"", "\" \"", "\\*", "É*", "*\\\\*", "b c*"];
    let (of_others, of_masks) = if is_text(path) { (2, 4) } else { (1, 1) };
    prop_oneof![
        24 => select(values).prop_map(quoted),
        of_others => others,
        of_masks => select(masked.to_vec()).prop_map(str::to_owned),
    ]
}

/// Whether a field is text.
fn is_text(path: &str) -> bool {
    ["word", "shown", "tag"].iter().any(|name| path.ends_with(name))
}

fn relation(path: &str) -> impl Strategy<Value = String> + use<> {
    // Of what generated members join by a hyphen PostgreSQL makes other words.
    let has_words = path.ends_with("word") || path == "n";
    let loose = if has_words { vec!["=", "any", "all", "adj"] } else { vec!["=="] };
    let sign = select(vec!["==", "==", "<>", "<", "<=", ">", ">="]);
    let modifiers = match is_text(path) {
        true => vec![
            "",
            "",
            "",
            "",
            "/respectCase",
            "/respectAccents",
            "/respectCase/respectAccents",
            "/ignoreCase",
            "/ignoreCase/ignoreAccents",
            "/unmasked",
            "/substring",
            "/string",
        ],
        false => vec!["", "", "", "", "/number", "/string", "/ignoreCase"],
    };
    (prop_oneof![3 => sign, 2 => select(loose)], select(modifiers))
        .prop_map(|(relation, modifiers)| format!("{relation}{modifiers}"))
}

fn condition(only: fn(&str) -> bool) -> impl Strategy<Value = String> {
    let fields: Vec<_> = fields().into_iter().filter(|(path, _)| only(path)).collect();
    select(fields).prop_flat_map(|(path, values)| {
        let range = (select(values), select(values))
            .prop_map(|(low, high)| format!("within \"{low} {high}\""));
        let simple = (relation(&path), term(&path, values))
            .prop_map(|(relation, term)| format!("{relation} {term}"));
        let many = (relation(&path), prop::collection::vec(term(&path, values), 1..4))
            .prop_map(|(relation, terms)| format!("{relation} ({})", terms.join(" or ")));
        prop_oneof![6 => simple, 1 => many, 1 => range]
            .prop_map(move |test| format!("{path} {test}"))
    })
}

fn query() -> impl Strategy<Value = String> {
    let of_part = || condition(|path| path.starts_with("part."));
    let element = (of_part(), of_part()).prop_map(|(a, b)| format!("({a} prox/unit=element {b})"));
    let leaf = prop_oneof![
        8 => condition(|_| true),
        1 => element,
        1 => Just("cql.allRecords=1".to_owned()),
    ];
    let conditions = leaf.prop_recursive(3, 12, 3, |inner| {
        let operator = select(vec![" and ", " or ", " not "]);
        (inner.clone(), prop::collection::vec((operator, inner), 0..3)).prop_map(|(first, rest)| {
            let rest = rest.into_iter().map(|(operator, clause)| format!("{operator}{clause}"));
            format!("({first}{})", rest.collect::<String>())
        })
    });
    let paths = fields().into_iter().map(|(path, _)| path).filter(|it| !it.starts_with("part"));
    let modifiers = select(vec![
        "",
        "/descending",
        "/sort.ascending",
        "/ignoreCase",
        "/ignoreAccents/descending",
    ]);
    let key = (select(paths.collect::<Vec<_>>()), modifiers).prop_map(|(path, modifiers)| {
        let direction = if modifiers.contains("desc") { "/descending" } else { "" };
        let modifiers = if is_text(&path) { modifiers } else { direction };
        format!(" {path}{modifiers}")
    });
    (conditions, prop::collection::vec(key, 0..3)).prop_map(|(conditions, keys)| {
        let sort = if keys.is_empty() { "" } else { " sortBy" };
        format!("{conditions}{sort}{}", keys.concat())
    })
}

#[derive(Clone, Debug)]
struct Input {
    rows: Rows,
    queries: Vec<String>,
    page: usize,
}

fn input() -> impl Strategy<Value = Input> {
    let queries = prop::collection::vec(query(), QUERIES as usize);
    (rows(), queries, 1..4_usize).prop_map(|(rows, queries, page)| Input { rows, queries, page })
}

#[test]
fn both_stores_select_and_order_what_the_query_means() {
    let stores = Kind::BOTH.map(|kind| (kind, serve(kind, "cql")));
    let wanted = std::env::var("DUET_TRIAL_QUERIES").ok().and_then(|text| text.parse().ok());
    let cases = wanted.unwrap_or(2_000_u32).div_ceil(QUERIES);
    let config =
        Config { cases, max_shrink_iters: 300, failure_persistence: None, ..Config::default() };
    let (mut tried, mut accepted) = (0_u32, 0_u32);
    let counts = std::cell::RefCell::new((&mut tried, &mut accepted));
    let outcome = TestRunner::new(config).run(&input(), |input| {
        for (kind, served) in &stores {
            served.data.exec(&input.rows.sql());
            let snapshot = served.service.snapshot();
            let resource = snapshot.mounts[0].resource("item_dv").unwrap();
            for query in &input.queries {
                let text = FilterText::Cql(query);
                let parsed = parse_text(text, resource.fields(), &Limits::default()).ok();
                let mut counts = counts.borrow_mut();
                *counts.0 += 1;
                *counts.1 += u32::from(parsed.is_some());
                let rows = (&input.rows, input.page);
                compare_with(served, rows, "query", query, &resource.shape, parsed).map_err(
                    |problem| TestCaseError::fail(format!("{}: {problem}", kind.name())),
                )?;
                normalized_means_the_same(query)?;
            }
        }
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
    assert!(accepted * 2 > tried, "{accepted} of {tried} queries were accepted");
    println!("{tried} queries on {} stores, {accepted} accepted", stores.len());
}

fn normalized_means_the_same(query: &str) -> Result<(), TestCaseError> {
    let tree = cql::read(query, &Limits::default());
    let back = tree.as_ref().map(|tree| cql::read(&tree.to_string(), &Limits::default()));
    if let (Ok(tree), Ok(back)) = (&tree, back) {
        prop_assert_eq!(back.as_ref(), Ok(tree), "{}", query);
    }
    Ok(())
}
