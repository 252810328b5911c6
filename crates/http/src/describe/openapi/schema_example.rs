//! An example of what a JSON Schema of a user allows, where one is easily found: no more members than are required,
//! and nothing that only a validator could tell to be right.

use serde_json::{Map, Value, json};

/// Objects and arrays inside each other at most.
const DEPTH: usize = 8;

/// A value that a schema allows; `None` where the schema says more than this understands.
pub(super) fn of(schema: &Value) -> Option<Value> {
    value(schema, DEPTH)
}

fn value(schema: &Value, depth: usize) -> Option<Value> {
    let depth = depth.checked_sub(1)?;
    if schema == &Value::Bool(true) {
        return Some(json!("text"));
    }
    let keywords = schema.as_object()?;
    const NOT_READ: [&str; 10] = [
        "$ref",
        "$dynamicRef",
        "allOf",
        "anyOf",
        "oneOf",
        "not",
        "if",
        "pattern",
        "multipleOf",
        "dependentRequired",
    ];
    if NOT_READ.iter().any(|keyword| keywords.contains_key(*keyword)) {
        return None;
    }
    let given = schema.get("const").or_else(|| first(schema, "enum"));
    if let Some(given) = given.or_else(|| first(schema, "examples")) {
        return Some(given.clone());
    }
    let ty = match &schema["type"] {
        Value::String(ty) => ty.as_str(),
        Value::Array(several) => several.first()?.as_str()?,
        Value::Null if keywords.contains_key("properties") => "object",
        Value::Null => "string",
        _ => return None,
    };
    match ty {
        "object" => object(schema, depth),
        "array" => array(schema, depth),
        "string" => text(schema),
        "integer" | "number" => number(schema),
        "boolean" => Some(json!(true)),
        "null" => Some(Value::Null),
        _ => None,
    }
}

fn first<'s>(schema: &'s Value, keyword: &str) -> Option<&'s Value> {
    schema[keyword].as_array()?.first()
}

/// The required members.
fn object(schema: &Value, depth: usize) -> Option<Value> {
    if schema.get("minProperties").is_some() {
        return None;
    }
    let mut members = Map::new();
    for name in schema["required"].as_array().into_iter().flatten() {
        let name = name.as_str()?;
        let own = schema["properties"].get(name).unwrap_or(&Value::Bool(true));
        members.insert(name.to_owned(), value(own, depth)?);
    }
    Some(Value::Object(members))
}

/// As many elements as there must be.
fn array(schema: &Value, depth: usize) -> Option<Value> {
    let least = schema.get("minItems").map_or(Some(0), Value::as_u64)?;
    if least == 0 {
        return Some(json!([]));
    }
    let is_plain = schema.get("prefixItems").is_none() && schema.get("contains").is_none();
    let is_one = least == 1 && is_plain;
    is_one.then(|| value(&schema["items"], depth).map(|element| json!([element]))).flatten()
}

fn text(schema: &Value) -> Option<Value> {
    let of_format = match schema["format"].as_str() {
        None => "text",
        Some("uuid") => "6f2c1d1e-5a0b-4c3d-9e8f-0123456789ab",
        Some("date") => "2022-03-20",
        Some("date-time") => "2022-03-20T00:00:00Z",
        Some("email") => "someone@example.org",
        Some("uri") => "https://example.org/",
        Some(_) => return None,
    };
    let length =
        |keyword: &str, otherwise: u64| schema.get(keyword).map_or(Some(otherwise), Value::as_u64);
    let own = of_format.len() as u64;
    let wanted = own.max(length("minLength", 0)?).min(length("maxLength", u64::MAX)?);
    if wanted != own && schema.get("format").is_some() || wanted > 1_000 {
        return None;
    }
    let chars = of_format.chars().cycle().take(usize::try_from(wanted).ok()?);
    Some(json!(chars.collect::<String>()))
}

fn number(schema: &Value) -> Option<Value> {
    if schema.get("exclusiveMinimum").is_some() || schema.get("exclusiveMaximum").is_some() {
        return None;
    }
    let bound = schema.get("minimum").or_else(|| schema.get("maximum"));
    Some(bound.cloned().unwrap_or_else(|| json!(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_of_schemas() {
        for (schema, expected) in [
            (json!({}), Some(json!("text"))),
            (json!({ "type": "integer", "minimum": 3 }), Some(json!(3))),
            (json!({ "type": ["string", "null"], "maxLength": 2 }), Some(json!("te"))),
            (json!({ "type": "string", "minLength": 6 }), Some(json!("textte"))),
            (json!({ "type": "string", "pattern": "^a" }), None),
            (json!({ "type": "string", "format": "date", "maxLength": 2 }), None),
            (json!({ "enum": ["x", "y"] }), Some(json!("x"))),
            (json!({ "type": "array" }), Some(json!([]))),
            (
                json!({ "type": "array", "minItems": 1, "items": { "type": "boolean" } }),
                Some(json!([true])),
            ),
            (json!({ "type": "array", "minItems": 2, "items": {} }), None),
            (
                json!({ "properties": { "a": { "const": 7 }, "b": {} }, "required": ["a"] }),
                Some(json!({ "a": 7 })),
            ),
            (json!({ "properties": { "a": { "$ref": "#" } }, "required": ["a"] }), None),
            (json!({ "$ref": "#" }), None),
            (json!(false), None),
        ] {
            assert_eq!(of(&schema), expected, "{schema}");
        }
    }
}
