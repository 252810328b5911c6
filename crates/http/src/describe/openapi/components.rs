//! Components: the schemas of each resource, and everything that resources share.

use std::collections::BTreeSet;

use duet_model::steps;
use duet_service::declared_parameters::{AFTER, COUNT, EXPLAIN_PAGE, IDS, OFFSET};
use serde_json::{Map, Value, json};

use super::super::{DescribedResource, Site};
use super::body::{self, BodyUse};
use super::filter::Condition;
use super::reference::schema_name;
use super::{errors, filter, load, query_parameter, schema, search, write};

/// Everything under `components` that these resources, and routines and services if there are `others`, can refer to.
pub(super) fn all(
    site: &Site<'_>,
    resources: &[DescribedResource<'_>],
    others: bool,
    protected: bool,
) -> Value {
    let mut components = Map::new();
    let mut put = |name: &str, value: Value| components.insert(name.to_owned(), value);
    let some = others || !resources.is_empty();
    put("schemas", schemas(site, resources, some, others));
    if some {
        put("parameters", parameters(site));
        put("headers", headers(protected));
        put("responses", errors::responses(site, protected));
    }
    if protected {
        put("securitySchemes", security(site));
    }
    Value::Object(components)
}

/// The components that do not depend on any resource, referenced or not.
pub(super) fn shared(site: &Site<'_>, protected: bool, metadata: bool, writable: bool) -> Value {
    let mut schemas = Map::new();
    shared_schemas(site, metadata, writable, &mut schemas);
    let mut shared = json!({
        "schemas": schemas,
        "parameters": parameters(site),
        "headers": headers(protected),
        "responses": errors::responses(site, protected),
    });
    if protected {
        shared["securitySchemes"] = security(site);
    }
    shared
}

/// Components without those that nothing refers to.
pub(super) fn used(components: Value, paths: &Value) -> Value {
    let mut open = Vec::new();
    references(paths, &mut open);
    reached(components, open)
}

/// Components that these pointers reference, transitively.
pub(super) fn reached(mut components: Value, mut open: Vec<String>) -> Value {
    let mut used = BTreeSet::new();
    while let Some(pointer) = open.pop() {
        if let Some(found) = components.pointer(&pointer).filter(|_| !used.contains(&pointer)) {
            references(found, &mut open);
            used.insert(pointer);
        }
    }
    for kind in ["schemas", "parameters", "headers", "responses"] {
        if let Some(Value::Object(all)) = components.get_mut(kind) {
            all.retain(|name, _| used.contains(&format!("/{kind}/{name}")));
        }
    }
    components
}

/// What a text refers to, as pointers below `components`.
pub(super) fn references(value: &Value, found: &mut Vec<String>) {
    steps::step();
    match value {
        Value::Object(object) => {
            let to = object.get("$ref").and_then(Value::as_str);
            found.extend(to.and_then(|to| to.strip_prefix("#/components")).map(str::to_owned));
            object.values().for_each(|inner| references(inner, found));
        }
        Value::Array(list) => list.iter().for_each(|inner| references(inner, found)),
        _ => {}
    }
}

fn schemas(
    site: &Site<'_>,
    resources: &[DescribedResource<'_>],
    some: bool,
    others: bool,
) -> Value {
    let mut schemas = Map::new();
    let mut conditions = Vec::new();
    for resource in resources {
        let fields = resource.shape.fields();
        conditions.extend(fields.iter().map(|field| Condition::of(&field.ty)));
        let mut put = |suffix: &str, value| schemas.insert(schema_name(resource, suffix), value);
        put("Item", schema::item(resource));
        put("Page", schema::page(resource));
        put("Search", search::body(resource));
        let operations = resource.operations;
        let forms = [
            (operations.insert, BodyUse::New),
            (operations.update, BodyUse::Whole),
            (operations.update, BodyUse::Patch),
        ];
        for (_, form) in forms.into_iter().filter(|(allowed, _)| *allowed) {
            put(form.suffix(), body::schema(resource, form));
        }
        if load::takes_rows(resource) {
            put("Row", body::row(resource));
        }
        put("Filter", filter::filter(resource, &fields));
        if let Some(order) = filter::order(resource, &fields) {
            put("Order", order);
        }
    }
    for condition in Condition::ALL {
        if conditions.contains(&condition) {
            condition.schemas(&mut schemas);
        }
    }
    if !some {
        return Value::Object(schemas);
    }
    if schemas.keys().any(|name| name.ends_with("Filter")) {
        schemas.insert("Group".into(), filter::group());
    }
    if schemas.keys().any(|name| name.ends_with("Order")) {
        schemas.insert("Direction".into(), direction());
    }
    let metadata = resources.iter().any(|resource| resource.shape.metadata);
    let writable = others || resources.iter().any(DescribedResource::is_writable);
    shared_schemas(site, metadata, writable, &mut schemas);
    Value::Object(schemas)
}

/// The schemas that do not depend on any resource.
fn shared_schemas(
    site: &Site<'_>,
    with_metadata: bool,
    writable: bool,
    schemas: &mut Map<String, Value>,
) {
    if with_metadata {
        schemas.insert("Metadata".into(), schema::metadata());
    }
    if writable {
        write::schemas(site, schemas);
        schemas.insert("LoadReport".into(), load::report());
    }
    schemas.insert("Link".into(), schema::link());
    schemas.insert("PagePlan".into(), schema::page_plan());
    errors::schemas(site, schemas);
}

fn direction() -> Value {
    json!({ "type": "string", "enum": ["ASC", "DESC"], "description": "NULLs come last." })
}

fn parameters(site: &Site<'_>) -> Value {
    let mut parameters = Map::new();
    for parameter in [OFFSET, AFTER, IDS, COUNT, EXPLAIN_PAGE] {
        query_parameter::put(&parameter, &mut parameters);
    }
    if let Value::Object(of_reads) = headers_of_reads() {
        parameters.extend(of_reads);
    }
    write::parameters(&mut parameters);
    load::parameters(site, &mut parameters);
    Value::Object(parameters)
}

fn headers_of_reads() -> Value {
    json!({
        "RequestTimeout": {
            "name": "Request-Timeout",
            "in": "header",
            "description": "The longest that the request may take, in seconds or milliseconds, within the \
                            limits of the server: 504 when it has passed.",
            "schema": { "type": "string", "pattern": "^[0-9]{1,12}(\\.[0-9]{1,12})?(s|ms)?$" },
            "example": "2.5s",
        },
        "IfNoneMatch": {
            "name": "If-None-Match",
            "in": "header",
            "description": "ETags that the client has: where one still holds, the answer is 304.",
            "schema": { "type": "string" },
        },
        "PreferRead": {
            "name": "Prefer",
            "in": "header",
            "description": "`read=journal`: also an item that is acknowledged from the journal and not in the \
                            database yet. Its `ETag` is weak, `X-Journal` has its sequence id, and members that \
                            the database sets are left out.",
            "schema": { "type": "string" },
            "example": "read=journal",
        },
    })
}

fn headers(protected: bool) -> Value {
    let header =
        |description: &str, schema: Value| json!({ "description": description, "schema": schema });
    let text = || json!({ "type": "string" });
    let mut headers = Map::new();
    headers.insert("ETag".into(), header("The state of the answer, in quotes.", text()));
    headers.insert("Vary".into(), header("The request headers that choose the answer.", text()));
    let seconds = json!({ "type": "integer", "format": "int32" });
    headers.insert("RetryAfter".into(), header("When to try again, in seconds.", seconds));
    let links = "Of rows without an object around them: the links of the page (RFC 8288).";
    headers.insert("Link".into(), header(links, text()));
    let total = "Of such rows: how many the filter selects, where `count` asks for that.";
    let count = json!({ "type": "integer", "format": "int64", "minimum": 0 });
    headers.insert("TotalCount".into(), header(total, count));
    let applied =
        "The preferences of `Prefer` that were followed (RFC 7240 §3), where there are any.";
    headers.insert("PreferenceApplied".into(), header(applied, text()));
    let journal = "The sequence id of an item that is in the journal alone.";
    headers.insert("Journal".into(), header(journal, text()));
    let replayed = "`true`: the answer of the first request with this `Idempotency-Key`.";
    headers.insert("IdempotentReplayed".into(), header(replayed, json!({ "const": "true" })));
    let uri = || json!({ "type": "string", "format": "uri" });
    headers.insert("ContentLocation".into(), header("The address of the item.", uri()));
    headers.insert("Location".into(), header("The address of what was made.", uri()));
    if protected {
        let challenge = header("How to authenticate (RFC 6750 §3).", text());
        headers.insert("WWWAuthenticate".into(), challenge);
    }
    Value::Object(headers)
}

/// The ways to authenticate, of which a request takes one.
pub(super) fn requirements(site: &Site<'_>) -> Value {
    match site.api_key_header {
        Some(_) => json!([{ "oauth2": [] }, { "apiKey": [] }]),
        None => json!([{ "oauth2": [] }]),
    }
}

fn security(site: &Site<'_>) -> Value {
    let token_url = format!("{}{}", site.base, site.token_path);
    let mut schemes = json!({
        "oauth2": {
            "type": "oauth2",
            "description": "Send the client's id and secret as HTTP Basic to the token endpoint, \
                            with the form `grant_type=client_credentials`; the token that comes \
                            back goes into `Authorization: Bearer`.",
            "flows": { "clientCredentials": { "tokenUrl": token_url, "scopes": {} } },
        },
    });
    if let Some(header) = site.api_key_header {
        schemes["apiKey"] = json!({
            "type": "apiKey",
            "in": "header",
            "name": header,
            "description": "The API key of a client, which may also be sent as `Authorization: Bearer`.",
        });
    }
    schemes
}
