//! The document of an API, with its references, and schemas as one table each.

use serde_json::{Map, Value};

use super::super::Problem;
use super::super::document::Document;

/// How deep schemas are followed; documents may refer to themselves.
const DEEPEST: usize = 8;
/// The longest text that is made.
const LONGEST: u64 = 1_000;

/// A document.
#[derive(Clone, Copy)]
pub(super) struct Api<'a> {
    pub(super) document: &'a Document,
}

impl<'a> Api<'a> {
    pub(super) fn problem(&self, pointer: &str, message: impl Into<String>) -> Problem {
        self.document.problem(pointer, message)
    }

    pub(super) fn at(&self, pointer: &str) -> Option<&'a Value> {
        self.document.value.pointer(pointer)
    }

    /// The value that a reference leads to, or the value itself.
    pub(super) fn resolved<'b>(&'b self, value: &'b Value, at: &str) -> Result<&'b Value, Problem> {
        let mut value = value;
        for _ in 0..32 {
            let Some(reference) = value.get("$ref").and_then(Value::as_str) else {
                return Ok(value);
            };
            let pointer = reference.strip_prefix('#');
            let found = pointer.and_then(|pointer| self.document.value.pointer(pointer));
            value = found.ok_or_else(|| {
                let message = format!("The reference {reference:?} leads out of the document.");
                self.problem(at, message)
            })?;
        }
        Err(self.problem(at, "A reference leads to itself."))
    }

    /// A schema without references and without parts: those of `allOf` are merged, and of `oneOf` and `anyOf` the first.
    pub(super) fn schema(&self, schema: &Value, at: &str) -> Result<Value, Problem> {
        self.merged(schema, at, 0)
    }

    fn merged(&self, schema: &Value, at: &str, depth: usize) -> Result<Value, Problem> {
        let schema = self.resolved(schema, at)?;
        let Some(members) = schema.as_object() else { return Ok(schema.clone()) };
        let mut whole = members.clone();
        let all = whole.shift_remove("allOf");
        let one = ["oneOf", "anyOf"].map(|name| whole.shift_remove(name));
        if depth < DEEPEST {
            let all = all.as_ref().and_then(Value::as_array).into_iter().flatten();
            let one = one.iter().flatten().filter_map(|list| list.get(0));
            for part in all.chain(one) {
                merge(&mut whole, self.merged(part, at, depth + 1)?);
            }
        }
        Ok(Value::Object(whole))
    }

    /// A value that fits a schema as far as its types say: an example where there is one.
    pub(super) fn made(&self, schema: &Value, at: &str, depth: usize) -> Result<Value, Problem> {
        let schema = self.schema(schema, at)?;
        if let Some(value) = self.example(&schema, at)? {
            return Ok(value);
        }
        let known = ["default", "const"].iter().find_map(|name| schema.get(*name));
        if let Some(value) = known.or(schema.pointer("/enum/0")) {
            return Ok(value.clone());
        }
        let at_least = |name: &str| schema.get(name).and_then(Value::as_u64).unwrap_or(0);
        Ok(match type_of(&schema) {
            Some("integer") => least(&schema, 1),
            Some("number") => least(&schema, 1),
            Some("boolean") => true.into(),
            Some("array") if at_least("minItems") > 0 && depth < DEEPEST => {
                let item = self.made(schema.get("items").unwrap_or(&Value::Null), at, depth + 1)?;
                Value::Array(vec![item])
            }
            Some("array") => Value::Array(Vec::new()),
            Some("string") => text_of(&schema).into(),
            Some("null") => Value::Null,
            _ if schema.get("properties").is_some() && depth < DEEPEST => {
                let mut members = Map::new();
                let required = schema.get("required").and_then(Value::as_array);
                for name in required.into_iter().flatten().filter_map(Value::as_str) {
                    let member = schema.get("properties").and_then(|members| members.get(name));
                    if let Some(member) = member {
                        members.insert(name.to_owned(), self.made(member, at, depth + 1)?);
                    }
                }
                Value::Object(members)
            }
            _ => Value::Object(Map::new()),
        })
    }

    /// `example`, or the first of `examples`, which are a list of values or a table of named ones.
    pub(super) fn example(&self, owner: &Value, at: &str) -> Result<Option<Value>, Problem> {
        if let Some(example) = owner.get("example") {
            return Ok(Some(example.clone()));
        }
        match owner.get("examples") {
            Some(Value::Array(list)) => Ok(list.first().cloned()),
            Some(Value::Object(named)) => match named.values().next() {
                Some(first) => Ok(self.resolved(first, at)?.get("value").cloned()),
                None => Ok(None),
            },
            _ => Ok(None),
        }
    }
}

/// The type of a schema: of several, the first that is not null.
pub(super) fn type_of(schema: &Value) -> Option<&str> {
    match schema.get("type")? {
        Value::Array(several) => {
            let names = || several.iter().filter_map(Value::as_str);
            names().find(|name| *name != "null").or_else(|| names().next())
        }
        one => one.as_str(),
    }
}

/// The least number of a schema, or this one.
fn least(schema: &Value, usual: i64) -> Value {
    let number = |name: &str| schema.get(name).and_then(Value::as_f64);
    // Before OpenAPI 3.1, `exclusiveMinimum` is a switch.
    let is_above = schema.get("exclusiveMinimum").and_then(Value::as_bool) == Some(true);
    let least = match (number("exclusiveMinimum"), schema.get("minimum")) {
        (Some(below), _) => return Value::from(below.floor() as i64 + 1),
        (None, Some(least)) if is_above => {
            return Value::from(least.as_f64().unwrap_or_default().floor() as i64 + 1);
        }
        (None, Some(least)) => Some(least.clone()),
        (None, None) => None,
    };
    match (least, number("maximum")) {
        (Some(least), _) => least,
        (None, Some(most)) if most < usual as f64 => schema["maximum"].clone(),
        (None, _) => usual.into(),
    }
}

/// A text of a schema's format.
fn text_of(schema: &Value) -> String {
    let known = match schema.get("format").and_then(Value::as_str) {
        Some("uuid") => "01890a5d-ac96-774b-bcce-b302099a8057",
        Some("date") => "2025-01-01",
        Some("date-time") => "2025-01-01T00:00:00Z",
        Some("time") => "00:00:00Z",
        Some("duration") => "PT1S",
        Some("email") => "user@example.com",
        Some("hostname") => "example.com",
        Some("ipv4") => "192.0.2.1",
        Some("ipv6") => "2001:db8::1",
        Some("uri" | "url" | "uri-reference") => "http://example.com/",
        Some("byte") => "dGV4dA==",
        _ => "",
    };
    if !known.is_empty() {
        return known.to_owned();
    }
    let shortest = schema.get("minLength").and_then(Value::as_u64).unwrap_or(0);
    let longest = schema.get("maxLength").and_then(Value::as_u64).unwrap_or(u64::MAX);
    // Lengths of examples are small.
    "text".chars().cycle().take(shortest.clamp(4, LONGEST).min(longest) as usize).collect()
}

/// Adds a part of a schema: members and required names of both, other keys of the first that has them.
fn merge(whole: &mut Map<String, Value>, part: Value) {
    let Value::Object(part) = part else { return };
    for (key, value) in part {
        match (key.as_str(), whole.get_mut(&key), value) {
            ("properties", Some(Value::Object(known)), Value::Object(more)) => {
                for (name, member) in more {
                    known.entry(name).or_insert(member);
                }
            }
            ("required", Some(Value::Array(known)), Value::Array(more)) => {
                for name in more {
                    if !known.contains(&name) {
                        known.push(name);
                    }
                }
            }
            (_, Some(_), _) => {}
            (_, None, value) => {
                whole.insert(key, value);
            }
        }
    }
}
