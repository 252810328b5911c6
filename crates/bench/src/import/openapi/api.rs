//! The document of an API, with its references.

use serde_json::Value;

use super::super::Problem;
use super::super::json_lines::line_of;

/// A document with its text.
#[derive(Clone, Copy)]
pub(super) struct Api<'a> {
    pub(super) text: &'a str,
    pub(super) document: &'a Value,
}

impl<'a> Api<'a> {
    pub(super) fn problem(&self, pointer: &str, message: impl Into<String>) -> Problem {
        Problem::new(line_of(self.text, pointer), message)
    }

    /// The value that a reference leads to, or the value itself.
    pub(super) fn resolved(&self, value: &'a Value, pointer: &str) -> Result<&'a Value, Problem> {
        let mut value = value;
        for _ in 0..32 {
            let Some(reference) = value.get("$ref").and_then(Value::as_str) else {
                return Ok(value);
            };
            let found = reference.strip_prefix('#').and_then(|at| self.document.pointer(at));
            value = found.ok_or_else(|| {
                self.problem(
                    pointer,
                    format!("The reference {reference:?} leads out of the document."),
                )
            })?;
        }
        Err(self.problem(pointer, "A reference leads to itself."))
    }
}

/// A part of a JSON pointer.
pub(super) fn escaped(part: &str) -> String {
    part.replace('~', "~0").replace('/', "~1")
}
