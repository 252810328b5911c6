//! Thread groups: who runs, when, and how often.

use super::controller::steps;
use super::place::{Reader, Scope};
use crate::workload::file::definition::{Go, Group, KeepCookies, Scalar, When};
use crate::xml::Element;

/// The most that a number of a group may be: seconds as well as threads.
const MOST: u64 = 1_000_000;

/// Compiles a group.
pub(super) fn group(
    element: &Element,
    tree: Option<&Element>,
    outer: &Scope,
    reader: &mut Reader<'_>,
) -> Group {
    reader.check(element);
    let mut scope = reader.scope(outer, tree, 1);
    let is_other = element.text_of("ThreadGroup.same_user_on_next_iteration") == "false";
    if scope.by_group[0] {
        scope.cookies = Some(if is_other { KeepCookies::EachIteration } else { KeepCookies::Keep });
    }
    if let (true, Some(cache)) = (scope.by_group[1], &mut scope.cache) {
        cache.each_iteration = is_other;
    }
    let nested = reader.nested.len();
    let mut inside = steps(&scope, tree, reader);
    inside.iter_mut().for_each(|step| step.once_again = false);
    let mut draw = scope.draw;
    draw.extend(reader.nested.drain(nested..));
    let mut step = scope.first;
    step.append(&mut reader.nested_first);
    step.extend(inside);
    let scheduled = element.is_true("ThreadGroup.scheduler");
    let threads = number(element, "ThreadGroup.num_threads", "number of threads", reader);
    let ramp = number(element, "ThreadGroup.ramp_time", "ramp-up period", reader);
    let mut of_scheduler = |name: &str, what: &str| match scheduled {
        true => number(element, name, what, reader),
        false => None,
    };
    let duration = of_scheduler("ThreadGroup.duration", "duration");
    let delay = of_scheduler("ThreadGroup.delay", "delay");
    let seconds = |seconds: Option<u64>| seconds.map(|seconds| format!("{seconds}s"));
    Group {
        name: element.name().to_owned(),
        when: match element.tag.as_str() {
            "SetupThreadGroup" => When::Setup,
            "PostThreadGroup" => When::Teardown,
            _ => When::Main,
        },
        users: threads.map_or(1, |threads| u32::try_from(threads).unwrap_or(u32::MAX)),
        stages: Vec::new(),
        ramp_up: seconds(ramp),
        delay: seconds(delay),
        iterations: Some(iterations(element, reader)),
        duration: seconds(duration),
        on_failure: match element.text_of("ThreadGroup.on_sample_error") {
            "" | "continue" => Go::On,
            "startnextloop" => Go::NextIteration,
            "stopthread" => Go::EndUser,
            _ => Go::EndRun,
        },
        cookies: scope.cookies,
        jar: scope.jar,
        draw,
        step,
    }
}

fn iterations(element: &Element, reader: &mut Reader<'_>) -> Scalar {
    let controller = element.property("ThreadGroup.main_controller");
    if let (Some(controller), Some(row)) = (controller, super::table::of("LoopController")) {
        reader.check_properties(controller, row, element);
    }
    let loops = controller.map_or("1", |controller| controller.text_of("LoopController.loops"));
    let forever = controller.is_some_and(|own| own.is_true("LoopController.continue_forever"));
    if loops.trim().is_empty() && forever {
        let message = "has no number of loops and goes on forever, with which JMeter sends nothing and does not end: a number of loops of -1 repeats without an end";
        reader.refuse(element, message);
    }
    let text = reader.text(loops, element.line);
    let found = reader.known.evaluate(&text);
    match found.trim() {
        "-1" => Scalar::Text("forever".into()),
        "" => Scalar::Whole(0),
        found => match found.parse() {
            Ok(loops) => Scalar::Whole(loops),
            Err(_) => {
                reader.refuse(element, &format!("has the loops {found:?}, which are no number"));
                Scalar::Whole(1)
            }
        },
    }
}

/// A number of a group; `None` where it is empty.
fn number(element: &Element, name: &str, what: &str, reader: &mut Reader<'_>) -> Option<u64> {
    let text = reader.property(element, name);
    let found = reader.known.evaluate(&text);
    match found.trim() {
        "" => None,
        found => {
            let number = found.parse().ok().filter(|number| *number <= MOST);
            if number.is_none() {
                let message =
                    format!("has the {what} {found:?}, which is no whole number up to {MOST}");
                reader.refuse(element, &message);
            }
            number
        }
    }
}
