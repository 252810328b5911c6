//! The one place where an error becomes a status and a body.
//!
//! The body is RFC 9457's, and keeps the members that ORDS's clients know: `code`, `title`,
//! `message`, `type`, `instance`.

use duet_model::{Code, Error, Place};
use serde_json::{Value, json};

/// The status of an error for clients that expect those of ORDS, which has 400 for what breaks a key
/// or a reference.
pub(crate) fn ords_status(code: Code) -> u16 {
    match code.status() {
        409 => 400,
        status => status,
    }
}

/// The JSON body of an error. `request` is the request's id, by which the log finds the cause.
pub(crate) fn body(error: &Error, request: &str) -> Vec<u8> {
    body_with(error, error.code.status(), request)
}

/// The same with another status.
pub(crate) fn body_with(error: &Error, status: u16, request: &str) -> Vec<u8> {
    let details: Vec<Value> = std::iter::once(error).chain(error.others()).map(detail).collect();
    let body = json!({
        "code": reason(status).replace([' ', '-'], ""),
        "title": error.code.title(),
        "message": error.message,
        "status": status,
        "type": format!("tag:duet,2026:error/{}", error.code.as_str()),
        "instance": format!("tag:duet,2026:request/{request}"),
        "errors": details,
    });
    body.to_string().into_bytes()
}

/// One mistake: its code, message and place.
fn detail(error: &Error) -> Value {
    let mut detail = json!({ "code": error.code.as_str(), "message": error.message });
    if let Some(hint) = &error.hint {
        detail["hint"] = Value::from(hint.as_str());
    }
    match &error.place {
        Some(Place::Pointer(pointer)) => detail["pointer"] = Value::from(pointer.as_str()),
        Some(Place::Offset(offset)) => {
            detail["parameter"] = Value::from("q");
            detail["position"] = Value::from(*offset);
        }
        Some(Place::BodyOffset(offset)) => detail["position"] = Value::from(*offset),
        Some(Place::Parameter(name)) => detail["parameter"] = Value::from(name.as_str()),
        Some(Place::Line { line, column }) => {
            detail["line"] = Value::from(*line);
            detail["column"] = Value::from(*column);
        }
        None => {}
    }
    detail
}

/// The reason phrase of a status (RFC 9110 §15).
pub(crate) fn reason(status: u16) -> &'static str {
    hyper::StatusCode::from_u16(status)
        .ok()
        .and_then(|status| status.canonical_reason())
        .unwrap_or("Error")
}
