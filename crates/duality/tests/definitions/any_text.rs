//! Texts that mean harm: no text panics, none takes long.

use std::sync::Arc;

use duet_duality::{DefinitionFile, Options, compile, print, render};
use duet_model::{Catalog, ReadPlan};
use proptest::prelude::*;

use crate::catalogs;

const SAMPLES: &[&str] = &[
    include_str!("../../../../apps/car-racing/views/team_dv.sql"),
    include_str!("../../../../apps/car-racing/views/driver_dv.sql"),
    include_str!("../../../../apps/car-racing/views-team-id/race_dv.graphql"),
    "view v as team(check: {points: {$gt: 5}, _or: [{name: null}]}) @where(sql: \"case name when 'x' then 1 else points end > 5 and name not like 'a%'\") { _id: team_id * x @generated(path: \"$.a.b\") driver @link(from: [team_id], to: [\"team_id\"]) [ { driver_id y @generated(sql: 'points + 1') @hidden } ] names: driver [ name ] }",
    "CREATE TABLE t (a INT, b VARCHAR2(9) DEFAULT 'x;y');\nPROMPT It's here -\nBEGIN\n NULL;\nEND;\n/\ncreate json duality view v as select json_object('_id' value t.team_id, key 'n' is t.name with (check etag) null on null returning json) from team t\nINSERT INTO t VALUES (q'[a;b]');",
    "view v as team(where: {name: {_upper: {_nlike: \"A%\"}, _or: [{_is_null: true}, {_length: 4}]}}) { _id: team @nest {team_id} name  d: driver [ { driver_id points } ] x @generated(path: \"$.d.points.sum() * 2\")  y @generated(sql: \"nvl((SELECT max(m.position) FROM driver d JOIN driver_race_map m ON m.driver_id = d.driver_id WHERE d.team_id = team.team_id), 0)\") }",
];

/// Any text compiles or gives an error, and a compiled definition can be printed and compiled again.
fn survive(text: &str, catalog: &Catalog) {
    let source = DefinitionFile::new("any.sql", text);
    match compile(&source, catalog, &Options::default()) {
        Ok(views) => {
            for view in views {
                let again = DefinitionFile::new("again.sql", print(&view.shape));
                let again = compile(&again, catalog, &Options::default());
                let again = again.unwrap_or_else(|_| panic!("{}", print(&view.shape)));
                assert_eq!(again[0].shape, view.shape);
                let plan = ReadPlan::by_keys(Arc::new(view.shape));
                assert!(!plan.levels.is_empty());
            }
        }
        Err(found) => {
            assert!(!found.is_empty());
            for diagnostic in found {
                assert!(render(&diagnostic, &source).contains('^'));
                let _ = diagnostic.to_error(&source);
            }
        }
    }
}

proptest! {
    #[test]
    fn arbitrary_text(text in any::<String>()) {
        survive(&text, &catalogs::car_racing());
    }

    #[test]
    fn words_of_the_language(words in prop::collection::vec(prop::sample::select(&[
        "view", "v", "as", "select", "json", "{", "}", "[", "]", "(", ")", "'_id'", ":", "t",
        ".", "team_id", "from", "team", "driver", "where", "=", "with", "insert", "check",
        "option", ",", "@link", "@where", "from:", "sql:", "\"points > 5\"", "unnest", "@unnest",
        "*", "\n", ";", "generated", "using", "path", "'$.a'", "@generated", "@nest", "@flex",
        "case", "when", "then", "end", "-", "1", "null", "in", "like", "between", "and", "or",
        "not", "\"", "'", "/*", "--", "$", "_or", "check:", "name", "driver_id", "_id:",
        "json_object", "value", "key", "returning", "sum", "count", "join", "on", "driver.team_id",
        "\"$.d.points.sum()\"", "path:", "/", "create table", "insert into", "\nprompt",
    ][..]), 0..60)) {
        survive(&words.join(" "), &catalogs::car_racing());
    }

    #[test]
    fn damaged_samples(
        sample in prop::sample::select(SAMPLES),
        from in any::<prop::sample::Index>(),
        len in 0_usize..40,
        instead in prop_oneof![Just(String::new()), any::<String>(), "[{}\\[\\](),:@'\"]{1,5}"],
    ) {
        let chars: Vec<char> = sample.chars().collect();
        let start = from.index(chars.len());
        let end = (start + len).min(chars.len());
        let text: String = chars[..start].iter().copied().chain(instead.chars())
            .chain(chars[end..].iter().copied()).collect();
        survive(&text, &catalogs::car_racing());
    }
}

#[test]
fn refuses_deep_and_large_definitions() {
    let catalog = catalogs::car_racing();
    // Far beyond every limit but that of the text.
    let many = |text: &str| text.repeat(200_000 / text.len());
    let head = "view v as team ";
    let filter =
        |condition: String| format!("{head}@where(sql: \"{condition}\") {{ _id: team_id }}");
    for text in [
        format!("{head}{}", many("{ a: ")),
        format!("{head}{}", many("{ driver [ ")),
        format!("{head}{{ a: {}", many("[")),
        format!("view v as {}", many("(")),
        format!("view v as select json {}", many("{'a': ")),
        format!("view v as select json {{'a': {}", many("(select json {'a': ")),
        format!("{head}(check: {}", many("{_not: ")),
        format!("{head}(check: {}", many("{_and: [")),
        filter(many("(")),
        filter(many("not ")),
        filter(many("- ")),
        filter(many("+ ")),
        filter(many("abs(")),
        filter(many("case when ")),
        filter(many("points = 1 or ")),
        filter(many("points in (1, ")),
        filter(many("json_value(")),
        format!("{head}(where: {}", many("{points: {_not: ")),
        format!("{head}(where: {{points: {}", many("{_upper: ")),
        format!("{head}{{ _id: team_id x @generated(sql: \"{}\") }}", many("select sum((")),
        format!("{head}{{ _id: team_id points x @generated(path: \"{}\") }}", many("$.points + ")),
        format!("{head}{{ _id: team_id points x @generated(path: \"{}\") }}", many("(-")),
        many("create table t (a int);"),
        many("begin "),
        many("q'["),
        many("insert into t "),
        format!("{head}{{ {} }}", many("team_id ")),
        format!("{head}{{ {} }}", many("driver { driver_id } ")),
        format!(
            "{head}@where(sql: \"{} = 1\") {{ _id: team_id }}",
            vec!["points"; 10_000].join(" + ")
        ),
        many("view v as team { _id: team_id };"),
        many("@"),
        many("{"),
        many("view "),
        many("'"),
        " ".repeat(2 << 20),
    ] {
        let source = DefinitionFile::new("bomb.sql", text);
        let found = compile(&source, &catalog, &Options::default()).unwrap_err();
        assert!(found.len() <= Options::default().limits.diagnostics);
        let shown: String = found.iter().map(|found| render(found, &source)).collect();
        assert!(shown.len() < 100_000);
    }
}
