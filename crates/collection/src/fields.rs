//! The values of documents that filters may name: the members of a JSON Schema, each with its type.

use std::sync::Arc;

use duet_model::shape::Folding;
use duet_model::{DocumentField, Type};
use duet_text::Fold;
use serde_json::Value;

/// How deep members are followed: a schema may refer to itself.
const DEPTH: usize = 8;

/// The fields of a schema in its order, and whether its documents may have other members too.
pub(crate) fn of(schema: &Value) -> (Vec<DocumentField>, bool) {
    let mut reader = Reader { root: schema, fields: Vec::new() };
    let root = reader.resolved(schema);
    reader.members(root, "", false, DEPTH);
    let open = root.get("additionalProperties") != Some(&Value::Bool(false));
    (reader.fields, open)
}

/// The paths of the arrays of objects, without those inside of others.
pub(crate) fn object_arrays(schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    arrays(schema, resolved(schema, schema), "", DEPTH, &mut found);
    found
}

fn arrays(root: &Value, schema: &Value, prefix: &str, depth: usize, out: &mut Vec<String>) {
    let members = schema.get("properties").and_then(Value::as_object);
    for (name, member) in members.filter(|_| depth > 0).into_iter().flatten() {
        let member = resolved(root, member);
        let path = format!("{prefix}{name}");
        match (kind(member), member.get("items").map(|items| resolved(root, items))) {
            (Some("array"), Some(items)) if items.get("properties").is_some() => out.push(path),
            (Some("object"), _) => arrays(root, member, &format!("{path}."), depth - 1, out),
            _ => {}
        }
    }
}

/// The schema that a schema refers to, within the same document: `#/definitions/…`.
pub(crate) fn resolved<'s>(root: &'s Value, schema: &'s Value) -> &'s Value {
    let mut at = schema;
    for _ in 0..DEPTH {
        let reference = at.get("$ref").and_then(Value::as_str);
        let Some(pointer) = reference.and_then(|text| text.strip_prefix('#')) else { break };
        let Some(target) = root.pointer(pointer) else { break };
        at = target;
    }
    at
}

struct Reader<'s> {
    root: &'s Value,
    fields: Vec<DocumentField>,
}

impl<'s> Reader<'s> {
    fn resolved(&self, schema: &'s Value) -> &'s Value {
        resolved(self.root, schema)
    }

    fn members(&mut self, schema: &'s Value, prefix: &str, repeated: bool, depth: usize) {
        let members = schema.get("properties").and_then(Value::as_object);
        for (name, member) in members.filter(|_| depth > 0).into_iter().flatten() {
            // A dot would be a step, and a number leads into arrays.
            if name.contains('.') || name.parse::<i64>().is_ok() {
                continue;
            }
            let path = format!("{prefix}{name}");
            // The schema's own keywords count beside a reference.
            let format = member.get("format");
            let member = self.resolved(member);
            let format = format.or_else(|| member.get("format")).and_then(Value::as_str);
            self.member(member, path, repeated, format, depth);
        }
    }

    fn member(
        &mut self,
        schema: &'s Value,
        path: String,
        repeated: bool,
        format: Option<&str>,
        depth: usize,
    ) {
        match kind(schema) {
            Some("object") if schema.get("properties").is_some() => {
                self.members(schema, &format!("{path}."), repeated, depth - 1);
            }
            Some("array") => {
                let items = schema.get("items").map(|items| self.resolved(items));
                match items.filter(|items| items.get("properties").is_some()) {
                    Some(items) => self.members(items, &format!("{path}."), true, depth - 1),
                    None => self.push(path, Type::Json, Folding::Never, true),
                }
            }
            Some("boolean") => self.push(path, Type::Boolean, Folding::Never, repeated),
            Some("number" | "integer") => {
                self.push(path, Type::Decimal { scale: None }, Folding::Never, repeated);
            }
            Some("string") => {
                let is_exact = format.is_some_and(|format| {
                    matches!(format, "uuid" | "date" | "date-time" | "time" | "email" | "uri")
                });
                let is_uuid = schema.get("pattern").and_then(Value::as_str).is_some_and(is_uuid);
                let folding = match is_exact || is_uuid {
                    true => Folding::Never,
                    false => Folding::Always(Fold::Both),
                };
                let ty = labels(schema).map_or(Type::Text, Type::Enum);
                self.push(path, ty, folding, repeated);
            }
            _ => self.push(path, Type::Json, Folding::Never, repeated),
        }
    }

    fn push(&mut self, path: String, ty: Type, folding: Folding, repeated: bool) {
        // Inside of arrays any element counts, by tests of JSON values.
        let ty = if repeated { Type::Json } else { ty };
        self.fields.push(DocumentField { path, ty, column: None, folding, repeated, joined: None });
    }
}

/// Whether the member at these steps of objects must be a UUID.
pub(crate) fn takes_uuid(root: &Value, steps: &[&str]) -> bool {
    let mut schema = root;
    let mut format = None;
    for step in steps {
        let Some(member) = resolved(root, schema).get("properties").and_then(|it| it.get(step))
        else {
            return false;
        };
        format = member.get("format");
        schema = member;
    }
    let schema = resolved(root, schema);
    let format = format.or_else(|| schema.get("format")).and_then(Value::as_str);
    let pattern = schema.get("pattern").and_then(Value::as_str);
    format == Some("uuid") || pattern.is_some_and(is_uuid)
}

/// The texts that a schema allows, where it lists them.
fn labels(schema: &Value) -> Option<Arc<[String]>> {
    let values = schema.get("enum")?.as_array()?.iter().filter(|value| !value.is_null());
    values.map(|value| value.as_str().map(str::to_owned)).collect()
}

/// Whether a pattern is that of a UUID: it has the hyphens and the lengths of one.
fn is_uuid(pattern: &str) -> bool {
    pattern.contains("{8}-") && pattern.contains("{12}")
}

/// The one type of a schema beside `null`.
fn kind(schema: &Value) -> Option<&str> {
    match schema.get("type") {
        Some(Value::String(kind)) => Some(kind),
        Some(Value::Array(kinds)) => {
            let mut kinds = kinds.iter().filter_map(Value::as_str).filter(|kind| *kind != "null");
            let first = kinds.next();
            first.filter(|_| kinds.next().is_none())
        }
        // Labels are texts, whether the schema says so or not.
        None if labels(schema).is_some_and(|labels| !labels.is_empty()) => Some("string"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_member_has_a_type() {
        let schema = serde_json::json!({
            "properties": {
                "id": { "$ref": "#/definitions/uuid" },
                "name": { "type": "string" },
                "due": { "type": ["string", "null"], "format": "date-time" },
                "cost": { "properties": { "price": { "type": "number" } }, "type": "object" },
                "tags": { "type": "array", "items": { "type": "string" } },
                "funds": { "type": "array", "items": { "properties": { "code": { "type": "string" } } } },
                "any": {}, "kind": { "enum": ["Gift", "Loan"] }, "rush": { "type": "boolean" }, "a.b": { "type": "string" }
            },
            "additionalProperties": false,
            "definitions": { "uuid": { "type": "string", "format": "uuid" } }
        });
        let (fields, open) = of(&schema);
        let found: Vec<_> = fields
            .iter()
            .map(|field| (field.path.as_str(), field.ty.name(), field.folding != Folding::Never))
            .collect();
        let expected = [
            ("id", "VARCHAR", false),
            ("name", "VARCHAR", true),
            ("due", "VARCHAR", false),
            ("cost.price", "NUMBER", false),
            ("tags", "JSON", false),
            ("funds.code", "JSON", true),
            ("any", "JSON", false),
            ("kind", "ENUM", true),
            ("rush", "BOOLEAN", false),
        ];
        assert_eq!((found.as_slice(), open), (&expected[..], false));
        assert_eq!(object_arrays(&schema), ["funds"]);
    }
}
