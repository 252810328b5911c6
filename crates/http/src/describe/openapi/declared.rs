//! Answers that services declare: the statuses that each outcome is sent with, and the schemas of their bodies.

use std::collections::{BTreeMap, BTreeSet};

use duet_model::Code;
use duet_service::services::{
    BodyTemplate, COUNT, DeclaredAnswer, JsonTemplate, OUTCOMES, RESULT, ServiceFile,
    ServiceOutcome, ServiceResult, Template,
};
use serde_json::{Map, Value, json};

use super::super::{DescribedService, Site};
use super::{errors, schema};
use crate::answer::declared::media;
use crate::message::media::JSON;

/// The response of success as the service declares it; that of the service without a declared answer otherwise.
/// `result` is the schema of its usual body.
pub(super) fn success(service: &DescribedService<'_>, result: &Value, response: &mut Value) {
    let file = service.file;
    let Some(answer) = file.answers.ok() else { return };
    let of_name = |name: &str| {
        let column = service.members.iter().find(|(known, _)| known == name);
        let parameter = file.parameters.iter().find(|known| known.name == name);
        match (column.filter(|_| file.result == ServiceResult::Row), parameter) {
            (Some((_, ty)), _) => Value::Object(schema::of_type(ty, true)),
            (None, Some(own)) => Value::Object(schema::of_type(&own.ty, own.optional)),
            (None, None) if name == COUNT => json!({ "type": "integer", "format": "int64" }),
            (None, None) if name == RESULT => result.clone(),
            _ => json!({ "type": "string" }),
        }
    };
    if let Some(body) = &answer.body {
        response["content"] = json!({ (media(file)): { "schema": of_body(body, &of_name) } });
        response["description"] = json!("What it answers.");
    } else if let Some(Value::Object(content)) = response.get_mut("content")
        && let Some(usual) = content.remove(JSON)
    {
        content.insert(media(file).to_owned(), usual);
    }
    add_headers(answer, response);
}

/// Puts the answers that a service declares for failures in the place of the usual responses.
pub(super) fn failures(site: &Site<'_>, file: &ServiceFile, responses: &mut Map<String, Value>) {
    let declares = |outcome: &str| file.answers.0.contains_key(outcome);
    let usual: Vec<String> = responses.keys().cloned().collect();
    let mut sent: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (name, answer) in &file.answers.0 {
        let outcome = OUTCOMES.iter().find(|(known, _)| known == name).map(|(_, outcome)| *outcome);
        let statuses = match (answer.status, outcome) {
            (_, Some(ServiceOutcome::Ok)) => Vec::new(),
            (Some(status), _) => vec![status.to_string()],
            (None, Some(ServiceOutcome::Failed)) => vec!["500".to_owned()],
            (None, Some(_)) => {
                let has = |status: &&String| outcomes_of(status).contains(name.as_str());
                usual.iter().filter(has).cloned().collect()
            }
            // A parameter names it for values outside of its limits.
            (None, None) => vec![Code::OutsideLimits.status().to_string()],
        };
        for status in statuses {
            sent.entry(status).or_default().push(name);
        }
    }
    responses.retain(|status, _| {
        let outcomes = outcomes_of(status);
        // Wrong tokens are refused before the service is known.
        status == "401" || outcomes.is_empty() || !outcomes.iter().all(|name| declares(name))
    });
    for (status, names) in sent {
        let before = responses.get(&status).cloned();
        let response = with_declared(site, file, &status, before, &names);
        responses.insert(status, response);
    }
}

/// The names of the outcomes that are sent with a status where none is declared.
fn outcomes_of(status: &str) -> BTreeSet<&'static str> {
    let codes = Code::ALL.iter().filter(|code| code.status().to_string() == status);
    codes.filter_map(|code| ServiceOutcome::of(*code)).map(ServiceOutcome::name).collect()
}

/// The response of a status that answers with these names have, beside what else it may be.
fn with_declared(
    site: &Site<'_>,
    file: &ServiceFile,
    status: &str,
    before: Option<Value>,
    names: &[&str],
) -> Value {
    let listed: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let own = format!("The answer of the service to {}.", listed.join(", "));
    let mut response = match before {
        // A failure that all services have.
        Some(shared) if shared.get("$ref").is_some() => {
            json!({ "description": own, "content": errors::content(site, status) })
        }
        Some(mut other) => {
            let text = other["description"].as_str().unwrap_or_default();
            other["description"] = json!(format!("{text} {own}"));
            other
        }
        None => json!({ "description": own }),
    };
    let of_name = |name: &str| {
        let parameter = file.parameters.iter().find(|known| known.name == name);
        match parameter {
            // As far as the request can be read, also outside of its limits.
            Some(own) => Value::Object(schema::of_type(&own.ty, true)),
            None => json!({ "type": "string" }),
        }
    };
    for answer in names.iter().filter_map(|name| file.answers.0.get(*name)) {
        match &answer.body {
            Some(body) => {
                let media = answer.media.as_deref().unwrap_or(JSON);
                add_content(&mut response, media, of_body(body, &of_name));
            }
            None => {
                for (media, content) in
                    errors::content(site, status).as_object().into_iter().flatten()
                {
                    let media = answer.media.as_deref().unwrap_or(media);
                    add_content(&mut response, media, content["schema"].clone());
                }
            }
        }
        add_headers(answer, &mut response);
    }
    response
}

/// One more schema that a response may have in a media type.
fn add_content(response: &mut Value, media: &str, schema: Value) {
    if !response["content"].is_object() {
        response["content"] = json!({});
    }
    let known = &mut response["content"][media];
    let Some(before) = known.get("schema").cloned() else {
        *known = json!({ "schema": schema });
        return;
    };
    let mut all = match before.get("anyOf") {
        Some(Value::Array(all)) => all.clone(),
        _ => vec![before],
    };
    if !all.contains(&schema) {
        all.push(schema);
    }
    known["schema"] = match &all[..] {
        [only] => only.clone(),
        _ => json!({ "anyOf": all }),
    };
}

fn add_headers(answer: &DeclaredAnswer, response: &mut Value) {
    for (name, _) in &answer.headers {
        response["headers"][name] = json!({ "schema": { "type": "string" } });
    }
}

fn of_body(body: &BodyTemplate, of_name: &dyn Fn(&str) -> Value) -> Value {
    match body {
        BodyTemplate::Text(template) => of_text(template),
        BodyTemplate::Json(json) => of_json(json, of_name),
    }
}

fn of_json(template: &JsonTemplate, of_name: &dyn Fn(&str) -> Value) -> Value {
    match template {
        JsonTemplate::Literal(text) => {
            let value: Value = serde_json::from_str(text).unwrap_or_default();
            let ty = match &value {
                Value::Bool(_) => "boolean",
                Value::Number(number) if number.is_f64() => "number",
                Value::Number(_) => "integer",
                _ => return json!({ "const": value }),
            };
            json!({ "type": ty, "const": value })
        }
        JsonTemplate::Text(text) => match text.only() {
            Some(name) => of_name(name),
            None => of_text(text),
        },
        JsonTemplate::List(items) => {
            let each: Vec<Value> = items.iter().map(|item| of_json(item, of_name)).collect();
            let mut list =
                json!({ "type": "array", "minItems": each.len(), "maxItems": each.len() });
            if !each.is_empty() {
                list["prefixItems"] = json!(each);
            }
            // There are no others, but generators want `items` of every array.
            list["items"] = json!({});
            list
        }
        JsonTemplate::Object(members) => {
            let names: Vec<&String> = members.iter().map(|(name, _)| name).collect();
            let each = members.iter().map(|(name, value)| (name.clone(), of_json(value, of_name)));
            let properties: Map<String, Value> = each.collect();
            let mut object = json!({ "type": "object", "properties": properties });
            if !names.is_empty() {
                object["required"] = json!(names);
            }
            object
        }
    }
}

/// A text; the text itself where it has no names.
fn of_text(template: &Template) -> Value {
    match template.constant() {
        Some(text) => json!({ "type": "string", "const": text }),
        None => json!({ "type": "string" }),
    }
}
