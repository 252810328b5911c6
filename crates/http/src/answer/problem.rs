//! The one place where an error becomes a status and a body.
//!
//! The body is RFC 9457's, with the member `code` that ORDS's clients know. The text of a mistake is
//! sent once: that of the first one is `detail`, those of the others are in `errors`.

use duet_model::{Code, Compat, Error, Place};
use duet_service::Service;
use serde_json::{Value, json};

use super::problem_page;
use super::reply::PROBLEM;
use crate::profiles::ords;
use crate::profiles::rmb;

/// The forms of an error response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorFormat {
    /// RFC 9457, with the status of the code.
    Native,
    /// As ORDS: 400 for what breaks a key, a reference or a check, and `message` in place of `detail`.
    OrdsStatuses,
    /// As ORDS in all members and statuses.
    Ords,
    /// As RMB: texts, and lists of schema errors.
    Rmb,
}

impl ErrorFormat {
    /// The form of an application.
    pub(crate) fn of(service: &Service) -> Self {
        match service.compat() {
            Compat::Rmb => Self::Rmb,
            Compat::Ords => Self::Ords,
            Compat::Native if service.write_limits().ords_statuses => Self::OrdsStatuses,
            Compat::Native => Self::Native,
        }
    }

    /// The status of an error.
    pub(crate) fn status(self, code: Code) -> u16 {
        match (self, code.status()) {
            (Self::OrdsStatuses, 409) => 400,
            (Self::OrdsStatuses, _) if code == Code::CheckViolation => 400,
            (Self::Ords, _) => ords::status(code),
            (Self::Rmb, _) => rmb::status(code),
            (_, status) => status,
        }
    }

    /// The member that holds the text of a mistake.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Native | Self::Rmb => "detail",
            Self::OrdsStatuses | Self::Ords => "message",
        }
    }
}

/// The media type and the body of an error in a form.
pub(crate) fn content(form: ErrorFormat, error: &Error, request: &str) -> (&'static str, Vec<u8>) {
    match form {
        ErrorFormat::Rmb => rmb::body(error),
        ErrorFormat::Native | ErrorFormat::OrdsStatuses | ErrorFormat::Ords => {
            (PROBLEM, body_as(form, error, request))
        }
    }
}

/// The JSON body of an error. `request` is the request's id, by which the log finds the cause.
pub(crate) fn body(error: &Error, request: &str) -> Vec<u8> {
    body_as(ErrorFormat::Native, error, request)
}

/// The same in a form that has members.
pub(crate) fn body_as(form: ErrorFormat, error: &Error, request: &str) -> Vec<u8> {
    match form {
        ErrorFormat::Ords => ords::body(error, request, &mistakes(form, error)),
        _ => of_status((form, form.status(error.code)), error, request),
    }
}

/// The same with a status that a service declares.
pub(crate) fn body_with(status: hyper::StatusCode, error: &Error, request: &str) -> Vec<u8> {
    of_status((ErrorFormat::Native, status.as_u16()), error, request)
}

fn of_status((form, status): (ErrorFormat, u16), error: &Error, request: &str) -> Vec<u8> {
    let errors = mistakes(form, error);
    let body = json!({
        "code": reason(status).replace([' ', '-'], ""),
        "title": error.code.title(),
        form.text(): error.message,
        "status": status,
        "type": problem_page::type_of(error.code),
        "instance": format!("tag:duet,2026:request/{request}"),
        "errors": errors,
    });
    body.to_string().into_bytes()
}

/// The mistakes of an error. The text of the first one is that of the error.
fn mistakes(form: ErrorFormat, error: &Error) -> Vec<Value> {
    let entry = |found: &Error| mistake(found, (!std::ptr::eq(found, error)).then(|| form.text()));
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
