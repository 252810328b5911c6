//! Collections of JSON documents: their own JSON Schema, lists instead of pages, and what lists take.

use duet_model::CollectionDocument;
use duet_service::declared_parameters::{
    EXPLAIN_PAGE, FACETS, LIMIT, OFFSET, ParameterDeclaration, TOTAL_RECORDS,
};
use serde_json::{Map, Value, json};

use super::super::DescribedResource;
use super::reference::{reference, schema_name};
use super::{query_parameter, schema_example};

/// An identifier as examples have it.
const EXAMPLE: &str = "6f2c1d1e-5a0b-4c3d-9e8f-0123456789ab";

/// The schema of a document: the collection's own, unless it refers to definitions, which have another place in a
/// description of the whole service.
pub(super) fn document(document: &CollectionDocument) -> Map<String, Value> {
    let own = serde_json::from_str::<Value>(&document.schema).ok();
    let own = own.filter(|_| !document.schema.contains("\"$ref\""));
    match own {
        Some(mut own @ Value::Object(_)) => {
            add_items(&mut own);
            let Value::Object(mut schema) = own else { return Map::new() };
            schema.remove("$schema");
            schema
        }
        _ => Map::from_iter([("type".to_owned(), json!("object"))]),
    }
}

/// Adds `items` to the arrays of a schema that have none: generators leave out what uses such an array.
fn add_items(schema: &mut Value) {
    let Value::Object(keywords) = schema else { return };
    let is_array = match keywords.get("type") {
        Some(Value::String(one)) => one == "array",
        Some(Value::Array(several)) => several.iter().any(|one| one == "array"),
        _ => false,
    };
    if is_array && !keywords.contains_key("items") {
        keywords.insert("items".into(), json!({}));
    }
    for (keyword, inner) in keywords {
        match (keyword.as_str(), inner) {
            ("properties" | "patternProperties" | "dependentSchemas", Value::Object(named)) => {
                named.values_mut().for_each(add_items);
            }
            ("allOf" | "anyOf" | "oneOf" | "prefixItems" | "items", Value::Array(several)) => {
                several.iter_mut().for_each(add_items);
            }
            ("enum" | "const" | "default" | "examples" | "required", _) => {}
            (_, inner) => add_items(inner),
        }
    }
}

/// The schema of a patch: any of the members.
pub(super) fn patch() -> Map<String, Value> {
    Map::from_iter([("type".to_owned(), json!("object"))])
}

/// The schema of a list.
pub(super) fn list(resource: &DescribedResource<'_>, document: &CollectionDocument) -> Value {
    json!({
        "type": "object",
        "description": format!("A list of {}.", resource.name),
        "properties": {
            (&*document.list): {
                "type": "array",
                "items": reference("schemas", &schema_name(resource, "Item")),
            },
            "totalRecords": {
                "type": "integer",
                "format": "int64",
                "minimum": 0,
                "description": "How many documents the filter selects; estimated where they are many.",
            },
        },
        "required": [&*document.list],
    })
}

/// The parameters of a list beside filter and order.
pub(super) fn parameters(resource: &DescribedResource<'_>) -> Vec<Value> {
    let number = |parameter: &ParameterDeclaration, text: &str, default: u64| {
        let mut described = query_parameter::with_text(parameter, text);
        described["schema"]["minimum"] = json!(0);
        described["schema"]["default"] = json!(default);
        described
    };
    let facets = resource.shape.style.profile.has_facets();
    let facets = facets.then(|| query_parameter::described(&FACETS));
    let own = vec![
        number(
            &LIMIT,
            "Documents in the list at most; 0 gives the total alone.",
            resource.page_size,
        ),
        number(&OFFSET, "Documents to skip.", 0),
        query_parameter::described(&TOTAL_RECORDS),
        reference("parameters", EXPLAIN_PAGE.component),
        reference("parameters", "IfNoneMatch"),
    ];
    own.into_iter().chain(facets).collect()
}

/// An example of a document: its key and what its schema requires; null where none is easily found.
pub(super) fn example(of: &CollectionDocument) -> Value {
    let found = schema_example::of(&Value::Object(document(of)));
    let Some(Value::Object(members)) = found else { return Value::Null };
    let mut example = Map::from_iter([("id".to_owned(), json!(EXAMPLE))]);
    example.extend(members.into_iter().filter(|(name, _)| name != "id"));
    Value::Object(example)
}

/// An example of a list.
pub(super) fn example_list(document: &CollectionDocument) -> Value {
    match example(document) {
        Value::Null => Value::Null,
        one => json!({ (&*document.list): [one], "totalRecords": 1 }),
    }
}
