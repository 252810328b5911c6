//! Checks of HTTP responses, and the values captured from them.

use duet_model::Value;
use memchr::memmem;
use serde_json::Value as Json;

use super::check_counter::{CheckCounter, cut, written};
use super::definition::{Capture, ResponseCheck, Scalar};
use super::names::{Names, is_name};
use super::problem::Problem;
use super::template::{Template, TextPosition};
use crate::targets::http::Response;
use crate::workload::Failed;
use duet_verdict::outcome::Outcome;

/// The expectation of a value.
#[derive(Debug)]
pub(super) enum Expected {
    /// Its presence, or its absence.
    There(bool),
    /// A constant value.
    Value(Value),
    /// A text with placeholders.
    Text(Template),
}

impl Expected {
    pub(super) fn compile(scalar: &Scalar, names: &Names, key: &str) -> Result<Self, Problem> {
        Ok(match scalar {
            Scalar::Text(text) => {
                let template = Template::compile(text, TextPosition::Plain, names, key)?;
                match template.only_text() {
                    Some(text) => Self::Value(Value::Text(text.to_owned())),
                    None => Self::Text(template),
                }
            }
            other => Self::Value(super::feed::plain(other)),
        })
    }

    /// Whether a value meets the expectation: numbers are compared by value, all others by text.
    pub(super) fn holds(&self, found: &Value, values: &[Value]) -> Result<bool, Failed> {
        Ok(match self {
            Self::There(there) => *there,
            Self::Text(template) => template.text(values)? == found.to_string(),
            Self::Value(Value::Int(wanted)) => match found {
                Value::Int(found) => found == wanted,
                Value::Float(found) => *found == *wanted as f64,
                other => other.to_string() == wanted.to_string(),
            },
            Self::Value(Value::Float(wanted)) => match found {
                Value::Int(found) => *found as f64 == *wanted,
                Value::Float(found) => found == wanted,
                other => other.to_string().parse() == Ok(*wanted),
            },
            // SQLite stores 0 and 1 for these.
            Self::Value(Value::Bool(wanted)) => match found {
                Value::Int(found) => *found == i64::from(*wanted),
                other => other.to_string() == wanted.to_string(),
            },
            Self::Value(wanted) => wanted.to_string() == found.to_string(),
        })
    }
}

/// The checks of a response.
#[derive(Debug)]
pub(super) struct Checks {
    statuses: Vec<u16>,
    /// Whether every status is right.
    any_status: bool,
    status_held: CheckCounter,
    fields: Vec<(String, Expected, CheckCounter)>,
    contains: Vec<(Template, CheckCounter)>,
    json: Vec<(String, Expected, CheckCounter)>,
    /// Whether failures say what came. Responses that values are captured from may hold a secret, such as a token.
    shows: bool,
}

/// The most characters of what came that a failure shows.
const SHOWN: usize = 200;

/// What came instead, for a failure.
fn instead(found: &str) -> String {
    let mut text: String = found.chars().take(SHOWN).collect();
    if text.len() < found.len() {
        text.push('…');
    }
    format!("; it is {}", text.replace(char::is_control, " "))
}

impl Checks {
    pub(super) fn compile(
        check: &ResponseCheck,
        shows: bool,
        names: &Names,
        key: &str,
    ) -> Result<Self, Problem> {
        if check.rows.is_some() || check.value.is_some() {
            return Err(Problem::new(key, "`rows` and `value` are checks of statements."));
        }
        let statuses = check.status.as_ref().map(|list| list.0.clone()).unwrap_or_default();
        empty_lists(check, key)?;
        if statuses.iter().any(|status| !(200..=599).contains(status)) {
            return Err(Problem::new(
                format!("{key}.status"),
                "A status is a number from 200 to 599.",
            ));
        }
        let mut fields = Vec::new();
        for (name, expected) in &check.header {
            let (expected, held) = match expected {
                Scalar::Truth(there) => {
                    let what = if *there { "there" } else { "absent" };
                    (Expected::There(*there), CheckCounter::new(format!("header {name} is {what}")))
                }
                other => (
                    Expected::compile(other, names, &format!("{key}.header.{name}"))?,
                    CheckCounter::new(format!("header {name} is {}", written(other))),
                ),
            };
            fields.push((name.clone(), expected, held));
        }
        let texts = check.contains.as_ref().map(|list| list.0.as_slice()).unwrap_or_default();
        let mut contains = Vec::new();
        for text in texts {
            let template =
                Template::compile(text, TextPosition::Plain, names, &format!("{key}.contains"))?;
            contains.push((template, CheckCounter::new(format!("content has {}", cut(text)))));
        }
        let mut json = Vec::new();
        for (at, expected) in &check.json {
            pointer(at, &format!("{key}.json"))?;
            let key = format!("{key}.json.\"{at}\"");
            let held = CheckCounter::new(format!("{at} is {}", written(expected)));
            json.push((at.clone(), Expected::compile(expected, names, &key)?, held));
        }
        let any_status = check.any_status;
        let status_held = CheckCounter::new(status_words(&statuses));
        Ok(Self { statuses, any_status, status_held, fields, contains, json, shows })
    }

    /// Makes all checks, in order.
    pub(super) fn held(&self) -> impl Iterator<Item = &CheckCounter> {
        std::iter::once(&self.status_held)
            .chain(self.fields.iter().map(|(_, _, held)| held))
            .chain(self.contains.iter().map(|(_, held)| held))
            .chain(self.json.iter().map(|(_, _, held)| held))
    }

    /// # Errors
    /// The check that failed, with what came unless it may be a secret.
    pub(super) fn hold(
        &self,
        answer: &Response<'_>,
        json: Option<&Json>,
        values: &[Value],
    ) -> Result<(), Failed> {
        self.status(answer.status)?;
        for (name, expected, held) in &self.fields {
            let holds = match (answer.field(name), expected) {
                (found, Expected::There(there)) => found.is_some() == *there,
                (None, _) => false,
                (Some(found), _) => expected.holds(&Value::Text(found.into_owned()), values)?,
            };
            if !held.note(holds) {
                let found = answer.field(name);
                let came =
                    || found.map_or_else(|| "; it is absent".into(), |found| instead(&found));
                let came = self.shows.then(came).unwrap_or_default();
                return Err(Failed::check(format!("check.header.{name} does not hold{came}")));
            }
        }
        for (template, held) in &self.contains {
            if !held.note(answer.contains(template.text(values)?.as_bytes())) {
                let came = || instead(&String::from_utf8_lossy(answer.body));
                let came = self.shows.then(came).unwrap_or_default();
                return Err(Failed::check(format!("check.contains does not hold{came}")));
            }
        }
        for (pointer, expected, held) in &self.json {
            let found = json.and_then(|json| json.pointer(pointer));
            if !held.note(found.map_or(Ok(false), |found| expected.holds(&of_json(found), values))?)
            {
                let came = || match found {
                    Some(found) => instead(&found.to_string()),
                    None => "; there is none".into(),
                };
                let came = self.shows.then(came).unwrap_or_default();
                return Err(Failed::check(format!("check.json.\"{pointer}\" does not hold{came}")));
            }
        }
        Ok(())
    }

    fn status(&self, status: u16) -> Result<(), Failed> {
        let is_right = match self.statuses.as_slice() {
            [] => status < 400 || self.any_status,
            right => right.contains(&status),
        };
        if self.status_held.note(is_right) {
            return Ok(());
        }
        let outcome = match status {
            408 | 504 => Outcome::Timeout,
            409 => Outcome::Constraint,
            412 => Outcome::Serialization,
            _ => Outcome::Check,
        };
        Err(Failed::new(outcome, format!("check.status: it is {status}")))
    }

    /// Whether the content must be parsed as JSON.
    pub(super) fn read_json(&self) -> bool {
        !self.json.is_empty()
    }
}

/// Refuses lists of a check that nothing is in, and statuses beside `any_status`.
pub(super) fn empty_lists(check: &ResponseCheck, key: &str) -> Result<(), Problem> {
    let lists = [
        ("status", check.status.as_ref().is_some_and(|list| list.0.is_empty())),
        ("contains", check.contains.as_ref().is_some_and(|list| list.0.is_empty())),
        ("within_ms", check.within_ms.as_ref().is_some_and(|list| list.0.is_empty())),
    ];
    if let Some((word, _)) = lists.iter().find(|(_, is_empty)| *is_empty) {
        return Err(Problem::new(format!("{key}.{word}"), "The list is empty: leave it out."));
    }
    match check.any_status && check.status.is_some() {
        true => {
            let message = "With `any_status` no `status` is checked: leave one of them out.";
            Err(Problem::new(format!("{key}.any_status"), message))
        }
        false => Ok(()),
    }
}

fn status_words(statuses: &[u16]) -> String {
    if statuses.is_empty() {
        return "status is below 400".into();
    }
    let statuses: Vec<String> = statuses.iter().map(u16::to_string).collect();
    format!("status is {}", statuses.join(" or "))
}

/// A captured value, and its slot.
#[derive(Debug)]
pub(super) struct CaptureRule {
    name: String,
    pub(super) slot: usize,
    from: From,
}

#[derive(Debug)]
enum From {
    Json(String),
    /// A value of each item of an array.
    Each(String, String),
    Field(String),
    Between(Vec<u8>, Vec<u8>),
}

impl CaptureRule {
    pub(super) fn compile(
        name: &str,
        capture: &Capture,
        names: &mut Names,
        key: &str,
    ) -> Result<Self, Problem> {
        if let Some(word) = capture.of_extractors().first() {
            let message = format!("`{word}` belongs to `path`, `jmes`, `css` and `regex`.");
            return Err(Problem::new(format!("{key}.{word}"), message));
        }
        let from = match capture {
            Capture { column: Some(_), .. } => return Err(not_one(key)),
            Capture { json: Some(at), each, header: None, after: None, before: None, .. } => {
                pointer(at, key)?;
                match each {
                    None => From::Json(at.clone()),
                    Some(each) => {
                        pointer(each, key)?;
                        From::Each(at.clone(), each.clone())
                    }
                }
            }
            Capture { each: Some(_), .. } => return Err(not_one(key)),
            Capture { json: None, header: Some(field), after: None, before: None, .. } => {
                From::Field(field.clone())
            }
            Capture {
                json: None, header: None, after: Some(after), before: Some(before), ..
            } => From::Between(after.clone().into_bytes(), before.clone().into_bytes()),
            _ => return Err(not_one(key)),
        };
        named(name, key)?;
        Ok(Self { name: name.to_owned(), slot: names.add(name), from })
    }

    pub(super) fn reads_json(&self) -> bool {
        matches!(self.from, From::Json(_) | From::Each(..))
    }

    /// # Errors
    /// If the response does not have it.
    pub(super) fn take(
        &self,
        answer: &Response<'_>,
        json: Option<&Json>,
        values: &mut [Value],
    ) -> Result<(), Failed> {
        let found = match &self.from {
            From::Json(pointer) => json.and_then(|json| json.pointer(pointer)).map(of_json),
            From::Each(list, each) => json.and_then(|json| all_of(json.pointer(list)?, each)),
            From::Field(name) => answer.field(name).map(|text| Value::Text(text.into_owned())),
            From::Between(after, before) => between(answer.body, after, before),
        };
        match found {
            Some(found) => values[self.slot] = found,
            None => {
                return Err(Failed::check(format!("capture.{} finds nothing", self.name)));
            }
        }
        Ok(())
    }
}

fn not_one(key: &str) -> Problem {
    let message = "A capture of a response is one of { json = \"/pointer\" }, { json = \"/pointer\", each = \"/pointer\" }, { header = \"etag\" } and { after = \"…\", before = \"…\" }.";
    Problem::new(key, message)
}

/// A value of each item, as the text of a JSON array; `None` if there is none.
fn all_of(list: &Json, each: &str) -> Option<Value> {
    let found: Vec<&Json> = list.as_array()?.iter().filter_map(|item| item.pointer(each)).collect();
    let plain = found.iter().all(|value| !value.is_array() && !value.is_object());
    (plain && !found.is_empty()).then(|| serde_json::to_string(&found).ok().map(Value::Text))?
}

/// Whether a capture can have this name.
pub(super) fn named(name: &str, key: &str) -> Result<(), Problem> {
    match is_name(name) {
        true => Ok(()),
        false => {
            let message =
                "A name consists of letters, digits, `_` and `-`, and begins with a letter.";
            Err(Problem::new(key, message))
        }
    }
}

fn between(body: &[u8], after: &[u8], before: &[u8]) -> Option<Value> {
    let from = memmem::find(body, after)? + after.len();
    let length = memmem::find(&body[from..], before)?;
    let found = std::str::from_utf8(&body[from..from + length]).ok()?;
    Some(Value::Text(found.to_owned()))
}

fn pointer(text: &str, key: &str) -> Result<(), Problem> {
    match text.is_empty() || text.starts_with('/') {
        true => Ok(()),
        false => Err(Problem::new(
            key,
            format!("{text:?} is not a JSON pointer: it must begin with a `/`."),
        )),
    }
}

fn of_json(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(truth) => Value::Bool(*truth),
        Json::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => Value::Int(whole),
            (None, Some(number)) => Value::Float(number),
            (None, None) => Value::Text(number.to_string()),
        },
        Json::String(text) => Value::Text(text.clone()),
        other => Value::Text(other.to_string()),
    }
}
