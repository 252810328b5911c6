//! Paths: what is done with tables, views and functions.

use duet_model::Type;
use duet_model::catalog::{Argument, RoutineKind};
use serde_json::{Map, Value, json};

use super::definition::{json_type, of_type};
use super::parameter::{filter_name, reference};
use super::{DescribedFunction, DescribedTable, MEDIA};

/// The document itself.
pub(super) fn of_root() -> Value {
    json!({ "get": {
        "tags": ["Introspection"],
        "summary": "OpenAPI description (this document)",
        "produces": ["application/openapi+json", "application/json"],
        "responses": { "200": { "description": "OK" } },
    } })
}

/// The path of a table, with what the caller may do.
pub(super) fn of_table(table: &DescribedTable<'_>) -> (String, Value) {
    let name = &table.resource.name;
    let filters: Vec<String> =
        table.columns().map(|(_, column)| filter_name(name, &column.served_name())).collect();
    let filters = || filters.iter().map(String::as_str);
    let body = format!("body.{name}");
    let body = [body.as_str()];
    let base = || described(table.resource.comment.as_deref(), name);
    let read = ["select", "order", "range", "rangeUnit", "offset", "limit", "preferCount"];
    let mut get = base();
    get.insert("parameters".to_owned(), references(filters().chain(read)));
    let rows = json!({ "type": "array", "items": { "$ref": reference("definitions", name) } });
    let responses = json!({
        "200": { "description": "OK", "schema": rows },
        "206": { "description": "Partial Content" },
    });
    get.insert("responses".to_owned(), responses);
    let mut path = json!({ "get": get });
    let operations = table.operations;
    let writes = [
        (
            operations.insert,
            "post",
            references(body.into_iter().chain(["select", "on_conflict", "preferPost"])),
            ("201", "Created"),
        ),
        (
            operations.update,
            "patch",
            references(filters().chain(body).chain(["preferReturn"])),
            ("204", "No Content"),
        ),
        (
            operations.delete,
            "delete",
            references(filters().chain(["preferReturn"])),
            ("204", "No Content"),
        ),
    ];
    for (_, method, parameters, (status, text)) in writes.into_iter().filter(|(may, ..)| *may) {
        let mut operation = base();
        operation.insert("parameters".to_owned(), parameters);
        operation.insert("responses".to_owned(), json!({ status: { "description": text } }));
        path[method] = Value::Object(operation);
    }
    (format!("/{name}"), path)
}

/// The path of a function.
pub(super) fn of_function(function: &DescribedFunction<'_>) -> (String, Value) {
    let tag = format!("(rpc) {}", function.name);
    let is_input = |argument: &&Argument| matches!(argument.mode, 'i' | 'b' | 'v');
    let inputs: Vec<&Argument> = function.routine.arguments.iter().filter(is_input).collect();
    let base = || {
        let mut operation = described(function.routine.comment.as_deref(), &tag);
        operation.insert("produces".to_owned(), json!(&MEDIA[..3]));
        operation.insert("responses".to_owned(), json!({ "200": { "description": "OK" } }));
        operation
    };
    let mut post = base();
    let body =
        json!({ "name": "args", "in": "body", "required": true, "schema": arguments(&inputs) });
    let preference = json!({ "$ref": reference("parameters", "preferParams") });
    post.insert("parameters".to_owned(), json!([body, preference]));
    let mut path = json!({ "post": post });
    if function.reads && function.routine.kind == RoutineKind::Function {
        let mut get = base();
        let named = inputs.iter().filter(|argument| !argument.name.is_empty());
        let parameters: Vec<Value> = named.map(|argument| parameter(argument)).collect();
        get.insert("parameters".to_owned(), json!(parameters));
        path["get"] = Value::Object(get);
    }
    (format!("/rpc/{}", function.name), path)
}

/// Tag, summary and description: the first line of a comment, and its rest.
fn described(comment: Option<&str>, tag: &str) -> Map<String, Value> {
    let mut operation = Map::new();
    operation.insert("tags".to_owned(), json!([tag]));
    if let Some(comment) = comment {
        let (summary, rest) = comment.split_once('\n').unwrap_or((comment, ""));
        operation.insert("summary".to_owned(), json!(summary));
        let rest = rest.trim_start_matches('\n');
        if !rest.is_empty() {
            operation.insert("description".to_owned(), json!(rest));
        }
    }
    operation
}

fn references<'n>(names: impl Iterator<Item = &'n str>) -> Value {
    names.map(|name| json!({ "$ref": reference("parameters", name) })).collect()
}

/// The object with the arguments of a call.
fn arguments(inputs: &[&Argument]) -> Value {
    let named = || inputs.iter().filter(|argument| !argument.name.is_empty());
    let properties: Map<String, Value> = named()
        .map(|argument| (argument.name.clone(), of_type(&argument.ty, &argument.declared)))
        .collect();
    let required: Vec<&str> = named()
        .filter(|argument| !argument.has_default)
        .map(|argument| argument.name.as_str())
        .collect();
    let mut schema = json!({ "type": "object", "properties": properties });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

/// An argument in the query string: arrays are texts there, and those of `VARIADIC` are repeated.
fn parameter(argument: &Argument) -> Value {
    let mut parameter = json!({
        "name": argument.name, "in": "query", "required": !argument.has_default,
    });
    match &argument.ty {
        Type::Array(inner) if argument.mode == 'v' => {
            parameter["type"] = json!("array");
            parameter["collectionFormat"] = json!("multi");
            parameter["items"] = json!({ "type": json_type(inner).unwrap_or("string") });
        }
        Type::Array(_) => {
            parameter["type"] = json!("string");
            parameter["format"] = json!(argument.declared);
        }
        ty => {
            parameter["type"] = json!(json_type(ty).unwrap_or("string"));
            parameter["format"] = of_type(ty, &argument.declared)["format"].clone();
        }
    }
    parameter
}
