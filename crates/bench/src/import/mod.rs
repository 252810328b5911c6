//! Imports: scripts of pgbench, OpenAPI documents, recordings of browsers (HAR) and collections of Postman become a
//! workload file. What cannot be taken is a [`Problem`] that names the construct and its line; all of a file come together.

mod document;
mod har;
mod json_lines;
mod k6;
mod openapi;
mod pgbench;
mod postman;
mod request;
mod statements;
mod write;

pub use k6::refusal as k6_refusal;
pub use pgbench::{PgbenchOptions, Script, pgbench};

use document::Document;
use serde_json::Value;

/// A construct that cannot be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The number of the file, from 0.
    pub file: usize,
    /// Its line, from 1.
    pub line: usize,
    /// What it is, as a sentence.
    pub message: String,
}

impl Problem {
    fn new(line: usize, message: impl Into<String>) -> Self {
        Self { file: 0, line, message: message.into() }
    }
}

/// A workload file that was made of another one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// Its text.
    pub text: String,
    /// What the user has to know of it, each a sentence.
    pub notes: Vec<String>,
}

/// A form of documents, and how it is known.
struct Form {
    is_one: fn(&Value) -> bool,
    convert: Convert,
}

/// Makes a file of a document, by its name and what is passed over.
type Convert = fn(&str, &Document, &[String]) -> Result<Imported, Vec<Problem>>;

/// The forms of documents that are taken.
const FORMS: [Form; 3] = [
    Form { is_one: |value| value.get("openapi").is_some(), convert: openapi::convert },
    Form { is_one: |value| value.pointer("/log/entries").is_some(), convert: har::convert },
    Form {
        is_one: |value| value.get("item").is_some() && value.get("info").is_some(),
        convert: postman::convert,
    },
];

/// The workload file of a document: OpenAPI 3.0 or 3.1 in JSON or YAML, HAR 1.2, or a collection of Postman 2.1. What
/// `passed_over` names is left out: operations, entries and requests by their names.
///
/// # Errors
/// All that cannot be taken.
pub fn document(name: &str, text: &str, passed_over: &[String]) -> Result<Imported, Vec<Problem>> {
    let document = Document::parse(text).map_err(|problem| vec![problem])?;
    if document.value.get("swagger").is_some() {
        let message = "It is of version 2 (Swagger); OpenAPI 3.0 and 3.1 are taken: convert it first, as by `swagger2openapi`.";
        return Err(vec![document.problem("/swagger", message)]);
    }
    match FORMS.iter().find(|form| (form.is_one)(&document.value)) {
        Some(form) => {
            let converted = (form.convert)(name, &document, passed_over)?;
            refuse_unmet(passed_over, |others| {
                (form.convert)(name, &document, others).as_ref() == Ok(&converted)
            })?;
            Ok(converted)
        }
        None => {
            let message = "It is no OpenAPI document of version 3, no HAR and no collection of Postman: there is no `openapi`, no `log.entries`, and no `info` with `item`.";
            Err(vec![Problem::new(1, message)])
        }
    }
}

/// Refuses names of what is passed over without which the file is the same.
fn refuse_unmet(
    passed_over: &[String],
    is_same_with: impl Fn(&[String]) -> bool,
) -> Result<(), Vec<Problem>> {
    let problems: Vec<Problem> = passed_over
        .iter()
        .filter(|name| {
            let others: Vec<String> = passed_over.iter().filter(|it| it != name).cloned().collect();
            is_same_with(&others)
        })
        .map(|name| {
            Problem::new(1, format!("`--pass-over {name}` names nothing that would be taken."))
        })
        .collect();
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

#[cfg(test)]
mod tests {
    use super::{openapi, pgbench, postman};
    use crate::workload::file::functions::expression::function_names;

    #[test]
    fn the_manual_names_all_that_is_taken_and_refused() {
        let page = include_str!("../../../../docs/bench-import.md");
        let methods = openapi::METHODS.map(str::to_uppercase);
        let commands = pgbench::COMMANDS.map(|(name, _)| format!("\\{name}"));
        let dynamic = postman::DYNAMIC.map(|(name, _)| format!("{{{{{name}}}}}"));
        let lines = postman::SCRIPT_LINES.map(str::to_owned);
        let functions = function_names().map(str::to_owned);
        let named =
            methods.into_iter().chain(commands).chain(dynamic).chain(lines).chain(functions);
        for name in named {
            assert!(page.contains(&format!("`{name}`")), "{name}");
        }
    }
}
