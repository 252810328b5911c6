//! The document of a mount with many resources: the operations of collections and items, and the
//! schema of every item. The common parts of all resources are once under `components`, and
//! failures are the one response `Failure`.
//!
//! The complete form takes some 30 kB for a resource: a schema of 2,000 tables would be 64 MB. This
//! one stays below 4 kB; `open-api-catalog/{resource}/` has the complete form of each resource.
//! Operation ids and names of schemas are the same in both.

use std::collections::BTreeSet;

use duet_model::{CollectionDocument, Operations};
use duet_service::declared_parameters::{
    AFTER, COUNT, FIELDS, IDS, LIMIT, OFFSET, Q, QUERY, SEARCH,
};
use serde_json::{Map, Value, json};

use super::super::{DescribedResource, DescribedRoutine, DescribedService, Site, names};
use super::body;
use super::reference::{reference, schema_name};
use super::{
    components, errors, load, operation, paths, query_parameter, routine, schema, service, write,
};

/// More resources than this make a document brief.
pub(super) const COMPLETE: usize = 100;

/// What `info.description` says first.
pub(super) const NOTE: &str = "This document is brief, because there are many resources: \
     `open-api-catalog/{resource}/` has all of one, with its filters, examples, failures, HEAD, the header Request-Timeout, and \
     the events, changes and batches of several items at once.\n\n";

/// Writes the document piece by piece, because a tree of all of it takes ten times its bytes.
pub(super) fn document(
    site: &Site<'_>,
    head: &Map<String, Value>,
    resources: &[DescribedResource<'_>],
    routines: &[DescribedRoutine<'_>],
    services: &[DescribedService<'_>],
) -> String {
    let protected = head.contains_key("security");
    let mut all = Parts { mixed: protected, ..Parts::default() };
    for resource in resources {
        all.resource(resource);
    }
    let mut rest = Map::from_iter(routines.iter().map(|one| (one.path(), routine::path_item(one))));
    rest.extend(write::transaction(site, resources));
    errors::keep_answered(site, &mut rest);
    service::add(site, services, &mut rest);
    operation::add_answered_headers(&mut rest);
    for (path, item) in &rest {
        all.paths.put(path, item, &mut all.used);
    }
    let shared = shared(site, resources, !services.is_empty(), protected);
    let shared = components::reached(shared, all.used.iter().cloned().collect());
    for (kind, own) in [
        ("schemas", &mut all.schemas),
        ("parameters", &mut all.parameters),
        ("responses", &mut all.responses),
    ] {
        for (name, value) in shared[kind].as_object().into_iter().flatten() {
            own.put(name, value, &mut BTreeSet::new());
        }
    }
    let mut parts = ObjectText::default();
    parts.put_text("schemas", &all.schemas.finish());
    parts.put_text("parameters", &all.parameters.finish());
    if !resources.is_empty() {
        parts.put_text("requestBodies", &request_bodies().to_string());
    }
    parts.put_text("headers", &shared["headers"].to_string());
    parts.put_text("responses", &all.responses.finish());
    if let Some(schemes) = shared.get("securitySchemes") {
        parts.put_text("securitySchemes", &schemes.to_string());
    }
    let mut out = ObjectText::default();
    for (name, value) in head {
        out.put_text(name, &value.to_string());
    }
    out.put_text("paths", &all.paths.finish());
    out.put_text("components", &parts.finish());
    out.finish()
}

/// The components that do not depend on a resource.
fn shared(
    site: &Site<'_>,
    resources: &[DescribedResource<'_>],
    has_services: bool,
    protected: bool,
) -> Value {
    let metadata = resources.iter().any(|resource| resource.shape.metadata);
    let writable = has_services || resources.iter().any(DescribedResource::is_writable);
    let mut shared = components::shared(site, protected, metadata, writable);
    let parameters = &mut shared["parameters"];
    for parameter in [Q, QUERY, FIELDS, LIMIT] {
        parameters[parameter.component] = query_parameter::described(&parameter);
    }
    shared["schemas"]["Paging"] = schema::any_page();
    shared["schemas"]["Linked"] = json!({
        "type": "object",
        "properties": { "links": { "type": "array", "items": reference("schemas", "Link") } },
    });
    shared["responses"]["Counted"] = json!({
        "description": "How many there were.",
        "content": { "application/json": { "schema": {
            "type": "object",
            "properties": {
                "rowsUpdated": { "type": "integer", "format": "int64" },
                "rowsDeleted": { "type": "integer", "format": "int64" },
            },
        } } },
    });
    shared["responses"]["Loaded"] = load::answer("What became of the load.");
    shared
}

/// The bodies that all resources take.
fn request_bodies() -> Value {
    let members = SEARCH.iter().filter_map(|parameter| {
        Some((parameter.name.to_owned(), query_parameter::schema(parameter.member?.schema)))
    });
    let members: Map<String, Value> = members.collect();
    let search = json!({
        "type": "object",
        "description": "The parameters of a page as members.",
        "properties": members,
        "additionalProperties": false,
    });
    let rows = json!({ "type": "array", "items": { "type": "object" } });
    json!({
        "Search": json_body("application/json", &search),
        "Rows": json_body("application/json", &rows),
    })
}

/// The parts of the document while it grows.
#[derive(Default)]
struct Parts {
    /// Whether some resources need a token, so that those that do not must say so.
    mixed: bool,
    paths: ObjectText,
    schemas: ObjectText,
    parameters: ObjectText,
    responses: ObjectText,
    /// Pointers below `components` that something refers to.
    used: BTreeSet<String>,
}

impl Parts {
    fn resource(&mut self, resource: &DescribedResource<'_>) {
        let open = self.mixed && !resource.protected;
        let operations = Operation { resource, open };
        let mut collection = Map::new();
        let read = [Q, QUERY, LIMIT, OFFSET, AFTER, FIELDS, COUNT, IDS];
        let read = read.map(|parameter| parameter.component);
        let read = if resource.has_items { &read[..] } else { &read[..6] };
        let mut list = operations.of("list", read, None, "200", "Page");
        if let (Some(file), Value::Array(all)) = (resource.service, &mut list["parameters"]) {
            all.extend(service::parameters(file));
        }
        collection.insert("get".into(), list);
        if resource.operations.insert {
            let body = Some("application/json");
            collection.insert("post".into(), operations.of("create", &[], body, "201", "Item"));
        }
        let path = resource.path();
        self.path(&path, collection);
        if resource.is_templated() {
            return self.components(resource);
        }
        let mut search = operations.of("search", &[], None, "200", "Page");
        search["requestBody"] = reference("requestBodies", "Search");
        if let Some(file) = resource.service {
            search["parameters"] = json!(service::parameters(file));
        }
        self.path(&format!("{path}search"), Map::from_iter([("post".to_owned(), search)]));
        if load::is_offered(resource) {
            let mut load = operations.of("load", &[], None, "200", "");
            load["requestBody"] = reference("requestBodies", "Rows");
            load["responses"]["200"] = reference("responses", "Loaded");
            self.path(&format!("{path}batchload"), Map::from_iter([("post".to_owned(), load)]));
        }
        if resource.has_items {
            self.item(&operations);
        }
        self.components(resource);
    }

    fn item(&mut self, operations: &Operation<'_>) {
        let resource = operations.resource;
        let Operations { update, delete, .. } = resource.operations;
        let key = paths::key_parameters(resource);
        let template: Vec<_> = key.iter().map(|(name, _)| format!("{{{name}}}")).collect();
        let path = format!("{}{}", resource.path(), template.join(","));
        let key: Vec<_> = key
            .into_iter()
            .map(|(name, full)| {
                json!({ "name": name, "in": "path", "required": true, "schema": full["schema"] })
            })
            .collect();
        let mut item = Map::from_iter([("parameters".to_owned(), json!(key))]);
        item.insert("get".into(), operations.of("get", &[FIELDS.component], None, "200", "Item"));
        if update {
            for (method, verb, media) in
                [("put", "replace", "application/json"), ("patch", "patch", MERGE_PATCH)]
            {
                let operation = operations.of(verb, &["IfMatch"], Some(media), "200", "Item");
                item.insert(method.into(), operation);
            }
        }
        if delete {
            item.insert("delete".into(), operations.of("delete", &["IfMatch"], None, "200", ""));
        }
        self.path(&path, item);
    }

    fn path(&mut self, path: &str, methods: Map<String, Value>) {
        self.paths.put(path, &Value::Object(methods), &mut self.used);
    }

    /// The schemas and responses of a resource.
    fn components(&mut self, resource: &DescribedResource<'_>) {
        let mut item = schema::item(resource);
        without_words(&mut item);
        let name = |suffix: &str| schema_name(resource, suffix);
        if resource.is_writable() {
            let mut body = body::row(resource);
            without_words(&mut body);
            if let Value::Object(body) = &mut body {
                body.remove("required");
                body.remove("additionalProperties");
            }
            share(&mut item, &body, &reference("schemas", &name("Body")));
            self.schemas.put(&name("Body"), &body, &mut self.used);
        }
        self.schemas.put(&name("Item"), &item, &mut self.used);
        let items = json!({ "type": "array", "items": reference("schemas", &name("Item")) });
        let page = match resource.shape.document() {
            Some(document) => schema_of_list(document, &items),
            None => {
                json!({ "allOf": [reference("schemas", "Paging"), { "properties": { "items": items } }] })
            }
        };
        for (suffix, description, schema) in
            [("Page", "A page.", page), ("Item", "The item.", reference("schemas", &name("Item")))]
        {
            if suffix == "Page" || resource.has_items || resource.operations.insert {
                let content = json!({ "application/json": { "schema": schema } });
                let response = json!({ "description": description, "content": content });
                self.responses.put(&name(suffix), &response, &mut self.used);
            }
        }
    }
}

/// The schema of a list of a collection.
fn schema_of_list(document: &CollectionDocument, items: &Value) -> Value {
    let total = json!({ "type": "integer", "format": "int64" });
    json!({ "type": "object", "properties": { (&*document.list): items, "totalRecords": total } })
}

const MERGE_PATCH: &str = "application/merge-patch+json";

/// Writes the operations of a resource.
struct Operation<'a> {
    resource: &'a DescribedResource<'a>,
    /// Whether it must say that it needs no token.
    open: bool,
}

impl Operation<'_> {
    /// An operation: its parameters are shared components, its body is of this media type, and its
    /// answer is the resource's response of this suffix, or a count.
    fn of(
        &self,
        verb: &str,
        parameters: &[&str],
        body: Option<&str>,
        status: &str,
        answer: &str,
    ) -> Value {
        let name = self.resource.name;
        let mut operation = json!({
            "operationId": format!("{verb}{}", names::pascal(name)),
            "tags": [name],
        });
        if self.open {
            operation["security"] = json!([]);
        }
        if !parameters.is_empty() {
            operation["parameters"] =
                parameters.iter().map(|name| reference("parameters", name)).collect();
        }
        if let Some(media) = body {
            let schema = reference("schemas", &schema_name(self.resource, "Body"));
            operation["requestBody"] = json_body(media, &schema);
        }
        let answer = match answer {
            "" => "Counted".to_owned(),
            suffix => schema_name(self.resource, suffix),
        };
        operation["responses"] = json!({
            (status): reference("responses", &answer),
            "default": reference("responses", "Failure"),
        });
        operation
    }
}

fn json_body(media: &str, schema: &Value) -> Value {
    json!({ "content": { (media): { "schema": schema } } })
}

/// Lets the schema of an item refer to that of its body where both have the same members.
fn share(item: &mut Value, body: &Value, to: &Value) {
    let Some(own) = item["properties"].as_object() else { return };
    let (Some(same), Some(links)) = (body["properties"].as_object(), own.get("links")) else {
        return;
    };
    let known = own.iter().filter(|(name, _)| *name != "links");
    if own.len() == same.len() + 1 && links.is_object() && known.eq(same.iter()) {
        *item = json!({ "allOf": [to, reference("schemas", "Linked")] });
    }
}

/// Takes the descriptions out of a schema.
fn without_words(schema: &mut Value) {
    let Value::Object(schema) = schema else { return };
    schema.remove("description");
    if let Some(Value::Object(members)) = schema.get_mut("properties") {
        members.values_mut().for_each(without_words);
    }
    if let Some(items) = schema.get_mut("items") {
        without_words(items);
    }
}

/// A JSON object that grows as text.
#[derive(Default)]
struct ObjectText(String);

impl ObjectText {
    /// Adds a member, and records its references.
    fn put(&mut self, name: &str, value: &Value, used: &mut BTreeSet<String>) {
        let mut found = Vec::new();
        components::references(value, &mut found);
        used.extend(found);
        self.put_text(name, &value.to_string());
    }

    fn put_text(&mut self, name: &str, text: &str) {
        self.0.push(if self.0.is_empty() { '{' } else { ',' });
        self.0.push_str(&Value::from(name).to_string());
        self.0.push(':');
        self.0.push_str(text);
    }

    fn finish(self) -> String {
        if self.0.is_empty() { "{}".to_owned() } else { self.0 + "}" }
    }
}
