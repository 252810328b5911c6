//! The one place where an error becomes a status and a body.
//!
//! The body is RFC 9457's, with the member `code` that ORDS's clients know. The text of a mistake is
//! sent once: that of the first one is `detail`, those of the others are in `errors`.

use duet_model::{Error, Place};
use serde_json::{Value, json};

use super::problem_page;

/// The member of Duet's own form that holds the text of a mistake.
const TEXT_MEMBER: &str = "detail";

/// The JSON body of an error in Duet's own form. `request` is the request's id, by which the log finds the cause.
pub(crate) fn body(error: &Error, request: &str) -> Vec<u8> {
    body_of(TEXT_MEMBER, error.code.status(), error, request)
}

/// The same with a status that a service declares.
pub(crate) fn body_with(status: hyper::StatusCode, error: &Error, request: &str) -> Vec<u8> {
    body_of(TEXT_MEMBER, status.as_u16(), error, request)
}

/// The same with the status and the member for texts that a form has.
pub(crate) fn body_of(text: &str, status: u16, error: &Error, request: &str) -> Vec<u8> {
    let errors = mistakes(text, error);
    let body = json!({
        "code": reason(status).replace([' ', '-'], ""),
        "title": error.code.title(),
        text: error.message,
        "status": status,
        "type": problem_page::type_of(error.code),
        "instance": format!("tag:duet,2026:request/{request}"),
        "errors": errors,
    });
    body.to_string().into_bytes()
}

/// The mistakes of an error, with their texts as the member that is named. The text of the first one is that of the
/// error.
pub(crate) fn mistakes(text: &str, error: &Error) -> Vec<Value> {
    let entry = |found: &Error| mistake(found, (!std::ptr::eq(found, error)).then_some(text));
    error.mistakes().map(entry).collect()
}

/// One mistake: its code, hint and place, and its text as the member that is named.
fn mistake(error: &Error, text: Option<&str>) -> Value {
    let mut entry = json!({ "code": error.code.as_str() });
    if let Some(text) = text {
        entry[text] = Value::from(error.message.as_str());
    }
    if let Some(hint) = &error.hint {
        entry["hint"] = Value::from(hint.as_str());
    }
    match &error.place {
        Some(Place::Pointer(pointer)) => entry["pointer"] = Value::from(pointer.as_str()),
        Some(Place::Offset(offset)) => {
            entry["parameter"] = Value::from("q");
            entry["position"] = Value::from(*offset);
        }
        Some(Place::In(parameter, offset)) => {
            entry["parameter"] = Value::from(*parameter);
            entry["position"] = Value::from(*offset);
        }
        Some(Place::BodyOffset(offset)) => entry["position"] = Value::from(*offset),
        Some(Place::Parameter(name)) => entry["parameter"] = Value::from(name.as_str()),
        Some(Place::Line { line, column }) => {
            entry["line"] = Value::from(*line);
            entry["column"] = Value::from(*column);
        }
        Some(Place::File { file, line, column }) => {
            entry["file"] = Value::from(&**file);
            entry["line"] = Value::from(*line);
            entry["column"] = Value::from(*column);
        }
        None => {}
    }
    entry
}

/// The reason phrase of a status (RFC 9110 §15).
pub(crate) fn reason(status: u16) -> &'static str {
    hyper::StatusCode::from_u16(status)
        .ok()
        .and_then(|status| status.canonical_reason())
        .unwrap_or("Error")
}
