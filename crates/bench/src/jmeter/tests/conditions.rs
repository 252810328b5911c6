//! Conditions of plans are those of their languages: what a text and a number are to each other.

use super::*;

/// Variables of a plan.
fn variables(pairs: &[(&str, &str)]) -> String {
    let one = |(name, value): &(&str, &str)| {
        format!(
            "<elementProp name=\"{name}\">{}{}</elementProp>",
            property("Argument.name", name),
            property("Argument.value", value)
        )
    };
    let all: String = pairs.iter().map(one).collect();
    below(
        "Arguments",
        &format!("<collectionProp name=\"Arguments.arguments\">{all}</collectionProp>"),
        "",
    )
}

#[test]
fn texts_are_no_numbers() {
    let cases = [
        ("\"007\" == \"7\"", false),
        ("\"1.0\" == \"1\"", false),
        ("\"1e3\" == \"1000\"", false),
        ("\"007\" != \"7\"", true),
        ("1 === \"1\"", false),
        ("1 == \"1\"", true),
        ("1.0 == 1", true),
        ("\"10\" < \"9\"", true),
        ("10 < 9", false),
        ("\"${one}\" == 1", true),
        ("\"${one}\" == \"1\"", false),
        ("${one} == 1", true),
        ("\"${word}\" == 1", false),
        ("1 != \"${word}\"", true),
        ("1 != \"${one}\"", false),
        ("5 > \"${ten}\"", false),
        ("5 > \"${one}\"", true),
        ("5 > \"${word}\"", false),
        ("5 > \"${blank}\"", true),
        ("\"${blank}\" == 0", true),
        ("\"${blank}\" != 0", false),
        ("${__groovy(\"007\" == \"7\")}", false),
        ("${__groovy('10' < '9')}", true),
        ("${__groovy(vars.get('ten') == \"10\")}", true),
        ("${__groovy(vars.get('ten') < \"9\")}", true),
        ("${__groovy(vars.get('ten').toInteger() < 9)}", false),
        ("${__jexl3(\"007\" == \"7\")}", false),
        ("${__jexl3(\"${one}\" == 1)}", true),
        ("${__jexl3(\"${word}\" != 1)}", false),
        ("${__jexl3(9007199254740993 == 9007199254740992)}", false),
    ];
    let inside: String = cases
        .iter()
        .enumerate()
        .map(|(at, (condition, _))| {
            let condition = condition.replace('<', "&lt;").replace('>', "&gt;");
            let condition = property("IfController.condition", &condition);
            below("IfController", &condition, &get("then", &format!("/{at}"), ""))
        })
        .collect();
    let values = variables(&[("one", "1.0"), ("ten", "10"), ("word", "x"), ("blank", "")]);
    let sent = paths(&group("ThreadGroup", "1", "1", &(values + &inside)));
    for (at, (condition, expected)) in cases.iter().enumerate() {
        assert_eq!(sent.contains(&format!("/{at}")), *expected, "{condition}");
    }
}

/// JMeter computes no text of a loop, and a text that is never `false` never ends it.
#[test]
fn a_loop_takes_no_comparison_that_nothing_computes() {
    let with = |condition: &str| {
        let condition = property("WhileController.condition", condition);
        let plan = below("WhileController", &condition, &get("a", "/a", ""));
        ran(&group("ThreadGroup", "1", "1", &plan)).map(|ran| ran.asked.len())
    };
    assert_eq!(with("false").unwrap(), 0);
    for text in ["\"10\" &lt; \"9\"", "\"${a}\" == \"x\"", "${a} ${b}"] {
        let problems = with(text).unwrap_err();
        assert!(problems[0].message.contains("which nothing computes"), "{problems:?}");
    }
}
