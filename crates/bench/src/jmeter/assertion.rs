//! Assertions of responses.

use std::time::Duration;

use regex::Regex;

use super::Problem;
use super::functions::Values;
use super::sample::Answer;
use super::template::Template;
use crate::xml::Element;

/// What a response must be.
#[derive(Clone, Debug)]
pub(super) enum Assertion {
    Response(ResponseAssertion),
    Duration(Template),
}

#[derive(Clone, Debug)]
pub(super) struct ResponseAssertion {
    name: String,
    field: Field,
    how: How,
    negated: bool,
    /// Whether one of the texts is enough.
    any: bool,
    /// Whether the status of the sample does not count.
    assumes_success: bool,
    texts: Vec<Template>,
}

#[derive(Clone, Copy, Debug)]
enum Field {
    Code,
    Body,
    Headers,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    /// The whole text matches a regular expression.
    Matches,
    /// It contains a match of one.
    Contains,
    Equals,
    Substring,
}

impl Assertion {
    /// Reads a `ResponseAssertion`.
    ///
    /// # Errors
    /// A field or test that is not taken.
    pub(super) fn response(element: &Element) -> Result<Self, Problem> {
        let field = match element.text_of("Assertion.test_field") {
            "Assertion.response_code" => Field::Code,
            "Assertion.response_data" | "" => Field::Body,
            "Assertion.response_headers" => Field::Headers,
            other => {
                let message = format!("An assertion of {other} is not taken.");
                return Err(Problem::new(element.line, message));
            }
        };
        let kind: u32 = element.text_of("Assertion.test_type").parse().unwrap_or_default();
        let how = match kind & !(4 | 32) {
            1 => How::Matches,
            2 => How::Contains,
            8 => How::Equals,
            16 => How::Substring,
            _ => {
                return Err(Problem::new(
                    element.line,
                    format!("The test_type {kind} is not known."),
                ));
            }
        };
        let texts = element.collection("Asserion.test_strings").iter();
        let texts = texts.map(|text| Template::read(&text.text, text.line));
        Ok(Self::Response(ResponseAssertion {
            name: element.name().to_owned(),
            field,
            how,
            negated: kind & 4 != 0,
            any: kind & 32 != 0,
            assumes_success: element.is_true("Assertion.assume_success"),
            texts: texts.collect::<Result<_, _>>()?,
        }))
    }

    /// Whether the status of the sample does not count.
    pub(super) fn assumes_success(&self) -> bool {
        matches!(self, Self::Response(assertion) if assertion.assumes_success)
    }

    /// Why an answer is not as it must be.
    pub(super) fn failure(&self, answer: &Answer, values: &mut Values<'_>) -> Option<String> {
        match self {
            Self::Duration(most) => {
                let most = values.text(most).trim().parse().map(Duration::from_millis).ok()?;
                let message = format!(
                    "The operation lasted too long: It took {} milliseconds, but should not have lasted longer than {} milliseconds.",
                    answer.elapsed.as_millis(),
                    most.as_millis()
                );
                (answer.elapsed > most).then_some(message)
            }
            Self::Response(assertion) => assertion.failure(answer, values),
        }
    }
}

impl ResponseAssertion {
    fn failure(&self, answer: &Answer, values: &mut Values<'_>) -> Option<String> {
        let code = answer.code();
        let of: &str = match self.field {
            Field::Code => &code,
            Field::Body => &answer.body,
            Field::Headers => &answer.headers,
        };
        let texts: Vec<String> = self.texts.iter().map(|text| values.text(text)).collect();
        let holds = |text: &String| self.holds(of, text) != self.negated;
        let all = if self.any { texts.iter().any(holds) } else { texts.iter().all(holds) };
        let word = if self.negated { "not " } else { "" };
        let message = || {
            format!("{}: {:?} should {word}be as {}", self.name, shortened(of), texts.join(", "))
        };
        (!all).then(message)
    }

    fn holds(&self, of: &str, text: &str) -> bool {
        match self.how {
            How::Equals => of == text,
            How::Substring => of.contains(text),
            How::Contains => Regex::new(text).is_ok_and(|regex| regex.is_match(of)),
            How::Matches => {
                Regex::new(&format!("^(?:{text})$")).is_ok_and(|regex| regex.is_match(of))
            }
        }
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(60).collect()
}
