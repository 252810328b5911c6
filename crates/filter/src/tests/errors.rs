//! What is refused: the code, the byte position, the hint.

use duet_model::Code;
use duet_text::error::Place;

use super::sample;
use crate::{Limits, parse};

/// Each case: the filter, its code, the text that starts at the position, and a part of the
/// message or hint.
fn check(cases: &[(&str, Code, &str, &str)]) {
    let fields = sample::fields();
    for (q, code, at, says) in cases {
        let error = parse(q, &fields, &Limits::default()).expect_err(q);
        assert_eq!(error.code, *code, "{q}: {error}");
        assert_eq!(error.code.status(), 400);
        let Some(Place::Offset(offset)) = error.place else { panic!("{q}: {error:?}") };
        assert!(q[offset..].starts_with(at), "{q}: at {offset}");
        assert!(error.to_string().contains(says), "{q}: {error}");
    }
}

#[test]
fn names() {
    check(&[
        (r#"{"pionts":1}"#, Code::FilterField, "\"pio", "Did you mean `points`?"),
        (r#"{"$or":[{"nmae":1}]}"#, Code::FilterField, "\"nmae", "Did you mean `name`?"),
        (r#"{"laps":1}"#, Code::FilterField, "\"laps", "`driver.laps`"),
        (r#"{"engine":{"pwoer":1}}"#, Code::FilterField, "\"pwo", "`engine.power`"),
        (r#"{"twin":1}"#, Code::FilterField, "\"twin", "`Twin` or `TWIN`"),
        (r#"{"driver":{"name":"A"}}"#, Code::FilterField, "\"driver", "`driver.name`"),
        (r#"{"driver":null}"#, Code::FilterField, "\"driver", "`driver.name`"),
        (r#"{"engine":5}"#, Code::FilterGrammar, "5", "`engine` is an object"),
        (r#"{"points":{"$gte ":1}}"#, Code::FilterOperator, "\"$gte", "`$gte`"),
        (r#"{"points":{"$GT":1}}"#, Code::FilterOperator, "\"$GT", "`$gt`"),
        (r#"{"points":{"$elephant":1}}"#, Code::FilterOperator, "\"$el", "The operators are $eq"),
        (r#"{"$orderby":{"nmae":1}}"#, Code::FilterField, "\"nmae", "`name`"),
        (r#"{"name":{"é":1}}"#, Code::FilterField, "\"é", "has no field `é`"),
    ]);
}

#[test]
fn grammar() {
    check(&[
        ("[]", Code::FilterGrammar, "[", "A filter is an object, not an array"),
        ("5", Code::FilterGrammar, "5", "a number"),
        ("", Code::FilterSyntax, "", "ends"),
        (r#"{"name":"A"} x"#, Code::FilterSyntax, "x", "the end of the filter"),
        (r#"{"name":"A","name":"B"}"#, Code::FilterGrammar, "\"name\":\"B\"", "given twice"),
        (r#"{"$and":[{"$lt":5000}]}"#, Code::FilterContext, "\"$lt", "no field"),
        (r#"{"$gt":1}"#, Code::FilterContext, "\"$gt", "no field"),
        (r#"{"points":{"engine":{"$gt":1}}}"#, Code::FilterContext, "\"$gt", "no field"),
        (r#"{"points":{}}"#, Code::FilterGrammar, "{}}", "empty object"),
        (r#"{"points":[]}"#, Code::FilterGrammar, "[]", "empty array"),
        (r#"{"$or":[]}"#, Code::FilterGrammar, "[]", "empty array"),
        (r#"{"$or":[{}]}"#, Code::FilterGrammar, "{}]", "empty object"),
        (r#"{"$not":{}}"#, Code::FilterGrammar, "{}}", "empty object"),
        (r#"{"$not":5}"#, Code::FilterGrammar, "5", "`$not` takes an array"),
        (r#"{"points":[1,2]}"#, Code::FilterGrammar, "1,2", "use `$in`"),
        (r#"{"points":{"$or":[1,2]}}"#, Code::FilterGrammar, "1,2", "use `$in`"),
        (r#"{"$or":[{"$orderby":{"name":1}}]}"#, Code::FilterGrammar, "\"$orderby", "top"),
        (r#"{"$date":"2022-03-20"}"#, Code::FilterGrammar, "\"$date", "operand"),
        (r#"{"$orderby":"name"}"#, Code::FilterGrammar, "\"name", "takes an object"),
        (r#"{"$orderby":["name"]}"#, Code::FilterGrammar, "\"name", "takes an object"),
        (r#"{"$orderby":{"name":"up"}}"#, Code::FilterOperand, "\"up", "direction"),
        (r#"{"$orderby":{"name":2}}"#, Code::FilterOperand, "2", "direction"),
    ]);
}

#[test]
fn regular_expressions() {
    let long = format!(r#"{{"name":{{"$regex":"{}"}}}}"#, "a".repeat(257));
    let repeated = r#"{"name":{"$regex":"(ab){200}"}}"#;
    let many = r#"{"name":{"$regex":"x"}}"#;
    let many = format!(r#"{{"$or":[{}]}}"#, [many; 17].join(","));
    check(&[
        (r#"{"name":{"$regex":"a**"}}"#, Code::FilterOperand, "\"a**", "character 3"),
        (r#"{"name":{"$regex":"\\bx"}}"#, Code::FilterOperand, "\"\\\\b", "word boundaries"),
        (r#"{"name":{"$regex":7}}"#, Code::FilterOperand, "7", "searched for a string"),
        (r#"{"points":{"$regex":"7"}}"#, Code::FilterOperand, "\"7", "searched as text"),
        (&long, Code::FilterLimit, "\"aaa", "257"),
        (repeated, Code::FilterLimit, "\"(ab", "400"),
        (&many, Code::FilterLimit, "{\"$or", "272"),
    ]);
}

#[test]
fn unsupported() {
    check(&[
        (r#"{"$asof":5}"#, Code::FilterUnsupported, "\"$asof", "leave `$asof` out"),
        (r#"{"tags":{"$all":["a"]}}"#, Code::FilterUnsupported, "\"$all", "`$and`"),
        (
            r#"{"$orderby":{"driver.name":1}}"#,
            Code::FilterUnsupported,
            "\"driver",
            "below an array",
        ),
        (r#"{"$orderby":{"tags":1}}"#, Code::FilterUnsupported, "\"tags", "ARRAY and has no order"),
        (r#"{"extra.a":{"$text":"x"}}"#, Code::FilterUnsupported, "\"x", "not offered"),
        (r#"{"name":{"$overlaps":"[1,2)"}}"#, Code::FilterUnsupported, "\"[1", "no ranges"),
        (r#"{"driver.note":{"$ne":null}}"#, Code::FilterUnsupported, "null", "below an array"),
    ]);
}

#[test]
fn operands() {
    let operand = Code::FilterOperand;
    check(&[
        (r#"{"points":"many"}"#, operand, "\"many", "`points` is INTEGER and must be a number"),
        (r#"{"points":true}"#, operand, "true", "not with a boolean"),
        (r#"{"points":{"$eq":{"a":1}}}"#, operand, "{\"a", "not with an object"),
        (r#"{"points":1e1000}"#, operand, "1e1000", "exponent"),
        (r#"{"points":{"$gt":null}}"#, operand, "null", "$null"),
        (r#"{"points":{"$like":"1%"}}"#, operand, "\"1%", "INTEGER and cannot be searched"),
        (r#"{"founded":{"$instr":"1"}}"#, operand, "\"1", "DATE"),
        (r#"{"name":5}"#, operand, "5", "compared with a string, not with a number"),
        (r#"{"name":{"$like":5}}"#, operand, "5", "not a number"),
        (r#"{"name":{"$like":"a\\"}}"#, operand, "\"a", "lone `\\`"),
        (r#"{"name":{"$date":"2022-03-20"}}"#, operand, "{\"$date", "does not take a `$date`"),
        (r#"{"founded":{"$date":5}}"#, operand, "\"$date", "takes a string"),
        (
            r#"{"founded":{"$date":"2022-03-20","$gt":1}}"#,
            operand,
            "\"$date",
            "no other operator beside it",
        ),
        (r#"{"founded":"2022-03-20T12:00:00Z"}"#, operand, "\"2022", "midnight"),
        (r#"{"founded":20220320}"#, operand, "2022", "a string or a `$date`"),
        (r#"{"changed":"yesterday"}"#, operand, "\"yes", "a date and time"),
        (r#"{"status":"olds"}"#, operand, "\"olds", "Did you mean `old`?"),
        (r#"{"status":"gone"}"#, operand, "\"gone", "must be one of `new`, `old`."),
        (r#"{"uuid":"x"}"#, operand, "\"x", "a UUID"),
        (r#"{"span":"1 day"}"#, operand, "\"1 day", "ISO 8601"),
        (r#"{"ratio":1e400}"#, operand, "1e400", "to 1.7976931348623157e308"),
        (r#"{"short":1e39}"#, operand, "1e39", "to 3.4028235e38"),
        (r#"{"extra":{"$eq":{"$date":"x"}}}"#, operand, "{\"$date", "compare with a string"),
        (r#"{"extra.a":{"$gt":true}}"#, operand, "true", "no order"),
        (r#"{"extra.a":{"$like":"a\\"}}"#, operand, "\"a", "lone"),
        (r#"{"extra.a":{"$between":[null,null]}}"#, operand, "[null,null]", "not both"),
        (r#"{"tags":"x"}"#, operand, "\"x", "ARRAY"),
        (r#"{"logo":{"$in":[]}}"#, operand, "[]", "BINARY"),
        (r#"{"logo":{"$instr":"a"}}"#, operand, "\"a", "BINARY"),
        (r#"{"points":{"$between":[1]}}"#, operand, "[1]", "two values"),
        (r#"{"points":{"$between":5}}"#, operand, "5", "two values"),
        (r#"{"points":{"$between":[null,null]}}"#, operand, "[null", "not both"),
        (r#"{"points":{"$in":5}}"#, operand, "5", "array"),
        (r#"{"points":{"$in":[[1]]}}"#, operand, "[1]", "an array"),
        (r#"{"points":{"$null":5}}"#, operand, "5", "takes null"),
        (r#"{"points":{"$notnull":false}}"#, operand, "false", "takes null"),
        (r#"{"points":{"$exists":1}}"#, operand, "1", "true or false"),
        (r#"{"name":"a\u0000"}"#, Code::NulCharacter, "\\u0000", "NUL"),
    ]);
}

#[test]
fn limits() {
    let fields = sample::fields();
    let refuse = |q: &str, limits: Limits, says: &str| {
        let error = parse(q, &fields, &limits).unwrap_err();
        assert_eq!(error.code, Code::FilterLimit, "{error}");
        assert!(error.message.contains(says), "{error}");
    };
    let usual = Limits::default();
    refuse(&format!("{{\"name\":\"{}\"}}", "x".repeat(10_000_000)), usual, "1048576 bytes");
    let deep = format!("{}{{\"name\":1}}{}", r#"{"$and":["#.repeat(30), "]}".repeat(30));
    refuse(&deep, usual, "32 objects");
    refuse(&"[".repeat(60_000), usual, "32 objects");
    refuse(&"[".repeat(60_000), Limits { depth: usize::MAX, ..usual }, "128 objects");
    let wide = format!(r#"{{"points":[{}{{"$gt":1}}]}}"#, r#"{"$gt":1},"#.repeat(1_000));
    refuse(&wide, usual, "1000 conditions");
    let wide = format!(r#"{{"$and":[{}{{"name":"a"}}]}}"#, r#"{"name":"a"},"#.repeat(999));
    refuse(&wide, usual, "1000 conditions");
    let wide = format!(r#"{{"points":[{}{{"$gt":1}}]}}"#, r#"{"$gt":1},"#.repeat(999));
    assert!(parse(&wide, &fields, &usual).is_ok());
    let list = format!(r#"{{"points":{{"$in":[{}1]}}}}"#, "1,".repeat(10_000));
    refuse(&list, usual, "10000 values");
    let list = format!(r#"{{"points":{{"$in":[{}1]}}}}"#, "1,".repeat(9_999));
    let lists = format!(r#"{{"$or":[{list},{list},{list}]}}"#);
    assert!(parse(&lists, &fields, &usual).is_ok());
    let lists = format!(r#"{{"$or":[{list},{list},{list},{{"points":1}}]}}"#);
    refuse(&lists, usual, "30000 values");
    refuse(r#"{"$orderby":{"name":1,"points":1}}"#, Limits { nodes: 1, ..usual }, "1 conditions");

    let list = format!(r#"{{"points":{{"$in":[{}1]}}}}"#, "1,".repeat(9_999));
    assert!(parse(&list, &fields, &usual).is_ok());
    let deep = format!("{}{{\"name\":null}}{}", r#"{"$and":["#.repeat(15), "]}".repeat(15));
    assert!(parse(&deep, &fields, &usual).is_ok());
}

#[test]
fn errors_repeat_little_of_the_filter() {
    let fields = sample::fields();
    let long = "x".repeat(5_000);
    for q in [
        format!(r#"{{"{long}":1}}"#),
        format!(r#"{{"${long}":1}}"#),
        format!(r#"{{"engine":{{"{long}":1}}}}"#),
        format!(r#"{{"{long}":1,"{long}":2}}"#),
        format!(r#"{{"points":"{long}"}}"#),
        format!(r#"{{"status":"{long}"}}"#),
        format!(r#"{{"$orderby":{{"{long}":1}}}}"#),
        format!("{{{long}"),
    ] {
        let error = parse(&q, &fields, &Limits::default()).unwrap_err();
        assert!(!error.to_string().contains(&"x".repeat(65)), "{error}");
    }
}
