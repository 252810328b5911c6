//! Bulk loads: the path `…/batchload`.

use duet_service::ResourceKind;
use duet_service::bulk::BodyForm;
use duet_service::load_parameters::{COMMON, FURTHER, OF_CSV, REPORT_WITH_SQL, TRUNCATE, UPSERT};
use hyper::StatusCode;
use serde_json::{Map, Value, json};

use super::super::{DescribedResource, Site};
use super::body::{self, BodyUse};
use super::reference::{reference, schema_name};
use super::{operation, query_parameter};
use crate::message::media::LOAD;
use crate::profiles;

/// Whether rows of a table may be loaded, and not documents.
pub(super) fn takes_rows(resource: &DescribedResource<'_>) -> bool {
    resource.operations.insert && resource.kind == ResourceKind::Table
}

/// Whether the caller may load rows or documents.
pub(super) fn is_offered(resource: &DescribedResource<'_>) -> bool {
    resource.operations.insert && resource.kind != ResourceKind::View
}

/// The path item of bulk loads, where the caller may do them.
pub(super) fn path_item(site: &Site<'_>, resource: &DescribedResource<'_>) -> Option<Value> {
    if !is_offered(resource) {
        return None;
    }
    let mut responses = Map::new();
    let ended = "It ran to its end; refused rows are in the report.";
    let stopped = "It was stopped: too many rows were refused, or the rest of the body cannot be \
                   read. What was committed stays, and the report says up to which row.";
    let codes = ["400", "401", "403", "404", "406", "408", "409", "413", "415", "503", "504"];
    if profiles::of(site.profile).stopped_load(site.ords_statuses) == StatusCode::OK {
        responses.insert("200".into(), answer(&format!("{ended} Or: {stopped}")));
    } else {
        responses.insert("200".into(), answer(ended));
        responses.insert("422".into(), answer(stopped));
    }
    operation::failures(resource.protected, &codes, &mut responses);
    let summary = format!("Loads rows into {} in bulk", resource.name);
    let mut operation = operation::operation(resource, "load", &summary, Value::Object(responses));
    operation["description"] =
        json!("The body may be of any length: it is written while it arrives.");
    operation["parameters"] = listed(site, resource);
    operation["requestBody"] = json!({ "required": true, "content": content(resource) });
    Some(json!({ "post": operation }))
}

fn listed(site: &Site<'_>, resource: &DescribedResource<'_>) -> Value {
    let rows = takes_rows(resource);
    let more = [
        (UPSERT, rows && resource.operations.update && resource.has_items),
        (TRUNCATE, rows && resource.operations.delete),
    ];
    let mut all: Vec<_> = COMMON.to_vec();
    all.extend(FURTHER.into_iter().filter(|_| site.profile.loads().further_parameters));
    all.extend(more.into_iter().filter(|(_, allowed)| *allowed).map(|(parameter, _)| parameter));
    all.extend(OF_CSV.into_iter().filter(|_| rows));
    all.iter().map(|parameter| reference("parameters", parameter.component)).collect()
}

fn content(resource: &DescribedResource<'_>) -> Value {
    let rows = takes_rows(resource);
    let suffix = if rows { "Row" } else { BodyUse::New.suffix() };
    let array =
        json!({ "type": "array", "items": reference("schemas", &schema_name(resource, suffix)) });
    let text =
        |description: &str| json!({ "schema": { "type": "string", "description": description } });
    let example = match body::example(resource, BodyUse::New) {
        Value::Null => Value::Null,
        one => json!([one]),
    };
    let taken = LOAD.iter().filter(|media| rows || media.form != BodyForm::Csv);
    let described = taken.filter_map(|media| Some((media, media.text?)));
    let content = described.map(|(media, description)| {
        let content = match media.form {
            BodyForm::JsonArray => operation::with_example(&array, example.clone()),
            BodyForm::JsonLines | BodyForm::Csv => text(description),
        };
        (media.name.to_owned(), content)
    });
    Value::Object(content.collect())
}

/// The report of a load as a response.
pub(super) fn answer(description: &str) -> Value {
    json!({
        "description": description,
        "content": {
            "text/plain": { "schema": { "type": "string", "description": "The report as lines." } },
            "application/json": { "schema": reference("schemas", "LoadReport") },
        },
    })
}

/// The parameters of loads as components.
pub(super) fn parameters(site: &Site<'_>, parameters: &mut Map<String, Value>) {
    let further = FURTHER.into_iter().filter(|_| site.profile.loads().further_parameters);
    let all = COMMON.into_iter().chain(further).chain([UPSERT, TRUNCATE]).chain(OF_CSV);
    for parameter in all {
        let parameter = match parameter.name {
            "responseFormat" if site.profile.loads().sql_report => REPORT_WITH_SQL,
            _ => parameter,
        };
        query_parameter::put(&parameter, parameters);
    }
}

/// The schema of a report.
pub(super) fn report() -> Value {
    let number = |description: &str| -> Value {
        json!({ "type": "integer", "format": "int64", "minimum": 0, "description": description })
    };
    let text = |description: &str| json!({ "type": "string", "description": description });
    json!({
        "type": "object",
        "description": "What became of a bulk load.",
        "properties": {
            "outcome": { "type": "string", "enum": ["success", "warning", "stopped"] },
            "rowsProcessed": number("Rows that were read."),
            "rowsInError": number("Rows that were refused."),
            "lastCommittedRow": number("The last row that is permanent, from 1; 0 for none."),
            "lastCommittedLine": number("Its line in the body."),
            "dryRun": { "const": true, "description": "Given where all of it was undone, as `Prefer: tx=rollback` asks." },
            "stopped": {
                "type": "object",
                "description": "Why the load did not go on, if it was stopped.",
                "properties": {
                    "line": number("The line in the body."),
                    "code": text("The permanent code of the error."),
                    "message": text("What is wrong and what to do."),
                },
                "required": ["line", "code", "message"],
            },
            "errors": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "row": number("The row, from 1."),
                        "line": number("Its line in the body."),
                        "field": {
                            "type": ["string", "null"],
                            "description": "The field, where one is to blame.",
                        },
                        "code": text("The permanent code of the error."),
                        "message": text("What is wrong and what to do."),
                    },
                    "required": ["row", "line", "field", "code", "message"],
                },
            },
            "errorsNotListed": number("Refused rows beyond those in `errors`."),
        },
        "required": [
            "outcome",
            "rowsProcessed",
            "rowsInError",
            "lastCommittedRow",
            "lastCommittedLine",
            "errors",
            "errorsNotListed",
        ],
    })
}
