//! Controllers: whether and how often the steps in them run.

use super::condition::condition;
use super::place::{Reader, Scope, pairs_of};
use super::sampler::{action, sampler};
use super::table::{self, Part};
use crate::workload::file::definition::{Choose, Each, Go, Limit, Scalar, Step};
use crate::xml::Element;

/// Compiles the samplers and controllers of a tree.
pub(super) fn steps(scope: &Scope, tree: Option<&Element>, reader: &mut Reader<'_>) -> Vec<Step> {
    let mut steps = Vec::new();
    for (element, below) in pairs_of(tree) {
        match table::of(&element.tag).map(|row| row.part) {
            Some(Part::Sampler) => {
                reader.check(element);
                let inner = reader.scope(scope, below, 2);
                steps.extend(match element.tag.as_str() {
                    "TestAction" => action(element, &inner, reader),
                    _ => sampler(element, inner, reader),
                });
            }
            Some(Part::Controller) => {
                reader.check(element);
                let inner = reader.scope(scope, below, 2);
                steps.extend(controller(element, &inner, below, reader));
            }
            _ => {}
        }
    }
    steps
}

fn controller(
    element: &Element,
    scope: &Scope,
    below: Option<&Element>,
    reader: &mut Reader<'_>,
) -> Vec<Step> {
    if ["InterleaveControl", "RandomController"].contains(&element.tag.as_str()) {
        return choice(element, scope, below, reader);
    }
    let inside = steps(scope, below, reader);
    let step = match element.tag.as_str() {
        "GenericController" => return inside,
        "LoopController" => Step { times: Some(times(element, reader)), ..Step::default() },
        "IfController" => return condition_of(element, inside, reader),
        "WhileController" => return during(element, inside, reader),
        "ForeachController" => each(element, reader),
        "OnceOnlyController" => Step { once: true, ..Step::default() },
        "ThroughputController" => Step { limit: Some(limit(element, reader)), ..Step::default() },
        _ => Step {
            measure: Some(super::sampler::label(element, reader)),
            // JMeter counts them where the plan does not say so.
            pauses: element.text_of("TransactionController.includeTimers") != "false",
            whole: element.is_true("TransactionController.parent"),
            ..Step::default()
        },
    };
    match inside.is_empty() {
        true => Vec::new(),
        false => vec![Step { step: inside, ..step }],
    }
}

/// One of the elements in each pass.
fn choice(
    element: &Element,
    scope: &Scope,
    below: Option<&Element>,
    reader: &mut Reader<'_>,
) -> Vec<Step> {
    let is_part =
        |element: &Element, part| table::of(&element.tag).is_some_and(|row| row.part == part);
    let inside = pairs_of(below);
    let has_controllers = inside.iter().any(|(element, _)| is_part(element, Part::Controller));
    if has_controllers && element.text_of("InterleaveControl.style") != "1" {
        reader.refuse(element, "takes one sampler of each controller in it, which is not taken");
    }
    let mut branches = Vec::new();
    for (one, below) in inside {
        let mut inside = match table::of(&one.tag).map(|row| row.part) {
            Some(Part::Sampler) => {
                reader.check(one);
                let inner = reader.scope(scope, below, 2);
                if one.tag == "TestAction" {
                    action(one, &inner, reader)
                } else {
                    sampler(one, inner, reader)
                }
            }
            Some(Part::Controller) => {
                reader.check(one);
                let inner = reader.scope(scope, below, 2);
                controller(one, &inner, below, reader)
            }
            _ => continue,
        };
        branches.extend(match inside.len() {
            0 => None,
            1 => inside.pop(),
            _ => Some(Step { times: Some(Scalar::Whole(1)), step: inside, ..Step::default() }),
        });
    }
    let choose = match element.tag.as_str() {
        "RandomController" => Choose::AtRandom,
        _ => Choose::InTurn,
    };
    match branches.is_empty() {
        true => Vec::new(),
        false => vec![Step { choose: Some(choose), step: branches, ..Step::default() }],
    }
}

/// How often a loop runs.
fn times(element: &Element, reader: &mut Reader<'_>) -> Scalar {
    let text = element.text_of("LoopController.loops").trim();
    let forever =
        text == "-1" || text.is_empty() && element.is_true("LoopController.continue_forever");
    match forever {
        true => Scalar::Text("forever".into()),
        false => Scalar::Text(reader.text(text, element.line)),
    }
}

fn condition_of(element: &Element, inside: Vec<Step>, reader: &mut Reader<'_>) -> Vec<Step> {
    let given = element.text_of("IfController.condition");
    let Some(condition) = reader.taken(condition(given, element.line)) else { return Vec::new() };
    let when =
        |step: Vec<Step>| Step { condition: Some(condition.clone()), step, ..Step::default() };
    match element.is_true("IfController.evaluateAll") {
        _ if inside.is_empty() => Vec::new(),
        true => inside.into_iter().map(|step| when(vec![step])).collect(),
        false => vec![when(inside)],
    }
}

/// A loop runs while its condition is not `false`; without one, until a sample in it fails.
fn during(element: &Element, mut inside: Vec<Step>, reader: &mut Reader<'_>) -> Vec<Step> {
    if inside.is_empty() {
        return Vec::new();
    }
    let given = element.text_of("WhileController.condition").trim();
    if given.is_empty() {
        let leave = Step { go: Some(Go::LeaveLoop), ..Step::default() };
        let failed = Some("! ${last_ok()}".to_owned());
        inside.push(Step { condition: failed, step: vec![leave], ..Step::default() });
        let times = Some(Scalar::Text("forever".into()));
        return vec![Step { times, step: inside, ..Step::default() }];
    }
    let during = match given {
        "LAST" => Some("${last_ok()}".to_owned()),
        given => reader.taken(condition(given, element.line)).map(|condition| {
            match condition.contains(' ') {
                true => condition,
                false => format!("{condition} != \"false\""),
            }
        }),
    };
    let Some(during) = during else { return Vec::new() };
    vec![Step { during: Some(during), step: inside, ..Step::default() }]
}

fn each(element: &Element, reader: &mut Reader<'_>) -> Step {
    let mut number = |name: &str| {
        let text = reader.constant(element, name);
        match text.trim() {
            "" => None,
            text => text
                .parse()
                .map_err(|_| {
                    reader
                        .refuse(element, &format!("has {name} {text:?}, which is no whole number"));
                })
                .ok(),
        }
    };
    let after = number("ForeachController.startIndex").unwrap_or(0);
    let to = number("ForeachController.endIndex");
    let has_separator = element.text_of("ForeachController.useSeparator") != "false";
    let each = Each {
        of: reader.constant(element, "ForeachController.inputVal").trim().to_owned(),
        value: reader.constant(element, "ForeachController.returnVal").trim().to_owned(),
        after,
        to,
        separator: if has_separator { "_".into() } else { String::new() },
    };
    Step { each: Some(each), ..Step::default() }
}

/// A share of the passes: style 1 is percent. The value is a property of its own for numbers and for texts.
fn limit(element: &Element, reader: &mut Reader<'_>) -> Limit {
    let is_percent = element.text_of("ThroughputController.style") == "1";
    let name = match is_percent {
        true => "ThroughputController.percentThroughput",
        false => "ThroughputController.maxThroughput",
    };
    let float = element.children.iter().find(|child| {
        child.tag == "FloatProperty"
            && child.children.iter().any(|part| part.tag == "name" && part.text == name)
    });
    let value = float.and_then(|float| float.children.iter().find(|part| part.tag == "value"));
    let text = match element.property(name) {
        Some(property) => &property.text,
        None => value.map_or("", |value| value.text.as_str()),
    };
    let value = Some(Scalar::Text(reader.text(text, element.line)));
    let each_user = element.is_true("ThroughputController.perThread");
    match is_percent {
        true => Limit { percent: value, times: None, each_user },
        false => Limit { percent: None, times: value, each_user },
    }
}
