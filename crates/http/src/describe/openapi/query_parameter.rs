//! Query parameters as OpenAPI describes them, from their declarations.

use duet_service::declared_parameters::ParameterDeclaration;
use serde_json::{Map, Value, json};

/// A parameter as it is declared.
pub(super) fn described(parameter: &ParameterDeclaration) -> Value {
    with_text(parameter, parameter.text)
}

/// A parameter with a text that says more than its declaration.
pub(super) fn with_text(parameter: &ParameterDeclaration, text: &str) -> Value {
    json!({
        "name": parameter.name,
        "in": "query",
        "description": text,
        "schema": schema(parameter.schema),
    })
}

/// Puts a parameter as a component.
pub(super) fn put(parameter: &ParameterDeclaration, components: &mut Map<String, Value>) {
    components.insert(parameter.component.to_owned(), described(parameter));
}

/// A declared schema, which a test parses.
pub(super) fn schema(declared: &str) -> Value {
    serde_json::from_str(declared).unwrap_or_default()
}
