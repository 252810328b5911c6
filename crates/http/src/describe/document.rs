//! `GET …/metadata-catalog/{object}/schema`: the JSON Schema of a document, with the permitted operations
//! at every level of it.

use duet_model::{Member, MemberKind, NodeId, Operations, Shape};
use serde_json::{Map, Value, json};

use super::openapi::{is_computed, is_fixed, item_schema};
use super::{DescribedResource, Site, names};

/// The operations of the table whose rows an object represents.
const OPERATIONS: &str = "x-duet-operations";
/// A member that is given when its row is inserted, and never changes.
const CREATE_ONLY: &str = "x-duet-create-only";
/// A member outside of the document's etag.
const UNCHECKED: &str = "x-duet-unchecked";

/// The path of the schema below the mount.
pub(super) fn path(resource: &DescribedResource<'_>) -> String {
    format!("/metadata-catalog/{}/schema", names::segment(resource.name))
}

/// The schema as text (JSON Schema 2020-12).
pub fn schema(site: &Site<'_>, resource: &DescribedResource<'_>) -> String {
    let mut document = Map::new();
    document.insert("$schema".into(), json!("https://json-schema.org/draft/2020-12/schema"));
    document.insert("$id".into(), json!(site.url(&path(resource))));
    document.insert("title".into(), json!(resource.name));
    let mut item = item_schema(resource);
    let shape = resource.shape;
    Annotations { shape, allowed: resource.operations }.node(0, &mut item);
    if let Value::Object(item) = item {
        document.extend(item);
    }
    Value::Object(document).to_string()
}

struct Annotations<'a> {
    shape: &'a Shape,
    /// What the caller may do with documents.
    allowed: Operations,
}

impl Annotations<'_> {
    /// Writes into the schema of an object that represents a row of a node.
    fn node(&self, node: NodeId, object: &mut Value) {
        object[OPERATIONS] = json!(words(self.operations(node)));
        self.members(node, &self.shape.nodes[node].members, object);
    }

    fn operations(&self, node: NodeId) -> Operations {
        let own = self.shape.nodes[node].operations;
        let writes = self.allowed.any();
        let most = if node == 0 {
            self.allowed
        } else {
            Operations { insert: writes, update: writes, delete: writes }
        };
        Operations {
            insert: own.insert && most.insert,
            update: own.update && most.update,
            delete: own.delete && most.delete,
        }
    }

    fn members(&self, node: NodeId, members: &[Member], object: &mut Value) {
        for member in members {
            if let MemberKind::Unnest(child) = &member.kind {
                self.members(*child, &self.shape.nodes[*child].members, object);
                continue;
            }
            let Some(schema) = object["properties"].get_mut(&member.name) else { continue };
            match &member.kind {
                MemberKind::Column(column) => {
                    let changes = column.update && self.allowed.update;
                    let computed = is_computed(self.shape, node, column);
                    if !changes || is_fixed(self.shape, node, column) {
                        let given = self.operations(node).insert && !computed;
                        schema[if given { CREATE_ONLY } else { "readOnly" }] = json!(true);
                    }
                    if !column.check {
                        schema[UNCHECKED] = json!(true);
                    }
                }
                MemberKind::Generated { .. } => {
                    schema["readOnly"] = json!(true);
                    schema[UNCHECKED] = json!(true);
                }
                MemberKind::Scalars(_) => schema["readOnly"] = json!(true),
                MemberKind::Group(inner) => self.members(node, inner, schema),
                MemberKind::Object(child) => self.node(*child, schema),
                MemberKind::Array(child) => self.node(*child, &mut schema["items"]),
                MemberKind::Unnest(_)
                | MemberKind::Flex(_)
                | MemberKind::Document(_)
                | MemberKind::Related(_) => {}
            }
        }
    }
}

/// The names of operations.
pub(super) fn words(operations: Operations) -> Vec<&'static str> {
    let all = [
        (operations.insert, "insert"),
        (operations.update, "update"),
        (operations.delete, "delete"),
    ];
    all.into_iter().filter_map(|(allowed, word)| allowed.then_some(word)).collect()
}
