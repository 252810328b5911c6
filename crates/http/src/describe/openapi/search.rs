//! POST search: the path `…/search`.

use serde_json::{Map, Value, json};

use super::super::{Described, Site};
use super::reference::{reference, schema_name};
use super::{example, filter, operation, schema, service};

/// The path item of a search by POST. QUERY is described in words: version 3.1 of OpenAPI does not
/// know the method.
pub(super) fn path_item(site: &Site<'_>, resource: &Described<'_>) -> Value {
    let page = operation::Answer {
        description: "A page. Its links ask by body again: each has the `method`, and in `body` the \
                      members to put into the body that was sent.",
        schema: schema_name(resource, "Page"),
        example: example::page(site, resource),
        lines: true,
    };
    let codes = ["400", "401", "403", "404", "406", "408", "413", "415", "429", "503", "504"];
    let mut responses = operation::responses(resource, &page, &codes);
    if let Value::Object(responses) = &mut responses {
        responses.remove("304");
    }
    let mut operation = operation::operation(
        resource,
        "search",
        &format!("A page of {}, asked for by body", resource.name),
        responses,
    );
    let fields = resource.shape.fields();
    operation["description"] = json!(
        "The same as GET of the collection, for filters that are too long for an address. The HTTP \
         method QUERY on the collection takes the same body."
    );
    operation["requestBody"] = json!({
        "required": true,
        "content": {
            "application/json": {
                "schema": reference("schemas", &schema_name(resource, "Search")),
                "example": { "q": filter::example(resource, &fields), "limit": 10 },
            },
        },
    });
    if let Some(file) = resource.service {
        operation["parameters"] = json!(service::parameters(file));
    }
    json!({ "post": operation })
}

/// The schema of the body: the parameters of a page as members.
pub(super) fn body(resource: &Described<'_>) -> Value {
    let described = |description: &str, mut schema: Map<String, Value>| -> Value {
        schema.insert("description".into(), json!(description));
        Value::Object(schema)
    };
    // Without `default`: generators of typed clients take members that have one for required.
    let number = |minimum: u64| {
        let mut schema = schema::of_type(&duet_model::Type::Integer { bits: 64 }, false);
        schema.insert("minimum".into(), json!(minimum));
        schema
    };
    let (usual, most) = (resource.page_size, resource.max_page_size);
    let mut body = json!({
        "type": "object",
        "properties": {
            "q": reference("schemas", &schema_name(resource, "Filter")),
            "query": { "type": "string", "description": "A filter in CQL, instead of `q`." },
            "limit": described(
                &format!("Items in the page, {usual} by default; more than {most} is lowered to that."),
                number(1),
            ),
            "offset": described("Items to skip, 0 by default.", number(0)),
            "after": {
                "type": "string",
                "description": "Pages by key: empty for the first, then as the link `next` has it.",
            },
            "fields": {
                "type": "array",
                "items": { "type": "string" },
                "description": "Only these members; a dotted path goes below one.",
            },
            "count": {
                "type": "string",
                "enum": ["none", "estimated", "exact"],
                "description": "Whether the page says how many items there are in all; `none` by default.",
            },
        },
        "additionalProperties": false,
    });
    if !resource.expand.is_empty() {
        body["properties"]["expand"] = json!({
            "type": "array",
            "items": { "type": "string" },
            "description": operation::expand_text(resource),
        });
    }
    body
}
