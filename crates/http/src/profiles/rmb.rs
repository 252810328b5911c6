//! The profile `compat = "rmb"`: what requests must have, and how errors are answered, as by FOLIO's
//! raml-module-builder.

use duet_model::row_tree::pointer_parts;
use duet_model::{Code, Compat, Error, Place, Result};
use duet_service::Snapshot;
use hyper::header::{HeaderName, HeaderValue};
use hyper::{HeaderMap, Method};
use serde_json::{Value, json};

use crate::message::media::JSON;
use crate::message::tenant_header::{TENANT, must_be_set};

const USER: HeaderName = HeaderName::from_static("x-okapi-user-id");

/// The media type of errors.
const TEXT: &str = "text/plain";

/// Refuses a request below a mount that does not name the tenant of the application.
///
/// # Errors
/// [`Code::BadRequest`] without the tenant, or with another one.
pub(crate) fn check_tenant(
    snapshot: &Snapshot,
    method: &Method,
    headers: &HeaderMap,
) -> Result<()> {
    let Some(tenant) = snapshot.application.mounts.tenant() else { return Ok(()) };
    match headers.get(TENANT).map(HeaderValue::as_bytes) {
        _ if *method == Method::OPTIONS => Ok(()),
        Some(given) if given == tenant.as_bytes() => Ok(()),
        Some(_) => {
            Err(Error::new(Code::BadRequest, "The tenant in X-Okapi-Tenant is not served here."))
        }
        None => Err(must_be_set()),
    }
}

/// The user that the gateway in front states in a header; nothing proves it.
pub(crate) fn stated_user<'r>(snapshot: &Snapshot, headers: &'r HeaderMap) -> Option<&'r str> {
    let is_rmb = snapshot.application.mounts.compat() == Compat::Rmb;
    headers.get(USER).filter(|_| is_rmb)?.to_str().ok()
}

/// The path of an address.
pub(crate) fn without_origin(address: &str) -> &str {
    let path = address.split_once("://").and_then(|(_, rest)| rest.find('/').map(|at| &rest[at..]));
    path.unwrap_or(address)
}

/// A change by an invalid key is a bad request, while reading it finds nothing.
pub(crate) fn malformed_key(error: Error) -> Error {
    let mut error = error;
    if error.code == Code::BadKey {
        error.code = Code::BadRequest;
    }
    error
}

/// The status of an error: refused rows, and wrong headers, are 400.
pub(crate) fn status(code: Code) -> u16 {
    match (code, code.status()) {
        (Code::DocumentVersion, status) => status,
        (_, 406 | 409 | 415) => 400,
        (_, status) => status,
    }
}

/// The media type and the body of an error.
pub(crate) fn body(error: &Error) -> (&'static str, Vec<u8>) {
    if status(error.code) == 422 {
        return (JSON, violations(error).to_string().into_bytes());
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

/// The content of errors of a status, for descriptions.
pub(crate) fn described(status: &str) -> Value {
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
            assert_eq!(status(code), expected, "{code:?}");
        }
    }

    #[test]
    fn bodies_are_text_or_a_list() {
        let error = Error::new(Code::FilterOperand, "No.").hint("Yes.").at(Place::In("query", 7));
        assert_eq!(body(&error), (TEXT, b"No. (byte 7)\nYes.".to_vec()));
        let place = || Place::Pointer("/cost/a~1b".to_owned());
        let both = [1, 2].map(|_| Error::new(Code::DocumentSchema, "No.").at(place()));
        let (media, body) = body(&Error::all_of(both.into()).unwrap());
        let body: Value = serde_json::from_slice(&body).unwrap();
        assert_eq!((media, &body["total_records"]), (JSON, &json!(2)));
        assert_eq!(body["errors"][1]["parameters"][0]["key"], json!("cost.a/b"));
    }
}
