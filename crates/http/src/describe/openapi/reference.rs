//! Names of components, and references to them.

use serde_json::{Value, json};

use super::super::{DescribedResource, names};

/// The name of a schema of a resource. All of them end in one of few words, which no shared
/// component does, so that no resource's name can hide another schema.
pub(super) fn schema_name(resource: &DescribedResource<'_>, suffix: &str) -> String {
    format!("{}{suffix}", names::pascal(resource.name))
}

/// A reference to a component.
pub(super) fn reference(kind: &str, name: &str) -> Value {
    json!({ "$ref": format!("#/components/{kind}/{name}") })
}
