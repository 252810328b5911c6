//! The expressions of queries, and refused queries.

use duet_model::Code;
use duet_text::error::Place;

use crate::tests::{print, sample};
use crate::{Limits, cql, parse};

fn filter(text: &str) -> crate::Filter {
    cql::parse(text, &sample::fields(), &Limits::default())
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Queries equivalent to a `q`.
#[test]
fn cql_and_q_make_the_same_expression() {
    for (text, q) in [
        ("cql.allRecords=1", "{}"),
        ("points == 5", r#"{"points":5}"#),
        ("points = 5", r#"{"points":5}"#),
        ("points <> 5", r#"{"points":{"$ne":5}}"#),
        ("points > 1.5", r#"{"points":{"$gt":1.5}}"#),
        ("POINTS <=/number 1e2", r#"{"points":{"$lte":100}}"#),
        ("points within \"1 5\"", r#"{"points":{"$between":[1,5]}}"#),
        ("points any \"1 2\"", r#"{"points":{"$in":[1,2]}}"#),
        ("active == true", r#"{"active":true}"#),
        ("founded >= 2022-03-20", r#"{"founded":{"$gte":"2022-03-20"}}"#),
        (
            "changed <=/isoDate \"2022-03-20T00:00:00\"",
            r#"{"changed":{"$lte":"2022-03-20T00:00:00"}}"#,
        ),
        ("name ==/respectCase/respectAccents Ab", r#"{"name":"Ab"}"#),
        ("name ==/respectcase/respectaccents A*", r#"{"name":{"$like":"A%"}}"#),
        ("name ==/respectcase/respectaccents/substring A%", r#"{"name":{"$instr":"A%"}}"#),
        ("name =/regexp \"^A.*z$\"", r#"{"name":{"$regex":"^A.*z$"}}"#),
        ("name < M", r#"{"name":{"$lt":"M"}}"#),
        ("status == NEW", r#"{"status":{"$in":["new"]}}"#),
        ("status <> new", r#"{"status":{"$in":["old"]}}"#),
        ("status == *", r#"{"status":{"$in":["new","old"]}}"#),
        (
            "points == 1 and points == 2 and ratio < 3",
            r#"{"$and":[{"points":1},{"points":2},{"ratio":{"$lt":3}}]}"#,
        ),
        ("points == (1 or 2)", r#"{"$or":[{"points":1},{"points":2}]}"#),
        ("engine.power > 3", r#"{"engine.power":{"$gt":3}}"#),
        ("driver.laps > 3", r#"{"driver.laps":{"$gt":3}}"#),
        ("points = \"\"", r#"{"points":{"$notnull":null}}"#),
        ("name = \" \"", r#"{"name":{"$notnull":null}}"#),
        ("extra.a == b", r#"{"extra.a":"b"}"#),
        ("extra.a == 5", r#"{"extra.a":{"$in":["5",5]}}"#),
        ("extra.a ==/number 5", r#"{"extra.a":5}"#),
        ("extra.a ==/string 5", r#"{"extra.a":"5"}"#),
        ("extra.a == true", r#"{"extra.a":{"$in":["true",true]}}"#),
        ("extra.a == b*", r#"{"extra.a":{"$like":"b%"}}"#),
        ("extra.a < b", r#"{"extra.a":{"$lt":"b"}}"#),
        ("extra.a <> b", r#"{"extra.a":{"$notnull":null,"$not":{"$eq":"b"}}}"#),
        (
            "points = 1 sortBy name/descending points",
            r#"{"points":1,"$orderby":[{"name":"DESC"},{"points":"ASC"}]}"#,
        ),
        (
            "points = 1 sortBy extra.a/sort.descending/number",
            r#"{"points":1,"$orderby":{"extra.a":"DESC"}}"#,
        ),
    ] {
        let expected = parse(q, &sample::fields(), &Limits::default()).unwrap();
        let found = filter(text);
        assert_eq!(found.expr, expected.expr, "{text}");
        assert_eq!(found.order, expected.order, "{text}");
    }
}

/// What `q` cannot say, in the short form of the tests.
#[test]
fn text_ignores_case_and_accents() {
    for (text, expected) in [
        ("name == Été", "fold(name) $eq 'ete'"),
        ("name ==/respectCase Été", "fold_accents(name) $eq 'Ete'"),
        ("name ==/respectAccents Été", "fold_case(name) $eq 'été'"),
        ("name <> a", "fold(name) $ne 'a'"),
        ("name == 50%_*", r"fold(name) ~'50\%\_%'"),
        ("name ==/unmasked a*", "fold(name) $eq 'a*'"),
        (r"name == a\*", "fold(name) $eq 'a*'"),
        ("name <> a?", "!fold(name) ~'a_'"),
        ("driver.name <> a?", "(fold(driver.name) ~'a_') $eq false"),
        ("name </ignoreCase A", "fold_case(name) $lt 'a'"),
        ("name = \"Réd wine\"", r#"fold(name) words "red wine""#),
        ("name adj \"Réd win*\"", r#"fold(name) words "red win"*"#),
        (
            "name all/respectAccents \"Réd * wine-bar*\"",
            r#"fold_case(name) words "réd" "wine bar"*"#,
        ),
        ("name any \"red wine\"", r#"fold(name) words "red" or "wine""#),
    ] {
        assert_eq!(print::short(&filter(text).expr, &sample::fields()), expected, "{text}");
    }
}

#[test]
fn not_and_groups() {
    for (text, expected) in [
        ("points = 1 not points = 2", "(points $eq 1 & !true points $eq 2)"),
        ("cql.allRecords=1 not points = 2", "!true points $eq 2"),
        ("points = 1 or points = *", "()"),
        ("driver.laps = *", "one !driver.name null"),
        ("points=1 or points=2 and points=3", "((points $eq 1 | points $eq 2) & points $eq 3)"),
        ("points=1 or (points=2 and points=3)", "(points $eq 1 | (points $eq 2 & points $eq 3))"),
        ("points < (1 or points > (2 or 3))", "(points $lt 1 | points $gt 2 | points $gt 3)"),
        (
            "driver.laps = 1 prox/unit=element driver.fee = 2",
            "one (driver.laps $eq 1 & driver.fee $eq '2')",
        ),
    ] {
        assert_eq!(print::short(&filter(text).expr, &sample::fields()), expected, "{text}");
    }
}

/// Each case: the query, its code, the text that starts at the position, and a part of the message.
#[test]
fn refusals() {
    use Code::{CqlSyntax, FilterField, FilterOperand, FilterUnsupported};
    for (text, code, at, says) in [
        ("pionts = 1", FilterField, "pionts", "Did you mean `points`?"),
        ("points = 1 and laps = 2", FilterField, "laps", "`driver.laps`"),
        ("points = 1 sortBy nmae", FilterField, "nmae", "`name`"),
        ("driver = 1", FilterField, "driver", "`driver.name`"),
        ("kayak", FilterUnsupported, "kayak", "has no index"),
        ("cql.serverChoice = kayak", FilterUnsupported, "kayak", "has no index"),
        ("cql.anyIndexes = kayak", FilterUnsupported, "cql.any", "allRecords"),
        ("points = x", FilterOperand, "x", "must be a number"),
        ("points = 1*", FilterOperand, "1*", "masked"),
        ("points within 1", FilterOperand, "1", "two values"),
        ("points encloses 1", FilterUnsupported, "encloses", "use `within`"),
        ("points =/regexp 1", FilterUnsupported, "=/", "`/regexp`"),
        ("name =/number 1", FilterUnsupported, "=/", "`/number`"),
        ("name =/stem 1", FilterUnsupported, "stem", "The modifiers are"),
        ("name =/ignoreCase=1 x", FilterUnsupported, "ignoreCase", "takes no value"),
        ("name = k?yak", FilterUnsupported, "k?yak", "use `==`"),
        ("name = *yak", FilterUnsupported, "*yak", "use `==`"),
        ("name = ^kayak", FilterUnsupported, "^kayak", "`^`"),
        ("name = \"!\"", FilterOperand, "\"!", "none"),
        ("name dc.x y", FilterUnsupported, "dc.x", "The relations are"),
        ("> dc = x name = y", FilterUnsupported, ">", "Prefix"),
        ("(> dc = x name = y)", FilterUnsupported, ">", "Prefix"),
        ("points=1 prox points=2", FilterUnsupported, "prox", "unit=element"),
        ("points=1 prox/unit=element points=2", FilterUnsupported, "prox", "one array"),
        ("points=1 and/x points=2", FilterUnsupported, "x points", "not supported"),
        ("extra.a adj b", FilterUnsupported, "adj", "with `==`"),
        ("extra.a =/number b", FilterOperand, "b", "number"),
        ("points = 1 sortBy name/locale=de", FilterUnsupported, "locale", "takes no value"),
        ("points = 1 sortBy name/missingLow", FilterUnsupported, "missingLow", "last in both"),
        ("points = 1 sortBy points/ignoreCase", FilterUnsupported, "points/", "Only text"),
        ("points = 1 sortBy driver.name", FilterUnsupported, "driver.name", "below an array"),
        ("points = = 1", CqlSyntax, "= 1", "follows"),
    ] {
        let error = cql::parse(text, &sample::fields(), &Limits::default()).expect_err(text);
        assert_eq!(error.code, code, "{text}: {error}");
        let Some(Place::Offset(offset)) = error.place else { panic!("{text}: {error:?}") };
        assert!(text[offset..].starts_with(at), "{text}: at {offset}: {error}");
        assert!(error.to_string().contains(says), "{text}: {error}");
    }
}

#[test]
fn alternating_operators_are_limited() {
    let text = |count| {
        let mut text = String::from("points=1");
        for number in 0..count {
            text += if number % 2 == 0 { " or points=2" } else { " and points=3" };
        }
        text
    };
    let fields = sample::fields();
    assert!(cql::parse(&text(20), &fields, &Limits::default()).is_ok());
    let error = cql::parse(&text(40), &fields, &Limits::default()).unwrap_err();
    assert_eq!(error.code, Code::FilterLimit);
    let long = vec!["points=1"; 1_000].join(" or ");
    assert!(cql::parse(&long, &fields, &Limits::default()).is_ok());
}

#[test]
fn lists_of_values_are_limited() {
    let fields = sample::fields();
    for index in ["points", "status", "extra.a"] {
        for relation in ["any", "all", "within"] {
            let text = format!("{index} {relation} \"{}\"", vec!["1"; 10_001].join(" "));
            let Err(error) = cql::parse(&text, &fields, &Limits::default()) else {
                panic!("{index}")
            };
            assert_eq!(error.code, Code::FilterLimit, "{index} {relation}: {error}");
        }
    }
}
