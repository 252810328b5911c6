//! Paths and operations.

use duet_model::Type;
use duet_service::declared_parameters::{
    AFTER, COUNT, EXPAND, EXPLAIN_PAGE, FIELDS, IDS, LIMIT, OFFSET, Q, QUERY,
};
use serde_json::{Map, Value, json};

use super::super::{DescribedResource, Site, names};
use super::comment::sentence;
use super::reference::{reference, schema_name};
use super::{
    collection, example, filter, load, operation, query_parameter, schema, search, service,
    typed_example, view_events, write,
};
use crate::message::subpath::{BATCH, EVENTS};

/// The path items of all resources: collection, then item.
pub(super) fn all(site: &Site<'_>, resources: &[DescribedResource<'_>]) -> Value {
    let mut paths = Map::new();
    for resource in resources {
        paths.insert(resource.path(), collection(site, resource));
        if resource.is_templated() {
            continue;
        }
        paths.insert(format!("{}search", resource.path()), search::path_item(site, resource));
        if let Some(item) = load::path_item(site, resource) {
            paths.insert(format!("{}batchload", resource.path()), item);
        }
        if let Some(item) = write::batch(resource) {
            paths.insert(format!("{}{BATCH}", resource.path()), item);
        }
        if let Some(item) = view_events::path_item(resource, &limit(resource)) {
            paths.insert(format!("{}{EVENTS}", resource.path()), item);
        }
        if resource.has_items {
            let key = key_parameters(resource);
            let template: Vec<_> = key.iter().map(|(name, _)| format!("{{{name}}}")).collect();
            let path = format!("{}{}", resource.path(), template.join(","));
            paths.insert(path, item(site, resource, key));
        }
    }
    if let Some((path, item)) = write::transaction(site, resources) {
        paths.insert(path, item);
    }
    Value::Object(paths)
}

fn collection(site: &Site<'_>, resource: &DescribedResource<'_>) -> Value {
    let page = operation::Answer {
        description: "A page.",
        schema: schema_name(resource, "Page"),
        example: example::page(site, resource),
        lines: true,
    };
    let codes: &[&str] = match resource.service {
        Some(_) => &["400", "401", "403", "404", "406", "422", "429", "503", "504"],
        None => &["400", "401", "403", "404", "406", "429", "503", "504"],
    };
    let mut parameters = vec![
        filter_parameter(resource),
        query_parameter(resource),
        limit(resource),
        reference("parameters", OFFSET.component),
        reference("parameters", AFTER.component),
        fields(resource),
        reference("parameters", COUNT.component),
        reference("parameters", EXPLAIN_PAGE.component),
        reference("parameters", "IfNoneMatch"),
    ];
    if resource.shape.document().is_some() {
        parameters.truncate(2);
        parameters.extend(collection::parameters(resource));
    } else if resource.has_items {
        parameters.push(reference("parameters", IDS.component));
    }
    parameters.extend(expand(resource));
    parameters.extend(resource.service.map(service::parameters).into_iter().flatten());
    let mut responses = operation::responses(resource, &page, codes);
    operation::add_plan(&reference("schemas", "PagePlan"), &mut responses["200"]);
    let summary = format!("A page of {}", resource.name);
    let get = operation::operation(resource, "list", &summary, responses);
    let head = operation::operation(
        resource,
        "probe",
        &format!("The headers of a page of {}", resource.name),
        head_responses(),
    );
    let mut methods = reads(get, head, &parameters);
    write::collection(resource, &parameters[0], &mut methods);
    Value::Object(methods)
}

/// The methods that read, with their parameters: other methods of the path have others.
fn reads(mut get: Value, mut head: Value, parameters: &[Value]) -> Map<String, Value> {
    get["parameters"] = json!(parameters);
    head["parameters"] = json!(parameters);
    Map::from_iter([("get".to_owned(), get), ("head".to_owned(), head)])
}

fn item(site: &Site<'_>, resource: &DescribedResource<'_>, key: Vec<(String, Value)>) -> Value {
    let item = operation::Answer {
        description: "The item.",
        schema: schema_name(resource, "Item"),
        example: example::item(site, resource, false),
        lines: false,
    };
    let codes = ["400", "401", "403", "404", "406", "429", "503", "504"];
    let key: Vec<_> = key.into_iter().map(|(_, parameter)| parameter).collect();
    let mut parameters = match resource.shape.document() {
        Some(_) => Vec::new(),
        None => vec![fields(resource)],
    };
    parameters.extend(expand(resource));
    parameters.push(reference("parameters", "IfNoneMatch"));
    if resource.reads_journal {
        parameters.push(reference("parameters", "PreferRead"));
    }
    let mut responses = operation::responses(resource, &item, &codes);
    operation::add_live(resource, &mut responses["200"]);
    let summary = format!("One item of {}", resource.name);
    let get = operation::operation(resource, "get", &summary, responses);
    let head = operation::operation(
        resource,
        "check",
        &format!("The headers of one item of {}", resource.name),
        head_responses(),
    );
    let mut methods = Map::from_iter([("parameters".to_owned(), json!(key))]);
    methods.extend(reads(get, head, &parameters));
    write::item(resource, &mut methods);
    Value::Object(methods)
}

fn head_responses() -> Value {
    json!({
        "200": { "description": "It is there.", "headers": operation::validators() },
        "304": reference("responses", "NotModified"),
        "404": reference("responses", "NoBody"),
        "default": reference("responses", "NoBody"),
    })
}

/// The parameters of the key, each with its name: one for each column, so that generated code
/// escapes each value and leaves the commas between them alone.
pub(super) fn key_parameters(resource: &DescribedResource<'_>) -> Vec<(String, Value)> {
    let parts = resource.key_parts();
    let names = names::parameters(parts.iter().map(|part| part.path.as_str()));
    let columns = &resource.shape.root().table.columns;
    let composite = parts.len() > 1;
    let parameter = |(name, part): (String, &super::super::KeyPart)| {
        let column = &columns[part.column];
        let ty = resource.shape.document().map_or(&column.ty, |_| &Type::Uuid);
        let comment = column.comment.as_deref().map(sentence).unwrap_or_default();
        let place = if composite {
            format!("Part of the key: {} values joined by commas.", parts.len())
        } else {
            "The key.".to_owned()
        };
        let parameter = json!({
            "name": name,
            "in": "path",
            "required": true,
            "description": format!("{comment} {place}").trim(),
            "schema": schema::of_type(ty, false),
            "example": typed_example::value(ty),
        });
        (name, parameter)
    };
    names.into_iter().zip(&parts).map(parameter).collect()
}

/// `q` is a string whose content is JSON: generators that do not know parameters with `content`
/// leave those out, or flatten their object into the query.
fn filter_parameter(resource: &DescribedResource<'_>) -> Value {
    let fields = resource.shape.fields();
    json!({
        "name": Q.name,
        "in": "query",
        "description": Q.text,
        "schema": {
            "type": "string",
            "minLength": 2,
            "contentMediaType": "application/json",
            "contentSchema": reference("schemas", &schema_name(resource, "Filter")),
        },
        "example": filter::example(resource, &fields).to_string(),
    })
}

/// `query`, the same in CQL.
fn query_parameter(resource: &DescribedResource<'_>) -> Value {
    let mut parameter = query_parameter::described(&QUERY);
    if let Some(example) = filter::cql_example(resource, &resource.shape.fields()) {
        parameter["example"] = json!(example);
    }
    parameter
}

fn limit(resource: &DescribedResource<'_>) -> Value {
    let most = resource.max_page_size;
    let text = format!("{} More than {most} is lowered to that, and the page says so.", LIMIT.text);
    let mut parameter = query_parameter::with_text(&LIMIT, &text);
    parameter["schema"]["default"] = json!(resource.page_size);
    parameter
}

/// `expand`, where there is something to expand.
fn expand(resource: &DescribedResource<'_>) -> Option<Value> {
    let first = resource.expand.first()?;
    let mut parameter = query_parameter::with_text(&EXPAND, &operation::expand_text(resource));
    parameter["example"] = json!(first.name);
    Some(parameter)
}

fn fields(resource: &DescribedResource<'_>) -> Value {
    let names = schema::member_names(resource);
    let listed: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    let example: Vec<_> = names.iter().take(2).map(String::as_str).collect();
    let text = format!("{} They are {}.", FIELDS.text, listed.join(", "));
    let mut parameter = query_parameter::with_text(&FIELDS, &text);
    parameter["example"] = json!(example.join(","));
    parameter
}
