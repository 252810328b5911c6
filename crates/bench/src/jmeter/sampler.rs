//! HTTP samplers and their defaults, and flow control.

use super::Problem;
use super::place::{AssertionPlace, Reader, Scope};
use super::text::text;
use crate::workload::file::definition::{
    Follow, Go, Http, OneOrMore, Parameter, ResponseCheck, Step, Wait,
};
use crate::workload::file::{JMETER_METHODS, NumberKind};
use crate::xml::Element;

/// Takes the defaults of requests.
pub(super) fn defaults(reader: &mut Reader<'_>, scope: &mut Scope, element: &Element) {
    let class = element.attribute("guiclass");
    if !["", "HttpDefaultsGui"].contains(&class) {
        reader.refuse(element, &format!("of {class} is not taken"));
        return;
    }
    scope.defaults = element.merged(&scope.defaults);
}

/// The name under which an element is measured: what is known before the run is filled in.
pub(super) fn label(element: &Element, reader: &mut Reader<'_>) -> String {
    let text = reader.text(element.name(), element.line);
    let filled = reader.known.evaluate(&text);
    match filled.trim() {
        "" => element.tag.clone(),
        // A name that differs by sample stays as it is written.
        _ if filled.contains("${") || has_call(&text) => element.name().trim().to_owned(),
        filled => filled.to_owned(),
    }
}

/// Whether a text has a function whose value may differ between two samples.
fn has_call(text: &str) -> bool {
    let calls =
        text.split("${").skip(1).filter(|rest| rest.split('}').next().unwrap_or("").contains('('));
    calls.into_iter().any(|call| !call.starts_with("shared("))
}

/// Compiles a sampler, behind the scripts before it.
pub(super) fn sampler(element: &Element, scope: Scope, reader: &mut Reader<'_>) -> Vec<Step> {
    let merged = &element.merged(&scope.defaults);
    check(element, merged, reader);
    check_readers(&scope, merged, reader);
    let mut own = |name: &str| reader.property(merged, name);
    let mut http = Http {
        method: own("HTTPSampler.method"),
        protocol: own("HTTPSampler.protocol"),
        host: own("HTTPSampler.domain"),
        port: own("HTTPSampler.port"),
        path: own("HTTPSampler.path"),
        connect_ms: own("HTTPSampler.connect_timeout"),
        timeout_ms: own("HTTPSampler.response_timeout"),
        fields: scope.headers,
        follow: match () {
            () if merged.is_true("HTTPSampler.follow_redirects") => Follow::All,
            () if merged.is_true("HTTPSampler.auto_redirects") => Follow::Silently,
            () => Follow::None,
        },
        close: merged.text_of("HTTPSampler.use_keepalive") == "false",
        logins: scope.logins,
        cache: scope.cache,
        jmeter: true,
        ..Http::default()
    };
    if merged.is_true("HTTPSampler.postBodyRaw") {
        http.body = Some(raw(merged, reader));
    } else {
        http.parameters = parameters(merged, reader);
    }
    if http.host.is_empty() && !http.path.starts_with("http") {
        reader.refuse(element, "has no server");
    }
    let check = ResponseCheck {
        text: scope.texts,
        within_ms: Some(OneOrMore(scope.within_ms)).filter(|list| !list.0.is_empty()),
        any_status: scope.any_status,
        ..ResponseCheck::default()
    };
    let name = label(element, reader);
    if name.contains("${") {
        http.label = reader.text(element.name(), element.line);
    }
    let mut steps = scope.before;
    steps.push(Step {
        name: Some(name),
        http: Some(http),
        wait: scope.waits,
        after: scope.after,
        check,
        ..Step::default()
    });
    steps
}

/// Refuses numbers, methods and protocols that are none, as far as they are known before the run.
fn check(element: &Element, merged: &Element, reader: &mut Reader<'_>) {
    let known = |name: &str| {
        let text = text(merged.text_of(name), merged.line).unwrap_or_default();
        let found = reader.known.evaluate(&text).trim().to_owned();
        Some(found).filter(|found| !found.is_empty() && !found.contains("${"))
    };
    let mut wrong = Vec::new();
    for (name, kind) in [
        ("HTTPSampler.port", NumberKind::Port),
        ("HTTPSampler.connect_timeout", NumberKind::Count),
        ("HTTPSampler.response_timeout", NumberKind::Count),
    ] {
        if let Some(found) = known(name).filter(|found| kind.read(found).is_none()) {
            wrong.push(format!("has {name} {found:?}, which is not {}", kind.words()));
        }
    }
    for (name, what, taken) in [
        ("HTTPSampler.method", "method", &JMETER_METHODS[..]),
        ("HTTPSampler.protocol", "protocol", &["http", "https", "HTTP", "HTTPS"]),
    ] {
        if let Some(found) = known(name).filter(|found| !taken.contains(&found.as_str())) {
            wrong.push(format!("has the {what} {found:?}, which is not taken"));
        }
    }
    wrong.iter().for_each(|why| reader.refuse(element, why));
}

/// Refuses what reads a response in a way that is not taken for this request.
fn check_readers(scope: &Scope, merged: &Element, reader: &mut Reader<'_>) {
    if merged.is_true("HTTPSampler.follow_redirects") {
        reader.problems.extend(scope.of_parts.iter().cloned());
    }
    // JMeter makes the inner assertions first; what assumes success forgets the failures before it.
    let mut order: Vec<&AssertionPlace> = scope.assertions.iter().collect();
    order.sort_by_key(|one| std::cmp::Reverse(one.level));
    for late in order.iter().skip(1).filter(|one| one.assumes) {
        let message = format!(
            "ResponseAssertion ({:?}) assumes success behind another assertion, whose failure it forgets: this is not taken.",
            late.name
        );
        reader.problems.push(Problem::new(late.line, message));
    }
}

fn arguments(element: &Element) -> &[Element] {
    let arguments = element.property("HTTPsampler.Arguments");
    arguments.map_or(&[][..], |own| own.collection("Arguments.arguments"))
}

/// The values of all arguments, one after the other.
fn raw(element: &Element, reader: &mut Reader<'_>) -> String {
    let values = arguments(element).iter();
    values.map(|one| reader.text(one.text_of("Argument.value"), one.line)).collect()
}

fn parameters(element: &Element, reader: &mut Reader<'_>) -> Vec<Parameter> {
    let one = |one: &Element| Parameter {
        name: reader.text(one.text_of("Argument.name"), one.line),
        value: reader.text(one.text_of("Argument.value"), one.line),
        encode: one.is_true("HTTPArgument.always_encode"),
        bare: one.property("Argument.metadata").is_some_and(|own| own.text.is_empty()),
    };
    arguments(element).iter().map(one).collect()
}

/// Compiles an action of flow control.
pub(super) fn action(element: &Element, scope: &Scope, reader: &mut Reader<'_>) -> Vec<Step> {
    let is_all = element.text_of("ActionProcessor.target") == "2";
    let mut steps = scope.before.clone();
    if !scope.waits.is_empty() {
        steps.push(Step { wait: scope.waits.clone(), ..Step::default() });
    }
    let go = match element.text_of("ActionProcessor.action") {
        "1" => {
            let ms = reader.scalar(element, "ActionProcessor.duration", NumberKind::Count);
            let wait = vec![Wait { ms, random: None, shape: Default::default(), pace: None }];
            steps.push(Step { wait, ..Step::default() });
            return steps;
        }
        "0" | "2" | "" => {
            if is_all {
                Go::EndRun
            } else {
                Go::EndUser
            }
        }
        "3" => Go::NextIteration,
        "4" => Go::NextPass,
        "5" => Go::LeaveLoop,
        other => {
            reader.refuse(element, &format!("has the action {other}, which is not known"));
            return steps;
        }
    };
    steps.push(Step { go: Some(go), ..Step::default() });
    steps
}
