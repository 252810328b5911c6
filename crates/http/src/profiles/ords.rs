//! The profile `compat = "ords"`: statuses and bodies of errors as those of Oracle REST Data Services.

use duet_model::{Code, Error};
use hyper::StatusCode;
use serde_json::{Value, json};

use super::HttpProfile;
use super::error_form::ErrorForm;
use crate::answer::problem::{self, reason};

/// The member that holds the text of a mistake.
const TEXT_MEMBER: &str = "message";

const OWN_CODE: &str = "The code of ORDS where it is known, else that of the server.";
const CAUSE: &str = "Why requests get this error.";
const ACTION: &str = "What to do.";

/// The code that ORDS gives where the database or a view refuses a change.
const REFUSED: &str = "ORDS-25001";

/// ORDS.
#[derive(Debug)]
pub(super) struct Ords;

impl HttpProfile for Ords {
    fn errors(&self, _: bool) -> &'static dyn ErrorForm {
        &Ords
    }

    fn stopped_load(&self, _: bool) -> StatusCode {
        StatusCode::OK
    }
}

impl ErrorForm for Ords {
    /// Everything that is wrong with a request or its rows is 400.
    fn status(&self, code: Code) -> u16 {
        match code.status() {
            409 | 422 => 400,
            status => status,
        }
    }

    fn text_member(&self) -> &'static str {
        TEXT_MEMBER
    }

    fn problem(&self, error: &Error, request: &str) -> Vec<u8> {
        let errors = problem::mistakes(self.text_member(), error);
        let action = error.hint.as_deref().unwrap_or(error.code.remedy().cure);
        content(error.code, &error.message, action, request, &errors).to_string().into_bytes()
    }

    fn example(&self, code: Code, message: &str) -> Option<Value> {
        let errors = [json!({ "code": code.as_str() })];
        Some(content(code, message, code.remedy().cure, "1", &errors))
    }

    fn describe_members(&self, properties: &mut Value) {
        let own = [("o:errorCode", OWN_CODE), ("cause", CAUSE), ("action", ACTION)];
        for (name, description) in own {
            properties[name] = json!({ "type": "string", "description": description });
        }
        properties["type"] = json!({
            "type": "string", "format": "uri", "description": "The kind of error.",
        });
    }
}

/// The statuses of ORDS alone, as the setting `ords_statuses` asks for them: 400 for what breaks a key, a reference or
/// a check, and `message` in place of `detail`.
#[derive(Debug)]
pub(super) struct OrdsStatuses;

impl ErrorForm for OrdsStatuses {
    fn status(&self, code: Code) -> u16 {
        match code.status() {
            409 => 400,
            _ if code == Code::CheckViolation => 400,
            status => status,
        }
    }

    fn text_member(&self) -> &'static str {
        TEXT_MEMBER
    }
}

/// The members of an error, in ORDS's order; `status` and `errors` are Duet's own.
fn content(code: Code, message: &str, action: &str, request: &str, errors: &[Value]) -> Value {
    let status = Ords.status(code);
    let name = name(status);
    let in_this_form = |text: &str| text.replace("`detail`", "`message`");
    json!({
        "code": name,
        "title": reason(status),
        "message": message,
        "o:errorCode": error_code(code),
        "cause": in_this_form(code.remedy().cause),
        "action": in_this_form(action),
        "type": format!("tag:oracle.com,2020:error/{name}"),
        "instance": format!("tag:oracle.com,2020:ecid/{request}"),
        "status": status,
        "errors": errors,
    })
}

/// The name of a status. That of 412 is spelled as ORDS does.
fn name(status: u16) -> String {
    match status {
        412 => "PredconditionFailed".to_owned(),
        status => reason(status).replace([' ', '-'], ""),
    }
}

/// ORDS's code where it is known, else Duet's.
fn error_code(code: Code) -> &'static str {
    match code {
        Code::NotInsertable
        | Code::NotDeletable
        | Code::NotUpdatable
        | Code::MemberGenerated
        | Code::RuleViolation
        | Code::CannotUnlink
        | Code::OutsideView
        | Code::RowRefused
        | Code::UniqueViolation
        | Code::ForeignKeyViolation
        | Code::CheckViolation
        | Code::NotNullViolation
        | Code::ExclusionViolation
        | Code::TriggerRefused
        | Code::NotWritable => REFUSED,
        other => other.as_str(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refused_rows_are_bad_requests() {
        for (code, expected) in [
            (Code::UniqueViolation, 400),
            (Code::CheckViolation, 400),
            (Code::CannotUnlink, 400),
            (Code::PreconditionFailed, 412),
            (Code::NoSuchItem, 404),
            (Code::Unauthorized, 401),
            (Code::DatabaseUnavailable, 503),
        ] {
            assert_eq!(Ords.status(code), expected, "{code:?}");
        }
    }

    #[test]
    fn the_members_of_ords() {
        let error = Error::new(Code::UniqueViolation, "Taken.");
        let body: Value = serde_json::from_slice(&Ords.problem(&error, "r7")).unwrap();
        assert_eq!(body["code"], json!("BadRequest"));
        assert_eq!(body["title"], json!("Bad Request"));
        assert_eq!(body["message"], json!("Taken."));
        assert_eq!(body["o:errorCode"], json!("ORDS-25001"));
        assert_eq!(body["type"], json!("tag:oracle.com,2020:error/BadRequest"));
        assert_eq!(body["instance"], json!("tag:oracle.com,2020:ecid/r7"));
        assert!(body["cause"].is_string() && body["action"].is_string(), "{body}");
        let stale = Error::new(Code::PreconditionFailed, "No.").hint("Read again.");
        let body: Value = serde_json::from_slice(&Ords.problem(&stale, "r8")).unwrap();
        assert_eq!(body["code"], json!("PredconditionFailed"));
        assert_eq!((&body["action"], &body["status"]), (&json!("Read again."), &json!(412)));
        assert_eq!(body["o:errorCode"], json!("DUET-7013"));
    }
}
