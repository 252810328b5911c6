//! Paths and operations.

use serde_json::{Map, Value, json};

use super::super::{Described, Site, names};
use super::{example, filter, load, reference, schema, schema_name, search, write};

/// The path items of all resources: collection, then item.
pub(super) fn all(site: &Site<'_>, resources: &[Described<'_>]) -> Value {
    let mut paths = Map::new();
    for resource in resources {
        paths.insert(resource.path(), collection(site, resource));
        paths.insert(format!("{}search", resource.path()), search::path_item(site, resource));
        if let Some(item) = load::path_item(resource) {
            paths.insert(format!("{}batchload", resource.path()), item);
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

fn collection(site: &Site<'_>, resource: &Described<'_>) -> Value {
    let page = Answer {
        description: "A page.",
        schema: schema_name(resource, "Page"),
        example: example::page(site, resource),
        lines: true,
    };
    let codes = ["400", "401", "403", "404", "406", "429", "503", "504"];
    let mut parameters = vec![
        filter_parameter(resource),
        limit(resource),
        reference("parameters", "Offset"),
        reference("parameters", "After"),
        fields(resource),
        reference("parameters", "Count"),
        reference("parameters", "IfNoneMatch"),
    ];
    parameters.extend(expand(resource));
    let get = operation(
        resource,
        "list",
        &format!("A page of {}", resource.name),
        responses(resource, &page, &codes),
    );
    let head = operation(
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

fn item(site: &Site<'_>, resource: &Described<'_>, key: Vec<(String, Value)>) -> Value {
    let item = Answer {
        description: "The item.",
        schema: schema_name(resource, "Item"),
        example: example::item(site, resource, false),
        lines: false,
    };
    let codes = ["400", "401", "403", "404", "406", "429", "503", "504"];
    let key: Vec<_> = key.into_iter().map(|(_, parameter)| parameter).collect();
    let mut parameters = vec![fields(resource)];
    parameters.extend(expand(resource));
    parameters.push(reference("parameters", "IfNoneMatch"));
    let get = operation(
        resource,
        "get",
        &format!("One item of {}", resource.name),
        responses(resource, &item, &codes),
    );
    let head = operation(
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

/// An operation; its id is a verb of its own for each kind, so that no two resources can share
/// one.
pub(super) fn operation(
    resource: &Described<'_>,
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
    /// Whether it is also to be had line by line.
    pub(super) lines: bool,
}

pub(super) fn responses(resource: &Described<'_>, answer: &Answer, codes: &[&str]) -> Value {
    let mut responses = Map::new();
    let mut ok = json!({
        "description": answer.description,
        "headers": validators(),
        "content": {
            "application/json": {
                "schema": reference("schemas", &answer.schema),
                "example": answer.example,
            },
        },
    });
    if answer.lines {
        add_lines(&mut ok);
    }
    responses.insert("200".into(), ok);
    responses.insert("304".into(), reference("responses", "NotModified"));
    failures(resource.protected, codes, &mut responses);
    Value::Object(responses)
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

/// The other forms of a collection, by `Accept`.
fn add_lines(ok: &mut Value) {
    let text =
        |description: &str| json!({ "schema": { "type": "string", "description": description } });
    let chosen = "`Accept` chooses the form; without it, the answer is application/json.";
    ok["description"] =
        json!(format!("{} {chosen}", ok["description"].as_str().unwrap_or_default()));
    ok["content"]["application/x-ndjson"] = text(
        "All items, or the first `limit`, a JSON document per line, without `links`; no ETag.",
    );
    ok["content"]["text/csv"] = text(
        "The same as RFC 4180, with a line of names; members of objects have dotted names, arrays \
         are JSON text.",
    );
}

fn needs_token(code: &str) -> bool {
    matches!(code, "401" | "403")
}

/// The component that describes a failure.
fn failure(code: &str) -> Option<&'static str> {
    let (_, name) = super::components::FAILURES.iter().find(|(known, _)| *known == code)?;
    Some(name)
}

/// The headers of every answer that can be asked for again under a condition.
pub(super) fn validators() -> Value {
    json!({ "ETag": reference("headers", "ETag"), "Vary": reference("headers", "Vary") })
}

fn head_responses() -> Value {
    json!({
        "200": { "description": "It is there.", "headers": validators() },
        "304": reference("responses", "NotModified"),
        "404": reference("responses", "NoBody"),
        "default": reference("responses", "NoBody"),
    })
}

/// The parameters of the key, each with its name: one for each column, so that generated code
/// escapes each value and leaves the commas between them alone.
pub(super) fn key_parameters(resource: &Described<'_>) -> Vec<(String, Value)> {
    let parts = resource.key_parts();
    let names = names::parameters(parts.iter().map(|part| part.path.as_str()));
    let columns = &resource.shape.root().table.columns;
    let composite = parts.len() > 1;
    let parameter = |(name, part): (String, &super::super::KeyPart)| {
        let column = &columns[part.column];
        let comment = column.comment.as_deref().map(super::sentence).unwrap_or_default();
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
            "schema": schema::of_type(&column.ty, false),
            "example": example::value(&column.ty),
        });
        (name, parameter)
    };
    names.into_iter().zip(&parts).map(parameter).collect()
}

/// `q` is a string whose content is JSON: generators that do not know parameters with `content`
/// leave those out, or flatten their object into the query.
fn filter_parameter(resource: &Described<'_>) -> Value {
    let fields = resource.shape.fields();
    json!({
        "name": "q",
        "in": "query",
        "description": "Which items, and in which order: a filter as JSON text.",
        "schema": {
            "type": "string",
            "minLength": 2,
            "contentMediaType": "application/json",
            "contentSchema": reference("schemas", &schema_name(resource, "Filter")),
        },
        "example": filter::example(resource, &fields).to_string(),
    })
}

fn limit(resource: &Described<'_>) -> Value {
    json!({
        "name": "limit",
        "in": "query",
        "description": format!(
            "Items in the page. More than {} is lowered to that, and the page says so.",
            resource.max_page_size
        ),
        "schema": {
            "type": "integer",
            "format": "int64",
            "minimum": 1,
            "default": resource.page_size,
        },
    })
}

/// `expand`, where there is something to expand.
fn expand(resource: &Described<'_>) -> Option<Value> {
    let first = resource.expand.first()?;
    Some(json!({
        "name": "expand",
        "in": "query",
        "description": expand_text(resource),
        "schema": { "type": "string" },
        "example": first.name,
    }))
}

/// What `expand` does, and what it may name.
pub(super) fn expand_text(resource: &Described<'_>) -> String {
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

fn fields(resource: &Described<'_>) -> Value {
    let names = schema::member_names(resource);
    let listed: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    let example: Vec<_> = names.iter().take(2).map(String::as_str).collect();
    json!({
        "name": "fields",
        "in": "query",
        "description": format!(
            "Only these members, joined by commas; a dotted path goes below one. They are {}.",
            listed.join(", ")
        ),
        "schema": { "type": "string" },
        "example": example.join(","),
    })
}
