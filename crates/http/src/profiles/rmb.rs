//! The profile `compat = "rmb"`: what requests must have, and how errors are answered, as by FOLIO's
//! raml-module-builder.

use duet_model::row_tree::pointer_parts;
use duet_model::{Code, Error, Place, Result};
use duet_service::{Snapshot, declared_parameters};
use hyper::header::{HeaderName, HeaderValue};
use hyper::{HeaderMap, Method};
use serde_json::{Value, json};

use super::HttpProfile;
use super::error_form::ErrorForm;
use crate::message::media::JSON;
use crate::message::tenant_header::{TENANT, must_be_set};

const USER: HeaderName = HeaderName::from_static("x-okapi-user-id");

/// The media type of errors.
const TEXT: &str = "text/plain";

/// What clients know an absent document by.
const NOT_FOUND: &[u8] = b"Not Found";

/// RMB.
#[derive(Debug)]
pub(super) struct Rmb;

impl HttpProfile for Rmb {
    fn errors(&self, _: bool) -> &'static dyn ErrorForm {
        &Rmb
    }

    /// Refuses a request below a mount that does not name the tenant of the application.
    fn check(&self, snapshot: &Snapshot, method: &Method, headers: &HeaderMap) -> Result<()> {
        let Some(tenant) = snapshot.application.mounts.tenant() else { return Ok(()) };
        match headers.get(TENANT).map(HeaderValue::as_bytes) {
            _ if *method == Method::OPTIONS => Ok(()),
            Some(given) if given == tenant.as_bytes() => Ok(()),
            Some(_) => Err(Error::new(
                Code::BadRequest,
                "The tenant in X-Okapi-Tenant is not served here.",
            )),
            None => Err(must_be_set()),
        }
    }

    fn stated_user<'r>(&self, headers: &'r HeaderMap) -> Option<&'r str> {
        headers.get(USER)?.to_str().ok()
    }

    /// Clients of RMB send those of lists too, which mean nothing here.
    fn write_parameters(&self) -> &'static [&'static str] {
        &declared_parameters::OF_WRITES_AND_LISTS
    }

    /// The path of an address.
    fn location<'a>(&self, address: &'a str) -> &'a str {
        let path =
            address.split_once("://").and_then(|(_, rest)| rest.find('/').map(|at| &rest[at..]));
        path.unwrap_or(address)
    }

    /// A change by an invalid key is a bad request, while reading it finds nothing.
    fn malformed_key(&self, mut error: Error) -> Error {
        if error.code == Code::BadKey {
            error.code = Code::BadRequest;
        }
        error
    }
}

impl ErrorForm for Rmb {
    /// Refused rows, and wrong headers, are 400.
    fn status(&self, code: Code) -> u16 {
        match (code, code.status()) {
            (Code::DocumentVersion, status) => status,
            (_, 406 | 409 | 415) => 400,
            (_, status) => status,
        }
    }

    fn content(&self, error: &Error, _: &str) -> (&'static str, Vec<u8>) {
        if self.status(error.code) == 422 {
            return (JSON, violations(error).to_string().into_bytes());
        }
        if self.status(error.code) == 404 && matches!(error.code, Code::NoSuchItem | Code::BadKey) {
            return (TEXT, NOT_FOUND.to_vec());
        }
        let mut text = error.message.clone();
        if let Some(Place::Offset(at) | Place::In(_, at) | Place::BodyOffset(at)) = &error.place {
            text += &format!(" (byte {at})");
        }
        if let Some(hint) = &error.hint {
            text = format!("{text}\n{hint}");
        }
        (TEXT, text.into_bytes())
    }

    fn described_content(&self, status: &str) -> Option<Value> {
        Some(described(status))
    }
}

/// The content of errors of a status, for descriptions.
fn described(status: &str) -> Value {
    if status != "422" {
        return json!({ TEXT: { "schema": { "type": "string" } } });
    }
    let text = || json!({ "type": "string" });
    let members = |members: Value| json!({ "type": "object", "properties": members });
    let list = |items: Value| json!({ "type": "array", "items": items });
    let parameter = members(json!({ "key": text(), "value": text() }));
    let error = members(json!({
        "message": text(), "type": text(), "code": text(), "parameters": list(parameter),
    }));
    let errors = json!({ "errors": list(error), "total_records": { "type": "integer" } });
    json!({ JSON: { "schema": members(errors) } })
}

/// What a schema refuses: each mistake with the path of its member.
fn violations(error: &Error) -> Value {
    let entry = |mistake: &Error| {
        let mut entry =
            json!({ "message": mistake.message, "type": "1", "code": mistake.code.as_str() });
        if let Some(Place::Pointer(place)) = &mistake.place {
            let key = pointer_parts(place).join(".");
            let rule = mistake.violation.as_deref();
            let value = rule.and_then(|rule| rule.given.as_deref()).unwrap_or_default();
            entry["parameters"] = json!([{ "key": key, "value": value }]);
        }
        entry
    };
    let errors: Vec<Value> = error.mistakes().map(entry).collect();
    let total = errors.len();
    json!({ "errors": errors, "total_records": total })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refused_rows_are_bad_requests() {
        for (code, expected) in [
            (Code::UniqueViolation, 400),
            (Code::ForeignKeyViolation, 400),
            (Code::UnsupportedMediaType, 400),
            (Code::NotAcceptable, 400),
            (Code::DocumentVersion, 409),
            (Code::DocumentSchema, 422),
            (Code::NoSuchItem, 404),
        ] {
            assert_eq!(Rmb.status(code), expected, "{code:?}");
        }
    }

    #[test]
    fn bodies_are_text_or_a_list() {
        let error = Error::new(Code::FilterOperand, "No.").hint("Yes.").at(Place::In("query", 7));
        assert_eq!(Rmb.content(&error, "1"), (TEXT, b"No. (byte 7)\nYes.".to_vec()));
        let place = || Place::Pointer("/cost/a~1b".to_owned());
        let both = [1, 2].map(|_| Error::new(Code::DocumentSchema, "No.").at(place()));
        let (media, body) = Rmb.content(&Error::all_of(both.into()).unwrap(), "1");
        let body: Value = serde_json::from_slice(&body).unwrap();
        assert_eq!((media, &body["total_records"]), (JSON, &json!(2)));
        assert_eq!(body["errors"][1]["parameters"][0]["key"], json!("cost.a/b"));
    }
}
