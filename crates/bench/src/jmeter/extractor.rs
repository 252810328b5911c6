//! Post processors that take values out of a response into variables.

use std::collections::BTreeMap;

use regex::Regex;
use serde_json::Value;

use super::Problem;
use super::json_path::JsonPath;
use super::sample::Answer;
use crate::xml::Element;

/// An extractor.
#[derive(Clone, Debug)]
pub(super) enum Extractor {
    Json(Vec<JsonExtractor>),
    Pattern(RegexExtractor),
}

#[derive(Clone, Debug)]
pub(super) struct JsonExtractor {
    name: String,
    path: JsonPath,
    /// Which match: 0 for any, -1 for all.
    number: i64,
    default: String,
}

#[derive(Clone, Debug)]
pub(super) struct RegexExtractor {
    name: String,
    of: Subject,
    regex: Regex,
    template: String,
    number: i64,
    /// `None`: the variable keeps its value where nothing matches.
    default: Option<String>,
}

#[derive(Clone, Copy, Debug)]
enum Subject {
    Body,
    Headers,
    Code,
}

impl Extractor {
    /// Reads a `JSONPostProcessor`.
    ///
    /// # Errors
    /// A path that is not taken.
    pub(super) fn json(element: &Element) -> Result<Self, Problem> {
        let list = |name: &str| -> Vec<String> {
            let given = element.text_of(name).split(';');
            given.map(|part| part.trim().to_owned()).collect()
        };
        let names = list("JSONPostProcessor.referenceNames");
        let paths = list("JSONPostProcessor.jsonPathExprs");
        let numbers = list("JSONPostProcessor.match_numbers");
        let defaults = list("JSONPostProcessor.defaultValues");
        let mut found = Vec::new();
        for (at, name) in names.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
            let path = paths.get(at).map_or("", String::as_str);
            let path = JsonPath::read(path).ok_or_else(|| {
                Problem::new(element.line, format!("The JSON path {path:?} is not taken."))
            })?;
            let number = numbers.get(at).and_then(|number| number.parse().ok()).unwrap_or_default();
            let default = defaults.get(at).cloned().unwrap_or_default();
            found.push(JsonExtractor { name: name.clone(), path, number, default });
        }
        Ok(Self::Json(found))
    }

    /// Reads a `RegexExtractor`.
    ///
    /// # Errors
    /// An expression or a subject that is not taken.
    pub(super) fn regex(element: &Element) -> Result<Self, Problem> {
        let text = |name: &str| element.text_of(&format!("RegexExtractor.{name}"));
        let of = match text("useHeaders") {
            "true" => Subject::Headers,
            "false" | "" => Subject::Body,
            "code" => Subject::Code,
            other => {
                let message = format!("A regular expression of {other} is not taken.");
                return Err(Problem::new(element.line, message));
            }
        };
        let regex = Regex::new(text("regex")).map_err(|error| {
            let why = error.to_string().lines().last().unwrap_or_default().to_owned();
            Problem::new(element.line, format!("The regular expression is not taken: {why}."))
        })?;
        Ok(Self::Pattern(RegexExtractor {
            name: text("refname").to_owned(),
            of,
            regex,
            template: text("template").to_owned(),
            number: text("match_number").parse().unwrap_or_default(),
            default: (!text("default").is_empty() || text("default_empty_value") == "true")
                .then(|| text("default").to_owned()),
        }))
    }

    /// Sets the variables.
    pub(super) fn run(&self, answer: &Answer, variables: &mut BTreeMap<String, String>) {
        match self {
            Self::Json(extractors) => {
                let document: Value = serde_json::from_str(&answer.body).unwrap_or_default();
                for one in extractors {
                    let found = one.path.find(&document);
                    put((&one.name, one.number, Some(&one.default)), found, variables);
                }
            }
            Self::Pattern(one) => {
                let code = answer.code();
                let of: &str = match one.of {
                    Subject::Body => &answer.body,
                    Subject::Headers => &answer.headers,
                    Subject::Code => &code,
                };
                let found = one.regex.captures_iter(of).map(|captures| one.filled(&captures));
                put((&one.name, one.number, one.default.as_deref()), found.collect(), variables);
            }
        }
    }
}

impl RegexExtractor {
    /// The template with the groups of a match: `$1$`.
    fn filled(&self, captures: &regex::Captures<'_>) -> String {
        let mut out = self.template.clone();
        for (group, found) in captures.iter().enumerate() {
            let found = found.map_or("", |found| found.as_str());
            out = out.replace(&format!("${group}$"), found);
        }
        out
    }
}

fn put(
    (name, number, default): (&str, i64, Option<&str>),
    found: Vec<String>,
    variables: &mut BTreeMap<String, String>,
) {
    if number < 0 {
        for (at, value) in found.iter().enumerate() {
            variables.insert(format!("{name}_{}", at + 1), value.clone());
        }
        variables.insert(format!("{name}_matchNr"), found.len().to_string());
        return;
    }
    let at = match usize::try_from(number).unwrap_or_default() {
        0 if found.is_empty() => 0,
        0 => fastrand::usize(..found.len()),
        nth => nth - 1,
    };
    if let Some(value) = found.into_iter().nth(at).or_else(|| default.map(str::to_owned)) {
        variables.insert(name.to_owned(), value);
    }
}
