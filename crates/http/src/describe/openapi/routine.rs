//! Functions and procedures: their paths, with schemas from their arguments and results.

use duet_model::{DocumentStyle, Type};
use duet_service::RoutineAnswer;
use serde_json::{Map, Value, json};

use super::super::DescribedRoutine;
use super::comment::sentence;
use super::reference::reference;
use super::{operation, schema, typed_example};

/// The failures that every run may have.
const CODES: [&str; 11] =
    ["400", "401", "403", "404", "406", "408", "409", "413", "415", "503", "504"];

/// The tag of a routine.
pub(super) fn tag(routine: &DescribedRoutine<'_>) -> Value {
    let kind = if routine.is_function() { "Function." } else { "Procedure." };
    let comment = routine.comment.map(sentence).unwrap_or_default();
    json!({ "name": routine.name, "description": format!("{comment} {kind}").trim() })
}

/// The path item of a routine.
pub(super) fn path_item(routine: &DescribedRoutine<'_>) -> Value {
    let mut responses = Map::new();
    let done = json!({
        "description": "What it returns.",
        "content": { "application/json": { "schema": answer(routine.answer, routine.style) } },
    });
    responses.insert("200".into(), done);
    operation::failures(routine.protected, &CODES, &mut responses);
    let summary = format!("Runs {}", routine.name);
    let mut operation = operation::named_operation(
        routine.name,
        routine.protected,
        "run",
        &summary,
        Value::Object(responses),
    );
    operation["parameters"] =
        json!(["IdempotencyKey", "Prefer"].map(|name| reference("parameters", name)));
    if !routine.arguments.is_empty() {
        operation["requestBody"] = request(routine);
    }
    json!({ "post": operation })
}

fn request(routine: &DescribedRoutine<'_>) -> Value {
    let mut properties = Map::new();
    let mut given = Map::new();
    let mut required = Vec::new();
    for (name, argument) in routine.arguments {
        properties.insert(name.clone(), value(&argument.ty, &argument.declared));
        if !argument.has_default {
            required.push(name.as_str());
            given.insert(name.clone(), typed_example::value(&argument.ty));
        }
    }
    let mut body = json!({
        "type": "object",
        "description": "The arguments. Those with a default may be left out.",
        "properties": properties,
        "additionalProperties": false,
    });
    if !required.is_empty() {
        body["required"] = json!(required);
    }
    json!({
        "required": !required.is_empty(),
        "content": { "application/json": { "schema": body, "example": given } },
    })
}

/// An argument, which may be NULL as in SQL.
fn value(ty: &Type, declared: &str) -> Value {
    let mut schema = schema::of_type(ty, true);
    if let Some(note) = schema::note(ty, declared) {
        schema.insert("description".into(), json!(note));
    }
    Value::Object(schema)
}

fn answer(answer: &RoutineAnswer, style: DocumentStyle) -> Value {
    let one = |ty: &Type| styled(ty, style);
    let row = |columns: &[(String, Type)]| row(columns, style);
    match answer {
        RoutineAnswer::Nothing => json!({ "type": "object" }),
        RoutineAnswer::Value(name, ty) => row(&[(name.clone(), ty.clone())]),
        RoutineAnswer::Row(columns) => row(columns),
        RoutineAnswer::Values(ty) => list(&one(ty)),
        RoutineAnswer::Rows(columns) => list(&row(columns)),
    }
}

/// A row; where a function returns none, it is an empty object.
pub(super) fn row(columns: &[(String, Type)], style: DocumentStyle) -> Value {
    let members = columns.iter().map(|(name, ty)| (name.clone(), styled(ty, style)));
    json!({ "type": "object", "properties": members.collect::<Map<String, Value>>() })
}

/// A value that may be NULL, in documents of a style.
fn styled(ty: &Type, style: DocumentStyle) -> Value {
    schema::styled(style, ty, Value::Object(schema::of_type(ty, true)))
}

pub(super) fn list(items: &Value) -> Value {
    json!({
        "type": "object",
        "properties": {
            "items": { "type": "array", "items": items },
            "count": { "type": "integer", "format": "int64", "minimum": 0 },
        },
        "required": ["items", "count"],
    })
}
