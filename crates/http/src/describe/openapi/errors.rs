//! Errors: their bodies, and the responses by status.
//!
//! An application that answers as ORDS (`--compat ords`, or `--ords-statuses` alone) sends 400 instead
//! of 409, and the text of an error as another member.

use duet_model::Code;
use serde_json::{Map, Value, json};

use super::super::Site;
use super::operation;
use super::reference::reference;
use crate::answer::problem_page;
use crate::profiles::{self, ErrorForm};

/// The media type of a `Problem` (RFC 9457 §3).
const PROBLEM: &str = "application/problem+json";

/// The form of the errors of a site.
fn form(site: &Site<'_>) -> &'static dyn ErrorForm {
    profiles::of(site.profile).errors(site.ords_statuses)
}

/// The member of an error that holds its text.
pub(super) fn text_member(site: &Site<'_>) -> &'static str {
    form(site).text_member()
}

/// Whether the site's errors have the status 409.
pub(super) fn have_conflict(site: &Site<'_>) -> bool {
    form(site).status(Code::UniqueViolation) == 409
}

/// Path items without responses that the site's errors never have.
pub(super) fn keep_answered(site: &Site<'_>, items: &mut Map<String, Value>) {
    let form = form(site);
    let codes = [Code::UniqueViolation, Code::CheckViolation, Code::TooManyDocuments];
    let never = |status: &&str| codes.iter().all(|code| form.status(*code).to_string() != **status);
    let never: Vec<&str> = ["409", "422"].into_iter().filter(never).collect();
    if never.is_empty() {
        return;
    }
    let operations = items.values_mut().filter_map(Value::as_object_mut).flat_map(Map::values_mut);
    for operation in operations {
        if let Some(responses) = operation.get_mut("responses").and_then(Value::as_object_mut) {
            never.iter().for_each(|status| drop(responses.remove(*status)));
        }
    }
}

/// The schemas of an error's body.
pub(super) fn schemas(site: &Site<'_>, schemas: &mut Map<String, Value>) {
    let member = text_member(site);
    let mut problem = problem(member);
    form(site).describe_members(&mut problem["properties"]);
    schemas.insert("Problem".into(), problem);
    schemas.insert("ProblemDetail".into(), mistake(member));
}

fn problem(member: &str) -> Value {
    let text = |description: &str| json!({ "type": "string", "description": description });
    let uri = |description: &str| -> Value {
        json!({ "type": "string", "format": "uri", "description": description })
    };
    json!({
        "type": "object",
        "description": "What went wrong (RFC 9457).",
        "properties": {
            "code": text("The name of the status."),
            "title": text("What went wrong, in a few words."),
            (member): text("What is wrong and what to do, of the first mistake."),
            "status": { "type": "integer", "format": "int32", "description": "The HTTP status." },
            "type": {
                "type": "string",
                "format": "uri-reference",
                "description": "The kind of error: the path of a page about it, the same on every host.",
            },
            "instance": uri("This request; the server's log has the same id."),
            "errors": { "type": "array", "items": reference("schemas", "ProblemDetail") },
        },
        "required": ["code", "title", member, "status", "type", "instance", "errors"],
    })
}

fn mistake(member: &str) -> Value {
    let text = |description: &str| json!({ "type": "string", "description": description });
    json!({
        "type": "object",
        "properties": {
            "code": text("The permanent code of the error."),
            (member): text(&format!(
                "What is wrong and what to do; left out of the first mistake, whose text is the \
                 `{member}` of the problem."
            )),
            "hint": text("What may have been meant."),
            "parameter": text("The query parameter."),
            "position": {
                "type": "integer",
                "format": "int64",
                "description": "The byte in the decoded value of the parameter, from 0.",
            },
            "pointer": text("The place in the body (RFC 6901)."),
        },
        "required": ["code"],
    })
}

/// The response for each status that an error may have.
pub(super) fn responses(site: &Site<'_>, protected: bool) -> Value {
    let mut responses = Map::new();
    let not_modified = json!({
        "description": "Nothing has changed since the ETag in `If-None-Match`.",
        "headers": operation::validators(),
    });
    responses.insert("NotModified".into(), not_modified);
    for (status, name) in operation::FAILURES {
        if protected || !matches!(status, "401" | "403") {
            let mut response = failure(text_member(site), status, name);
            let (_, code, detail) = words(status);
            if let Some(content) = form(site).described_content(status) {
                response["content"] = content;
            } else if let Some(example) = form(site).example(code, detail) {
                response["content"][PROBLEM]["example"] = example;
            }
            responses.insert(name.into(), response);
        }
    }
    let other = json!({ "description": "Any other failure.", "content": content(site, "") });
    responses.insert("Failure".into(), other);
    let no_body = "A failure: the status that GET has, without its body.";
    responses.insert("NoBody".into(), json!({ "description": no_body }));
    Value::Object(responses)
}

/// The body of a failure by its media type; without a status that of any.
pub(super) fn content(site: &Site<'_>, status: &str) -> Value {
    form(site)
        .described_content(status)
        .unwrap_or_else(|| json!({ (PROBLEM): { "schema": reference("schemas", "Problem") } }))
}

/// What a status means here, the code that clients meet most often with it, and its advice.
fn words(status: &str) -> (&'static str, Code, &'static str) {
    match status {
        "400" => (
            "The request cannot be understood: a wrong parameter or filter.",
            Code::FilterField,
            "There is no field `nmae`.",
        ),
        "401" => ("No token, or one that is not valid.", Code::Unauthorized, "Get a new token."),
        "403" => (
            "The token is valid; its roles do not allow this.",
            Code::Forbidden,
            "Ask for a role that may read this.",
        ),
        "404" => ("There is no such item or resource.", Code::NoSuchItem, "Check the key."),
        "406" => (
            "None of the media types in `Accept` is offered.",
            Code::NotAcceptable,
            "Ask for application/json.",
        ),
        "408" => ("The body came too slowly.", Code::BodyTimeout, "Send it in one go."),
        "409" => (
            "The change is in conflict with other rows.",
            Code::UniqueViolation,
            "Choose another value.",
        ),
        "412" => (
            "It has changed since it was read; nothing was changed.",
            Code::PreconditionFailed,
            "Read it again and repeat the change.",
        ),
        "422" => (
            "A value breaks a rule of its table, or a filter selects too many items; nothing was changed.",
            Code::CheckViolation,
            "Check the value against what the table allows.",
        ),
        "428" => (
            "The server wants an etag with every change.",
            Code::PreconditionRequired,
            "Send If-Match.",
        ),
        "413" => ("The body is too large.", Code::BodyTooLarge, "Ask for less at once."),
        "415" => (
            "The body has another media type than is taken here.",
            Code::UnsupportedMediaType,
            "Send JSON with Content-Type: application/json.",
        ),
        "429" => ("Too many requests.", Code::TooManyRequests, "Wait before trying again."),
        "501" => (
            "The server keeps no idempotency keys; nothing was changed.",
            Code::IdempotencyNotPrepared,
            "Send the request without Idempotency-Key.",
        ),
        "503" => (
            "The database cannot be reached, or there is too much to do.",
            Code::DatabaseUnavailable,
            "Try again.",
        ),
        _ => (
            "The database took longer than the limit.",
            Code::Timeout,
            "Ask for less at once, or filter by an indexed field.",
        ),
    }
}

/// The response for a status, with the code that clients meet most often as its example.
fn failure(member: &str, status: &str, name: &str) -> Value {
    let (description, code, detail) = words(status);
    let example = json!({
        "code": name,
        "title": code.title(),
        (member): detail,
        "status": code.status(),
        "type": problem_page::type_of(code),
        "instance": "tag:duet,2026:request/1",
        "errors": [{ "code": code.as_str() }],
    });
    let mut response = json!({
        "description": description,
        "content": { (PROBLEM): { "schema": reference("schemas", "Problem"), "example": example } },
    });
    match status {
        "401" => {
            let challenge = reference("headers", "WWWAuthenticate");
            response["headers"] = json!({ "WWW-Authenticate": challenge });
        }
        "429" | "503" => {
            response["headers"] = json!({ "Retry-After": reference("headers", "RetryAfter") });
        }
        _ => {}
    }
    response
}
