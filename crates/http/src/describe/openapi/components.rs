//! Components: the schemas of each resource, and everything that resources share.

use std::collections::BTreeSet;

use duet_model::Code;
use serde_json::{Map, Value, json};

use super::super::{Described, Site};
use super::body::{self, Form};
use super::filter::Condition;
use super::reference::{reference, schema_name};
use super::{filter, load, operation, schema, search, write};

/// The media type of a `Problem` (RFC 9457 §3).
const PROBLEM: &str = "application/problem+json";

/// Everything under `components` that these resources, and routines if there are any, can refer to.
pub(super) fn all(
    site: &Site<'_>,
    resources: &[Described<'_>],
    routines: bool,
    protected: bool,
) -> Value {
    let mut components = Map::new();
    let mut put = |name: &str, value: Value| components.insert(name.to_owned(), value);
    let some = routines || !resources.is_empty();
    put("schemas", schemas(site, resources, some));
    if some {
        put("parameters", parameters());
        put("headers", headers(protected));
        put("responses", responses(protected));
    }
    if protected {
        put("securitySchemes", security(site));
    }
    Value::Object(components)
}

/// The components that do not depend on any resource, whether or not something refers to them.
pub(super) fn shared(site: &Site<'_>, protected: bool, metadata: bool, writable: bool) -> Value {
    let mut schemas = Map::new();
    shared_schemas(site, metadata, writable, &mut schemas);
    let mut shared = json!({
        "schemas": schemas,
        "parameters": parameters(),
        "headers": headers(protected),
        "responses": responses(protected),
    });
    if protected {
        shared["securitySchemes"] = security(site);
    }
    shared
}

/// Components without those that nothing refers to.
pub(super) fn used(components: Value, paths: &Value) -> Value {
    let mut open = Vec::new();
    references(paths, &mut open);
    reached(components, open)
}

/// Components that these pointers lead to, and those lead to in turn.
pub(super) fn reached(mut components: Value, mut open: Vec<String>) -> Value {
    let mut used = BTreeSet::new();
    while let Some(pointer) = open.pop() {
        if let Some(found) = components.pointer(&pointer).filter(|_| !used.contains(&pointer)) {
            references(found, &mut open);
            used.insert(pointer);
        }
    }
    for kind in ["schemas", "parameters", "headers", "responses"] {
        if let Some(Value::Object(all)) = components.get_mut(kind) {
            all.retain(|name, _| used.contains(&format!("/{kind}/{name}")));
        }
    }
    components
}

/// What a text refers to, as pointers below `components`.
pub(super) fn references(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            let to = object.get("$ref").and_then(Value::as_str);
            found.extend(to.and_then(|to| to.strip_prefix("#/components")).map(str::to_owned));
            object.values().for_each(|inner| references(inner, found));
        }
        Value::Array(list) => list.iter().for_each(|inner| references(inner, found)),
        _ => {}
    }
}

fn schemas(site: &Site<'_>, resources: &[Described<'_>], some: bool) -> Value {
    let mut schemas = Map::new();
    let mut conditions = Vec::new();
    for resource in resources {
        let fields = resource.shape.fields();
        conditions.extend(fields.iter().map(|field| Condition::of(&field.ty)));
        let mut put = |suffix: &str, value| schemas.insert(schema_name(resource, suffix), value);
        put("Item", schema::item(resource));
        put("Page", schema::page(resource));
        put("Search", search::body(resource));
        let operations = resource.operations;
        let forms = [
            (operations.insert, Form::New),
            (operations.update, Form::Whole),
            (operations.update, Form::Patch),
        ];
        for (_, form) in forms.into_iter().filter(|(allowed, _)| *allowed) {
            put(form.suffix(), body::schema(resource, form));
        }
        if load::takes_rows(resource) {
            put("Row", body::row(resource));
        }
        put("Filter", filter::filter(resource, &fields));
        if let Some(order) = filter::order(resource, &fields) {
            put("Order", order);
        }
    }
    for condition in Condition::ALL {
        if conditions.contains(&condition) {
            condition.schemas(&mut schemas);
        }
    }
    if !some {
        return Value::Object(schemas);
    }
    if schemas.keys().any(|name| name.ends_with("Order")) {
        schemas.insert("Direction".into(), direction());
    }
    let metadata = resources.iter().any(|resource| resource.shape.metadata);
    let writable = resources.iter().any(Described::is_writable);
    shared_schemas(site, metadata, writable, &mut schemas);
    Value::Object(schemas)
}

/// The schemas that do not depend on any resource.
fn shared_schemas(
    site: &Site<'_>,
    with_metadata: bool,
    writable: bool,
    schemas: &mut Map<String, Value>,
) {
    if with_metadata {
        schemas.insert("Metadata".into(), schema::metadata());
    }
    if writable {
        write::schemas(site, schemas);
        schemas.insert("LoadReport".into(), load::report());
    }
    schemas.insert("Link".into(), schema::link());
    schemas.insert("Problem".into(), problem_schema());
    schemas.insert("ProblemDetail".into(), problem_detail());
}

fn direction() -> Value {
    json!({ "type": "string", "enum": ["ASC", "DESC"], "description": "NULLs come last." })
}

fn problem_schema() -> Value {
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
            "detail": text("What is wrong and what to do, of the first mistake."),
            "status": { "type": "integer", "format": "int32", "description": "The HTTP status." },
            "type": uri("The kind of error."),
            "instance": uri("This request; the server's log has the same id."),
            "errors": { "type": "array", "items": reference("schemas", "ProblemDetail") },
        },
        "required": ["code", "title", "detail", "status", "type", "instance", "errors"],
    })
}

fn problem_detail() -> Value {
    let text = |description: &str| json!({ "type": "string", "description": description });
    json!({
        "type": "object",
        "properties": {
            "code": text("The permanent code of the error."),
            "detail": text("What is wrong and what to do; left out of the first mistake, whose \
                            text is the `detail` of the problem."),
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

fn parameters() -> Value {
    let mut parameters = Map::new();
    if let Value::Object(of_reads) = parameters_of_reads() {
        parameters.extend(of_reads);
    }
    write::parameters(&mut parameters);
    load::parameters(&mut parameters);
    Value::Object(parameters)
}

fn parameters_of_reads() -> Value {
    json!({
        "Offset": {
            "name": "offset",
            "in": "query",
            "description": "Items to skip.",
            "schema": { "type": "integer", "format": "int64", "minimum": 0, "default": 0 },
        },
        "After": {
            "name": "after",
            "in": "query",
            "description": "Pages by key instead of by `offset`, equally fast on every page: empty \
                            for the first, then as the link `next` has it, where it is already \
                            percent-encoded. Not together with `offset`.",
            "schema": { "type": "string" },
        },
        "Count": {
            "name": "count",
            "in": "query",
            "description": "Whether the page says how many items there are in all.",
            "schema": {
                "type": "string",
                "enum": ["none", "estimated", "exact"],
                "default": "none",
            },
        },
        "IfNoneMatch": {
            "name": "If-None-Match",
            "in": "header",
            "description": "ETags that the client has: where one still holds, the answer is 304.",
            "schema": { "type": "string" },
        },
    })
}

fn headers(protected: bool) -> Value {
    let header =
        |description: &str, schema: Value| json!({ "description": description, "schema": schema });
    let text = || json!({ "type": "string" });
    let mut headers = Map::new();
    headers.insert("ETag".into(), header("The state of the answer, in quotes.", text()));
    headers.insert("Vary".into(), header("The request headers that choose the answer.", text()));
    let seconds = json!({ "type": "integer", "format": "int32" });
    headers.insert("RetryAfter".into(), header("When to try again, in seconds.", seconds));
    let uri = || json!({ "type": "string", "format": "uri" });
    headers.insert("ContentLocation".into(), header("The address of the item.", uri()));
    headers.insert("Location".into(), header("The address of what was made.", uri()));
    if protected {
        let challenge = header("How to authenticate (RFC 6750 §3).", text());
        headers.insert("WWWAuthenticate".into(), challenge);
    }
    Value::Object(headers)
}

fn responses(protected: bool) -> Value {
    let mut responses = Map::new();
    let not_modified = json!({
        "description": "Nothing has changed since the ETag in `If-None-Match`.",
        "headers": operation::validators(),
    });
    responses.insert("NotModified".into(), not_modified);
    for (status, name) in operation::FAILURES {
        if protected || !matches!(status, "401" | "403") {
            responses.insert(name.into(), failure(status, name));
        }
    }
    let other = json!({
        "description": "Any other failure.",
        "content": { (PROBLEM): { "schema": reference("schemas", "Problem") } },
    });
    responses.insert("Failure".into(), other);
    let no_body = "A failure: the status that GET has, without its body.";
    responses.insert("NoBody".into(), json!({ "description": no_body }));
    Value::Object(responses)
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
            "The filter selects too many items; nothing was changed.",
            Code::TooManyDocuments,
            "Narrow the filter.",
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
fn failure(status: &str, name: &str) -> Value {
    let (description, code, detail) = words(status);
    let example = json!({
        "code": name,
        "title": code.title(),
        "detail": detail,
        "status": code.status(),
        "type": format!("tag:duet,2026:error/{}", code.as_str()),
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

fn security(site: &Site<'_>) -> Value {
    let token_url = format!("{}{}", site.base, site.token_path);
    json!({
        "oauth2": {
            "type": "oauth2",
            "description": "Send the client's id and secret as HTTP Basic to the token endpoint, \
                            with the form `grant_type=client_credentials`; the token that comes \
                            back goes into `Authorization: Bearer`.",
            "flows": { "clientCredentials": { "tokenUrl": token_url, "scopes": {} } },
        },
    })
}
