//! The events of a view with `NOTIFY`: the path `…/_/events`.

use duet_service::declared_parameters::EVENTS_AFTER;
use serde_json::{Map, Value, json};

use super::super::DescribedResource;
use super::operation;
use super::query_parameter;
use super::reference::{reference, schema_name};
use crate::message::media::EVENT_STREAM;

/// The path item of the events, where the view has some.
pub(super) fn path_item(resource: &DescribedResource<'_>, limit: &Value) -> Option<Value> {
    let notice = resource.shape.notice.as_ref()?;
    let words =
        [(notice.insert, "created"), (notice.update, "updated"), (notice.delete, "deleted")];
    let words: Vec<&str> = words.into_iter().filter(|(is, _)| *is).map(|(_, word)| word).collect();
    let text = |text: &str| json!({ "type": "string", "description": text });
    let event = json!({
        "type": "object",
        "required": ["id", "operation", "at", "key"],
        "properties": {
            "id": text("Its place, for `after`."),
            "operation": { "type": "string", "enum": words },
            "at": { "type": "string", "format": "date-time" },
            "key": text("The key of the document as it is in paths."),
            "etag": text("The etag of the document, without quotes."),
            "document": reference("schemas", &schema_name(resource, "Item")),
        },
    });
    let page = json!({
        "type": "object",
        "required": ["items", "hasMore", "after"],
        "properties": {
            "items": { "type": "array", "items": event },
            "hasMore": { "type": "boolean" },
            "limit": { "type": "integer", "format": "int64" },
            "count": { "type": "integer", "format": "int64" },
            "after": text("What `after` of the next page is."),
            "links": { "type": "array", "items": reference("schemas", "Link") },
        },
    });
    let stream = json!({ "type": "string", "description": "The events as server-sent events; the answer has no end." });
    let ok = json!({
        "description": "A page. With `Accept: text/event-stream` the events go on as they come.",
        "content": {
            "application/json": { "schema": page },
            (EVENT_STREAM): { "schema": stream },
        },
    });
    let mut responses = Map::from_iter([("200".to_owned(), ok)]);
    let codes = ["400", "401", "403", "404", "406", "429", "501", "503", "504"];
    operation::failures(resource.protected, &codes, &mut responses);
    let summary = format!("The events of {}, in the order of their commits", resource.name);
    let responses = Value::Object(responses);
    let mut get = operation::operation(resource, "events", &summary, responses);
    get["parameters"] = json!([query_parameter::described(&EVENTS_AFTER), limit]);
    Some(json!({ "get": get }))
}
