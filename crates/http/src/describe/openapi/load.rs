//! Bulk loads: the path `…/batchload`.

use duet_service::bulk::BodyForm;
use hyper::StatusCode;
use serde_json::{Map, Value, json};

use super::super::{Described, Kind, Site};
use super::body::{self, BodyUse};
use super::operation;
use super::reference::{reference, schema_name};
use crate::message::media::LOAD;
use crate::profiles;

/// Parameters of every load: component, name, description, schema.
const COMMON: [(&str, &str, &str, &str); 4] = [
    (
        "LoadBatchRows",
        "batchRows",
        "Rows of a batch.",
        r#"{"type":"integer","format":"int32","minimum":1,"maximum":100000}"#,
    ),
    (
        "LoadBatchesPerCommit",
        "batchesPerCommit",
        "Batches of a transaction; 0 makes the whole load one transaction.",
        r#"{"type":"integer","format":"int64","minimum":0,"default":10}"#,
    ),
    (
        "LoadErrors",
        "errors",
        "How many rows may be refused before the load is stopped; `UNLIMITED` or `-1` for any \
         number. 50 where it is not given, 0 where the whole load is one transaction.",
        r#"{"type":"string","pattern":"^([0-9]+|-1|UNLIMITED)$"}"#,
    ),
    (
        "LoadResponseFormat",
        "responseFormat",
        "The form of the report: lines of text, or the object `LoadReport`. By `Accept` where it \
         is not given.",
        r#"{"type":"string","enum":["RAW","JSON"]}"#,
    ),
];

/// Those beside them where the profile has them.
const FURTHER: [(&str, &str, &str, &str); 3] = [
    (
        "LoadErrorsMax",
        "errorsMax",
        "The most that `errors` may allow, whatever it says.",
        r#"{"type":"integer","format":"int64","minimum":0}"#,
    ),
    (
        "LoadLocale",
        "locale",
        "A locale of English, which masks have the names of months in.",
        r#"{"type":"string","pattern":"^[eE][nN]"}"#,
    ),
    (
        "LoadResponseEncoding",
        "responseEncoding",
        "The encoding of the report.",
        r#"{"type":"string","pattern":"^[uU][tT][fF]-?8$","default":"UTF-8"}"#,
    ),
];
/// The form of a report, where comments of SQL are one too.
const FORMS_WITH_SQL: &str = r#"{"type":"string","enum":["RAW","SQL","JSON"],"default":"RAW"}"#;

/// Those of loads of CSV.
const OF_CSV: [(&str, &str, &str, &str); 7] = [
    (
        "LoadDelimiter",
        "delimiter",
        "CSV: the separator of fields, one ASCII character, or `tab`.",
        r#"{"type":"string","default":","}"#,
    ),
    (
        "LoadEnclosures",
        "enclosures",
        "CSV: the quote around fields, one ASCII character, or `none`.",
        r#"{"type":"string","default":"\""}"#,
    ),
    (
        "LoadLineEnd",
        "lineEnd",
        "CSV: what ends a line.",
        r#"{"type":"string","enum":["auto","lf","cr","crlf"],"default":"auto"}"#,
    ),
    (
        "LoadLineMax",
        "lineMax",
        "CSV: bytes of one row at most.",
        r#"{"type":"integer","format":"int64","minimum":0}"#,
    ),
    ("LoadDateFormat", "dateFormat", "CSV: a mask of dates.", r#"{"type":"string"}"#),
    (
        "LoadTimestampFormat",
        "timestampFormat",
        "CSV: a mask of times of a day.",
        r#"{"type":"string"}"#,
    ),
    (
        "LoadTimestampTZFormat",
        "timestampTZFormat",
        "CSV: a mask of moments.",
        r#"{"type":"string"}"#,
    ),
];

/// Those that need more rights than to insert.
const UPSERT: (&str, &str, &str, &str) = (
    "LoadUpsert",
    "upsert",
    "Whether a row replaces the one of the same key in the columns that it gives.",
    r#"{"type":"boolean","default":false}"#,
);
const TRUNCATE: (&str, &str, &str, &str) = (
    "LoadTruncate",
    "truncate",
    "`true` deletes all rows first, `truncate` does so by `TRUNCATE` where the database has it.",
    r#"{"type":"string","enum":["false","true","truncate"],"default":"false"}"#,
);

/// Whether rows of a table may be loaded, and not documents.
pub(super) fn takes_rows(resource: &Described<'_>) -> bool {
    resource.operations.insert && resource.kind == Kind::Table
}

/// Whether the caller may load rows or documents.
pub(super) fn is_offered(resource: &Described<'_>) -> bool {
    resource.operations.insert && resource.kind != Kind::View
}

/// The path item of bulk loads, where the caller may do them.
pub(super) fn path_item(site: &Site<'_>, resource: &Described<'_>) -> Option<Value> {
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

fn listed(site: &Site<'_>, resource: &Described<'_>) -> Value {
    let rows = takes_rows(resource);
    let more = [
        (UPSERT, rows && resource.operations.update && resource.has_items),
        (TRUNCATE, rows && resource.operations.delete),
    ];
    let mut all: Vec<_> = COMMON.to_vec();
    all.extend(FURTHER.into_iter().filter(|_| site.profile.loads().further_parameters));
    all.extend(more.into_iter().filter(|(_, allowed)| *allowed).map(|(parameter, _)| parameter));
    all.extend(OF_CSV.into_iter().filter(|_| rows));
    all.into_iter().map(|(component, ..)| reference("parameters", component)).collect()
}

fn content(resource: &Described<'_>) -> Value {
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
    for (component, name, description, schema) in all {
        let schema = match name {
            "responseFormat" if site.profile.loads().sql_report => FORMS_WITH_SQL,
            _ => schema,
        };
        // They are texts of this file, which a test parses.
        let schema: Value = serde_json::from_str(schema).unwrap_or_default();
        let parameter =
            json!({ "name": name, "in": "query", "description": description, "schema": schema });
        parameters.insert(component.into(), parameter);
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
