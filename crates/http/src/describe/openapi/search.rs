//! POST search: the path `…/search`.

use duet_service::declared_parameters::{EXPAND, LIMIT, Q, SEARCH};
use serde_json::{Map, Value, json};

use super::super::{DescribedResource, Site};
use super::reference::{reference, schema_name};
use super::{example, filter, operation, query_parameter, service};

/// The path item of a search by POST. QUERY is described in words: version 3.1 of OpenAPI does not
/// know the method.
pub(super) fn path_item(site: &Site<'_>, resource: &DescribedResource<'_>) -> Value {
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
pub(super) fn body(resource: &DescribedResource<'_>) -> Value {
    let (usual, most) = (resource.page_size, resource.max_page_size);
    let mut members = Map::new();
    for parameter in SEARCH.iter().filter(|parameter| parameter.name != EXPAND.name) {
        let Some(member) = parameter.member else { continue };
        let text = match parameter.name == LIMIT.name {
            true => {
                format!(
                    "Items in the page, {usual} by default; more than {most} is lowered to that."
                )
            }
            false => member.text.to_owned(),
        };
        let mut described = query_parameter::schema(member.schema);
        described["description"] = json!(text);
        members.insert(parameter.name.to_owned(), described);
    }
    members[Q.name] = reference("schemas", &schema_name(resource, "Filter"));
    let mut body = json!({
        "type": "object",
        "properties": members,
        "additionalProperties": false,
    });
    if !resource.expand.is_empty() {
        let mut expand =
            query_parameter::schema(EXPAND.member.map_or("{}", |member| member.schema));
        expand["description"] = json!(operation::expand_text(resource));
        body["properties"][EXPAND.name] = expand;
    }
    body
}
