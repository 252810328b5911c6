//! Properties: a tree is read back from its normalized form, no input panics, every error has a place,
//! and whole queries agree with a second implementation that evaluates the tree.

use std::collections::HashMap;

use duet_model::{ColumnRef, Shape, Type, Value};
use duet_text::error::Place;
use duet_text::{Fold, like};
use proptest::prelude::*;
use proptest::sample::select;

use crate::cql::tree::{
    At, Boolean, BooleanKind, Clause, ClauseChain, CqlRelation, CqlRelationKind, Modifier, Prefix,
    Query, SortKey, Subject, Symbol,
};
use crate::cql::{Sign, read};
use crate::tests::sample;
use crate::{Limits, Row, Values, cql, evaluate};

const SIGNS: [Sign; 7] = [
    Sign::Equal,
    Sign::Exact,
    Sign::NotEqual,
    Sign::Less,
    Sign::LessOrEqual,
    Sign::Greater,
    Sign::GreaterOrEqual,
];

fn symbol() -> impl Strategy<Value = Symbol> {
    let words = "and|or|NOT|prox|sortBy|any|all|a[.]b|x|>|=|\\(|/|a b";
    let text = prop_oneof![3 => words, 3 => "[a-zé\" ()<>=/'.]{0,5}", 1 => "(a|\\\\\\\\|\\\\[*?^]|[*?^]){0,4}"];
    text.prop_map(|text| Symbol::new(text, 0))
}

fn modifiers() -> impl Strategy<Value = Vec<Modifier>> {
    let value = prop::option::of((select(&SIGNS[..]), symbol()));
    let modifier = (symbol(), value).prop_map(|(name, value)| {
        let name = name.text.to_lowercase();
        Modifier { name, value, at: At(0) }
    });
    prop::collection::vec(modifier, 0..3)
}

fn subject() -> impl Strategy<Value = Option<Subject>> {
    let named = select(vec!["adj", "all", "any", "within", "encloses", "cql.any"]);
    let kind = prop_oneof![
        select(&SIGNS[..]).prop_map(CqlRelationKind::Sign),
        named.prop_map(|name| CqlRelationKind::Named(name.to_owned())),
    ];
    let relation = (kind, modifiers()).prop_map(|(kind, modifiers)| CqlRelation {
        kind,
        modifiers,
        at: At(0),
    });
    let subject = (symbol(), relation).prop_map(|(index, relation)| Subject { index, relation });
    prop::option::of(subject)
}

fn prefixes() -> impl Strategy<Value = Vec<Prefix>> {
    let prefix = (prop::option::of(symbol()), symbol()).prop_map(|(name, identifier)| Prefix {
        name,
        identifier,
        at: At(0),
    });
    prop::collection::vec(prefix, 0..2)
}

fn scoped(clause: impl Strategy<Value = Clause> + Clone) -> impl Strategy<Value = ClauseChain> {
    let kinds = [BooleanKind::And, BooleanKind::Or, BooleanKind::Not, BooleanKind::Prox];
    let boolean = (select(kinds.to_vec()), modifiers()).prop_map(|(kind, modifiers)| Boolean {
        kind,
        modifiers,
        at: At(0),
    });
    (clause.clone(), prop::collection::vec((boolean, clause), 0..3))
        .prop_map(|(first, rest)| ClauseChain { first, rest })
}

fn query() -> impl Strategy<Value = Query> {
    let leaf = (subject(), symbol()).prop_map(|(subject, term)| Clause::Search { subject, term });
    let clause = leaf.prop_recursive(3, 12, 3, |inner| {
        (subject(), prefixes(), scoped(inner)).prop_map(|(subject, prefixes, scoped)| {
            Clause::Group { subject, prefixes, scoped: Box::new(scoped), at: At(0) }
        })
    });
    let key = (symbol(), modifiers()).prop_map(|(index, modifiers)| SortKey { index, modifiers });
    (prefixes(), scoped(clause), prop::collection::vec(key, 0..3))
        .prop_map(|(prefixes, scoped, sort)| Query { prefixes, scoped, sort })
}

/// Every error is a 400 with a place inside the text, and repeats little of it.
fn check(text: &str) {
    let Err(error) = cql::parse(text, &sample::fields(), &Limits::default()) else { return };
    let Some(Place::Offset(at)) = error.place else { panic!("{text:?}: {error:?}") };
    assert!(text.is_char_boundary(at), "{text:?}: {at}");
    assert_eq!(error.code.status(), 400);
    assert!(error.to_string().len() < 1_000, "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn a_tree_is_read_back(query in query()) {
        let text = query.to_string();
        let back = read(&text, &Limits::default());
        prop_assert_eq!(back.as_ref(), Ok(&query), "{}", text);
    }

    #[test]
    fn no_text_panics(text in "\\PC{0,20}") {
        check(&text);
    }

    #[test]
    fn no_tokens_panic(parts in prop::collection::vec(select(TOKENS.to_vec()), 0..14)) {
        check(&parts.join(" "));
    }

    #[test]
    fn queries_mean_what_they_say(words in prop::collection::vec(simple(), 1..6), row in row()) {
        let (text, expected) = meaning(&words, &row);
        let filter = cql::parse(&text, &sample::fields(), &Limits::default()).unwrap();
        prop_assert_eq!(evaluate(&filter.expr, &row) == Some(true), expected, "{}", text);
    }
}

const TOKENS: [&str; 30] = [
    "name",
    "points",
    "driver.laps",
    "extra.a",
    "status",
    "uuid",
    "founded",
    "cql.allRecords",
    "=",
    "==",
    "<>",
    "<",
    ">=",
    "any",
    "all",
    "within",
    "(",
    ")",
    "and",
    "or",
    "not",
    "prox/unit=element",
    "sortBy",
    "/number",
    "/respectCase",
    "\"a b\"",
    "a*",
    "\"\"",
    "5",
    "*",
];

/// A clause of a simple query: the operator before it, a field, a relation and a term.
type Simple = (&'static str, &'static str, &'static str, &'static str);

fn simple() -> impl Strategy<Value = Simple> {
    let operators = vec!["and", "or", "not"];
    let number = (select(vec!["==", "<>", "<", ">"]), select(vec!["1", "2", "3"]))
        .prop_map(|(relation, term)| ("points", relation, term));
    let terms = vec!["a", "É", "e*", "*B", "?", "ab", "\"\""];
    let text = (select(vec!["==", "<>"]), select(terms))
        .prop_map(|(relation, term)| ("name", relation, term));
    (select(operators), prop_oneof![number, text])
        .prop_map(|(operator, (field, relation, term))| (operator, field, relation, term))
}

/// A row with a number and a text, each of which may be NULL.
#[derive(Debug)]
struct Record {
    shape: Shape,
    values: HashMap<ColumnRef, Value>,
}

impl Row for Record {
    fn values(&self, field: ColumnRef) -> Values {
        Values::One(self.values.get(&field).cloned().unwrap_or(Value::Null))
    }

    fn ty(&self, field: ColumnRef) -> &Type {
        self.shape.column_type(field)
    }
}

fn row() -> impl Strategy<Value = Record> {
    let name = select(vec!["", "a", "A", "é", "EB", "ab", "Áb"]);
    (prop::option::of(1..4_i64), prop::option::of(name)).prop_map(|(points, name)| {
        let points = points.map_or(Value::Null, Value::Int);
        let name = name.map_or(Value::Null, |name| Value::Text(name.to_owned()));
        let values =
            HashMap::from([(sample::field("points"), points), (sample::field("name"), name)]);
        Record { shape: sample::shape(), values }
    })
}

/// The text of a query and whether it selects the row: from left to right, a condition on NULL never
/// holds.
fn meaning(words: &[Simple], row: &Record) -> (String, bool) {
    let (mut text, mut holds) = (String::new(), false);
    for (at, (operator, field, relation, term)) in words.iter().enumerate() {
        let next = clause_holds(field, relation, term, row);
        holds = match (at, *operator) {
            (0, _) => next,
            (_, "and") => holds && next,
            (_, "or") => holds || next,
            _ => holds && !next,
        };
        let operator = if at == 0 { "" } else { operator };
        text += &format!(" {operator} {field} {relation} {term}");
    }
    (text, holds)
}

fn clause_holds(field: &str, relation: &str, term: &str, row: &Record) -> bool {
    match (field, &row.values[&sample::field(field)]) {
        (_, Value::Null) => false,
        ("points", Value::Int(value)) => {
            let term: i64 = term.parse().unwrap();
            match relation {
                "==" => *value == term,
                "<>" => *value != term,
                "<" => *value < term,
                _ => *value > term,
            }
        }
        (_, value) => {
            let pattern = term.replace("\"\"", "").replace('*', "%").replace('?', "_");
            let pattern = Fold::Both.apply(&pattern);
            let text = Fold::Both.apply(&value.to_string());
            like::matches(&pattern, &text, false) == (relation == "==")
        }
    }
}
