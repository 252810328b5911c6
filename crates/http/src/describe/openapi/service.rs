//! Services: the parameters of those that are collections, and the paths of all others.

use std::collections::BTreeSet;

use duet_model::DocumentStyle;
use duet_service::services::{ServiceFile, ServiceResult};
use serde_json::{Map, Value, json};

use super::super::{DescribedService, Site, names};
use super::comment::sentence;
use super::parameter::{example, object, value};
use super::reference::reference;
use super::routine::{list, row};
use super::{declared, errors, operation, write};
use crate::message::subpath::BATCH;

/// The failures of a service that reads.
const OF_READS: [&str; 9] = ["400", "401", "403", "404", "406", "422", "429", "503", "504"];

/// The failures of a service that writes.
const OF_WRITES: [&str; 13] =
    ["400", "401", "403", "404", "406", "408", "409", "413", "415", "422", "429", "503", "504"];

/// The tag of a service.
pub(super) fn tag(service: &DescribedService<'_>) -> Value {
    let comment = service.file.description.as_deref().map(sentence).unwrap_or_default();
    json!({ "name": service.name, "description": format!("{comment} Service.").trim() })
}

/// Adds the operations of services to the paths. Templates that differ in the names of their parameters alone
/// are one path in OpenAPI.
pub(super) fn add(
    site: &Site<'_>,
    services: &[DescribedService<'_>],
    paths: &mut Map<String, Value>,
) {
    let mut known = BTreeSet::new();
    for service in services {
        let name = match known.insert(service.name) {
            true => service.name.to_owned(),
            false => format!("{} {} {}", service.name, service.file.method, service.file.path),
        };
        let method = service.file.method.to_lowercase();
        let path = known_path(paths, names::template(service.file));
        let called = operation(site, service, &name, &parameters_in(&path));
        paths.entry(path).or_insert_with(|| json!({}))[&method] = called;
        if service.file.method != "GET" && !service.file.reads() {
            let path = known_path(paths, format!("{}/{BATCH}", names::template(service.file)));
            let batch = batch(site, service, &name, &parameters_in(&path));
            paths.entry(path).or_insert_with(|| json!({}))[&method] = batch;
        }
    }
}

/// The path that differs in the names of its parameters alone; this one where there is none.
fn known_path(paths: &Map<String, Value>, own: String) -> String {
    let same = paths.keys().find(|path| shape_of(path) == shape_of(&own)).cloned();
    same.unwrap_or(own)
}

/// A path without the names of its parameters.
fn shape_of(path: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    for c in path.chars() {
        inside = (inside || c == '{') && c != '}';
        if !inside || c == '{' {
            out.push(c);
        }
    }
    out
}

/// The names of the parameters of a path, in its order.
fn parameters_in(path: &str) -> Vec<&str> {
    path.split('{').skip(1).filter_map(|rest| rest.split('}').next()).collect()
}

/// The parameters of a collection that is a service: those of its path, then those of its query.
pub(super) fn parameters(file: &ServiceFile) -> Vec<Value> {
    in_path(file, &file.path.parameters().collect::<Vec<_>>())
        .into_iter()
        .chain(in_query(file))
        .collect()
}

/// The parameters of a path, under the names that the path has for them.
fn in_path(file: &ServiceFile, names: &[&str]) -> Vec<Value> {
    let found = file.path.parameters().zip(names).filter_map(|(own, name)| {
        let parameter = file.parameters.iter().find(|parameter| parameter.name == own)?;
        Some(json!({
            "name": name,
            "in": "path",
            "required": true,
            "schema": value(parameter, false),
            "example": example(parameter),
        }))
    });
    found.collect()
}

fn in_query(file: &ServiceFile) -> impl Iterator<Item = Value> {
    file.beside_path().map(|parameter| {
        json!({
            "name": parameter.name,
            "in": "query",
            "required": !parameter.optional,
            "schema": value(parameter, false),
            "example": example(parameter),
        })
    })
}

fn operation(
    site: &Site<'_>,
    service: &DescribedService<'_>,
    name: &str,
    path_names: &[&str],
) -> Value {
    let file = service.file;
    let by_query = file.method == "GET";
    let reads = by_query && file.reads();
    let failures = if reads { &OF_READS[..] } else { &OF_WRITES };
    let (status, done) = success(service);
    let mut responses = Map::from_iter([(status, done)]);
    if reads {
        responses.insert("304".into(), reference("responses", "NotModified"));
    }
    add_failures(site, service, failures, &mut responses);
    declared::failures(site, file, &mut responses);
    let summary = match (&file.description, reads) {
        (Some(description), _) => sentence(description).trim_end_matches('.').to_owned(),
        (None, true) => format!("Reads {}", service.name),
        (None, false) => format!("Runs {}", service.name),
    };
    let responses = Value::Object(responses);
    let mut operation =
        operation::named_operation(name, service.protected, "call", &summary, responses);
    operation["tags"] = json!([service.name]);
    let mut parameters = in_path(file, path_names);
    let headers: &[&str] = if reads { &["IfNoneMatch"] } else { &["IdempotencyKey", "Prefer"] };
    if by_query {
        parameters.extend(in_query(file));
    } else if file.beside_path().next().is_some() {
        operation["requestBody"] = request(file);
    }
    parameters.extend(headers.iter().map(|name| reference("parameters", name)));
    operation["parameters"] = json!(parameters);
    operation
}

/// Adds the usual responses to failures with these statuses.
fn add_failures(
    site: &Site<'_>,
    service: &DescribedService<'_>,
    statuses: &[&str],
    responses: &mut Map<String, Value>,
) {
    let has_conflict = errors::have_conflict(site);
    let statuses = statuses.iter().filter(|status| has_conflict || **status != "409");
    let statuses: Vec<&str> = statuses.copied().collect();
    operation::failures(service.protected, &statuses, responses);
}

/// The operation that runs a service for each element of an array.
fn batch(
    site: &Site<'_>,
    service: &DescribedService<'_>,
    name: &str,
    path_names: &[&str],
) -> Value {
    let file = service.file;
    let mut responses = Map::from_iter([("200".to_owned(), write::batch_results())]);
    add_failures(site, service, &OF_WRITES, &mut responses);
    let summary = format!("Runs {} for each element of an array", service.name);
    let responses = Value::Object(responses);
    let mut operation =
        operation::named_operation(name, service.protected, "batchcall", &summary, responses);
    operation["tags"] = json!([service.name]);
    let (items, given) = items(file);
    let elements = json!({ "type": "array", "minItems": 1, "items": items });
    operation["requestBody"] = json!({
        "required": true,
        "content": { "application/json": { "schema": elements, "example": [given] } },
    });
    let mut parameters = in_path(file, path_names);
    let shared = ["Atomic", "IdempotencyKey", "Prefer"];
    parameters.extend(shared.iter().map(|name| reference("parameters", name)));
    operation["parameters"] = json!(parameters);
    operation
}

/// The status and the response of success.
fn success(service: &DescribedService<'_>) -> (String, Value) {
    let file = service.file;
    let nothing = file.result == ServiceResult::Nothing;
    let usual = if nothing { 204 } else { 200 };
    let mut response = json!({ "description": "What it answers." });
    if !nothing {
        response["content"] = json!({ "application/json": { "schema": answer(service) } });
    } else {
        response["description"] = json!("Done; there is no body.");
    }
    if file.method == "GET" && file.reads() {
        response["headers"] = operation::validators();
    } else if file.location.is_some() {
        response["headers"] = json!({ "Location": reference("headers", "Location") });
    }
    declared::success(service, &answer(service), &mut response);
    let declared = file.answers.ok();
    let usual = if response["content"].is_object() { 200 } else { usual };
    let status = declared.and_then(|answer| answer.status).or(file.status).unwrap_or(usual);
    (status.to_string(), response)
}

fn answer(service: &DescribedService<'_>) -> Value {
    let whole = |mut schema: Value| {
        let names: Vec<&str> = service.members.iter().map(|(name, _)| name.as_str()).collect();
        if !names.is_empty() {
            schema["required"] = json!(names);
        }
        schema
    };
    match service.file.result {
        ServiceResult::Rows => list(&whole(row(service.members, DocumentStyle::default()))),
        ServiceResult::Row => whole(row(service.members, DocumentStyle::default())),
        ServiceResult::Document => json!({ "description": "Any JSON." }),
        ServiceResult::Count => json!({
            "type": "object",
            "properties": { "count": { "type": "integer", "format": "int64" } },
            "required": ["count"],
        }),
        ServiceResult::Nothing => json!({}),
    }
}

/// The schema of the object with the parameters that the path does not have, and an example.
fn items(file: &ServiceFile) -> (Value, Value) {
    let (mut body, given) = object(file.beside_path());
    if file.ignores_unknown {
        body["additionalProperties"] = json!(true);
    }
    (body, given)
}

fn request(file: &ServiceFile) -> Value {
    let (body, given) = items(file);
    json!({
        "required": body["required"].is_array(),
        "content": { "application/json": { "schema": body, "example": given } },
    })
}
