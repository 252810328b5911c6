//! Parameters, example values and the content of requests and pages.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::api::{Api, escaped};
use crate::import::Problem;

/// How deep a body is made from its schema; documents may refer to themselves.
const DEEPEST: usize = 6;

/// The characters of a blank and the longest key.
const KEY: usize = 1 + 36;

/// The parts of operations that hold values.
pub(super) struct Bodies<'a> {
    pub(super) api: &'a Api<'a>,
}

/// A parameter.
pub(super) struct Parameter<'a> {
    pub(super) name: String,
    /// `path`, `query`, `header` or `cookie`.
    pub(super) place: &'a str,
    pub(super) is_required: bool,
    value: &'a Value,
    at: String,
}

impl<'a> Parameter<'a> {
    /// Its example, as a text.
    pub(super) fn example(&self, api: &'a Api<'a>) -> Result<String, Problem> {
        let schema = match self.value.get("schema") {
            Some(schema) => api.resolved(schema, &self.at)?,
            None => &Value::Null,
        };
        let found = example_of(self.value, api, &self.at)?.or(example_of(schema, api, &self.at)?);
        let found = found.or(schema.get("default")).or(schema.pointer("/enum/0"));
        match found {
            Some(Value::String(text)) => Ok(text.clone()),
            Some(value) if !value.is_null() => Ok(value.to_string()),
            _ => {
                let message = format!(
                    "The parameter `{}` has no example, and no page lists its values.",
                    self.name
                );
                Err(api.problem(&self.at, message))
            }
        }
    }
}

impl<'a> Bodies<'a> {
    /// The parameters of an operation, with those of its path.
    pub(super) fn parameters(
        &self,
        item: &'a Value,
        operation: &'a Value,
        at: &str,
    ) -> Result<Vec<Parameter<'a>>, Problem> {
        let above = at.rsplit_once('/').map_or("", |(above, _)| above);
        let mut parameters: Vec<Parameter<'a>> = Vec::new();
        for (owner, at) in [(operation, at), (item, above)] {
            let list = owner.get("parameters").and_then(Value::as_array);
            for (number, value) in list.into_iter().flatten().enumerate() {
                let at = format!("{at}/parameters/{number}");
                let value = self.api.resolved(value, &at)?;
                let text = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default();
                let (name, place) = (text("name"), text("in"));
                let is_required = value.get("required").and_then(Value::as_bool) == Some(true);
                if place == "cookie" && is_required {
                    let message = format!("The cookie `{name}` is not taken.");
                    return Err(self.api.problem(&at, message));
                }
                // The operation's own come first and hide those of the path.
                if !parameters.iter().any(|it| it.name == name && it.place == place) {
                    parameters.push(Parameter {
                        name: name.to_owned(),
                        place,
                        is_required,
                        value,
                        at,
                    });
                }
            }
        }
        Ok(parameters)
    }

    /// Where a page has its items, and the names of their members; `None` if it is no page.
    pub(super) fn listed(
        &self,
        operation: &'a Value,
        at: &str,
    ) -> Result<Option<(String, BTreeSet<String>)>, Problem> {
        let Some(answer) = operation.pointer("/responses/200") else { return Ok(None) };
        let answer = self.api.resolved(answer, at)?;
        let Some(schema) = json_of(answer).and_then(|content| content.get("schema")) else {
            return Ok(None);
        };
        let schema = self.api.resolved(schema, at)?;
        let mut places = vec![(String::new(), schema)];
        for (name, member) in
            schema.get("properties").and_then(Value::as_object).into_iter().flatten()
        {
            let place = (format!("/{}", escaped(name)), self.api.resolved(member, at)?);
            // `items` is the usual one, where a page has several arrays.
            if name == "items" { places.insert(0, place) } else { places.push(place) }
        }
        for (place, schema) in places {
            if let Some(item) = schema.get("items") {
                let item = self.api.resolved(item, at)?;
                let members = item.get("properties").and_then(Value::as_object);
                let names = members.into_iter().flat_map(Map::keys).cloned().collect();
                return Ok(Some((place, names)));
            }
        }
        Ok(None)
    }

    /// The example of a request's content, and its schema; `None` if it needs no content.
    pub(super) fn example(
        &self,
        operation: &'a Value,
        at: &str,
    ) -> Result<Option<(Value, &'a Value)>, Problem> {
        let at = format!("{at}/requestBody");
        let Some(body) = operation.get("requestBody") else { return Ok(None) };
        let body = self.api.resolved(body, &at)?;
        let Some(content) = json_of(body) else {
            let kinds = body.get("content").and_then(Value::as_object);
            let kind = kinds.and_then(|kinds| kinds.keys().next()).map_or("", String::as_str);
            let at = format!("{at}/content/{}", escaped(kind));
            return Err(self
                .api
                .problem(&at, format!("Content of the type `{kind}` is not taken.")));
        };
        let schema = content.get("schema").unwrap_or(&Value::Null);
        let schema = self.single(self.api.resolved(schema, &at)?, &at)?;
        let found = example_of(content, self.api, &at)?.or(example_of(schema, self.api, &at)?);
        let value = match found {
            Some(value) => value.clone(),
            None => self.made(schema, &at, 0)?,
        };
        Ok(Some((value, schema)))
    }

    /// The first of several alternatives.
    fn single(&self, schema: &'a Value, at: &str) -> Result<&'a Value, Problem> {
        let first = ["oneOf", "anyOf"].iter().find_map(|name| schema.get(*name)?.get(0));
        match first {
            Some(first) => self.api.resolved(first, at),
            None => Ok(schema),
        }
    }

    /// Whether a member is a text without a form of its own, with room for a key behind the example.
    pub(super) fn is_free_text(&self, schema: &'a Value, name: &str, example: &str) -> bool {
        let member = schema.get("properties").and_then(|members| members.get(name));
        let member = member.and_then(|member| self.api.resolved(member, "").ok());
        let Some(member) = member else { return false };
        let has_form =
            ["enum", "const", "format", "pattern"].iter().any(|key| member.get(*key).is_some());
        let longest = member.get("maxLength").and_then(Value::as_u64).unwrap_or(u64::MAX);
        !has_form && longest >= (example.chars().count() + KEY) as u64
    }

    /// Removes the members of an example that are not required.
    pub(super) fn keep_required(members: &mut Map<String, Value>, schema: &Value) {
        if let Some(required) = schema.get("required").and_then(Value::as_array) {
            members.retain(|name, _| required.iter().any(|it| it == name.as_str()));
        }
    }

    /// A value that fits a schema as far as its types say.
    fn made(&self, schema: &'a Value, at: &str, depth: usize) -> Result<Value, Problem> {
        let schema = self.single(self.api.resolved(schema, at)?, at)?;
        if let Some(value) = example_of(schema, self.api, at)? {
            return Ok(value.clone());
        }
        if let Some(value) = ["default", "const"].iter().find_map(|name| schema.get(*name)) {
            return Ok(value.clone());
        }
        if let Some(value) = schema.pointer("/enum/0") {
            return Ok(value.clone());
        }
        let kind = schema.get("type");
        let kind = kind.and_then(|kind| kind.as_str().or_else(|| kind.get(0)?.as_str()));
        let at_least = |name: &str| schema.get(name).and_then(Value::as_u64).unwrap_or(0);
        Ok(match kind {
            Some("integer" | "number") => {
                schema.get("minimum").cloned().unwrap_or_else(|| 1.into())
            }
            Some("boolean") => true.into(),
            Some("array") if at_least("minItems") > 0 && depth < DEEPEST => {
                let item = schema.get("items").unwrap_or(&Value::Null);
                Value::Array(vec![self.made(item, at, depth + 1)?])
            }
            Some("array") => Value::Array(Vec::new()),
            Some("string") => text_of(schema).into(),
            Some("null") => Value::Null,
            _ if schema.get("properties").is_some() && depth < DEEPEST => {
                let mut members = Map::new();
                let required = schema.get("required").and_then(Value::as_array);
                for name in required.into_iter().flatten().filter_map(Value::as_str) {
                    let at_member = format!("/properties/{}", escaped(name));
                    if let Some(member) = schema.pointer(&at_member) {
                        members.insert(name.to_owned(), self.made(member, at, depth + 1)?);
                    }
                }
                Value::Object(members)
            }
            _ => Value::Object(Map::new()),
        })
    }
}

/// A text of a schema's format.
fn text_of(schema: &Value) -> String {
    match schema.get("format").and_then(Value::as_str) {
        Some("uuid") => "01890a5d-ac96-774b-bcce-b302099a8057".to_owned(),
        Some("date") => "2025-01-01".to_owned(),
        Some("date-time") => "2025-01-01T00:00:00Z".to_owned(),
        _ => {
            let shortest = schema.get("minLength").and_then(Value::as_u64).unwrap_or(0);
            let longest = schema.get("maxLength").and_then(Value::as_u64).unwrap_or(u64::MAX);
            // Lengths of examples are small.
            "text".chars().cycle().take(shortest.clamp(4, 1_000).min(longest) as usize).collect()
        }
    }
}

/// The JSON alternative of some content.
fn json_of(owner: &Value) -> Option<&Value> {
    let kinds = owner.get("content")?.as_object()?;
    let plain = kinds.get("application/json");
    plain.or_else(|| {
        kinds.iter().find(|(kind, _)| kind.contains("json")).map(|(_, content)| content)
    })
}

/// `example`, or the first of `examples`, which are a list of values or a table of named ones.
fn example_of<'a>(
    owner: &'a Value,
    api: &'a Api<'a>,
    at: &str,
) -> Result<Option<&'a Value>, Problem> {
    if let Some(example) = owner.get("example") {
        return Ok(Some(example));
    }
    match owner.get("examples") {
        Some(Value::Array(list)) => Ok(list.first()),
        Some(Value::Object(named)) => match named.values().next() {
            Some(first) => Ok(api.resolved(first, at)?.get("value")),
            None => Ok(None),
        },
        _ => Ok(None),
    }
}
