//! Controllers: whether and how often the steps in them run.

use super::condition::{condition, is_wrapped};
use super::place::{Reader, Scope, pairs_of};
use super::sampler::{action, sampler};
use super::table::{self, Part};
use crate::workload::file::NumberKind;
use crate::workload::file::definition::{Choose, Each, Go, Limit, Scalar, Step};
use crate::workload::file::functions::closing;
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
    match element.tag.as_str() {
        "InterleaveControl" | "RandomController" | "RandomOrderController" => {
            return choice(element, scope, below, reader);
        }
        "SwitchController" => return switch(element, scope, below, reader),
        _ => {}
    }
    let mut inside = steps(scope, below, reader);
    if inside.is_empty() {
        return Vec::new();
    }
    if element.tag != "LoopController" {
        // Once for each run of a loop, where they are right in it.
        inside.iter_mut().for_each(|step| step.once_again = false);
    }
    let step = match element.tag.as_str() {
        "GenericController" => return inside,
        "LoopController" => Step { times: Some(times(element, reader)), ..Step::default() },
        "IfController" => return condition_of(element, inside, reader),
        "WhileController" => {
            let counted = counted(element, inside, reader);
            let (first, inside) = counted;
            return first.into_iter().chain(during(element, inside, reader)).collect();
        }
        "ForeachController" => each(element, reader),
        "OnceOnlyController" => Step { once: true, once_again: true, ..Step::default() },
        "RunTime" => {
            let seconds = reader.scalar(element, "RunTime.seconds", NumberKind::Count);
            Step { for_seconds: Some(seconds), ..Step::default() }
        }
        "ThroughputController" => Step { limit: Some(limit(element, reader)), ..Step::default() },
        _ => Step {
            measure: Some(super::sampler::label(element, reader)),
            // JMeter counts them where the plan does not say so.
            pauses: element.text_of("TransactionController.includeTimers") != "false",
            whole: element.is_true("TransactionController.parent"),
            ..Step::default()
        },
    };
    let repeats = step.times.is_some() || step.each.is_some();
    let (mut out, inside) = match repeats {
        true => counted(element, inside, reader),
        false => (Vec::new(), inside),
    };
    out.push(Step { step: inside, ..step });
    out
}

/// Counts the passes of a loop as `__jm__NAME__idx`, where the plan reads such numbers: what is set before the loop, and
/// the steps in it.
fn counted(
    element: &Element,
    mut inside: Vec<Step>,
    reader: &Reader<'_>,
) -> (Vec<Step>, Vec<Step>) {
    if !reader.reads_passes || element.name().contains(['$', '{', '}', '(', ')', ',']) {
        return (Vec::new(), inside);
    }
    let name = format!("__jm__{}__idx", element.name());
    let set = |value: String| Step {
        set: [(name.clone(), Scalar::Text(value))].into(),
        ..Step::default()
    };
    inside.push(set(format!("${{sum(${{{name}}},1)}}")));
    (vec![set("0".into())], inside)
}

/// The steps of each element of a tree, with the element.
fn branches<'e>(
    scope: &Scope,
    below: Option<&'e Element>,
    reader: &mut Reader<'_>,
) -> Vec<(&'e Element, Option<&'e Element>, Step)> {
    let mut branches = Vec::new();
    for (one, below) in pairs_of(below) {
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
        let step = match inside.len() {
            1 => inside.pop(),
            0 => None,
            _ => Some(Step { times: Some(Scalar::Whole(1)), step: inside, ..Step::default() }),
        };
        branches.extend(step.map(|step| (one, below, step)));
    }
    branches
}

/// One of the elements in each pass, or all in any order.
fn choice(
    element: &Element,
    scope: &Scope,
    below: Option<&Element>,
    reader: &mut Reader<'_>,
) -> Vec<Step> {
    let ignores = element.text_of("InterleaveControl.style") != "1";
    let is_order = element.tag == "RandomOrderController";
    let mut inside = Vec::new();
    for (one, _, mut step) in branches(scope, below, reader) {
        let is_controller = table::of(&one.tag).is_some_and(|row| row.part == Part::Controller);
        if is_controller && ignores && !is_order {
            // One sampler of each controller in it, the next one in each pass.
            let is_plain = |step: &Step| step.http.is_some() || !step.set.is_empty();
            let steps = if step.times.is_some() { step.step } else { vec![step] };
            if one.tag != "GenericController" || !steps.iter().all(is_plain) {
                reader.refuse(
                    one,
                    "is not taken in a controller that takes one sampler of each controller in it",
                );
                continue;
            }
            step = Step { choose: Some(Choose::InTurn), step: steps, ..Step::default() };
        }
        inside.push(step);
    }
    let choose = match element.tag.as_str() {
        "RandomOrderController" => Choose::AllAtRandom,
        "RandomController" => Choose::AtRandom,
        _ => Choose::InTurn,
    };
    match inside.is_empty() {
        true => Vec::new(),
        false => vec![Step { choose: Some(choose), step: inside, ..Step::default() }],
    }
}

/// The element with a number or a name: the first for a number that is too large or empty, `default` for a name that no
/// element has.
fn switch(
    element: &Element,
    scope: &Scope,
    below: Option<&Element>,
    reader: &mut Reader<'_>,
) -> Vec<Step> {
    let value = reader.property(element, "SwitchController.value");
    let branches = branches(scope, below, reader);
    if branches.is_empty() {
        return Vec::new();
    }
    reader.switches += 1;
    let name = format!("__switch_{}", reader.switches);
    let set = Step { set: [(name.clone(), Scalar::Text(value))].into(), ..Step::default() };
    let count = branches.len();
    let mut chain: Vec<Step> = Vec::new();
    let mut conditions = Vec::new();
    for (at, (one, _, step)) in branches.into_iter().enumerate() {
        let Some(quoted) = super::condition::quote(&super::text::literal(one.name())) else {
            reader.refuse(one, "has both kinds of quotes in its name, which a switch cannot tell");
            continue;
        };
        let number = format!("\"${{{name}}}\" matches \"\\s*[0-9]+\\s*\"");
        let mut condition = format!(
            "{number} && ${{{name}}} == {at} || ! ( {number} ) && \"${{{name}}}\" matches {}",
            exactly(&quoted)
        );
        if at == 0 {
            condition +=
                &format!(" || \"${{{name}}}\" == \"\" || {number} && ${{{name}}} >= {count}");
        }
        let is_default = one.name().eq_ignore_ascii_case("default");
        conditions.push((condition, step, is_default));
    }
    let number = format!("\"${{{name}}}\" matches \"\\s*-?[0-9]+\\s*\"");
    let fallback = conditions.iter().find(|(.., is_default)| *is_default);
    if let Some((_, step, _)) = fallback {
        let condition = Some(format!("! ( {number} )"));
        chain = vec![Step { condition, step: vec![step.clone()], ..Step::default() }];
    }
    for (condition, step, _) in conditions.into_iter().rev() {
        let otherwise = std::mem::take(&mut chain);
        let condition = Some(condition);
        chain = vec![Step { condition, step: vec![step], otherwise, ..Step::default() }];
    }
    std::iter::once(set).chain(chain).collect()
}

/// A text in quotes as a regular expression that matches it alone.
fn exactly(quoted: &str) -> String {
    let (quote, inside) = (&quoted[..1], &quoted[1..quoted.len() - 1]);
    format!("{quote}{}{quote}", regex::escape(inside))
}

/// How often a loop runs.
fn times(element: &Element, reader: &mut Reader<'_>) -> Scalar {
    // An empty number is 0, also where the loop goes on forever.
    match element.text_of("LoopController.loops").trim() == "-1" {
        true => Scalar::Text("forever".into()),
        false => reader.scalar(element, "LoopController.loops", NumberKind::Loops),
    }
}

fn condition_of(element: &Element, inside: Vec<Step>, reader: &mut Reader<'_>) -> Vec<Step> {
    let given = element.text_of("IfController.condition");
    let is_text = element.is_true("IfController.useExpression") && !is_wrapped(given);
    let condition = match is_text {
        // It is no condition, but a text that is `true` or another.
        true => match super::condition::quote(&reader.text(given.trim(), element.line)) {
            Some(quoted) => Some(format!("{quoted} matches \"(?i)true\"")),
            None => {
                reader.refuse(element, "has both kinds of quotes in a text that is no condition");
                None
            }
        },
        false => reader.taken(condition(given, element.line)),
    };
    let Some(condition) = condition else { return Vec::new() };
    let when =
        |step: Vec<Step>| Step { condition: Some(condition.clone()), step, ..Step::default() };
    match element.is_true("IfController.evaluateAll") {
        _ if inside.is_empty() => Vec::new(),
        true => inside.into_iter().map(|step| when(vec![step])).collect(),
        false => vec![when(inside)],
    }
}

/// A loop runs while its condition is not `false`; without one, until a sample in it fails. JMeter computes the condition
/// behind each pass, and once more before the next.
fn during(element: &Element, mut inside: Vec<Step>, reader: &mut Reader<'_>) -> Vec<Step> {
    let given = element.text_of("WhileController.condition").trim();
    if given.is_empty() {
        let leave = Step { go: Some(Go::LeaveLoop), ..Step::default() };
        let failed = Some("! ${last_ok()}".to_owned());
        inside.push(Step { condition: failed, step: vec![leave], ..Step::default() });
        let times = Some(Scalar::Text("forever".into()));
        return vec![Step { times, step: inside, ..Step::default() }];
    }
    let is_value = ["true", "false"].contains(&given)
        || given.strip_prefix("${").is_some_and(|inside| closing(inside) == Some(inside.len() - 1));
    let during = match given {
        given if given.eq_ignore_ascii_case("LAST") => Some("${last_ok()}".to_owned()),
        given if !is_value => {
            let message = format!(
                "has the text {given:?}, which nothing computes: put its comparison into ${{__jexl3(…)}}"
            );
            reader.refuse(element, &message);
            None
        }
        given => reader.taken(condition(given, element.line)).map(|condition| {
            match condition.contains(' ') {
                true => condition,
                false => format!("{condition} != \"false\""),
            }
        }),
    };
    let Some(during) = during else { return Vec::new() };
    let during = Some(during);
    vec![Step { during, check_twice: true, step: inside, ..Step::default() }]
}

fn each(element: &Element, reader: &mut Reader<'_>) -> Step {
    let mut number = |name: &str| {
        let text = reader.constant(element, name);
        match text.trim() {
            // A property that is there and empty is 0.
            "" => element.property(name).map(|_| 0),
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
        rewind: true,
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
    let kind = if is_percent { NumberKind::Percent } else { NumberKind::Count };
    let value = Some(reader.scalar(element, name, kind));
    let each_user = element.is_true("ThroughputController.perThread");
    match is_percent {
        true => Limit { percent: value, times: None, each_user },
        false => Limit { percent: None, times: value, each_user },
    }
}
