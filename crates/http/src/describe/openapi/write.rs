//! Operations that write: the methods of collections and items, and the transaction.

use duet_model::Operations;
use duet_service::declared_parameters::{ATOMIC, EXPLAIN};
use serde_json::{Map, Value, json};

use super::super::{DescribedResource, Site};
use super::body::{self, BodyUse};
use super::reference::{reference, schema_name};
use super::{operation, query_parameter};

/// The failures that every write may have.
const CODES: [&str; 14] = [
    "400", "401", "403", "404", "406", "408", "409", "412", "413", "415", "422", "428", "503",
    "504",
];

/// The methods of a collection that write.
pub(super) fn collection(
    resource: &DescribedResource<'_>,
    filter: &Value,
    methods: &mut Map<String, Value>,
) {
    let Operations { insert, update, delete } = resource.operations;
    if insert {
        let item = reference("schemas", &schema_name(resource, "Item"));
        let several = "Those of an array, in its order; they have no headers of their own.";
        let created = json!({
            "description": "It was made.",
            "headers": headers(true),
            "content": json_of(&or_several(&item, several)),
        });
        let plan = reference("schemas", "Plan");
        let plans = or_several(&plan, "Those of an array, in its order.");
        let mut planned = json!({ "description": "With `explain`: what would be done." });
        operation::add_plan(&plans, &mut planned);
        let mut answers = vec![("201", created), ("200", planned), ("204", unseen())];
        answers.extend(resource.acknowledges_rows.then(|| ("202", acknowledged())));
        let summary = format!("Makes an item of {}", resource.name);
        let mut operation = write(resource, "create", &summary, &answers, &[]);
        operation["requestBody"] = request(resource, BodyUse::New);
        operation["parameters"] = json!(["Explain", "IdempotencyKey", "Prefer"].map(parameter));
        methods.insert("post".into(), operation);
    }
    let mut filter = filter.clone();
    filter["required"] = json!(true);
    filter["description"] = json!("Which items: a filter as JSON text; `{}` is all of them.");
    let counted = |member: &str| {
        let mut counted = json!({ "description": "How many.", "content": count(member) });
        let plans = json!({ "type": "array", "items": reference("schemas", "Plan") });
        operation::add_plan(&plans, &mut counted);
        counted
    };
    for (allowed, method, verb, doing, member) in [
        (update, "patch", "change", "Changes", "rowsUpdated"),
        (delete, "delete", "remove", "Removes", "rowsDeleted"),
    ] {
        if !allowed {
            continue;
        }
        let summary = format!("{doing} all items of {} that a filter selects", resource.name);
        let answers = [("200", counted(member))];
        let mut operation = write(resource, verb, &summary, &answers, &[]);
        if method == "patch" {
            operation["requestBody"] = request(resource, BodyUse::Patch);
        }
        operation["parameters"] =
            json!([filter, parameter("Explain"), parameter("IdempotencyKey"), parameter("Prefer")]);
        methods.insert(method.into(), operation);
    }
}

/// The methods of an item that write.
pub(super) fn item(resource: &DescribedResource<'_>, methods: &mut Map<String, Value>) {
    let Operations { insert, update, delete } = resource.operations;
    let conditions =
        || json!(["IfMatch", "NoneOf", "Explain", "IdempotencyKey", "Prefer"].map(parameter));
    let plan = reference("schemas", "Plan");
    let mut changed = json!({
        "description": "It is as wanted.",
        "headers": headers(false),
        "content": shown(resource),
    });
    operation::add_plan(&plan, &mut changed);
    if update {
        let created = json!({
            "description": "There was none: it was made.",
            "headers": headers(true),
            "content": shown(resource),
        });
        let mut answers = vec![("200", changed.clone())];
        answers.extend(insert.then_some(("201", created)));
        answers.push(("204", unseen()));
        let summary = format!("Replaces an item of {}", resource.name);
        let mut operation = write(resource, "replace", &summary, &answers, &[]);
        operation["requestBody"] = request(resource, BodyUse::Whole);
        operation["parameters"] = conditions();
        methods.insert("put".into(), operation);
        let answers = [("200", changed), ("204", unseen())];
        let summary = format!("Changes members of an item of {}", resource.name);
        let mut operation = write(resource, "patch", &summary, &answers, &[]);
        operation["requestBody"] = request(resource, BodyUse::Patch);
        operation["parameters"] = conditions();
        methods.insert("patch".into(), operation);
    }
    if delete {
        let mut gone = json!({ "description": "It is gone.", "content": count("rowsDeleted") });
        operation::add_plan(&plan, &mut gone);
        let summary = format!("Removes an item of {}", resource.name);
        let mut operation =
            write(resource, "delete", &summary, &[("200", gone), ("204", unseen())], &[]);
        operation["parameters"] = conditions();
        methods.insert("delete".into(), operation);
    }
}

/// The path item of batches, where the caller may insert.
pub(super) fn batch(resource: &DescribedResource<'_>) -> Option<Value> {
    if !resource.operations.insert {
        return None;
    }
    let summary = format!("Makes items of {}, with a result for each", resource.name);
    let answers = [("200", batch_results())];
    let mut operation = write(resource, "batch", &summary, &answers, &[]);
    let items = reference("schemas", &schema_name(resource, BodyUse::New.suffix()));
    operation["requestBody"] = json!({
        "required": true,
        "content": json_of(&json!({ "type": "array", "minItems": 1, "items": items })),
    });
    operation["parameters"] = json!(["Atomic", "IdempotencyKey", "Prefer"].map(parameter));
    Some(json!({ "post": operation }))
}

/// The response of a batch.
pub(super) fn batch_results() -> Value {
    json!({
        "description": "A result for each item, in the order of the request.",
        "content": json_of(&json!({ "type": "array", "items": reference("schemas", "BatchResult") })),
    })
}

/// The path of transactions, where something can be written.
pub(super) fn transaction(
    site: &Site<'_>,
    resources: &[DescribedResource<'_>],
) -> Option<(String, Value)> {
    let first = resources.iter().find(|resource| resource.is_writable())?;
    if !site.transactions {
        return None;
    }
    let done = json!({
        "description": "All of it was done: an answer for each operation.",
        "content": json_of(&json!({ "type": "array", "items": reference("schemas", "Done") })),
    });
    let protected = resources.iter().any(|one| one.protected);
    let any = DescribedResource { protected, commit: None, ..*first };
    let mut operation =
        write(&any, "", "Writes several items in one transaction", &[("200", done)], &[]);
    operation["operationId"] = json!("transact");
    operation["tags"] = json!([]);
    operation["parameters"] = json!(["Explain", "IdempotencyKey", "Prefer"].map(parameter));
    operation["requestBody"] = json!({
        "required": true,
        "content": json_of(&json!({ "type": "array", "items": reference("schemas", "Operation") })),
    });
    Some(("/_/transaction".to_owned(), json!({ "post": operation })))
}

/// The schemas that writes share.
pub(super) fn schemas(site: &Site<'_>, schemas: &mut Map<String, Value>) {
    schemas.insert("Plan".into(), plan());
    schemas.insert(
        "BatchResult".into(),
        json!({
            "type": "object",
            "properties": {
                "status": { "type": "integer", "format": "int32" },
                "etag": { "type": "string", "description": "As the header `ETag`, without quotes." },
                "location": { "type": "string", "format": "uri" },
                "body": { "description": "The item, with `Prefer: return=representation`; of a service, what it answers." },
                "problem": reference("schemas", "Problem"),
            },
            "required": ["status"],
        }),
    );
    if !site.transactions {
        return;
    }
    schemas.insert(
        "Operation".into(),
        json!({
            "type": "object",
            "properties": {
                "method": { "type": "string", "enum": ["POST", "PUT", "PATCH", "DELETE"] },
                "path": {
                    "type": "string",
                    "description": "A collection or an item: `team/301`, or as links have it.",
                },
                "ifMatch": { "type": "string", "description": "As the header `If-Match`." },
                "body": { "description": "The document or the patch." },
            },
            "required": ["method", "path"],
            "additionalProperties": false,
        }),
    );
    schemas.insert(
        "Done".into(),
        json!({
            "type": "object",
            "properties": {
                "status": { "type": "integer", "format": "int32" },
                "etag": { "type": "string", "description": "As the header `ETag`, without quotes." },
                "location": { "type": "string", "format": "uri" },
                "body": { "description": "The document, or what the method answers by itself; with `explain` the `Plan`." },
            },
            "required": ["status"],
        }),
    );
}

fn plan() -> Value {
    let text = |description: &str| json!({ "type": "string", "description": description });
    let columns = |description: &str| -> Value {
        json!({ "type": "object", "additionalProperties": true, "description": description })
    };
    json!({
        "type": "object",
        "description": "What a write would do.",
        "properties": {
            "allowed": { "type": "boolean", "description": "Whether the definition allows all of it." },
            "operations": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "operation": {
                            "type": "string",
                            "enum": ["insert", "update", "park", "unlink", "delete"],
                        },
                        "table": text("The table."),
                        "pointer": text("The place in the body (RFC 6901)."),
                        "key": columns("The columns that identify the row."),
                        "set": columns("The columns that are written."),
                        "allowed": { "type": "boolean" },
                        "error": {
                            "type": "object",
                            "properties": { "code": text("The code."), "message": text("Why not.") },
                            "required": ["code", "message"],
                        },
                    },
                    "required": ["operation", "table", "pointer", "allowed"],
                },
            },
        },
        "required": ["allowed", "operations"],
    })
}

/// The parameters that writes share.
pub(super) fn parameters(parameters: &mut Map<String, Value>) {
    let header = |name: &str, description: &str| json!({ "name": name, "in": "header", "description": description, "schema": { "type": "string" } });
    for parameter in [EXPLAIN, ATOMIC] {
        query_parameter::put(&parameter, parameters);
    }
    let prefer = &crate::message::prefer::described();
    parameters.insert("Prefer".into(), header("Prefer", prefer));
    let key = "A string of your choice, new for each request: a repeated request with the same key \
               takes no effect again and gets the answer of the first, with the header \
               `Idempotent-Replayed: true`. 501 where the server keeps no keys.";
    parameters.insert("IdempotencyKey".into(), header("Idempotency-Key", key));
    let if_match = "ETags of what was read: where none is the stored one, the answer is 412.";
    parameters.insert("IfMatch".into(), header("If-Match", if_match));
    let none_of = "`*`: only where there is nothing yet. ETags: where one of them is the stored \
                   one, the answer is 412.";
    parameters.insert("NoneOf".into(), header("If-None-Match", none_of));
}

fn write(
    resource: &DescribedResource<'_>,
    verb: &str,
    summary: &str,
    answers: &[(&str, Value)],
    more: &[&str],
) -> Value {
    let mut responses = Map::new();
    for (status, answer) in answers {
        responses.insert((*status).to_owned(), answer.clone());
    }
    let commit = resource.commit();
    let codes: Vec<&str> = CODES.iter().chain(more).copied().collect();
    operation::failures(resource.protected, &codes, &mut responses);
    let mut operation = operation::operation(resource, verb, summary, Value::Object(responses));
    if let Some(commit) = commit {
        operation["x-duet-commit"] = commit;
    }
    operation
}

fn request(resource: &DescribedResource<'_>, form: BodyUse) -> Value {
    let mut schema = reference("schemas", &schema_name(resource, form.suffix()));
    if form == BodyUse::New {
        schema = or_several(&schema, "All of them are made, or none.");
    }
    let content = operation::with_example(&schema, body::example(resource, form));
    let mut media = json!({ "application/json": content });
    if form == BodyUse::Patch {
        media["application/merge-patch+json"] = media["application/json"].clone();
    }
    json!({ "required": true, "content": media })
}

/// One document, or an array of such.
fn or_several(one: &Value, description: &str) -> Value {
    json!({ "oneOf": [one, { "type": "array", "items": one, "description": description }] })
}

fn headers(created: bool) -> Value {
    let mut headers = json!({
        "ETag": reference("headers", "ETag"),
        "Content-Location": reference("headers", "ContentLocation"),
    });
    if created {
        headers["Location"] = reference("headers", "Location");
    }
    headers
}

/// The response that comes from the journal.
fn acknowledged() -> Value {
    let number = json!({ "type": "integer", "format": "int64" });
    json!({
        "description": "With `Prefer: respond-async`, or a commit class of the journal: they are in the journal, and \
                        will be made. `status` says what became of them.",
        "headers": { "Location": reference("headers", "Location") },
        "content": json_of(&json!({
            "type": "object",
            "properties": {
                "sequenceId": number,
                "firstSequenceId": number,
                "rows": number,
                "journal": { "type": "string" },
                "status": { "type": "string", "format": "uri" },
            },
            "required": ["sequenceId", "firstSequenceId", "rows", "journal", "status"],
        })),
    })
}

fn unseen() -> Value {
    json!({ "description": "As asked for by `Prefer`, or it is not in the view any more: no document." })
}

fn shown(resource: &DescribedResource<'_>) -> Value {
    json!({
        "application/json": {
            "schema": reference("schemas", &schema_name(resource, "Item")),
        },
    })
}

fn count(member: &str) -> Value {
    json_of(&json!({
        "type": "object",
        "properties": { (member): { "type": "integer", "format": "int64" } },
        "required": [member],
    }))
}

fn json_of(schema: &Value) -> Value {
    json!({ "application/json": { "schema": schema } })
}

fn parameter(name: &str) -> Value {
    reference("parameters", name)
}
