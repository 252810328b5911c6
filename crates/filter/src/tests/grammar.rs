//! The meaning of filters, by rule.

use duet_model::{Direction, Expr};

use super::print::short;
use super::sample;
use crate::{Limits, parse};

fn check(cases: &[(&str, &str)]) {
    let fields = sample::fields();
    for (q, expected) in cases {
        let filter = parse(q, &fields, &Limits::default()).unwrap_or_else(|e| panic!("{q}: {e}"));
        assert_eq!(short(&filter.expr, &fields), *expected, "{q}");
    }
}

#[test]
fn members_are_joined() {
    check(&[
        ("{}", "()"),
        (r#"{"name":"A"}"#, "name $eq 'A'"),
        (r#"{"name":"A","points":1}"#, "(name $eq 'A' & points $eq 1)"),
        (r#"{"points":{"$gte":1,"$lt":4}}"#, "(points $gte 1 & points $lt 4)"),
        (r#"{"points":[{"$gt":1},{"$lt":4}]}"#, "(points $gt 1 & points $lt 4)"),
        (r#"{"POINTS":{"$eq":1}}"#, "points $eq 1"),
        (r#"{"$cost":5}"#, "$cost $eq 5"),
        (r#"{"Twin":"a","TWIN":"b"}"#, "(Twin $eq 'a' & TWIN $eq 'b')"),
    ]);
}

#[test]
fn logic_uses_the_nearest_field() {
    check(&[
        (r#"{"points":{"$or":[{"$gt":9},{"$lt":1}]}}"#, "(points $gt 9 | points $lt 1)"),
        (
            r#"{"points":{"$or":[{"$gt":9},{"name":{"$like":"S%"}}]}}"#,
            "(points $gt 9 | name ~'S%')",
        ),
        (
            r#"{"$or":[{"name":"A"},{"points":1,"name":"B"}]}"#,
            "(name $eq 'A' | (points $eq 1 & name $eq 'B'))",
        ),
        (
            r#"{"points":{"$and":[{"$or":[{"$eq":1},{"$eq":2}]},{"$ne":3}]}}"#,
            "((points $eq 1 | points $eq 2) & points $ne 3)",
        ),
        (r#"{"points":{"$and":{"$gt":1}}}"#, "points $gt 1"),
        (r#"{"$and":{"name":"A"}}"#, "name $eq 'A'"),
        (r#"{"$nor":[{"name":"A"},{"points":1}]}"#, "!(name $eq 'A' | points $eq 1)"),
        (r#"{"points":{"$not":{"$gt":1}}}"#, "!points $gt 1"),
        (r#"{"points":{"$not":1}}"#, "!points $eq 1"),
        (r#"{"points":{"$not":[{"$gt":1},{"$lt":4}]}}"#, "!(points $gt 1 & points $lt 4)"),
        (r#"{"$not":{"name":"A","points":1}}"#, "!(name $eq 'A' & points $eq 1)"),
        (r#"{"points":{"name":"A","$gt":1}}"#, "(name $eq 'A' & points $gt 1)"),
    ]);
}

#[test]
fn null_tests() {
    check(&[
        (r#"{"name":null}"#, "name null"),
        (r#"{"name":{"$eq":null}}"#, "name null"),
        (r#"{"name":{"$ne":null}}"#, "!name null"),
        (r#"{"name":{"$null":null}}"#, "name null"),
        (r#"{"name":{"$notnull":null}}"#, "!name null"),
        (r#"{"name":{"$exists":true}}"#, "!name null"),
        (r#"{"name":{"$exists":false}}"#, "name null"),
        (
            r#"{"extra":{"$null":null},"logo":null,"tags":{"$ne":null}}"#,
            "(extra null & logo null & !tags null)",
        ),
        (r#"{"driver.laps":null}"#, "driver.laps null"),
        (r#"{"driver.laps":{"$ne":null}}"#, "driver.laps $gte -9223372036854775808"),
        (r#"{"driver.name":{"$exists":true}}"#, "driver.name ~'%'"),
        (r#"{"driver.name":{"$exists":false}}"#, "!driver.name ~'%'"),
        (r#"{"driver.active":{"$notnull":null}}"#, "driver.active in false,true"),
        (
            r#"{"driver.born":{"$notnull":null}}"#,
            "(driver.born $lte '2000-01-01' | driver.born $gt '2000-01-01')",
        ),
        (r#"{"driver.note":null}"#, "driver.note null"),
    ]);
}

#[test]
fn lists_and_ranges() {
    check(&[
        (r#"{"points":{"$in":[1,2]}}"#, "points in 1,2"),
        (r#"{"points":{"$in":[]}}"#, "points in "),
        (r#"{"points":{"$nin":[1,2]}}"#, "!points in 1,2"),
        (r#"{"points":{"$in":[1,null]}}"#, "(points in 1 | points null)"),
        (r#"{"points":{"$nin":[null]}}"#, "!points null"),
        (r#"{"points":{"$in":[1,2.5,1e99]}}"#, "points in 1"),
        (r#"{"points":{"$in":[2.5]}}"#, "points in 1..0"),
        (r#"{"points":{"$between":[1,4]}}"#, "points in 1..4"),
        (r#"{"points":{"$between":[null,4]}}"#, "points in ..4"),
        (r#"{"name":{"$between":["a",null]}}"#, "name in 'a'.."),
        (
            r#"{"founded":{"$between":[{"$date":"2022-03-20T00:00:00Z"},"2023-01-01"]}}"#,
            "founded in '2022-03-20'..'2023-01-01'",
        ),
    ]);
}

#[test]
fn text_searches() {
    check(&[
        (r#"{"name":{"$like":"a\\%b%"}}"#, r"name ~'a\%b%'"),
        (r#"{"name":{"$ilike":"É_"}}"#, "name ~~'É_'"),
        (r#"{"name":{"$instr":"a%"}}"#, "name has 'a%'"),
        (r#"{"name":{"$ninstr":"a"}}"#, "!name has 'a'"),
        (r#"{"name":{"$hasSubstring":"a_"}}"#, "name has 'a_'"),
        (r#"{"name":{"$startsWith":"a_b"}}"#, r"name ~'a\_b%'"),
        (r#"{"status":{"$like":"n%"},"uuid":{"$like":"0%"}}"#, "(status ~'n%' & uuid ~'0%')"),
        (r#"{"name":"\ud83d\ude00"}"#, "name $eq '😀'"),
    ]);
}

#[test]
fn operands_are_typed() {
    check(&[
        (r#"{"team_id":9007199254740993}"#, "team_id $eq 9007199254740993"),
        (r#"{"team_id":"12"}"#, "team_id $eq 12"),
        (r#"{"team_id":1e2}"#, "team_id $eq 100"),
        (r#"{"budget":1.10}"#, "budget $eq '1.1'"),
        (r#"{"budget":"00012345678901234567890.50"}"#, "budget $eq '12345678901234567890.5'"),
        (r#"{"ratio":0.1}"#, "ratio $eq '0.1'"),
        (r#"{"ratio":"-Infinity"}"#, "ratio $eq '-Infinity'"),
        (r#"{"short":0.10000000149}"#, "short $eq '0.1'"),
        (r#"{"active":true}"#, "active $eq true"),
        (r#"{"active":"false"}"#, "active $eq false"),
        (r#"{"active":1}"#, "active $eq true"),
        (
            r#"{"uuid":"6F2C1D1E5A0B4C3D9E8F0123456789AB"}"#,
            "uuid $eq '6f2c1d1e-5a0b-4c3d-9e8f-0123456789ab'",
        ),
        (r#"{"changed":"2022-03-20T02:00:00+02:00"}"#, "changed $eq '2022-03-20T00:00:00'"),
        (
            r#"{"changed_tz":{"$date":"2022-03-20T00:00:00.50Z"}}"#,
            "changed_tz $eq '2022-03-20T00:00:00.5Z'",
        ),
        (r#"{"changed":{"$gt":{"$date":"2022-03-20"}}}"#, "changed $gt '2022-03-20T00:00:00'"),
        (
            r#"{"opens":"08:30","opens_tz":"08:30+01"}"#,
            "(opens $eq '08:30:00' & opens_tz $eq '08:30:00+01:00')",
        ),
        (
            r#"{"span":"P1D","status":"new","other":"x","code":"a "}"#,
            "(span $eq 'P1D' & status $eq 'new' & other $eq 'x' & code $eq 'a ')",
        ),
    ]);
}

#[test]
fn integers_compare_exactly() {
    const ALL: &str = "points $gte -9223372036854775808";
    const NONE: &str = "points in 1..0";
    check(&[
        (r#"{"points":1.5}"#, NONE),
        (r#"{"points":{"$ne":1.5}}"#, ALL),
        (r#"{"points":{"$gt":1.5}}"#, "points $gt 1"),
        (r#"{"points":{"$gte":1.5}}"#, "points $gt 1"),
        (r#"{"points":{"$lt":-1.5}}"#, "points $lte -2"),
        (r#"{"points":{"$lte":-1.5}}"#, "points $lte -2"),
        (r#"{"points":{"$gt":9223372036854775808}}"#, NONE),
        (r#"{"points":{"$lt":9223372036854775808}}"#, ALL),
        (r#"{"points":{"$ne":9223372036854775808}}"#, ALL),
        (r#"{"points":{"$gt":-1e300}}"#, ALL),
        (r#"{"points":{"$lte":-1e300}}"#, NONE),
        (r#"{"points":{"$between":[1.5,2.5]}}"#, "points in 2..2"),
        (
            r#"{"points":{"$between":[-1e30,1e30]}}"#,
            "points in -9223372036854775808..9223372036854775807",
        ),
        (r#"{"points":{"$between":[1e30,null]}}"#, NONE),
        (r#"{"points":{"$between":[null,-1e30]}}"#, NONE),
    ]);
}

#[test]
fn paths() {
    check(&[
        (r#"{"engine.name":"V6"}"#, "engine.name $eq 'V6'"),
        (
            r#"{"engine":{"name":"V6","power":{"$gt":5}}}"#,
            "(engine.name $eq 'V6' & engine.power $gt 5)",
        ),
        (
            r#"{"engine":{"$or":[{"name":"V6"},{"power":5}]}}"#,
            "(engine.name $eq 'V6' | engine.power $eq 5)",
        ),
        (r#"{"ENGINE":{"NAME":"V6","points":1}}"#, "(engine.name $eq 'V6' & points $eq 1)"),
        (
            r#"{"engine":{"power":{"$or":[{"$gt":5},{"name":"V6"}]}}}"#,
            "(engine.power $gt 5 | engine.name $eq 'V6')",
        ),
        (r#"{"engine":{"$not":{"name":"V6"}}}"#, "!engine.name $eq 'V6'"),
        (r#"{"driver.name":"A"}"#, "driver.name $eq 'A'"),
        (r#"{"titles":{"$gt":2000}}"#, "titles $gt 2000"),
    ]);
    // A column may appear at two paths; `short` shows the first.
    check(&[(r#"{"home.city":"A"}"#, "name $eq 'A'"), (r#"{"home":{"zip":"1"}}"#, "code $eq '1'")]);
}

#[test]
fn orders() {
    use Direction::{Ascending, Descending};
    let fields = sample::fields();
    for (order, expected) in [
        (r#"{"name":"asc","POINTS":"Desc"}"#, vec![("name", Ascending), ("points", Descending)]),
        (r#"{"points":1,"name":-1}"#, vec![("points", Ascending), ("name", Descending)]),
        (r#"{"points":"1","name":"-1"}"#, vec![("points", Ascending), ("name", Descending)]),
        (
            r#"[{"points":1},{"name":-1,"POINTS":-1}]"#,
            vec![("points", Ascending), ("name", Descending)],
        ),
        (r#"{"engine.power":1}"#, vec![("engine.power", Ascending)]),
        ("{}", vec![]),
        ("[]", vec![]),
    ] {
        let q = format!(r#"{{"$orderby":{order}}}"#);
        let filter = parse(&q, &fields, &Limits::default()).unwrap();
        let found: Vec<_> = filter
            .order
            .iter()
            .map(|term| (term.value.whole_column().unwrap(), term.direction))
            .collect();
        let expected: Vec<_> = expected
            .into_iter()
            .map(|(path, direction)| (sample::field(path), direction))
            .collect();
        assert_eq!(found, expected, "{q}");
        assert_eq!(filter.expr, Expr::all());
    }
    let q = r#"{"points":1,"$orderby":{"name":1},"name":"A"}"#;
    let filter = parse(q, &fields, &Limits::default()).unwrap();
    assert_eq!(
        (short(&filter.expr, &fields).as_str(), filter.order.len()),
        ("(points $eq 1 & name $eq 'A')", 1)
    );
}
