//! Operations and their responses.

use serde_json::{Map, Value, json};

use super::super::{DescribedResource, names};
use super::reference::{reference, schema_name};
use crate::message::media::{COLLECTION, EVENT_STREAM, LIVE_TEXT, PLAN, ResponseFormat};
use duet_service::live::refusals::can_follow;

/// The responses to failures by status, and the names of their components.
pub(super) const FAILURES: [(&str, &str); 16] = [
    ("400", "BadRequest"),
    ("401", "Unauthorized"),
    ("403", "Forbidden"),
    ("404", "NotFound"),
    ("406", "NotAcceptable"),
    ("408", "RequestTimeout"),
    ("409", "Conflict"),
    ("412", "PreconditionFailed"),
    ("413", "PayloadTooLarge"),
    ("415", "UnsupportedMediaType"),
    ("422", "UnprocessableContent"),
    ("428", "PreconditionRequired"),
    ("429", "TooManyRequests"),
    ("501", "NotImplemented"),
    ("503", "ServiceUnavailable"),
    ("504", "GatewayTimeout"),
];

/// An operation; its id is a verb of its own for each kind, so that no two resources can share
/// one.
pub(super) fn operation(
    resource: &DescribedResource<'_>,
    verb: &str,
    summary: &str,
    responses: Value,
) -> Value {
    named_operation(resource.name, resource.protected, verb, summary, responses)
}

/// The same of anything with a name.
pub(super) fn named_operation(
    name: &str,
    protected: bool,
    verb: &str,
    summary: &str,
    responses: Value,
) -> Value {
    let mut operation = Map::new();
    let id = format!("{verb}{}", names::pascal(name));
    operation.insert("operationId".into(), json!(id));
    operation.insert("summary".into(), json!(summary));
    operation.insert("tags".into(), json!([name]));
    if !protected {
        operation.insert("security".into(), json!([]));
    }
    operation.insert("responses".into(), responses);
    Value::Object(operation)
}

/// What a successful GET answers.
pub(super) struct Answer {
    pub(super) description: &'static str,
    pub(super) schema: String,
    pub(super) example: Value,
    /// Whether it is a collection, which is also to be had as rows, line by line and as a plan.
    pub(super) lines: bool,
}

pub(super) fn responses(
    resource: &DescribedResource<'_>,
    answer: &Answer,
    codes: &[&str],
) -> Value {
    let mut responses = Map::new();
    let mut ok = json!({
        "description": answer.description,
        "headers": validators(),
        "content": {
            "application/json": with_example(
                &reference("schemas", &answer.schema),
                answer.example.clone(),
            ),
        },
    });
    if answer.lines {
        add_forms(resource, &mut ok);
    }
    responses.insert("200".into(), ok);
    responses.insert("304".into(), reference("responses", "NotModified"));
    failures(resource.protected, codes, &mut responses);
    Value::Object(responses)
}

/// What a media type holds: its schema, and an example where there is one.
pub(super) fn with_example(schema: &Value, example: Value) -> Value {
    match example {
        Value::Null => json!({ "schema": schema }),
        example => json!({ "schema": schema, "example": example }),
    }
}

/// Adds the failures with these statuses, and the rest.
pub(super) fn failures(protected: bool, codes: &[&str], responses: &mut Map<String, Value>) {
    for &code in codes {
        if let Some(name) = failure(code).filter(|_| protected || !needs_token(code)) {
            responses.insert(code.into(), reference("responses", name));
        }
    }
    responses.insert("default".into(), reference("responses", "Failure"));
}

/// Lets the operations of all paths but bulk loads take a time limit.
pub(super) fn add_timeout(paths: &mut Map<String, Value>) {
    for (_, item) in paths.iter_mut().filter(|(path, _)| !path.ends_with("/batchload")) {
        let mut parameters = match item.get("parameters") {
            Some(Value::Array(known)) => known.clone(),
            _ => Vec::new(),
        };
        parameters.push(reference("parameters", "RequestTimeout"));
        item["parameters"] = json!(parameters);
    }
}

/// Lets the operations that take a key answer that the server keeps none.
pub(super) fn add_keyless(paths: &mut Map<String, Value>) {
    let key = reference("parameters", "IdempotencyKey");
    let operations = paths.values_mut().filter_map(Value::as_object_mut).flat_map(Map::values_mut);
    for operation in operations.filter_map(Value::as_object_mut) {
        let parameters = operation.get("parameters").and_then(Value::as_array);
        if !parameters.is_some_and(|all| all.contains(&key)) {
            continue;
        }
        if let Some(responses) = operation.get_mut("responses").and_then(Value::as_object_mut) {
            responses.insert("501".into(), reference("responses", "NotImplemented"));
        }
    }
}

/// The headers that a success has for what it was sent: the parameter, the header and its component.
const ANSWERED: [(&str, &str, &str); 4] = [
    ("Prefer", "Preference-Applied", "PreferenceApplied"),
    ("PreferRead", "Preference-Applied", "PreferenceApplied"),
    ("PreferRead", "X-Journal", "Journal"),
    ("IdempotencyKey", "Idempotent-Replayed", "IdempotentReplayed"),
];

/// Declares the headers that answer parameters, wherever an operation takes one of these.
pub(super) fn add_answered_headers(paths: &mut Map<String, Value>) {
    let operations = paths.values_mut().filter_map(Value::as_object_mut).flat_map(Map::values_mut);
    for operation in operations.filter_map(Value::as_object_mut) {
        let Some(Value::Array(parameters)) = operation.get("parameters").cloned() else { continue };
        let Some(Value::Object(responses)) = operation.get_mut("responses") else { continue };
        let successes = responses.iter_mut().filter(|(status, _)| status.starts_with('2'));
        for (_, success) in successes.filter(|(_, success)| success.get("$ref").is_none()) {
            for (parameter, header, component) in ANSWERED {
                if parameters.contains(&reference("parameters", parameter)) {
                    success["headers"][header] = reference("headers", component);
                }
            }
        }
    }
}

/// The other forms of a collection, by `Accept`, and that of its plan.
fn add_forms(resource: &DescribedResource<'_>, ok: &mut Value) {
    let chosen = "`Accept` chooses the form; without it, the answer is application/json.";
    ok["description"] =
        json!(format!("{} {chosen}", ok["description"].as_str().unwrap_or_default()));
    for (media, description) in
        COLLECTION[1..].iter().filter_map(|media| Some((media, media.text?)))
    {
        if media.form == ResponseFormat::Live && !can_follow(resource.shape) {
            continue;
        }
        if media.form == ResponseFormat::Rows {
            ok["headers"]["Link"] = reference("headers", "Link");
            ok["headers"]["X-Total-Count"] = reference("headers", "TotalCount");
        }
        let mut schema = match media.form {
            ResponseFormat::Rows => {
                let item = reference("schemas", &schema_name(resource, "Item"));
                json!({ "type": "array", "items": item })
            }
            _ => json!({ "type": "string" }),
        };
        schema["description"] = json!(description);
        ok["content"][media.name] = json!({ "schema": schema });
    }
}

/// Adds live changes to the response of an item.
pub(super) fn add_live(resource: &DescribedResource<'_>, ok: &mut Value) {
    if can_follow(resource.shape) {
        let schema = json!({ "type": "string", "description": LIVE_TEXT });
        ok["content"][EVENT_STREAM] = json!({ "schema": schema });
    }
}

/// Adds the answer to `explain=1` to a response.
pub(super) fn add_plan(schema: &Value, ok: &mut Value) {
    ok["content"][PLAN] = json!({ "schema": schema });
}

fn needs_token(code: &str) -> bool {
    matches!(code, "401" | "403")
}

/// The component that describes a failure.
fn failure(code: &str) -> Option<&'static str> {
    let (_, name) = FAILURES.iter().find(|(known, _)| *known == code)?;
    Some(name)
}

/// The headers of every response that can be requested again with a condition.
pub(super) fn validators() -> Value {
    json!({ "ETag": reference("headers", "ETag"), "Vary": reference("headers", "Vary") })
}

/// The effect of `expand`, and the names that it accepts.
pub(super) fn expand_text(resource: &DescribedResource<'_>) -> String {
    let listed = resource.expand.iter().map(|way| {
        let form = if way.many { "array" } else { "object" };
        format!("`{}` ({form} of {})", way.name, way.resource)
    });
    format!(
        "Related rows as further members of each item, joined by commas; a dotted path goes on from \
         there. They are {}.",
        listed.collect::<Vec<_>>().join(", ")
    )
}
