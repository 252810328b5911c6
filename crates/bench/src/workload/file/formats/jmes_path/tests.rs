//! Expressions and what they find, as JMeter writes it.

use super::*;

const DOCUMENT: &str = r#"{"z": {"n": 2, "m": [1, 2.50, 1e3]}, "a": [{"name": "b", "id": 2, "on": true}, {"name": "a", "id": 1.0},
  {"id": 3, "tags": ["x", "y"]}], "t": "Ünï", "e": [], "q": "a\"\u001f"} behind"#;

fn found(expression: &str) -> String {
    let path = JmesPath::read(expression).unwrap_or_else(|why| panic!("{expression}: {why}"));
    path.value_in(DOCUMENT).map_or_else(|| "-".to_owned(), |value| text(&value))
}

#[test]
fn expressions_find_what_jmeter_finds() {
    for (expression, expected) in [
        ("t", "Ünï"),
        ("z", r#"{"n":2,"m":[1,2.5,1000.0]}"#),
        ("z.*", "[2,[1,2.5,1000.0]]"),
        ("keys(@)", r#"["z","a","t","e","q"]"#),
        ("q | to_string([@])", r#"["a\"\u001F"]"#),
        ("a[*].name", r#"["b","a"]"#),
        ("a[].tags[]", r#"["x","y"]"#),
        ("a[?id > `1`].id", "[2,3]"),
        ("a[?id == `1`] | [0].name", "a"),
        ("a[?on].{n: name, i: id}", r#"[{"n":"b","i":2}]"#),
        ("a[0].[name, id]", r#"["b",2]"#),
        ("a[::-1].id", "[3,1.0,2]"),
        ("a[-2].name", "a"),
        ("a[1:].id", "[1.0,3]"),
        ("sort_by(a, &id)[].id", "[1.0,2,3]"),
        ("max_by(a, &id).tags", r#"["x","y"]"#),
        ("min_by(a, &id).name", "a"),
        ("sum(a[].id)", "6.0"),
        ("avg(e)", "null"),
        ("length(a)", "3"),
        ("length(t)", "3"),
        ("to_number('12')", "12"),
        ("to_number('1.5')", "1.5"),
        ("sum(z.m)", "1003.5"),
        ("to_string(z.m)", "[1,2.5,1000.0]"),
        ("join('-', a[].name)", "b-a"),
        ("merge(z, {k: t})", r#"{"n":2,"m":[1,2.5,1000.0],"k":"Ünï"}"#),
        ("map(&name, a)", r#"["b","a",null]"#),
        ("reverse(t)", "ïnÜ"),
        ("contains(t, 'n')", "true"),
        ("type(e)", "array"),
        ("not_null(nothing, t)", "Ünï"),
        ("nothing || t", "Ünï"),
        ("nothing && t", "null"),
        ("!e", "true"),
        ("t < 'x'", "null"),
        ("sort(a[].name)", r#"["a","b"]"#),
        ("sum(a)", "-"),
        ("sort(a[].id)", "[1.0,2,3]"),
        ("ceil(`1.5`)", "2.0"),
        ("abs(`-20000000`)", "2.0E7"),
    ] {
        assert_eq!(found(expression), expected, "{expression}");
    }
}

#[test]
fn expressions_that_are_not_taken_say_why() {
    for (expression, why) in [
        ("", ""),
        ("a[", ""),
        ("nothing(a)", "there is no function nothing"),
        ("length(a, b)", "length takes other values"),
        ("sort_by(a, name)", "sort_by takes other values"),
        ("length(&a)", "length takes other values"),
        (r#"`{"b": 1, "a": 2}`"#, "an object of several members"),
        ("a[::0]", ""),
    ] {
        let said = JmesPath::read(expression).unwrap_err();
        assert!(said.contains(why), "{expression}: {said}");
    }
    let all = JmesPath::read("@").unwrap();
    assert_eq!(all.value_in("no JSON"), None);
    assert_eq!(all.texts_in("[1, null, {}] x").unwrap(), ["1", "null", "{}"]);
    assert_eq!(all.texts_in("null").unwrap(), [""; 0]);
    let same = |one: &str, other: &str| is_same(&document(one).unwrap(), &document(other).unwrap());
    assert!(same(r#"{"a":1.50,"b":[2]}"#, r#"{"b":[2],"a":1.5}"#) && !same("1", "1.0"));
}
