//! Post processors that take values out of a response.

use std::collections::BTreeMap;

use super::place::{Reader, capture};
use crate::workload::file::definition::{Capture, Part};
use crate::xml::Element;

/// The captures of a `JSONPostProcessor`.
pub(super) fn json(element: &Element, reader: &mut Reader<'_>) -> BTreeMap<String, Capture> {
    let list = |name: &str| -> Vec<String> {
        element.text_of(name).split(';').map(|part| part.trim().to_owned()).collect()
    };
    // Empty parts at the end are none, as Java divides texts, but for defaults.
    let full = |mut parts: Vec<String>| {
        while parts.len() > 1 && parts.last().is_some_and(String::is_empty) {
            parts.pop();
        }
        parts
    };
    let names = full(list("JSONPostProcessor.referenceNames"));
    let paths = full(list("JSONPostProcessor.jsonPathExprs"));
    let numbers = list("JSONPostProcessor.match_numbers");
    let defaults = list("JSONPostProcessor.defaultValues");
    let joined = element.is_true("JSONPostProcessor.compute_concat");
    let has_all = [&paths, &defaults].iter().all(|list| list.len() == names.len());
    if !has_all {
        let message = format!(
            "has {} names, {} JSON paths and {} default values, which are as many as each other in JMeter",
            names.len(),
            paths.len(),
            defaults.len()
        );
        reader.refuse(element, &message);
        return BTreeMap::new();
    }
    let mut captures = BTreeMap::new();
    for (at, name) in names.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
        let path = paths.get(at).cloned().unwrap_or_default();
        if is_unknown(element, ["JSON path", &path], reader) {
            continue;
        }
        if !crate::workload::file::is_json_path(&path) {
            reader.refuse(element, &format!("has the JSON path {path:?}, which is not taken"));
            continue;
        }
        let number = numbers.get(at).cloned().unwrap_or_default();
        let Some(number) = number_of(element, &number, reader) else { continue };
        let default = reader.text(&defaults.get(at).cloned().unwrap_or_default(), element.line);
        let value = variable(element, "Sample.scope");
        let made = Capture { path: Some(path), joined, value, ..capture(number, Some(default)) };
        captures.insert(name.clone(), made);
    }
    captures
}

/// The capture of a `JMESPathExtractor`.
pub(super) fn jmes(element: &Element, reader: &mut Reader<'_>) -> BTreeMap<String, Capture> {
    let text = |name: &str| element.text_of(&format!("JMESExtractor.{name}"));
    let path = text("jmesPathExpr").trim();
    if is_unknown(element, ["expression of JMESPath", path], reader) {
        return BTreeMap::new();
    }
    if let Err(why) = crate::workload::file::check_jmes_path(path) {
        reader.refuse(element, &format!("has an expression of JMESPath that is not taken: {why}"));
        return BTreeMap::new();
    }
    let Some(number) = number_of(element, text("matchNumber"), reader) else {
        return BTreeMap::new();
    };
    let value = variable(element, "Sample.scope");
    let default = Some(reader.text(text("defaultValue"), element.line));
    let made = Capture { jmes: Some(path.to_owned()), value, ..capture(number, default) };
    [(text("referenceName").trim().to_owned(), made)].into()
}

/// The capture of a `RegexExtractor`.
pub(super) fn regex(element: &Element, reader: &mut Reader<'_>) -> BTreeMap<String, Capture> {
    let text = |name: &str| element.text_of(&format!("RegexExtractor.{name}"));
    let Some(of) = part(element, text("useHeaders"), reader) else { return BTreeMap::new() };
    if is_unknown(element, ["regular expression", text("regex")], reader) {
        return BTreeMap::new();
    }
    if let Err(why) = crate::pattern::Pattern::new(text("regex")) {
        reader.refuse(element, &format!("has a regular expression that is not taken: {why}"));
        return BTreeMap::new();
    }
    let Some(number) = number_of(element, text("match_number"), reader) else {
        return BTreeMap::new();
    };
    let has_default = !text("default").is_empty() || text("default_empty_value") == "true";
    let default = has_default.then(|| reader.text(text("default"), element.line));
    let made = Capture {
        regex: Some(text("regex").to_owned()),
        of: Some(of),
        template: Some(text("template").to_owned()),
        value: variable(element, "Sample.scope"),
        ..capture(number, default)
    };
    [(text("refname").trim().to_owned(), made)].into()
}

/// The capture of a `BoundaryExtractor`: what is between two texts, as a regular expression.
pub(super) fn boundary(element: &Element, reader: &mut Reader<'_>) -> BTreeMap<String, Capture> {
    let text = |name: &str| element.text_of(&format!("BoundaryExtractor.{name}"));
    let Some(of) = part(element, text("useHeaders"), reader) else { return BTreeMap::new() };
    let (left, right) = (text("lboundary"), text("rboundary"));
    if is_unknown(element, ["left boundary", left], reader)
        || is_unknown(element, ["right boundary", right], reader)
    {
        return BTreeMap::new();
    }
    let (left, right) = (regex::escape(left), regex::escape(right));
    let regex = match right.is_empty() {
        true => format!("(?s){left}(.*)\\z"),
        false => format!("(?s){left}(.*?){right}"),
    };
    let Some(number) = number_of(element, text("match_number"), reader) else {
        return BTreeMap::new();
    };
    let has_default = !text("default").is_empty() || text("default_empty_value") == "true";
    let default = has_default.then(|| reader.text(text("default"), element.line));
    let made = Capture {
        regex: Some(regex),
        of: Some(of),
        template: Some("$1$".to_owned()),
        value: variable(element, "Sample.scope"),
        ..capture(number, default)
    };
    [(text("refname").trim().to_owned(), made)].into()
}

/// The capture of an `HtmlExtractor`: what a selector of CSS finds.
pub(super) fn css(element: &Element, reader: &mut Reader<'_>) -> BTreeMap<String, Capture> {
    let text = |name: &str| element.text_of(&format!("HtmlExtractor.{name}"));
    let (selector, attribute) = (text("expr"), text("attribute"));
    if is_unknown(element, ["selector", selector], reader)
        || is_unknown(element, ["attribute", attribute], reader)
    {
        return BTreeMap::new();
    }
    if let Err(why) = crate::workload::file::check_css(selector, attribute) {
        reader
            .refuse(element, &format!("has the selector {selector:?}, which is not taken: {why}"));
        return BTreeMap::new();
    }
    let Some(number) = number_of(element, text("match_number"), reader) else {
        return BTreeMap::new();
    };
    let has_default = !text("default").is_empty() || text("default_empty_value") == "true";
    let default = has_default.then(|| reader.text(text("default"), element.line));
    let attribute = attribute.trim();
    let made = Capture {
        css: Some(selector.to_owned()),
        attribute: (!attribute.is_empty()).then(|| attribute.to_owned()),
        value: variable(element, "Sample.scope"),
        ..capture(number, default)
    };
    [(text("refname").trim().to_owned(), made)].into()
}

/// The number of a match: 0, any of them, where none is given.
fn number_of(element: &Element, given: &str, reader: &mut Reader<'_>) -> Option<i64> {
    let given = given.trim();
    let number = if given.is_empty() { Some(0) } else { given.parse().ok() };
    if number.is_none() {
        reader.refuse(element, &format!("has the match number {given:?}, which is none"));
    }
    // Each number below 0 is all of them.
    number.map(|number: i64| number.max(-1))
}

/// Whether a part has a value that only the run knows, which is refused: such parts are read before it.
fn is_unknown(element: &Element, [part, text]: [&str; 2], reader: &mut Reader<'_>) -> bool {
    let is_unknown = text.contains("${");
    if is_unknown {
        reader.refuse(element, &format!("has a {part} that is not known before the run"));
    }
    is_unknown
}

/// The name of the value that is read instead of the response.
pub(super) fn variable(element: &Element, scope: &str) -> Option<String> {
    (element.text_of(scope) == "variable")
        .then(|| element.text_of("Scope.variable").trim().to_owned())
}

/// The part of a response that an extractor reads.
fn part(element: &Element, given: &str, reader: &mut Reader<'_>) -> Option<Part> {
    Some(match given {
        "true" => Part::Head,
        "false" | "" => Part::Body,
        "code" => Part::Status,
        "message" => Part::Message,
        "request_headers" => Part::AskedHead,
        "URL" => Part::Url,
        other => {
            reader.refuse(element, &format!("reads {other}, which is not taken"));
            return None;
        }
    })
}
